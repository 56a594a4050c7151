// SPDX-License-Identifier: Apache-2.0
// Split views: a pane at the right of or below a table shows the rows that Enter would open on the
// row under the cursor. It is updated when no key was pressed for a moment, so that moving stays
// fast.
#include <string.h>

#include "ui/actions/actions.h"
#include "ui/actions/app_panes.h"
#include "ui/actions/app_trail.h"
#include "ui/actions/table_view.h"
#include "ui/host.h"
#include "ui/rows/cache.h"
#include "ui/state/app_state.h"
#include "ui/state/places.h"
#include "ui/state/scope.h"
#include "ui/state/splits.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"
#include "ui/widgets/panes.h"

static bool is_split(const struct view *view, int width)
{
    bool is_meant =
        view->splits == SPLIT_ON || (view->splits == SPLIT_AT_FIRST && view->class->begins_split &&
                                     width >= MIN_SIDE_BY_SIDE_WIDTH);
    return is_meant && !view->is_pane && view->class->draw == table_view_draw;
}

// Cuts the pane's half off `area` and returns it; width 0 if there is no room for both.
static struct area pane_area(const struct app *app, struct area *area)
{
    static const unsigned halves[2] = {1, 1};
    struct area areas[2], none = {0};
    if (!panes_place(*area, 2, app->places->panes.side, halves, areas))
        return none;
    *area = areas[0];
    return areas[1];
}

struct area view_cut_pane(const struct view *view, struct area *area)
{
    struct area none = {0};
    return is_split(view, area->width) ? pane_area(view->app, area) : none;
}

bool view_has_split(struct view *view)
{
    struct area area = app_room(view->app);
    return view->report && (view->class->opens || view->report->narrow) && !view->is_pane &&
           view->class->draw == table_view_draw && pane_area(view->app, &area).width > 0;
}

// ---- content -----------------------------------------------------------------------------------

static bool pane_shows(const struct view *view, const struct view_class *class,
                       const struct selection *selection)
{
    if (!view->pane || view->pane->class != class)
        return false;
    struct selection now = view_selection(view->pane);
    return selection_equal(&now, selection);
}

// Makes the pane show the rows of another selection; its sort, columns and filter stay.
static void pane_change_rows(struct view *view, const struct selection *selection, unsigned own)
{
    struct app *app = view->app;
    struct view *pane = view->pane;
    enum name_form names = pane->narrow.names;
    pane->narrow = *selection;
    pane->narrow.names = names;
    pane->narrow.split = app->scope->split;
    pane->narrow.iterations =
        own & OWN_ITERATIONS ? step_set_intern(app, selection->iterations) : NULL;
    pane->own = own;
    pane->generation = app->generation - 1;
    pane->table.cursor = pane->table.top = 0;
    pane->table.has_cursor = false;
    pane->table.has_peeked_row = false;
}

static void pane_update(struct view *view, const struct view_class *class,
                        const struct selection *selection)
{
    struct app *app = view->app;
    struct error error = {0};
    unsigned own = app_own_fields(app, view, selection);
    struct selection narrow = *selection;
    narrow.split = app->scope->split;
    if (!(own & OWN_ITERATIONS))
        narrow.iterations = NULL;
    if (view->pane && view->pane->class == class) {
        pane_change_rows(view, selection, own);
    } else {
        bool has_keys = view->has_keys;
        view_close_pane(view);
        view->pane = view_new(app, class, &narrow, own, &error);
        view->has_keys = has_keys && view->pane;
    }
    if (!view->pane)
        return;
    const void *row = table_row(&view->table);
    const char *name = table_row_name(&view->table, row);
    view->pane->is_pane = true;
    if (name && *name)
        snprintf(view->pane->label, sizeof view->pane->label, "%s", name);
    else // "it 7"
        snprintf(view->pane->label, sizeof view->pane->label, "%s %s",
                 view->report->columns[0].head,
                 table_cell(&view->table, 0, row, app->canvas->frame));
}

// Makes the pane show the row under the cursor, or schedules that while the cursor moves. Returns a
// text to draw instead of the pane; NULL: draw the pane, which may still show the previous row.
static const char *pane_follow(struct view *view)
{
    struct app *app = view->app;
    struct selection selection;
    if (view->is_late) // the row under the cursor is not known yet
        return view->pane ? NULL : "";
    const char *opens = view_row_opens(view, &selection);
    const struct view_class *class = opens ? view_class_find(opens) : NULL;
    if (view->has_keys && view->pane &&
        view->pane->table.rows.count) // the pane stays while it has the keys
        return NULL;
    if (!class || !(class->kinds & KIND_TABLE) || class_is_help(class)) {
        view_close_pane(view);
        return table_row(&view->table) ? "{enter} opens no other rows on this one." : "";
    }
    if (view->pane)
        selection.names = view->pane->narrow.names;
    if (pane_shows(view, class, &selection)) {
        app->places->pane = PANE_CURRENT;
        return NULL;
    }
    if (app->is_live && app->places->pane != PANE_DUE) {
        app->places->pane = PANE_PENDING;
        return view->pane ? NULL : "";
    }
    app->places->pane = PANE_CURRENT;
    pane_update(view, class, &selection);
    return view->pane ? NULL : "The rows could not be made.";
}

void view_update_pane(struct view *view)
{
    if (!view->pane || view->has_keys || !table_update(&view->table, NULL))
        return;
    view->app->places->pane = PANE_DUE;
    pane_follow(view);
}

// ---- drawing -----------------------------------------------------------------------------------

void view_draw_pane(struct view *view, struct canvas *canvas, struct area area)
{
    const char *instead = pane_follow(view);
    if (area.x > 0) {
        canvas_fill(canvas, (struct area){area.x - 1, area.y, 1, area.height}, STYLE_RULE, 0x2502);
    } else {
        canvas_rule(
            canvas, area.x, area.y, area.width,
            action_text(view->has_keys ? "{next-view}: back" : "{next-view}: here", canvas->frame));
        area.y++;
        area.height--;
    }
    if (instead || !view->pane) {
        canvas_wrap(canvas, (struct area){area.x + 1, area.y + 1, area.width - 2, area.height - 1},
                    STYLE_DIM, action_text(instead ? instead : "", canvas->frame));
        return;
    }
    view_refresh_async(view->pane);
    view->pane->drawn = area;
    view->pane->class->draw(view->pane, canvas, area);
    // Only the pane that receives keys shows its cursor.
    const struct table *table = &view->table;
    canvas_unflag(canvas, view->has_keys ? view->list : area, CELL_CURSOR);
    if (view->has_keys &&
        table->cursor >= table->top) // the row that the pane belongs to stays marked
        canvas_flag(canvas,
                    (struct area){view->list.x + 1,
                                  view->list.y + 1 + (int)(table->cursor - table->top),
                                  view->list.width - (area.x > view->list.x ? 1 : 2), 1},
                    CELL_MARK);
}

void app_split(struct app *app, const char *argument)
{
    struct view *view = host_front_view(app);
    bool is_side = app_set_side(app, argument),
         wanted = is_side || !is_split(view, app_room(app).width);
    if (!is_side && !host_parse_switch(app, argument, &wanted))
        return;
    if (!wanted) {
        view_close_pane(view);
        view->splits = SPLIT_OFF;
        return;
    }
    if (!view_has_split(view)) {
        bool opens = view->report && (view->class->opens || view->report->narrow);
        bool draws_itself = view->class->draw != table_view_draw;
        host_say(app, draws_itself ? "this view has a pane of its own"
                      : opens      ? "no room for a second pane: 14 lines for both, or 77 columns"
                                   : "rows of this view open no others");
        return;
    }
    view->splits = SPLIT_ON;
    app->places->pane = PANE_DUE;
}
