// SPDX-License-Identifier: Apache-2.0
// The steps: one stacked bar each, the chosen ones in colour, the one under the cursor explained.
#include <inttypes.h>

#include "analysis/compare.h"
#include "analysis/place.h"
#include "base/format.h"
#include "base/text.h"
#include "ui/bars.h"
#include "ui/key.h"
#include "ui/steps_chart.h"
#include "ui/steps_why.h"

struct iterations_state {
    bool is_percent, is_by_gpu;
    bool has_span; // V was pressed at the step `span`
    uint32_t span;
    unsigned zoom;          // how often the steps are halved
    uint32_t first, bucket; // of the chart as drawn
    struct area chart;      // its bars, no width: several charts
    int pitch;              // columns from bar to bar
    uint32_t pressed;       // 1 + the step that the mouse was pressed on; 0: elsewhere
    bool is_zoomed;         // since then: the cursor goes to the middle
};

// The steps from where V was pressed to the cursor, without a span that under the cursor.
static void span_ends(const struct view *view, uint32_t *from, uint32_t *to)
{
    const struct iterations_state *state = view->state;
    uint32_t at = view->app->iteration_cursor, last = view->app->scope.split->count - 1;
    uint32_t span = !state->has_span ? at : state->span < last ? state->span : last;
    *from = span < at ? span : at;
    *to = span < at ? at : span;
}

// The usual step in one line.
static void figures_draw(struct app *app, struct canvas *canvas, struct area line)
{
    const struct steps *steps = app_steps(app);
    struct step_statistics usual = app_step_statistics(app);
    char median[FORMAT_SIZE];
    format_duration(median, usual.median_ns, canvas->ascii);
    const char *text = median; // of one there is no spread
    if (usual.count > 1)
        text = arena_format(
            canvas->frame, "%s (%s)",
            step_statistics_text(&usual, app->scope.split, canvas->ascii, canvas->frame),
            step_name(app, usual.worst, canvas->frame));
    char chosen[FORMAT_SIZE], all[FORMAT_SIZE];
    format_count(all, steps->count);
    const char *of =
        usual.count == steps->count
            ? arena_format(canvas->frame, "all %s", all)
            : arena_format(canvas->frame, "%s of %s", format_count(chosen, usual.count), all);
    if (app->scope.split->method == SPLIT_NONE)
        of = "O: what could cut the run into steps";
    else if (canvas_width(text) + canvas_width(of) + 15 <= line.width)
        of = arena_format(canvas->frame, "%s in the set", of);
    canvas_format(canvas, 1, line.y, line.width - 2, STYLE_STRONG, "%s   %s", text, of);
}

// The median of the host's periods of the chosen steps.
static int64_t host_median(struct app *app)
{
    const struct steps *steps = app_steps(app);
    return step_statistics_of(steps->host_ns, app->scope.iterations, steps->count,
                              app->canvas->frame)
        .median_ns;
}

// What the chart needs words for: what is left out, what bars are, that the host has another pace.
static void notes_draw(struct app *app, struct canvas *canvas, struct area line,
                       const struct steps_chart *chart, uint32_t hidden)
{
    struct arena *arena = canvas->frame;
    const struct steps *steps = app_steps(app);
    const char *notes[5], *text = "";
    char time[FORMAT_SIZE], all[FORMAT_SIZE];
    size_t count = 0;
    if (chart->bucket > 1)
        notes[count++] =
            arena_format(arena, "a bar is the median of %u, a line the longest", chart->bucket);
    if (chart->count < steps->count)
        notes[count++] =
            arena_format(arena, "%s-%s of %s shown", step_name(app, chart->first, arena),
                         step_name(app, chart->first + chart->count - 1, arena) + 1,
                         format_count(all, steps->count));
    if (app_compares(app) && steps->count > 1)
        notes[count++] = "F5: step by step beside A";
    if (hidden > 0)
        notes[count++] = arena_format(arena, "%u more GPUs: { } one of them", hidden);
    struct step_statistics usual = app_step_statistics(app);
    int64_t host = host_median(app);
    bool has_marks = steps_chart_marks_host(app, chart);
    if (usual.count > 1 && host > 0 && step_host_differs(usual.median_ns, host))
        notes[count++] = arena_format(
            arena, "host median %s: %s%s", format_duration(time, host, canvas->ascii),
            host < usual.median_ns ? "runs ahead" : "begins them apart", has_marks ? " (h)" : "");
    else if (has_marks)
        notes[count++] = "h: the host's period";
    for (size_t i = 0; i < count; i++) {
        const char *longer = arena_format(arena, "%s%s%s", text, *text ? "   " : "", notes[i]);
        text = canvas_width(longer) <= line.width - 2 ? longer : text;
    }
    int room = line.width - 2 - canvas_width(text);
    for (enum steps_out_form form = 0; form < STEPS_OUT_FORMS; form++) {
        const char *out = app_out_text(app, form, arena);
        if (!out || canvas_width(out) + 8 > room)
            continue;
        text = arena_format(arena, "out: %s%s%s", out, *text ? "   " : "", text);
        break;
    }
    canvas_text_in(canvas, 1, line.y, line.width - 2, STYLE_DIM, text);
}

// How many lines the explanation gets of what there is.
static int why_lines(int height, bool is_by_gpu)
{
    if (height < 11)
        return 0;
    if (height < 16 || is_by_gpu)
        return 4;
    return height < 30 ? (int)breakdown_gpu.count + 1 : 10;
}

static void draw(struct view *view, struct canvas *canvas, struct area area)
{
    enum { ABOVE = 2, BELOW = 3, LEFT = 10 };
    struct app *app = view->app;
    struct iterations_state *state = view->state;
    const struct steps *steps = state->is_by_gpu ? app_steps_by_device(app) : app_steps(app);
    if (steps->count == 0 || area.height < 4)
        return;
    if (app->iteration_cursor >= steps->count)
        app->iteration_cursor = steps->count - 1;
    int why = why_lines(area.height, state->is_by_gpu);
    int height = area.height - ABOVE - BELOW - why;
    if (height < 2) {
        height += why;
        why = 0;
    }
    uint32_t count, hidden = 0;
    steps_chart_scroll(app, &state->zoom, &state->first, &count);
    if (state->is_zoomed) {
        state->first = app->iteration_cursor - count / 2;
        state->first = app->iteration_cursor < count / 2 ? 0 : state->first;
        steps_chart_scroll(app, &state->zoom, &state->first, &count);
    }
    state->is_zoomed = false;
    struct steps_chart chart =
        steps_chart_make(app, (struct area){LEFT, area.y + ABOVE, area.width - LEFT - 1, height},
                         state->first, count);
    chart.is_percent = state->is_percent;
    chart.has_span = state->has_span;
    span_ends(view, &chart.span_from, &chart.span_to);
    chart.has_host = !state->is_percent && steps->count > 1;
    state->bucket = chart.bucket;
    state->chart = chart.area;
    state->pitch = chart.pitch;
    figures_draw(app, canvas, area);
    if (state->is_by_gpu)
        state->chart.width = 0;
    if (state->is_by_gpu && steps->device_count > 0)
        hidden = steps_charts_draw(
            app, canvas, (struct area){0, area.y + ABOVE, area.width, height + BELOW}, &chart);
    else if (height > 0)
        steps_chart_draw(app, canvas, &chart);
    notes_draw(app, canvas, (struct area){0, area.y + 1, area.width, 1}, &chart, hidden);
    if (why > 0)
        steps_why_draw(app, canvas,
                       (struct area){2, area.y + area.height - why, area.width - 3, why},
                       view->narrow.names);
}

static bool move(struct view *view, uint32_t *at, uint32_t count, enum action action)
{
    const struct iterations_state *state = view->state;
    uint32_t bucket = state->bucket ? state->bucket : 1;
    uint32_t page = count / 10 > 1 ? count / 10 : 1;
    switch (action) {
    case ACTION_LEFT:
    case ACTION_UP:
        *at = steps_chart_move(view->app, state->first, bucket, -1);
        return true;
    case ACTION_RIGHT:
    case ACTION_DOWN:
        *at = steps_chart_move(view->app, state->first, bucket, 1);
        return true;
    case ACTION_FIRST:
        *at = 0;
        return true;
    case ACTION_LAST:
        *at = count - 1;
        return true;
    case ACTION_PAGE_DOWN:
    case ACTION_HALF_DOWN:
        *at = *at + page < count ? *at + page : count - 1;
        return true;
    case ACTION_PAGE_UP:
    case ACTION_HALF_UP:
        *at = *at > page ? *at - page : 0;
        return true;
    default:
        return false;
    }
}

// Into the step: its tree, with a set of its own.
static void step_enter(struct view *view, uint32_t step)
{
    const struct split *split = view->app->scope.split;
    struct selection selection = view_selection(view);
    if (split->method == SPLIT_NONE) { // all there is
        app_enter(view->app, "tree", &selection, "the run");
        return;
    }
    bool *members = arena_alloc(view->app->canvas->frame, split->count, sizeof *members);
    members[step] = true;
    selection.iterations = members;
    char label[40];
    snprintf(label, sizeof label, "%s %" PRId64, split_words_of(split)->one, split->number[step]);
    app_enter(view->app, "tree", &selection, label);
}

// All rows of what differs.
static void why_enter(struct view *view, uint32_t step)
{
    struct selection selection = view_selection(view);
    if (!view_has_steps(view)) {
        app_say(view->app, "there is only one: nothing to compare it with (O: what cuts steps)");
        return;
    }
    selection.step = step;
    char label[40];
    const struct split *split = view->app->scope.split;
    snprintf(label, sizeof label, "%s %" PRId64, split_words_of(split)->one, split->number[step]);
    app_enter(view->app, "difference", &selection, label);
}

// The rows, with the cursor on the same step; false: something led into this view, and on from it.
static bool rows_enter(struct view *view, uint32_t step)
{
    struct app *app = view->app;
    if (view->label[0])
        return false;
    app_go_to(app, &view_steps);
    view_refresh(app_top(app));
    table_go(&app_top(app)->table, step);
    return true;
}

static void span_toggle(struct view *view)
{
    struct iterations_state *state = view->state;
    state->has_span = !state->has_span && view_has_steps(view);
    state->span = view->app->iteration_cursor;
    if (state->has_span)
        app_say(view->app,
                "from %s on: Space takes all to the cursor in or out, x out; Esc drops it",
                step_title(view->app, state->span, view->app->canvas->frame));
}

static void span_leave_out(struct view *view, uint32_t from, uint32_t to)
{
    bool *out = ARENA_ARRAY(view->app->canvas->frame, bool, view->app->scope.split->count);
    for (uint32_t i = from; i <= to; i++)
        out[i] = true;
    app_leave_iterations_out(view->app, out);
}

static bool act(struct view *view, enum action action)
{
    struct app *app = view->app;
    struct iterations_state *state = view->state;
    uint32_t from, to;
    uint32_t count = app->scope.split->count, *at = &app->iteration_cursor;
    *at = *at < count ? *at : count - 1;
    if (move(view, at, count, action))
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
            app_toggle_iterations(app, from, to);
        else
            span_leave_out(view, from, to);
        return true;
    case ACTION_EXPLAIN:
        app_explain_steps(app);
        return true;
    case ACTION_ZOOM_IN:
        state->zoom++; // as far as there is anything to see: where it is drawn
        state->is_zoomed = true;
        return true;
    case ACTION_ZOOM_OUT:
        state->zoom -= state->zoom > 0;
        state->is_zoomed = true;
        return true;
    case ACTION_CANCEL: // drops a span, closes what S opened before it leaves
        if (!state->has_span && !state->is_by_gpu)
            return false;
        state->is_by_gpu &= state->has_span;
        state->has_span = false;
        return true;
    case ACTION_WHY:
        why_enter(view, *at);
        return true;
    case ACTION_FLIP: // time, shares, rows; at once to the rows that stand beside the baseline's
        state->is_percent = !state->is_percent && !app_compares(app);
        return state->is_percent || rows_enter(view, *at);
    case ACTION_ENTER:
        step_enter(view, *at);
        return true;
    default:
        return false;
    }
}

// The step whose bar, or label below it, is there; ROW_NONE: none is.
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

// The last step of the bar that a step is in.
static uint32_t bar_end(const struct view *view, uint32_t step)
{
    const struct iterations_state *state = view->state;
    uint32_t bucket = state->bucket ? state->bucket : 1, count = view->app->scope.split->count;
    uint32_t last = step - (step - state->first) % bucket + bucket - 1;
    return last < count ? last : count - 1;
}

// A click is the cursor, a drag from bar to bar the set of what lies between.
static bool point(struct view *view, uint32_t key, int x, int y)
{
    struct iterations_state *state = view->state;
    struct app *app = view->app;
    uint32_t step = step_at(view, x, y);
    if (key == KEY_CLICK)
        state->pressed = step == ROW_NONE ? 0 : step + 1;
    if (step == ROW_NONE || app->scope.split->method == SPLIT_NONE)
        return false;
    if (key == KEY_DOUBLE_CLICK)
        return act(view, ACTION_ENTER);
    app->iteration_cursor = step;
    if (key == KEY_CLICK || state->pressed == 0 || state->pressed > app->scope.split->count)
        return true;
    const int64_t *number = app->scope.split->number;
    uint32_t pressed = state->pressed - 1;
    uint32_t from = step < pressed ? step : pressed;
    uint32_t to = bar_end(view, step < pressed ? pressed : step);
    const char *set =
        arena_format(app->canvas->frame, "%" PRId64 "-%" PRId64, number[from], number[to]);
    if (key == KEY_DROP) {
        state->pressed = 0;
        app_set(app, set);
    } else {
        app_say(app, "let go: the set %s", set);
    }
    return true;
}

static bool place(struct view *view, struct place *found)
{
    *found = (struct place){.kind = PLACE_STEP, .row = view->app->iteration_cursor, .of = 1};
    return found->row < view->app->scope.split->count;
}

static const char *enters(struct view *view)
{
    (void)view;
    return "its tree";
}

void app_by_gpu(struct app *app, const char *argument)
{
    struct iterations_state *state = app_top(app)->state;
    bool wanted = !state->is_by_gpu;
    if (!app_switch(app, argument, &wanted))
        return;
    state->is_by_gpu = wanted;
    app_say(app, wanted ? "the GPUs side by side, to one scale" : "the mean of the GPUs");
}

static bool is_flipped(const struct view *view)
{
    const struct iterations_state *state = view->state;
    return state->is_percent;
}

// What S, F5 and + made of it, then the step.
static const char *keep(struct view *view, struct arena *arena)
{
    const struct iterations_state *state = view->state;
    const struct app *app = view->app;
    const char *text = arena_format(arena, "%s%s", state->is_by_gpu ? "by-gpu on\n" : "",
                                    state->is_percent ? "flip on\n" : "");
    uint32_t step = app->iteration_cursor;
    if (step < app->scope.split->count)
        text = arena_format(arena, "%srow %" PRId64 "\n", text, app->scope.split->number[step]);
    for (unsigned i = 0; i < state->zoom && i < 32; i++)
        text = arena_format(arena, "%szoom-in\n", text);
    return text;
}

static bool go(struct view *view, const char *place)
{
    app_go_step(view->app, place);
    return !view->app->message_is_error;
}

static bool legend(struct view *view, size_t i, struct view_legend *legend)
{
    const struct breakdown_scheme *scheme = &breakdown_gpu;
    char sign[5] = {0};
    if (i >= scheme->count)
        return false;
    struct arena *arena = view->app->canvas->frame;
    text_encode(category_glyph(scheme, i, view->app->canvas->ascii), sign);
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

// ---- as rows -----------------------------------------------------------------------------------

// The steps of the marked rows, else of the one under the cursor.
static void rows_leave_out(struct view *view)
{
    struct table *table = &view->table;
    uint32_t steps = view->app->scope.split->count;
    bool *out = ARENA_ARRAY(view->app->canvas->frame, bool, steps);
    size_t count = 0;
    uint32_t *rows = table_marked_rows(table, view->app->canvas->frame, &count);
    for (size_t i = 0; i < count; i++)
        if (table_row_id(table, rows[i]) < steps)
            out[table_row_id(table, rows[i])] = true;
    if (!rows && table_row(table) && view->report->id(table_row(table)) < steps)
        out[view->report->id(table_row(table))] = true;
    app_leave_iterations_out(view->app, out);
    table_drop_marks(table);
}

static bool rows_act(struct view *view, enum action action)
{
    struct app *app = view->app;
    if (action == ACTION_LEAVE_OUT) {
        rows_leave_out(view);
        return true;
    }
    bool is_mine = action == ACTION_ENTER || action == ACTION_FLIP;
    const void *row = is_mine ? table_row(&view->table) : NULL;
    if (!row)
        return table_view_act(view, action);
    uint64_t step = view->report->id(row); // of side B, where there are two
    bool is_there = step < app->scope.split->count;
    if (action == ACTION_FLIP) {
        app->iteration_cursor = is_there ? (uint32_t)step : app->iteration_cursor;
        return false;
    }
    if (is_there)
        step_enter(view, (uint32_t)step);
    else if (compare_row_side(row, SIDE_A))
        app_say(app, "this row is gone: only the baseline has it");
    return true;
}

// Neither all steps together nor one that only the baseline has leads anywhere.
static const char *rows_enters(struct view *view)
{
    const void *row = table_row(&view->table);
    return row && view->report->id(row) < view->app->scope.split->count ? enters(view) : NULL;
}

const struct view_class view_steps = {
    .name = "steps",
    .title = "Iterations, rows",
    .doc = "the steps as rows; with a baseline step by step",
    .kinds = KIND_TABLE,
    .report = "iterations",
    .draw = table_view_draw,
    .act = rows_act,
    .enters = rows_enters,
    .flip = "iterations",
    .flip_label = "Chart",
};
