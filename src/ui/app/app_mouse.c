// SPDX-License-Identifier: Apache-2.0
// Mouse input. A press is handled, in this order, by: a box, menu or prompt that is open; a zone of
// the frame that acts as a key (a tab, the footer); the candidates; the view; the view's table.
#include "base/text/format.h"
#include "ui/actions/actions.h"
#include "ui/actions/app_panes.h"
#include "ui/actions/candidates.h"
#include "ui/actions/table_view.h"
#include "ui/app/input.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/overlay/tour_state.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_state.h"
#include "ui/state/candidates_panel.h"
#include "ui/state/mouse.h"
#include "ui/state/places.h"
#include "ui/state/undo.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"

void app_add_zone(struct app *app, int x, int y, int width, uint32_t key)
{
    if (app->mouse->zone_count < MAX_ZONES)
        app->mouse->zones[app->mouse->zone_count++] = (struct zone){x, y, width, key};
}

static const struct zone *zone_at(const struct app *app, int x, int y)
{
    for (size_t i = 0; i < app->mouse->zone_count; i++) {
        const struct zone *zone = &app->mouse->zones[i];
        if (y == zone->y && x >= zone->x && x < zone->x + zone->width)
            return zone;
    }
    return NULL;
}

// ---- tables ------------------------------------------------------------------------------------

// A drag over rows marks them, as V and Space do.
static void rows_drag(struct app *app, struct view *view, uint32_t key, int y)
{
    size_t count = view_drag_rows(view, y);
    char text[FORMAT_SIZE];
    if (key == KEY_DROP) {
        view->drag = DRAG_NONE;
        if (count > 0)
            host_do_action(app, ACTION_MARK, "");
    } else if (count > 0) {
        host_say(app, "let go: marks %s, or takes the marks off; {cancel} drops it",
                 format_counted(text, count, "row"));
    }
}

static void rows_enter(struct app *app, struct view *view, int y)
{
    if (table_has_line(&view->table, y, view->list))
        host_do_action(app, ACTION_ENTER, "");
}

static void table_point(struct app *app, struct view *view, uint32_t key, int x, int y)
{
    struct table *table = &view->table;
    struct area area = view->list;
    if (key == KEY_DRAG || key == KEY_DROP) {
        rows_drag(app, view, key, y);
        return;
    }
    view->drag = DRAG_NONE;
    int chip = y + 1 == area.y ? view_chip_at(view, x) : -1;
    if (chip >= 0) { // removes a term of the filter
        char number[16];
        snprintf(number, sizeof number, "%d", chip + 1);
        app_unfilter(app, number);
        return;
    }
    if (table_fold_click(table, x, y, area))
        return;
    if (key == KEY_DOUBLE_CLICK && y > area.y) {
        rows_enter(app, view, y);
        return;
    }
    int column = table_click(table, x, y, area);
    view->drag = table_has_line(table, y, area) ? DRAG_PRESSED : DRAG_NONE;
    if (column < 0)
        return;
    app_remember(app);
    if (table->sort_count && table->sort[0].column == column)
        table_act(table, ACTION_INVERT);
    else
        table_sort_by(table, (unsigned)column, unit_is_number(table->report->columns[column].unit));
}

// Moves the keys between a view and its pane, to the one that was clicked. Returns true if the keys
// moved; then the click has no other effect.
static bool pane_point(struct app *app, int x, int y)
{
    struct view *front = host_front_view(app);
    struct area area = front && front->pane ? front->pane->list : (struct area){0};
    bool is_in_pane = area.width > 0 && x >= area.x && y >= area.y;
    bool moves_keys = front && front->pane && front->has_keys != is_in_pane;
    if (moves_keys && is_in_pane)
        view_update_pane(front);
    if (moves_keys)
        front->has_keys = is_in_pane && front->pane;
    return moves_keys;
}

// Handles the wheel: by a box or menu that is open, by a view that uses the position, by scrolling
// the details of a row, or as a key. Without a message if it has no effect.
static void wheel_turn(struct app *app, uint32_t key, int x, int y)
{
    struct view *view = host_top_view(app);
    bool is_covered = app->tour->text || app->box->is_open || app->menu->is_open;
    enum action action =
        !view ? ACTION_NONE : action_of_key(key, is_covered ? KIND_TABLE : view_kinds(view));
    bool moves = action == ACTION_DOWN || action == ACTION_UP;
    if (app->prompt->kind != PROMPT_NONE || action == ACTION_NONE || (is_covered && !moves))
        return;
    if (!is_covered && !app->candidates->is_open) {
        if (app_focus_pane_at(app, true, &x, &y))
            view = host_top_view(app);
        if (view->class->point && view_is_drawable(view) && view->class->point(view, key, x, y))
            return;
        if (pane_point(app, x, y))
            view = host_top_view(app);
        if (moves && view->report &&
            table_scroll_detail(&view->table, action == ACTION_DOWN ? 1 : -1, x, y, view->list))
            return;
    }
    app_key_body(app, key);
}

void app_point_body(struct app *app, uint32_t key, int x, int y)
{
    struct view *view = host_top_view(app);
    bool is_click = key == KEY_CLICK || key == KEY_DOUBLE_CLICK;
    const struct view *pressed = app->mouse->pressed;
    if (is_click)
        app->mouse->pressed = NULL;
    if (key_is_wheel(key)) {
        wheel_turn(app, key, x, y);
        return;
    }
    if (app->tour->text && !app->tour->is_running) {
        app->tour->goes_on |= is_click;
        return;
    }
    if (app->box->is_open) {
        app->box->is_open &= !is_click;
        return;
    }
    if (app->menu->is_open) {
        if (is_click)
            menu_click(app, x, y);
        return;
    }
    const struct zone *zone = zone_at(app, x, y);
    if (!view || app->prompt->kind != PROMPT_NONE)
        return;
    if (zone && is_click) {
        app_key_body(app, zone->key);
        return;
    }
    if (app->candidates->is_open) {
        if (is_click)
            candidates_click(app, y);
        return;
    }
    if (app_focus_pane_at(app, is_click, &x, &y)) // changed the pane only
        return;
    if (!is_click && pressed != view) // the drag began in another view
        return;
    app->mouse->pressed = view;
    bool view_uses_mouse = view->class->point && view_is_drawable(view);
    if (view_uses_mouse && view->class->point(view, key, x, y))
        return;
    bool moved_keys = is_click && pane_point(app, x, y);
    if (!moved_keys && view->report && !view->table.stale)
        table_point(app, view, key, x, y);
}
