// SPDX-License-Identifier: Apache-2.0
// The screen in memory: cells with a code point and a style.
//
// Views draw only here; term_curses.c copies cells to the terminal, and a script dumps them as
// text. Cells have only safe code points: a control character in a text is replaced by visible
// characters. With `ascii` every glyph is replaced by its ASCII
// equivalent from glyph.c. Writing outside the canvas has no effect.
#ifndef UI_TERM_CANVAS_H
#define UI_TERM_CANVAS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "ui/term/style.h"

struct cell {
    uint32_t code; // 0: right half of the wide character in the cell to the left
    uint32_t mark; // combining character on top of `code`, or 0
    uint8_t style; // enum style
    uint8_t flags; // enum cell_flag
};

enum cell_flag {
    CELL_CURSOR = 1, // in the row of the cursor: has the background of STYLE_CURSOR
    CELL_MATCH = 2,  // part of a search or filter match
    CELL_MARK = 4,   // in a marked row
};

struct canvas {
    int width, height;
    int stride; // distance between two rows, in cells
    bool ascii;
    struct cell *cells;  // row by row
    struct arena *arena; // owns the cells
    struct arena *frame; // for texts that live as long as the frame
};

struct area {
    int x, y, width, height;
};

struct canvas *canvas_new(void); // 0 x 0; NULL if out of memory
void canvas_free(struct canvas *canvas);
bool canvas_resize(struct canvas *canvas, int width, int height, struct error *error);
// Returns a part of the canvas as a canvas with (0, 0) in its corner; it is valid as long as
// `canvas`.
struct canvas canvas_window(const struct canvas *canvas, struct area area);
void canvas_clear(struct canvas *canvas); // fills with blanks and frees the texts of the last frame

// These return the number of columns written. Text is cut at `x + width`, without an ellipsis.
int canvas_text(struct canvas *canvas, int x, int y, enum style style, const char *text);
int canvas_text_in(struct canvas *canvas, int x, int y, int width, enum style style,
                   const char *text);
int canvas_format(struct canvas *canvas, int x, int y, int width, enum style style,
                  const char *format, ...) __attribute__((format(printf, 6, 7)));

enum fit { FIT_LEFT, FIT_MIDDLE, FIT_RIGHT };
// Writes into exactly `width` columns. FIT_LEFT cuts the end, FIT_MIDDLE cuts the middle,
// FIT_RIGHT aligns right. Returns the width of the text in columns.
int canvas_fit(struct canvas *canvas, int x, int y, int width, enum style style, enum fit fit,
               const char *text);
// Wraps at blanks; returns the number of lines used, at most `height`.
int canvas_wrap(struct canvas *canvas, struct area area, enum style style, const char *text);
// Like canvas_wrap(), but begins with line `from` of the wrapped text. Returns the number of
// lines of the whole text.
int canvas_wrap_from(struct canvas *canvas, struct area area, int from, enum style style,
                     const char *text);

void canvas_put(struct canvas *canvas, int x, int y, enum style style, uint32_t code);
void canvas_fill(struct canvas *canvas, struct area area, enum style style, uint32_t code);
void canvas_flag(struct canvas *canvas, struct area area, unsigned flags);
void canvas_unflag(struct canvas *canvas, struct area area, unsigned flags);
// Draws a horizontal line with a title in it: "── Title ─────".
void canvas_rule(struct canvas *canvas, int x, int y, int width, const char *title);

// Returns the width of a text in columns, as canvas_text() would draw it without a limit.
int canvas_width(const char *text);

// Writes the picture as plain text without blanks at line ends.
void canvas_dump(const struct canvas *canvas, FILE *file);

#endif
