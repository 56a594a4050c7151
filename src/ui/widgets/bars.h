// SPDX-License-Identifier: Apache-2.0
// Bars and lines made of cells.
#ifndef UI_BARS_H
#define UI_BARS_H

#include "analysis/breakdown/breakdown.h"
#include "ui/term/canvas.h"

// A share 0..1 in eighths of a cell; more than nothing is at least an eighth.
void bar_draw(struct canvas *canvas, int x, int y, int width, enum style style, double share);

// The style and the glyph of a category of a breakdown scheme.
enum style category_style(const struct breakdown_scheme *scheme, size_t category);
uint32_t category_glyph(const struct breakdown_scheme *scheme, size_t category, bool ascii);

// One 100 % bar, a glyph per category; whole cells by largest remainder.
void breakdown_bar_draw(struct canvas *canvas, int x, int y, int width,
                        const struct breakdown_scheme *scheme, const struct breakdown *breakdown);

struct legend {
    const struct breakdown_scheme *scheme;
    const struct breakdown *breakdown;
    double divisor; // what times are divided by (steps)
    bool with_zero; // also categories without time
    // What a category is made of, in words that end with NULL; no list: nothing is said.
    const char *const *pieces[BREAKDOWN_MAX];
};

// "█ Tensor Core 181 ms 43.9 %  ▓ ..." over at most `area.height` lines; returns the lines used. The
// pieces of the last category of a line follow it as far as they fit as a whole.
int breakdown_legend_draw(struct canvas *canvas, struct area area, const struct legend *legend);

// A line of eighths from below: values scaled between `low` and `high`.
void sparkline_draw(struct canvas *canvas, int x, int y, const double *values, size_t count,
                    double low, double high, enum style style);

#endif
