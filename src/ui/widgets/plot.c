// SPDX-License-Identifier: Apache-2.0
// Plots on logarithmic axes. Lines are drawn as dots, 2 x 4 per cell (Braille signs).
#include "ui/widgets/plot.h"

#include <math.h>
#include <string.h>

enum {
    LEFT = 6,        // columns left of the axis, for its numbers
    DOTS_ACROSS = 2, // per cell
    DOTS_DOWN = 4,
    MIN_WIDTH = 20,
    MIN_HEIGHT = 3,
};
// Smaller values are ignored, because their power of ten could be rounded to 0.
static const double MIN_VALUE = 1e-99;

bool plot_axis_find(struct plot_axis *axis, const double *values, size_t count)
{
    double low = (double)INFINITY, high = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i]) || values[i] < MIN_VALUE)
            continue;
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    if (high == 0)
        return false;
    *axis = (struct plot_axis){pow(10, floor(log10(low))), pow(10, ceil(log10(high)))};
    if (axis->low >= axis->high) // all values are one power of ten
        axis->high = axis->low * 10;
    return true;
}

// ---- positions ----------------------------------------------------------------------------------

// Returns 0 at the low end of the axis, 1 at the high end.
static double part_of_axis(const struct plot_axis *axis, double value)
{
    return (log10(value) - log10(axis->low)) / (log10(axis->high) - log10(axis->low));
}

static int cell_of_part(double part, int count)
{
    double position = floor(part * count);
    return !(position > 0) ? 0 : position >= count ? count - 1 : (int)position;
}

void plot_cell(const struct plot *plot, double x, double y, int *column, int *line)
{
    const struct area *area = &plot->area;
    *column = area->x + cell_of_part(part_of_axis(&plot->x, x), area->width);
    *line = area->y + area->height - 1 - cell_of_part(part_of_axis(&plot->y, y), area->height);
}

// ---- axes ---------------------------------------------------------------------------------------

// Formats a power of ten: "1e-4", "0.01", "1", "10k", "1M", "1e9".
static const char *power_text(double value, struct arena *arena)
{
    bool is_plain = value > 9e-4 && value < 9e8;
    return !is_plain      ? arena_format(arena, "1e%.0f", round(log10(value)))
           : value >= 9e5 ? arena_format(arena, "%gM", value / 1e6)
           : value >= 9e3 ? arena_format(arena, "%gk", value / 1e3)
                          : arena_format(arena, "%g", value);
}

// Computes the i-th power of ten from the low end. Returns false above the high end, with a
// tolerance for rounding errors of doubles.
static bool axis_power_at(const struct plot_axis *axis, int i, double *power)
{
    *power = axis->low * pow(10, i);
    return *power <= axis->high * 1.01;
}

static void axis_x_draw(const struct plot *plot, const char *text)
{
    struct canvas *canvas = plot->canvas;
    int y = plot->area.y + plot->area.height, free_from = plot->area.x - LEFT;
    int width = canvas_width(text), end = plot->area.x + plot->area.width;
    canvas_fill(canvas, (struct area){plot->area.x, y, plot->area.width, 1}, STYLE_RULE, 0x2500);
    canvas_put(canvas, plot->area.x - 1, y, STYLE_RULE, 0x2514);
    double power;
    for (int i = 0; axis_power_at(&plot->x, i, &power); i++) {
        const char *label = power_text(power, canvas->frame);
        int x, line, length = canvas_width(label);
        plot_cell(plot, power, plot->y.low, &x, &line);
        canvas_put(canvas, x, y, STYLE_RULE, 0x2534);
        if (x < free_from || x + length > end - width - 1)
            continue;
        canvas_text_in(canvas, x, y + 1, length, STYLE_DIM, label);
        free_from = x + length + 1;
    }
    canvas_text_in(canvas, end - width, y + 1, width, STYLE_DIM, text);
}

static void axis_y_draw(const struct plot *plot, const char *text)
{
    struct canvas *canvas = plot->canvas;
    canvas_fill(canvas, (struct area){plot->area.x - 1, plot->area.y, 1, plot->area.height},
                STYLE_RULE, 0x2502);
    int line_below = plot->area.y + plot->area.height;
    double power;
    for (int i = 0; axis_power_at(&plot->y, i, &power); i++) {
        int x, line;
        plot_cell(plot, plot->x.low, power, &x, &line);
        if (line >= line_below || line == plot->area.y) // the title of the axis is in the top line
            continue;
        line_below = line;
        canvas_put(canvas, plot->area.x - 1, line, STYLE_RULE, 0x251c);
        canvas_fit(canvas, plot->area.x - LEFT, line, LEFT - 1, STYLE_DIM, FIT_RIGHT,
                   power_text(power, canvas->frame));
    }
    canvas_text_in(canvas, plot->area.x - LEFT, plot->area.y, plot->area.width, STYLE_DIM, text);
}

bool plot_begin(struct plot *plot, struct canvas *canvas, struct area area, struct plot_axis x,
                struct plot_axis y, const char *x_text, const char *y_text)
{
    // Lines below the plot, for the axis and its numbers.
    enum { BELOW = 2 };
    *plot = (struct plot){
        .canvas = canvas,
        .area = {area.x + LEFT, area.y, area.width - LEFT, area.height - BELOW},
        .x = x,
        .y = y,
    };
    if (plot->area.width < MIN_WIDTH || plot->area.height < MIN_HEIGHT)
        return false;
    plot->dots =
        ARENA_ARRAY(canvas->frame, uint8_t, (size_t)plot->area.width * (size_t)plot->area.height);
    axis_x_draw(plot, x_text);
    axis_y_draw(plot, y_text);
    return true;
}

// ---- lines --------------------------------------------------------------------------------------

static void dot_set(struct plot *plot, double x, double y)
{
    static const uint8_t bits[DOTS_DOWN][DOTS_ACROSS] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    if (x < 0 || x >= 1 || y < 0 || y >= 1)
        return;
    int across = cell_of_part(x, plot->area.width * DOTS_ACROSS);
    int down = plot->area.height * DOTS_DOWN - 1 - cell_of_part(y, plot->area.height * DOTS_DOWN);
    plot->dots[down / DOTS_DOWN * plot->area.width + across / DOTS_ACROSS] |=
        bits[down % DOTS_DOWN][across % DOTS_ACROSS];
}

void plot_line(struct plot *plot, double x0, double y0, double x1, double y1)
{
    double a = part_of_axis(&plot->x, x0), b = part_of_axis(&plot->y, y0);
    double c = part_of_axis(&plot->x, x1), d = part_of_axis(&plot->y, y1);
    int steps = 2 * (plot->area.width * DOTS_ACROSS + plot->area.height * DOTS_DOWN);
    for (int i = 0; i <= steps; i++) {
        double t = (double)i / steps;
        dot_set(plot, a + (c - a) * t, b + (d - b) * t);
    }
}

// Returns the ASCII character whose stroke is at the height of the dots in the cell.
static uint32_t ascii_sign(uint8_t dots)
{
    bool is_high = dots & 0x09, is_middle = dots & 0x36, is_low = dots & 0xc0;
    return is_high && is_low ? '/' : is_middle ? '-' : is_high ? '\'' : is_low ? '_' : '-';
}

void plot_lines_draw(const struct plot *plot, enum style style)
{
    for (int y = 0; y < plot->area.height; y++)
        for (int x = 0; x < plot->area.width; x++) {
            uint8_t dots = plot->dots[y * plot->area.width + x];
            if (dots)
                canvas_put(plot->canvas, plot->area.x + x, plot->area.y + y, style,
                           plot->canvas->ascii ? ascii_sign(dots) : 0x2800U + dots);
        }
}

void plot_mark(const struct plot *plot, double x, double y, enum style style, uint32_t code)
{
    int column, line;
    if (!(x > 0 && y > 0))
        return;
    plot_cell(plot, x, y, &column, &line);
    canvas_put(plot->canvas, column, line, style, code);
}
