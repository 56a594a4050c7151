// SPDX-License-Identifier: Apache-2.0
// The menu and the command that change the columns of a table.
#include <stdlib.h>
#include <string.h>

#include "analysis/reports/report_list.h"
#include "ui/actions/actions.h"
#include "ui/actions/table_view.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/state/app_state.h"
#include "ui/state/columns.h"
#include "ui/state/messages.h"
#include "ui/state/places.h"
#include "ui/state/undo.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/table/table_layout.h"
#include "ui/term/canvas.h"

// ---- changes -----------------------------------------------------------------------------------

// Changes the width of a column, starting from its width on the screen if it is visible.
static void column_widen(const struct app *app, struct table *table, unsigned column,
                         int difference)
{
    struct layout layout;
    int width = table->widths[column];
    layout_make(table, table_list_width(table, app->canvas->width - 2), &layout);
    for (int i = 0; i < layout.count; i++)
        width = layout.slots[i].column == column ? layout.slots[i].width : width;
    column_layout_set_width(&table->columns, column,
                            width + difference > 1 ? width + difference : 1);
}

static bool column_show(struct app *app, struct table *table, unsigned column, bool is_shown)
{
    if (table->report->columns[column].flags & COLUMN_NAME)
        host_complain(app, "the column that names the rows is always shown");
    else
        column_layout_show(&table->columns, column, is_shown);
    return !app->messages->is_error;
}

// Applies one change to a column, in the words of `:columns gpu left`.
static bool column_change(struct app *app, struct table *table, unsigned column, const char *change)
{
    int step = table->report->columns[column].unit == UNIT_TEXT ? 4 : 1; // numbers are short
    unsigned last = column_layout_count(table->report);
    char *end;
    long width = strtol(change, &end, 10);
    if (strcmp(change, "show") == 0 || strcmp(change, "hide") == 0)
        return column_show(app, table, column, *change == 's');
    if (strcmp(change, "left") == 0 || strcmp(change, "right") == 0)
        column_layout_move(table->report, &table->columns, column, *change == 'l' ? -1 : 1);
    else if (strcmp(change, "first") == 0 || strcmp(change, "last") == 0)
        column_layout_move_to(table->report, &table->columns, column, *change == 'f' ? 0 : last);
    else if (strcmp(change, "wider") == 0 || strcmp(change, "narrower") == 0)
        column_widen(app, table, column, *change == 'w' ? step : -step);
    else if (end > change && !*end && width >= 0 && width <= MAX_COLUMN_WIDTH)
        column_layout_set_width(&table->columns, column, (int)width);
    else
        host_complain(app,
                      "'%s': show, hide, left, right, first, last, wider, narrower, or how "
                      "many cells it takes (0: as many as it needs)",
                      change);
    return !app->messages->is_error;
}

static void reset(struct app *app, struct table *table)
{
    app_remember(app);
    table->columns = column_layout_of(table->report);
    app_store_columns(app, table);
    host_say(app, "columns: as the report has them");
}

// Sets the whole layout, in the form that column_layout_print() writes after the report's name.
static void whole_command(struct app *app, struct table *table, const char *argument)
{
    struct error error = {0};
    const struct report *report = table->own;
    const char *line = arena_format(app->canvas->frame, "%s: %s", report->name, argument);
    if (report_find(report->name) != report)
        host_complain(app, "these columns are a comparison's: one by one only");
    else if (!column_layout_parse(line, &report, &table->columns, &error))
        host_complain(app, "%s", error.message);
    else
        app_store_columns(app, table);
}

static void columns_command(struct app *app, struct table *table, const char *argument)
{
    char name[64];
    size_t length = strcspn(argument, " ");
    if (strcmp(argument, "reset") == 0) {
        reset(app, table);
        return;
    }
    snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), argument);
    app_remember(app);
    if (strchr(argument, '=')) {
        whole_command(app, table, argument);
        return;
    }
    int column = table_find_column(table, name);
    const char *how = argument + length + strspn(argument + length, " ");
    if (column < 0 || column >= MAX_TABLE_COLUMNS)
        host_complain(app, "no column '%s' here; Tab shows them", name);
    else if (column_change(app, table, (unsigned)column, *how ? how : "show"))
        app_store_columns(app, table);
}

// ---- the menu ----------------------------------------------------------------------------------

static void menu_fill(struct app *app)
{
    const struct table *table = &host_top_view(app)->table;
    size_t cursor = app->menu->cursor;
    app->menu->count = 0;
    for (unsigned place = 0; place < column_layout_count(table->report); place++) {
        unsigned c = table->columns.order[place], width = table->columns.width[c];
        const char *title = table->report->columns[c].title;
        bool is_shown = table_column_fits(table, c, app->canvas->width);
        if (!table_column_exists(table, c))
            continue;
        if (width)
            menu_add(app, table->report->columns[c].key, is_shown, "%s   %u wide", title, width);
        else
            menu_add(app, table->report->columns[c].key, is_shown, "%s", title);
    }
    app->menu->cursor = cursor;
}

static int menu_column(struct app *app, const char *argument)
{
    struct table *table = app_top_table(app);
    return table ? table_find_column(table, argument) : -1;
}

static void choose_column(struct app *app, const char *argument)
{
    int column = menu_column(app, argument);
    if (column < 0)
        return;
    struct table *table = app_top_table(app);
    app_remember(app);
    table_toggle_column(table, (unsigned)column, app->canvas->width);
    app_store_columns(app, table);
    menu_fill(app);
}

// Returns the menu line of a column.
static size_t menu_place(const struct table *table, unsigned column)
{
    size_t line = 0;
    for (unsigned place = 0; table->columns.order[place] != column; place++)
        line += table_column_exists(table, table->columns.order[place]);
    return line;
}

static bool columns_key(struct app *app, uint32_t key, const char *argument)
{
    static const struct {
        char key;
        const char *how;
    } keys[] = {{'<', "left"}, {'>', "right"}, {'+', "wider"}, {'-', "narrower"}};
    int column = menu_column(app, argument);
    struct table *table = app_top_table(app);
    if (column < 0)
        return false;
    if (key == 'r') {
        reset(app, table);
        menu_fill(app);
        return true;
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (key != (uint32_t)keys[i].key)
            continue;
        app_remember(app);
        column_change(app, table, (unsigned)column, keys[i].how);
        app_store_columns(app, table);
        menu_fill(app);
        app->menu->cursor = menu_place(table, (unsigned)column);
        return true;
    }
    return false;
}

void app_columns(struct app *app, const char *argument)
{
    struct table *table = app_top_table(app);
    if (!table)
        return;
    if (*argument) {
        columns_command(app, table, argument);
        return;
    }
    menu_open(app, "Columns: Space shows  < > moves  + - width  r reset", choose_column);
    app->menu->stays = true;
    app->menu->key = columns_key;
    menu_fill(app);
}
