// SPDX-License-Identifier: Apache-2.0
// Movement on the timeline: from item to item and from lane to lane. The window (the visible time)
// is moved so that the chosen item is visible.
#include "ui/host.h"
#include "ui/state/view.h"
#include "ui/term/action.h"
#include "ui/timeline/timeline_view.h"

static int64_t window_length(const struct timeline_state *state)
{
    return state->to - state->from;
}

void timeline_pan(struct timeline_state *state, const struct timeline *timeline, int64_t by)
{
    int64_t room = by > 0 ? timeline->to - state->to : timeline->from - state->from;
    by = by > 0 ? (by < room ? by : room) : (by > room ? by : room);
    state->from += by;
    state->to += by;
}

// Moves the window so that the beginning of the chosen item is visible, without zooming.
static void reveal(struct view *view, const struct timeline *timeline)
{
    struct timeline_state *state = view->state;
    struct timeline_span span;
    if (!timeline_chosen(view, timeline, &span))
        return;
    if (span.from < state->from)
        timeline_pan(state, timeline, span.from - state->from - window_length(state) / 4);
    else if (span.from >= state->to)
        timeline_pan(state, timeline, span.from - state->to + window_length(state) / 4 + 1);
}

void timeline_choose(struct view *view, const struct timeline *timeline, uint32_t item)
{
    struct timeline_state *state = view->state;
    state->is_gap = false;
    state->at.item = item;
    reveal(view, timeline);
}

// Moves to the next item that begins in another column of the screen, so that the key has a visible
// effect at every zoom level. If no item on screen is chosen, moves to the first or last there.
static void item_move(struct view *view, const struct timeline *timeline, int direction)
{
    struct timeline_state *state = view->state;
    const struct lane *lane = timeline_lane(state, timeline);
    struct timeline_span span;
    uint32_t count = lane->count, at = state->at.item, to;
    bool is_here = timeline_chosen(view, timeline, &span) && timeline_shows_span(state, &span);
    if (!is_here && direction > 0) {
        uint32_t seen = lane_at(lane, state->from);
        to = seen != ROW_NONE ? seen : lane_after(lane, state->from);
    } else if (!is_here) {
        to = lane_before(lane, state->to - 1);
    } else {
        int64_t from = span.from > state->from ? span.from : state->from;
        uint32_t cell = timeline_cell_of(state->from, state->to, state->cells, from);
        int64_t edge = timeline_cell_from(state->from, state->to, state->cells, cell + 1);
        if (direction > 0)
            to = lane_after(lane, span.from < state->from || state->is_gap ? from + 1 : edge);
        else
            to = lane_before(lane,
                             timeline_cell_from(state->from, state->to, state->cells, cell) - 1);
        if (!state->is_gap && direction > 0)
            to = to > at ? to : at + 1;
        if (to >= count && direction > 0 && at + 1 < count && !state->is_gap)
            to = count - 1;
        if (to == ROW_NONE && at != ROW_NONE && at > 0)
            to = 0;
    }
    if (to >= count)
        host_say(view->app,
                 direction > 0 ? "nothing later in this lane" : "nothing earlier in this lane");
    else
        timeline_choose(view, timeline, to);
}

static void item_step(struct view *view, const struct timeline *timeline, int direction)
{
    struct timeline_state *state = view->state;
    const struct lane *lane = timeline_lane(state, timeline);
    uint32_t at = state->at.item;
    if (at >= lane->count)
        item_move(view, timeline, direction);
    else if (direction > 0 ? at + 1 < lane->count : at > 0)
        timeline_choose(view, timeline, direction > 0 ? at + 1 : at - 1);
    else
        host_say(view->app, direction > 0 ? "the last of this lane" : "the first of this lane");
}

// Moves by a number of lanes (`by`), skipping empty ones, and chooses the item at the time of the
// one chosen before, or the nearest earlier one.
static void lane_move(struct view *view, const struct timeline_lines *lines, int by)
{
    struct timeline_state *state = view->state;
    const struct timeline *timeline = lines->timeline;
    struct timeline_span span;
    bool is_chosen = timeline_chosen(view, timeline, &span);
    size_t line = timeline_line_of(lines, state->at.lane), to = line;
    for (int left = by < 0 ? -by : by; left > 0; left--) {
        size_t next = to;
        do
            next = by > 0 ? next + 1 : next - 1;
        while (next < lines->count && !lane_has_items(&timeline->lanes[lines->lanes[next]]));
        if (next >= lines->count)
            break;
        to = next;
    }
    if (to == line)
        return;
    state->at = (struct lane_item){lines->lanes[to], ROW_NONE};
    state->is_gap = false;
    if (!is_chosen)
        return;
    const struct lane *lane = timeline_lane(state, timeline);
    uint32_t item = lane_before(lane, span.from);
    item = lane_at(lane, span.from) != ROW_NONE ? lane_at(lane, span.from) : item;
    timeline_choose(view, timeline, item != ROW_NONE ? item : 0);
}

void timeline_zoom(struct timeline_state *state, const struct timeline *timeline, int64_t anchor,
                   bool in)
{
    int64_t span = window_length(state), before = anchor - state->from;
    int64_t whole = timeline->to - timeline->from;
    int64_t least = state->cells < whole ? state->cells : whole; // a cell is at least 1 ns
    if (in && (span + 1) / 2 >= least) {
        state->from = anchor - before / 2;
        state->to = state->from + (span + 1) / 2;
    } else if (in) { // zooms in as far as possible
        state->from = span > least ? anchor - before * least / span : state->from;
        state->to = state->from + (span > least ? least : span);
    } else if (span >= whole / 2) {
        state->from = timeline->from;
        state->to = timeline->to;
    } else {
        state->from = anchor - before * 2 > timeline->from ? anchor - before * 2 : timeline->from;
        state->to = state->from + span * 2;
    }
    timeline_window_settle(state, timeline);
}

// Zooms and keeps the centre of the chosen item in place, or else the centre of the window.
static void zoom(struct view *view, const struct timeline *timeline, bool in)
{
    struct timeline_state *state = view->state;
    struct timeline_span chosen;
    int64_t anchor = state->from + window_length(state) / 2;
    if (timeline_chosen(view, timeline, &chosen) && chosen.to >= state->from &&
        chosen.from < state->to) {
        int64_t from = chosen.from > state->from ? chosen.from : state->from;
        int64_t to = chosen.to < state->to ? chosen.to : state->to;
        anchor = from + (to - from) / 2;
    }
    timeline_zoom(state, timeline, anchor, in);
}

// Makes the chosen item fill most of the width; a second time zooms out completely.
static void fit(struct view *view, const struct timeline *timeline)
{
    struct timeline_state *state = view->state;
    struct timeline_span span;
    int64_t from = timeline->from, to = timeline->to, whole = to - from;
    if (timeline_chosen(view, timeline, &span)) {
        int64_t length = span.to - span.from, edge = length / 8 + 1;
        from = span.from - timeline->from > edge ? span.from - edge : timeline->from;
        to = timeline->to - span.to > edge ? span.to + edge : timeline->to;
    }
    struct timeline_state before = *state;
    state->from = from;
    state->to = to;
    timeline_window_settle(state, timeline);
    if (before.from == state->from && before.to == state->to && window_length(state) < whole) {
        state->from = timeline->from;
        state->to = timeline->to;
    }
}

static void to_end(struct view *view, const struct timeline *timeline, bool is_last)
{
    struct timeline_state *state = view->state;
    const struct lane *lane = timeline_lane(state, timeline);
    timeline_pan(state, timeline,
                 is_last ? timeline->to - state->to : timeline->from - state->from);
    timeline_choose(view, timeline, is_last ? lane->count - 1 : 0);
}

bool timeline_move(struct view *view, const struct timeline_lines *lines, enum action action)
{
    struct timeline_state *state = view->state;
    const struct timeline *timeline = lines->timeline;
    int64_t page = window_length(state) - window_length(state) / 8;
    int half = state->lines > 1 ? state->lines / 2 : 1;
    switch (action) {
    case ACTION_LEFT:
    case ACTION_RIGHT:
        item_move(view, timeline, action == ACTION_RIGHT ? 1 : -1);
        return true;
    case ACTION_PREVIOUS_ITEM:
    case ACTION_NEXT_ITEM:
        item_step(view, timeline, action == ACTION_NEXT_ITEM ? 1 : -1);
        return true;
    case ACTION_PAN_LEFT:
    case ACTION_PAN_RIGHT:
        timeline_pan(state, timeline, action == ACTION_PAN_RIGHT ? page : -page);
        return true;
    case ACTION_UP:
    case ACTION_DOWN:
        lane_move(view, lines, action == ACTION_DOWN ? 1 : -1);
        return true;
    case ACTION_HALF_UP:
    case ACTION_HALF_DOWN:
        lane_move(view, lines, action == ACTION_HALF_DOWN ? half : -half);
        return true;
    case ACTION_PAGE_UP:
    case ACTION_PAGE_DOWN:
        lane_move(view, lines, action == ACTION_PAGE_DOWN ? 2 * half : -2 * half);
        return true;
    case ACTION_FIRST:
    case ACTION_LAST:
        to_end(view, timeline, action == ACTION_LAST);
        return true;
    case ACTION_ZOOM_IN:
    case ACTION_ZOOM_OUT:
        zoom(view, timeline, action == ACTION_ZOOM_IN);
        return true;
    case ACTION_FIT:
        fit(view, timeline);
        return true;
    default:
        return false;
    }
}
