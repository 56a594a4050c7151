// SPDX-License-Identifier: Apache-2.0
// Draws the boxes of the flame view, and the pane below them, which describes the chosen box. Terms
// as in flame_layout.c and flame_move.c.
#include <string.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/report/value.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "ui/flame/flame_layout.h"
#include "ui/flame/flame_view.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"
#include "ui/widgets/bars.h"
#include "ui/widgets/list.h"

struct flame_drawing {
    const struct view *view;
    const struct table *table;
    const struct flame_tree *tree;
    struct canvas *canvas;
    const struct flame_scene *scene;
    int column; // column of the table that gives the widths
};

static struct flame_drawing drawing_of(const struct view *view, struct canvas *canvas,
                                       const struct flame_scene *scene)
{
    const struct flame_state *state = view->state;
    return (struct flame_drawing){view, &view->table, &state->tree, canvas, scene, state->column};
}

// ---- texts -------------------------------------------------------------------------------------

static const char *safe(const struct flame_drawing *drawing, const char *text)
{
    return text ? text_safe(drawing->canvas->frame, text, strlen(text), true) : "?";
}

// Formats a sum of the boxes' column as the table formats it.
static const char *time_text(const struct flame_drawing *drawing, int64_t ns)
{
    const struct column *column = &drawing->table->report->columns[drawing->column];
    struct value value = value_per_step(column, value_integer(ns), &drawing->table->parts);
    return value_display_text(column, value, drawing->canvas->ascii, drawing->canvas->frame);
}

static const char *node_name(const struct flame_drawing *drawing, uint32_t node)
{
    if (node == FLAME_WHOLE)
        return "all GPU work";
    return safe(drawing, table_row_name(drawing->table, flame_row(drawing->view, node)));
}

// Returns "forward", "+37 more"; for a root, with its node: "37 smallest of forward".
static const char *box_name(const struct flame_drawing *drawing, const struct flame_box *box,
                            bool is_root)
{
    struct arena *arena = drawing->canvas->frame;
    const char *name = node_name(drawing, box->node);
    if (box->more && is_root)
        return arena_format(arena, "the %u smallest of %s", box->more, name);
    if (box->more)
        return arena_format(arena, "+%u more", box->more);
    if (box->node == FLAME_WHOLE)
        return name;
    bool is_marked = row_is_marked(drawing->table, drawing->table->shown[box->node - 1]);
    return is_marked ? arena_format(arena, "*%s", name) : name;
}

// Returns "15.7 ms 12.3%", in a comparison "15.7 ms +2.1 ms"; only the time if both do not fit.
static const char *box_figures(const struct flame_drawing *drawing, const struct flame_box *box,
                               int room)
{
    struct arena *arena = drawing->canvas->frame;
    const struct table *table = drawing->table;
    const char *time = time_text(drawing, box->ns), *both = NULL;
    if (!box->more && box->node != FLAME_WHOLE) {
        const void *row = flame_row(drawing->view, box->node);
        int share = table_share_column(table);
        int delta = drawing->view->report == drawing->view->base
                        ? -1
                        : table_find_column(
                              table, arena_format(arena, "%s_delta", drawing->view->base->busy));
        if (delta >= 0)
            both =
                arena_format(arena, "%s %s", time, table_cell(table, (unsigned)delta, row, arena));
        else if (share >= 0)
            both = arena_format(arena, "%s %s%%", time,
                                table_cell(table, (unsigned)share, row, arena));
    }
    return both && canvas_width(both) <= room ? both : canvas_width(time) <= room ? time : "";
}

// ---- boxes -------------------------------------------------------------------------------------

// Splits the GPU time of a box by category. Returns false if it is unknown or the box is shared.
static bool box_parts(const struct flame_drawing *drawing, const struct flame_box *box,
                      struct breakdown *parts)
{
    const struct flame_state *state = drawing->view->state;
    const int64_t *ns = box->more ? NULL
                        : box->node == FLAME_WHOLE
                            ? state->whole_ns
                            : flame_categories(drawing->view, flame_row(drawing->view, box->node));
    *parts = (struct breakdown){0};
    for (size_t c = 0; ns && c < GPU_IDLE; c++) {
        parts->ns[c] = ns[c];
        parts->window_ns += ns[c];
    }
    return parts->window_ns > 0;
}

static enum style box_style(const struct breakdown *parts)
{
    size_t largest = 0;
    for (size_t c = 1; c < GPU_IDLE; c++)
        if (parts->ns[c] > parts->ns[largest])
            largest = c;
    return category_style(&breakdown_gpu, largest);
}

static enum style name_style(const struct flame_drawing *drawing, const struct flame_box *box)
{
    const struct table *table = drawing->table;
    uint32_t node = box->node, chosen = drawing->scene->node;
    if (box->more)
        return STYLE_DIM;
    if (node <= chosen && chosen < drawing->tree->end[node])
        return STYLE_STRONG; // an ancestor of the chosen box
    bool is_context = node != FLAME_WHOLE && table->filter.count &&
                      !(table->state[table->shown[node - 1]] & ROW_KEPT);
    return is_context ? STYLE_DIM : STYLE_TEXT;
}

// Returns a name cut in the middle; "" if too few letters would be left to recognise it.
static const char *fitted(const struct flame_drawing *drawing, const char *text, int room)
{
    // Minimum width of a name that is cut.
    enum { MIN_CUT = 8 };
    if (canvas_width(text) <= room)
        return text;
    return room < MIN_CUT
               ? ""
               : text_cut(drawing->canvas->frame, text, room, true, drawing->canvas->ascii);
}

static unsigned box_flags(const struct flame_drawing *drawing, const struct flame_box *box)
{
    if (box->more || box->node == FLAME_WHOLE)
        return 0;
    uint32_t row = drawing->table->shown[box->node - 1];
    return (drawing->table->state[row] & ROW_FOUND ? CELL_MATCH : 0) |
           (row_is_marked(drawing->table, row) ? CELL_MARK : 0);
}

// Draws name and figures in one or two lines. Returns the columns used.
static int label_draw(const struct flame_drawing *drawing, const struct flame_box *box,
                      struct area area, bool is_root)
{
    struct canvas *canvas = drawing->canvas;
    const char *name = fitted(drawing, box_name(drawing, box, is_root), area.width);
    int used = canvas_text_in(canvas, area.x, area.y, area.width, name_style(drawing, box), name);
    bool is_below = area.height > 1;
    int x = is_below || used == 0 ? area.x : area.x + used + 1;
    const char *figures = used ? box_figures(drawing, box, area.x + area.width - x) : "";
    int wide =
        canvas_text_in(canvas, x, area.y + is_below, area.x + area.width - x, STYLE_DIM, figures);
    return !is_below && wide ? x - area.x + wide : used > wide ? used : wide;
}

static void node_draw(const struct flame_drawing *drawing, const struct flame_box *box, int y,
                      bool is_root, bool is_chosen)
{
    struct canvas *canvas = drawing->canvas;
    struct area area = {drawing->scene->screen.boxes.x + box->x, y, box->width,
                        drawing->scene->screen.height};
    struct breakdown parts;
    bool is_known = box_parts(drawing, box, &parts);
    enum style style = is_known ? box_style(&parts) : STYLE_DIM;
    for (int line = 0; line < area.height; line++)
        canvas_put(canvas, area.x, area.y + line, is_chosen ? STYLE_MARK : style,
                   is_chosen ? 0x25b6 : 0x2502);
    int used = label_draw(drawing, box,
                          (struct area){area.x + 1, area.y, area.width - 1, area.height}, is_root);
    int x = 1 + used + (used > 0);
    for (int line = 0; line < area.height && x < area.width; line++) {
        if (is_known)
            breakdown_bar_draw(canvas, area.x + x, area.y + line, area.width - x, &breakdown_gpu,
                               &parts);
        else
            canvas_fill(canvas, (struct area){area.x + x, area.y + line, area.width - x, 1}, style,
                        '+');
    }
    canvas_flag(canvas, area, box_flags(drawing, box) | (is_chosen ? CELL_CURSOR : 0));
}

void flame_boxes_draw(struct view *view, struct canvas *canvas, const struct flame_scene *scene)
{
    const struct flame_state *state = view->state;
    const struct flame_screen *screen = &scene->screen;
    struct flame_drawing drawing = drawing_of(view, canvas, scene);
    for (uint32_t l = 0; l < screen->levels && state->top + l < scene->flame.count; l++) {
        uint32_t at = state->top + l;
        const struct flame_level *level = &scene->flame.levels[at];
        for (uint32_t i = 0; i < level->count; i++)
            node_draw(&drawing, &level->boxes[i], screen->boxes.y + (int)l * screen->height,
                      at == 0, at == scene->at.level && i == scene->at.box);
    }
    scroll_thumb_draw(canvas, screen->boxes.x + screen->boxes.width, screen->boxes.y,
                      (int)screen->levels, state->top, state->tree.levels[state->root.node]);
}

// ---- the chosen box in words --------------------------------------------------------------------

static const char *path_of(const struct flame_drawing *drawing, uint32_t node)
{
    // Maximum number of ancestors in the path; the outer ones are replaced by "...".
    enum { DEEP = 24 };
    const char *path = node_name(drawing, node);
    int steps = 0;
    for (node = drawing->tree->parent[node]; node != FLAME_WHOLE;
         node = drawing->tree->parent[node])
        if (++steps > DEEP)
            return arena_format(drawing->canvas->frame, ".../%s", path);
        else
            path = arena_format(drawing->canvas->frame, "%s/%s", node_name(drawing, node), path);
    return path;
}

// Returns "GPU 15.7 ms  self 0 ns  %busy 12.3  calls 24": those columns that the report has.
static const char *figures_of(const struct flame_drawing *drawing, uint32_t node)
{
    static const char *const keys[] = {"gpu",   "self",      "busy",        "calls", "idle", "tc",
                                       "gpu_b", "gpu_delta", "gpu_percent", "gpu_a", "what"};
    const struct report *report = drawing->table->report;
    struct arena *arena = drawing->canvas->frame;
    const void *row = flame_row(drawing->view, node);
    const char *text = "";
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const struct column *column = report_column(report, keys[k]);
        unsigned c = column ? (unsigned)(column - report->columns) : 0;
        const char *cell = column ? table_cell(drawing->table, c, row, arena) : "";
        if (*cell)
            text = arena_format(arena, "%s%s%s %s", text, *text ? "   " : "",
                                table_head(drawing->table, c), cell);
    }
    return text;
}

static const char *shared_text(const struct flame_drawing *drawing, const struct flame_box *box)
{
    uint32_t largest = drawing->tree->by_size[box->largest];
    return arena_format(drawing->canvas->frame,
                        "%u of less than a cell together %s, the largest %s; %s", box->more,
                        time_text(drawing, box->ns), time_text(drawing, drawing->tree->ns[largest]),
                        action_text("{enter} spreads them", drawing->canvas->frame));
}

// Draws the breakdown of the chosen box, divided like its figures.
static void legend_draw(const struct flame_drawing *drawing, const struct flame_box *box,
                        struct area area)
{
    struct breakdown parts;
    if (!box_parts(drawing, box, &parts))
        return;
    const struct column *column = &drawing->table->report->columns[drawing->column];
    double divisor = parts_of(&drawing->table->parts, column);
    // In a comparison figures are per step of each side.
    if (drawing->view->report != drawing->view->base)
        divisor = (double)parts.window_ns / (double)box->ns;
    breakdown_legend_draw(drawing->canvas, area,
                          &(struct legend){.scheme = &breakdown_gpu,
                                           .breakdown = &parts,
                                           .divisor = divisor > 0 ? divisor : 1});
}

void flame_pane_draw(struct view *view, struct canvas *canvas, const struct flame_scene *scene)
{
    struct flame_drawing drawing = drawing_of(view, canvas, scene);
    struct area area = scene->screen.pane;
    const struct flame_box *box = flame_chosen(scene);
    const char *figures = figures_of(&drawing, scene->node);
    if (area.height < 1)
        return;
    if (area.height >= 4) {
        canvas_rule(canvas, area.x, area.y, area.width,
                    fitted(&drawing, node_name(&drawing, scene->node), area.width / 2));
        area.y++;
        area.height--;
    }
    area.x++;
    area.width -= 2;
    if (area.height >= 2) {
        canvas_fit(canvas, area.x, area.y, area.width, STYLE_STRONG, FIT_MIDDLE,
                   path_of(&drawing, scene->node));
        area.y++;
        area.height--;
    }
    canvas_fit(canvas, area.x, area.y, area.width, STYLE_TEXT, FIT_LEFT, figures);
    area.y++;
    area.height--;
    if (area.height < 1)
        return;
    if (box->more)
        canvas_fit(canvas, area.x, area.y, area.width, STYLE_DIM, FIT_LEFT,
                   shared_text(&drawing, box));
    else
        legend_draw(&drawing, box, area);
}
