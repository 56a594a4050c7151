// SPDX-License-Identifier: Apache-2.0
// The mouse on the timeline. A click chooses the item drawn there, or a lane by its label. A drag
// over the axis selects the time that will fill the width. The wheel moves through the lanes; with
// Control or over the ruler it zooms, and the time under the pointer stays in place; sideways it
// moves in time.
#include "base/text/format.h"
#include "ui/host.h"
#include "ui/state/view.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui/timeline/timeline_view.h"

struct pointing { // an event of the mouse at a cell of the screen
    struct view *view;
    struct timeline_state *state;
    struct timeline_layout layout;
    struct timeline_lines lines;
    int x, y;
};

// Returns the column of time under the pointer, or the nearest.
static uint32_t column_at(const struct pointing *at)
{
    int column = at->x - at->layout.x, last = (int)at->layout.cells - 1;
    return (uint32_t)(column < 0 ? 0 : column > last ? last : column);
}

static bool is_on_axis(const struct pointing *at)
{
    bool is_outside = at->x < at->layout.x || at->x >= at->layout.x + (int)at->layout.cells;
    return !is_outside && at->y >= at->layout.ruler && at->y < at->layout.lanes + at->layout.lines;
}

static struct timeline_span columns_time(const struct pointing *at, uint32_t a, uint32_t b)
{
    const struct timeline_state *state = at->state;
    uint32_t count = at->layout.cells, first = a < b ? a : b, last = a < b ? b : a;
    return (struct timeline_span){timeline_cell_from(state->from, state->to, count, first),
                                  timeline_cell_from(state->from, state->to, count, last + 1)};
}

// ---- choosing ----------------------------------------------------------------------------------

// Returns the lane under the pointer; SIZE_MAX if there is none or it is empty.
static size_t lane_under(const struct pointing *at)
{
    const struct timeline_layout *layout = &at->layout;
    size_t line = at->state->top + (size_t)(at->y - layout->lanes);
    if (at->y < layout->lanes || at->y >= layout->lanes + layout->lines || line >= at->lines.count)
        return SIZE_MAX;
    size_t lane = at->lines.lanes[line];
    return lane_has_items(&at->lines.timeline->lanes[lane]) ? lane : SIZE_MAX;
}

// Returns the item drawn in a cell of a lane, or an item that begins there; ROW_NONE if none.
static uint32_t item_under(const struct pointing *at, const struct lane *lane)
{
    const struct timeline_state *state = at->state;
    uint32_t count = at->layout.cells, column = column_at(at);
    struct lane_cell *cells =
        ARENA_ARRAY(host_canvas(at->view->app)->frame, struct lane_cell, count);
    lane_cells(at->lines.timeline, lane, state->from, state->to, count, cells);
    if (cells[column].item != ROW_NONE || cells[column].begins == 0)
        return cells[column].item;
    return lane_after(lane, timeline_cell_from(state->from, state->to, count, column));
}

static void click(const struct pointing *at)
{
    struct timeline_state *state = at->state;
    size_t lane = lane_under(at);
    state->pressed = is_on_axis(at) ? column_at(at) + 1 : 0;
    state->drawn = 0;
    if (lane == SIZE_MAX)
        return;
    state->at = (struct lane_item){lane, ROW_NONE};
    state->is_gap = false;
    if (is_on_axis(at))
        state->at.item = item_under(at, &at->lines.timeline->lanes[lane]);
}

// ---- dragging -----------------------------------------------------------------------------------

static void drag(const struct pointing *at)
{
    struct timeline_state *state = at->state;
    struct app *app = at->view->app;
    bool ascii = host_canvas(app)->ascii;
    char time[FORMAT_SIZE], from[FORMAT_SIZE], to[FORMAT_SIZE];
    if (state->pressed == 0 || state->pressed > at->layout.cells)
        return;
    state->drawn = column_at(at) + 1;
    struct timeline_span span = columns_time(at, state->pressed - 1, state->drawn - 1);
    host_say(app, "let go: %s fill the width, %s to %s; {cancel} drops it",
             format_duration(time, span.to - span.from, ascii), format_time(from, span.from),
             format_time(to, span.to));
}

static void window_keep(struct timeline_state *state)
{
    if (state->before_count == MAX_TIMELINE_BACK) { // drops the oldest
        for (size_t i = 1; i < MAX_TIMELINE_BACK; i++)
            state->before[i - 1] = state->before[i];
        state->before_count--;
    }
    state->before[state->before_count++] = (struct timeline_span){state->from, state->to};
}

static void drop(const struct pointing *at)
{
    struct timeline_state *state = at->state;
    uint32_t pressed = state->pressed, last = column_at(at) + 1;
    bool is_drawn = state->drawn > 0;
    state->pressed = state->drawn = 0;
    if (!is_drawn || pressed == 0 || pressed == last || pressed > at->layout.cells)
        return;
    struct timeline_span span = columns_time(at, pressed - 1, last - 1);
    window_keep(state);
    state->from = span.from;
    state->to = span.to;
    timeline_window_settle(state, at->lines.timeline);
}

bool timeline_zoom_back(struct timeline_state *state)
{
    bool is_drawn = state->drawn > 0;
    state->pressed = state->drawn = 0;
    while (!is_drawn && state->before_count > 0) {
        struct timeline_span before = state->before[--state->before_count];
        if (before.to - before.from <= state->to - state->from) // the user has zoomed out since
            continue;
        state->from = before.from;
        state->to = before.to;
        return true;
    }
    return is_drawn;
}

void timeline_drag_draw(struct view *view, struct canvas *canvas,
                        const struct timeline_layout *layout)
{
    const struct timeline_state *state = view->state;
    if (state->drawn == 0 || state->pressed == 0)
        return;
    uint32_t first = state->pressed < state->drawn ? state->pressed : state->drawn;
    uint32_t last = state->pressed < state->drawn ? state->drawn : state->pressed;
    canvas_flag(canvas,
                (struct area){layout->x + (int)first - 1, layout->ruler, (int)(last - first) + 1,
                              layout->lanes + layout->lines - layout->ruler},
                CELL_CURSOR);
}

// ---- the wheel ---------------------------------------------------------------------------------

// Returns false if the key keeps its general meaning.
static bool wheel(const struct pointing *at, uint32_t key)
{
    enum { PART = 8 }; // fraction of the width that one turn moves
    struct timeline_state *state = at->state;
    const struct timeline *timeline = at->lines.timeline;
    enum action action = action_of_key(key, KIND_TIMELINE);
    bool is_ruler = is_on_axis(at) && at->y < at->layout.lanes;
    if (is_ruler && (key == KEY_WHEEL_UP || key == KEY_WHEEL_DOWN))
        action = key == KEY_WHEEL_UP ? ACTION_ZOOM_IN : ACTION_ZOOM_OUT;
    int64_t span = state->to - state->from, part = span / PART > 0 ? span / PART : 1;
    if (action == ACTION_PAN_LEFT || action == ACTION_PAN_RIGHT) {
        timeline_pan(state, timeline, action == ACTION_PAN_RIGHT ? part : -part);
        return true;
    }
    if ((action != ACTION_ZOOM_IN && action != ACTION_ZOOM_OUT) || !is_on_axis(at))
        return false;
    struct timeline_span cell = columns_time(at, column_at(at), column_at(at));
    bool is_least = action == ACTION_ZOOM_IN && span <= (int64_t)at->layout.cells;
    if (!is_least)
        timeline_zoom(state, timeline, cell.from + (cell.to - cell.from) / 2,
                      action == ACTION_ZOOM_IN);
    return true;
}

bool timeline_point(struct view *view, uint32_t key, int x, int y)
{
    struct pointing at = {.view = view,
                          .state = view->state,
                          .layout = timeline_layout_of(view, view_room(view)),
                          .lines = timeline_lines_of(view),
                          .x = x,
                          .y = y};
    timeline_settle(view, &at.lines);
    if (!timeline_lane(at.state, at.lines.timeline))
        return !key_is_wheel(key);
    if (key_is_wheel(key))
        return wheel(&at, key);
    if (key == KEY_CLICK)
        click(&at);
    else if (key == KEY_DRAG)
        drag(&at);
    else if (key == KEY_DROP)
        drop(&at);
    else if (lane_under(&at) != SIZE_MAX)
        timeline_enter(view, at.lines.timeline);
    return true;
}
