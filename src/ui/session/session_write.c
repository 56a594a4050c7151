// SPDX-License-Identifier: Apache-2.0
// Writes a session: the commands that lead from the first screen to the current places. A place is
// a view with its state; the trail of a pane is the list of places that led to its current view.
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/atomic_file.h"
#include "base/text/text.h"
#include "model/profile/ranks.h"
#include "ui/actions/app_panes.h"
#include "ui/actions/app_save.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/session/session.h"
#include "ui/session/session_actions.h"
#include "ui/session/session_calls.h"
#include "ui/session/session_writer.h"
#include "ui/state/app_options.h"
#include "ui/state/app_state.h"
#include "ui/state/colours.h"
#include "ui/state/comparing.h"
#include "ui/state/messages.h"
#include "ui/state/places.h"
#include "ui/state/saving.h"
#include "ui/state/scope.h"
#include "ui/state/splits.h"
#include "ui/state/view.h"
#include "ui/term/canvas.h"
#include "ui/widgets/panes.h"

void session_add(struct session_writer *writer, const char *text)
{
    size_t indent = 2 * (size_t)writer->depth, length = indent + strlen(text) + 1;
    if (writer->lines >= MAX_SESSION_LINES || writer->text.count + length > MAX_SESSION_BYTES)
        writer->is_cut = true;
    if (writer->is_cut)
        return;
    writer->lines++;
    writer->text.arena = writer->arena;
    bytes_format(&writer->text, "%*s%s\n", (int)indent, "", text); // adds a NUL that is not counted
}

bool session_can_write(const char *text)
{
    // Leaves room in the line for the command and the indent.
    enum { MAX_LENGTH = 7000 };
    size_t length = strlen(text);
    if (length == 0 || length > MAX_LENGTH || text[0] == ' ' || text[length - 1] == ' ')
        return false;
    for (size_t i = 0; i < length;) {
        uint32_t code;
        i += text_decode(text + i, length - i, &code);
        if (text_is_unsafe(code))
            return false;
    }
    return true;
}

// ---- the session -------------------------------------------------------------------------------

static void set_write(struct session_writer *writer, const struct split *split, const bool *members)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    bool has_all = true;
    for (uint32_t i = 0; members && i < split->count; i++) {
        has_all = has_all && members[i];
        first = split->number[i] < first ? split->number[i] : first;
        last = split->number[i] > last ? split->number[i] : last;
    }
    if (!members)
        session_line(writer, "all");
    else if (has_all) // `all` would include the time outside of steps
        session_line(writer, "set %" PRId64 "-%" PRId64, first, last);
    else
        session_line(writer, "set %s",
                     set_format(writer->arena, members, split->number, split->count));
}

static void scope_write(struct session_writer *writer, uint32_t device, uint32_t process)
{
    const struct profile *profile = writer->app->profile;
    session_line(writer, "scope all");
    if (device != ROW_NONE)
        session_line(writer, "scope gpu %" PRId64, device_number(profile, device));
    if (process != ROW_NONE)
        session_line(writer, "scope %s",
                     process_label(profile, process, (char[PROCESS_LABEL_SIZE]){0}));
}

static void baseline_write(struct session_writer *writer)
{
    struct app *app = writer->app;
    const struct baseline *baseline = host_baseline(app);
    char path[PATH_MAX];
    if (!baseline)
        return;
    if (app->comparing->loaded) {
        if (realpath(app->comparing->path, path) && session_can_write(path))
            session_line(writer, "baseline %s", path);
        else
            session_add(writer, "# the baseline has no name that can be written");
    } else if (baseline->selection.split == app->scope->split) {
        set_write(writer, app->scope->split, baseline->selection.iterations);
        scope_write(writer, baseline->selection.device, baseline->selection.process);
        session_line(writer, "baseline");
    }
    if (!app->comparing->is_shown)
        session_line(writer, "deltas off");
}

// Writes the split by its name.
static void split_write(struct session_writer *writer)
{
    if (session_can_write(app_split_name(writer->app)))
        session_line(writer, "key %s", app_split_name(writer->app));
    else
        session_add(writer, "# what cuts the run into steps has no name that can be written");
}

static void scope_all_write(struct session_writer *writer)
{
    const struct scope *scope = writer->app->scope;
    set_write(writer, scope->split, scope->iterations);
    scope_write(writer, scope->device, scope->process);
    session_line(writer, "adoption %s", scope->adoption ? "on" : "off");
    if (scope->step_size.flops > 0)
        session_line(writer, "flops %.17g", scope->step_size.flops);
    if (scope->step_size.items > 0)
        session_line(writer, "items %s:%.17g", scope->step_size.unit, scope->step_size.items);
}

// Returns true if a command is known that opens `view` from `before`, the last view written. `from`
// precedes `view` on the trail; it may be a help view, which is not written. From help only the
// proof of a finding can be opened, and its command works in all views.
static bool is_opening_known(const struct view *view, const struct view *from,
                             const struct view *before)
{
    return before && session_can_write(view->opened) && (from == before || view->is_proof);
}

// Writes the places on the trail of a pane, from index `from` on.
static void trail_write(struct session_writer *writer, unsigned pane, size_t from)
{
    size_t depth;
    struct view *const *trail = app_pane_trail(writer->app, pane, &depth);
    struct view *before = from > 0 ? trail[from - 1] : NULL; // the last one that is written
    for (size_t i = from; i < depth; i++) {
        struct view *view = trail[i];
        if (class_is_help(view->class))
            continue;
        if (!view->label[0])
            writer->depth = 0;
        if (view->label[0] && !is_opening_known(view, trail[i - 1], before)) {
            session_add(writer, "# how the next place was reached is no longer known");
            return;
        }
        writer->depth += view->label[0] != 0;
        if (view->label[0])
            session_line(writer, "%s", view->opened);
        else if (!before && pane > 0 && !writer->is_bookmark)
            session_line(writer, "pane %s", view->class->name);
        else
            session_line(writer, "view %s%s", view->class->name,
                         view->is_visit || writer->is_bookmark ? " new" : "");
        if (writer->is_bookmark && i == from) { // after `view`, as views follow the scope
            split_write(writer);
            scope_all_write(writer);
        }
        session_view(writer, view, before, i + 1 < depth && trail[i + 1]->label[0]);
        before = view;
    }
}

static void panes_write(struct session_writer *writer)
{
    const struct panes *panes = &writer->app->places->panes;
    for (unsigned i = 0; i < panes->count; i++)
        trail_write(writer, i, 0);
    writer->depth = 0;
    if (panes->side != PANES_AUTO)
        session_line(writer, "pane-turn %s", panes_side_names[panes->side]);
    if (panes->count > 1) {
        session_line(writer, "pane %s", app_shares_text(writer->app, writer->arena));
        session_line(writer, "pane #%u", panes->focus + 1);
    }
}

static void profile_write(struct session_writer *writer, const char *file)
{
    char path[PATH_MAX];
    if (file && realpath(file, path) && session_can_write(path))
        session_add(writer, arena_format(writer->arena, SESSION_PROFILE "%s", path));
}

static void window_write(struct session_writer *writer, const struct file_window *file_window)
{
    char from[40] = "", to[40] = "";
    if (!file_window)
        return;
    if (file_window_has_steps(file_window)) {
        session_add(writer, arena_format(writer->arena, SESSION_STEPS "%" PRId64 "-%" PRId64,
                                         file_window->first_step, file_window->last_step));
        return;
    }
    if (file_window->from > INT64_MIN)
        snprintf(from, sizeof from, "%" PRId64 "ns", file_window->from);
    if (file_window->to < INT64_MAX)
        snprintf(to, sizeof to, "%" PRId64 "ns", file_window->to);
    session_add(writer, arena_format(writer->arena, SESSION_WINDOW "%s..%s", from, to));
}

static const char *session_text(struct app *app, struct arena *arena, bool *is_cut)
{
    struct session_writer writer = {
        .app = app, .names = NAME_FORM_COUNT, .is_folded = true, .arena = arena};
    const struct load_request *request = app->options->request;
    session_add(&writer, SESSION_FIRST_LINE "1");
    if (!request || request->path_count < 2)
        profile_write(&writer, app->options->path);
    for (size_t i = 0; request && request->path_count > 1 && i < request->path_count; i++)
        profile_write(&writer, request->paths[i]);
    if (request && request->domain && session_can_write(request->domain))
        session_add(&writer, arena_format(arena, SESSION_DOMAIN "%s", request->domain));
    window_write(&writer, request ? request->file_window : NULL);
    session_line(&writer, "theme %s", app->colours->theme.name);
    split_write(&writer);
    baseline_write(&writer);
    scope_all_write(&writer);
    for (size_t i = 0; i < app->places->tab_count; i++) {
        if (class_is_help(app->places->tabs[i]->class))
            continue;
        session_line(&writer, "view %s", app->places->tabs[i]->class->name);
        session_view(&writer, app->places->tabs[i], NULL, false);
        session_line(&writer, "back");
    }
    panes_write(&writer);
    bookmarks_write(&writer);
    *is_cut = writer.is_cut;
    return writer.text.items;
}

const char *session_place(struct app *app, struct arena *arena, bool *is_cut)
{
    struct session_writer writer = {.app = app,
                                    .names = NAME_FORM_COUNT,
                                    .is_folded = true,
                                    .is_bookmark = true,
                                    .arena = arena};
    size_t from = app->places->depth - 1;
    while (from > 0 && app->places->trail[from]->label[0])
        from--;
    trail_write(&writer, app->places->panes.focus, from);
    *is_cut = writer.is_cut;
    return writer.text.items;
}

static bool is_session(const char *path, struct arena *arena)
{
    struct session session;
    struct error error;
    return session_read(path, &session, arena, &error);
}

// Returns true if `path` may be replaced. Asks before replacing another session; refuses for any
// other file.
static bool may_replace(struct app *app, const char *path, bool force)
{
    struct stat status;
    if (lstat(path, &status) == 0 && !is_session(path, app->canvas->frame)) {
        host_complain(app, "%s exists and is no session; not overwritten", path);
        app->messages->kind = ERROR_IO;
        return false;
    }
    bool is_its_own = strcmp(path, app->saving->session_path) == 0;
    return app_may_write(app, path, force || app->options->force || is_its_own, PROMPT_SESSION);
}

void app_write_session(struct app *app, const char *path, bool force)
{
    struct error error = {0};
    if (app->profile->stage != STAGE_READY) {
        host_say(app, "places are kept once everything is loaded");
        return;
    }
    if (!may_replace(app, path, force))
        return;
    bool is_cut;
    const char *text = session_text(app, app->canvas->frame, &is_cut);
    if (atomic_file_write(path, ATOMIC_FILE_REPLACE, atomic_file_text, &text, app->canvas->frame,
                          &error)) {
        snprintf(app->saving->session_path, sizeof app->saving->session_path, "%s", path);
        if (is_cut)
            host_say(app, "saved in part: here is more than the %d lines or 1 MiB of a session",
                     MAX_SESSION_LINES);
        else
            host_say(app, "saved: dlprof-tui --session=%s comes back here", path);
        return;
    }
    host_complain_error(app, &error);
}

void app_session(struct app *app, const char *argument)
{
    if (*argument)
        app_write_session(app, argument, false);
    else
        prompt_open(app, PROMPT_SESSION,
                    app->saving->session_path[0]
                        ? app->saving->session_path
                        : arena_format(app->canvas->frame, "%s.session", app_file_stem(app)));
}
