// SPDX-License-Identifier: Apache-2.0
// Choosing a run of a folder: the list on the whole terminal, and `:run`.
#include "ui/app/app_runs.h"

#include "ui/app/app_actions.h"
#include "ui/app/runs.h"
#include "ui/host.h"
#include "ui/state/app_options.h"
#include "ui/state/app_state.h"
#include "ui/state/colours.h"
#include "ui/state/mouse.h"
#include "ui/state/requests.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui/term/term.h"

void app_choose_run(struct app *app, const char *argument)
{
    const struct run_list *runs = app->options->runs;
    size_t run;
    if (!runs) {
        host_complain(app, "there is no other run: what was opened is no folder of several");
    } else if (!*argument) {
        app->requests->wants_runs = true;
    } else if ((run = run_find(runs, argument)) == SIZE_MAX) {
        host_complain(app, "no run %.60s, or several begin so: {run} lists all", argument);
    } else if (run == app->options->run) {
        host_say(app, "that is the run that is open");
    } else {
        app->requests->run_wanted = run;
        app->requests->is_done = true;
    }
}

// Handles keys that work in the full-screen list as in a view.
static bool terminal_key(const struct run_picker *picker, uint32_t key)
{
    enum action action = picker->is_typing ? ACTION_NONE : action_of_key(key, KIND_TABLE);
    if (action == ACTION_SUSPEND)
        term_suspend();
    else if (action == ACTION_REDRAW)
        term_redraw();
    else
        return false;
    return true;
}

static bool picker_read(struct run_picker *picker, struct canvas *canvas, enum run_answer *answer)
{
    int x = 0, y = 0;
    uint32_t key;
    bool is_stale = false;
    while (*answer == RUN_PENDING && (key = term_key(&x, &y)) != KEY_NONE_PRESSED) {
        if (key == KEY_NOTHING)
            continue;
        is_stale = true;
        if (key == KEY_RESIZED || terminal_key(picker, key))
            return true;
        *answer = run_picker_key(picker, key, x, y);
        run_picker_draw(picker, canvas); // pages and positions depend on the last drawing
    }
    return is_stale;
}

static bool picker_loop(struct app *app, struct run_picker *picker, enum run_answer *answer,
                        int *number, struct error *error)
{
    bool is_stale = true;
    while (*answer == RUN_PENDING) {
        int width, height;
        term_size(&width, &height);
        if (width != app->canvas->width || height != app->canvas->height) {
            if (!canvas_resize(app->canvas, width, height, error))
                return false;
            is_stale = true;
        }
        term_mouse(app->mouse->is_on);
        if (is_stale) {
            run_picker_draw(picker, app->canvas);
            term_draw(app->canvas, &app->colours->theme, app->colours->serial);
        }
        if (!term_wait(-1, -1, number))
            return true;
        is_stale = picker_read(picker, app->canvas, answer);
    }
    return true;
}

bool app_pick_run(struct app *app, const char *problem, size_t *run, int *number,
                  struct error *error)
{
    struct run_picker picker;
    enum run_answer answer = RUN_PENDING;
    *number = 0;
    if (!run_picker_open(&picker, app->options->runs, *run, error))
        return false;
    snprintf(picker.problem, sizeof picker.problem, "%s", problem);
    bool is_fine = picker_loop(app, &picker, &answer, number, error);
    *run = answer == RUN_CHOSEN ? picker.chosen : SIZE_MAX;
    run_picker_close(&picker);
    return is_fine;
}
