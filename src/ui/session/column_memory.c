// SPDX-License-Identifier: Apache-2.0
// Keeps the user's column layouts from one run to the next.
#include <string.h>

#include "base/text/atomic_file.h"
#include "ui/session/session_calls.h"
#include "ui/session/state_file.h"
#include "ui/state/app_options.h"
#include "ui/state/app_state.h"
#include "ui/state/columns.h"
#include "ui/term/canvas.h"

#define COLUMNS_FILE "columns"
enum { COLUMNS_MAX = 1 << 18 }; // maximum bytes of the file that are read

static bool recall_body(void *context, struct error *error)
{
    struct app *app = context;
    const char *text = state_file_read(COLUMNS_FILE, COLUMNS_MAX, app->canvas->frame);
    if (text)
        app_columns_read(app, text, error);
    app->columns->remembered = app_columns_text(app, app->arena);
    return true;
}

static bool renew_body(void *context, struct error *error)
{
    struct app *app = context;
    (void)error;
    app->columns->remembered = app_columns_text(app, app->arena);
    return true;
}

void app_rebase_layouts(struct app *app)
{
    if (app->options->keeps_state)
        app_guard(app, renew_body, app, NULL);
}

void app_load_layouts(struct app *app)
{
    if (app->options->keeps_state)
        app_guard(app, recall_body, app, NULL);
}

// Writes the layouts only if they changed in this run, so that the layouts that another run has
// written meanwhile are not overwritten without need.
static bool memorize_body(void *context, struct error *error)
{
    struct app *app = context;
    const char *current = app_columns_text(app, app->canvas->frame);
    (void)error;
    return strcmp(current, app->columns->remembered ? app->columns->remembered : "") == 0 ||
           state_file_write(COLUMNS_FILE, atomic_file_text, &current, app->canvas->frame);
}

void app_save_layouts(struct app *app)
{
    if (app->options->keeps_state)
        app_guard(app, memorize_body, app, NULL);
}
