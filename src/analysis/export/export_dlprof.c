// SPDX-License-Identifier: Apache-2.0
// Writes DLProf's own files, with the titles, order, quoting and empty lines of the real tool.
#include <inttypes.h>
#include <string.h>

#include "analysis/export/export_shared.h"
#include "analysis/report/value.h"
#include "analysis/reports/dlprof/dlprof_rows.h"
#include "analysis/reports/report_list.h"

REPORT_DECLARE(summary);

// DLProf writes directions and stacks for PyTorch, and input shapes for other frameworks. A tree of
// plain ranges is written with PyTorch's columns. Simple mode has kernels but no ops.
static bool column_is_written(const struct export_table *table, const struct column *column)
{
    enum mode mode = table->profile->mode;
    bool is_tensorflow = mode == MODE_TENSORFLOW1 || mode == MODE_TENSORFLOW2;
    bool is_other = is_tensorflow || mode == MODE_TENSORRT;
    if (mode == MODE_SIMPLE && (strcmp(column->key, "id") == 0 || strcmp(column->key, "op") == 0 ||
                                strcmp(column->key, "direction") == 0))
        return false;
    if (is_tensorflow && table->selection->hides_details &&
        (strcmp(column->key, "data_type") == 0 || strcmp(column->key, "input_shapes") == 0))
        return false;
    if (strcmp(column->key, "direction") == 0 || strcmp(column->key, "stack") == 0)
        return !is_other;
    if (strcmp(column->key, "input_shapes") == 0)
        return is_other;
    return true;
}

static struct export_columns written_columns(const struct export_table *table, struct arena *arena)
{
    struct export_columns all = export_columns_of(table, false, arena), written = {all.items, 0};
    for (size_t c = 0; c < all.count; c++)
        if (column_is_written(table, all.items[c]))
            written.items[written.count++] = all.items[c];
    return written;
}

// Returns the table with all columns and totals, as in DLProf's files.
static struct export_table as_built(const struct export_table *table)
{
    return (struct export_table){.report = table->report,
                                 .rows = table->rows,
                                 .order = table->order,
                                 .count = table->count,
                                 .profile = table->profile,
                                 .selection = table->selection,
                                 .threads = table->threads};
}

// ---- CSV ----------------------------------------------------------------------------------------

static void put_cell(struct bytes *out, const struct column *column, struct value value)
{
    size_t at = out->count;
    // DLProf has no unknown state, so unknown is written as no.
    if (value.kind == VALUE_STATE)
        bytes_text(out, value.integer == STATE_YES ? "yes" : "no");
    else
        value_append_plain(out, column, value);
    // Commas stay unquoted where DLProf leaves them so, but a line break must not split a row.
    bool is_broken = out->count > at && memchr(out->items + at, '\n', out->count - at);
    if (value.kind == VALUE_TEXT || column->flags & COLUMN_QUOTED)
        export_csv_text(out, at, column->flags & COLUMN_QUOTED || is_broken);
}

static bool write_table(const struct export_table *table, FILE *file, struct arena *arena)
{
    struct export_separated written = {table, written_columns(table, arena), ',', put_cell};
    struct bytes head = {.arena = arena};
    bytes_text(&head, table->report->file_title);
    for (size_t c = 0; c < written.columns.count; c++) {
        bytes_char(&head, c ? ',' : '\n');
        bytes_text(&head, written.columns.items[c]->title);
    }
    bytes_char(&head, '\n');
    return bytes_write(&head, file) && export_separated_rows(&written, file, arena);
}

// Simple mode has only some of the sections.
static bool has_section(const struct export_table *table, int section)
{
    for (size_t i = 0; i < table->rows.count; i++) {
        const struct summary_row *row = report_row(table->report, &table->rows, i);
        if ((int)row->section == section)
            return true;
    }
    return false;
}

static bool write_summary(const struct export_table *table, FILE *file, struct arena *arena)
{
    static const struct column text_column = {.unit = UNIT_TEXT};
    struct bytes out = {.arena = arena};
    for (int section = 0; section < SUMMARY_SECTIONS; section++) {
        if (!has_section(table, section))
            continue;
        bytes_format(&out, "%s%s\n", section ? "\n" : "", summary_section_titles[section]);
        if (summary_count_titles[section])
            bytes_format(&out, ",GPU Time (ns),CPU Time (ns),%s\n", summary_count_titles[section]);
        for (size_t i = 0; i < table->rows.count; i++) {
            const struct summary_row *row = report_row(table->report, &table->rows, i);
            if ((int)row->section != section)
                continue;
            bytes_format(&out, "%s,", row->name);
            if (summary_count_titles[section])
                bytes_format(&out, "%" PRId64 ",%s,%" PRId64, row->gpu_ns,
                             row->cpu_ns == UNKNOWN ? ""
                                                    : arena_format(arena, "%" PRId64, row->cpu_ns),
                             row->count);
            else
                put_cell(&out, &text_column, value_text(row->text));
            bytes_char(&out, '\n');
        }
    }
    return bytes_write(&out, file);
}

bool export_dlprof_csv(const struct export_table *table, FILE *file, struct arena *arena)
{
    struct export_table built = as_built(table);
    if (report_is(table->report, &report_summary))
        return write_summary(&built, file, arena);
    return write_table(&built, file, arena);
}

// ---- JSON ---------------------------------------------------------------------------------------

// Writes one object with a member per block; tables are arrays of objects.
static void write_json_summary(struct json_writer *json, const struct export_table *table)
{
    json_begin_object(json);
    for (int section = 0; section < SUMMARY_SECTIONS; section++) {
        const char *count = summary_count_titles[section];
        if (!has_section(table, section))
            continue;
        json_key(json, summary_section_titles[section]);
        if (count)
            json_begin_array(json);
        else
            json_begin_object(json);
        for (size_t i = 0; i < table->rows.count; i++) {
            const struct summary_row *row = report_row(table->report, &table->rows, i);
            if ((int)row->section != section)
                continue;
            if (!count) {
                json_key(json, row->name);
                export_json_value(json, row->value, 1);
                continue;
            }
            json_begin_object(json);
            json_key(json, "Name");
            json_string(json, row->name);
            json_key(json, "GPU Time (ns)");
            json_integer(json, row->gpu_ns);
            json_key(json, "CPU Time (ns)");
            export_json_value(json, value_integer(row->cpu_ns), 1);
            json_key(json, count);
            json_integer(json, row->count);
            json_end(json, '}');
        }
        json_end(json, count ? ']' : '}');
    }
    json_end(json, '}');
}

bool export_dlprof_json(const struct export_table *table, FILE *file, struct arena *arena)
{
    struct export_table built = as_built(table);
    if (report_is(table->report, &report_summary)) {
        struct bytes out = {.arena = arena};
        struct json_writer json;
        json_open(&json, &out, false);
        write_json_summary(&json, &built);
        bytes_char(&out, '\n');
        return bytes_write(&out, file);
    }
    struct export_columns columns = written_columns(&built, arena);
    const char **titles = ARENA_ARRAY(arena, const char *, columns.count + 1);
    for (size_t c = 0; c < columns.count; c++)
        titles[c] = columns.items[c]->title;
    // Percentages are 0 to 100, as in the CSV.
    return export_json_rows(&built, &columns, titles, 100, file, arena);
}
