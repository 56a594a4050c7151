// SPDX-License-Identifier: Apache-2.0
// Actions that search, filter, sort and configure the table of the top view.
#include <stdlib.h>
#include <string.h>

#include "analysis/report/selection_parts.h"
#include "base/text/text.h"
#include "ui/actions/actions.h"
#include "ui/actions/table_view.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/state/app_state.h"
#include "ui/state/places.h"
#include "ui/state/scope.h"
#include "ui/state/undo.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"

struct table *app_top_table(struct app *app)
{
    struct view *view = host_top_view(app);
    if (view && view->report)
        return &view->table;
    host_say(app, "there are no rows here");
    return NULL;
}

void app_search(struct app *app, const char *argument)
{
    struct view *view = host_top_view(app);
    struct error error = {0};
    if (view && view->class->search) {
        if (!*argument)
            prompt_open(app, PROMPT_SEARCH, "");
        else if (!view->class->search(view, argument, &error))
            host_complain(app, "%s", error.message);
        return;
    }
    struct table *table = app_top_table(app);
    if (!table)
        return;
    if (!*argument) {
        prompt_open(app, PROMPT_SEARCH, "");
        return;
    }
    if (!table_set_search(table, argument, &error))
        host_complain(app, "%s", error.message);
    else if (table_update(table, NULL) && table->match_count == 0)
        host_say(app, "not found: %s", argument);
    else
        table_act(table, ACTION_NEXT_MATCH);
}

void app_search_word(struct app *app, const char *argument)
{
    (void)argument;
    struct table *table = app_top_table(app);
    struct error error = {0};
    if (!table)
        return;
    if (!table_update(table, &error) || !table_search_name(table, &error) ||
        !table_update(table, &error))
        host_complain(app, "%s", error.message);
    else if (table->match_count <= 1)
        host_say(app, "found in this row only");
    else
        table_act(table, ACTION_NEXT_MATCH);
}

void app_filter(struct app *app, const char *argument)
{
    struct table *table = app_top_table(app);
    struct error error = {0};
    if (!table)
        return;
    app_remember(app);
    if (!*argument)
        prompt_open(app, PROMPT_FILTER, table->filter_text);
    else if (!table_set_filter(table, argument, &error))
        host_complain(app, "%s", error.message);
}

// Removes the n-th term from the filter; the others stay as they were typed.
static void term_remove(struct app *app, struct table *table, size_t n)
{
    struct error error = {0};
    const char *text = "";
    for (size_t t = 0; t < table->filter.count; t++)
        if (t != n)
            text = arena_format(app->canvas->frame, "%s%s%s", text, *text ? " " : "",
                                table->filter.terms[t].source);
    app_remember(app);
    if (!table_set_filter(table, text, &error))
        host_complain(app, "%s", error.message);
}

static void choose_term(struct app *app, const char *argument)
{
    struct table *table = app_top_table(app);
    struct error error = {0};
    if (!table)
        return;
    char *end;
    unsigned long number = strtoul(argument, &end, 10);
    size_t t = *end ? 0 : number - 1;
    while (*end && t < table->filter.count && strcmp(table->filter.terms[t].source, argument) != 0)
        t++;
    if (strcmp(argument, "all") == 0) {
        app_remember(app);
        table_set_filter(table, "", &error);
    } else if (t < table->filter.count) {
        term_remove(app, table, t);
    } else {
        host_complain(app, "the filter has no term '%s'", argument);
    }
}

void app_unfilter(struct app *app, const char *argument)
{
    struct table *table = app_top_table(app);
    if (!table)
        return;
    if (*argument) {
        choose_term(app, argument);
    } else if (table->filter.count == 0) {
        host_say(app, "no filter is set; {filter} sets one");
    } else if (table->filter.count == 1) {
        term_remove(app, table, 0);
    } else {
        menu_open(app, "Take off the filter", choose_term);
        for (size_t t = 0; t < table->filter.count; t++)
            menu_add(app, arena_format(app->canvas->frame, "%zu", t + 1), false, "%s",
                     text_safe(app->canvas->frame, table->filter.terms[t].source,
                               strlen(table->filter.terms[t].source), true));
        menu_add(app, "all", false, "all of it");
    }
}

static void choose_sort(struct app *app, const char *argument)
{
    struct table *table = app_top_table(app);
    struct error error = {0};
    if (!table)
        return;
    app_remember(app);
    if (!table_sort_named(table, argument, &error))
        host_complain(app, "%s", error.message);
}

void app_sort(struct app *app, const char *argument)
{
    struct table *table = app_top_table(app);
    if (!table)
        return;
    if (*argument) {
        choose_sort(app, argument);
        return;
    }
    menu_open(app, "Sort by", choose_sort);
    for (unsigned c = 0; c < table->report->column_count && c < MAX_TABLE_COLUMNS; c++) {
        bool is_sort = table->sort_count && table->sort[0].column == c;
        if (table_column_exists(table, c))
            menu_add(app, table->report->columns[c].key, is_sort, "%s",
                     table->report->columns[c].title);
    }
}

// Returns the share with this name; for "" the next one that the table has; SHARE_KINDS if there is
// none of that name.
static enum share_of share_wanted(const struct table *table, const char *name)
{
    enum share_of share = table->share;
    if (!*name) {
        do
            share = (share + 1) % SHARE_KINDS;
        while (!table_has_share(table, share));
        return share;
    }
    share = SHARE_OWN;
    while (share < SHARE_KINDS && strcmp(share_names[share], name) != 0)
        share++;
    return share;
}

void app_share(struct app *app, const char *argument)
{
    struct view *view = host_top_view(app);
    struct table *table = app_top_table(app);
    if (!table)
        return;
    if (!table_has_share(table, SHARE_SHOWN)) {
        host_say(app, "this view has no column of shares");
        return;
    }
    enum share_of share = share_wanted(table, argument);
    if (share == SHARE_KINDS) {
        host_complain(app, "'%s': own, step, parent or shown", argument);
        return;
    }
    if (!table_has_share(table, share)) {
        host_say(app, share == SHARE_PARENT ? "rows of this view have no parent row"
                                            : "of this view's rows no share of the step is known");
        return;
    }
    app_remember(app);
    table->share = share;
    table->stale = TABLE_STALE;
    view_measure_step(view);
    unsigned column = (unsigned)table_share_column(table);
    host_say(app, "%s: %s", table_head(table, column), table_title(table, column));
}

void app_detail(struct app *app, const char *argument)
{
    struct table *table = app_top_table(app);
    if (table) {
        bool wanted = !table->has_detail;
        table->has_detail = host_parse_switch(app, argument, &wanted) ? wanted : table->has_detail;
    }
}

void app_per_step(struct app *app, const char *argument)
{
    bool wanted = !host_is_per_step(app);
    if (!host_parse_switch(app, argument, &wanted) || wanted == host_is_per_step(app))
        return;
    struct view *view = host_top_view(app);
    struct selection selection = view_selection(view);
    if (view->report != view->base) {
        host_say(app, "a comparison is always %s; {deltas} shows the figures as they are",
                 host_comparison_unit_text(app, view->base, app->canvas->frame));
        return;
    }
    if (view->report && !view->report->is_aggregate) {
        host_say(app, "this view has no figures per step");
        return;
    }
    struct sum_parts parts = selection_parts(app->profile, &selection);
    if (!host_is_per_step(app) && parts_are_totals(&parts)) {
        host_say(app, "one step on one GPU: per step and in total are the same");
        return;
    }
    app_remember(app);
    app->display->per = host_is_per_step(app) ? PER_TOTAL : PER_STEP;
    app_changed(app);
    const char *per = view->report    ? parts_text(&parts, view->report, app->canvas->frame)
                      : parts.gpu > 1 ? parts.gpu_name
                                      : parts.host_name;
    if (!per)
        host_say(app, "of this view per step and in total are the same");
    else if (host_is_per_step(app))
        host_say(app, "times and counts: per %s, the mean", per);
    else
        host_say(app, "times and counts: in total");
}
