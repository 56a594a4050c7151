// SPDX-License-Identifier: Apache-2.0
// Draws stacked bars for steps (steps_chart.h). A bucket is the range of consecutive steps that
// share a bar; with few steps each bucket has one step. "Chosen" steps are in the selected set.
#include "ui/views/steps_chart.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/steps/step_slowest.h"
#include "base/sort.h"
#include "base/text/format.h"
#include "model/profile/ranks.h"
#include "ui/host.h"
#include "ui/state/scope.h"
#include "ui/state/steps.h"
#include "ui/term/canvas.h"
#include "ui/term/glyph.h"
#include "ui/term/style.h"
#include "ui/widgets/bars.h"

// Zooming in stops at MIN_SHOWN steps. Few bars are at most MAX_PITCH columns apart.
enum { MIN_SHOWN = 4, MAX_PITCH = 6 };

// ---- which steps -------------------------------------------------------------------------------

void steps_chart_scroll(struct app *app, unsigned *zoom, uint32_t *first, uint32_t *count)
{
    uint32_t all = app_steps(app)->count, cursor = host_step(app);
    while (*zoom > 0 && (*zoom > 31 || all >> *zoom < MIN_SHOWN))
        (*zoom)--;
    *count = all >> *zoom;
    if (*first > cursor)
        *first = cursor;
    if (cursor - *first >= *count)
        *first = cursor - *count + 1;
    if (*first > all - *count)
        *first = all - *count;
}

static uint32_t bucket_end(const struct steps_chart *chart, uint32_t step)
{
    uint32_t end = chart->first + chart->count;
    return end - step > chart->bucket ? step + chart->bucket : end;
}

struct step_length { // a step of a bucket, for sorting by length
    int64_t ns;
    uint32_t step;
};

static int compare_lengths(const void *a, const void *b)
{
    const struct step_length *x = a, *y = b;
    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return (x->step > y->step) - (x->step < y->step);
}

struct bucket {
    uint32_t step;  // the step shown: the one of median length
    int64_t max_ns; // of the longest step; UNKNOWN: no step has a length
    bool is_in;     // it has chosen steps: the bar shows only these
};

static struct bucket bucket_of(struct app *app, const struct steps_chart *chart, uint32_t step)
{
    uint32_t end = bucket_end(chart, step), known = 0;
    struct bucket bucket = {.step = step, .max_ns = UNKNOWN};
    for (uint32_t i = step; i < end; i++)
        bucket.is_in |= host_step_is_selected(app, i);
    if (chart->bucket == 1) {
        bucket.max_ns = chart->duration_ns[step];
        return bucket;
    }
    struct step_length *lengths = arena_alloc(host_canvas(app)->frame, end - step, sizeof *lengths);
    for (uint32_t i = step; i < end; i++)
        if (chart->duration_ns[i] != UNKNOWN && (!bucket.is_in || host_step_is_selected(app, i)))
            lengths[known++] = (struct step_length){chart->duration_ns[i], i};
    if (known == 0)
        return bucket;
    qsort(lengths, known, sizeof *lengths, compare_lengths);
    bucket.step = lengths[known / 2].step;
    bucket.max_ns = lengths[known - 1].ns;
    return bucket;
}

uint32_t steps_chart_move(struct app *app, uint32_t first, uint32_t bucket, int bars)
{
    const struct steps *steps = app_steps(app);
    uint32_t cursor = host_step(app), at = cursor < first ? 0 : (cursor - first) / bucket;
    if (bars < 0 && at == 0) {
        at = first;
        at -= at > bucket ? bucket : at;
    } else {
        at = first + (bars < 0 ? at - 1 : at + 1) * bucket;
    }
    if (at >= steps->count)
        return cursor;
    uint32_t longest_step = at;
    for (uint32_t i = at; i < steps->count && i - at < bucket; i++)
        if (steps->duration_ns[i] > steps->duration_ns[longest_step])
            longest_step = i;
    return longest_step;
}

// ---- the scale ---------------------------------------------------------------------------------

// The axis ends slightly above the longest chosen step; longer bars are cut and marked.
static int64_t chart_top(const struct app *app, const struct steps_chart *chart)
{
    int64_t longest_chosen = 0, longest = 0;
    for (uint32_t i = chart->first; i < chart->first + chart->count; i++) {
        int64_t ns = chart->duration_ns[i];
        if (ns == UNKNOWN)
            continue;
        longest = ns > longest ? ns : longest;
        longest_chosen = host_step_is_selected(app, i) && ns > longest_chosen ? ns : longest_chosen;
    }
    return longest_chosen > 0 && longest > 2 * longest_chosen ? longest_chosen + longest_chosen / 2
                                                              : longest;
}

static void chart_fit(struct steps_chart *chart)
{
    uint32_t width = chart->area.width > 0 ? (uint32_t)chart->area.width : 1;
    uint32_t count = chart->count ? chart->count : 1;
    chart->bucket = (count + width - 1) / width;
    chart->bars = (int)((count + chart->bucket - 1) / chart->bucket);
    chart->pitch = (int)width / chart->bars;
    chart->pitch = chart->pitch > MAX_PITCH ? MAX_PITCH : chart->pitch;
    chart->bar = chart->pitch > 2 ? chart->pitch - 1 : 1;
}

struct steps_chart steps_chart_make(struct app *app, struct area area, uint32_t first,
                                    uint32_t count)
{
    const struct steps *steps = app_steps(app);
    struct steps_chart chart = {.area = area,
                                .first = first,
                                .count = count,
                                .duration_ns = steps->duration_ns,
                                .parts = steps->parts};
    chart_fit(&chart);
    chart.top_ns = chart_top(app, &chart);
    return chart;
}

// ---- bars --------------------------------------------------------------------------------------

// Returns the height of a bar for a length of time, in cells.
static int length_cells(const struct steps_chart *chart, int64_t ns)
{
    double share = chart->top_ns > 0 ? (double)ns / (double)chart->top_ns : 0;
    return (int)((share > 1 ? 1 : share) * chart->area.height + 0.5);
}

// Returns true if the host's period of a step differs from the GPU's and is within the axis. The
// last step has no period, because no step follows it.
static bool marks_host(const struct steps *steps, const struct steps_chart *chart, uint32_t step)
{
    return chart->has_host && step + 1 < steps->count &&
           step_host_differs(chart->duration_ns[step], steps->host_ns[step]) &&
           steps->host_ns[step] <= chart->top_ns;
}

bool steps_chart_marks_host(struct app *app, const struct steps_chart *chart)
{
    const struct steps *steps = app_steps(app);
    bool any = false;
    for (uint32_t i = 0; i < chart->count && chart->bucket == 1; i++)
        any |= marks_host(steps, chart, chart->first + i);
    return any;
}

static void host_draw(struct app *app, struct canvas *canvas, const struct steps_chart *chart,
                      uint32_t step, int x)
{
    if (!marks_host(app_steps(app), chart, step))
        return;
    int cells = length_cells(chart, app_steps(app)->host_ns[step]);
    canvas_put(canvas, x, chart->area.y + chart->area.height - (cells > 0 ? cells : 1),
               STYLE_STRONG, 'h');
}

static void bar_draw_at(struct app *app, struct canvas *canvas, const struct steps_chart *chart,
                        uint32_t first, int x)
{
    struct bucket bucket = bucket_of(app, chart, first);
    int64_t duration = chart->duration_ns[bucket.step];
    int height = chart->area.height, y = chart->area.y + height - 1;
    if (duration == UNKNOWN || duration <= 0 || chart->top_ns <= 0) {
        canvas_fill(canvas, (struct area){x, y, chart->bar, 1}, STYLE_EXCLUDED, 0x2013);
        return;
    }
    int length = chart->is_percent ? height : length_cells(chart, duration);
    unsigned cells[MAX_BREAKDOWN_CATEGORIES], total = length < 1 ? 1 : (unsigned)length;
    breakdown_cells(&chart->parts[bucket.step], breakdown_gpu.count, total, cells);
    for (size_t c = 0; c < breakdown_gpu.count; c++) {
        enum style style = bucket.is_in ? category_style(&breakdown_gpu, c) : STYLE_EXCLUDED;
        uint32_t glyph = bucket.is_in ? category_glyph(&breakdown_gpu, c, canvas->ascii) : ':';
        for (unsigned i = 0; i < cells[c]; i++, y--)
            canvas_fill(canvas, (struct area){x, y, chart->bar, 1}, style, glyph);
    }
    if (chart->is_percent)
        return;
    int tick = length_cells(chart, bucket.max_ns);
    if (bucket.max_ns > chart->top_ns)
        canvas_fill(canvas, (struct area){x, chart->area.y, chart->bar, 1}, STYLE_WARNING, 0x25b2);
    else if (tick > length)
        canvas_fill(canvas, (struct area){x, chart->area.y + height - tick, chart->bar, 1},
                    STYLE_DIM, 0x2500);
    if (chart->bucket == 1)
        host_draw(app, canvas, chart, bucket.step, x);
}

// ---- axis and labels ---------------------------------------------------------------------------

// Returns the smallest of 1, 2 or 5 times a power of ten that fits at most `most` times into `top`.
static int64_t tick_step(int64_t top, int64_t most)
{
    int64_t step = 1;
    for (int i = 0; top / step > most; i++)
        step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    return step;
}

// A label is on the row that a bar of its value reaches.
static void axis_draw(struct canvas *canvas, const struct steps_chart *chart)
{
    // Minimum distance of two labels of the axis; maximum number of labels.
    enum { ROWS_PER_TICK = 2, TICKS = 8 };
    int height = chart->area.height, base = chart->area.y + height;
    int64_t top = chart->is_percent ? 100 : chart->top_ns, max_ticks = height / ROWS_PER_TICK;
    int64_t step = tick_step(top, max_ticks < 1 ? 1 : max_ticks > TICKS ? TICKS : max_ticks);
    for (int y = chart->area.y; y < base; y++)
        canvas_put(canvas, chart->area.x - 1, y, STYLE_RULE, 0x2524);
    canvas_fill(canvas, (struct area){chart->area.x - 1, base, chart->area.width + 1, 1},
                STYLE_RULE, 0x2500);
    canvas_put(canvas, chart->area.x - 1, base, STYLE_RULE, 0x2514);
    canvas_fit(canvas, 0, base, chart->area.x - 2, STYLE_DIM, FIT_RIGHT, "0");
    for (int64_t value = step; value <= top; value += step) {
        char text[FORMAT_SIZE];
        int cells = (int)((double)value / (double)top * height + 0.5);
        if (chart->is_percent)
            snprintf(text, sizeof text, "%d %%", (int)value);
        else
            format_duration(text, value, canvas->ascii);
        if (cells > 0)
            canvas_fit(canvas, 0, base - cells, chart->area.x - 2, STYLE_DIM, FIT_RIGHT, text);
    }
}

// Returns the sign and style of a bar whose chosen steps are of one kind; else '='.
static char kind_sign(struct app *app, uint32_t from, uint32_t to, enum style *style)
{
    const struct split *split = host_scope(app)->split;
    enum step_kind kind = STEP_KIND_NONE;
    bool is_first = true;
    for (uint32_t i = from; i < to; i++) {
        if (!host_step_is_selected(app, i))
            continue;
        if (!is_first && split_kind(split, i) != kind)
            return '=';
        kind = split_kind(split, i);
        is_first = false;
    }
    if (kind == STEP_KIND_NONE)
        return '=';
    *style = step_kind_style(kind);
    return step_kind_names[kind][0];
}

enum style step_kind_style(enum step_kind kind)
{
    static const enum style styles[STEP_KIND_COUNT] = {
        [STEP_KIND_NONE] = STYLE_BAR, [STEP_PREFILL] = STYLE_TENSOR, [STEP_DECODE] = STYLE_COPY,
        [STEP_MIXED] = STYLE_COMM,    [STEP_IDLE] = STYLE_IDLE,
    };
    return styles[kind];
}

// Draws a line of signs: which steps are in the set, of which kind, and where the cursor is.
static void set_draw(struct app *app, struct canvas *canvas, const struct steps_chart *chart, int y)
{
    uint32_t cursor_bar = (host_step(app) - chart->first) / chart->bucket;
    for (int b = 0; b < chart->bars; b++) {
        uint32_t step = chart->first + (uint32_t)b * chart->bucket;
        bool is_in = false, is_cursor = (uint32_t)b == cursor_bar;
        for (uint32_t i = step; i < bucket_end(chart, step); i++)
            is_in |= host_step_is_selected(app, i);
        bool is_span =
            chart->has_span && step <= chart->span_to && bucket_end(chart, step) > chart->span_from;
        enum style style = STYLE_GOOD;
        char sign = kind_sign(app, step, bucket_end(chart, step), &style);
        canvas_fill(canvas, (struct area){chart->area.x + b * chart->pitch, y, chart->bar, 1},
                    is_cursor || is_span ? STYLE_MARK
                    : is_in              ? style
                                         : STYLE_EXCLUDED,
                    is_cursor ? '^'
                    : is_span ? '+'
                    : is_in   ? (uint32_t)sign
                              : ':');
    }
}

// Draws numbers under the bars where they fit; the cursor's number is always drawn.
static void labels_draw(struct app *app, struct canvas *canvas, const struct steps_chart *chart,
                        int y)
{
    const struct split *split = host_scope(app)->split;
    int right = chart->area.x + chart->area.width, next = chart->area.x;
    int cursor_bar = (int)((host_step(app) - chart->first) / chart->bucket);
    int cursor_x = chart->area.x + cursor_bar * chart->pitch;
    const char *name = host_step_name(app, host_step(app), canvas->frame) + 1;
    int cursor_width = canvas_width(name);
    for (int b = 0; b < chart->bars; b++) {
        int x = chart->area.x + b * chart->pitch;
        char text[32];
        snprintf(text, sizeof text, "%" PRId64,
                 split->number[chart->first + (uint32_t)b * chart->bucket]);
        int width = (int)strlen(text);
        bool is_clear = x + width < cursor_x || x > cursor_x + cursor_width;
        if (b == cursor_bar || x < next || x + width > right || !is_clear)
            continue;
        canvas_text_in(canvas, x, y, width, STYLE_DIM, text);
        next = x + width + 1;
    }
    cursor_x = cursor_x + cursor_width > right ? right - cursor_width : cursor_x;
    canvas_text_in(canvas, cursor_x, y, cursor_width, STYLE_STRONG, name);
}

void steps_chart_draw(struct app *app, struct canvas *canvas, const struct steps_chart *chart)
{
    if (chart->area.width < 4 || chart->area.height < 1)
        return;
    for (int b = 0; b < chart->bars; b++)
        bar_draw_at(app, canvas, chart, chart->first + (uint32_t)b * chart->bucket,
                    chart->area.x + b * chart->pitch);
    int below = chart->area.y + chart->area.height;
    if (chart->is_small) {
        set_draw(app, canvas, chart, below);
        return;
    }
    axis_draw(canvas, chart);
    labels_draw(app, canvas, chart, below + 1);
    canvas_fit(canvas, 0, below + 2, chart->area.x - 2, STYLE_DIM, FIT_RIGHT, "in set");
    set_draw(app, canvas, chart, below + 2);
}

// ---- a chart for each GPU ----------------------------------------------------------------------

// The GPUs that ran work, by number. If not all fit on screen, they are ordered by the number of
// steps in which they are the slowest GPU by far.
struct charts {
    uint32_t *devices;
    int64_t *numbers; // names the GPU: its rank if each GPU has a rank of its own
    bool by_rank;
    uint32_t count;
};

static uint32_t *times_slowest(struct app *app)
{
    const struct steps_slowest *slowest = app_steps_slowest(app);
    const struct steps *steps = app_steps(app);
    uint32_t *times = ARENA_ARRAY(host_canvas(app)->frame, uint32_t, steps->device_count + 1);
    for (uint32_t i = 0; slowest && i < steps->count; i++)
        if (slowest->steps[i].is_odd && host_step_is_selected(app, i))
            times[slowest->steps[i].device]++;
    return times;
}

static struct charts charts_of(struct app *app)
{
    const struct steps *steps = app_steps(app);
    struct arena *arena = host_canvas(app)->frame;
    struct charts charts = {.devices = ARENA_ARRAY(arena, uint32_t, steps->device_count + 1),
                            .numbers = ARENA_ARRAY(arena, int64_t, steps->device_count + 1)};
    for (uint32_t d = 0; d < steps->device_count; d++)
        if (steps->devices[d].parts)
            charts.devices[charts.count++] = d;
    return charts;
}

static int compare_times_slowest(const void *context, uint32_t a, uint32_t b)
{
    const uint32_t *times = context;
    return times[a] != times[b] ? (times[a] < times[b]) - (times[a] > times[b]) : (a > b) - (a < b);
}

// Returns "median 412 ms ±1.9%   #3 430 ms, works 401 ms", shortened to `room`. Work is the time
// without communication and idle time: it tells GPUs apart that wait for each other.
static const char *device_text(struct app *app, const struct steps_device *device, int room)
{
    const struct canvas *canvas = host_canvas(app);
    struct arena *arena = canvas->frame;
    uint32_t at = host_step(app);
    struct step_statistics usual = step_statistics_of(
        device->duration_ns, host_scope(app)->iterations, app_steps(app)->count, arena);
    const struct breakdown *parts = &device->parts[at];
    char median[FORMAT_SIZE], here[FORMAT_SIZE], works[FORMAT_SIZE], mad[FORMAT_SIZE];
    format_duration(median, usual.median_ns, canvas->ascii);
    format_duration(works, breakdown_busy_ns(parts) - parts->ns[GPU_COMMUNICATION], canvas->ascii);
    const char *under =
        device->duration_ns[at] == UNKNOWN
            ? arena_format(arena, "%s -", host_step_name(app, at, arena))
            : arena_format(arena, "%s %s, works %s", host_step_name(app, at, arena),
                           format_duration(here, device->duration_ns[at], canvas->ascii), works);
    const char *figures[] = {
        arena_format(arena, "median %s ±%s%%   %s", median,
                     format_percent(mad, step_spread(&usual)), under),
        arena_format(arena, "median %s  %s", median, under),
        under,
    };
    size_t form = 0;
    while (form < 2 && canvas_width(figures[form]) > room)
        form++;
    return figures[form];
}

// Draws one GPU's title, bars and signs.
static void gpu_chart_draw(struct app *app, struct canvas *canvas, struct area area,
                           const struct charts *charts, uint32_t at, const struct steps_chart *like)
{
    const struct steps_device *device = &app_steps(app)->devices[charts->devices[at]];
    struct steps_chart chart = *like;
    chart.area = (struct area){area.x + 1, area.y + 1, area.width - 3, area.height - 2};
    chart.parts = device->parts;
    chart.duration_ns = device->duration_ns;
    chart.is_small = true;
    chart.has_host = false;
    chart_fit(&chart);
    int x = area.x + 1;
    x += canvas_format(canvas, x, area.y, area.width - 1, STYLE_STRONG, "%s %" PRId64 "  ",
                       charts->by_rank ? "rank" : "GPU", charts->numbers[at]);
    int room = area.x + area.width - x - 1;
    canvas_text_in(canvas, x, area.y, room, STYLE_DIM, device_text(app, device, room));
    steps_chart_draw(app, canvas, &chart);
}

uint32_t steps_charts_draw(struct app *app, struct canvas *canvas, struct area area,
                           const struct steps_chart *like)
{
    // Charts are put side by side, at most MAX_ACROSS, if they would be lower than MIN_HEIGHT.
    enum { MIN_HEIGHT = 6, MIN_WIDTH = 30, MAX_ACROSS = 4 };
    struct charts charts = charts_of(app);
    int count = (int)charts.count, across = 1;
    if (count == 0)
        return 0;
    while (across < MAX_ACROSS && across < count &&
           area.height / ((count + across - 1) / across) < MIN_HEIGHT &&
           area.width / (across + 1) >= MIN_WIDTH)
        across++;
    int down = (count + across - 1) / across;
    while (down > 1 && area.height / down < 3)
        down--;
    int shown = count < across * down ? count : across * down;
    if (shown < count)
        sort_ids(charts.devices, charts.count, compare_times_slowest, times_slowest(app),
                 canvas->frame);
    charts.by_rank = device_display_numbers(host_profile(app), charts.devices, charts.count,
                                            charts.numbers, canvas->frame);
    for (int i = 0; i < shown; i++) {
        struct area cell = {0, 0, area.width / across, area.height / down};
        cell.x = area.x + i % across * cell.width;
        cell.y = area.y + i / across * cell.height;
        gpu_chart_draw(app, canvas, cell, &charts, (uint32_t)i, like);
    }
    return (uint32_t)(count - shown);
}
