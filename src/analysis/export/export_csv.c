// SPDX-License-Identifier: Apache-2.0
// Writes CSV and TSV: a header of titles, then plain numbers in the units that the titles name.
#include <string.h>

#include "analysis/export/export_shared.h"
#include "analysis/report/value.h"

// Puts the text from offset `at` on in quotes.
static void csv_quote(struct bytes *out, size_t at)
{
    size_t length = out->count - at, quotes = 0;
    if (length == 0) {
        bytes_text(out, "\"\"");
        return;
    }
    const char *end = out->items + out->count;
    for (const char *next = end - length; (next = memchr(next, '"', (size_t)(end - next))); next++)
        quotes++;
    bytes_reserve(out, quotes + 2);
    out->count += quotes + 2;
    char *cell = out->items + at, *from = cell + length, *to = out->items + out->count;
    *--to = '"';
    while (quotes > 0) { // the text before the first quote moves by one
        *--to = *--from;
        if (*to == '"') {
            *--to = '"';
            quotes--;
        }
    }
    memmove(cell + 1, cell, (size_t)(from - cell));
    *cell = '"';
}

// TSV has no quoting: characters that break the table become blanks.
static void make_one_line(struct bytes *out, size_t at)
{
    for (; at < out->count; at++)
        if (memchr("\t\r\n", out->items[at], 3))
            out->items[at] = ' ';
}

static bool has_special(const struct bytes *out, size_t at)
{
    bool has = false;
    for (; at < out->count; at++) { // no early exit, so that the loop is vectorised
        char c = out->items[at];
        has |= c == ',' || c == '"' || c == '\r' || c == '\n';
    }
    return has;
}

// Returns true for text that a spreadsheet would evaluate. Text that begins with a sign counts only
// if it contains a call, pipe or sheet reference.
static bool is_formula(const struct bytes *out, size_t at)
{
    while (at < out->count && (out->items[at] == '\t' || out->items[at] == '\n'))
        at++;
    if (at == out->count)
        return false;
    const char *text = out->items + at;
    size_t length = out->count - at;
    if (*text == '=' || *text == '@')
        return true;
    return (*text == '+' || *text == '-') &&
           (memchr(text, '(', length) || memchr(text, '|', length) || memchr(text, '!', length));
}

// Prefixes formulas with an apostrophe, which makes them text in a spreadsheet.
static void make_plain(struct bytes *out, size_t at)
{
    if (!is_formula(out, at))
        return;
    bytes_char(out, '\'');
    memmove(out->items + at + 1, out->items + at, out->count - at - 1);
    out->items[at] = '\'';
}

void export_csv_text(struct bytes *out, size_t at, bool is_quoted)
{
    make_plain(out, at);
    if (is_quoted)
        csv_quote(out, at);
}

static void csv_cell(struct bytes *out, const struct column *column, struct value value)
{
    size_t at = out->count;
    value_append_plain(out, column, value);
    if (value.kind == VALUE_TEXT || column->flags & COLUMN_QUOTED)
        export_csv_text(out, at, column->flags & COLUMN_QUOTED || has_special(out, at));
}

static void tsv_cell(struct bytes *out, const struct column *column, struct value value)
{
    size_t at = out->count;
    value_append_plain(out, column, value);
    if (value.kind == VALUE_TEXT) {
        make_one_line(out, at);
        make_plain(out, at);
    }
}

static void put_row(const void *context, size_t i, struct bytes *out)
{
    const struct export_separated *separated = context;
    const void *row = export_row(separated->table, i);
    for (size_t c = 0; c < separated->columns.count; c++) {
        const struct column *column = separated->columns.items[c];
        if (c)
            bytes_char(out, separated->separator);
        separated->put_cell(out, column, export_value(separated->table, column, row));
    }
    bytes_char(out, '\n');
}

bool export_separated_rows(const struct export_separated *separated, FILE *file,
                           const struct arena *arena)
{
    return export_rows(separated->table, file, put_row, separated, arena);
}

static bool write_separated(const struct export_separated *separated, FILE *file,
                            struct arena *arena)
{
    static const struct column title = {.unit = UNIT_TEXT};
    struct bytes head = {.arena = arena};
    for (size_t c = 0; c < separated->columns.count; c++) {
        const char *text = export_title(separated->table, separated->columns.items[c], arena);
        if (c)
            bytes_char(&head, separated->separator);
        separated->put_cell(&head, &title, value_text(text));
    }
    bytes_char(&head, '\n');
    return bytes_write(&head, file) && export_separated_rows(separated, file, arena);
}

static bool csv_write(const struct export_table *table, FILE *file, struct arena *arena)
{
    if (table->report->is_dlprof && !table->has_chosen_columns)
        return export_dlprof_csv(table, file, arena);
    struct export_separated separated = {table, export_columns_of(table, false, arena), ',',
                                         csv_cell};
    return write_separated(&separated, file, arena);
}

static bool tsv_write(const struct export_table *table, FILE *file, struct arena *arena)
{
    struct export_separated separated = {table, export_columns_of(table, false, arena), '\t',
                                         tsv_cell};
    return write_separated(&separated, file, arena);
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
