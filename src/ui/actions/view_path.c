// SPDX-License-Identifier: Apache-2.0
// The path shown above a view: the views and rows that led to it, or the tree rows above the
// cursor.
#include <string.h>

#include "base/text/text.h"
#include "ui/actions/table_view.h"
#include "ui/state/app_state.h"
#include "ui/state/places.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"

// The parts of a path, outermost first.
enum { PATH_MAX_PARTS = 64 };
struct view_path {
    const char *parts[PATH_MAX_PARTS];
    size_t count;
};

static void path_add(struct view_path *path, const char *part)
{
    if (path->count == PATH_MAX_PARTS) { // drops the outermost
        memmove(&path->parts[0], &path->parts[1], (PATH_MAX_PARTS - 1) * sizeof *path->parts);
        path->count--;
    }
    path->parts[path->count++] = part;
}

static const char *path_text(const struct view_path *path, size_t from, struct arena *arena)
{
    const char *text = from > 0 ? "…" : NULL;
    for (size_t i = from; i < path->count; i++)
        text = text ? arena_format(arena, "%s › %s", text, path->parts[i]) : path->parts[i];
    return text ? text : "";
}

// Adds the node of `selection` and its ancestors in the op tree, up to but excluding `above`.
static void path_add_nodes(struct view_path *path, const struct profile *profile,
                           const struct selection *selection, uint32_t above)
{
    enum { MAX_DEPTH = 32 };
    const struct op_tree *tree = selection_tree(profile, selection);
    uint32_t nodes[MAX_DEPTH], count = 0;
    for (uint32_t n = selection->node; n != ROW_NONE && n != 0 && n != above && count < MAX_DEPTH;
         n = tree->parent[n])
        nodes[count++] = n;
    while (count > 0)
        path_add(path, profile_text(profile, tree->name[nodes[--count]]));
}

// Builds the path from the views and rows that led here: "Op tree › forward › layers.* › mlp ›
// Kernels". Returns false if the view was not reached through a row.
static bool trail_path(struct view *view, struct view_path *path)
{
    const struct app *app = view->app;
    size_t from = app->places->depth;
    while (from > 1 && app->places->trail[from - 1]->label[0])
        from--;
    if (from == app->places->depth || from == 0)
        return false;
    path_add(path, app->places->trail[from - 1]->class->title);
    for (size_t i = from; i < app->places->depth; i++) {
        const struct selection *narrow = &app->places->trail[i]->narrow;
        const struct view *before = app->places->trail[i - 1];
        // A row of a tree is named by its ancestors, too.
        if (view_kinds(before) & (KIND_TREE | KIND_FLAME) && narrow->node != ROW_NONE)
            path_add_nodes(path, app->profile, narrow, before->narrow.node);
        else if (strcmp(app->places->trail[i]->label, app->places->trail[i]->class->title) != 0)
            path_add(path, app->places->trail[i]->label);
        if (narrow->with_backward && !before->narrow.with_backward)
            path_add(path, "with backward");
        path_add(path, app->places->trail[i]->class->title);
    }
    return true;
}

// Adds the row under the cursor of a tree and its ancestors. Returns false if there is none.
static bool tree_path(const struct table *table, struct view_path *path)
{
    enum { MAX_DEPTH = 32 };
    if (!table->report->depth || !table->parent || table->cursor >= table->shown_count)
        return false;
    uint32_t rows[MAX_DEPTH], count = 0;
    for (uint32_t row = table->shown[table->cursor]; row != UINT32_MAX && count < MAX_DEPTH;
         row = table->parent[row])
        rows[count++] = row;
    while (count > 0) {
        const void *row = report_row(table->report, &table->rows, rows[--count]);
        const char *name = table_row_name(table, row);
        path_add(path, name ? name : "?");
    }
    return true;
}

// If the path is too long, its first parts are omitted, because the last ones are the most
// specific. The last two, the view and the row that led to it, are always shown.
const char *view_path_text(struct view *view, int width, struct arena *arena)
{
    const struct table *table = &view->table;
    struct view_path path = {0};
    size_t from = 0;
    if (view->is_pane) {
        path_add(&path, view->label);
        path_add(&path, view->class->title);
        return path_text(&path, 0, arena);
    }
    if (!trail_path(view, &path) && !tree_path(table, &path))
        path_add(&path, table->rows.caption
                            ? text_display_units(arena, table->rows.caption, table->ascii)
                            : table->report->title);
    while (from + 2 < path.count && canvas_width(path_text(&path, from, arena)) > width)
        from++;
    return path_text(&path, from, arena);
}
