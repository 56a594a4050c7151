// SPDX-License-Identifier: Apache-2.0
// The screen in memory: cells with a code point and a style.
//
// Views draw here and nowhere else; term_curses.c copies cells to the terminal, a script dumps
// them as text. The canvas is the last door before the terminal: whatever is written, only safe
// code points get into cells (a control character of a profile becomes visible text), and with
// `ascii` every glyph is replaced by its twin of glyph.c. Writing outside the canvas is harmless.
#ifndef UI_CANVAS_H
#define UI_CANVAS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "ui/term/style.h"

struct cell {
    uint32_t code; // 0: right half of the wide character before it
    uint32_t mark; // a combining character on it, or 0
    uint8_t style; // enum style
    uint8_t flags; // enum cell_flag
};

enum cell_flag {
    CELL_CURSOR = 1, // under the row cursor: takes the background of STYLE_CURSOR
    CELL_MATCH = 2,  // part of a search or filter match
    CELL_MARK = 4,   // in a marked row
};

struct canvas {
    int width, height;
    int stride; // cells from one row to the next
    bool ascii;
    struct cell *cells;  // row by row
    struct arena *arena; // of the cells
    struct arena *frame; // for texts that live as long as the frame
};

struct area {
    int x, y, width, height;
};

struct canvas *canvas_new(void); // 0 x 0; NULL when out of memory
void canvas_free(struct canvas *canvas);
bool canvas_resize(struct canvas *canvas, int width, int height, struct error *error);
// A part of it as a canvas of its own, with (0, 0) in its corner; as long as this one.
struct canvas canvas_window(const struct canvas *canvas, struct area area);
void canvas_clear(struct canvas *canvas); // blanks; also forgets the texts of the last frame

// Each returns the columns written. Text ends at `x + width` at the latest; nothing is marked.
int canvas_text(struct canvas *canvas, int x, int y, enum style style, const char *text);
int canvas_text_in(struct canvas *canvas, int x, int y, int width, enum style style,
                   const char *text);
int canvas_format(struct canvas *canvas, int x, int y, int width, enum style style,
                  const char *format, ...) __attribute__((format(printf, 6, 7)));

enum fit { FIT_LEFT, FIT_MIDDLE, FIT_RIGHT };
// Writes into exactly `width` columns: FIT_LEFT cuts the end, FIT_MIDDLE cuts the middle,
// FIT_RIGHT aligns right. Returns the columns the text took.
int canvas_fit(struct canvas *canvas, int x, int y, int width, enum style style, enum fit fit,
               const char *text);
// Wraps at blanks; returns the lines used, at most `height`.
int canvas_wrap(struct canvas *canvas, struct area area, enum style style, const char *text);
// The same from a line of the wrapped text on; returns how many lines there are in all.
int canvas_wrap_from(struct canvas *canvas, struct area area, int from, enum style style,
                     const char *text);

void canvas_put(struct canvas *canvas, int x, int y, enum style style, uint32_t code);
void canvas_fill(struct canvas *canvas, struct area area, enum style style, uint32_t code);
void canvas_flag(struct canvas *canvas, struct area area, unsigned flags);
void canvas_unflag(struct canvas *canvas, struct area area, unsigned flags);
// A line with a title in it: "── Title ─────".
void canvas_rule(struct canvas *canvas, int x, int y, int width, const char *title);

// Columns that canvas_text() would take.
int canvas_width(const char *text);

// The picture as plain text, blanks at line ends left out.
void canvas_dump(const struct canvas *canvas, FILE *file);

#endif
