// SPDX-License-Identifier: Apache-2.0
// The state of the flame view: it builds the tree from the rows of the table, keeps the chosen box
// and the zooms, and moves.
//
// Terms: The chosen box is the box of the row under the table's cursor. The root is the box that
// fills the width. A zoom is a root chosen by the user; zooms form a stack. Node n of the tree is
// line n - 1 of the table (flame_layout.h).
#include <string.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/compare/compare.h"
#include "base/sums.h"
#include "ui/flame/flame_layout.h"
#include "ui/flame/flame_view.h"
#include "ui/host.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/table/table_layout.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/widgets/list.h"

const void *flame_row(const struct view *view, uint32_t node)
{
    const struct table *table = &view->table;
    return report_row(table->report, &table->rows, table->shown[node - 1]);
}

// ---- the tree of the rows ----------------------------------------------------------------------

// Returns the column of GPU busy time, which gives the widths; in a comparison, the one of side B.
static int column_of_boxes(const struct view *view, struct arena *arena)
{
    const char *key = view->base->busy;
    if (key && view->report != view->base)
        key = arena_format(arena, "%s_b", key);
    return key ? table_find_column(&view->table, key) : -1;
}

static int64_t row_ns(const struct view *view, int column, const void *row)
{
    struct value value = column < 0 ? value_none() : view->report->columns[column].get(row);
    // In a comparison, rows without side A and B are sums, such as "(step)": they get no box.
    if (view->report != view->base && !compare_row_side(row, SIDE_A) &&
        !compare_row_side(row, SIDE_B))
        return 0;
    return value.kind == VALUE_INTEGER ? value.integer
           : value.kind == VALUE_REAL  ? (int64_t)value.real
                                       : 0;
}

// Returns the times of a row by category of breakdown_gpu (side B of a comparison). NULL: unknown.
const int64_t *flame_categories(const struct view *view, const void *row)
{
    if (view->report != view->base)
        row = compare_row_side(row, SIDE_B);
    return row && view->base->categories ? view->base->categories(row) : NULL;
}

static bool tree_body(void *context, struct error *error)
{
    struct view *view = context;
    struct flame_state *state = view->state;
    const struct table *table = &view->table;
    struct arena *arena = state->arena;
    uint32_t count = (uint32_t)table->shown_count;
    uint32_t *depth = ARENA_ARRAY(arena, uint32_t, (size_t)count + 1);
    int64_t *ns = ARENA_ARRAY(arena, int64_t, (size_t)count + 1), whole_ns = 0;
    (void)error;
    state->column = column_of_boxes(view, arena);
    for (uint32_t i = 0; i < count; i++) {
        const void *row = flame_row(view, i + 1);
        depth[i] = view->report->depth(row);
        ns[i] = row_ns(view, state->column, row);
    }
    // Rows removed by a filter remain part of the whole.
    for (size_t i = 0; i < table->rows.count; i++) {
        const void *row = report_row(view->report, &table->rows, i);
        if (view->report->depth(row) > 0)
            continue;
        const int64_t *parts = flame_categories(view, row);
        int64_t time_ns = row_ns(view, state->column, row);
        whole_ns = add_saturating(whole_ns, time_ns > 0 ? time_ns : 0);
        for (size_t c = 0; parts && c < GPU_IDLE; c++)
            state->whole_ns[c] += parts[c];
    }
    state->tree = flame_tree_make(count, depth, ns, whole_ns, arena);
    return true;
}

// Rebuilds the tree if the rows have changed. Returns false if memory runs out.
static bool tree_update(struct view *view)
{
    struct flame_state *state = view->state;
    struct table *table = &view->table;
    if (!table_update(table, NULL))
        return false;
    if (state->arena && state->tree.count > 0 && state->serial == table->serial)
        return true;
    if (!state->arena)
        state->arena = arena_new(0);
    if (!state->arena)
        return false;
    arena_reset(state->arena);
    state->tree.count = 0;
    memset(state->whole_ns, 0, sizeof state->whole_ns);
    state->is_rooted = false;
    state->deepest = FLAME_WHOLE;
    state->serial = table->serial;
    return arena_run(state->arena, tree_body, view, NULL);
}

// ---- the root and the zooms --------------------------------------------------------------------

// Maps the ids in the zooms after the user switched between the op tree and the folded op tree, in
// which numbered siblings (layers.0, layers.1) share one row.
static void zooms_map_ids(struct view *view)
{
    struct flame_state *state = view->state;
    if (state->is_folded == view->narrow.is_folded)
        return;
    state->is_folded = view->narrow.is_folded;
    for (size_t i = 0; i < state->zoom_count; i++) {
        struct flame_zoom *zoom = &state->zooms[i];
        zoom->cursor_id = host_map_node(host_profile(view->app), zoom->cursor_id, state->is_folded);
        if (zoom->id != FLAME_WHOLE_ID)
            zoom->id = host_map_node(host_profile(view->app), zoom->id, state->is_folded);
    }
    state->is_rooted = false;
}

// Returns the node of the row with this id; tree.count if the row is not shown.
static uint32_t node_of_id(const struct view *view, uint64_t id)
{
    const struct flame_state *state = view->state;
    const struct table *table = &view->table;
    uint32_t node = FLAME_WHOLE;
    if (id != FLAME_WHOLE_ID)
        for (node = 1; node < state->tree.count; node++)
            if (table_row_id(table, table->shown[node - 1]) == id)
                break;
    return node;
}

static bool root_from_zoom(struct view *view, const struct flame_zoom *zoom)
{
    struct flame_state *state = view->state;
    uint32_t node = node_of_id(view, zoom->id);
    if (node >= state->tree.count || state->tree.ns[node] <= 0)
        return false;
    state->root = (struct flame_root){node, zoom->most_ns};
    return true;
}

// Sets the root from the last zoom. Drops zooms whose row is no longer shown, or whose box does not
// contain `node`. Without zooms the root is the whole tree.
static void root_update(struct view *view, uint32_t node)
{
    struct flame_state *state = view->state;
    while (state->zoom_count > 0) {
        if (!state->is_rooted)
            state->is_rooted = root_from_zoom(view, &state->zooms[state->zoom_count - 1]);
        if (state->is_rooted && flame_has(&state->tree, state->root, node))
            return;
        state->zoom_count--;
        state->is_rooted = false;
    }
    // If one outermost row has all the time, it is the root.
    uint32_t first = state->tree.by_size[0];
    bool is_all = state->tree.ns[first] == state->tree.ns[FLAME_WHOLE];
    state->root = (struct flame_root){is_all ? first : FLAME_WHOLE, FLAME_ALL};
    state->is_rooted = true;
}

// Returns the node under the cursor, and moves the cursor to a node with a box: if it takes no
// time, its nearest ancestor that does, or else the largest node of the first level.
static uint32_t cursor_node(struct view *view)
{
    const struct flame_state *state = view->state;
    const struct flame_tree *tree = &state->tree;
    struct table *table = &view->table;
    uint32_t node = table->has_cursor ? (uint32_t)table->cursor + 1 : FLAME_WHOLE;
    while (node != FLAME_WHOLE && tree->ns[node] <= 0)
        node = tree->parent[node];
    if (node == FLAME_WHOLE)
        node = tree->by_size[0];
    // Does not change cursor_id: with another set of steps that row may have a box again.
    table->cursor = node - 1;
    return node;
}

// ---- the screen --------------------------------------------------------------------------------

static struct flame_screen screen_of(const struct view *view, struct area area)
{
    const struct flame_state *state = view->state;
    struct flame_screen screen = {.boxes = area, .height = 1};
    if (area.height > 4) { // below the line that shows the path
        screen.boxes.y++;
        screen.boxes.height--;
    }
    if (view->table.has_detail) { // at the same place as in tables
        struct area list = {area.x + 1, screen.boxes.y, area.width - 2, screen.boxes.height};
        screen.detail = table_split_detail(&view->table, &list);
        screen.boxes.width = screen.detail.y > list.y ? area.width : list.width + 1;
        screen.boxes.height = list.height;
    }
    int lines = screen.boxes.height;
    int pane = lines >= 26 ? 5 : lines >= 12 ? 4 : lines >= 6 ? 2 : lines >= 4 ? 1 : 0;
    screen.boxes.height -= pane;
    screen.pane = (struct area){screen.boxes.x, screen.boxes.y + screen.boxes.height,
                                screen.boxes.width, pane};
    screen.boxes.width--; // the last column marks levels that are not visible
    if (state->tree.levels[state->root.node] * 2 <= (uint32_t)screen.boxes.height)
        screen.height = 2;
    screen.levels = screen.boxes.height > 0 ? (uint32_t)(screen.boxes.height / screen.height) : 0;
    return screen;
}

struct flame_scene flame_scene_of(struct view *view)
{
    struct flame_state *state = view->state;
    struct flame_scene scene = {0};
    struct arena *arena = host_canvas(view->app)->frame;
    zooms_map_ids(view);
    if (!view->report || !tree_update(view) || state->tree.count < 2 ||
        state->tree.ns[state->tree.by_size[0]] <= 0)
        return scene;
    scene.node = cursor_node(view);
    root_update(view, scene.node);
    scene.screen = screen_of(view, view_room(view));
    uint32_t level = flame_level_of(&state->tree, state->root, scene.node);
    uint32_t seen = scene.screen.levels ? scene.screen.levels : 1;
    state->top =
        (uint32_t)list_top(state->top, level, (int)seen, state->tree.levels[state->root.node]);
    scene.flame =
        flame_layout(&state->tree, state->root, scene.screen.boxes.width, state->top + seen, arena);
    if (scene.flame.count > 0)
        scene.at = flame_find(&state->tree, &scene.flame, state->root, scene.node, arena);
    return scene;
}

// ---- moving ------------------------------------------------------------------------------------

static void choose_node(struct view *view, uint32_t node)
{
    struct flame_state *state = view->state;
    struct table *table = &view->table;
    table_go_line(table, node - 1);
    if (state->deepest < node || state->deepest >= state->tree.end[node])
        state->deepest = node;
}

void flame_choose(struct view *view, const struct flame_box *box)
{
    const struct flame_tree *tree = &((struct flame_state *)view->state)->tree;
    uint32_t node = box->more ? tree->by_size[box->largest] : box->node;
    if (node != FLAME_WHOLE)
        choose_node(view, node);
}

// Returns the child that moving down goes to: the one on the path back to the node where moving up
// began (state->deepest), else the largest; the node itself if no child takes time.
static uint32_t child_below(const struct flame_state *state, uint32_t node)
{
    const struct flame_tree *tree = &state->tree;
    uint32_t child = state->deepest;
    if (child > node && child < tree->end[node]) {
        while (tree->parent[child] != node)
            child = tree->parent[child];
        return child;
    }
    bool has_any = tree->first[node] < tree->first[node + 1];
    child = has_any ? tree->by_size[tree->first[node]] : node;
    return tree->ns[child] > 0 ? child : node;
}

static uint32_t parent_shown(const struct flame_state *state, uint32_t node)
{
    uint32_t parent = state->tree.parent[node];
    return flame_has(&state->tree, state->root, parent) ? parent : node;
}

// Moves the cursor up (levels < 0) or down the levels.
static void walk(struct view *view, const struct flame_scene *scene, int levels)
{
    const struct flame_state *state = view->state;
    // Enter opens a shared box: it has no boxes below it.
    bool is_shared = flame_chosen(scene)->more > 0;
    uint32_t node = scene->node;
    for (; levels < 0 && node != FLAME_WHOLE; levels++) {
        uint32_t next = parent_shown(state, node);
        node = next != FLAME_WHOLE ? next : node;
    }
    for (; levels > 0 && !is_shared; levels--)
        node = child_below(state, node);
    choose_node(view, node);
}

bool flame_move(struct view *view, const struct flame_scene *scene, enum action action)
{
    const struct flame_level *level = &scene->flame.levels[scene->at.level];
    int page = scene->screen.levels > 1 ? (int)scene->screen.levels : 1;
    switch (action) {
    case ACTION_LEFT:
        flame_choose(view, &level->boxes[scene->at.box > 0 ? scene->at.box - 1 : 0]);
        return true;
    case ACTION_RIGHT:
        flame_choose(view, &level->boxes[scene->at.box + (scene->at.box + 1 < level->count)]);
        return true;
    case ACTION_FIRST:
        flame_choose(view, &level->boxes[0]);
        return true;
    case ACTION_LAST:
        flame_choose(view, &level->boxes[level->count - 1]);
        return true;
    case ACTION_UP:
    case ACTION_PARENT:
        walk(view, scene, -1);
        return true;
    case ACTION_DOWN:
        walk(view, scene, 1);
        return true;
    case ACTION_HALF_UP:
    case ACTION_HALF_DOWN:
        walk(view, scene, action == ACTION_HALF_UP ? -(page + 1) / 2 : (page + 1) / 2);
        return true;
    case ACTION_PAGE_UP:
    case ACTION_PAGE_DOWN:
        walk(view, scene, action == ACTION_PAGE_UP ? -page : page);
        return true;
    default:
        return false;
    }
}

// ---- zooming -----------------------------------------------------------------------------------

bool flame_can_zoom_in(const struct view *view, const struct flame_scene *scene)
{
    const struct flame_state *state = view->state;
    const struct flame_box *box = flame_chosen(scene);
    return scene->at.level > 0 && (box->more || state->tree.levels[box->node] > 1);
}

void flame_zoom_in(struct view *view)
{
    struct flame_state *state = view->state;
    struct table *table = &view->table;
    struct flame_scene scene = flame_scene_of(view);
    if (scene.flame.count == 0 || !flame_can_zoom_in(view, &scene))
        return;
    const struct flame_box *box = flame_chosen(&scene);
    const struct flame_tree *tree = &state->tree;
    if (state->zoom_count == MAX_FLAME_ZOOMS) { // drops the oldest
        memmove(&state->zooms[0], &state->zooms[1], (MAX_FLAME_ZOOMS - 1) * sizeof *state->zooms);
        state->zoom_count--;
    }
    state->zooms[state->zoom_count++] = (struct flame_zoom){
        .id = box->node == FLAME_WHOLE ? FLAME_WHOLE_ID
                                       : table_row_id(table, table->shown[box->node - 1]),
        .most_ns = box->more ? tree->ns[tree->by_size[box->largest]] : FLAME_ALL,
        .cursor_id = table_row_id(table, table->shown[scene.node - 1]),
        .top = state->top,
    };
    choose_node(view, scene.node);
    state->is_rooted = false;
    state->top = 0;
}

bool flame_zoom_out(struct view *view)
{
    struct flame_state *state = view->state;
    // Rows may have changed since the last drawing.
    if (state->zoom_count == 0 || !view->report || !tree_update(view) || state->tree.count == 0)
        return false;
    const struct flame_zoom *zoom = &state->zooms[--state->zoom_count];
    uint32_t node = node_of_id(view, zoom->cursor_id);
    state->is_rooted = false;
    state->top = zoom->top;
    if (node < state->tree.count)
        choose_node(view, node);
    return true;
}
