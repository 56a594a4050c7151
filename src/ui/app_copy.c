// SPDX-License-Identifier: Apache-2.0
// Copying a text: to the clipboard where the terminal has one, else into a file.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/export_list.h"
#include "base/format.h"
#include "base/text.h"
#include "ui/app_state.h"
#include "ui/clipboard.h"
#include "ui/term.h"

static bool text_write(void *context, FILE *file)
{
    const char *text = context;
    return fputs(text, file) >= 0 && fputc('\n', file) >= 0;
}

// A name that no file has yet.
static const char *free_path(struct app *app)
{
    enum { MOST = 1000 };
    struct stat status;
    for (int i = 1; i <= MOST; i++) {
        const char *path =
            arena_format(app->canvas->frame, "%s_copy_%d.txt", app_file_stem(app), i);
        if (lstat(path, &status) != 0)
            return path;
    }
    return NULL;
}

// Whether it was sent to the terminal, and what to say of it; else why it was not.
static bool clipboard_take(struct app *app, const char *what, const char *text, const char **why)
{
    struct arena *arena = app->canvas->frame;
    struct clipboard clipboard = clipboard_find(getenv);
    char size[FORMAT_SIZE], most[FORMAT_SIZE];
    size_t length = strlen(text), count;
    if (app->is_script) {
        *why = "no terminal";
    } else if (clipboard.sure == CLIPBOARD_NONE) {
        *why = arena_format(arena, "%s has no clipboard", clipboard.who);
    } else if (length > CLIPBOARD_MOST) {
        *why =
            arena_format(arena, "%s is too long for a clipboard (%s at most)",
                         format_bytes(size, (int64_t)length), format_bytes(most, CLIPBOARD_MOST));
    } else {
        char *bytes = clipboard_bytes(arena, clipboard.wrap, text, length, &count);
        *why = "the terminal does not take it";
        if (!term_send(bytes, count))
            return false;
        if (clipboard.sure == CLIPBOARD_SURE)
            app_say(app, "%s copied to the clipboard of %s (OSC 52)", what, clipboard.who);
        else
            app_say(app, "%s sent to the clipboard of %s (OSC 52%s%s); a file: `:copy FILE`", what,
                    clipboard.who, clipboard.advice ? "; there: " : "",
                    clipboard.advice ? clipboard.advice : "");
        return true;
    }
    return false;
}

void app_copy(struct app *app, const char *what, const char *text)
{
    char *safe = text_safe(app->canvas->frame, text, strlen(text), true);
    struct error error = {0};
    const char *why = NULL, *path = app->copy_to;
    if (!path && clipboard_take(app, what, safe, &why))
        return;
    if (!path)
        path = free_path(app);
    if (path && export_atomic(path, false, text_write, safe, app->canvas->frame, &error)) {
        app_say(app, "%s%s%s written to %s", why ? why : "", why ? ": " : "", what, path);
        return;
    }
    app_complain(app, "%s", path ? error.message : "not copied: no clipboard and no free name");
    app->complaint = path ? error.kind : ERROR_IO;
}

// `:copy FILE`: the same text, and no clipboard.
void app_copy_to(struct app *app, const char *argument)
{
    struct view *view = app_top(app);
    app->copy_to = *argument ? argument : NULL;
    if (*argument && view->class->act && view_is_ready(view))
        view->class->act(view, ACTION_COPY);
    app->copy_to = NULL;
}
