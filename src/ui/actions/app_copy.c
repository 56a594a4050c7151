// SPDX-License-Identifier: Apache-2.0
// Copies a cell, rows as a table, or the whole view to the terminal's clipboard, or to a file if it
// has none.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/export/export.h"
#include "base/text/atomic_file.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "ui/actions/actions.h"
#include "ui/actions/app_rows.h"
#include "ui/actions/app_save.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/state/app_calls.h"
#include "ui/state/app_options.h"
#include "ui/state/app_state.h"
#include "ui/state/messages.h"
#include "ui/state/saving.h"
#include "ui/state/script_state.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/clipboard.h"
#include "ui/term/term.h"

// ---- destination -------------------------------------------------------------------------------

static bool lines_write(void *text, FILE *file)
{
    return atomic_file_text(text, file) && fputc('\n', file) >= 0;
}

// Returns a file name that does not exist yet, or NULL.
static const char *free_path(struct app *app, const char *extension)
{
    // Bounds the loop if very many copies exist.
    enum { MAX_TRIES = 1000 };
    struct stat status;
    for (int i = 1; i <= MAX_TRIES; i++) {
        const char *path =
            arena_format(app->canvas->frame, "%s_copy_%d.%s", app_file_stem(app), i, extension);
        if (lstat(path, &status) != 0)
            return path;
    }
    return NULL;
}

// Sends text to the terminal's clipboard and reports that. Returns false and sets `why` if it
// cannot.
static bool clipboard_send(struct app *app, const char *what, const char *text, const char **why)
{
    struct arena *arena = app->canvas->frame;
    struct clipboard clipboard = clipboard_find(getenv);
    char size[FORMAT_SIZE], limit[FORMAT_SIZE];
    size_t length = strlen(text), count;
    if (app->script->is_script) {
        *why = "no terminal";
    } else if (clipboard.sure == CLIPBOARD_NONE) {
        *why = arena_format(arena, "%s has no clipboard", clipboard.who);
    } else if (length > MAX_CLIPBOARD_BYTES) {
        *why = arena_format(arena, "%s is too long for a clipboard (%s at most)",
                            format_bytes(size, (int64_t)length),
                            format_bytes(limit, MAX_CLIPBOARD_BYTES));
    } else {
        char *bytes = clipboard_bytes(arena, clipboard.wrap, text, length, &count);
        *why = "the terminal does not take it";
        if (!term_send(bytes, count))
            return false;
        if (clipboard.sure == CLIPBOARD_SURE)
            host_say(app, "%s copied to the clipboard of %s (OSC 52)", what, clipboard.who);
        else
            host_say(app,
                     "%s sent to the clipboard (OSC 52, %s). Paste fails? :copy FILE; why: "
                     "dlprof-tui --doctor",
                     what, clipboard.who);
        return true;
    }
    return false;
}

static void text_copy(struct app *app, const char *what, char *text, const char *extension)
{
    struct error error = {0};
    const char *why = NULL, *path = app->saving->copy_to;
    if (!path && clipboard_send(app, what, text, &why))
        return;
    if (!path)
        path = free_path(app, extension);
    // A path that the user gave may exist; one from free_path() does not.
    enum atomic_file_mode mode =
        app->saving->copy_to && app->saving->copies_over ? ATOMIC_FILE_REPLACE : ATOMIC_FILE_NEW;
    if (path && atomic_file_write(path, mode, lines_write, &text, app->canvas->frame, &error)) {
        host_say(app, "%s%s%s written to %s", why ? why : "", why ? ": " : "", what, path);
        return;
    }
    host_complain(app, "%s", path ? error.message : "not copied: no clipboard and no free name");
    app->messages->kind = path ? error.kind : ERROR_IO;
}

void host_copy_text(struct app *app, const char *what, const char *text)
{
    text_copy(app, what, text_safe(app->canvas->frame, text, strlen(text), true), "txt");
}

void host_copy_lines(struct app *app, const char *what, const char *text)
{
    text_copy(app, what, text_safe(app->canvas->frame, text, strlen(text), false), "txt");
}

// ---- content -----------------------------------------------------------------------------------

struct table_text {
    const struct export_table *table;
    const struct export_format *format;
    struct arena *arena;
    char *text; // from malloc(), without the last line break; NULL: out of memory
};

static bool table_body(void *context, struct error *error)
{
    struct table_text *call = context;
    size_t size = 0;
    FILE *file = open_memstream(&call->text, &size);
    if (!file)
        return error_set(error, ERROR_MEMORY, "out of memory");
    bool is_written = call->format->write(call->table, file, call->arena);
    bool is_closed = fclose(file) == 0;
    if (is_written && is_closed && size > 0 && call->text[size - 1] == '\n')
        call->text[size - 1] = 0;
    return (is_written && is_closed) || error_set(error, ERROR_MEMORY, "out of memory");
}

static const char *rows_text(const struct app *app, enum exported_rows which, size_t count,
                             const struct export_format *format)
{
    char rows[FORMAT_SIZE];
    format_counted(rows, count, which == ROWS_MARKED ? "marked row" : "row");
    const char *of = which == ROWS_SHOWN    ? arena_format(app->canvas->frame, "all %s shown", rows)
                     : which == ROWS_CURSOR ? "the row"
                                            : arena_format(app->canvas->frame, "%s", rows);
    return arena_format(app->canvas->frame, "%s as %s", of, format->name);
}

static void rows_copy(struct app *app, enum exported_rows which, const struct export_format *format)
{
    struct error error = {0};
    struct rows_export out;
    if (!rows_export_init(app, which, true, &out, &error)) {
        host_complain(app, "%s", error.message);
        return;
    }
    struct table_text call = {&out.table, format, arena_new(0), NULL};
    if (call.arena && arena_run(call.arena, table_body, &call, &error))
        text_copy(app, rows_text(app, which, out.table.count, format), call.text,
                  format->extension);
    else
        host_complain(app, "%s", error.message);
    arena_free(call.arena);
    free(call.text);
}

static void picture_copy(struct app *app)
{
    char *text = NULL;
    size_t size = 0;
    app->messages->text[0] = 0;
    app_draw(app);
    FILE *file = open_memstream(&text, &size);
    if (file)
        canvas_dump(app->canvas, file);
    if (!file || fclose(file) != 0 || size == 0) {
        host_complain(app, "out of memory");
    } else {
        text[size - 1] = 0; // the last line break
        text_copy(app, "a picture of the screen", text, "screen");
    }
    free(text);
}

static void cell_copy(struct app *app)
{
    const struct table *table = &host_top_view(app)->table;
    const void *row = table_row(table);
    if (row && table->column >= 0)
        host_copy_text(app, "the cell",
                       table_cell(table, (unsigned)table->column, row, app->canvas->frame));
    else
        host_say(app, "there is no row under the cursor");
}

// ---- the commands ------------------------------------------------------------------------------

enum copied { COPY_AS_IS, COPY_CELL, COPY_ROW, COPY_MARKED, COPY_VIEW };

struct copy_request {
    enum copied what;
    const struct export_format *format; // NULL: the last one used
    const char *path;                   // file to write instead of the clipboard; NULL: none
};

// Parses "row tsv", "tsv", "view" or "view rows.md": words in any order, a file name last.
static bool request_parse(const char *argument, struct copy_request *request, struct error *error)
{
    static const char *const words[] = {
        [COPY_CELL] = "cell", [COPY_ROW] = "row", [COPY_MARKED] = "marked", [COPY_VIEW] = "view"};
    size_t length;
    for (const char *at = argument + strspn(argument, " ,"); *at;
         at += length + strspn(at + length, " ,")) {
        char word[32];
        length = strcspn(at, " ,");
        snprintf(word, sizeof word, "%.*s", (int)(length < 31 ? length : 31), at);
        const struct export_format *format = export_format_find(word);
        size_t what = COPY_CELL;
        while (what <= COPY_VIEW && strcmp(words[what], word) != 0)
            what++;
        if (!format && what > COPY_VIEW && strpbrk(at, "./")) {
            request->path = at;
            return true;
        }
        if (!format && what > COPY_VIEW)
            return error_set(error, ERROR_USAGE,
                             "'%s': cell, row, marked or view; tsv, markdown, csv, json or text; "
                             "or a file's name with an ending",
                             word);
        if (format)
            request->format = format;
        else
            request->what = (enum copied)what;
    }
    return true;
}

static void request_run(struct app *app, const struct copy_request *request)
{
    struct view *view = host_top_view(app);
    bool has_rows = view->report && view->cached && view->report->row_size > 0;
    if (!has_rows && request->what == COPY_VIEW) {
        picture_copy(app);
        return;
    }
    if (!has_rows) {
        host_say(app, "there are no rows here; {copy-view} copies a picture of the screen");
        return;
    }
    bool has_marks = table_marked_count(&view->table) > 0;
    enum copied what = request->what;
    if (what == COPY_AS_IS)
        what = has_marks ? COPY_MARKED : request->format ? COPY_ROW : COPY_CELL;
    if (what == COPY_MARKED && !has_marks)
        host_say(app, "no row is marked: {mark} marks one, {span} begins a span");
    else if (what == COPY_CELL)
        cell_copy(app);
    else
        rows_copy(app,
                  what == COPY_MARKED ? ROWS_MARKED
                  : what == COPY_ROW  ? ROWS_CURSOR
                                      : ROWS_SHOWN,
                  app->saving->copy_format ? app->saving->copy_format
                                           : export_format_find("markdown"));
}

static void copy_run(struct app *app, const char *argument, bool force)
{
    struct error error = {0};
    struct copy_request request = {COPY_AS_IS, NULL, NULL};
    struct view *view = host_top_view(app);
    if (!request_parse(argument, &request, &error)) {
        host_complain(app, "%s", error.message);
        return;
    }
    if (request.path && !app_may_write(app, request.path, force, PROMPT_COMMAND)) {
        snprintf(app->prompt->before, sizeof app->prompt->before, "%s", argument);
        return;
    }
    const struct export_format *last_format = app->saving->copy_format;
    if (request.format) // also for later copies
        app->saving->copy_format = last_format = request.format;
    else if (request.path && export_format_of_file(request.path)) // for this file only
        app->saving->copy_format = export_format_of_file(request.path);
    app->saving->copy_to = request.path;
    app->saving->copies_over = force;
    // The view may copy something of its own, such as a finding.
    bool is_copied_by_view = request.what == COPY_AS_IS && !request.format && *argument &&
                             view->class->act && view_is_ready(view) &&
                             view->class->act(view, ACTION_COPY);
    if (!is_copied_by_view)
        request_run(app, &request);
    app->saving->copy_to = NULL;
    app->saving->copy_format = last_format;
}

void app_copy_command(struct app *app, const char *argument)
{
    copy_run(app, argument, app->options->force);
}

void app_copy_over(struct app *app, const char *argument)
{
    copy_run(app, argument, true);
}

void app_copy_view(struct app *app, const char *argument)
{
    (void)argument;
    app_copy_command(app, "view");
}
