// SPDX-License-Identifier: Apache-2.0
// Where one is on the timeline, for sessions: "FROM TO LANE ITEM START", times in ns. An item is
// the one that is meant where it begins at the same time; ITEM is - where none is chosen.
#include <inttypes.h>
#include <string.h>

#include "ui/timeline_view.h"

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
    if (state->is_gap || state->at.item >= lane->count)
        return arena_format(arena, "%s -", window);
    return arena_format(arena, "%s %u %" PRId64, window, state->at.item,
                        lane_start(lane, state->at.item));
}

bool timeline_go(struct view *view, const char *place)
{
    struct timeline_lines lines = timeline_lines_of(view);
    struct timeline_state *state = view->state;
    struct lane_item at = {SIZE_MAX, ROW_NONE};
    struct selection selection = view_selection(view);
    int64_t from, to, start;
    char rest;
    timeline_settle(view, &lines);
    int read = sscanf(place, "%20" SCNd64 " %20" SCNd64 " %9zu %9u %20" SCNd64 "%c", &from, &to,
                      &at.lane, &at.item, &start, &rest);
    bool has_item = read == 5;
    const char *end = place + strlen(place);
    if ((!has_item && (read != 3 || end - place < 2 || strcmp(end - 2, " -") != 0)) || from >= to ||
        from < lines.timeline->from || to > lines.timeline->to ||
        at.lane >= lines.timeline->count || !lane_has_items(&lines.timeline->lanes[at.lane]) ||
        !lane_is_in(lines.timeline, &selection, at.lane))
        return false;
    const struct lane *lane = &lines.timeline->lanes[at.lane];
    if (has_item && (at.item >= lane->count || lane_start(lane, at.item) != start))
        return false;
    state->at = has_item ? at : (struct lane_item){at.lane, ROW_NONE};
    state->is_gap = false;
    state->from = from;
    state->to = to;
    timeline_window_settle(state, lines.timeline);
    return true;
}
