// SPDX-License-Identifier: Apache-2.0
// Reading the rules again: what they say of kernels, ops and thresholds is on screen at once.
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

// The profile that is shown, and what it is compared with: both sides by the same rules.
static bool judge_again(struct app *app, struct error *error)
{
    struct app_comparing *comparing = app->comparing;
    struct arena *arena = arena_new(0);
    if (!arena)
        return error_set(error, ERROR_MEMORY, "out of memory");
    struct judging shown = {.profile = app->profile, .arena = arena};
    struct judging older = {.profile = comparing->loaded, .arena = arena};
    if (!arena_run(arena, judge_guarded, &shown, error) ||
        (older.profile && !arena_run(arena, judge_guarded, &older, error))) {
        arena_free(arena);
        return false;
    }
    app->profile = shown.judged; // all that the one before had of its own is made anew in it
    if (comparing->baseline) {
        comparing->request.profile = older.judged ? older.judged : shown.judged;
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
    // A loader on its thread goes by the rules, too.
    if (app->profile->stage != STAGE_READY || app->messages->loading[0] ||
        app->comparing_load->wanted[0]) {
        app_say(app, "rules are read again once everything is loaded");
        return;
    }
    app_findings_end(app); // they are made by the rules, as is what is kept and shown
    app_forget_rows(app);
    app_forget_memos(app);
    app_changed(app);
    bool is_done =
        rules_use(app->options->rules, &renames, &error) && (!renames || judge_again(app, &error));
    app_comparing_open_memo(app); // what a thread reads of a baseline does not change any more
    if (!is_done) {
        app_complain_of(app, &error);
        return;
    }
    app_say(app, "rules read again%s%s", app->options->rules ? ": " : "",
            app->options->rules ? app->options->rules : ": there is no folder of your own");
}
