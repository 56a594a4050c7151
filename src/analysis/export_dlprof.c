// SPDX-License-Identifier: Apache-2.0
// DLProf's own files: titles, order, quoting and empty lines as the real tool writes them.
#include <inttypes.h>
#include <string.h>

#include "analysis/dlprof_rows.h"
#include "analysis/export_list.h"
#include "analysis/report_list.h"
#include "analysis/value.h"

// DLProf shows directions and stacks for PyTorch, input shapes for the others. A plain range tree
// is written in PyTorch's columns.
static bool column_is_written(const struct export_table *table, const struct column *column)
{
    enum mode mode = table->profile->mode;
    bool is_tensorflow = mode == MODE_TENSORFLOW1 || mode == MODE_TENSORFLOW2;
    bool is_other = is_tensorflow || mode == MODE_TENSORRT;
    if (is_tensorflow && table->selection->hides_details &&
        (strcmp(column->key, "data_type") == 0 || strcmp(column->key, "input_shapes") == 0))
        return false;
    if (strcmp(column->key, "direction") == 0 || strcmp(column->key, "stack") == 0)
        return !is_other;
    if (strcmp(column->key, "input_shapes") == 0)
        return is_other;
    return true;
}

// ---- CSV ---------------------------------------------------------------------------------------

static void write_cell(FILE *file, const struct column *column, struct value value,
                       struct arena *arena)
{
    // DLProf knows no third state: what is not known to be so is not.
    const char *text = value.kind == VALUE_STATE ? (value.integer == STATE_YES ? "yes" : "no")
                                                 : value_for_programs(column, value, arena);
    if (column->flags & COLUMN_QUOTED)
        export_quoted(file, text);
    else
        fputs(text, file);
}

static bool write_row(const void *context, const void *row, FILE *file, struct arena *scratch)
{
    const struct export_table *table = context;
    const struct report *report = table->report;
    bool is_first = true;
    for (size_t c = 0; c < report->column_count; c++) {
        const struct column *column = &report->columns[c];
        if (!column_is_written(table, column))
            continue;
        if (!is_first)
            fputc(',', file);
        is_first = false;
        write_cell(file, column, column->get(row), scratch);
    }
    fputc('\n', file);
    return !ferror(file);
}

static bool write_table(const struct export_table *table, FILE *file)
{
    const struct report *report = table->report;
    fprintf(file, "%s\n", report->file_title);
    bool is_first = true;
    for (size_t c = 0; c < report->column_count; c++) {
        if (!column_is_written(table, &report->columns[c]))
            continue;
        fprintf(file, "%s%s", is_first ? "" : ",", report->columns[c].title);
        is_first = false;
    }
    fputc('\n', file);
    return export_each_row(table, file, write_row, table);
}

static bool write_summary(const struct export_table *table, FILE *file, struct arena *arena)
{
    static const struct column text_column = {.unit = UNIT_TEXT};
    for (int section = 0; section < SUMMARY_SECTIONS; section++) {
        fprintf(file, "%s%s\n", section ? "\n" : "", summary_section_titles[section]);
        if (summary_count_titles[section])
            fprintf(file, ",GPU Time (ns),CPU Time (ns),%s\n", summary_count_titles[section]);
        for (size_t i = 0; i < table->rows.count; i++) {
            const struct summary_row *row = report_row(table->report, &table->rows, i);
            if ((int)row->section != section)
                continue;
            if (summary_count_titles[section])
                fprintf(file, "%s,%" PRId64 ",%" PRId64 ",%" PRId64 "\n", row->name, row->gpu_ns,
                        row->cpu_ns, row->count);
            else
                fprintf(file, "%s,%s\n", row->name,
                        value_for_programs(&text_column, value_text(row->text), arena));
        }
    }
    return !ferror(file);
}

bool export_dlprof_csv(const struct export_table *table, FILE *file, struct arena *arena)
{
    if (table->report == &report_summary)
        return write_summary(table, file, arena);
    return write_table(table, file);
}

// ---- JSON --------------------------------------------------------------------------------------

// One object: a member per block; the tables are arrays of objects.
static void write_json_summary(struct json_writer *json, const struct export_table *table)
{
    json_begin_object(json);
    for (int section = 0; section < SUMMARY_SECTIONS; section++) {
        const char *count = summary_count_titles[section];
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
            json_integer(json, row->cpu_ns);
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
    (void)arena;
    const struct report *report = table->report;
    struct json_writer json;
    json_open(&json, file, false);
    if (report == &report_summary) {
        write_json_summary(&json, table);
        fputc('\n', file);
        return !ferror(file);
    }
    json_begin_array(&json);
    for (size_t i = 0; i < export_row_count(table) && !ferror(file); i++) {
        const void *row = export_row(table, i);
        json_begin_object(&json);
        for (size_t c = 0; c < report->column_count; c++) {
            const struct column *column = &report->columns[c];
            if (!column_is_written(table, column))
                continue;
            json_key(&json, column->title);
            // Percentages as in the CSV, 0 to 100.
            export_json_value(&json, column->get(row), column->unit == UNIT_PERCENT ? 100 : 1);
        }
        json_end(&json, '}');
    }
    json_end(&json, ']');
    fputc('\n', file);
    return !ferror(file);
}
