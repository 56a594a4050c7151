// SPDX-License-Identifier: Apache-2.0
#include "cli/cli_columns.h"

#include <string.h>

// The report whose column keys column_word() enumerates.
static const struct report *column_report;

static const char *column_word(size_t i)
{
    return i < column_report->column_count ? column_report->columns[i].key : NULL;
}

static bool has_table_column(const struct export_table *table, uint16_t column)
{
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i] == column)
            return true;
    return false;
}

static bool find_column(const struct report *report, const char *key, uint16_t *found,
                        struct error *error)
{
    const struct column *column = report_column(report, key);
    if (column && !(column->flags & COLUMN_MAY_LACK)) {
        *found = (uint16_t)(column - report->columns);
        return true;
    }
    column_report = report;
    return cli_unknown_word("--columns: no column of this report has the key ", "", key,
                            column_word, report->column_count, error);
}

static bool parse_columns(const char *keys, struct export_table *table, struct arena *arena,
                          struct error *error)
{
    static const char between[] = ", ";
    uint16_t *columns = ARENA_ARRAY(arena, uint16_t, table->report->column_count);
    table->columns = columns;
    table->column_count = 0;
    table->has_chosen_columns = true;
    for (keys += strspn(keys, between); *keys; keys += strspn(keys, between)) {
        size_t length = strcspn(keys, between);
        const char *key = arena_format(arena, "%.*s", (int)(length < 100 ? length : 100), keys);
        uint16_t column = 0;
        if (!find_column(table->report, key, &column, error))
            return false;
        if (has_table_column(table, column))
            return error_set(error, ERROR_USAGE, "--columns: %s is there twice", key);
        columns[table->column_count++] = column;
        keys += length;
    }
    return table->column_count || error_set(error, ERROR_USAGE, "--columns: the list is empty");
}

bool cli_set_columns(const struct cli *cli, struct export_table *table, struct arena *arena,
                     struct error *error)
{
    if (cli->columns && !parse_columns(cli->columns, table, arena, error))
        return false;
    table->width = cli->width;
    int min_width = cli->width ? export_min_width(table, arena) : 0;
    return cli->width >= min_width ||
           error_set(error, ERROR_USAGE,
                     "--width=%d: these columns need %d at least; choose fewer by --columns",
                     cli->width, min_width);
}
