// SPDX-License-Identifier: Apache-2.0
// Applies the user's keys when the program starts.
#include "ui/app/app_life.h"
#include "ui/app/keymap.h"
#include "ui/host.h"
#include "ui/state/app_options.h"
#include "ui/state/app_state.h"

struct keys_call {
    struct app *app;
    struct keymap *keymap;
};

static bool keys_body(void *context, struct error *error)
{
    const struct keys_call *call = context;
    struct app *app = call->app;
    call->keymap->file = NULL;
    return keymap_read(app->arena, app->options->keys, call->keymap, error);
}

bool app_use_keymap(struct app *app, struct error *error)
{
    static struct keymap keymap; // lives as long as the program
    struct error problem = {0};
    keymap_use(NULL);
    if (!app->options->keys)
        return true;
    struct keys_call call = {app, &keymap};
    if (!arena_run(app->arena, keys_body, &call, &problem)) {
        if (app->options->must_have_keys)
            return error_set(error, problem.kind, "%s", problem.message);
        host_complain(app, "%s", problem.message);
        return true;
    }
    keymap_use(&keymap);
    if (keymap.note_count > 1)
        host_complain(app, "%s (and %zu more: --doctor)", keymap.notes[0], keymap.note_count - 1);
    else if (keymap.note_count == 1)
        host_complain(app, "%s", keymap.notes[0]);
    return true;
}
