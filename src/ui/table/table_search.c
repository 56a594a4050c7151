// SPDX-License-Identifier: Apache-2.0
// Search in a table: moves from match to match and unfolds rows for them.
#include <string.h>

#include "ui/table/table.h"

static void set_search(struct table *table, struct pattern *pattern, const char *text)
{
    pattern_free(table->search);
    table->search = pattern;
    if (text != table->search_text)
        snprintf(table->search_text, sizeof table->search_text, "%s", text);
    table->has_peeked_row = false;
    table->stale = TABLE_STALE;
}

bool table_set_search(struct table *table, const char *text, struct error *error)
{
    struct pattern *pattern = NULL;
    if (*text && !(pattern = pattern_new(text, PATTERN_SMART, error)))
        return false;
    set_search(table, pattern, text);
    return true;
}

// Searches for the name literally. Names longer than a pattern allows are cut.
bool table_search_name(struct table *table, struct error *error)
{
    enum { MAX_PATTERN = 900 };
    const void *row = table_row(table);
    const char *name = row ? table_row_name(table, row) : NULL;
    if (!name || !*name)
        return error_set(error, ERROR_USAGE, "there is no name under the cursor");
    char text[MAX_PATTERN + 8];
    size_t used = 0;
    for (const char *at = name; *at;) {
        size_t length = 1;
        while (((unsigned char)at[length] & 0xc0) == 0x80)
            length++;
        if (used + length + 1 > MAX_PATTERN || length > 4)
            break;
        if (strchr("\\^$.|?*+()[]{}", *at))
            text[used++] = '\\';
        memcpy(text + used, at, length);
        used += length;
        at += length;
    }
    text[used] = 0;
    struct pattern *pattern = pattern_new(text, PATTERN_SMART, error);
    if (pattern)
        set_search(table, pattern, name);
    return pattern != NULL;
}

bool table_is_on_match(const struct table *table)
{
    return table->cursor < table->shown_count &&
           (table->state[table->shown[table->cursor]] & ROW_FOUND);
}

// Returns the next match after the cursor in sort order, continuing at the other end; UINT32_MAX:
// none.
static uint32_t next_match(const struct table *table, int direction)
{
    size_t count = table->rows.count, at = 0;
    if (!table->search || table->match_count == 0 || table->shown_count == 0)
        return UINT32_MAX;
    while (table->order[at] != table->shown[table->cursor])
        at++;
    for (size_t i = 1; i <= count; i++) {
        uint32_t row = table->order[(at + (direction > 0 ? i : count - i)) % count];
        if (table->state[row] & ROW_FOUND)
            return row;
    }
    return UINT32_MAX;
}

bool table_next_match(struct table *table, int direction)
{
    uint32_t row = next_match(table, direction);
    return row != UINT32_MAX && table_go(table, table_row_id(table, row));
}

// Moves to the next match while the user is typing: its ancestors are unfolded only until the next
// change of the text.
bool table_peek_match(struct table *table)
{
    uint32_t row = next_match(table, 1);
    if (row == UINT32_MAX)
        return false;
    table->peeked_row = table->cursor_id = table_row_id(table, row);
    table->has_peeked_row = table->has_cursor = true;
    table->stale = TABLE_STALE;
    return table_update(table, NULL);
}
