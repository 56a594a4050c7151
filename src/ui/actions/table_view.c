// SPDX-License-Identifier: Apache-2.0
// Drawing and actions that all views of a table or tree share: the caption, Enter, filters, drags.
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "analysis/compare/compare.h"
#include "analysis/report/selection_parts.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "ui/actions/app_panes.h"
#include "ui/actions/table_view.h"
#include "ui/host.h"
#include "ui/state/app_state.h"
#include "ui/state/scope.h"
#include "ui/state/splits.h"
#include "ui/state/undo.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/style.h"

// Returns a filter term as it was typed; picked rows are given by their number.
static const char *chip_text(const struct view *view, size_t t, struct arena *arena)
{
    const struct table *table = &view->table;
    const struct filter_term *term = &table->filter.terms[t];
    unsigned pick = filter_pick_number(term);
    char count[FORMAT_SIZE];
    if (pick == 0)
        return text_safe(arena, term->source, strlen(term->source), true);
    return arena_format(arena, "%s%s", term->inverse ? "!" : "",
                        format_counted(count, table->picks[pick - 1].count, "marked row"));
}

// Returns "GPU 2 alone" if a finding's proof narrows a scope of several GPUs to one, so that the
// user notices; else NULL.
static const char *alone_text(struct view *view, struct arena *arena)
{
    uint32_t device = view->narrow.device;
    struct selection all = view_selection(view);
    all.device = view->app->scope->device;
    bool is_one_of = view->is_proof && device != ROW_NONE && all.device == ROW_NONE &&
                     selection_device_count(view->app->profile, &all) > 1;
    return is_one_of ? arena_format(arena, "GPU %" PRId64 " alone",
                                    device_number(view->app->profile, device))
                     : NULL;
}

// Returns the number of rows and what their sums refer to: "3 of 38  per step and GPU".
static const char *count_text(struct view *view, struct arena *arena)
{
    struct table *table = &view->table;
    char shown[FORMAT_SIZE], all[FORMAT_SIZE];
    if (view->is_late)
        return "being worked out";
    format_count(all, (int64_t)table->rows.count);
    const char *text =
        table->filter.count
            ? arena_format(arena, "%s of %s", format_count(shown, (int64_t)table->kept_count), all)
            : arena_format(arena, "%s", format_counted(shown, table->rows.count, "row"));
    if (view->report != view->base && view->report->apart && table->rows.count > 1)
        text = arena_format(arena, "%s %s", text, view->report->apart); // "42 rows nest"
    if (table->search)
        text = arena_format(arena, "/%s %s found   %s",
                            text_cut(arena, table->search_text, 30, true, table->ascii),
                            format_count(shown, (int64_t)table->match_count), text);
    const char *marks = table_marks_text(table, arena);
    if (marks)
        text = arena_format(arena, "%s   %s", marks, text);
    const char *per = parts_text(&table->parts, table->report, arena);
    bool lacks_backward = view->backward_ns > 0 && !view->narrow.with_backward;
    if (per && (!lacks_backward || view->app->canvas->width >= 100)) // room for both texts
        text = arena_format(arena, "%s  per %s", text, per);
    if (table->rows.each)
        text = arena_format(arena, "%s  %s", text, table->rows.each);
    const char *alone = alone_text(view, arena);
    if (alone)
        text = arena_format(arena, "%s%s%s", text, per ? ", " : "  ", alone);
    if (view->report != view->base)
        text = arena_format(arena, "%s  %s", text,
                            host_comparison_unit_text(view->app, view->base, arena));
    if (lacks_backward)
        text = arena_format(
            arena, "%s  forward only: %s adds %s", text, action_text("{with-backward}", arena),
            format_duration(shown, ns_per_step(view->backward_ns, table->parts.gpu), table->ascii));
    if (view_kinds(view) & (KIND_TREE | KIND_FLAME) && strcmp(view->report->name, "ops") == 0 &&
        !view->narrow.is_folded)
        text = arena_format(arena, "%s  numbered: each", text);
    return text;
}

// Lays out the terms of the filter that fit into `room` columns, and draws them if `is_drawn`.
// Returns the columns taken.
static int chips_draw(struct view *view, struct canvas *canvas, bool is_drawn, int x, int y,
                      int room)
{
    // A longer term is cut, so that several terms fit.
    enum { MAX_CHIP_WIDTH = 34 };
    const struct table *table = &view->table;
    const char *lead = room > 30 ? "filter: " : "";
    int used = canvas_width(lead);
    size_t count = table->filter.count < MAX_CHIPS ? table->filter.count : MAX_CHIPS;
    view->chip_count = 0;
    if (is_drawn)
        canvas_text(canvas, x, y, STYLE_DIM, lead);
    for (size_t t = 0; t < count; t++) {
        const char *term = chip_text(view, t, canvas->frame);
        int room_left = room - used - 2 - (t + 1 < count ? 4 : 0); // minus room for "+12"
        int max_width = room_left < MAX_CHIP_WIDTH && room_left < canvas_width(term)
                            ? room_left
                            : MAX_CHIP_WIDTH;
        if (max_width < 4 && t > 0) {
            const char *more = arena_format(canvas->frame, "+%zu", count - t);
            return used + (is_drawn ? canvas_text(canvas, x + used, y, STYLE_WARNING, more)
                                    : canvas_width(more));
        }
        term = arena_format(canvas->frame, "[%s]",
                            text_cut(canvas->frame, term, max_width, true, canvas->ascii));
        if (is_drawn)
            canvas_text(canvas, x + used, y, STYLE_WARNING, term);
        view->chips[view->chip_count++] =
            (struct chip){(int16_t)(x + used), (int16_t)canvas_width(term)};
        used += canvas_width(term) + (t + 1 < count);
    }
    return used;
}

void table_view_caption(struct view *view, struct canvas *canvas, struct area area)
{
    const struct table *table = &view->table;
    struct arena *arena = canvas->frame;
    // The path gets up to half of the line, or a quarter if there is a filter or marks. Terms of a
    // filter that do not fit are replaced by their number, "+2".
    bool is_full = table->filter.count || table_marked_count(&view->table) > 0;
    int share = area.width / (is_full ? 4 : 2);
    share -= view->report != view->base ? 4 : 0; // the unit of the comparison is never cut
    const char *right = count_text(view, arena);
    int path_width = canvas_width(view_path_text(view, INT_MAX, arena)) + 4,
        width = canvas_width(right);
    int max_width = area.width - (path_width < share ? path_width : share), chips = 0;
    view->chip_count = 0;
    width = width > max_width ? max_width : width;
    if (table->filter.count && max_width - width > 12)
        chips = chips_draw(view, canvas, false, 0, area.y, max_width - width - 2) + 2;
    int x = area.x + area.width - width - chips - 1;
    if (chips)
        chips_draw(view, canvas, true, x, area.y, max_width - width - 2);
    canvas_fit(canvas, area.x + 1, area.y, x - area.x - 3, STYLE_STRONG, FIT_MIDDLE,
               view_path_text(view, x - area.x - 3, arena));
    canvas_fit(canvas, x + chips, area.y, width,
               is_full || table->search ? STYLE_WARNING : STYLE_DIM, FIT_LEFT, right);
}

int view_chip_at(const struct view *view, int x)
{
    for (int i = 0; i < view->chip_count; i++)
        if (x >= view->chips[i].x && x < view->chips[i].x + view->chips[i].width)
            return i;
    return -1;
}

bool table_view_ready(struct view *view, struct canvas *canvas, struct area area)
{
    if (view->problem.kind != ERROR_NONE) {
        canvas_wrap(canvas, area, STYLE_BAD, view->problem.message);
        return false;
    }
    table_update(&view->table, NULL);
    view->chip_count = 0;
    return true;
}

void table_view_draw(struct view *view, struct canvas *canvas, struct area area)
{
    if (!table_view_ready(view, canvas, area))
        return;
    struct area below = view_cut_sentence(view, &area);
    struct area pane = view_cut_pane(view, &area);
    if (area.height > 4) {
        table_view_caption(view, canvas, area);
        area.y++;
        area.height--;
    }
    view->list = area;
    table_draw(&view->table, canvas, area);
    view_draw_sentence(view, canvas, below);
    if (pane.width > 0)
        view_draw_pane(view, canvas, pane);
}

const char *table_view_enters(struct view *view)
{
    struct selection selection;
    if (!view->report || !table_row(&view->table))
        return NULL;
    const char *opens = view_row_opens(view, &selection);
    const struct view_class *class = opens ? view_class_find(opens) : NULL;
    if (!class)
        return view->table.has_detail ? NULL : "all of the row";
    // The title is not at the start of a sentence: "kernels", but "CUDA API".
    struct arena *arena = view->app->canvas->frame;
    bool is_word = class->title[0] && islower((unsigned char)class->title[1]);
    return arena_format(arena, "%c%s",
                        is_word ? tolower((unsigned char)class->title[0]) : class->title[0],
                        class->title + 1);
}

static bool row_enter(struct view *view)
{
    const void *row = view->report ? table_row(&view->table) : NULL;
    struct selection selection;
    if (!row)
        return false;
    const char *opens = view_row_opens(view, &selection);
    if (!opens && view->report != view->base && compare_row_side(row, SIDE_A) &&
        !compare_row_side(row, SIDE_B))
        host_say(view->app, "this row is gone: only the baseline has it");
    if (!opens) {
        view->table.has_detail = true; // the row opens no view: show its details
        return true;
    }
    const char *name = table_row_name(&view->table, row);
    if (view->is_pane)
        host_expand_pane(view->app);
    selection.iterations = step_set_intern(view->app, selection.iterations);
    host_open_report(view->app, opens, &selection, name && *name ? name : view->report->title);
    return true;
}

static void filter_cell(struct view *view, bool inverse)
{
    struct error error = {0};
    app_remember(view->app);
    if (!table_update(&view->table, &error) ||
        !table_filter_selected(&view->table, inverse, &error))
        host_complain(view->app, "%s", error.message);
}

bool table_view_act(struct view *view, enum action action)
{
    if (!view->report)
        return false;
    if (action == ACTION_ENTER)
        return row_enter(view);
    if (action == ACTION_SEARCH_WORD)
        return false; // handled by app_search_word()
    if (action == ACTION_KEEP || action == ACTION_OMIT) {
        filter_cell(view, action == ACTION_OMIT);
        return true;
    }
    if (action == ACTION_LEAVE_OUT) {
        host_say(view->app, "{leave-out} leaves steps out (view 4); {omit} leaves out rows");
        return true;
    }
    if (action == ACTION_INVERT || action == ACTION_SORT_LEFT || action == ACTION_SORT_RIGHT)
        app_remember(view->app);
    return table_act(&view->table, action);
}

size_t view_drag_rows(struct view *view, int y)
{
    struct table *table = &view->table;
    int line = y - view->list.y - 1;
    size_t from, to;
    bool is_dropped = view->drag == DRAG_ON && !table->marks.has_span; // dropped by Esc
    bool has_marks = view_kinds(view) & action_scope_kinds[SCOPE_MARKS];
    if (view->drag == DRAG_NONE || is_dropped || !has_marks || table->shown_count == 0)
        return 0;
    // Beyond the edge each move of the mouse adds a row.
    long wanted_line = (long)table->top + (line < 0 ? -1 : line < table->page ? line : table->page);
    long last = (long)table->shown_count - 1;
    size_t to_line = (size_t)(wanted_line < 0 ? 0 : wanted_line < last ? wanted_line : last);
    if (view->drag == DRAG_PRESSED && to_line == table->cursor)
        return 0;
    if (view->drag == DRAG_PRESSED) {
        table->marks.has_span = false;
        table_span(table);
    }
    view->drag = DRAG_ON;
    table_go_line(table, to_line);
    return table_span_lines(table, &from, &to) ? to - from + 1 : 0;
}
