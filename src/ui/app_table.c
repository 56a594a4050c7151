// SPDX-License-Identifier: Apache-2.0
// Searching, filtering, sorting and arranging the table of the view on top.
#include "analysis/selection_parts.h"
#include "ui/app_state.h"

static struct table *top_table(struct app *app)
{
    struct view *view = app_top(app);
    if (view && view->report)
        return &view->table;
    app_say(app, "there are no rows here");
    return NULL;
}

void app_search(struct app *app, const char *argument)
{
    struct table *table = top_table(app);
    struct error error = {0};
    if (!table)
        return;
    if (!*argument) {
        prompt_open(app, PROMPT_SEARCH, "");
        return;
    }
    if (!table_set_search(table, argument, &error))
        app_complain(app, "%s", error.message);
    else if (table_update(table, NULL) && table->match_count == 0)
        app_say(app, "not found: %s", argument);
    else
        table_act(table, ACTION_NEXT_MATCH);
}

void app_search_word(struct app *app, const char *argument)
{
    (void)argument;
    struct table *table = top_table(app);
    struct error error = {0};
    if (!table)
        return;
    if (!table_update(table, &error) || !table_search_name(table, &error) ||
        !table_update(table, &error))
        app_complain(app, "%s", error.message);
    else if (table->match_count <= 1)
        app_say(app, "found in this row only");
    else
        table_act(table, ACTION_NEXT_MATCH);
}

void app_filter(struct app *app, const char *argument)
{
    struct table *table = top_table(app);
    struct error error = {0};
    if (!table)
        return;
    app_remember(app);
    if (!*argument)
        prompt_open(app, PROMPT_FILTER, table->filter_text);
    else if (!table_set_filter(table, argument, &error))
        app_complain(app, "%s", error.message);
}

static void choose_sort(struct app *app, const char *argument)
{
    struct table *table = top_table(app);
    struct error error = {0};
    if (!table)
        return;
    app_remember(app);
    if (!table_sort_named(table, argument, &error))
        app_complain(app, "%s", error.message);
}

void app_sort(struct app *app, const char *argument)
{
    struct table *table = top_table(app);
    if (!table)
        return;
    if (*argument) {
        choose_sort(app, argument);
        return;
    }
    menu_open(app, "Sort by", choose_sort);
    for (unsigned c = 0; c < table->report->column_count && c < TABLE_COLUMNS; c++) {
        bool is_sort = table->sort_count && table->sort[0].column == c;
        menu_add(app, table->report->columns[c].key, is_sort, "%s",
                 table->report->columns[c].title);
    }
}

static void fill_columns(struct app *app)
{
    struct table *table = &app_top(app)->table;
    size_t cursor = app->menu.cursor;
    app->menu.count = 0;
    for (unsigned c = 0; c < table->report->column_count && c < TABLE_COLUMNS; c++)
        menu_add(app, table->report->columns[c].key, table_shows(table, c, app->canvas->width),
                 "%s", table->report->columns[c].title);
    app->menu.cursor = cursor;
}

static void choose_column(struct app *app, const char *argument)
{
    struct table *table = top_table(app);
    int column = table ? table_find_column(table, argument) : -1;
    if (column < 0)
        return;
    app_remember(app);
    table_toggle_column(table, (unsigned)column, app->canvas->width);
    fill_columns(app);
}

void app_columns(struct app *app, const char *argument)
{
    (void)argument;
    if (!top_table(app))
        return;
    menu_open(app, "Columns: Space shows or hides, Enter closes", choose_column);
    app->menu.stays = true;
    fill_columns(app);
}

void app_detail(struct app *app, const char *argument)
{
    struct table *table = top_table(app);
    if (table) {
        bool wanted = !table->has_detail;
        table->has_detail = app_switch(app, argument, &wanted) ? wanted : table->has_detail;
    }
}

void app_per_step(struct app *app, const char *argument)
{
    bool wanted = !app_is_per_step(app);
    if (!app_switch(app, argument, &wanted) || wanted == app_is_per_step(app))
        return;
    struct view *view = app_top(app);
    struct selection selection = view_selection(view);
    if (view->report != view->base) {
        app_say(app, "a comparison is always %s; B shows the figures as they are",
                app_comparing_unit(app, view->base, app->canvas->frame));
        return;
    }
    if (view->report && !view->report->is_aggregate) {
        app_say(app, "rows of this view are single things, not sums over steps");
        return;
    }
    struct parts parts = selection_parts(app->profile, &selection);
    if (!app_is_per_step(app) && parts_are_totals(&parts)) {
        app_say(app, "one step on one GPU: per step and in total are the same");
        return;
    }
    app_remember(app);
    app->per = app_is_per_step(app) ? PER_TOTAL : PER_STEP;
    app_changed(app);
    const char *per = view->report    ? parts_text(&parts, view->report, app->canvas->frame)
                      : parts.gpu > 1 ? parts.gpu_name
                                      : parts.host_name;
    if (!per)
        app_say(app, "of this view per step and in total are the same");
    else if (app_is_per_step(app))
        app_say(app, "times and counts: per %s, the mean", per);
    else
        app_say(app, "times and counts: in total");
}
