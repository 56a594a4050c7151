// SPDX-License-Identifier: Apache-2.0
// CSV and TSV: a header of titles, then plain numbers in the units that the titles name.
#include <string.h>

#include "analysis/export_list.h"
#include "analysis/value.h"

void export_quoted(FILE *file, const char *text)
{
    fputc('"', file);
    for (const char *quote; (quote = strchr(text, '"')); text = quote + 1) {
        fwrite(text, 1, (size_t)(quote - text), file);
        fputs("\"\"", file);
    }
    fputs(text, file);
    fputc('"', file);
}

static void write_cell(FILE *file, const char *text, char separator, bool quoted)
{
    if (separator == ',' && (quoted || strpbrk(text, ",\"\r\n"))) {
        export_quoted(file, text);
        return;
    }
    // TSV has no quoting: what would break the table becomes a blank.
    for (size_t length; separator == '\t' && text[length = strcspn(text, "\t\r\n")];
         text += length + 1) {
        fwrite(text, 1, length, file);
        fputc(' ', file);
    }
    fputs(text, file);
}

struct separated {
    const struct export_table *table;
    struct export_columns columns;
    char separator;
};

static bool write_row(const void *context, const void *row, FILE *file, struct arena *scratch)
{
    const struct separated *separated = context;
    for (size_t c = 0; c < separated->columns.count; c++) {
        const struct column *column = separated->columns.items[c];
        struct value value = export_value(separated->table, column, row);
        if (c)
            fputc(separated->separator, file);
        write_cell(file, value_for_programs(column, value, scratch), separated->separator,
                   column->flags & COLUMN_QUOTED);
    }
    fputc('\n', file);
    return !ferror(file);
}

static bool write_separated(const struct export_table *table, FILE *file, char separator,
                            struct arena *arena)
{
    struct separated separated = {table, export_columns_of(table, false, arena), separator};
    for (size_t c = 0; c < separated.columns.count; c++) {
        if (c)
            fputc(separator, file);
        write_cell(file, export_title(table, separated.columns.items[c], arena), separator, false);
    }
    fputc('\n', file);
    return export_each_row(table, file, write_row, &separated);
}

static bool csv_write(const struct export_table *table, FILE *file, struct arena *arena)
{
    if (table->report->is_dlprof)
        return export_dlprof_csv(table, file, arena);
    return write_separated(table, file, ',', arena);
}

static bool tsv_write(const struct export_table *table, FILE *file, struct arena *arena)
{
    return write_separated(table, file, '\t', arena);
}

const struct export_format export_csv = {
    .name = "csv",
    .extension = "csv",
    .doc = "Comma-separated values; numbers in the units of the header",
    .write = csv_write,
};

const struct export_format export_tsv = {
    .name = "tsv",
    .extension = "tsv",
    .doc = "Tab-separated values, one line per row",
    .write = tsv_write,
};
