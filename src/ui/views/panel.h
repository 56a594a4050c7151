// SPDX-License-Identifier: Apache-2.0
// Panels of the first screen. Each panel has functions for the number of lines it needs, for
// drawing, and for Enter and K on the row under the cursor.
//
// view_summary.c places the panels and moves the cursor through them. To add a panel: panel_x.c,
// one line in PANEL_LIST, and its place in view_summary.c.
#ifndef UI_VIEWS_PANEL_H
#define UI_VIEWS_PANEL_H

#include "analysis/place/row_place_find.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"
#include "ui/views/summary_parts.h"

enum { PANEL_NO_CURSOR = -1 };

struct panel {
    // Number of rows that the cursor can be on; 0: none. May exceed the lines drawn: panels scroll.
    int (*rows)(struct app *app, const struct summary_parts *parts);
    // Number of lines the panel fills at this width, including its rule; 0: no panel. A NULL
    // function means: all remaining lines.
    int (*lines)(struct app *app, const struct summary_parts *parts, int width);
    void (*draw)(struct app *app, const struct summary_parts *parts, struct canvas *canvas,
                 struct area area, int cursor);
    // For the help: the meaning of the figures and the time they refer to.
    const char *title, *doc;
    const char *enters; // what Enter does on a row, e.g. "opens the evidence"
    void (*enter)(struct app *app, const struct summary_parts *parts, int row);
    void (*explain)(struct app *app, const struct summary_parts *parts, int row);
    // Finds the place of a row on the timeline. NULL: rows have no place.
    bool (*place)(struct app *app, const struct summary_parts *parts, int row,
                  struct row_place *place);
    bool is_sideways; // rows are side by side: left and right move through them
};

// In screen order from top to bottom; the panels of the right half come last.
// clang-format off
#define PANEL_LIST(X) \
    X(step) \
    X(findings) \
    X(changes) \
    X(layers) \
    X(kernels) \
    X(steps) \
    X(devices) \
    X(idle) \
    X(trust)
// clang-format on

#define PANEL_DECLARE(name) extern const struct panel panel_##name;
PANEL_LIST(PANEL_DECLARE)

#define PANEL_NUMBER(name) PANEL_##name,
enum panel_number { PANEL_LIST(PANEL_NUMBER) PANEL_COUNT };

// Returns the finding in a row of the findings panel, NULL if there is none.
const struct finding *panel_finding(struct app *app, int row);

// Shared by all panels: draws the mark of the row under the cursor, and returns the first visible
// row of a list longer than its lines, so that the cursor is visible.
static inline void panel_cursor_draw(struct canvas *canvas, struct area line)
{
    canvas_put(canvas, line.x, line.y, STYLE_MARK, 0x25b6);
    canvas_flag(canvas, (struct area){line.x, line.y, line.width, 1}, CELL_CURSOR);
}

static inline int panel_first_row(int cursor, int lines)
{
    return cursor >= lines && lines > 0 ? cursor - lines + 1 : 0;
}

#endif
