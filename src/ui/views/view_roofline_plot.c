// SPDX-License-Identifier: Apache-2.0
// The roofline plot: kernels as points over FLOPs per byte, under the roofs of their GPU. The table
// below lists the kernels by time above the ideal. A point is a row that passes the filter; the
// point of the row under the cursor is highlighted.
#include <string.h>

#include "analysis/op_runs/roofline.h"
#include "model/rules/rules.h"
#include "ui/actions/table_view.h"
#include "ui/host.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"
#include "ui/widgets/plot.h"

enum { MIN_TABLE = 6, MIN_PLOT = 8 }; // lines

struct points {
    size_t count;
    double *intensity, *rate; // FLOPs/B, TFLOP/s; 0: unknown, or the kernel computes nothing
    double *weight;           // its share of all time above the ideal
    size_t cursor;
    size_t without_point;
    bool has_limit[LIMITS];
};

static double real_of(const struct report *report, const char *key, const void *row)
{
    const struct column *column = report_column(report, key);
    struct value value = column ? column->get(row) : value_none();
    return value.kind == VALUE_REAL      ? value.real
           : value.kind == VALUE_INTEGER ? (double)value.integer
                                         : 0;
}

static void find_limit(struct points *points, const struct report *report, const void *row)
{
    const struct column *column = report_column(report, "limit");
    struct value value = column ? column->get(row) : value_none();
    for (unsigned l = 0; value.kind == VALUE_TEXT && l < LIMITS; l++)
        points->has_limit[l] |= strcmp(value.text, roofline_limit_texts[l]) == 0;
}

static struct points find_points(const struct table *table, struct arena *arena)
{
    struct points points = {.count = table->shown_count, .cursor = table->cursor};
    points.intensity = ARENA_ARRAY(arena, double, points.count + 1);
    points.rate = ARENA_ARRAY(arena, double, points.count + 1);
    points.weight = ARENA_ARRAY(arena, double, points.count + 1);
    double above = 0;
    for (size_t i = 0; i < points.count; i++) {
        const void *row = report_row(table->report, &table->rows, table->shown[i]);
        points.intensity[i] = real_of(table->report, "intensity", row);
        points.rate[i] = real_of(table->report, "flop_rate", row);
        points.weight[i] = real_of(table->report, "above", row);
        points.without_point += !(points.intensity[i] > 0 && points.rate[i] > 0);
        above += points.weight[i];
        find_limit(&points, table->report, row);
    }
    for (size_t i = 0; above > 0 && i < points.count; i++)
        points.weight[i] /= above;
    return points;
}

// ---- roofs --------------------------------------------------------------------------------------

// Returns the GPU whose roofs are drawn: the first selected GPU that ran kernels and whose peaks
// are known; ROW_NONE if there is none.
static uint32_t roof_device(const struct view *view)
{
    const struct profile *profile = host_profile(view->app);
    struct selection selection = view_selection(view);
    for (uint32_t d = 0; d < profile->device_count; d++)
        if (profile->devices[d].has_kernels &&
            (selection.device == ROW_NONE || selection.device == d) &&
            roofline_roof(profile, d, LIMIT_MEMORY) > 0)
            return d;
    return ROW_NONE;
}

struct roofs {
    uint32_t device;                         // ROW_NONE: none is known
    double bandwidth, peak[LIMITS], highest; // TB/s, TFLOP/s; 0: unknown
};

static double tera_roof(const struct profile *profile, uint32_t device, unsigned limit)
{
    return roofline_roof(profile, device, limit) / 1e12;
}

// Finds the roof of the memory and the roofs of the data types that limit any point; if no point is
// limited by a data type, the roofs of FP16 and FP32.
static struct roofs find_roofs(const struct view *view, const struct points *points)
{
    static const unsigned usual[] = {LIMIT_FP16, LIMIT_FP32};
    const struct profile *profile = host_profile(view->app);
    struct roofs roofs = {.device = roof_device(view)};
    if (roofs.device == ROW_NONE)
        return roofs;
    roofs.bandwidth = tera_roof(profile, roofs.device, LIMIT_MEMORY);
    for (unsigned l = LIMIT_MEMORY + 1; l < LIMITS; l++) {
        roofs.peak[l] = points->has_limit[l] ? tera_roof(profile, roofs.device, l) : 0;
        roofs.highest = roofs.peak[l] > roofs.highest ? roofs.peak[l] : roofs.highest;
    }
    bool has_type_roof = roofs.highest > 0;
    for (size_t i = 0; i < sizeof usual / sizeof *usual && !has_type_roof; i++) {
        roofs.peak[usual[i]] = tera_roof(profile, roofs.device, usual[i]);
        roofs.highest = roofs.peak[usual[i]] > roofs.highest ? roofs.peak[usual[i]] : roofs.highest;
    }
    return roofs;
}

static void roofs_draw(struct plot *plot, const struct roofs *roofs)
{
    // Without a roof, to the edge.
    double top = roofs->highest > 0 ? roofs->highest : plot->y.high;
    plot_line(plot, plot->x.low, plot->x.low * roofs->bandwidth, top / roofs->bandwidth, top);
    for (unsigned l = LIMIT_MEMORY + 1; l < LIMITS; l++)
        if (roofs->peak[l] > 0)
            plot_line(plot, roofs->peak[l] / roofs->bandwidth, roofs->peak[l], plot->x.high,
                      roofs->peak[l]);
    plot_lines_draw(plot, STYLE_RULE_TITLE);
}

// Draws "bf16 989", "fp64 tc 19.5" above each roof at the right. Names on the same screen line are
// placed side by side; those that do not fit are dropped.
static void roof_names_draw(const struct plot *plot, const struct roofs *roofs)
{
    struct arena *arena = plot->canvas->frame;
    int *used_columns = ARENA_ARRAY(arena, int, (size_t)plot->area.height); // columns of a line
    for (unsigned l = LIMIT_MEMORY + 1; l < LIMITS; l++) {
        if (roofs->peak[l] <= 0)
            continue;
        const char *type = strchr(roofline_limit_texts[l], ' ') + 1;
        const char *text = arena_format(arena, "%s %.4g", type, roofs->peak[l]);
        int x, y, width = canvas_width(text);
        plot_cell(plot, plot->x.high, roofs->peak[l], &x, &y);
        y -= y > plot->area.y;
        int *of_line = &used_columns[y - plot->area.y];
        *of_line += width + (*of_line ? 2 : 0);
        if (*of_line <= plot->area.width)
            canvas_text_in(plot->canvas, plot->area.x + plot->area.width - *of_line, y, width,
                           STYLE_DIM, text);
    }
}

// ---- points -------------------------------------------------------------------------------------

// Returns the sign of a point: the larger its share of the time above the ideal, the larger.
static uint32_t point_sign(double weight)
{
    return weight >= 0.1 ? 0x25cf : weight >= 0.01 ? 0x25cb : 0x00b7;
}

static void points_draw(const struct plot *plot, const struct points *points)
{
    static const double from[] = {0, 0.01, 0.1, 2};
    for (size_t size = 0; size + 1 < sizeof from / sizeof *from; size++) // the largest on top
        for (size_t i = 0; i < points->count; i++)
            if (points->weight[i] >= from[size] && points->weight[i] < from[size + 1])
                plot_mark(plot, points->intensity[i], points->rate[i], STYLE_TENSOR,
                          point_sign(points->weight[i]));
    if (points->cursor < points->count)
        plot_mark(plot, points->intensity[points->cursor], points->rate[points->cursor],
                  STYLE_STRONG, 0x25c6);
}

// Makes axes that contain all points and the ridge point of the highest roof, where it meets the
// roof of the memory.
static bool find_axes(const struct points *points, const struct roofs *roofs,
                      struct plot_axis *across, struct plot_axis *up, struct arena *arena)
{
    size_t count = points->count;
    double *x = ARENA_ARRAY(arena, double, count + 2), *y = ARENA_ARRAY(arena, double, count + 2);
    memcpy(x, points->intensity, count * sizeof *x);
    memcpy(y, points->rate, count * sizeof *y);
    if (roofs->device != ROW_NONE) {
        x[count] = roofs->highest / roofs->bandwidth;
        x[count + 1] = x[count] * 4; // includes some of the flat part
        y[count] = y[count + 1] = roofs->highest;
    }
    return plot_axis_find(across, x, count + 2) && plot_axis_find(up, y, count + 2);
}

static void caption_draw(struct view *view, struct canvas *canvas, struct area area,
                         const struct points *points, const struct roofs *roofs)
{
    const struct profile *profile = host_profile(view->app);
    const char *text = "what the GPU can do at most is not known: no roofs";
    if (roofs->device != ROW_NONE)
        text = arena_format(
            canvas->frame, "roofs%s%s: memory %.3g TB/s, TFLOP/s dense%s",
            area.width < 100 ? "" : " of ",
            area.width < 100 ? "" : profile_text(profile, profile->devices[roofs->device].name),
            roofs->bandwidth,
            roofs->highest <= 0                                  ? " unknown"
            : device_peaks(profile, roofs->device).is_from_clock ? " by SMs x clock"
                                                                 : "");
    if (points->without_point)
        text = arena_format(canvas->frame, "%s; %zu of %zu rows have no point", text,
                            points->without_point, points->count);
    canvas_fit(canvas, area.x + 1, area.y, area.width - 2, STYLE_DIM, FIT_LEFT, text);
}

// Returns the number of lines used.
static int plot_draw(struct view *view, struct canvas *canvas, struct area area)
{
    struct points points = find_points(&view->table, canvas->frame);
    struct roofs roofs = find_roofs(view, &points);
    struct plot_axis across, up;
    struct plot plot;
    if (!find_axes(&points, &roofs, &across, &up, canvas->frame) ||
        !plot_begin(&plot, canvas, (struct area){area.x, area.y + 1, area.width, area.height - 1},
                    across, up, "FLOPs/B", "TFLOP/s"))
        return 0;
    caption_draw(view, canvas, area, &points, &roofs);
    if (roofs.device != ROW_NONE)
        roofs_draw(&plot, &roofs);
    points_draw(&plot, &points);
    if (roofs.device != ROW_NONE)
        roof_names_draw(&plot, &roofs);
    return area.height;
}

static void draw(struct view *view, struct canvas *canvas, struct area area)
{
    if (!table_view_ready(view, canvas, area))
        return;
    if (area.height > 4) {
        table_view_caption(view, canvas, area);
        area.y++;
        area.height--;
    }
    int height = area.height - (area.height / 3 > MIN_TABLE ? area.height / 3 : MIN_TABLE);
    if (height >= MIN_PLOT && view->table.shown_count > 0) {
        int plot_lines = plot_draw(view, canvas, (struct area){area.x, area.y, area.width, height});
        area.y += plot_lines;
        area.height -= plot_lines;
    }
    view->list = area;
    table_draw(&view->table, canvas, area);
}

static bool legend(struct view *view, size_t i, struct view_legend *legend)
{
    static const struct view_legend lines[] = {
        {"point",
         "a kernel name that passes the filter: FLOPs per byte across, FLOP/s upwards, both "
         "logarithmic; the larger its sign, the more of the time above the ideal is its"},
        {"roofs",
         "what the GPU can do at most: its memory slanting, the dense peak of each data type "
         "that binds any of the points flat"},
        {"below them", "how far a point lies below its roof is what it could be faster"},
    };
    (void)view;
    if (i >= sizeof lines / sizeof *lines)
        return false;
    *legend = lines[i];
    return true;
}

const struct view_class view_roofline_plot = {
    .name = "roofline_plot",
    .title = "Roofline",
    .report = "roofline_kernels",
    .kinds = KIND_TABLE,
    .doc = "kernels as points under the roofs of their GPU",
    .draw = draw,
    .act = table_view_act,
    .enters = table_view_enters,
    .legend = legend,
    .flip = "roofline",
    .flip_label = "Layers",
};
