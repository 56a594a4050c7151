// SPDX-License-Identifier: Apache-2.0
// Switches between a row of the op tree and its box in the flame view; `:enter box|row`.
#include <string.h>

#include "ui/actions/actions.h"
#include "ui/actions/table_view.h"
#include "ui/flame/flame_actions.h"
#include "ui/flame/flame_view.h"
#include "ui/host.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/table/table.h"
#include "ui/term/action.h"

// The arguments of copy_picks(). table_copy_state() copies picked rows, order, share and filter.
struct table_copy {
    struct table *to;
    const struct table *from;
};

static bool copy_picks(void *context, struct error *error)
{
    const struct table_copy *copy = context;
    struct table *to = copy->to;
    (void)error;
    for (; to->pick_count < copy->from->pick_count; to->pick_count++) {
        const struct id_set *from = &copy->from->picks[to->pick_count];
        struct id_set *pick = &to->picks[to->pick_count];
        *pick = (struct id_set){ARENA_ARRAY(to->arena, uint64_t, from->capacity), from->count,
                                from->capacity};
        memcpy(pick->slots, from->slots, from->capacity * sizeof *pick->slots);
    }
    return true;
}

static bool table_copy_state(struct table *to, const struct table *from, struct error *error)
{
    struct table_copy copy = {to, from};
    memcpy(to->sort, from->sort, sizeof to->sort);
    to->sort_count = from->sort_count;
    to->share = from->share;
    to->stale = TABLE_STALE;
    if (!arena_run(to->arena, copy_picks, &copy, error) ||
        !table_set_filter(to, from->filter_text, error))
        return false;
    to->is_filter_from_link = from->is_filter_from_link;
    return true;
}

void app_show_boxes(struct app *app, const char *argument)
{
    struct view *view = host_top_view(app);
    struct error error = {0};
    (void)argument;
    if (!view_is_op_tree(view)) {
        host_say(app, "of these rows there are no boxes: the op tree (2) has them");
        return;
    }
    if (view->is_pane) { // makes the pane the front view, as Enter does in a pane
        host_expand_pane(app);
        view = host_top_view(app);
    }
    struct selection narrow = view->narrow;
    uint64_t id = view->table.cursor_id;
    bool has_row = table_row(&view->table) != NULL;
    if (!host_open_view(app, &view_flame, &narrow, view->own, view_flame.title))
        return;
    struct view *boxes = host_top_view(app);
    boxes->is_evidence = view->is_evidence;
    view_refresh(boxes);
    if (boxes->report != view->report || !table_copy_state(&boxes->table, &view->table, &error)) {
        if (error.kind != ERROR_NONE)
            host_complain(app, "%s", error.message);
        return;
    }
    view_measure_step(boxes);
    if (has_row)
        table_go(&boxes->table, id);
}

void app_enter_as(struct app *app, const char *argument)
{
    struct view *view = host_top_view(app);
    if (!*argument) // a view that handles Enter itself has done so
        return;
    if (view->class != &view_flame)
        host_complain(app, "'enter' takes no word in this view");
    else if (strcmp(argument, "box") == 0)
        flame_zoom_in(view);
    else if (strcmp(argument, "row") != 0)
        host_complain(app, "'enter' takes box or row");
    else if (flame_scene_of(view).flame.count > 0)
        table_view_act(view, ACTION_ENTER);
}

void app_show_in_tree(struct app *app, const char *argument)
{
    struct view *view = host_top_view(app);
    struct view *before = host_previous_view(app, host_front_view(app));
    const void *row = table_row(&view->table);
    if (!row) {
        host_say(app, "no box is chosen");
        return;
    }
    uint64_t id = view->report->id(row);
    bool is_folded = view->narrow.is_folded;
    if (before && view_is(before, "tree") && view->label[0])
        app_back(app, argument);
    else
        host_go_to(app, view_class_find("tree"));
    struct view *tree = host_top_view(app);
    view_refresh(tree);
    if (tree->narrow.is_folded != is_folded)
        id = host_map_node(host_profile(app), id, tree->narrow.is_folded);
    if (!table_go(&tree->table, id))
        host_say(app, "the tree does not show this row: a filter or its scope leaves it out");
}
