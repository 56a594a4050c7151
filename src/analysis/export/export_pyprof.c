// SPDX-License-Identifier: Apache-2.0
// Writes PyProf's three formats: quoted, in columns of fixed widths, and separated by blanks.
// PyProf's report has its own default columns; other reports can be written as well. Unknown values
// are "-".
#include <string.h>

#include "analysis/export/export_shared.h"
#include "analysis/report/value.h"
#include "analysis/reports/report_list.h"
#include "base/text/text.h"

REPORT_DECLARE(pyprof);

enum { WIDTH_DEFAULT = 150, WIDTH_NUMBER = 12 };

// PyProf's widths; columns of width 0 share the remaining width.
static const struct pyprof_column {
    const char *key;
    int width;
    bool is_default; // written unless columns are chosen
    bool is_text;    // left-aligned, even if it is a number
} pyprof_columns[] = {
    {"idx", 7, true, false},       {"seq", 7, false, true},     {"altseq", 7, false, true},
    {"tid", 12, false, false},     {"layer", 10, false, true},  {"trace", 25, false, true},
    {"dir", 5, true, true},        {"sub", 3, true, false},     {"mod", 15, true, true},
    {"op", 15, true, true},        {"kernel", 0, true, true},   {"params", 0, true, true},
    {"sil", 10, true, false},      {"tc", 2, false, true},      {"device", 3, false, false},
    {"stream", 3, false, false},   {"grid", 12, false, true},   {"block", 12, false, true},
    {"flops", 12, false, false},   {"bytes", 12, false, false}, {"pyprof_dir", 5, false, true},
    {"pyprof_tc", 2, false, true},
};

static const struct pyprof_column *pyprof_column(const struct report *report,
                                                 const struct column *column) // or NULL
{
    for (size_t i = 0; i < sizeof pyprof_columns / sizeof *pyprof_columns; i++)
        if (report_is(report, &report_pyprof) && strcmp(pyprof_columns[i].key, column->key) == 0)
            return &pyprof_columns[i];
    return NULL;
}

static bool is_text(const struct report *report, const struct column *column)
{
    const struct pyprof_column *pyprof = pyprof_column(report, column);
    return pyprof ? pyprof->is_text : column->unit == UNIT_TEXT || column->unit == UNIT_STATE;
}

// Returns the width in display columns; 0 to share the remaining width.
static int width_of(const struct report *report, const struct column *column)
{
    const struct pyprof_column *pyprof = pyprof_column(report, column);
    return pyprof ? pyprof->width : column->unit == UNIT_TEXT ? 0 : WIDTH_NUMBER;
}

static struct export_columns written_columns(const struct export_table *table, struct arena *arena)
{
    struct export_columns all = export_columns_of(table, true, arena), defaults = {all.items, 0};
    if (table->columns || !report_is(table->report, &report_pyprof))
        return all;
    for (size_t c = 0; c < all.count; c++) {
        const struct pyprof_column *pyprof = pyprof_column(table->report, all.items[c]);
        if (pyprof && pyprof->is_default)
            defaults.items[defaults.count++] = all.items[c];
    }
    return defaults;
}

static int fixed_width(const struct report *report, const struct export_columns *columns)
{
    int width = 0;
    for (size_t c = 0; c < columns->count; c++)
        width += width_of(report, columns->items[c]);
    return width;
}

int export_min_width(const struct export_table *table, struct arena *arena)
{
    struct export_columns columns = written_columns(table, arena);
    return fixed_width(table->report, &columns);
}

// ---- cells --------------------------------------------------------------------------------------

struct pyprof_form {
    const struct export_table *table;
    struct export_columns columns;
    int shared; // width of the columns that share the remaining width
    void (*put_cell)(struct bytes *out, const struct pyprof_form *form, size_t c,
                     struct value value);
};

static void put_value(struct bytes *out, const struct column *column, struct value value)
{
    size_t at = out->count;
    value_append_plain(out, column, value);
    if (out->count == at)
        bytes_char(out, '-');
}

static void put_quoted(struct bytes *out, const struct pyprof_form *form, size_t c,
                       struct value value)
{
    size_t at = out->count;
    if (c)
        bytes_char(out, ',');
    at += c > 0;
    put_value(out, form->columns.items[c], value);
    export_csv_text(out, at, true);
}

// Blanks inside a value become _, since a blank separates values.
static void put_spaced(struct bytes *out, const struct pyprof_form *form, size_t c,
                       struct value value)
{
    if (c)
        bytes_char(out, ' ');
    size_t at = out->count;
    put_value(out, form->columns.items[c], value);
    for (; at < out->count; at++)
        if (strchr(" \t\r\n", out->items[at]))
            out->items[at] = '_';
}

// Cuts the text from offset `at` on to one line of at most `columns` display columns. Returns its
// width.
static int cut_cell(struct bytes *out, size_t at, int columns)
{
    int width = 0;
    while (at < out->count) {
        uint32_t code;
        size_t consumed = text_decode(out->items + at, out->count - at, &code);
        if (strchr("\t\r\n", out->items[at]))
            out->items[at] = ' ';
        int more = text_code_width(out->items[at] == ' ' ? ' ' : code);
        if (width + more > columns)
            break;
        width += more;
        at += consumed;
    }
    out->count = at;
    return width;
}

// Returns the last line of the trace, without its folder.
static const char *last_place(const char *trace)
{
    const char *comma = strrchr(trace, ','), *last_entry = comma ? comma + 1 : trace;
    const char *slash = strrchr(last_entry, '/');
    return slash ? slash + 1 : last_entry;
}

static void put_blanks(struct bytes *out, int count)
{
    for (; count > 0; count--)
        bytes_char(out, ' ');
}

static void put_text(struct bytes *out, size_t at, int columns)
{
    put_blanks(out, columns - cut_cell(out, at, columns));
}

// Right-aligns numbers, which are never cut.
static void put_column(struct bytes *out, const struct pyprof_form *form, size_t c,
                       struct value value)
{
    const struct column *column = form->columns.items[c];
    const struct report *report = form->table->report;
    int width = width_of(report, column);
    width = width ? width : form->shared;
    size_t at = out->count;
    if (value.kind == VALUE_TEXT && pyprof_column(report, column) &&
        strcmp(column->key, "trace") == 0)
        value.text = last_place(value.text);
    put_value(out, column, value);
    if (is_text(report, column)) {
        put_text(out, at, width);
    } else {
        int length = (int)(out->count - at), blanks = width > length ? width - length : 0;
        put_blanks(out, blanks);
        memmove(out->items + at + blanks, out->items + at, (size_t)length);
        memset(out->items + at, ' ', (size_t)blanks);
    }
    bytes_char(out, ' ');
}

// ---- lines --------------------------------------------------------------------------------------

static void put_row(const void *context, size_t i, struct bytes *out)
{
    const struct pyprof_form *form = context;
    const void *row = export_row(form->table, i);
    for (size_t c = 0; c < form->columns.count; c++)
        form->put_cell(out, form, c, export_value(form->table, form->columns.items[c], row));
    bytes_char(out, '\n');
}

static bool write_rows(const struct pyprof_form *form, struct bytes *head, FILE *file,
                       const struct arena *arena)
{
    bytes_char(head, '\n');
    return bytes_write(head, file) && export_rows(form->table, file, put_row, form, arena);
}

static bool write_plain(const struct export_table *table, FILE *file, struct arena *arena,
                        void (*put_cell)(struct bytes *out, const struct pyprof_form *form,
                                         size_t c, struct value value))
{
    struct pyprof_form form = {table, written_columns(table, arena), 0, put_cell};
    struct bytes head = {.arena = arena};
    for (size_t c = 0; c < form.columns.count; c++)
        put_cell(&head, &form, c, value_text(export_title(table, form.columns.items[c], arena)));
    return write_rows(&form, &head, file, arena);
}

static bool quoted_write(const struct export_table *table, FILE *file, struct arena *arena)
{
    return write_plain(table, file, arena, put_quoted);
}

static bool spaced_write(const struct export_table *table, FILE *file, struct arena *arena)
{
    return write_plain(table, file, arena, put_spaced);
}

static bool columns_write(const struct export_table *table, FILE *file, struct arena *arena)
{
    struct pyprof_form form = {table, written_columns(table, arena), 0, put_column};
    struct bytes head = {.arena = arena};
    int fixed = fixed_width(table->report, &form.columns), sharing_count = 0;
    int remaining = (table->width ? table->width : WIDTH_DEFAULT) - fixed;
    for (size_t c = 0; c < form.columns.count; c++)
        sharing_count += width_of(table->report, form.columns.items[c]) == 0;
    form.shared = sharing_count && remaining > 0 ? remaining / sharing_count : 0;
    for (size_t c = 0; c < form.columns.count; c++) {
        int width = width_of(table->report, form.columns.items[c]);
        size_t at = head.count;
        bytes_text(&head, export_title(table, form.columns.items[c], arena));
        put_text(&head, at, width ? width : form.shared);
        bytes_char(&head, ' ');
    }
    return write_rows(&form, &head, file, arena);
}

const struct export_format export_pyprof_csv = {
    .name = "pyprof-csv",
    .extension = "pyprof.csv",
    .doc =
        "PyProf's --csv: each value in quotes, one within doubled; as all three of PyProf's forms, "
        "of the report pyprof its own columns unless --columns chooses, and - for what is unknown",
    .write = quoted_write,
};

const struct export_format export_pyprof_columns = {
    .name = "pyprof-columns",
    .extension = "columns.txt",
    .doc =
        "PyProf's -w: columns of its widths, of which kernel and params share what --width leaves, "
        "and a blank behind each; texts are cut, numbers stand on the right. Of other reports "
        "numbers have 12 columns, and texts share the rest",
    .write = columns_write,
};

const struct export_format export_pyprof_space = {
    .name = "pyprof-space",
    .extension = "space.txt",
    .doc = "PyProf's lines without an option: blanks between the values, those within a value "
           "become _",
    .write = spaced_write,
};
