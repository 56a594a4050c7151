// SPDX-License-Identifier: Apache-2.0
// Bars, legends and sparklines made of cells.
#ifndef UI_WIDGETS_BARS_H
#define UI_WIDGETS_BARS_H

#include "analysis/breakdown/breakdown.h"
#include "ui/term/canvas.h"

// Draws a share of 0 to 1 in eighths of a cell; a share above 0 gets at least one eighth.
void bar_draw(struct canvas *canvas, int x, int y, int width, enum style style, double share);

// Return the style and the glyph of a category of a breakdown scheme.
enum style category_style(const struct breakdown_scheme *scheme, size_t category);
uint32_t category_glyph(const struct breakdown_scheme *scheme, size_t category, bool ascii);

// Draws one bar of 100 % with a glyph per category; cells are assigned by largest remainder.
void breakdown_bar_draw(struct canvas *canvas, int x, int y, int width,
                        const struct breakdown_scheme *scheme, const struct breakdown *breakdown);

struct legend {
    const struct breakdown_scheme *scheme;
    const struct breakdown *breakdown;
    double divisor;     // times are divided by this number (of steps)
    bool includes_zero; // includes categories without time
    // NULL-terminated words that name the parts of each category; NULL: none.
    const char *const *pieces[MAX_BREAKDOWN_CATEGORIES];
};

// Draws "█ Tensor Core 181 ms 43.9 % ▓ ..." over at most `area.height` lines and returns the
// lines used. After the last category of a line its pieces are written, as many as fit.
int breakdown_legend_draw(struct canvas *canvas, struct area area, const struct legend *legend);

// Draws a row of eighths from below; values are scaled to `low` .. `high`.
void sparkline_draw(struct canvas *canvas, int x, int y, const double *values, size_t count,
                    double low, double high, enum style style);

#endif
