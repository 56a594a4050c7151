// SPDX-License-Identifier: Apache-2.0
// The first time the program is used: what the screen is, and the keys that lead on.
#include "ui/app_state.h"
#include "ui/key.h"
#include "ui/state_file.h"

static const char hint[] =
    "The first lines say what was opened, which views there are and which steps all figures are "
    "of. Below: one step, what would make it shorter, where its time goes.\n\n"
    "  arrows, Tab    go through this screen\n"
    "  Enter, Esc     open what is under the cursor; back to exactly here\n"
    "  1 ... 9, 0     the views: tree, kernels, steps, advice, time line\n"
    "  K              explains the figure under the cursor\n"
    "  ?              what can be done here, columns explained, and a tour\n\n"
    "This comes once. Esc or Enter closes it; any other key does what it always does.";

void first_run_hint(struct app *app)
{
    box_open(app, "dlprof-tui, the first time", hint);
    app->box.form = BOX_HINT;
}

static bool mark_body(void *context, struct error *error)
{
    struct app *app = context;
    (void)error;
    return state_file_mark("seen", app->canvas->frame);
}

void first_run_greet(struct app *app)
{
    if (arena_run(app->canvas->frame, mark_body, app, NULL))
        first_run_hint(app);
}

bool first_run_key(struct app *app, uint32_t key)
{
    app->box.is_open = false;
    return key != KEY_ESCAPE && key != KEY_ENTER_PRESSED && key != '\n' && key != ' ' &&
           action_of_key(key, view_kinds(app_top(app))) != ACTION_NONE;
}
