// SPDX-License-Identifier: Apache-2.0
// The steps: one stacked bar each, the chosen ones in colour, the one under the cursor explained.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "ui/app_state.h"
#include "ui/bars.h"
#include "ui/glyph.h"

struct iterations_state {
    bool is_percent;
};

// How steps share the columns of the chart.
struct chart {
    uint32_t count;   // of steps
    uint32_t bucket;  // steps per bar
    int bar, pitch;   // columns of a bar, and from bar to bar
    int bars;         // on screen
    uint32_t first;   // step of the first bar
    struct area area; // of the bars
    int64_t top_ns;   // value at the upper edge
};

// The step that stands for a bucket: the longest, so that outliers are seen.
static uint32_t bucket_step(const struct steps *steps, uint32_t first, uint32_t bucket)
{
    uint32_t best = first;
    for (uint32_t i = first; i < first + bucket && i < steps->count; i++)
        if (steps->duration_ns[i] > steps->duration_ns[best])
            best = i;
    return best;
}

static struct chart chart_make(const struct app *app, const struct steps *steps, struct area area)
{
    struct chart chart = {.count = steps->count, .bucket = 1, .area = area};
    int width = area.width > 0 ? area.width : 1;
    uint32_t count = steps->count ? steps->count : 1;
    chart.pitch = (int)((uint32_t)width / count);
    chart.pitch = chart.pitch > 6 ? 6 : chart.pitch < 1 ? 1 : chart.pitch;
    chart.bar = chart.pitch > 2 ? chart.pitch - 1 : 1;
    while ((count + chart.bucket - 1) / chart.bucket > (uint32_t)width)
        chart.bucket++;
    chart.bars = (int)((count + chart.bucket - 1) / chart.bucket);
    // The axis ends a little over the longest chosen step; others are cut and marked.
    int64_t most = 0, all = 0;
    for (uint32_t i = 0; i < steps->count; i++) {
        if (steps->duration_ns[i] == UNKNOWN)
            continue;
        all = steps->duration_ns[i] > all ? steps->duration_ns[i] : all;
        if (app_iteration_is_in(app, i) && steps->duration_ns[i] > most)
            most = steps->duration_ns[i];
    }
    chart.top_ns = most > 0 && all > 2 * most ? most + most / 2 : all;
    return chart;
}

static void bar_column_draw(struct app *app, struct canvas *canvas, const struct chart *chart,
                            const struct steps *steps, int b, bool is_percent)
{
    uint32_t step = bucket_step(steps, (uint32_t)b * chart->bucket, chart->bucket);
    int x = chart->area.x + b * chart->pitch, height = chart->area.height;
    int64_t duration = steps->duration_ns[step];
    bool is_in = app_iteration_is_in(app, step);
    if (duration == UNKNOWN || duration <= 0 || chart->top_ns <= 0) {
        canvas_fill(canvas, (struct area){x, chart->area.y + height - 1, chart->bar, 1}, STYLE_OUT,
                    0x2013);
        return;
    }
    double share = is_percent ? 1 : (double)duration / (double)chart->top_ns;
    bool is_cut = share > 1;
    share = is_cut ? 1 : share;
    unsigned cells[BREAKDOWN_MAX], total = (unsigned)(share * height + 0.5);
    total = total < 1 ? 1 : total;
    breakdown_cells(&steps->parts[step], breakdown_gpu.count, total, cells);
    int y = chart->area.y + height - 1;
    for (size_t c = 0; c < breakdown_gpu.count; c++) {
        enum style style = is_in ? category_style(&breakdown_gpu, c) : STYLE_OUT;
        uint32_t glyph = is_in ? category_glyph(&breakdown_gpu, c, canvas->ascii) : ':';
        for (unsigned i = 0; i < cells[c]; i++, y--)
            canvas_fill(canvas, (struct area){x, y, chart->bar, 1}, style, glyph);
    }
    if (is_cut)
        canvas_fill(canvas, (struct area){x, chart->area.y, chart->bar, 1}, STYLE_WARNING, 0x25b2);
}

// The round number, 1, 2 or 5 and noughts, that lies at most `most` times in `top`.
static int64_t tick_step(int64_t top, int64_t most)
{
    int64_t step = 1;
    for (int i = 0; top / step > most; i++)
        step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    return step;
}

// A label stands beside the row that a bar of its value reaches.
static void axis_draw(struct canvas *canvas, const struct chart *chart, bool is_percent)
{
    enum { ROWS_PER_TICK = 2, TICKS = 8 };
    int height = chart->area.height, base = chart->area.y + height;
    int64_t top = is_percent ? 100 : chart->top_ns, most = height / ROWS_PER_TICK;
    int64_t step = tick_step(top, most < 1 ? 1 : most > TICKS ? TICKS : most);
    for (int y = chart->area.y; y < base; y++)
        canvas_put(canvas, chart->area.x - 1, y, STYLE_RULE, 0x2524);
    canvas_fit(canvas, 0, base, chart->area.x - 2, STYLE_DIM, FIT_RIGHT, "0");
    for (int64_t value = step; value <= top; value += step) {
        char text[FORMAT_SIZE];
        int cells = (int)((double)value / (double)top * height + 0.5);
        if (is_percent)
            snprintf(text, sizeof text, "%d %%", (int)value);
        else
            format_duration(text, value, canvas->ascii);
        if (cells > 0)
            canvas_fit(canvas, 0, base - cells, chart->area.x - 2, STYLE_DIM, FIT_RIGHT, text);
    }
}

// Numbers under the bars where there is room, then which are in the set.
static void labels_draw(struct app *app, struct canvas *canvas, const struct chart *chart, int y)
{
    const struct split *split = app->scope.split;
    int next = chart->area.x;
    uint32_t cursor_bar = app->iteration_cursor / chart->bucket;
    for (int b = 0; b < chart->bars; b++) {
        int x = chart->area.x + b * chart->pitch;
        uint32_t step = (uint32_t)b * chart->bucket;
        char text[32];
        snprintf(text, sizeof text, "%" PRId64, split->number[step]);
        int width = (int)strlen(text);
        if (x >= next && x + width <= chart->area.x + chart->area.width) {
            canvas_text_in(canvas, x, y, width,
                           (uint32_t)b == cursor_bar ? STYLE_STRONG : STYLE_DIM, text);
            next = x + width + 2;
        }
        bool any_in = false;
        for (uint32_t i = step; i < step + chart->bucket && i < chart->count; i++)
            any_in |= app_iteration_is_in(app, i);
        canvas_fill(canvas, (struct area){x, y + 1, chart->bar, 1},
                    (uint32_t)b == cursor_bar ? STYLE_MARK
                    : any_in                  ? STYLE_GOOD
                                              : STYLE_OUT,
                    (uint32_t)b == cursor_bar ? '^'
                    : any_in                  ? '='
                                              : ':');
    }
}

static void delta_text(char out[FORMAT_SIZE + 2], int64_t delta, bool ascii)
{
    char text[FORMAT_SIZE];
    snprintf(out, FORMAT_SIZE + 2, "%s%s", delta < 0 ? "-" : "+",
             format_duration(text, llabs(delta), ascii));
}

// The step whose duration is the median one: what the one under the cursor is compared with.
static uint32_t median_step(const struct app *app, const struct steps *steps,
                            const struct step_statistics *statistics)
{
    uint32_t median = ROW_NONE;
    for (uint32_t i = 0; i < steps->count; i++)
        if (app_iteration_is_in(app, i) && steps->duration_ns[i] == statistics->median_ns)
            median = i;
    return median;
}

// A category of a step of `own_ns`; `usual_ns`: of the median one, UNKNOWN: there is none to tell.
static void part_draw(struct canvas *canvas, struct area line, size_t category, int64_t mine_ns,
                      int64_t usual_ns, int64_t own_ns)
{
    char here[FORMAT_SIZE], there[FORMAT_SIZE], percent[FORMAT_SIZE], delta[FORMAT_SIZE + 2];
    canvas_put(canvas, line.x, line.y, category_style(&breakdown_gpu, category),
               category_glyph(&breakdown_gpu, category, canvas->ascii));
    canvas_fit(canvas, line.x + 2, line.y, 24, STYLE_TEXT, FIT_LEFT,
               breakdown_gpu.categories[category].title);
    canvas_fit(canvas, line.x + 27, line.y, 9, STYLE_STRONG, FIT_RIGHT,
               format_duration(here, mine_ns, canvas->ascii));
    format_percent(percent, (double)mine_ns / (double)own_ns);
    canvas_fit(canvas, line.x + 37, line.y, 6, STYLE_DIM, FIT_RIGHT,
               arena_format(canvas->frame, "%s%%", percent));
    if (usual_ns == UNKNOWN)
        return;
    enum style style = mine_ns - usual_ns > own_ns / 50 ? STYLE_WARNING : STYLE_DIM;
    delta_text(delta, mine_ns - usual_ns, canvas->ascii);
    canvas_fit(canvas, line.x + 45, line.y, 9, style, FIT_RIGHT, delta);
    canvas_format(canvas, line.x + 56, line.y, line.width - 57, style, "instead of %s",
                  format_duration(there, usual_ns, canvas->ascii));
}

// What makes this step longer or shorter than the median one: by category, adding up.
static void step_draw(struct app *app, struct canvas *canvas, struct area area,
                      const struct steps *steps, const struct step_statistics *statistics)
{
    uint32_t step = app->iteration_cursor;
    const struct split *split = app->scope.split;
    char duration[FORMAT_SIZE], delta[FORMAT_SIZE + 2];
    int64_t own = steps->duration_ns[step];
    if (own == UNKNOWN) {
        canvas_rule(canvas, 0, area.y, canvas->width, "nothing ran in this step");
        return;
    }
    uint32_t median = median_step(app, steps, statistics);
    delta_text(delta, own - statistics->median_ns, canvas->ascii);
    const char *against =
        statistics->count < 2 ? "" : arena_format(canvas->frame, ", %s against the median", delta);
    canvas_rule(canvas, 0, area.y, canvas->width,
                arena_format(canvas->frame, "Step %" PRId64 ": %s%s%s", split->number[step],
                             format_duration(duration, own, canvas->ascii), against,
                             app_iteration_is_in(app, step)         ? ""
                             : split->is_cut && split->is_cut[step] ? "   (cut off by the capture)"
                                                                    : "   (not in the set)"));
    int y = area.y + 1;
    for (size_t c = 0; c < breakdown_gpu.count && y < area.y + area.height; c++) {
        int64_t mine = steps->parts[step].ns[c];
        int64_t usual = median == ROW_NONE ? 0 : steps->parts[median].ns[c];
        bool is_told = statistics->count > 1 && median != ROW_NONE && median != step;
        if (mine != 0 || usual != 0)
            part_draw(canvas, (struct area){area.x, y++, area.width, 1}, c, mine,
                      is_told ? usual : UNKNOWN, own);
    }
}

// The usual step in one line.
static void figures_draw(struct app *app, struct canvas *canvas, struct area line,
                         const struct steps *steps, const struct step_statistics *statistics)
{
    char median[FORMAT_SIZE], worst[FORMAT_SIZE], p95[FORMAT_SIZE], mad[FORMAT_SIZE];
    format_duration(median, statistics->median_ns, canvas->ascii);
    if (statistics->count < 2) // of one there is no spread
        canvas_format(canvas, 1, line.y, line.width - 2, STYLE_STRONG, "%s   %u of %u in the set%s",
                      median, statistics->count, steps->count,
                      app->scope.split->method == SPLIT_NONE
                          ? "   O: what could cut the run into steps"
                          : "");
    else
        canvas_format(canvas, 1, line.y, line.width - 2, STYLE_STRONG,
                      "median %s   MAD %s%%   p95 %s   max %s (%s)   %u of %u in the set", median,
                      format_percent(mad, step_spread(statistics)),
                      format_duration(p95, statistics->p95_ns, canvas->ascii),
                      format_duration(worst, statistics->max_ns, canvas->ascii),
                      step_name(app, statistics->worst, canvas->frame), statistics->count,
                      steps->count);
}

static void draw(struct view *view, struct canvas *canvas, struct area area)
{
    struct app *app = view->app;
    struct iterations_state *state = view->state;
    const struct steps *steps = app_steps(app);
    struct step_statistics statistics = app_step_statistics(app);
    if (steps->count == 0 || area.height < 4)
        return;
    if (app->iteration_cursor >= steps->count)
        app->iteration_cursor = steps->count - 1;
    figures_draw(app, canvas, area, steps, &statistics);
    int below = area.height >= 16 ? (int)breakdown_gpu.count + 1 : area.height >= 11 ? 4 : 0;
    int height = area.height - 4 - below - 1;
    height = height > 24 ? 24 : height;
    if (height < 2) {
        height = area.height - 5;
        below = 0;
    }
    if (height < 1)
        return;
    struct chart chart =
        chart_make(app, steps, (struct area){10, area.y + 2, area.width - 11, height});
    if (chart.area.width < 4)
        return;
    axis_draw(canvas, &chart, state->is_percent);
    for (int b = 0; b < chart.bars; b++)
        bar_column_draw(app, canvas, &chart, steps, b, state->is_percent);
    canvas_fill(canvas, (struct area){9, area.y + 2 + height, area.width - 10, 1}, STYLE_RULE,
                0x2500);
    canvas_put(canvas, 9, area.y + 2 + height, STYLE_RULE, 0x2514);
    labels_draw(app, canvas, &chart, area.y + 3 + height);
    if (chart.bucket > 1)
        canvas_format(canvas, 10, area.y + 1, area.width - 11, STYLE_DIM,
                      "a bar is the longest of %u steps", chart.bucket);
    if (below > 0)
        step_draw(app, canvas,
                  (struct area){2, area.y + 5 + height, area.width - 3,
                                area.y + area.height - (area.y + 5 + height)},
                  steps, &statistics);
}

static bool move(uint32_t *at, uint32_t count, enum action action)
{
    uint32_t page = count / 10 > 1 ? count / 10 : 1;
    switch (action) {
    case ACTION_LEFT:
    case ACTION_UP:
        *at -= *at > 0;
        return true;
    case ACTION_RIGHT:
    case ACTION_DOWN:
        *at += *at + 1 < count;
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
    bool *members = arena_alloc(view->app->canvas->frame, split->count, sizeof *members);
    members[step] = true;
    struct selection selection = view_selection(view);
    selection.iterations = members;
    char label[40];
    snprintf(label, sizeof label, "step %" PRId64, split->number[step]);
    app_enter(view->app, "tree", &selection, label);
}

static bool act(struct view *view, enum action action)
{
    struct app *app = view->app;
    struct iterations_state *state = view->state;
    uint32_t count = app->scope.split->count, *at = &app->iteration_cursor;
    *at = *at < count ? *at : count - 1;
    if (move(at, count, action))
        return true;
    switch (action) {
    case ACTION_MARK:
        app_toggle_iteration(app, *at);
        return true;
    case ACTION_LEAVE_OUT:
        if (app_iteration_is_in(app, *at))
            app_toggle_iteration(app, *at);
        return true;
    case ACTION_EXPLAIN:
        app_explain_steps(app);
        return true;
    case ACTION_FLIP:
        state->is_percent = !state->is_percent;
        return true;
    case ACTION_ENTER:
        step_enter(view, *at);
        return true;
    default:
        return false;
    }
}

static const char *enters(struct view *view)
{
    (void)view;
    return "its tree";
}

const struct view_class view_iterations = {
    .name = "iterations",
    .title = "Iterations",
    .tab = "Iter",
    .digit = '4',
    .doc = "a stacked bar per step, by the GPU's clock; the chosen ones in colour",
    .kinds = KIND_ITERATIONS,
    .flip_label = "ms/%",
    .state_size = sizeof(struct iterations_state),
    .draw = draw,
    .act = act,
    .enters = enters,
    .saves = "iterations",
};
