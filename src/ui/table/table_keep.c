// SPDX-License-Identifier: Apache-2.0
// `=` and `!`: adds the cell under the cursor as a filter term, which keeps or omits the rows
// that show the same text. If rows are marked, they are used instead (table_marks.c).
#include <string.h>

#include "ui/table/table.h"
#include "ui/table/table_compare.h"

// Escapes quotes and backslashes for a quoted filter text.
static char *text_quote(const char *text, struct arena *arena)
{
    char *quoted = ARENA_ARRAY(arena, char, 2 * strlen(text) + 1), *out = quoted;
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            *out++ = '\\';
        *out++ = *text;
    }
    return quoted;
}

static const char *term_of(const struct column *column, struct value value, struct arena *arena)
{
    if (value.kind == VALUE_STATE)
        return arena_format(arena, "%s:%s", column->key,
                            state_text(column, (enum tristate)value.integer));
    if (value.kind != VALUE_TEXT)
        return arena_format(arena, "%s=%s", column->key, value_key(column, value, arena));
    if (!*value.text)
        return arena_format(arena, "%s:^$", column->key);
    return arena_format(arena, "%s=\"%s\"", column->key, text_quote(value.text, arena));
}

struct cell_term {
    struct table *table;
    bool inverse;
    const char *text; // the new filter
};

static bool cell_term_body(void *context, struct error *error)
{
    struct cell_term *call = context;
    const struct table *table = call->table;
    struct arena *arena = table->derived;
    unsigned column = (unsigned)table->column;
    struct value value = table_value(table, column, table_row(table));
    (void)error;
    call->text = arena_format(arena, "%s%s%s%s", table->filter_text, *table->filter_text ? " " : "",
                              call->inverse ? "!" : "",
                              term_of(&table->report->columns[column], value, arena));
    return true;
}

bool table_filter_cell(struct table *table, bool inverse, struct error *error)
{
    if (!table_row(table))
        return error_set(error, ERROR_USAGE, "there is no row under the cursor");
    struct cell_term call = {.table = table, .inverse = inverse};
    return arena_run(table->derived, cell_term_body, &call, error) &&
           table_set_filter(table, call.text, error);
}

bool table_filter_selected(struct table *table, bool inverse, struct error *error)
{
    return table_marked_count(table) > 0 ? table_filter_marks(table, inverse, error)
                                         : table_filter_cell(table, inverse, error);
}
