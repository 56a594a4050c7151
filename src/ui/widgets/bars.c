// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/bars.h"

#include <string.h>

#include "analysis/report/value.h"
#include "base/text/format.h"
#include "ui/term/glyph.h"

void bar_draw(struct canvas *canvas, int x, int y, int width, enum style style, double share)
{
    if (!(share > 0))
        return;
    share = share > 1 ? 1 : share;
    int eighths = (int)(share * width * 8 + 0.5);
    eighths = eighths < 1 ? 1 : eighths;
    for (int i = 0; i < width && eighths > 0; i++, eighths -= 8)
        canvas_put(canvas, x + i, y, style, glyph_eighths_right[eighths < 8 ? eighths : 8]);
}

// Styles by substring of a category's key, so that a category has the same colour in all schemes.
// The first match is used.
static const struct {
    const char *part;
    enum style style;
} category_styles[] = {
    {"non_tensor", STYLE_KERNEL},
    {"not_using", STYLE_KERNEL},
    {"non_tc", STYLE_KERNEL},
    {"tensor", STYLE_TENSOR},
    {"tc", STYLE_TENSOR},
    {"comm", STYLE_COMM},
    {"cop", STYLE_COPY},
    {"mem", STYLE_COPY},
    {"graph", STYLE_GRAPH},
    {"loader", STYLE_LOADER},
    {"io", STYLE_IO},
    {"cpu", STYLE_CPU},
    {"runtime", STYLE_IO},
    {"idle", STYLE_IDLE},
    {"other_kernel", STYLE_KERNEL},
    {"kernel", STYLE_KERNEL},
    {"other", STYLE_IDLE},
};

enum style category_style(const struct breakdown_scheme *scheme, size_t category)
{
    if (category + 1 == scheme->count)
        return STYLE_IDLE;
    for (size_t i = 0; i < sizeof category_styles / sizeof *category_styles; i++)
        if (strstr(scheme->categories[category].key, category_styles[i].part))
            return category_styles[i].style;
    return STYLE_KERNEL;
}

// Returns the glyph of the scheme, or the shade that replaces it outside ASCII mode, so that the
// picture can be read without colours.
uint32_t category_glyph(const struct breakdown_scheme *scheme, size_t category, bool ascii)
{
    static const struct {
        char ascii;
        uint32_t shade;
    } shades[] = {{'#', 0x2588}, {'%', 0x2593}, {'=', 0x2592}, {'-', 0x2591}, {'.', 0x00b7}};
    char glyph = scheme->categories[category].glyph;
    for (size_t i = 0; !ascii && i < sizeof shades / sizeof *shades; i++)
        if (shades[i].ascii == glyph)
            return shades[i].shade;
    return (unsigned char)glyph;
}

void breakdown_bar_draw(struct canvas *canvas, int x, int y, int width,
                        const struct breakdown_scheme *scheme, const struct breakdown *breakdown)
{
    unsigned cells[MAX_BREAKDOWN_CATEGORIES];
    if (width <= 0 || breakdown->window_ns <= 0)
        return;
    breakdown_cells(breakdown, scheme->count, (unsigned)width, cells);
    for (size_t c = 0; c < scheme->count; c++) {
        // canvas_put() replaces shades by ASCII equivalents and keeps letters.
        for (unsigned i = 0; i < cells[c]; i++)
            canvas_put(canvas, x++, y, category_style(scheme, c),
                       category_glyph(scheme, c, canvas->ascii));
    }
}

static void pieces_draw(struct canvas *canvas, int x, int y, int right, const char *const *pieces)
{
    const char *dots = canvas->ascii ? " ..." : " …";
    if (pieces && pieces[0] && x > 0 && right - x > canvas_width(pieces[0]) + 2)
        x += canvas_text(canvas, x, y, STYLE_DIM, ":");
    else
        return;
    for (; pieces[0]; pieces++) {
        int need = 1 + canvas_width(pieces[0]) + (pieces[1] ? canvas_width(dots) : 0);
        if (need > right - x)
            break;
        x += canvas_text(canvas, x, y, STYLE_DIM, " ");
        x += canvas_text(canvas, x, y, STYLE_DIM, pieces[0]);
    }
    if (pieces[0])
        canvas_text(canvas, x, y, STYLE_DIM, dots);
}

int breakdown_legend_draw(struct canvas *canvas, struct area area, const struct legend *legend)
{
    const struct breakdown_scheme *scheme = legend->scheme;
    const struct breakdown *breakdown = legend->breakdown;
    int x = 0, line = 0, right = area.x + area.width, item_end = 0; // end: of the last item drawn
    const char *const *pieces = NULL;                               // of the last item drawn
    for (size_t c = 0; c < scheme->count; c++) {
        if (breakdown->ns[c] <= 0 && !legend->includes_zero)
            continue;
        char time[FORMAT_SIZE], percent[FORMAT_SIZE];
        format_duration(time, ns_per_step(breakdown->ns[c], legend->divisor), canvas->ascii);
        format_percent(percent, breakdown_share(breakdown, breakdown->ns[c]));
        const char *title = scheme->categories[c].title;
        int need = canvas_width(title) + canvas_width(time) + canvas_width(percent) + 5;
        if (x > 0 && x + need > area.width) {
            pieces_draw(canvas, item_end, area.y + line, right, pieces);
            x = 0;
            line++;
        }
        if (line >= area.height)
            return area.height;
        int at = area.x + x, y = area.y + line;
        canvas_put(canvas, at, y, category_style(scheme, c),
                   category_glyph(scheme, c, canvas->ascii));
        at += 2;
        at += canvas_format(canvas, at, y, right - at, STYLE_TEXT, "%s ", title);
        at += canvas_format(canvas, at, y, right - at, STYLE_STRONG, "%s ", time);
        item_end = at + canvas_format(canvas, at, y, right - at, STYLE_DIM, "%s%%", percent);
        pieces = legend->pieces[c];
        x += need + 2;
    }
    pieces_draw(canvas, item_end, area.y + line, right, pieces);
    return line + 1;
}

void sparkline_draw(struct canvas *canvas, int x, int y, const double *values, size_t count,
                    double low, double high, enum style style)
{
    for (size_t i = 0; i < count; i++) {
        double share = high > low ? (values[i] - low) / (high - low) : 0.3;
        int level = 1 + (int)(share * 7 + 0.5);
        level = level < 1 ? 1 : level > 8 ? 8 : level;
        // ASCII mode shows a digit per value, because punctuation glyphs mark the parts of a
        // step.
        canvas_put(canvas, x + (int)i, y, style,
                   canvas->ascii ? (uint32_t)('0' + level) : glyph_eighths_up[level]);
    }
}
