// SPDX-License-Identifier: Apache-2.0
// The functions of ui/host.h that only read or set a member of a part of the app.

#include "ui/host.h"
#include "analysis/detectors/expert.h"
#include "ui/rows/cache.h"
#include "ui/state/app_state.h"
#include "ui/state/candidates_panel.h"
#include "ui/state/findings.h"
#include "ui/state/messages.h"
#include "ui/state/places.h"
#include "ui/state/saving.h"
#include "ui/state/scope.h"

const struct profile *host_profile(const struct app *app)
{
    return app->profile;
}

struct canvas *host_canvas(const struct app *app)
{
    return app->canvas;
}

const struct scope *host_scope(const struct app *app)
{
    return app->scope;
}

unsigned host_generation(const struct app *app)
{
    return app->generation;
}

bool host_is_live(const struct app *app)
{
    return app->is_live;
}

struct cached *host_rows(struct app *app, const struct report *report,
                         const struct selection *selection)
{
    return cache_get(app->cache, report, app->profile, selection, NULL);
}

bool host_has_rows(struct app *app, const struct report *report, const struct selection *selection)
{
    return cache_request(app->cache, report, app->profile, selection);
}

uint32_t host_step(const struct app *app)
{
    return app->places->step;
}

void host_set_step(struct app *app, uint32_t step)
{
    app->places->step = step;
}

struct steps_why *host_steps_why(struct app *app)
{
    return app->why;
}

bool host_had_findings(const struct app *app)
{
    return app->findings->is_known;
}

bool host_is_previewing(const struct app *app)
{
    return app->candidates->is_open;
}

struct view *host_previous_view(const struct app *app, const struct view *view)
{
    const struct places *places = app->places;
    for (size_t i = 1; i < places->depth; i++)
        if (places->trail[i] == view)
            return places->trail[i - 1];
    return NULL;
}

bool host_has_complained(const struct app *app)
{
    return app->messages->is_error;
}

const char *host_source_root(const struct app *app)
{
    return app->source->root ? app->source->root : ".";
}

unsigned host_source_serial(const struct app *app)
{
    return app->source->serial;
}
