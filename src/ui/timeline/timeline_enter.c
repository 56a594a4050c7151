// SPDX-License-Identifier: Apache-2.0
// Enter on the timeline opens the rows of the chosen item: the launch among the launches, the calls
// of a name, the op tree at a range.
#include <inttypes.h>

#include "analysis/memory/memory_use.h"
#include "analysis/memory/tensor_memory.h"
#include "ui/host.h"
#include "ui/state/scope.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/timeline/timeline_view.h"

// Returns the selection of the view, without its set of steps if the chosen item is in none of
// them, because the opened view would be empty.
static struct selection selection_with(struct view *view, uint32_t iteration)
{
    struct selection selection = view_selection(view);
    if (!selection_has_iteration(&selection, iteration))
        selection.iterations = NULL;
    return selection;
}

static void enter_work(struct view *view, const char *name, uint32_t work)
{
    struct app *app = view->app;
    const uint32_t *of_work = host_scope(app)->split->of_work;
    struct selection selection = selection_with(view, of_work ? of_work[work] : ROW_NONE);
    selection.function = AT(host_profile(app)->work.function, work);
    host_open_report(app, "launches", &selection, name);
    struct view *top = host_top_view(app);
    if (top == view)
        return;
    view_refresh(top);
    table_go(&top->table, work);
    top->table.has_detail = true;
}

static void enter_call(struct view *view, const char *name, uint32_t call)
{
    struct app *app = view->app;
    struct selection selection = view_selection(view);
    selection.api_name = AT(host_profile(app)->api.name, call);
    host_open_report(app, "api", &selection, name);
}

static void enter_range(struct view *view, const char *name, uint32_t range)
{
    struct app *app = view->app;
    const struct profile *profile = host_profile(app);
    struct selection selection = view_selection(view);
    selection.node = selection_range_node(profile, &selection, range_tree_owner(profile, range));
    if (selection.node == ROW_NONE)
        host_say(app, "this range is in no place of the tree: nsys leaves it out of projection");
    else
        host_open_report(app, "ops", &selection, name);
}

static void enter_memory(struct view *view, const char *name, const struct lane *lane,
                         uint32_t event)
{
    struct app *app = view->app;
    struct selection selection =
        selection_with(view, memory_iteration(host_profile(app), host_scope(app)->split, event));
    selection.device = lane->device;
    selection.memory = memory_choice(memory_group(host_profile(app), event), MEMORY_ANY);
    host_open_report(app, "allocation_events", &selection, name);
    struct view *top = host_top_view(app);
    if (top == view)
        return;
    view_refresh(top);
    table_go(&top->table, event);
}

// Opens the allocation, or the allocation that a free ends.
static void enter_tensors(struct view *view, const char *name, const struct lane *lane,
                          uint32_t row)
{
    struct app *app = view->app;
    const struct allocations *allocations = &host_profile(app)->allocations;
    bool is_free = allocation_bytes(allocations, row) <= 0;
    if (is_free && AT(allocations->other, row) != ROW_NONE)
        row = AT(allocations->other, row);
    struct selection selection =
        selection_with(view, allocation_iteration(host_profile(app), host_scope(app)->split, row));
    selection.device = lane->device;
    host_open_report(app, "memory_events", &selection, name);
    struct view *top = host_top_view(app);
    if (top == view)
        return;
    view_refresh(top);
    table_go(&top->table, row);
}

// Opens the same figures by step.
static void enter_shares(struct view *view, const struct lane *lane)
{
    const char *name = arena_format(host_canvas(view->app)->frame, "GPU %" PRId64,
                                    device_number(host_profile(view->app), lane->device));
    struct selection selection = view_selection(view);
    selection.device = lane->device;
    host_open_report(view->app, "gpu_summary", &selection, name);
}

bool timeline_enter(struct view *view, const struct timeline *timeline)
{
    struct timeline_state *state = view->state;
    const struct lane *lane = timeline_lane(state, timeline);
    if (state->is_gap || state->at.item >= lane->count) {
        host_say(view->app, "choose something first: {left} and {right} go along the lane");
        return true;
    }
    struct arena *arena = host_canvas(view->app)->frame;
    uint32_t row = lane_row(lane, state->at.item);
    const char *name = timeline_item_name(view, lane, state->at.item, arena);
    if (lane_is_work(lane))
        enter_work(view, name, row);
    else if (lane->kind == LANE_CALLS)
        enter_call(view, name, row);
    else if (lane->kind == LANE_MEMORY)
        enter_memory(view, name, lane, row);
    else if (lane->kind == LANE_TENSORS)
        enter_tensors(view, name, lane, row);
    else if (lane_is_share(lane))
        enter_shares(view, lane);
    else
        enter_range(view, name, row);
    return true;
}

const char *timeline_enters(struct view *view)
{
    const struct timeline_state *state = view->state;
    struct timeline_lines lines = timeline_lines_of(view);
    const struct lane *lane = timeline_lane(state, lines.timeline);
    if (state->profile != host_profile(view->app) || !lane || state->is_gap ||
        state->at.item >= lane->count)
        return NULL;
    if (lane_is_curve(lane))
        return lane_is_level(lane) ? "the allocations" : "the GPU summary";
    return lane_is_work(lane) ? "this launch" : lane->kind == LANE_CALLS ? "its calls" : "its tree";
}
