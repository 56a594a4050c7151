// SPDX-License-Identifier: Apache-2.0
// Copying a text: to the clipboard where the terminal has one, else into a file.
#include <string.h>
#include <sys/stat.h>

#include "analysis/export_list.h"
#include "base/text.h"
#include "ui/app_state.h"
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

void app_copy(struct app *app, const char *what, const char *text)
{
    char *safe = text_safe(app->canvas->frame, text, strlen(text), true);
    struct error error = {0};
    if (!app->is_script && term_copy(safe, strlen(safe))) {
        app_say(app, "%s copied to the clipboard of the terminal (OSC 52)", what);
        return;
    }
    const char *path = free_path(app);
    if (path && export_atomic(path, false, text_write, safe, app->canvas->frame, &error)) {
        app_say(app, "this terminal tells of no clipboard: %s written to %s", what, path);
        return;
    }
    app_complain(app, "%s", path ? error.message : "not copied: no clipboard and no free name");
    app->complaint = path ? error.kind : ERROR_IO;
}
