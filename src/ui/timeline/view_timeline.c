// SPDX-License-Identifier: Apache-2.0
// The timeline: lanes of ranges, calls and GPU work on one time axis, from the whole run to a
// single kernel. Only visible cells are computed (analysis/timeline/timeline.h).
//
// The cursor is a lane and, after h or l was pressed, an item of it. The window, the visible time,
// is moved so that the chosen item is visible.
#include "analysis/sums/work_text.h"
#include "model/profile/recorder.h"
#include "ui/host.h"
#include "ui/state/scope.h"
#include "ui/state/view.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/list.h"

// ---- lanes --------------------------------------------------------------------------------------

const struct lane *timeline_lane(const struct timeline_state *state,
                                 const struct timeline *timeline)
{
    return state->at.lane < timeline->count ? &timeline->lanes[state->at.lane] : NULL;
}

// On a small screen a thread shows only its outer ranges, unless one of its ranges is chosen.
static bool is_folded(const struct timeline_state *state, const struct timeline *timeline, size_t i)
{
    // With fewer than LINES_FEW lines LEVELS_FEW levels are shown, below LINES_MANY LEVELS_SOME,
    // else all.
    enum { LINES_FEW = 18, LINES_MANY = 36, LEVELS_FEW = 2, LEVELS_SOME = 4 };
    const struct lane *lane = &timeline->lanes[i], *chosen = timeline_lane(state, timeline);
    if (lane->kind != LANE_RANGES || state->lines == 0 || state->lines >= LINES_MANY)
        return false;
    if (chosen && chosen->kind == LANE_RANGES && chosen->thread == lane->thread)
        return false;
    return lane->level >= (state->lines < LINES_FEW ? LEVELS_FEW : LEVELS_SOME);
}

struct timeline_lines timeline_lines_of(struct view *view)
{
    const struct timeline_state *state = view->state;
    struct arena *arena = host_canvas(view->app)->frame;
    struct selection selection = view_selection(view);
    struct timeline_lines lines = {.timeline =
                                       timeline_of(host_profile(view->app), &selection, arena)};
    const struct timeline *timeline = lines.timeline;
    size_t processes = 0, all = 0;
    lines.lanes = ARENA_ARRAY(arena, size_t, timeline->count + 1);
    for (size_t i = 0; i < timeline->count; i++)
        processes +=
            timeline->lanes[i].kind == LANE_PROCESS && lane_is_selected(timeline, &selection, i);
    for (size_t i = 0; i < timeline->count; i++) {
        bool is_only_process = timeline->lanes[i].kind == LANE_PROCESS && processes < 2;
        if (!is_only_process && lane_is_selected(timeline, &selection, i))
            lines.lanes[all++] = i;
    }
    bool fits = all <= (size_t)state->lines;
    for (size_t i = 0; i < all; i++)
        if (fits || !is_folded(state, timeline, lines.lanes[i]))
            lines.lanes[lines.count++] = lines.lanes[i];
    return lines;
}

size_t timeline_line_of(const struct timeline_lines *lines, size_t lane)
{
    size_t low = 0, high = lines->count; // lanes ascend
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lines->lanes[middle] < lane)
            low = middle + 1;
        else
            high = middle;
    }
    return low < lines->count && lines->lanes[low] == lane ? low : SIZE_MAX;
}

// Returns the first lane of GPU work, or the first lane with any item; SIZE_MAX if there is none.
static size_t first_lane(const struct timeline_lines *lines)
{
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < lines->count; i++) {
        const struct lane *lane = &lines->timeline->lanes[lines->lanes[i]];
        if (lane_is_work(lane))
            return lines->lanes[i];
        if (first == SIZE_MAX && lane_has_items(lane))
            first = lines->lanes[i];
    }
    return first;
}

void timeline_window_settle(struct timeline_state *state, const struct timeline *timeline)
{
    uint64_t whole = (uint64_t)timeline->to - (uint64_t)timeline->from;
    uint64_t least = state->cells < whole ? state->cells : whole;
    uint64_t span = state->to > state->from ? (uint64_t)state->to - (uint64_t)state->from : whole;
    least = least ? least : 1;
    span = span < least ? least : span > whole ? whole : span;
    if (state->to <= state->from || state->from < timeline->from)
        state->from = timeline->from;
    if ((uint64_t)timeline->to - (uint64_t)state->from < span)
        state->from = (int64_t)((uint64_t)timeline->to - span);
    state->to = (int64_t)((uint64_t)state->from + span);
}

void timeline_settle(struct view *view, const struct timeline_lines *lines)
{
    struct timeline_state *state = view->state;
    if (state->profile != host_profile(view->app)) {
        timeline_search_end(&state->search);
        *state = (struct timeline_state){.profile = host_profile(view->app),
                                         .at = {SIZE_MAX, ROW_NONE},
                                         .cells = state->cells,
                                         .lines = state->lines};
    }
    if (state->cells == 0) // not drawn yet
        state->cells = 1;
    if (timeline_line_of(lines, state->at.lane) == SIZE_MAX) {
        state->at = (struct lane_item){first_lane(lines), ROW_NONE};
        state->is_gap = false;
    }
    timeline_window_settle(state, lines->timeline);
}

bool timeline_chosen(const struct view *view, const struct timeline *timeline,
                     struct timeline_span *span)
{
    const struct timeline_state *state = view->state;
    const struct lane *lane = timeline_lane(state, timeline);
    if (state->is_gap)
        *span = (struct timeline_span){state->gap_from, state->gap_to};
    else if (lane && state->at.item < lane->count)
        *span = (struct timeline_span){lane_start(lane, state->at.item),
                                       lane_end(lane, state->at.item)};
    else
        return false;
    span->to = span->to > span->from ? span->to : span->from;
    return true;
}

// ---- drawing -----------------------------------------------------------------------------------

struct timeline_layout timeline_layout_of(struct view *view, struct area area)
{
    // Minimum and maximum width of the labels of lanes.
    enum { MIN_LABEL = 9, MAX_LABEL = 26 };
    bool has_steps = host_scope(view->app)->split->method != SPLIT_NONE && area.height >= 8;
    int label = area.width / 6, ruler = has_steps ? 2 : 1;
    label = label < MIN_LABEL ? MIN_LABEL : label > MAX_LABEL ? MAX_LABEL : label;
    int pane = area.height >= 30 ? 7 : area.height >= 14 ? 5 : area.height >= 6 ? 2 : 0;
    int width = area.width - label - 1;
    return (struct timeline_layout){
        .label = label,
        .x = area.x + label,
        .cells = width > 1 ? (uint32_t)width : 1,
        .ruler = area.y,
        .steps = has_steps ? area.y + 1 : -1,
        .lanes = area.y + ruler,
        .lines = area.height - ruler - pane > 0 ? area.height - ruler - pane : 0,
        .pane = {area.x, area.y + area.height - pane, area.width, pane},
        .has_pane_rule = pane >= 4,
    };
}

static void empty_draw(struct view *view, struct canvas *canvas, struct area area)
{
    struct selection selection = view_selection(view);
    bool is_narrow = selection.device != ROW_NONE || selection.process != ROW_NONE;
    canvas_wrap(
        canvas, (struct area){area.x + 2, area.y + 1, area.width - 4, area.height - 1}, STYLE_DIM,
        action_text(host_profile(view->app)->lacks_times ? report_no_times_text
                    : is_narrow
                        ? "Nothing of this GPU or process is in the file; {scope} chooses others."
                        : "Nothing is in the file that has a time: no GPU work, no CUDA calls, "
                          "no NVTX ranges. {capture-line} shows a capture line that records them.",
                    canvas->frame));
}

// Draws a text below the lanes for each kind of data that the file does not have, if there is room.
static void missing_draw(struct view *view, struct canvas *canvas, struct area area)
{
    const struct profile *profile = host_profile(view->app);
    const struct {
        bool is_missing;
        const char *text;
    } kinds[] = {
        {profile->ranges.count == 0, recorder_lack_text(profile, LACKS_RANGES)},
        {profile->api.count == 0, recorder_lack_text(profile, LACKS_CALLS)},
        {profile->work.count == 0, work_empty_text(profile)},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && area.height > 1; i++) {
        if (!kinds[i].is_missing)
            continue;
        int used = canvas_wrap(canvas, (struct area){2, area.y, area.width - 4, area.height},
                               STYLE_DIM, kinds[i].text);
        area.y += used;
        area.height -= used;
    }
}

// Returns the first visible line, so that line `at` is visible. If it was not visible before, the
// lanes of its process, or of its GPU with all streams, are shown too, as far as there is room.
static size_t top_line(const struct timeline_state *state, const struct timeline_lines *lines,
                       size_t at)
{
    const struct lane *all = lines->timeline->lanes;
    size_t first = at, last = at;
    while (first > 0 && all[lines->lanes[first - 1]].process == all[lines->lanes[at]].process)
        first--;
    while (last + 1 < lines->count && (all[lines->lanes[last + 1]].kind == LANE_STREAM ||
                                       lane_is_level(&all[lines->lanes[last + 1]])))
        last++;
    bool is_seen = at >= state->top && at < state->top + (size_t)state->lines;
    size_t top = is_seen ? state->top : first;
    if (all[lines->lanes[at]].kind == LANE_DEVICE)
        top = list_top(top, last, state->lines, lines->count);
    return list_top(top, at, state->lines, lines->count);
}

static void draw(struct view *view, struct canvas *canvas, struct area area)
{
    struct timeline_state *state = view->state;
    struct timeline_layout layout = timeline_layout_of(view, area);
    state->cells = layout.cells;
    state->lines = layout.lines;
    struct timeline_lines lines = timeline_lines_of(view);
    timeline_settle(view, &lines);
    const struct lane *chosen = timeline_lane(state, lines.timeline);
    if (!chosen) {
        empty_draw(view, canvas, area);
        return;
    }
    size_t at = timeline_line_of(&lines, state->at.lane);
    state->top = top_line(state, &lines, at);
    // Shows the heading above the first lane.
    if (state->top > 0 && state->top == at && layout.lines > 2)
        state->top--;
    timeline_ruler_draw(view, canvas, &layout, chosen);
    for (size_t i = 0; i < (size_t)layout.lines && state->top + i < lines.count; i++)
        timeline_lane_draw(view, canvas, &layout, lines.timeline, lines.lanes[state->top + i],
                           layout.lanes + (int)i);
    int used = (int)(lines.count - state->top);
    missing_draw(view, canvas,
                 (struct area){area.x, layout.lanes + used, area.width, layout.lines - used});
    scroll_thumb_draw(canvas, area.x + area.width - 1, layout.lanes, layout.lines, state->top,
                      lines.count);
    timeline_link_draw(view, canvas, &layout, &lines);
    timeline_drag_draw(view, canvas, &layout);
    timeline_pane_draw(view, canvas, &layout, lines.timeline);
}

// ---- actions ------------------------------------------------------------------------------------

static bool copy_item_name(struct view *view, const struct timeline *timeline)
{
    const struct timeline_state *state = view->state;
    const struct lane *lane = timeline_lane(state, timeline);
    if (state->at.item < lane->count)
        host_copy_text(
            view->app, "the name",
            timeline_item_name(view, lane, state->at.item, host_canvas(view->app)->frame));
    else
        host_say(view->app, "choose something first: {left} and {right} go along the lane");
    return true;
}

static bool act(struct view *view, enum action action)
{
    struct timeline_lines lines = timeline_lines_of(view);
    timeline_settle(view, &lines);
    if (!timeline_lane(view->state, lines.timeline))
        return false;
    if (timeline_move(view, &lines, action))
        return true;
    switch (action) {
    case ACTION_ENTER:
        return timeline_enter(view, lines.timeline);
    case ACTION_LINK:
        timeline_follow(view, lines.timeline);
        return true;
    case ACTION_NEXT_MATCH:
    case ACTION_PREVIOUS_MATCH:
        timeline_next_match(view, lines.timeline, action == ACTION_NEXT_MATCH ? 1 : -1);
        return true;
    case ACTION_COPY:
        return copy_item_name(view, lines.timeline);
    case ACTION_CANCEL:
    case ACTION_BACK:
        return timeline_zoom_back(view->state);
    case ACTION_EXPLAIN:
        timeline_explain(view);
        return true;
    default:
        return false;
    }
}

// If the selected set was changed to a single step, the step is made to fill the width.
static void refresh(struct view *view)
{
    struct timeline_state *state = view->state;
    struct selection selection = view_selection(view);
    bool is_new = state->set != selection.iterations && state->profile == host_profile(view->app);
    state->set = selection.iterations;
    if (is_new && selection.iterations && selection_iteration_count(&selection) == 1)
        timeline_show_step(view, selection_first_iteration(&selection));
}

static void close_state(struct view *view)
{
    struct timeline_state *state = view->state;
    timeline_search_end(&state->search);
    *state = (struct timeline_state){0};
}

static struct rows lanes_build(const struct profile *profile, const struct selection *selection,
                               struct arena *arena)
{
    timeline_of(profile, selection, arena);
    return (struct rows){0};
}
static const struct report lanes = {.name = "lanes", .build = lanes_build};

const struct view_class view_timeline = {
    .name = "timeline",
    .title = "Timeline",
    .tab = "Time",
    .digit = '6',
    .doc = "ranges, CUDA calls and GPU work on one axis of time",
    .kinds = KIND_TIMELINE,
    .memo_report = &lanes,
    .state_size = sizeof(struct timeline_state),
    .refresh = refresh,
    .draw = draw,
    .act = act,
    .point = timeline_point,
    .enters = timeline_enters,
    .keep = timeline_keep,
    .go = timeline_go,
    .search = timeline_search,
    .close = close_state,
    .legend = timeline_legend,
};
