// SPDX-License-Identifier: Apache-2.0
#include "ui/state/scope.h"

#include <string.h>
#include "ui/host.h"
#include "ui/state/app_state.h"
#include "ui/state/messages.h"
#include "ui/state/splits.h"

void app_changed(struct app *app)
{
    app->generation++;
}

struct selection host_selection(const struct app *app)
{
    struct selection selection = selection_all(app->scope->split);
    selection.iterations = app->scope->iterations;
    selection.device = app->scope->device;
    selection.process = app->scope->process;
    selection.adoption = app->scope->adoption;
    selection.step_size = app->scope->step_size;
    selection.memo = host_split_memo(app);
    return selection;
}

bool host_parse_switch(struct app *app, const char *argument, bool *wanted)
{
    bool is_on = strcmp(argument, "on") == 0;
    if (is_on || strcmp(argument, "off") == 0)
        *wanted = is_on;
    else if (*argument)
        host_complain(app, "on or off, not '%.40s'", argument);
    return !app->messages->is_error;
}

bool host_is_per_step(const struct app *app)
{
    enum per_form per = app->display->per;
    return per == PER_DEFAULT ? app->scope->split->method != SPLIT_NONE : per == PER_STEP;
}

struct memo *host_split_memo(const struct app *app)
{
    for (size_t i = 0; i < app->splits->count; i++)
        if (app->splits->entries[i].split == app->scope->split)
            return app->splits->entries[i].memo;
    return NULL;
}

const char *app_split_name(const struct app *app)
{
    for (size_t i = 0; i < app->splits->count; i++)
        if (app->splits->entries[i].split == app->scope->split)
            return app->splits->entries[i].name;
    return "";
}

const bool *step_set_intern(struct app *app, const bool *members)
{
    const struct split *split = app->scope->split;
    if (!members)
        return NULL;
    for (size_t i = 0; i < app->splits->set_count; i++)
        if (app->splits->sets[i].split == split &&
            memcmp(app->splits->sets[i].members, members, split->count * sizeof *members) == 0)
            return app->splits->sets[i].members;
    bool *copy = ARENA_ARRAY(app->arena, bool, split->count);
    memcpy(copy, members, split->count * sizeof *copy);
    ARENA_PUSH(app->arena, app->splits->sets, app->splits->set_count, app->splits->set_capacity) =
        (struct iteration_set){split, copy};
    return copy;
}

bool host_step_is_selected(const struct app *app, uint32_t iteration)
{
    return !app->scope->iterations || app->scope->iterations[iteration];
}
