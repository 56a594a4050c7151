// SPDX-License-Identifier: Apache-2.0
// DLProf's own files: titles, order, quoting and empty lines as the real tool writes them.
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "analysis/dlprof_rows.h"
#include "analysis/export_list.h"
#include "analysis/value.h"
#include "base/json.h"

// First line of each file; the summary has a title per block instead.
static const struct {
    const char *report, *title;
} first_lines[] = {
    {"detail", "All Iterations"},
    {"iteration", "Iteration Report"},
    {"kernel", "Kernel Report"},
    {"tensor", "Tensor Core Report"},
    {"op_type", "Op Type Summary Report"},
    {"group_node", "Group Op Report"},
    {"expert_systems", "Expert Systems Feedback"},
};

static const char *first_line(const struct report *report)
{
    for (size_t i = 0; i < sizeof first_lines / sizeof *first_lines; i++)
        if (strcmp(first_lines[i].report, report->name) == 0)
            return first_lines[i].title;
    return report->title;
}

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

static void write_quoted(FILE *file, const char *text)
{
    fputc('"', file);
    for (const char *quote; (quote = strchr(text, '"')); text = quote + 1) {
        fwrite(text, 1, (size_t)(quote - text), file);
        fputs("\"\"", file);
    }
    fputs(text, file);
    fputc('"', file);
}

static void write_cell(FILE *file, const struct column *column, struct value value,
                       struct arena *arena)
{
    // DLProf knows no third state: what is not known to be so is not.
    const char *text = value.kind == VALUE_STATE ? (value.integer == STATE_YES ? "yes" : "no")
                                                 : value_for_programs(column, value, arena);
    if (column->flags & COLUMN_QUOTED)
        write_quoted(file, text);
    else
        fputs(text, file);
}

struct row_write {
    const struct export_table *table;
    const void *row;
    FILE *file;
    struct arena *arena;
};

static bool write_row(void *context, struct error *error)
{
    (void)error;
    const struct row_write *write = context;
    const struct report *report = write->table->report;
    bool is_first = true;
    for (size_t c = 0; c < report->column_count; c++) {
        const struct column *column = &report->columns[c];
        if (!column_is_written(write->table, column))
            continue;
        if (!is_first)
            fputc(',', write->file);
        is_first = false;
        write_cell(write->file, column, column->get(write->row), write->arena);
    }
    fputc('\n', write->file);
    return !ferror(write->file);
}

static bool write_table(const struct export_table *table, FILE *file)
{
    const struct report *report = table->report;
    fprintf(file, "%s\n", first_line(report));
    bool is_first = true;
    for (size_t c = 0; c < report->column_count; c++) {
        if (!column_is_written(table, &report->columns[c]))
            continue;
        fprintf(file, "%s%s", is_first ? "" : ",", report->columns[c].title);
        is_first = false;
    }
    fputc('\n', file);
    struct arena *scratch = arena_new(0); // cells live only until their row is written
    bool done = scratch != NULL;
    struct row_write write = {table, NULL, file, scratch};
    for (size_t i = 0; done && i < export_row_count(table); i++) {
        write.row = export_row(table, i);
        done = arena_run(scratch, write_row, &write, NULL);
        arena_reset(scratch);
    }
    arena_free(scratch);
    return done;
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
    if (strcmp(table->report->name, "summary") == 0)
        return write_summary(table, file, arena);
    return write_table(table, file);
}

// ---- JSON --------------------------------------------------------------------------------------

// Percentages as in the CSV, 0 to 100.
static void write_json_value(struct json_writer *json, enum unit unit, struct value value)
{
    switch (value.kind) {
    case VALUE_NONE:
        json_null(json);
        break;
    case VALUE_INTEGER:
        json_integer(json, value.integer);
        break;
    case VALUE_REAL:
        json_real(json, unit == UNIT_PERCENT ? value.real * 100 : value.real);
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
                write_json_value(json, UNIT_TEXT, row->value);
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
    if (strcmp(report->name, "summary") == 0) {
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
            write_json_value(&json, column->unit, column->get(row));
        }
        json_end(&json, '}');
    }
    json_end(&json, ']');
    fputc('\n', file);
    return !ferror(file);
}

// ---- the files ---------------------------------------------------------------------------------

struct file_write {
    struct export_table table;
    const struct export_format *format;
    struct arena *arena;
    FILE *file;
};

static bool file_write_body(void *context, struct error *error)
{
    (void)error;
    struct file_write *write = context;
    if (strcmp(write->format->name, "csv") == 0)
        return export_dlprof_csv(&write->table, write->file, write->arena);
    if (strcmp(write->format->name, "json") == 0)
        return export_dlprof_json(&write->table, write->file, write->arena);
    return write->format->write(&write->table, write->file, write->arena);
}

static bool file_write(void *context, FILE *file)
{
    struct file_write *write = context;
    write->file = file;
    return arena_run(write->arena, file_write_body, write, NULL);
}

static char *file_path(const struct export_dlprof_request *request, const struct report *report,
                       const struct export_format *format, struct arena *arena)
{
    char *base = arena_copy(arena, request->base_name, strlen(request->base_name));
    for (char *at = base; *at; at++)
        if (*at == ' ' || *at == '\t')
            *at = '_';
    const char *folder = request->folder && *request->folder ? request->folder : ".";
    return arena_format(arena, "%s%s%s_%s.%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/",
                        base, report->file ? report->file : report->name, format->extension);
}

// Makes the folder and those above it, as far as they are missing.
static bool folder_make(const char *folder, struct arena *arena, struct error *error)
{
    if (!folder || !*folder)
        return true;
    char *path = arena_copy(arena, folder, strlen(folder));
    for (char *at = path + 1;; at++) {
        if (*at != '/' && *at != '\0')
            continue;
        char kept = *at;
        *at = '\0';
        struct stat status;
        if (mkdir(path, 0777) != 0 &&
            (errno != EEXIST || stat(path, &status) != 0 || !S_ISDIR(status.st_mode)))
            return error_set(error, ERROR_IO, "%s: cannot make this folder: %s", path,
                             errno == EEXIST ? "it is a file" : strerror(errno));
        *at = kept;
        if (kept == '\0')
            return true;
    }
}

static bool files_are_new(const struct export_dlprof_request *request, struct arena *arena,
                          struct error *error)
{
    struct stat status;
    for (size_t r = 0; r < request->report_count; r++)
        for (size_t f = 0; f < request->format_count; f++) {
            const char *path = file_path(request, request->reports[r], request->formats[f], arena);
            if (lstat(path, &status) == 0)
                return error_set(error, ERROR_IO,
                                 "%s: exists already; nothing was written (--force=true replaces)",
                                 path);
        }
    return true;
}

bool export_dlprof_files(const struct export_dlprof_request *request, const struct profile *profile,
                         const struct selection *selection, struct arena *arena,
                         struct error *error)
{
    if (strchr(request->base_name, '/') || !*request->base_name)
        return error_set(error, ERROR_USAGE, "base name '%s': must be a file name",
                         request->base_name);
    if (!request->force && !files_are_new(request, arena, error))
        return false;
    if (!folder_make(request->folder, arena, error))
        return false;
    for (size_t r = 0; r < request->report_count; r++) {
        struct file_write write = {
            .table = {.report = request->reports[r], .profile = profile, .selection = selection},
            .arena = arena};
        if (!report_build(request->reports[r], profile, selection, arena, &write.table.rows, error))
            return false;
        for (size_t f = 0; f < request->format_count; f++) {
            write.format = request->formats[f];
            const char *path = file_path(request, request->reports[r], write.format, arena);
            if (!export_atomic(path, request->force, file_write, &write, arena, error))
                return false;
        }
    }
    return true;
}
