// SPDX-License-Identifier: Apache-2.0
// The length of a step and how the GPU spends it: one line of figures, one bar, its legend.
#include "analysis/breakdown/breakdown.h"
#include "analysis/op_runs/mfu.h"
#include "analysis/report/selection_parts.h"
#include "analysis/report/stats.h"
#include "analysis/report/value.h"
#include "analysis/reports/report_list.h"
#include "analysis/reports/row_figures.h"
#include "analysis/sums/op_metrics.h"
#include "base/text/format.h"
#include "ui/host.h"
#include "ui/rows/cache.h"
#include "ui/state/scope.h"
#include "ui/state/steps.h"
#include "ui/state/view_classes.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"
#include "ui/views/panel.h"
#include "ui/widgets/bars.h"

REPORT_DECLARE(mfu);

enum { ROW_FIGURES, ROW_BAR, ROWS };

static bool has_steps(struct app *app)
{
    return host_scope(app)->split->method != SPLIT_NONE && app_step_statistics(app).count > 0;
}

static int rows(struct app *app, const struct summary_parts *parts)
{
    (void)app;
    return parts->total.window_ns > 0 ? ROWS : ROW_FIGURES + 1;
}

static int legend_draw(struct canvas *canvas, struct area area, const struct summary_parts *parts)
{
    struct legend legend = {
        .scheme = &breakdown_gpu, .breakdown = &parts->total, .divisor = parts->steps};
    legend.pieces[GPU_IDLE] = parts->idle_pieces;
    legend.pieces[GPU_COMMUNICATION] = parts->exposed_pieces;
    return breakdown_legend_draw(canvas, area, &legend);
}

static int lines(struct app *app, const struct summary_parts *parts, int width)
{
    enum { NOWHERE = -1000, MAX_LEGEND = 3 }; // coordinates off the screen: measures only
    struct area area = {NOWHERE, NOWHERE, width - 2, MAX_LEGEND};
    return parts->total.window_ns > 0 ? 3 + legend_draw(host_canvas(app), area, parts) : 2;
}

// Draws a figure only if all of it fits: a truncated figure could be mistaken for another one.
static int figure_draw(struct canvas *canvas, int x, int y, int right, enum style style,
                       const char *text)
{
    return canvas_width(text) <= right - x ? canvas_text(canvas, x, y, style, text) : 0;
}

// Returns true if the chosen time includes time between steps, before the first or after the last.
static bool has_outside(struct app *app, const struct summary_parts *parts)
{
    enum {
        OUTSIDE_PART = 1000
    }; // report time outside steps from 1/OUTSIDE_PART of the steps' time
    const struct steps *steps = app_steps(app);
    int64_t inside = 0;
    if (parts->selection.iterations)
        return false;
    for (uint32_t i = 0; i < steps->count; i++)
        sum_add(&inside, steps->parts[i].window_ns);
    return parts->total.window_ns - inside > inside / OUTSIDE_PART;
}

static int steps_figures_draw(struct app *app, const struct summary_parts *parts,
                              struct canvas *canvas, int x, int y, int right)
{
    struct step_statistics statistics = app_step_statistics(app);
    struct arena *arena = canvas->frame;
    char time[FORMAT_SIZE], spread[FORMAT_SIZE];
    // The bar adds up to the mean. One slow step moves the mean but not the median.
    int64_t mean = ns_per_step(parts->total.window_ns, parts->steps);
    if (mean > 0) { // without GPU work there is only the host's clock
        format_duration(time, mean, canvas->ascii);
        x += figure_draw(canvas, x, y, right, STYLE_STRONG, time);
        x += figure_draw(canvas, x, y, right, STYLE_TEXT,
                         has_outside(app, parts) ? " mean, with what lies outside   " : " mean   ");
    }
    if (!split_has_steps(host_scope(app)->split))
        return x + figure_draw(canvas, x, y, right, STYLE_TEXT,
                               step_statistics_text(&statistics, host_scope(app)->split,
                                                    canvas->ascii, arena));
    format_duration(time, statistics.median_ns, canvas->ascii);
    x += figure_draw(canvas, x, y, right, STYLE_TEXT, arena_format(arena, "%s median", time));
    if (statistics.count < 2)
        return x;
    format_percent(spread, step_spread(&statistics));
    x += figure_draw(canvas, x, y, right, STYLE_DIM,
                     arena_format(arena, canvas->ascii ? " +-%s%%" : " ±%s%%", spread));
    uint32_t step = app_step_norms(app).worst; // of its kind
    const char *worst = host_step_name(app, step, arena);
    format_duration(time, app_steps(app)->duration_ns[step], canvas->ascii);
    return x + figure_draw(canvas, x, y, right, STYLE_TEXT,
                           arena_format(arena, "   worst %s %s", worst, time));
}

// Finds the fraction of peak FLOP/s (MFU). Returns false if there is none or it is not computed
// yet: the shapes of all kernels take a while, and a terminal must not block on them.
static bool mfu_find(struct app *app, const struct selection *selection, struct mfu *sum)
{
    const struct profile *profile = host_profile(app);
    // A NULL split means that memory has run out before.
    if (profile->stage != STAGE_READY || profile->lacks_times || !selection->split ||
        !has_steps(app))
        return false;
    if (host_is_live(app) && !host_has_rows(app, &report_mfu, selection))
        return false;
    struct cached *cached = host_rows(app, &report_mfu, selection);
    if (!cached)
        return false;
    *sum = mfu_of_rows(&cached->rows);
    cache_release(cached);
    return sum->gpu_ns > 0;
}

// Draws the longest form that fits.
static void mfu_draw(struct app *app, const struct summary_parts *parts, struct canvas *canvas,
                     int x, int y, int right)
{
    struct arena *arena = canvas->frame;
    const struct step_size *size = &parts->selection.step_size;
    struct mfu sum;
    if (!mfu_find(app, &parts->selection, &sum))
        return;
    const char *percent = mfu_percent_text(&sum, canvas->ascii, arena);
    if (!*percent && sum.all_ns > 0)
        percent = canvas->ascii ? "-" : "–";
    if (*percent) {
        const char *types = mfu_types(&sum, arena);
        const char *forms[] = {arena_format(arena, "   MFU %s (%s)", percent, types),
                               arena_format(arena, "   MFU %s", percent),
                               arena_format(arena, "  MFU %.0f%%", 100 * mfu_percent(&sum).real)};
        bool is_known = *types,
             is_whole = mfu_percent(&sum).kind != VALUE_NONE && !mfu_is_lower_bound(&sum);
        for (int f = is_known ? 0 : 1, used = 0; f < (is_whole ? 3 : 2) && used == 0;
             f++, x += used)
            used = figure_draw(canvas, x, y, right, STYLE_TEXT, forms[f]);
    }
    if (size->items > 0)
        figure_draw(canvas, x, y, right, STYLE_TEXT,
                    arena_format(arena, "   %s", mfu_items_text(&sum, size, arena)));
}

static void figures_draw(struct app *app, const struct summary_parts *parts, struct canvas *canvas,
                         struct area area)
{
    int64_t window = parts->total.window_ns;
    int x = area.x + 1, right = area.x + area.width - 1;
    char text[FORMAT_SIZE];
    if (has_steps(app)) {
        x = steps_figures_draw(app, parts, canvas, x, area.y, right);
    } else {
        int64_t length =
            window > 0 ? window : selection_wall_ns(host_profile(app), &parts->selection);
        x += canvas_text_in(canvas, x, area.y, right - x, STYLE_STRONG,
                            format_duration(text, length, canvas->ascii));
    }
    if (window <= 0)
        canvas_text_in(canvas, x + 3, area.y, right - x - 3, STYLE_DIM,
                       parts->outside ? parts->outside : "no GPU work in this selection");
    else
        x += figure_draw(canvas, x, area.y, right, STYLE_TEXT,
                         host_profile(app)->lacks_times
                             ? "   when it ran, and what was idle, is not told"
                             : arena_format(canvas->frame, "   GPU busy %s%%",
                                            format_percent(text, breakdown_busy(&parts->total))));
    mfu_draw(app, parts, canvas, x, area.y, right);
}

static const char *title_text(struct app *app, const struct summary_parts *parts,
                              struct arena *arena)
{
    uint32_t devices = selection_device_count(host_profile(app), &parts->selection);
    if (has_steps(app))
        return arena_format(arena, "One %s", split_words_of(host_scope(app)->split)->one);
    if (parts->total.window_ns <= 0)
        return "The whole run";
    const char *what = host_step_title(app, 0, arena);
    return devices > 1 ? arena_format(arena, "%s, mean of %u GPUs", what, devices) : what;
}

static void draw(struct app *app, const struct summary_parts *parts, struct canvas *canvas,
                 struct area area, int cursor)
{
    canvas_rule(canvas, area.x, area.y, area.width, title_text(app, parts, canvas->frame));
    figures_draw(app, parts, canvas, (struct area){area.x, area.y + 1, area.width, 1});
    if (parts->total.window_ns > 0 && area.height > 2)
        breakdown_bar_draw(canvas, area.x + 1, area.y + 2, area.width - 2, &breakdown_gpu,
                           &parts->total);
    if (parts->total.window_ns > 0 && area.height > 3)
        legend_draw(canvas, (struct area){area.x + 1, area.y + 3, area.width - 2, area.height - 3},
                    parts);
    if (cursor != PANEL_NO_CURSOR)
        panel_cursor_draw(canvas, (struct area){area.x, area.y + 1 + cursor, area.width, 1});
}

static void enter(struct app *app, const struct summary_parts *parts, int row)
{
    (void)parts;
    if (row == ROW_BAR || !has_steps(app)) {
        host_go_to(app, view_class_find("kernels"));
        return;
    }
    host_set_step(app, app_step_norms(app).worst);
    host_go_to(app, view_class_find("iterations"));
}

static void figures_explain(struct app *app, const struct split_words *words, const char *bar)
{
    struct arena *arena = host_canvas(app)->frame;
    uint32_t counts[STEP_KIND_COUNT];
    const char *enter = action_text("{enter}", arena);
    const char *middle =
        split_has_steps(host_scope(app)->split)
            ? arena_format(arena,
                           "median: of the same steps; one bad step does not move it.\n\n"
                           "%s: median distance from the median (MAD), as a share of it.\n\n"
                           "worst: %s; %s goes there.",
                           host_canvas(app)->ascii ? "+-" : "±",
                           split_count_kinds(host_scope(app)->split, counts)
                               ? "the furthest above the median of its kind"
                               : "the longest of the chosen steps",
                           enter)
            : arena_format(arena,
                           "p50, p90, p99: that many percent of the same %s are not longer.\n\n"
                           "max: the longest of them; %s goes there.",
                           words->several, enter);
    host_open_box(
        app, arena_format(arena, "The figures of one %s", words->one),
        arena_format(arena,
                     "mean: time by the GPU's clock of the chosen %s, over their number; "
                     "the bar adds up to it. Of all %s, what lies outside of them counts "
                     "too, and is said; the findings judge the %s alone.\n\n%s\n\n"
                     "GPU busy: share of that time in which anything runs on the GPU.\n\n"
                     "MFU: the share of what the GPUs could compute in the chosen %s that "
                     "the model needs, by shapes in the file or :flops. :view mfu has it for "
                     "each, and how much of it is known; a dash: less than half.\n\n"
                     "%s",
                     words->several, words->several, words->several, middle, words->several, bar));
}

static void explain(struct app *app, const struct summary_parts *parts, int row)
{
    struct arena *arena = host_canvas(app)->frame;
    char *text = arena_format(arena, "%s", breakdown_gpu.doc);
    const struct split_words *words = split_words_of(host_scope(app)->split);
    if (row == ROW_FIGURES) {
        figures_explain(app, words, text);
        return;
    }
    for (size_t c = 0; c < breakdown_gpu.count; c++) {
        text = arena_format(arena, "%s\n\n%s: %s", text, breakdown_gpu.categories[c].title,
                            breakdown_gpu.categories[c].doc);
        const char *const *pieces = c == GPU_IDLE            ? parts->idle_pieces
                                    : c == GPU_COMMUNICATION ? parts->exposed_pieces
                                                             : NULL;
        for (bool is_first = true; pieces && *pieces; pieces++, is_first = false)
            text = arena_format(arena, "%s%s %s", text, is_first ? ". Here" : ",", *pieces);
    }
    host_open_box(app, arena_format(arena, "The bar of one %s", words->one), text);
}

const struct panel panel_step = {
    .title = "One step",
    .doc = "mean, median, MAD (the median distance from it), longest of the chosen steps by the "
           "GPU's clock. The bar is the mean step of a GPU in parts that add up: at each instant "
           "compute, then communication, then copies; idle is the rest, by cause",
    .rows = rows,
    .lines = lines,
    .draw = draw,
    .enters = "the worst step; of the bar, the kernels",
    .enter = enter,
    .explain = explain,
};
