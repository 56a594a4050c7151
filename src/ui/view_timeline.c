// SPDX-License-Identifier: Apache-2.0
// The timeline: lanes of ranges, calls and GPU work on one axis of time, from the whole run to one
// kernel. A frame asks for what each cell on screen holds (analysis/timeline.h) and nothing else.
//
// The cursor is a lane and, once h or l was pressed, an item of it; the window follows the cursor.
#include "ui/bars.h"
#include "ui/timeline_view.h"

// ---- what there is -----------------------------------------------------------------------------

struct timeline_lines timeline_lines_of(struct view *view)
{
    struct arena *arena = view->app->canvas->frame;
    struct selection selection = view_selection(view);
    struct timeline_lines lines = {.timeline = timeline_of(view->app->profile, &selection, arena)};
    const struct timeline *timeline = lines.timeline;
    size_t processes = 0;
    lines.lanes = ARENA_ARRAY(arena, size_t, timeline->count + 1);
    for (size_t i = 0; i < timeline->count; i++)
        processes += timeline->lanes[i].kind == LANE_PROCESS && lane_is_in(timeline, &selection, i);
    for (size_t i = 0; i < timeline->count; i++) {
        bool is_needless = timeline->lanes[i].kind == LANE_PROCESS && processes < 2;
        if (!is_needless && lane_is_in(timeline, &selection, i))
            lines.lanes[lines.count++] = i;
    }
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

// The first lane of GPU work, else the first that has anything. SIZE_MAX: none.
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

// The window within the run, and no narrower than a nanosecond a cell.
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
    if (state->profile != view->app->profile) {
        *state = (struct timeline_state){.profile = view->app->profile,
                                         .at = {SIZE_MAX, ROW_NONE},
                                         .cells = state->cells,
                                         .lines = state->lines};
    }
    if (timeline_line_of(lines, state->at.lane) == SIZE_MAX) {
        state->at = (struct lane_item){first_lane(lines), ROW_NONE};
        state->is_gap = false;
    }
    timeline_window_settle(state, lines->timeline);
}

const struct lane *timeline_lane(const struct timeline_state *state,
                                 const struct timeline *timeline)
{
    return state->at.lane < timeline->count ? &timeline->lanes[state->at.lane] : NULL;
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
    enum { LABEL_LEAST = 9, LABEL_MOST = 26 };
    bool has_steps = view->app->scope.split->method != SPLIT_NONE && area.height >= 8;
    int label = area.width / 6, ruler = has_steps ? 2 : 1;
    label = label < LABEL_LEAST ? LABEL_LEAST : label > LABEL_MOST ? LABEL_MOST : label;
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
    canvas_wrap(canvas, (struct area){area.x + 2, area.y + 1, area.width - 4, area.height - 1},
                STYLE_DIM,
                is_narrow ? "Nothing of this GPU or process is in the file; p chooses others."
                          : "Nothing is in the file that has a time: no GPU work, no CUDA calls, "
                            "no NVTX ranges. R shows a capture line that records them.");
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
    size_t at = timeline_line_of(&lines, state->at.lane), last = at;
    // With a GPU also its streams.
    while (chosen->kind == LANE_DEVICE && last + 1 < lines.count &&
           lines.timeline->lanes[lines.lanes[last + 1]].kind == LANE_STREAM)
        last++;
    state->top = list_top(state->top, last, layout.lines, lines.count);
    state->top = list_top(state->top, at, layout.lines, lines.count);
    // A heading above the first lane is worth its line.
    if (state->top > 0 && state->top == at && layout.lines > 2)
        state->top--;
    timeline_ruler_draw(view, canvas, &layout, chosen);
    for (size_t i = 0; i < (size_t)layout.lines && state->top + i < lines.count; i++)
        timeline_lane_draw(view, canvas, &layout, lines.timeline, lines.lanes[state->top + i],
                           layout.lanes + (int)i);
    thumb_draw(canvas, area.x + area.width - 1, layout.lanes, layout.lines, state->top,
               lines.count);
    timeline_pane_draw(view, canvas, &layout, lines.timeline);
}

// ---- going in ----------------------------------------------------------------------------------

// Whatever is chosen here is of all steps: a set that leaves it out would show nothing.
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
    const uint32_t *of_work = app->scope.split->of_work;
    struct selection selection = selection_with(view, of_work ? of_work[work] : ROW_NONE);
    selection.function = app->profile->work.function[work];
    app_enter(app, "launches", &selection, name);
    struct view *top = app_top(app);
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
    selection.api_name = app->profile->api.name[call];
    app_enter(app, "api", &selection, name);
}

static void enter_range(struct view *view, const char *name, uint32_t range)
{
    struct app *app = view->app;
    const struct profile *profile = app->profile;
    struct selection selection = view_selection(view);
    selection.node = selection_range_node(profile, &selection, range_host(profile, range));
    if (selection.node == ROW_NONE)
        app_say(app, "this range is in no place of the tree: nsys leaves it out of projection");
    else
        app_enter(app, "ops", &selection, name);
}

static bool enter(struct view *view, const struct timeline *timeline)
{
    struct timeline_state *state = view->state;
    const struct lane *lane = timeline_lane(state, timeline);
    if (state->is_gap || state->at.item >= lane->count) {
        app_say(view->app, "choose something first: h and l go along the lane");
        return true;
    }
    struct arena *arena = view->app->canvas->frame;
    uint32_t row = lane_row(lane, state->at.item);
    const char *name = timeline_item_name(view, lane, state->at.item, arena);
    if (lane_is_work(lane))
        enter_work(view, name, row);
    else if (lane->kind == LANE_CALLS)
        enter_call(view, name, row);
    else
        enter_range(view, name, row);
    return true;
}

static const char *enters(struct view *view)
{
    const struct timeline_state *state = view->state;
    struct timeline_lines lines = timeline_lines_of(view);
    const struct lane *lane = timeline_lane(state, lines.timeline);
    if (state->profile != view->app->profile || !lane || state->is_gap ||
        state->at.item >= lane->count)
        return NULL;
    return lane_is_work(lane) ? "this launch" : lane->kind == LANE_CALLS ? "its calls" : "its tree";
}

static bool act(struct view *view, enum action action)
{
    struct timeline_lines lines = timeline_lines_of(view);
    timeline_settle(view, &lines);
    if (!timeline_lane(view->state, lines.timeline))
        return false;
    if (timeline_move(view, &lines, action))
        return true;
    if (action == ACTION_ENTER)
        return enter(view, lines.timeline);
    return false;
}

const struct view_class view_timeline = {
    .name = "timeline",
    .title = "Timeline",
    .tab = "Time",
    .digit = '6',
    .doc = "ranges, CUDA calls and GPU work on one axis of time",
    .kinds = KIND_TIMELINE,
    .state_size = sizeof(struct timeline_state),
    .draw = draw,
    .act = act,
    .enters = enters,
    .keep = timeline_keep,
    .go = timeline_go,
};
