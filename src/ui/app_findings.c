// SPDX-License-Identifier: Apache-2.0
// The findings of what is looked at, and going to the rows that prove them.
#include "ui/app_state.h"

struct findings_call {
    struct app *app;
    struct selection selection;
};

static bool findings_body(void *context, struct error *error)
{
    struct findings_call *call = context;
    (void)error;
    call->app->findings.list =
        expert_run(call->app->profile, &call->selection, call->app->findings.arena);
    return true;
}

const struct finding_list *app_findings(struct app *app)
{
    if (app->findings.is_known && app->findings.generation == app->generation)
        return &app->findings.list;
    if (!app->findings.arena)
        app->findings.arena = arena_new(0);
    app->findings.list = (struct finding_list){0};
    app->findings.is_known = true;
    app->findings.generation = app->generation;
    // Nothing is judged by half a profile.
    if (!app->findings.arena || app->profile->stage != STAGE_READY)
        return &app->findings.list;
    arena_reset(app->findings.arena);
    struct findings_call call = {app, app_selection(app)};
    if (!arena_run(app->findings.arena, findings_body, &call, NULL))
        app->findings.list = (struct finding_list){0};
    return &app->findings.list;
}

void app_open_finding(struct app *app, const struct finding *finding)
{
    if (!finding->opens) {
        app_say(app, "%s",
                finding->severity != SEVERITY_NOT_JUDGED ? "no rows behind this finding"
                : finding->flag ? "not judged: R shows the capture line that would tell more"
                                : finding->recommendation);
        return;
    }
    app_enter(app, finding->opens, &finding->evidence, finding->detector->title);
    struct view *view = app_top(app);
    if (finding->filter && view->report)
        table_set_filter(&view->table, finding->filter, NULL);
}

static bool can_step_to(const struct finding *finding)
{
    return finding->opens && !finding->detector->comes_first && !finding_is_folded(finding);
}

static void step_finding(struct app *app, int direction)
{
    const struct finding_list *findings = app_findings(app);
    size_t count = 0;
    for (size_t i = 0; i < findings->count; i++)
        count += can_step_to(&findings->items[i]);
    if (count == 0) {
        app_say(app, "no findings with rows to open");
        return;
    }
    do
        app->finding_at = (app->finding_at + findings->count +
                           (size_t)(direction > 0 ? 1 : findings->count - 1)) %
                          findings->count;
    while (!can_step_to(&findings->items[app->finding_at]));
    const struct finding *finding = &findings->items[app->finding_at];
    app_say(app, "%zu of %zu: %s", app->finding_at + 1, findings->count, finding->problem);
    app_open_finding(app, finding);
}

void app_next_finding(struct app *app, const char *argument)
{
    (void)argument;
    step_finding(app, 1);
}

void app_previous_finding(struct app *app, const char *argument)
{
    (void)argument;
    step_finding(app, -1);
}
