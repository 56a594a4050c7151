// SPDX-License-Identifier: Apache-2.0
// The steps: a stacked bar for each step, chosen steps in colour, with an explanation of the step
// under the cursor.
#include <inttypes.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/place/row_place_find.h"
#include "base/text/text.h"
#include "ui/actions/actions.h"
#include "ui/host.h"
#include "ui/state/scope.h"
#include "ui/state/steps.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui/views/steps_chart.h"
#include "ui/views/steps_notes.h"
#include "ui/views/steps_why.h"
#include "ui/views/views_actions.h"
#include "ui/widgets/bars.h"
#include "ui/widgets/list.h"

struct iterations_state {
    bool is_percent, is_by_gpu;
    bool has_span; // V was pressed at step `span`
    uint32_t span;
    unsigned zoom;          // number of times the range of steps is halved
    uint32_t first, bucket; // of the chart as drawn
    struct area chart;      // area of its bars; width 0: several charts
    int pitch;              // columns from bar to bar
    uint32_t pressed;       // 1 + the step on which the mouse was pressed; 0: elsewhere
    bool is_zoomed;         // zoomed since the last drawing: the cursor moves to the middle
};

// Returns the steps from where V was pressed to the cursor, or only the step under the cursor.
static void span_ends(const struct view *view, uint32_t *from, uint32_t *to)
{
    const struct iterations_state *state = view->state;
    uint32_t at = host_step(view->app), last = host_scope(view->app)->split->count - 1;
    uint32_t span = !state->has_span ? at : state->span < last ? state->span : last;
    *from = span < at ? span : at;
    *to = span < at ? at : span;
}

// Returns the number of lines for the explanation, out of `height`.
static int why_lines(int height, bool is_by_gpu)
{
    if (height < 11)
        return 0;
    if (height < 16 || is_by_gpu)
        return 4;
    return height < 30 ? (int)breakdown_gpu.count + 1 : 10;
}

// True if bars show shares. With a baseline there are only times and rows.
static bool is_flipped(const struct view *view)
{
    const struct iterations_state *state = view->state;
    return state->is_percent && !host_is_comparing(view->app);
}

static void draw(struct view *view, struct canvas *canvas, struct area area)
{
    // Lines and columns of texts around the bars: notes, labels, axis.
    enum { ABOVE = 2, BELOW = 3, LEFT = 10 };
    struct app *app = view->app;
    struct iterations_state *state = view->state;
    const struct steps *steps = state->is_by_gpu ? app_steps_by_device(app) : app_steps(app);
    if (steps->count == 0 || area.height < 4)
        return;
    if (host_step(app) >= steps->count)
        host_set_step(app, steps->count - 1);
    int why = why_lines(area.height, state->is_by_gpu);
    int height = area.height - ABOVE - BELOW - why;
    if (height < 2) {
        height += why;
        why = 0;
    }
    uint32_t count, gpus_not_shown = 0;
    steps_chart_scroll(app, &state->zoom, &state->first, &count);
    if (state->is_zoomed) {
        state->first = host_step(app) - count / 2;
        state->first = host_step(app) < count / 2 ? 0 : state->first;
        steps_chart_scroll(app, &state->zoom, &state->first, &count);
    }
    state->is_zoomed = false;
    struct steps_chart chart =
        steps_chart_make(app, (struct area){LEFT, area.y + ABOVE, area.width - LEFT - 1, height},
                         state->first, count);
    chart.is_percent = is_flipped(view);
    chart.has_span = state->has_span;
    span_ends(view, &chart.span_from, &chart.span_to);
    chart.has_host = !chart.is_percent && steps->count > 1;
    state->bucket = chart.bucket;
    state->chart = chart.area;
    state->pitch = chart.pitch;
    steps_typical_draw(app, canvas, area);
    if (state->is_by_gpu)
        state->chart.width = 0;
    if (state->is_by_gpu && steps->device_count > 0)
        gpus_not_shown = steps_charts_draw(
            app, canvas, (struct area){0, area.y + ABOVE, area.width, height + BELOW}, &chart);
    else if (height > 0)
        steps_chart_draw(app, canvas, &chart);
    steps_notes_draw(app, canvas, (struct area){0, area.y + 1, area.width, 1}, &chart,
                     gpus_not_shown);
    if (why > 0)
        steps_why_draw(app, canvas,
                       (struct area){2, area.y + area.height - why, area.width - 3, why},
                       view->narrow.names);
}

static bool move(struct view *view, uint32_t *at, uint32_t count, enum action action)
{
    const struct iterations_state *state = view->state;
    uint32_t bucket = state->bucket ? state->bucket : 1;
    switch (action) {
    case ACTION_LEFT:
    case ACTION_UP:
        *at = steps_chart_move(view->app, state->first, bucket, -1);
        return true;
    case ACTION_RIGHT:
    case ACTION_DOWN:
        *at = steps_chart_move(view->app, state->first, bucket, 1);
        return true;
    default:
        break;
    }
    size_t to = *at;
    bool is_moved = list_move(action, &to, count - 1, count / 10 > 1 ? count / 10 : 1);
    *at = (uint32_t)to;
    return is_moved;
}

void view_enter_step(struct view *view, uint32_t step)
{
    const struct split *split = host_scope(view->app)->split;
    struct selection selection = view_selection(view);
    if (split->method == SPLIT_NONE) { // the run is not cut into steps
        host_open_report(view->app, "tree", &selection, "the run");
        return;
    }
    bool *members = arena_alloc(host_canvas(view->app)->frame, split->count, sizeof *members);
    members[step] = true;
    selection.iterations = members;
    host_open_report(view->app, "tree", &selection,
                     host_step_label(view->app, step, host_canvas(view->app)->frame));
}

// Opens all rows of the difference.
static void why_enter(struct view *view, uint32_t step)
{
    struct selection selection = view_selection(view);
    if (!view_has_steps(view)) {
        host_say(view->app,
                 "there is only one: nothing to compare it with ({key}: what cuts steps)");
        return;
    }
    selection.step = step;
    host_open_report(view->app, "difference", &selection,
                     host_step_label(view->app, step, host_canvas(view->app)->frame));
}

// Opens the table of steps with the cursor on the same step. Returns false if this view was opened
// from a row.
static bool rows_enter(struct view *view, uint32_t step)
{
    struct app *app = view->app;
    if (view->label[0])
        return false;
    host_go_to(app, view_class_find("steps"));
    view_refresh(host_top_view(app));
    table_go(&host_top_view(app)->table, step);
    return true;
}

static void span_toggle(struct view *view)
{
    struct iterations_state *state = view->state;
    state->has_span = !state->has_span && view_has_steps(view);
    state->span = host_step(view->app);
    if (state->has_span)
        host_say(view->app,
                 "from %s on: {mark} takes all to the cursor in or out, {leave-out} out; {cancel} "
                 "drops it",
                 host_step_title(view->app, state->span, host_canvas(view->app)->frame));
}

static void span_leave_out(struct view *view, uint32_t from, uint32_t to)
{
    bool *removed =
        ARENA_ARRAY(host_canvas(view->app)->frame, bool, host_scope(view->app)->split->count);
    for (uint32_t i = from; i <= to; i++)
        removed[i] = true;
    host_exclude_steps(view->app, removed);
}

static bool act(struct view *view, enum action action)
{
    struct app *app = view->app;
    struct iterations_state *state = view->state;
    uint32_t from, to;
    uint32_t count = host_scope(app)->split->count, at = host_step(app);
    at = at < count ? at : count - 1;
    host_set_step(app, at);
    bool is_moved = move(view, &at, count, action);
    host_set_step(app, at);
    if (is_moved)
        return true;
    switch (action) {
    case ACTION_SPAN:
        span_toggle(view);
        return true;
    case ACTION_MARK:
    case ACTION_LEAVE_OUT:
        span_ends(view, &from, &to);
        state->has_span = false;
        if (action == ACTION_MARK)
            host_toggle_steps(app, from, to);
        else
            span_leave_out(view, from, to);
        return true;
    case ACTION_EXPLAIN:
        host_explain_steps(app);
        return true;
    case ACTION_ZOOM_IN:
        state->zoom++; // the limit is applied when the chart is drawn
        state->is_zoomed = true;
        return true;
    case ACTION_ZOOM_OUT:
        state->zoom -= state->zoom > 0;
        state->is_zoomed = true;
        return true;
    case ACTION_CANCEL: // drops the span, else ends by-gpu, else leaves the view
        if (!state->has_span && !state->is_by_gpu)
            return false;
        state->is_by_gpu &= state->has_span;
        state->has_span = false;
        return true;
    case ACTION_WHY:
        why_enter(view, at);
        return true;
    // Cycles through times, shares and rows; with a baseline only through times and rows.
    case ACTION_FLIP:
        state->is_percent = !state->is_percent && !host_is_comparing(app);
        return state->is_percent || rows_enter(view, at);
    case ACTION_ENTER:
        view_enter_step(view, at);
        return true;
    default:
        return false;
    }
}

// Returns the step whose bar or label is at (x, y), ROW_NONE if there is none.
static uint32_t step_at(struct view *view, int x, int y)
{
    const struct iterations_state *state = view->state;
    const struct area *chart = &state->chart;
    if (x < chart->x || x >= chart->x + chart->width || y < chart->y ||
        y > chart->y + chart->height + 2 || state->pitch <= 0)
        return ROW_NONE;
    uint32_t bar = (uint32_t)((x - chart->x) / state->pitch);
    uint32_t step = state->first + bar * state->bucket, count = app_steps(view->app)->count;
    return step < count ? step : ROW_NONE;
}

// Returns the last step of the bar that contains `step`.
static uint32_t bar_end(const struct view *view, uint32_t step)
{
    const struct iterations_state *state = view->state;
    uint32_t bucket = state->bucket ? state->bucket : 1,
             count = host_scope(view->app)->split->count;
    uint32_t last = step - (step - state->first) % bucket + bucket - 1;
    return last < count ? last : count - 1;
}

// A click moves the cursor; a drag from bar to bar chooses the steps in between.
static bool point(struct view *view, uint32_t key, int x, int y)
{
    struct iterations_state *state = view->state;
    struct app *app = view->app;
    uint32_t step = step_at(view, x, y);
    if (key == KEY_CLICK)
        state->pressed = step == ROW_NONE ? 0 : step + 1;
    if (step == ROW_NONE || host_scope(app)->split->method == SPLIT_NONE)
        return false;
    if (key == KEY_DOUBLE_CLICK)
        return act(view, ACTION_ENTER);
    host_set_step(app, step);
    if (key == KEY_CLICK || state->pressed == 0 || state->pressed > host_scope(app)->split->count)
        return true;
    const int64_t *number = host_scope(app)->split->number;
    uint32_t pressed = state->pressed - 1;
    uint32_t from = step < pressed ? step : pressed;
    uint32_t to = bar_end(view, step < pressed ? pressed : step);
    const char *set =
        arena_format(host_canvas(app)->frame, "%" PRId64 "-%" PRId64, number[from], number[to]);
    if (key == KEY_DROP) {
        state->pressed = 0;
        app_set(app, set);
    } else {
        host_say(app, "let go: the set %s", set);
    }
    return true;
}

static bool place(struct view *view, struct row_place *found)
{
    *found = (struct row_place){.kind = PLACE_STEP, .row = host_step(view->app), .of = 1};
    return found->row < host_scope(view->app)->split->count;
}

static const char *enters(struct view *view)
{
    (void)view;
    return "its tree";
}

void app_by_gpu(struct app *app, const char *argument)
{
    struct iterations_state *state = host_top_view(app)->state;
    bool wanted = !state->is_by_gpu;
    if (!host_parse_switch(app, argument, &wanted))
        return;
    state->is_by_gpu = wanted;
    host_say(app, wanted ? "the GPUs side by side, to one scale" : "the mean of the GPUs");
}

// Saves the state of S, F5 and +, then the step.
static const char *keep(struct view *view, struct arena *arena)
{
    const struct iterations_state *state = view->state;
    const struct app *app = view->app;
    const char *text = arena_format(arena, "%s%s", state->is_by_gpu ? "by-gpu on\n" : "",
                                    is_flipped(view) ? "flip on\n" : "");
    uint32_t step = host_step(app);
    if (step < host_scope(app)->split->count)
        text =
            arena_format(arena, "%srow %" PRId64 "\n", text, host_scope(app)->split->number[step]);
    for (unsigned i = 0; i < state->zoom && i < 32; i++)
        text = arena_format(arena, "%szoom-in\n", text);
    return text;
}

static bool go(struct view *view, const char *place)
{
    app_go_step(view->app, place);
    return !host_has_complained(view->app);
}

static bool legend(struct view *view, size_t i, struct view_legend *legend)
{
    const struct breakdown_scheme *scheme = &breakdown_gpu;
    char sign[5] = {0};
    if (i >= scheme->count)
        return false;
    struct arena *arena = host_canvas(view->app)->frame;
    text_encode(category_glyph(scheme, i, host_canvas(view->app)->ascii), sign);
    *legend = (struct view_legend){arena_format(arena, "%s %s", sign, scheme->categories[i].title),
                                   scheme->categories[i].doc};
    return true;
}

const struct view_class view_iterations = {
    .name = "iterations",
    .title = "Iterations",
    .tab = "Iter",
    .digit = '4',
    .doc = "a stacked bar per step, by the GPU's clock; the chosen ones in colour",
    .kinds = KIND_ITERATIONS,
    .flip = "steps",
    .flip_label = "ms/%/rows",
    .state_size = sizeof(struct iterations_state),
    .draw = draw,
    .act = act,
    .point = point,
    .enters = enters,
    .place = place,
    .saves = "iterations",
    .legend = legend,
    .is_flipped = is_flipped,
    .keep = keep,
    .go = go,
};
