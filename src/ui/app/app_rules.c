// SPDX-License-Identifier: Apache-2.0
// Reads the rules again and applies them to the kernels, ops and thresholds on screen.
#include "analysis/compare/compare.h"
#include "model/derive/derive.h"
#include "model/rules/rules.h"
#include "ui/app/app_actions.h"
#include "ui/app/app_life.h"
#include "ui/host.h"
#include "ui/state/app_options.h"
#include "ui/state/app_state.h"
#include "ui/state/comparing.h"
#include "ui/state/findings.h"
#include "ui/state/messages.h"
#include "ui/state/scope.h"
#include "ui/state/splits.h"

struct judging {
    const struct profile *profile;
    struct arena *arena;
    struct profile *judged;
};

static bool judge_names(void *context, struct error *error)
{
    struct judging *judging = context;
    (void)error;
    judging->judged = profile_reclassify(judging->profile, judging->arena);
    return true;
}

static bool judge_guarded(void *context, struct error *error)
{
    struct judging *judging = context;
    return arena_run(judging->profile->arena, judge_names, judging, error);
}

// Applies the new rules to the profile and to the profile of the baseline.
static bool rejudge_profiles(struct app *app, struct error *error)
{
    struct app_comparing *comparing = app->comparing;
    struct arena *arena = arena_new(0);
    if (!arena)
        return error_set(error, ERROR_MEMORY, "out of memory");
    struct judging shown = {.profile = app->profile, .arena = arena};
    struct judging baseline = {.profile = comparing->loaded, .arena = arena};
    if (!arena_run(arena, judge_guarded, &shown, error) ||
        (baseline.profile && !arena_run(arena, judge_guarded, &baseline, error))) {
        arena_free(arena);
        return false;
    }
    app->profile = shown.judged; // all own data of the previous copy is rebuilt in this one
    if (comparing->baseline) {
        comparing->request.profile = baseline.judged ? baseline.judged : shown.judged;
        comparing->baseline->profile = comparing->request.profile;
    }
    arena_free(app->stages->judged_arena);
    app->stages->judged_arena = arena;
    return true;
}

void app_reload(struct app *app, const char *argument)
{
    (void)argument;
    struct error error = {0};
    bool renames = false;
    // A loader thread reads the rules, too.
    if (app->profile->stage != STAGE_READY || app->messages->loading[0] ||
        app->comparing_load->wanted[0]) {
        host_say(app, "rules are read again once everything is loaded");
        return;
    }
    app_findings_end(app); // findings and cached rows depend on the rules
    app_forget_rows(app);
    app_forget_memos(app);
    app_changed(app);
    bool is_done = rules_use(app->options->rules, &renames, &error) &&
                   (!renames || rejudge_profiles(app, &error));
    // The baseline is not changed any more, so a thread may read it again.
    app_comparing_open_memo(app);
    if (!is_done) {
        host_complain_error(app, &error);
        return;
    }
    host_say(app, "rules read again%s%s", app->options->rules ? ": " : "",
             app->options->rules ? app->options->rules : ": there is no folder of your own");
}
