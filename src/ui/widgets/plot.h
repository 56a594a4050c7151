// SPDX-License-Identifier: Apache-2.0
// A plot over two logarithmic axes: lines in dots, two by four in a cell (Braille; in ASCII one
// character per cell), and markers of one cell. It maps numbers to cells; the view gives them a
// meaning.
#ifndef UI_WIDGETS_PLOT_H
#define UI_WIDGETS_PLOT_H

#include "ui/term/canvas.h"

struct plot_axis {
    double low, high; // whole powers of ten, low < high
};

// Finds the range of powers of ten that contains all `values` that are finite and above 1e-99.
// Returns false if there are none.
bool plot_axis_find(struct plot_axis *axis, const double *values, size_t count);

struct plot {
    struct canvas *canvas;
    struct area area; // between the axes
    struct plot_axis x, y;
    uint8_t *dots; // per cell, the dot bits of U+2800; valid as long as the frame
};

// Draws the axes with powers of ten and titles. Returns false if the area is too small.
bool plot_begin(struct plot *plot, struct canvas *canvas, struct area area, struct plot_axis x,
                struct plot_axis y, const char *x_text, const char *y_text);
// Draws a line that is straight on the screen; parts outside the area are omitted.
void plot_line(struct plot *plot, double x0, double y0, double x1, double y1);
void plot_lines_draw(const struct plot *plot, enum style style); // draws all lines added so far
// Returns the cell of a point; points outside are moved to the edge.
void plot_cell(const struct plot *plot, double x, double y, int *column, int *line);
void plot_mark(const struct plot *plot, double x, double y, enum style style, uint32_t code);

#endif
