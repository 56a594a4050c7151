// SPDX-License-Identifier: Apache-2.0
// Writes one view of a session as commands: folds, columns, sort, filter and cursor.
#include <string.h>

#include "analysis/reports/report_list.h"
#include "ui/host.h"
#include "ui/session/session_writer.h"
#include "ui/state/app_state.h"
#include "ui/state/scope.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/action.h"

// ---- folds -------------------------------------------------------------------------------------

struct folds {
    const struct table *table;
    bool *open;      // [row] has children and is unfolded
    bool *all_open;  // [row] is unfolded, and so are all rows below it that have children
    bool *is_opened; // [row] unfolded by the lines written so far
};

static void folds_make(struct folds *folds, struct arena *arena)
{
    const struct table *table = folds->table;
    uint32_t count = (uint32_t)table->rows.count;
    folds->open = ARENA_ARRAY(arena, bool, count + 1);
    folds->all_open = ARENA_ARRAY(arena, bool, count + 1);
    folds->is_opened = ARENA_ARRAY(arena, bool, count + 1);
    for (uint32_t row = 0; row < count; row++) {
        const void *data = report_row(table->report, &table->rows, row);
        bool has_children = table->report->has_children && table->report->has_children(data);
        folds->open[row] = has_children && !row_is_folded(table, row);
        folds->all_open[row] = folds->open[row] || !has_children;
    }
    for (uint32_t row = count; row-- > 0;)
        if (table->parent[row] != UINT32_MAX && !folds->all_open[row])
            folds->all_open[table->parent[row]] = false;
}

static bool fold_line(struct session_writer *writer, const struct table *table, uint32_t row,
                      const char *command)
{
    const char *place = table_place(table, row, writer->arena);
    if (!place || !session_can_write(place))
        return false;
    session_line(writer, "row %s", place);
    session_line(writer, "%s", command);
    return true;
}

static void note_open_ancestors(struct folds *folds, uint32_t row)
{
    for (uint32_t up = folds->table->parent[row]; up != UINT32_MAX && !folds->is_opened[up];
         up = folds->table->parent[up])
        folds->is_opened[up] = true;
}

// Writes commands that fold all rows, unfold the open rows, then fold (bottom up) the rows that
// were unfolded only because a command moved the cursor to a row below them.
static void folds_write(struct session_writer *writer, const struct table *table)
{
    // Bounds the lines for the folds of one view; further rows stay folded.
    enum { LINES_MAX = 2000 };
    struct folds folds = {.table = table};
    uint32_t count = (uint32_t)table->rows.count;
    size_t lines = 0;
    folds_make(&folds, writer->arena);
    session_line(writer, "fold-all");
    for (uint32_t row = 0; row < count && lines < LINES_MAX; row++) {
        if (!folds.open[row])
            continue;
        bool is_all = folds.all_open[row];
        if (!fold_line(writer, table, row, is_all ? "unfold-all" : "right"))
            continue;
        lines++;
        folds.is_opened[row] = true;
        note_open_ancestors(&folds, row);
        while (is_all && row + 1 < count &&
               table->report->depth(report_row(table->report, &table->rows, row + 1)) >
                   table->report->depth(report_row(table->report, &table->rows, row)))
            folds.is_opened[++row] = true;
    }
    for (uint32_t row = count; row-- > 0 && lines < (size_t)2 * LINES_MAX;)
        if (folds.is_opened[row] && !folds.open[row] &&
            table->report->has_children(report_row(table->report, &table->rows, row)))
            lines += fold_line(writer, table, row, "left");
}

// ---- a view ------------------------------------------------------------------------------------

static void sorts_write(struct session_writer *writer, const struct table *table)
{
    for (unsigned i = table->sort_count; i-- > 0;)
        session_line(writer, "sort %c%s", table->sort[i].descending ? '-' : '+',
                     table->own->columns[table->sort[i].column].key);
}

// Writes the columns, their order and widths, if they differ from the report's. A comparison takes
// one command per column.
static void columns_write(struct session_writer *writer, const struct table *table)
{
    const struct report *report = table->own;
    const struct column_layout *layout = &table->columns, defaults = column_layout_of(report);
    unsigned count = column_layout_count(report);
    if (!column_layout_is_changed(report, layout))
        return;
    // The layout reads "kernels: hidden=calls"; the command takes it without the report's name.
    const char *line = column_layout_print(report, layout, writer->arena);
    const char *parts = line ? strchr(line, ' ') : NULL;
    if (parts && report_find(report->name) == report && session_can_write(parts + 1)) {
        session_line(writer, "columns %s", parts + 1);
        return;
    }
    session_line(writer, "columns reset");
    bool is_moved = memcmp(layout->order, defaults.order, count * sizeof *defaults.order) != 0;
    for (unsigned i = 0; i < count && is_moved; i++)
        session_line(writer, "columns %s last", report->columns[layout->order[i]].key);
    for (unsigned c = 0; c < count; c++) {
        const char *key = report->columns[c].key;
        if (column_layout_hides(layout, c) != column_layout_hides(&defaults, c) ||
            layout->wanted >> c & 1)
            session_line(writer, "columns %s %s", key,
                         column_layout_hides(layout, c) ? "hide" : "show");
        if (layout->width[c])
            session_line(writer, "columns %s %u", key, layout->width[c]);
    }
}

// Moves the column cursor, starting from the column of names.
static void column_write(struct session_writer *writer, const struct table *table)
{
    bool is_tree = table->report->depth != NULL;
    int from = table->column, names = 0, direction;
    for (size_t c = 0; c < table->report->column_count && c < MAX_TABLE_COLUMNS; c++)
        if (table->report->columns[c].flags & COLUMN_NAME)
            names = (int)c;
    const struct column_layout *columns = &table->columns;
    direction = column_layout_place(table->report, columns, (unsigned)from) <
                        column_layout_place(table->report, columns, (unsigned)names)
                    ? 1
                    : -1;
    for (int steps = 0; from != names && steps < MAX_TABLE_COLUMNS; steps++) {
        int next = column_step(table, from, direction);
        if (next == from)
            return;
        from = next;
        session_line(writer, "%s%s", is_tree ? "scroll-" : "", direction < 0 ? "right" : "left");
    }
}

// Writes the filter, without terms of picked rows, which cannot be written as text. A filter that
// was set by the link that opened the view is not written, because the link sets it again, unless
// the view was opened by a `view` command.
static void filter_write(struct session_writer *writer, const struct view *view)
{
    const struct table *table = &view->table;
    const char *text = "";
    size_t picked = 0;
    if (table->is_filter_from_link && strncmp(view->opened, "view ", 5) != 0)
        return;
    for (size_t i = 0; i < table->filter.count; i++) {
        const struct filter_term *term = &table->filter.terms[i];
        if (filter_pick_number(term) > 0)
            picked++;
        else
            text = arena_format(writer->arena, "%s%s%s", text, *text ? " " : "", term->source);
    }
    if (session_can_write(text))
        session_line(writer, "filter %s", text);
    if (picked > 0)
        session_add(writer, "# rows that were picked by hand are not kept: all are shown");
}

static void table_write(struct session_writer *writer, struct view *view, bool leads_on)
{
    const struct app *app = writer->app;
    struct table *table = &view->table;
    if (!table_update(table, NULL))
        return;
    if (!writer->has_per && !writer->is_bookmark && app->display->per != PER_DEFAULT &&
        view->report->is_aggregate && view->report == view->base) {
        session_line(writer, "per-step %s", host_is_per_step(app) ? "on" : "off");
        writer->has_per = true;
    }
    if (table->share != SHARE_OWN)
        session_line(writer, "share %s", share_names[table->share]);
    if (!writer->is_bookmark)
        columns_write(writer, table);
    sorts_write(writer, table);
    if (view_kinds(view) & KIND_TREE && table->parent)
        folds_write(writer, table);
    filter_write(writer, view);
    if (table->search && session_can_write(table->search_text))
        session_line(writer, "search %s", table->search_text);
    const char *place = table->cursor < table->shown_count
                            ? table_place(table, table->shown[table->cursor], writer->arena)
                            : NULL;
    bool is_moved = table->has_cursor || leads_on || table->report->depth; // folding moves it, too
    if (place && is_moved && session_can_write(place))
        session_line(writer, "row %s", place);
    column_write(writer, table);
    if (table->has_detail || view->label[0]) // some places open with details
        session_line(writer, "detail %s", table->has_detail ? "on" : "off");
}

// Writes the display settings in which the view differs from a new view.
static void display_write(struct session_writer *writer, struct view *view,
                          const struct view *before)
{
    bool is_new = !view->label[0];
    enum name_form names = is_new || !before ? writer->names : before->narrow.names;
    if (view->narrow.name == STRING_NONE && view->narrow.names != names) {
        session_line(writer, "names %s", name_form_names[view->narrow.names]);
        writer->names = view->narrow.names;
    }
    // A view opened from a row is folded like the view that it came from; another one, like new
    // views.
    bool is_usual = is_new ? view->narrow.is_folded == writer->is_folded
                           : view->narrow.is_folded && before && before->narrow.is_folded;
    if (!is_usual && view_has_siblings(view) && view->narrow.node == ROW_NONE) {
        session_line(writer, "siblings %s", view->narrow.is_folded ? "off" : "on");
        writer->is_folded = view->narrow.is_folded;
    }
    if (view_has_backward(view))
        session_line(writer, "with-backward %s", view->narrow.with_backward ? "on" : "off");
}

void session_view(struct session_writer *writer, struct view *view, const struct view *before,
                  bool leads_on)
{
    view_refresh(view);
    if (!view_is_ready(view))
        return;
    display_write(writer, view, before);
    if (view->report)
        table_write(writer, view, leads_on);
    if (view->class->keep) {
        const char *text = view->class->keep(view, writer->arena);
        for (size_t length; *text; text += length + (text[length] == '\n')) {
            length = strcspn(text, "\n");
            const char *command = arena_copy(writer->arena, text, length);
            if (session_can_write(command))
                session_line(writer, "%s", command);
        }
    } else if (view->splits == SPLIT_ON || view->splits == SPLIT_OFF) {
        session_line(writer, "split %s", view->splits == SPLIT_ON ? "on" : "off");
    }
}
