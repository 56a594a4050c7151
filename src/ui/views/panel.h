// SPDX-License-Identifier: Apache-2.0
// Panels of the first screen: each says how large it would like to be, draws itself, and knows what
// Enter and K mean on the row under the cursor.
//
// view_summary.c places them and moves the cursor; it asks nothing else of them. To add a panel:
// panel_x.c, one line in PANEL_LIST, and its place in view_summary.c.
#ifndef UI_VIEWS_PANEL_H
#define UI_VIEWS_PANEL_H

#include "analysis/reports/row_place.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"
#include "ui/views/summary_parts.h"

enum { PANEL_NO_CURSOR = -1 };

struct panel {
    // Rows that the cursor can be on; 0: none. They may be more than fit: panels scroll.
    int (*rows)(struct app *app, const struct summary_parts *parts);
    // Lines that it would fill at this width, its rule included; 0: nothing to show. NULL: all that
    // are left.
    int (*lines)(struct app *app, const struct summary_parts *parts, int width);
    void (*draw)(struct app *app, const struct summary_parts *parts, struct canvas *canvas,
                 struct area area, int cursor);
    const char *title, *doc; // for the help: what its figures are, and of what
    const char *enters;      // what Enter does on its rows: "opens the evidence"
    void (*enter)(struct app *app, const struct summary_parts *parts, int row);
    void (*explain)(struct app *app, const struct summary_parts *parts, int row);
    // Where on the time line a row is; NULL: nowhere.
    bool (*place)(struct app *app, const struct summary_parts *parts, int row,
                  struct row_place *place);
    bool is_sideways; // rows lie beside each other: left and right go through them
};

// From top to bottom, those of the right half last.
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

// Of the panel of findings: the one in a row, NULL: none.
const struct finding *panel_finding(struct app *app, int row);

// What panels share: the mark of the row under the cursor, and the first row of a list that is
// longer than its lines, so that the cursor is seen.
static inline void panel_cursor_draw(struct canvas *canvas, struct area line)
{
    canvas_put(canvas, line.x, line.y, STYLE_MARK, 0x25b6);
    canvas_flag(canvas, (struct area){line.x, line.y, line.width, 1}, CELL_CURSOR);
}

static inline int panel_first(int cursor, int lines)
{
    return cursor >= lines && lines > 0 ? cursor - lines + 1 : 0;
}

#endif
