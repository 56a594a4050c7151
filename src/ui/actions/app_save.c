// SPDX-License-Identifier: Apache-2.0
// Saves the view, and the one-page report, to files.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/export/export.h"
#include "analysis/report/selection_parts.h"
#include "analysis/reports/report_list.h"
#include "base/text/atomic_file.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "ui/actions/actions.h"
#include "ui/actions/app_rows.h"
#include "ui/actions/app_save.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/rows/cache.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_options.h"
#include "ui/state/app_state.h"
#include "ui/state/colours.h"
#include "ui/state/comparing.h"
#include "ui/state/messages.h"
#include "ui/state/saving.h"
#include "ui/state/script_state.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/canvas.h"
#include "ui/term/canvas_svg.h"

EXPORT_DECLARE(markdown);
EXPORT_DECLARE(text);

const char *app_file_stem(struct app *app)
{
    const char *path = app->options->path; // standard input has no file name
    const char *base =
        path && text_display_path(path) == path ? text_file_name(path, NULL) : "profile";
    const char *dot = strrchr(base, '.');
    return arena_copy(app->canvas->frame, base,
                      dot && dot > base ? (size_t)(dot - base) : strlen(base));
}

#define PAGE "(page)" // used instead of the name of a view for the one-page report

static void saved_remember(struct app *app, const char *of, const char *path)
{
    snprintf(app->saving->saved.path, sizeof app->saving->saved.path, "%s", path);
    snprintf(app->saving->saved.of, sizeof app->saving->saved.of, "%s", of);
}

// Returns the initial text of a prompt: the last file saved if it has the same view (`of`), else
// `name` in the folder of that file.
static const char *prompt_offer(struct app *app, const char *of, const char *name)
{
    const char *slash = strrchr(app->saving->saved.path, '/');
    if (app->saving->saved.path[0] && strcmp(app->saving->saved.of, of) == 0)
        return app->saving->saved.path;
    return slash ? arena_format(app->canvas->frame, "%.*s%s",
                                (int)(slash + 1 - app->saving->saved.path), app->saving->saved.path,
                                name)
                 : name;
}

// Returns the path of a file just written: as given in a script, else absolute.
static const char *saved_path_text(struct app *app, const char *path)
{
    char *real = app->script->is_script ? NULL : realpath(path, NULL);
    int room = app->canvas->width > 40 ? app->canvas->width - 12 : 28;
    const char *safe = real ? text_safe(app->canvas->frame, real, strlen(real), true) : NULL;
    const char *text =
        safe ? text_cut(app->canvas->frame, safe, room, true, app->canvas->ascii) : path;
    free(real);
    return text;
}

void app_save(struct app *app, const char *argument)
{
    struct view *view = host_top_view(app);
    if (*argument) {
        app_write_view(app, argument, false);
        return;
    }
    prompt_open(app, PROMPT_SAVE,
                prompt_offer(app, view->class->name,
                             arena_format(app->canvas->frame, "%s_%s.%s", app_file_stem(app),
                                          view->class->name, view->report ? "csv" : "txt")));
}

void app_page(struct app *app, const char *argument)
{
    if (*argument)
        app_write_page(app, argument, false);
    else
        prompt_open(
            app, PROMPT_PAGE,
            prompt_offer(app, PAGE,
                         arena_format(app->canvas->frame, "%s_report.md", app_file_stem(app))));
}

// Returns true if `path` is not one of the program's inputs. Sessions and scripts are not checked.
static bool check_not_input(const struct app *app, const char *path, struct error *error)
{
    const struct app_options *options = app->options;
    const struct load_request *request = options->request;
    const char *const compared[] = {options->baseline, app->comparing->path,
                                    app->comparing_load->wanted, app->comparing_load->loading};
    for (size_t i = 0; request && i < request->path_count; i++)
        if (!export_check_not_input(path, request->paths[i], "profile", error))
            return false;
    for (size_t i = 0; i < sizeof compared / sizeof *compared; i++)
        if (!export_check_not_input(path, compared[i], "baseline", error))
            return false;
    return export_check_not_input(path, options->path, "profile", error);
}

bool app_may_write(struct app *app, const char *path, bool force, enum prompt_kind asked_by)
{
    struct stat status;
    struct error error = {0};
    if (!*path) {
        host_say(app, "not saved: no name");
        return false;
    }
    if (!check_not_input(app, path, &error)) {
        host_complain_error(app, &error);
        return false;
    }
    if (force || lstat(path, &status) != 0)
        return true;
    if (app->script->is_script) {
        host_complain(app, "%s exists already; not overwritten", path);
        app->messages->kind = ERROR_IO;
        return false;
    }
    prompt_open(app, PROMPT_OVERWRITE, path);
    app->prompt->asked_by = asked_by;
    return false;
}

struct export_request {
    struct app *app;
    const char *path;
    bool force;
    const struct export_table *table;
    const struct export_format *format;
    struct arena *arena;
};

static bool write_body(void *context, struct error *error)
{
    struct export_request *export_request = context;
    return export_file(export_request->path, export_request->force, export_request->table,
                       export_request->format, export_request->arena, error);
}

static void write_table(struct app *app, const char *path, bool force,
                        const struct export_table *table, const struct export_format *format)
{
    struct error error = {0};
    struct export_request export_request = {app, path, force, table, format, arena_new(0)};
    if (export_request.arena &&
        arena_run(export_request.arena, write_body, &export_request, &error))
        host_say(app, "saved %s", saved_path_text(app, path));
    else
        host_complain_error(app, &error);
    arena_free(export_request.arena);
}

static bool has_ending(const char *path, const char *ending)
{
    const char *dot = strrchr(path, '.');
    return dot && strcmp(dot, ending) == 0;
}

static bool picture_write(void *context, FILE *file)
{
    canvas_dump(((const struct app *)context)->canvas, file);
    return true;
}

static bool svg_write(void *context, FILE *file)
{
    const struct app *app = context;
    canvas_svg(app->canvas, &app->colours->theme, file);
    return true;
}

// Saves a view without rows as a picture of the screen.
static void write_picture(struct app *app, const char *path, bool force)
{
    struct error error = {0};
    app->prompt->kind = PROMPT_NONE;
    app->messages->text[0] = 0;
    app_draw(app);
    bool (*write)(void *, FILE *) = has_ending(path, ".svg") ? svg_write : picture_write;
    if (atomic_file_write(path, force ? ATOMIC_FILE_REPLACE : ATOMIC_FILE_NEW, write, app,
                          app->canvas->frame, &error)) {
        host_say(app, "saved %s, a picture of this screen", saved_path_text(app, path));
        return;
    }
    host_complain_error(app, &error);
}

// Builds the rows of a report for the file and writes them.
static void write_report(struct app *app, const char *path, bool force, const struct report *report,
                         const struct selection *selection, const struct export_format *format)
{
    struct error error = {0};
    struct cached *cached = cache_get(app->cache, report, app->profile, selection, &error);
    if (!cached) {
        host_complain(app, "%s: %s", path, error.message);
        app->messages->kind = error.kind;
        return;
    }
    struct export_table out = {.report = report_named(report, &cached->rows),
                               .rows = cached->rows,
                               .profile = app->profile,
                               .selection = selection};
    if (report->is_aggregate) // views that draw sums themselves show them per step
        out.parts = selection_parts(app->profile, selection);
    write_table(app, path, force, &out, format);
    cache_release(cached);
}

static bool is_picture(const char *path)
{
    return has_ending(path, ".screen") || has_ending(path, ".svg");
}

void app_write_view(struct app *app, const char *path, bool force)
{
    struct view *view = host_top_view(app);
    force |= app->options->force;
    saved_remember(app, view->class->name, path);
    if (!app_may_write(app, path, force, PROMPT_SAVE))
        return;
    const struct export_format *format = export_format_of_file(path);
    struct selection selection = view_selection(view);
    if (!view->report && view->class->saves && format) {
        write_report(app, path, force, report_find(view->class->saves), &selection, format);
        return;
    }
    if (!view->report || !view->cached || view->report->row_size == 0 || is_picture(path)) {
        write_picture(app, path, force);
        return;
    }
    if (!format) {
        host_complain(
            app, "%s: the ending chooses the format: csv, tsv, json, md, txt, svg or screen", path);
        return;
    }
    bool is_marked = table_marked_count(&view->table) > 0;
    bool is_for_people = format == &export_text || format == &export_markdown;
    struct error error = {0};
    struct rows_export out;
    if (!rows_export_init(app, is_marked ? ROWS_MARKED : ROWS_SHOWN, is_for_people, &out, &error)) {
        host_complain(app, "%s: %s", path, error.message);
        app->messages->kind = error.kind;
        return;
    }
    write_table(app, path, force, &out.table, format);
    char count[FORMAT_SIZE];
    if (is_marked && !app->messages->is_error)
        host_say(app, "saved %s: %s", saved_path_text(app, path),
                 format_counted(count, out.table.count, "marked row"));
}

void app_write_page(struct app *app, const char *path, bool force)
{
    const struct report *report = report_find("report");
    if (app->profile->stage != STAGE_READY) {
        host_complain(app, "the profile is still being loaded");
        return;
    }
    force |= app->options->force;
    saved_remember(app, PAGE, path);
    if (!app_may_write(app, path, force, PROMPT_PAGE))
        return;
    struct selection selection = host_selection(app);
    selection.names = host_top_view(app)->narrow.names;
    // The rows are lines of text already.
    write_report(app, path, force, report, &selection, export_format_find("text"));
}
