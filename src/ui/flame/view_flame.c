// SPDX-License-Identifier: Apache-2.0
// The op tree as an icicle: each row is a box as wide as its GPU time, above the boxes of its
// children. Rows, filter, search, sort and marks belong to its table (flame_view.h).
#include "analysis/breakdown/breakdown.h"
#include "base/text/text.h"
#include "ui/actions/table_view.h"
#include "ui/flame/flame_layout.h"
#include "ui/flame/flame_view.h"
#include "ui/host.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui/term/style.h"
#include "ui/widgets/bars.h"

// The tree is fully unfolded; nodes too narrow to be visible share a box.
static void refresh(struct view *view)
{
    struct table *table = &view->table;
    if (!table->is_unfolded || table->toggled.count > 0)
        table->stale = TABLE_STALE;
    table->is_unfolded = true;
    id_set_clear(&table->toggled);
}

static void nothing_draw(struct view *view, struct canvas *canvas, struct area area)
{
    if (view->table.shown_count == 0)
        table_empty_draw(&view->table, canvas, area);
    else
        canvas_wrap(
            canvas, (struct area){area.x + 1, area.y + 2, area.width - 2, area.height - 2},
            STYLE_DIM,
            action_text("What is selected has no GPU time of its own, so that no box has a width. "
                        "The op tree ({in-tree}) shows what the host does.",
                        canvas->frame));
}

static void draw(struct view *view, struct canvas *canvas, struct area area)
{
    if (!table_view_ready(view, canvas, area))
        return;
    view->table.ascii = canvas->ascii;
    struct flame_scene scene = flame_scene_of(view);
    if (area.height > 4) {
        table_view_caption(view, canvas, area);
        area.y++;
        area.height--;
    }
    view->list = area;
    if (scene.flame.count == 0) {
        nothing_draw(view, canvas, area);
        return;
    }
    flame_boxes_draw(view, canvas, &scene);
    flame_pane_draw(view, canvas, &scene);
    if (view->table.has_detail)
        detail_draw(&view->table, canvas, scene.screen.detail);
}

static const char *enters(struct view *view)
{
    struct flame_scene scene = flame_scene_of(view);
    if (scene.flame.count == 0)
        return NULL;
    return flame_can_zoom_in(view, &scene) ? flame_chosen(&scene)->more ? "spread" : "zoom in"
                                           : table_view_enters(view);
}

static void explain(struct view *view)
{
    bool ascii = host_canvas(view->app)->ascii;
    struct arena *arena = host_canvas(view->app)->frame;
    const char *text =
        "A box is a row of the op tree, as wide as its exclusive GPU time: that of its own work "
        "and of all below it. What it is made of hangs below it, so that widths add up; what is "
        "left below a box is its own time, or what the filter leaves out.\n\n"
        "The bar in a box is what its time is made of, and its edge has the colour of most of "
        "it:\n";
    for (size_t c = 0; c < GPU_IDLE; c++) {
        char sign[5] = {0};
        text_encode(category_glyph(&breakdown_gpu, c, ascii), sign);
        text = arena_format(arena, "%s%s  %s\n", text, sign, breakdown_gpu.categories[c].title);
    }
    if (view->report != view->base)
        text = arena_format(arena,
                            "%s\nCompared with a baseline a box is as wide as side B, per step "
                            "and GPU; what is gone has no box.\n",
                            text);
    const char *keys = action_text(
        "+3 more: children of less than a cell each, in one box; {enter} spreads them.\n\n"
        "{left} {right} go along a line, {down} {up} down and up ({down} back to where one came "
        "from, else to the largest). {enter} makes a box fill the width, {back} goes back; on the "
        "box that fills it, or with nothing below, {enter} opens its kernels. {in-tree} shows the "
        "row in the op tree, {timeline} on the timeline.",
        arena);
    host_open_box(view->app, "Flame", arena_format(arena, "%s\n%s", text, keys));
}

static bool sort(struct view *view, enum action action)
{
    struct table *table = &view->table;
    bool is_done = table_view_act(view, action);
    const struct sort_key *key = &table->sort[0];
    if (is_done && table->sort_count > 0)
        host_say(view->app, "boxes beside each other are in the order of %s, %s first",
                 table_head(table, key->column), key->descending ? "the largest" : "the least");
    return is_done;
}

static bool act(struct view *view, enum action action)
{
    if (action == ACTION_BACK)
        return flame_zoom_out(view);
    if (action == ACTION_EXPLAIN) {
        explain(view);
        return true;
    }
    if (action == ACTION_SORT_LEFT || action == ACTION_SORT_RIGHT || action == ACTION_INVERT)
        return sort(view, action);
    struct flame_scene scene = flame_scene_of(view);
    bool has_boxes = scene.flame.count > 0;
    if (has_boxes && flame_move(view, &scene, action))
        return true;
    switch (action) {
    case ACTION_ENTER:
        // A session records which of the two happened: at another width the row may share a box.
        if (has_boxes)
            host_do_action(view->app, ACTION_ENTER,
                           flame_can_zoom_in(view, &scene) ? "box" : "row");
        return true;
    case ACTION_DOWN: // there are no boxes
    case ACTION_UP:
    case ACTION_LEFT:
    case ACTION_RIGHT:
    case ACTION_FIRST:
    case ACTION_LAST:
    case ACTION_HALF_DOWN:
    case ACTION_HALF_UP:
    case ACTION_PAGE_DOWN:
    case ACTION_PAGE_UP:
    case ACTION_SCROLL_LEFT: // the full name is shown below the boxes
    case ACTION_SCROLL_RIGHT:
    case ACTION_CENTRE:
        return true;
    default:
        return table_view_act(view, action);
    }
}

// A click chooses a box, a double click acts like Enter. Dragging has no effect.
static bool point(struct view *view, uint32_t key, int x, int y)
{
    if (key != KEY_CLICK && key != KEY_DOUBLE_CLICK)
        return key == KEY_DRAG || key == KEY_DROP;
    const struct flame_state *state = view->state;
    struct flame_scene scene = flame_scene_of(view);
    const struct area *boxes = &scene.screen.boxes;
    int line = y - boxes->y;
    if (y < view->list.y) // the terms of the filter
        return false;
    if (scene.flame.count == 0 || line < 0 || line >= boxes->height)
        return true;
    uint32_t at = state->top + (uint32_t)(line / scene.screen.height);
    for (uint32_t i = 0; at < scene.flame.count && i < scene.flame.levels[at].count; i++) {
        const struct flame_box *box = &scene.flame.levels[at].boxes[i];
        if (x < boxes->x + box->x || x >= boxes->x + box->x + box->width)
            continue;
        if (key == KEY_CLICK)
            flame_choose(view, box);
        else if (key == KEY_DOUBLE_CLICK && box->node != FLAME_WHOLE)
            host_do_action(view->app, ACTION_ENTER, "");
    }
    return true;
}

// Saves the path to the box that fills the width, row by row, then the row under the cursor.
static const char *keep(struct view *view, struct arena *arena)
{
    const struct flame_state *state = view->state;
    struct table *table = &view->table;
    const char *text = "";
    flame_scene_of(view); // drops zooms whose rows are no longer shown
    for (size_t i = 0; i < state->zoom_count; i++) {
        uint32_t row = table_row_of(table, state->zooms[i].cursor_id);
        const char *place = row == UINT32_MAX ? NULL : table_place(table, row, arena);
        if (!place)
            return text;
        text = arena_format(arena, "%srow %s\nenter box\n", text, place);
    }
    const char *place = table->cursor < table->shown_count
                            ? table_place(table, table->shown[table->cursor], arena)
                            : NULL;
    return place && table->has_cursor ? arena_format(arena, "%srow %s\n", text, place) : text;
}

static bool legend(struct view *view, size_t i, struct view_legend *legend)
{
    static const struct view_legend lines[] = {
        {"box", "a row of the op tree, as wide as its GPU time with all below it"},
        {"below it", "what it is made of; what is left is its own time, or left out by the filter"},
        {"its bar",
         "Tensor Core kernels, other kernels, communication, copies, as in the breakdowns"},
        {"+3 more", "children of less than a cell each; {enter} spreads them over the width"},
    };
    (void)view;
    if (i >= sizeof lines / sizeof *lines)
        return false;
    *legend = lines[i];
    return true;
}

static void close_state(struct view *view)
{
    struct flame_state *state = view->state;
    arena_free(state->arena);
    *state = (struct flame_state){0};
}

const struct view_class view_flame = {
    .name = "flame",
    .title = "Flame",
    .doc = "the op tree as boxes, as wide as their GPU time",
    .report = "ops",
    .kinds = KIND_TABLE | KIND_FLAME,
    .state_size = sizeof(struct flame_state),
    .refresh = refresh,
    .draw = draw,
    .act = act,
    .point = point,
    .enters = enters,
    .keep = keep,
    .close = close_state,
    .legend = legend,
};
