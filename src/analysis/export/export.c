// SPDX-License-Identifier: Apache-2.0
// Finds export formats, and gives the formats the columns, titles and values to write.
#include "analysis/export/export.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/export/export_shared.h"
#include "analysis/report/value.h"
#include "base/text/atomic_file.h"

const struct export_format *export_format_of_file(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < export_format_count; i++)
        if (strcmp(export_formats[i]->extension, dot + 1) == 0)
            return export_formats[i];
    return NULL;
}

const struct export_format *export_format_find(const char *name)
{
    for (size_t i = 0; i < export_format_count; i++)
        if (strcmp(export_formats[i]->name, name) == 0)
            return export_formats[i];
    return NULL;
}

struct export_columns export_columns_of(const struct export_table *table, bool for_people,
                                        struct arena *arena)
{
    const struct report *report = table->report;
    struct export_columns columns = {
        .items = ARENA_ARRAY(arena, const struct column *, report->column_count + 1)};
    for (size_t i = 0; table->columns && i < table->column_count; i++)
        columns.items[columns.count++] = &report->columns[table->columns[i]];
    for (size_t c = 0; !table->columns && c < report->column_count; c++)
        if (!(report->columns[c].flags &
              (for_people ? COLUMN_MAY_LACK | COLUMN_DETAIL : COLUMN_MAY_LACK)))
            columns.items[columns.count++] = &report->columns[c];
    return columns;
}

static const struct export_share *share_of(const struct export_table *table,
                                           const struct column *column)
{
    return column->flags & COLUMN_SHARE ? table->share : NULL;
}

const char *export_title(const struct export_table *table, const struct column *column,
                         struct arena *arena)
{
    const struct export_share *share = share_of(table, column);
    if (export_is_per_step(table, column))
        return arena_format(arena, "%s per %s", column->title, parts_name(&table->parts, column));
    return share ? share->title : column->title;
}

const char *export_head(const struct export_table *table, const struct column *column)
{
    const struct export_share *share = share_of(table, column);
    return share ? share->head : column->head;
}

size_t export_row_count(const struct export_table *table)
{
    return table->order ? table->count : table->rows.count;
}

const void *export_row(const struct export_table *table, size_t i)
{
    return report_row(table->report, &table->rows, table->order ? table->order[i] : i);
}

bool export_is_per_step(const struct export_table *table, const struct column *column)
{
    return parts_of(&table->parts, column) > 1;
}

struct value export_value(const struct export_table *table, const struct column *column,
                          const void *row)
{
    const struct export_share *share = share_of(table, column);
    return share ? share->get(share->context, row)
                 : value_per_step(column, column->get(row), &table->parts);
}

bool export_check_not_input(const char *path, const char *read, const char *what,
                            struct error *error)
{
    struct stat written_status, read_status;
    if (!read || stat(path, &written_status) != 0 || stat(read, &read_status) != 0 ||
        written_status.st_dev != read_status.st_dev || written_status.st_ino != read_status.st_ino)
        return true;
    return error_set(error, ERROR_USAGE,
                     "%s is the %s that is read: it is not replaced; name another file", path,
                     what);
}

struct table_write {
    const struct export_table *table;
    const struct export_format *format;
    struct arena *arena;
    FILE *file;
};

static bool table_write_body(void *context, struct error *error)
{
    (void)error;
    struct table_write *write = context;
    return write->format->write(write->table, write->file, write->arena);
}

static bool table_write(void *context, FILE *file)
{
    struct table_write *write = context;
    write->file = file;
    return arena_run(write->arena, table_write_body, write, NULL);
}

bool export_file(const char *path, bool force, const struct export_table *table,
                 const struct export_format *format, struct arena *arena, struct error *error)
{
    struct table_write write = {table, format, arena, NULL};
    return atomic_file_write(path, force ? ATOMIC_FILE_REPLACE : ATOMIC_FILE_NEW, table_write,
                             &write, arena, error);
}
