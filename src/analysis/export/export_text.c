// SPDX-License-Identifier: Apache-2.0
// Writes tables for people: aligned text and Markdown, with the columns of a wide screen.
#include <stdlib.h>
#include <string.h>

#include "analysis/export/export_shared.h"
#include "analysis/report/value.h"
#include "base/text/text.h"

enum { MAX_NAME_COLUMNS = 100 }; // maximum display columns of a name in aligned text

struct text_grid {
    size_t rows, columns; // row 0 holds the headings
    const struct column **column;
    const char **cells; // [row * columns + column]
    int *width;
};

static const char *grid_cell(const struct export_table *table, const struct column *column,
                             const void *row, int name_columns, struct arena *arena)
{
    const char *text = value_display_text(column, export_value(table, column, row), true, arena);
    if (column->unit == UNIT_TEXT && name_columns && !(column->flags & COLUMN_SENTENCE))
        text = text_cut(arena, text, name_columns, true, true);
    if (column->flags & COLUMN_NAME && table->report->depth)
        text = arena_format(arena, "%*s%s", (int)(2 * table->report->depth(row)), "", text);
    return text;
}

static struct text_grid grid_build(const struct export_table *table, int name_columns,
                                   struct arena *arena)
{
    struct export_columns chosen = export_columns_of(table, true, arena);
    struct text_grid grid = {export_row_count(table) + 1, chosen.count, chosen.items, NULL, NULL};
    grid.cells = ARENA_ARRAY(arena, const char *, grid.rows *grid.columns);
    grid.width = ARENA_ARRAY(arena, int, grid.columns);
    for (size_t c = 0; c < grid.columns; c++) {
        grid.cells[c] = export_head(table, grid.column[c]);
        grid.width[c] = text_width(grid.cells[c]);
    }
    for (size_t r = 1; r < grid.rows; r++)
        for (size_t c = 0; c < grid.columns; c++) {
            const char *text =
                grid_cell(table, grid.column[c], export_row(table, r - 1), name_columns, arena);
            int width = text_width(text);
            grid.cells[r * grid.columns + c] = text;
            if (width > grid.width[c])
                grid.width[c] = width;
        }
    return grid;
}

// Padding is written only before the next text, so that no line ends with blanks.
static void write_cell(FILE *file, const char *text, int *padding)
{
    if (!*text)
        return;
    fprintf(file, "%*s%s", *padding, "", text);
    *padding = 0;
}

static bool document_write(const struct export_table *table, FILE *file, struct arena *arena)
{
    const struct column *line = table->report->columns;
    struct bytes out = {.arena = arena};
    for (size_t i = 0; i < export_row_count(table); i++) {
        value_append_plain(&out, line, line->get(export_row(table, i)));
        bytes_char(&out, '\n');
    }
    return bytes_write(&out, file);
}

static bool text_write(const struct export_table *table, FILE *file, struct arena *arena)
{
    if (table->report->is_document)
        return document_write(table, file, arena);
    const char *caption = table->rows.caption; // it may contain names of the file, so it is escaped
    if (caption)
        fprintf(file, "%s\n", text_safe(arena, caption, strlen(caption), false));
    if (export_row_count(table) == 0) {
        fprintf(file, "%s\n", table->rows.empty ? table->rows.empty : "no rows");
        return !ferror(file);
    }
    const char *per = parts_text(&table->parts, table->report, arena);
    if (per)
        fprintf(file, "times and counts per %s\n", per);
    struct text_grid grid = grid_build(table, MAX_NAME_COLUMNS, arena);
    for (size_t r = 0; r < grid.rows; r++) {
        int padding = 0;
        for (size_t c = 0; c < grid.columns; c++) {
            const char *text = grid.cells[r * grid.columns + c];
            int blanks = grid.width[c] - text_width(text);
            bool right = unit_is_number(grid.column[c]->unit);
            padding += (c ? 2 : 0) + (right ? blanks : 0);
            write_cell(file, text, &padding);
            padding += right ? 0 : blanks;
        }
        fputc('\n', file);
    }
    return !ferror(file);
}

static void write_markdown_cell(FILE *file, const char *text)
{
    static const char special[] = "|\\`*_<>[]";
    while (*text) {
        size_t plain = strcspn(text, special);
        fwrite(text, 1, plain, file);
        text += plain;
        if (*text)
            fprintf(file, "\\%c", *text++);
    }
}

static bool markdown_write(const struct export_table *table, FILE *file, struct arena *arena)
{
    if (table->report->is_document)
        return document_write(table, file, arena);
    if (export_row_count(table) == 0) {
        fprintf(file, "%s\n", table->rows.empty ? table->rows.empty : "no rows");
        return !ferror(file);
    }
    const char *per = parts_text(&table->parts, table->report, arena);
    if (per)
        fprintf(file, "Times and counts per %s:\n\n", per);
    struct text_grid grid = grid_build(table, 0, arena);
    for (size_t r = 0; r < grid.rows; r++) {
        for (size_t c = 0; c < grid.columns; c++) {
            fputs(c ? " | " : "| ", file);
            write_markdown_cell(file, grid.cells[r * grid.columns + c]);
        }
        fputs(" |\n", file);
        for (size_t c = 0; r == 0 && c < grid.columns; c++)
            fputs(unit_is_number(grid.column[c]->unit) ? "|--:" : "|---", file);
        if (r == 0)
            fputs("|\n", file);
    }
    return !ferror(file);
}

const struct export_format export_text = {
    .name = "text",
    .extension = "txt",
    .doc = "Aligned text for people, with scaled units",
    .write = text_write,
};

const struct export_format export_markdown = {
    .name = "markdown",
    .extension = "md",
    .doc = "A Markdown table for tickets and pull requests",
    .write = markdown_write,
};
