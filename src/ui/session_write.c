// SPDX-License-Identifier: Apache-2.0
// Writing a session: the commands that lead from the first screen to where one is.
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/export_list.h"
#include "base/expr.h"
#include "base/text.h"
#include "ui/app_state.h"
#include "ui/session.h"

struct writer {
    struct app *app;
    char *text; // so far
    size_t length, capacity;
    size_t lines;
    bool is_cut;          // there was more than a session may have
    int depth;            // places that were reached from the one before
    enum name_form names; // of new views, as far as the lines so far say; NAME_FORM_COUNT: nothing
    bool is_folded, has_per;
    struct arena *arena;
};

// As it is, indented.
static void write_text(struct writer *writer, const char *text)
{
    const char *whole = arena_format(writer->arena, "%*s%s\n", 2 * writer->depth, "", text);
    size_t length = strlen(whole);
    if (writer->lines >= SESSION_LINES_MAX || writer->length + length > SESSION_MAX)
        writer->is_cut = true;
    if (writer->is_cut)
        return;
    writer->lines++;
    while (writer->length + length + 1 > writer->capacity)
        writer->text =
            arena_grow(writer->arena, writer->text, writer->capacity, &writer->capacity, 1);
    memcpy(writer->text + writer->length, whole, length + 1);
    writer->length += length;
}

#define line(writer, ...) write_text(writer, arena_format((writer)->arena, ":" __VA_ARGS__))

// What a line of a script can hold.
static bool fits(const char *text)
{
    enum { MOST = 7000 };
    size_t length = strlen(text);
    if (length == 0 || length > MOST || text[0] == ' ' || text[length - 1] == ' ')
        return false;
    for (size_t i = 0; i < length;) {
        uint32_t code;
        i += text_decode(text + i, length - i, &code);
        if (text_is_unsafe(code))
            return false;
    }
    return true;
}

// ---- folds -------------------------------------------------------------------------------------

struct folds {
    const struct table *table;
    bool *open;      // it has rows below, and shows them
    bool *all_open;  // so do all of these
    bool *is_opened; // by the lines written, on the way to others
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

static bool fold_line(struct writer *writer, const struct table *table, uint32_t row,
                      const char *command)
{
    const char *place = table_place(table, row, writer->arena);
    if (!place || !fits(place))
        return false;
    line(writer, "row %s", place);
    line(writer, "%s", command);
    return true;
}

static void way_opened(struct folds *folds, uint32_t row)
{
    for (uint32_t up = folds->table->parent[row]; up != UINT32_MAX && !folds->is_opened[up];
         up = folds->table->parent[up])
        folds->is_opened[up] = true;
}

// From all folded: what is unfolded, then what was unfolded only on the way there, from below.
static void folds_write(struct writer *writer, const struct table *table)
{
    enum { LINES_MAX = 2000 };
    struct folds folds = {.table = table};
    uint32_t count = (uint32_t)table->rows.count;
    size_t lines = 0;
    folds_make(&folds, writer->arena);
    line(writer, "fold-all");
    for (uint32_t row = 0; row < count && lines < LINES_MAX; row++) {
        if (!folds.open[row])
            continue;
        bool is_all = folds.all_open[row];
        if (!fold_line(writer, table, row, is_all ? "unfold-all" : "right"))
            continue;
        lines++;
        folds.is_opened[row] = true;
        way_opened(&folds, row);
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

static void sorts_write(struct writer *writer, const struct table *table)
{
    for (unsigned i = table->sort_count; i-- > 0;)
        line(writer, "sort %c%s", table->sort[i].descending ? '-' : '+',
             table->report->columns[table->sort[i].column].key);
}

// Which columns there are, in which order and how wide, where that is not as the report has it. Those
// of a comparison one by one.
static void columns_write(struct writer *writer, const struct table *table)
{
    const struct report *report = table->report;
    const struct column_layout *layout = &table->columns, plain = column_layout_of(report);
    unsigned count = column_layout_count(report);
    if (!column_layout_is_changed(report, layout))
        return;
    // "kernels: hidden=calls": the command is of the report at hand.
    const char *whole = column_layout_print(report, layout, writer->arena);
    const char *own = whole ? strchr(whole, ' ') : NULL;
    if (own && report_find(report->name) == report && fits(own + 1)) {
        line(writer, "columns %s", own + 1);
        return;
    }
    line(writer, "columns reset");
    bool is_moved = memcmp(layout->order, plain.order, count * sizeof *plain.order) != 0;
    for (unsigned i = 0; i < count && is_moved; i++)
        line(writer, "columns %s last", report->columns[layout->order[i]].key);
    for (unsigned c = 0; c < count; c++) {
        const char *key = report->columns[c].key;
        if (column_layout_hides(layout, c) != column_layout_hides(&plain, c) ||
            layout->wanted >> c & 1)
            line(writer, "columns %s %s", key, column_layout_hides(layout, c) ? "hide" : "show");
        if (layout->width[c])
            line(writer, "columns %s %u", key, layout->width[c]);
    }
}

// The column cursor, from the column of names.
static void column_write(struct writer *writer, const struct table *table)
{
    bool is_tree = table->report->depth != NULL;
    int from = table->column, names = 0, direction;
    for (size_t c = 0; c < table->report->column_count && c < TABLE_COLUMNS; c++)
        if (table->report->columns[c].flags & COLUMN_NAME)
            names = (int)c;
    const struct column_layout *columns = &table->columns;
    direction = column_layout_place(table->report, columns, (unsigned)from) <
                        column_layout_place(table->report, columns, (unsigned)names)
                    ? 1
                    : -1;
    for (int steps = 0; from != names && steps < TABLE_COLUMNS; steps++) {
        int next = column_step(table, from, direction);
        if (next == from)
            return;
        from = next;
        line(writer, "%s%s", is_tree ? "scroll-" : "", direction < 0 ? "right" : "left");
    }
}

// Rows that were picked by marks have no text that leads to them again.
static void filter_write(struct writer *writer, const struct table *table)
{
    const char *text = "";
    size_t picked = 0;
    if (table->is_filter_given)
        return;
    for (size_t i = 0; i < table->filter.count; i++) {
        const struct filter_term *term = &table->filter.terms[i];
        if (filter_pick(term) > 0)
            picked++;
        else
            text = arena_format(writer->arena, "%s%s%s", text, *text ? " " : "", term->source);
    }
    if (fits(text))
        line(writer, "filter %s", text);
    if (picked > 0)
        write_text(writer, "# rows that were picked by hand are not kept: all are shown");
}

static void table_write(struct writer *writer, struct view *view, bool is_way)
{
    const struct app *app = writer->app;
    struct table *table = &view->table;
    if (!table_update(table, NULL))
        return;
    if (!writer->has_per && app->per != PER_AS_FOUND && view->report->is_aggregate &&
        view->report == view->base) {
        line(writer, "per-step %s", app_is_per_step(app) ? "on" : "off");
        writer->has_per = true;
    }
    if (table->share != SHARE_OWN)
        line(writer, "share %s", share_names[table->share]);
    columns_write(writer, table);
    sorts_write(writer, table);
    if (table->report->depth && table->parent)
        folds_write(writer, table);
    filter_write(writer, table);
    if (table->search && fits(table->search_text))
        line(writer, "search %s", table->search_text);
    const char *place = table->cursor < table->shown_count
                            ? table_place(table, table->shown[table->cursor], writer->arena)
                            : NULL;
    bool is_moved = table->has_cursor || is_way || table->report->depth; // by folding, too
    if (place && is_moved && fits(place))
        line(writer, "row %s", place);
    column_write(writer, table);
    if (table->has_detail || view->label[0]) // some places open with it
        line(writer, "detail %s", table->has_detail ? "on" : "off");
}

// How it tells things, where that is not how a new view would.
static void told_write(struct writer *writer, struct view *view, const struct view *before)
{
    bool is_new = !view->label[0];
    enum name_form names = is_new || !before ? writer->names : before->narrow.names;
    if (view->narrow.name == STRING_NONE && view->narrow.names != names) {
        line(writer, "names %s", name_form_names[view->narrow.names]);
        writer->names = view->narrow.names;
    }
    if (is_new && view_has_siblings(view) && view->narrow.is_folded != writer->is_folded) {
        line(writer, "siblings %s", view->narrow.is_folded ? "off" : "on");
        writer->is_folded = view->narrow.is_folded;
    }
    if (view_has_backward(view))
        line(writer, "with-backward %s", view->narrow.with_backward ? "on" : "off");
}

// `is_way`: the next place was reached from its row.
static void view_write(struct writer *writer, struct view *view, const struct view *before,
                       bool is_way)
{
    view_refresh(view);
    if (!view_is_ready(view))
        return;
    told_write(writer, view, before);
    if (view->class->keep) {
        const char *text = view->class->keep(view, writer->arena);
        for (size_t length; *text; text += length + (text[length] == '\n')) {
            length = strcspn(text, "\n");
            const char *command = arena_copy(writer->arena, text, length);
            if (fits(command))
                line(writer, "%s", command);
        }
    } else if (view->report) {
        table_write(writer, view, is_way);
        if (view->splits == SPLIT_ON || view->splits == SPLIT_OFF)
            line(writer, "split %s", view->splits == SPLIT_ON ? "on" : "off");
    }
}

// ---- all of it ---------------------------------------------------------------------------------

static void set_write(struct writer *writer, const struct split *split, const bool *members)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    bool has_all = true;
    for (uint32_t i = 0; members && i < split->count; i++) {
        has_all = has_all && members[i];
        first = split->number[i] < first ? split->number[i] : first;
        last = split->number[i] > last ? split->number[i] : last;
    }
    if (!members)
        line(writer, "all");
    else if (has_all) // without what lies outside of steps
        line(writer, "set %" PRId64 "-%" PRId64, first, last);
    else
        line(writer, "set %s", set_format(writer->arena, members, split->number, split->count));
}

static void scope_write(struct writer *writer, uint32_t device, uint32_t process)
{
    const struct profile *profile = writer->app->profile;
    line(writer, "scope all");
    if (device != ROW_NONE)
        line(writer, "scope gpu %" PRId64, device_number(profile, device));
    if (process != ROW_NONE)
        line(writer, "scope process %u", profile->processes[process].pid);
}

static void baseline_write(struct writer *writer)
{
    struct app *app = writer->app;
    const struct baseline *baseline = app_baseline(app);
    char path[PATH_MAX];
    if (!baseline)
        return;
    if (app->comparing.loaded) {
        if (realpath(app->comparing.path, path) && fits(path))
            line(writer, "baseline %s", path);
        else
            write_text(writer, "# the baseline has no name that can be written");
    } else if (baseline->selection.split == app->scope.split) {
        set_write(writer, app->scope.split, baseline->selection.iterations);
        scope_write(writer, baseline->selection.device, baseline->selection.process);
        line(writer, "baseline");
    }
    if (!app->comparing.is_shown)
        line(writer, "deltas off");
}

static void trail_write(struct writer *writer)
{
    struct app *app = writer->app;
    for (size_t i = 0; i < app->depth; i++) {
        struct view *view = app->trail[i], *before = i > 0 ? app->trail[i - 1] : NULL;
        if (view->class == &view_help)
            return;
        if (!view->label[0])
            writer->depth = 0;
        if (view->label[0] && !fits(view->opened)) {
            write_text(writer, "# how the next place was reached is no longer known");
            return;
        }
        writer->depth += view->label[0] != 0;
        if (view->label[0])
            line(writer, "%s", view->opened);
        else
            line(writer, "view %s", view->class->name);
        view_write(writer, view, before, i + 1 < app->depth && app->trail[i + 1]->label[0]);
    }
}

static const char *session_text(struct app *app, struct arena *arena, bool *is_cut)
{
    struct writer writer = {
        .app = app, .names = NAME_FORM_COUNT, .is_folded = true, .arena = arena};
    char path[PATH_MAX];
    write_text(&writer, SESSION_FIRST_LINE "1");
    if (app->options->path && realpath(app->options->path, path) && fits(path))
        write_text(&writer, arena_format(arena, SESSION_PROFILE "%s", path));
    line(&writer, "theme %s", app->theme.name);
    if (fits(app_split_name(app)))
        line(&writer, "key %s", app_split_name(app));
    else
        write_text(&writer, "# what cuts the run into steps has no name that can be written");
    baseline_write(&writer);
    set_write(&writer, app->scope.split, app->scope.iterations);
    scope_write(&writer, app->scope.device, app->scope.process);
    line(&writer, "adoption %s", app->scope.adoption ? "on" : "off");
    for (size_t i = 0; i < app->tab_count; i++) {
        if (app->tabs[i]->class == &view_help)
            continue;
        line(&writer, "view %s", app->tabs[i]->class->name);
        view_write(&writer, app->tabs[i], NULL, false);
        line(&writer, "back");
    }
    trail_write(&writer);
    *is_cut = writer.is_cut;
    return writer.text;
}

static bool text_write(void *context, FILE *file)
{
    const char *const *text = context;
    return fputs(*text, file) >= 0;
}

static bool is_session(const char *path, struct arena *arena)
{
    struct session session;
    struct error error;
    return session_read(path, &session, arena, &error);
}

// Asks before another session is replaced; anything else is never replaced.
static bool may_replace(struct app *app, const char *path, bool force)
{
    struct stat status;
    if (lstat(path, &status) != 0)
        return true;
    if (!is_session(path, app->canvas->frame)) {
        app_complain(app, "%s exists and is no session; not overwritten", path);
        app->complaint = ERROR_IO;
        return false;
    }
    if (force || app->is_script || strcmp(path, app->session_path) == 0)
        return true;
    prompt_open(app, PROMPT_OVERWRITE, path);
    app->prompt.asked_by = PROMPT_SESSION;
    return false;
}

void app_write_session(struct app *app, const char *path, bool force)
{
    struct error error = {0};
    if (app->profile->stage != STAGE_READY) {
        app_say(app, "places are kept once everything is loaded");
        return;
    }
    if (!*path || !may_replace(app, path, force)) {
        if (!*path)
            app_say(app, "not saved: no name");
        return;
    }
    bool is_cut;
    const char *text = session_text(app, app->canvas->frame, &is_cut);
    if (export_atomic(path, true, text_write, &text, app->canvas->frame, &error)) {
        snprintf(app->session_path, sizeof app->session_path, "%s", path);
        if (is_cut)
            app_say(app, "saved in part: here is more than the %d lines or 1 MiB of a session",
                    SESSION_LINES_MAX);
        else
            app_say(app, "saved: dlprof-tui --session=%s comes back here", path);
        return;
    }
    app_complain(app, "%s", error.message);
    app->complaint = error.kind;
}

void app_session(struct app *app, const char *argument)
{
    if (*argument)
        app_write_session(app, argument, false);
    else
        prompt_open(app, PROMPT_SESSION,
                    app->session_path[0]
                        ? app->session_path
                        : arena_format(app->canvas->frame, "%s.session", app_file_stem(app)));
}
