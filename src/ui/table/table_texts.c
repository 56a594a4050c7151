// SPDX-License-Identifier: Apache-2.0
#include "ui/table/table_texts.h"

#include <string.h>

#include "analysis/report/value.h"
#include "base/parallel.h"

enum { SLOTS = 2 * MAX_TEXT_KINDS };

struct texts_build {
    struct table *table;
    struct table_texts *texts;
    size_t parts;
    uint16_t *slots; // per part: kind + 1, 0: free
};

size_t table_parts(const struct table *table)
{
    return table->report->depth ? 1 : parallel_parts(table->rows.count);
}

static size_t slot_of(const char *const *row_texts_out, size_t count)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ (uintptr_t)row_texts_out[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(hash >> 32) % SLOTS;
}

// Writes the texts of a row to the place of the next new kind.
static void row_texts(const struct texts_build *making, size_t row, const char **row_texts_out)
{
    const struct report *report = making->table->report;
    const void *data = report_row(report, &making->table->rows, row);
    for (size_t i = 0; i < making->texts->columns; i++) {
        struct value value = report->columns[making->texts->column[i]].get(data);
        row_texts_out[i] = value.kind == VALUE_TEXT ? value.text : NULL;
    }
}

static void part_make(void *context, size_t p)
{
    const struct texts_build *making = context;
    struct text_part *part = &making->texts->parts[p];
    uint16_t *slots = making->slots + p * SLOTS;
    size_t columns = making->texts->columns;
    size_t count = making->table->rows.count, end = count * (p + 1) / making->parts;
    for (size_t row = count * p / making->parts; row < end; row++) {
        const char **row_texts_out = part->texts + part->kinds * columns;
        row_texts(making, row, row_texts_out);
        size_t slot = slot_of(row_texts_out, columns);
        while (slots[slot] && memcmp(part->texts + (slots[slot] - 1) * columns, row_texts_out,
                                     columns * sizeof *row_texts_out) != 0)
            slot = (slot + 1) % SLOTS;
        if (!slots[slot])
            slots[slot] = (uint16_t)++part->kinds;
        making->texts->kind[row] = (uint16_t)(slots[slot] - 1);
        if (part->kinds == MAX_TEXT_KINDS) {
            part->kinds = 0;
            return;
        }
    }
}

static bool texts_body(void *context, struct error *error)
{
    struct texts_build *making = context;
    struct table *table = making->table;
    struct arena *arena = table->ordered;
    (void)error;
    struct table_texts *texts = making->texts = ARENA_NEW(arena, struct table_texts);
    for (size_t c = 0; c < table->report->column_count && c < MAX_TABLE_COLUMNS; c++)
        if (table->report->columns[c].unit == UNIT_TEXT)
            texts->column[texts->columns++] = (uint16_t)c;
    texts->kind = ARENA_ARRAY(arena, uint16_t, table->rows.count);
    texts->parts = ARENA_ARRAY(arena, struct text_part, making->parts);
    making->slots = ARENA_ARRAY(arena, uint16_t, making->parts * SLOTS);
    for (size_t p = 0; p < making->parts; p++)
        texts->parts[p].texts =
            ARENA_ARRAY(arena, const char *, MAX_TEXT_KINDS * texts->columns + 1);
    parallel_run(parallel_cores(), making->parts, part_make, making);
    ARENA_RELEASE(arena, making->slots, making->parts * SLOTS);
    table->texts = texts;
    return true;
}

const struct table_texts *table_texts(struct table *table)
{
    struct texts_build making = {.table = table, .parts = table_parts(table)};
    if (table->texts || making.parts == 1)
        return table->texts;
    return arena_run(table->ordered, texts_body, &making, NULL) ? table->texts : NULL;
}
