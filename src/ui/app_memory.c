// SPDX-License-Identifier: Apache-2.0
// What the program remembers from run to run: how columns were arranged, in the XDG state folder,
// never beside a profile. What cannot be read or written is passed over in silence: nobody asked.
#include <stdint.h>
#include <string.h>

#include "analysis/export_list.h"
#include "base/xdg.h"
#include "ui/app_state.h"

enum { MEMORY_MAX = 1 << 18 };

struct memory_call {
    struct app *app;
    bool is_written; // else read
};

static bool text_write(void *context, FILE *file)
{
    return fputs(context, file) >= 0;
}

static char *file_text(const char *path, struct arena *arena)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return NULL;
    char *text = ARENA_ARRAY(arena, char, MEMORY_MAX);
    size_t length = fread(text, 1, MEMORY_MAX - 1, file);
    fclose(file);
    text[length] = 0;
    return length < MEMORY_MAX - 1 ? text : NULL;
}

static bool memory_body(void *context, struct error *error)
{
    const struct memory_call *call = context;
    struct app *app = call->app;
    struct arena *arena = app->canvas->frame;
    const char *path = xdg_path(arena, XDG_STATE, "columns");
    const char *before = path ? file_text(path, arena) : NULL;
    if (!call->is_written)
        return !before || app_columns_read(app, before, error);
    const char *now = app_columns_text(app, arena);
    // Another run may have written meanwhile; who changes nothing leaves that alone.
    if (!path || strcmp(now, app->remembered ? app->remembered : "") == 0)
        return true;
    return xdg_make_folder_of(arena, path) &&
           export_atomic(path, true, text_write, (void *)(uintptr_t)now, arena, error);
}

static bool keep_body(void *context, struct error *error)
{
    struct app *app = context;
    (void)error;
    app->remembered = app_columns_text(app, app->arena);
    return true;
}

void app_recall(struct app *app)
{
    if (!app->options->keeps_state)
        return;
    app_guard(app, memory_body, &(struct memory_call){app, false}, NULL);
    app_guard(app, keep_body, app, NULL);
}

void app_memorize(struct app *app)
{
    if (app->options->keeps_state)
        app_guard(app, memory_body, &(struct memory_call){app, true}, NULL);
}
