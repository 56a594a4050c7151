// SPDX-License-Identifier: Apache-2.0
// A plot over two logarithmic axes: lines in dots, two by four in a cell (Braille; in ASCII a sign for
// each cell), and marks of a cell each. Figures in, cells out; what they mean is the view's.
#ifndef UI_PLOT_H
#define UI_PLOT_H

#include "ui/term/canvas.h"

struct plot_axis {
    double low, high; // whole powers of ten, low < high; of what is above 0
};

// The decades that hold all of `values` that are finite and above 1e-99. False: none is.
bool plot_axis_find(struct plot_axis *axis, const double *values, size_t count);

struct plot {
    struct canvas *canvas;
    struct area area; // between the axes
    struct plot_axis x, y;
    uint8_t *dots; // of each cell, the bits of U+2800; as long as the frame
};

// Draws the axes with the powers of ten, what each is of included. False: the area is too small.
bool plot_begin(struct plot *plot, struct canvas *canvas, struct area area, struct plot_axis x,
                struct plot_axis y, const char *x_text, const char *y_text);
// From (x0, y0) to (x1, y1), straight on the screen; what lies outside is left out.
void plot_line(struct plot *plot, double x0, double y0, double x1, double y1);
void plot_lines_draw(const struct plot *plot, enum style style); // all so far
// Where a point lies, at the edge where it is beyond it.
void plot_cell(const struct plot *plot, double x, double y, int *column, int *line);
void plot_mark(const struct plot *plot, double x, double y, enum style style, uint32_t code);

#endif
