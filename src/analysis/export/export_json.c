// SPDX-License-Identifier: Apache-2.0
// Writes JSON: an array of objects keyed by the columns' keys; unknown values are null.
#include <ctype.h>

#include "analysis/export/export_shared.h"

void export_json_value(struct json_writer *json, struct value value, double scale)
{
    switch (value.kind) {
    case VALUE_NONE:
        json_null(json);
        break;
    case VALUE_INTEGER:
        json_integer(json, value.integer);
        break;
    case VALUE_REAL:
        json_real(json, value.real * scale);
        break;
    case VALUE_TEXT:
        json_string(json, value.text);
        break;
    case VALUE_STATE:
        if (value.integer == STATE_UNKNOWN)
            json_null(json);
        else
            json_bool(json, value.integer == STATE_YES);
        break;
    }
}

// Returns "gpu" or "gpu_per_step_and_gpu".
static const char *key_of(const struct export_table *table, const struct column *column,
                          struct arena *arena)
{
    const char *const *parts = table->report->parts;
    if (table->share && column->flags & COLUMN_SHARE)
        return table->share->key;
    char *key =
        export_is_per_step(table, column)
            ? arena_format(arena, "%s_per_%s", column->key, parts_name(&table->parts, column))
            : arena_format(arena, "%s%s", column->key,
                           parts ? parts[column - table->report->columns] : "");
    for (char *at = key; *at; at++)
        *at = (char)(*at == ' ' ? '_' : tolower((unsigned char)*at));
    return key;
}

struct json_objects {
    const struct export_table *table;
    const struct json_writer *list; // the array that contains them
    const struct column *const *columns;
    const char *const *keys;
    size_t count;
    double percent;
};

static void put_row(const void *context, size_t i, struct bytes *out)
{
    const struct json_objects *objects = context;
    const void *row = export_row(objects->table, i);
    struct json_writer json = *objects->list;
    json.out = out;
    json.has_item[json.depth - 1] = i > 0;
    json_begin_object(&json);
    for (size_t c = 0; c < objects->count; c++) {
        const struct column *column = objects->columns[c];
        json_key(&json, objects->keys[c]);
        export_json_value(&json, export_value(objects->table, column, row),
                          column->unit == UNIT_PERCENT ? objects->percent : 1);
    }
    json_end(&json, '}');
}

bool export_json_rows(const struct export_table *table, const struct export_columns *columns,
                      const char *const *keys, double percent, FILE *file, struct arena *arena)
{
    struct bytes out = {.arena = arena};
    struct json_writer json;
    json_open(&json, &out, false);
    json_begin_array(&json);
    struct json_objects objects = {table, &json, columns->items, keys, columns->count, percent};
    if (!bytes_write(&out, file) || !export_rows(table, file, put_row, &objects, arena))
        return false;
    json.has_item[json.depth - 1] = export_row_count(table) > 0;
    json_end(&json, ']');
    bytes_char(&out, '\n');
    return bytes_write(&out, file);
}

static bool json_write(const struct export_table *table, FILE *file, struct arena *arena)
{
    if (table->report->is_dlprof && !table->has_chosen_columns)
        return export_dlprof_json(table, file, arena);
    struct export_columns columns = export_columns_of(table, false, arena);
    const char **keys = ARENA_ARRAY(arena, const char *, columns.count);
    for (size_t c = 0; c < columns.count; c++)
        keys[c] = key_of(table, columns.items[c], arena);
    return export_json_rows(table, &columns, keys, 1, file, arena);
}

const struct export_format export_json = {
    .name = "json",
    .extension = "json",
    .doc = "An array of objects keyed by column; unknown values are null",
    .write = json_write,
};
