// SPDX-License-Identifier: Apache-2.0
#include "ui/state/app_state.h"

#include "ui/term/canvas.h"

struct guard {
    struct app *app;
    bool (*body)(void *context, struct error *error);
    void *context;
};

static bool guard_frame(void *context, struct error *error)
{
    struct guard *guard = context;
    return arena_run(guard->app->canvas->frame, guard->body, guard->context, error);
}

bool app_guard(struct app *app, bool (*body)(void *context, struct error *error), void *context,
               struct error *error)
{
    struct guard guard = {app, body, context};
    return arena_run(app->arena, guard_frame, &guard, error);
}
