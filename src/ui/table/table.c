// SPDX-License-Identifier: Apache-2.0
// Opening and updating a table, its cursor, sort keys and actions. Other files of this folder find
// the rows to show (table_match.c, table_order.c) and draw them.
#include "ui/table/table.h"

#include <string.h>
#include <strings.h>

#include "analysis/report/value.h"
#include "ui/table/table_layout.h"

static bool open_body(void *context, struct error *error)
{
    struct table *table = context;
    const struct report *report = table->report;
    (void)error;
    table->columns = column_layout_of(report);
    for (unsigned i = 0; i < report->column_count && i < MAX_TABLE_COLUMNS; i++)
        if (report->columns[i].flags & COLUMN_NAME)
            table->column = (int)i;
    if (report->sort)
        table_sort_named(table, report->sort, NULL);
    return true;
}

bool table_open(struct table *table, const struct report *report, struct error *error)
{
    *table = (struct table){.report = report, .own = report, .open_depth = 1, .stale = TABLE_STALE};
    table->arena = arena_new(0);
    table->ordered = arena_new(0);
    table->derived = arena_new(0);
    table->filter_arena = arena_new(0);
    if (!table->arena || !table->ordered || !table->derived || !table->filter_arena) {
        table_close(table);
        return error_set(error, ERROR_MEMORY, "out of memory");
    }
    return arena_run(table->arena, open_body, table, error);
}

void table_close(struct table *table)
{
    filter_close(&table->filter);
    pattern_free(table->search);
    arena_free(table->arena);
    arena_free(table->ordered);
    arena_free(table->derived);
    arena_free(table->filter_arena);
    *table = (struct table){0};
}

uint64_t table_row_id(const struct table *table, uint32_t row)
{
    return table->report->id ? table->report->id(report_row(table->report, &table->rows, row))
                             : row;
}

uint32_t table_row_of(const struct table *table, uint64_t id)
{
    uint32_t row = 0;
    while (row < table->rows.count && table_row_id(table, row) != id)
        row++;
    return row < table->rows.count ? row : UINT32_MAX;
}

void table_set_rows(struct table *table, const struct rows *rows)
{
    table->rows = *rows;
    table->report = report_named(table->own, rows);
    table->order = table->tied = NULL;
    table->texts = NULL;
    table->stale = TABLE_STALE;
    table->marks.is_counted = table->measured.is_there = false;
}

const void *table_row(const struct table *table)
{
    if (table->stale || table->cursor >= table->shown_count)
        return NULL;
    return report_row(table->report, &table->rows, table->shown[table->cursor]);
}

// ---- rows shown --------------------------------------------------------------------------------

// Keeps the cursor on its row, or on its line if that row is no longer shown.
static void cursor_follow(struct table *table)
{
    uint32_t row = table->has_cursor ? table_row_of(table, table->cursor_id) : UINT32_MAX;
    for (size_t line = 0; row != UINT32_MAX && line < table->shown_count; line++) {
        if (table->shown[line] == row) {
            table->cursor = line;
            break;
        }
    }
    // Without rows the cursor stays: they may still be loading.
    if (table->cursor >= table->shown_count && table->rows.count > 0)
        table->cursor = table->shown_count ? table->shown_count - 1 : 0;
}

static bool reorder_body(void *context, struct error *error)
{
    struct table *table = context;
    (void)error;
    table_show(table);
    widths_measure(table); // the sort sign of a column has moved
    cursor_follow(table);
    return true;
}

static bool update_body(void *context, struct error *error)
{
    struct table *table = context;
    if (table->column >= (int)table->report->column_count ||
        !table_column_exists(table, (unsigned)table->column))
        table->column = 0;
    table_match(table);
    return reorder_body(table, error);
}

bool table_update(struct table *table, struct error *error)
{
    static unsigned updates; // shared by all tables: a view may alternate between two
    if (!table->stale)
        return true;
    table->serial = ++updates;
    bool is_matched = table->stale == TABLE_STALE_ORDER;
    table->stale = TABLE_STALE;
    table->shown_count = 0;
    if (!is_matched) {
        table->shown = NULL;
        arena_reset(table->derived);
    }
    if (!table_order(table, error) ||
        !arena_run(table->derived, is_matched ? reorder_body : update_body, table, error)) {
        table->shown_count = 0;
        return false;
    }
    table->stale = TABLE_FRESH;
    table->marks.is_counted = false; // the summed column may have changed
    if (table->cursor < table->shown_count && table->filter.count == 0)
        table->cursor_id = table_row_id(table, table->shown[table->cursor]);
    return true;
}

// ---- columns -----------------------------------------------------------------------------------

const char *table_row_name(const struct table *table, const void *row)
{
    for (size_t c = 0; c < table->report->column_count; c++) {
        const struct column *column = &table->report->columns[c];
        struct value value = column->flags & COLUMN_NAME ? column->get(row) : value_none();
        if (value.kind == VALUE_TEXT)
            return value.text;
    }
    return NULL;
}

struct value table_value(const struct table *table, unsigned column_at, const void *row)
{
    const struct column *column = &table->report->columns[column_at];
    if (table->share != SHARE_OWN && column->flags & COLUMN_SHARE)
        return table_share(table, row);
    return value_per_step(column, column->get(row), &table->parts);
}

const char *table_cell(const struct table *table, unsigned column, const void *row,
                       struct arena *arena)
{
    const struct column *c = &table->report->columns[column];
    struct value value = table_value(table, column, row);
    if (value.kind == VALUE_NONE && c->flags & COLUMN_MARK)
        return "";
    if (value.kind == VALUE_NONE || (value.kind == VALUE_STATE && value.integer == STATE_UNKNOWN))
        return table->ascii ? "-" : "–";
    return value_display_text(c, value, table->ascii, arena);
}

int table_find_column(const struct table *table, const char *name)
{
    const struct report *report = table->report;
    size_t length = strlen(name);
    for (int pass = 0; pass < 5 && length > 0; pass++) {
        for (size_t i = 0; i < report->column_count; i++) {
            const struct column *column = &report->columns[i];
            bool matches = pass == 0   ? strcasecmp(column->key, name) == 0
                           : pass == 1 ? strcasecmp(table_head(table, (unsigned)i), name) == 0
                           : pass == 2 ? strcasecmp(table->own->columns[i].key, name) == 0
                           : pass == 3 ? strncasecmp(column->key, name, length) == 0
                                       : strncasecmp(column->title, name, length) == 0;
            if (matches && table_column_exists(table, (unsigned)i))
                return (int)i;
        }
    }
    return -1;
}

// A cursor on the first line stays there after a new sort, instead of following its row.
static void note_new_order(struct table *table)
{
    table->has_cursor &= table->cursor > 0;
    bool is_matched = !table->report->depth && table->stale != TABLE_STALE;
    table->stale = is_matched ? TABLE_STALE_ORDER : TABLE_STALE;
}

void table_sort_by(struct table *table, unsigned column, bool descending)
{
    unsigned from = 0;
    while (from < table->sort_count && table->sort[from].column != column)
        from++;
    if (from == table->sort_count && table->sort_count < MAX_SORT_KEYS)
        table->sort_count++;
    if (from >= MAX_SORT_KEYS)
        from = MAX_SORT_KEYS - 1;
    memmove(&table->sort[1], &table->sort[0], from * sizeof *table->sort);
    table->sort[0] = (struct sort_key){(uint16_t)column, descending};
    note_new_order(table);
}

int table_sort_place(const struct table *table, unsigned column)
{
    for (unsigned k = 0; k < table->sort_count; k++)
        if (table->sort[k].column == column)
            return (int)k;
    return -1;
}

// Numbers are sorted descending by default, except the default sort column of the report; texts
// ascending.
static bool is_descending_by_default(const struct table *table, unsigned column, const char *name)
{
    const char *sort = table->report->sort;
    bool is_report_sort = sort && strcmp(sort, name) == 0;
    return unit_is_number(table->report->columns[column].unit) && !is_report_sort;
}

static bool key_named(const struct table *table, const char *name, struct sort_key *key,
                      struct error *error)
{
    bool has_sign = *name == '-' || *name == '+';
    int column = table_find_column(table, name + has_sign);
    if (column < 0)
        return error_set(error, ERROR_USAGE, "no column '%s' here", name);
    bool descending =
        has_sign ? *name == '-' : is_descending_by_default(table, (unsigned)column, name);
    *key = (struct sort_key){(uint16_t)column, descending};
    return true;
}

bool table_sort_named(struct table *table, const char *names, struct error *error)
{
    struct sort_key keys[MAX_SORT_KEYS];
    char name[64];
    unsigned count = 0;
    size_t length;
    for (const char *at = names + strspn(names, " ,"); *at || count == 0;
         at += length + strspn(at + length, " ,")) {
        length = strcspn(at, " ,");
        snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), at);
        if (count == MAX_SORT_KEYS)
            return error_set(error, ERROR_USAGE, "%d columns to sort by at most", MAX_SORT_KEYS);
        if (!key_named(table, name, &keys[count++], error))
            return false;
    }
    if (count > 1)
        table->sort_count = 0;
    while (count-- > 0)
        table_sort_by(table, keys[count].column, keys[count].descending);
    return true;
}

// Returns the next visible column in a direction, or `column` itself.
int column_step(const struct table *table, int column, int direction)
{
    const struct column_layout *columns = &table->columns;
    int count = (int)column_layout_count(table->report);
    int place = (int)column_layout_place(table->report, columns, (unsigned)column) + direction;
    for (; place >= 0 && place < count; place += direction)
        if (table_column_is_visible(table, columns->order[place]))
            return columns->order[place];
    return column;
}

// ---- actions -----------------------------------------------------------------------------------

static void cursor_move(struct table *table, long by)
{
    long line = (long)table->cursor + by;
    long last = (long)table->shown_count - 1;
    table->cursor = (size_t)(line < 0 || last < 0 ? 0 : line > last ? last : line);
}

struct row_opening {
    struct table *table;
    uint32_t row;
};

static bool open_parents(void *context, struct error *error)
{
    struct row_opening *opening = context;
    struct table *table = opening->table;
    (void)error;
    for (uint32_t up = table->parent[opening->row]; up != UINT32_MAX; up = table->parent[up])
        row_fold(table, up, false);
    return true;
}

void table_go_line(struct table *table, size_t line)
{
    table->cursor = line;
    table->cursor_id = table_row_id(table, table->shown[line]);
    table->has_cursor = true;
}

bool table_go(struct table *table, uint64_t id)
{
    if (!table_update(table, NULL))
        return false;
    uint32_t row = table_row_of(table, id);
    if (row == UINT32_MAX)
        return false;
    if (table->parent &&
        !arena_run(table->arena, open_parents, &(struct row_opening){table, row}, NULL))
        return false;
    table->cursor_id = id;
    table->has_cursor = true;
    table->has_peeked_row = false;
    table->stale = TABLE_STALE;
    return table_update(table, NULL) && table->cursor < table->shown_count &&
           table->shown[table->cursor] == row;
}

// Moves the sort to the neighbouring column (`<` and `>`). Only the first key is replaced, so that
// columns passed on the way do not become keys.
static void sort_walk(struct table *table, int direction)
{
    int from = table->sort_count ? table->sort[0].column : table->column;
    int to = column_step(table, from, direction);
    if (!table->is_walking) {
        memcpy(table->walk, table->sort, sizeof table->walk);
        table->walk_count = table->sort_count;
    }
    memcpy(table->sort, table->walk, sizeof table->sort);
    table->sort_count = table->walk_count;
    table_sort_by(table, (unsigned)to, unit_is_number(table->report->columns[to].unit));
    table->column = to;
}

static bool act(struct table *table, enum action action)
{
    long page = table->page > 1 ? table->page : 1;
    switch (action) {
    case ACTION_DOWN:
        cursor_move(table, 1);
        return true;
    case ACTION_UP:
        cursor_move(table, -1);
        return true;
    case ACTION_FIRST:
        cursor_move(table, -(long)table->shown_count);
        return true;
    case ACTION_LAST:
        cursor_move(table, (long)table->shown_count);
        return true;
    case ACTION_HALF_DOWN:
        cursor_move(table, (page + 1) / 2);
        return true;
    case ACTION_HALF_UP:
        cursor_move(table, -(page + 1) / 2);
        return true;
    case ACTION_PAGE_DOWN:
        cursor_move(table, page);
        return true;
    case ACTION_PAGE_UP:
        cursor_move(table, -page);
        return true;
    case ACTION_CENTRE:
        table->top = table->cursor > (size_t)page / 2 ? table->cursor - (size_t)page / 2 : 0;
        return true;
    case ACTION_LEFT:
        table->column = column_step(table, table->column, -1);
        return true;
    case ACTION_RIGHT:
        table->column = column_step(table, table->column, 1);
        return true;
    case ACTION_SCROLL_LEFT:
        table->name_scroll = table->name_scroll > 16 ? table->name_scroll - 16 : 0;
        return true;
    case ACTION_SCROLL_RIGHT:
        table->name_scroll = table->name_scroll < 8000 ? table->name_scroll + 16 : 8000;
        return true;
    case ACTION_NEXT_MATCH:
        return table_next_match(table, 1);
    case ACTION_PREVIOUS_MATCH:
        return table_next_match(table, -1);
    case ACTION_KEEP:
    case ACTION_OMIT:
        return table_filter_selected(table, action == ACTION_OMIT, NULL);
    case ACTION_INVERT:
        if (table->sort_count == 0)
            table_sort_by(table, (unsigned)table->column, true);
        table->sort[0].descending = !table->sort[0].descending;
        note_new_order(table);
        return true;
    case ACTION_SORT_LEFT:
    case ACTION_SORT_RIGHT:
        sort_walk(table, action == ACTION_SORT_LEFT ? -1 : 1);
        return true;
    case ACTION_MARK:
        table_mark(table);
        return true;
    case ACTION_SPAN:
        table_span(table);
        return true;
    case ACTION_DETAIL:
        table->has_detail = !table->has_detail;
        table->detail_top = 0;
        return true;
    case ACTION_DETAIL_DOWN: // the lower limit is applied when drawing
    case ACTION_DETAIL_UP:
        table->detail_top +=
            action == ACTION_DETAIL_DOWN ? table->detail_page : -table->detail_page;
        table->detail_top = table->detail_top < 0 ? 0 : table->detail_top;
        return table->has_detail;
    default:
        return false;
    }
}

bool table_act(struct table *table, enum action action)
{
    if (!table_update(table, NULL))
        return false;
    bool is_handled = (table->report->depth && tree_act(table, action)) || act(table, action);
    table->is_walking = action == ACTION_SORT_LEFT || action == ACTION_SORT_RIGHT;
    if (!is_handled || table->stale) // a new order or filter does not move the cursor
        return is_handled;
    table->has_cursor = true;
    if (table->cursor < table->shown_count)
        table->cursor_id = table_row_id(table, table->shown[table->cursor]);
    return true;
}
