// SPDX-License-Identifier: Apache-2.0
// The position in the timeline as sessions save it: "FROM TO LANE" and the chosen item, with times
// in ns:
//
// - "ITEM START": an item; valid only if it begins at START
// - "gap FROM TO": idle time; valid only if the lane is idle throughout
// - "-": no item is chosen
#include <inttypes.h>
#include <string.h>

#include "ui/state/view.h"
#include "ui/timeline/timeline_view.h"

const char *timeline_keep(struct view *view, struct arena *arena)
{
    struct timeline_lines lines = timeline_lines_of(view);
    struct timeline_state *state = view->state;
    timeline_settle(view, &lines);
    const struct lane *lane = timeline_lane(state, lines.timeline);
    if (!lane)
        return "";
    const char *window = arena_format(arena, "row %" PRId64 " %" PRId64 " %zu", state->from,
                                      state->to, state->at.lane);
    if (state->is_gap)
        return arena_format(arena, "%s gap %" PRId64 " %" PRId64, window, state->gap_from,
                            state->gap_to);
    if (state->at.item >= lane->count)
        return arena_format(arena, "%s -", window);
    return arena_format(arena, "%s %u %" PRId64, window, state->at.item,
                        lane_start(lane, state->at.item));
}

static bool is_idle(const struct lane *lane, int64_t from, int64_t to)
{
    uint32_t next = lane_after(lane, from);
    return lane_is_work(lane) && from < to && lane_at(lane, from) == ROW_NONE &&
           (next >= lane->count || lane_start(lane, next) >= to);
}

// Reads the chosen item of the lane into `state`. Returns false if it does not exist.
static bool chosen_read(const char *text, const struct lane *lane, struct timeline_state *state)
{
    uint32_t item;
    int64_t from, to;
    char rest;
    bool is_gap = sscanf(text, "gap %20" SCNd64 " %20" SCNd64 "%c", &from, &to, &rest) == 2;
    bool is_item = !is_gap && sscanf(text, "%9u %20" SCNd64 "%c", &item, &from, &rest) == 2;
    if (is_gap    ? !is_idle(lane, from, to)
        : is_item ? item >= lane->count || lane_start(lane, item) != from
                  : strcmp(text, "-") != 0)
        return false;
    state->at.item = is_item ? item : ROW_NONE;
    state->is_gap = is_gap;
    if (is_gap) {
        state->gap_from = from;
        state->gap_to = to;
    }
    return true;
}

bool timeline_go(struct view *view, const char *place)
{
    struct timeline_lines lines = timeline_lines_of(view);
    const struct timeline *timeline = lines.timeline;
    struct timeline_state *state = view->state;
    struct selection selection = view_selection(view);
    int64_t from, to;
    size_t lane;
    int end = 0;
    timeline_settle(view, &lines);
    int read = sscanf(place, "%20" SCNd64 " %20" SCNd64 " %9zu %n", &from, &to, &lane, &end);
    if (read != 3 || from >= to || from < timeline->from || to > timeline->to ||
        lane >= timeline->count || !lane_has_items(&timeline->lanes[lane]) ||
        !lane_is_selected(timeline, &selection, lane) ||
        !chosen_read(place + end, &timeline->lanes[lane], state))
        return false;
    state->at.lane = lane;
    state->from = from;
    state->to = to;
    timeline_window_settle(state, timeline);
    return true;
}
