// SPDX-License-Identifier: Apache-2.0
// Reading the rules again: what they say of kernels, ops and thresholds is on screen at once.
#include "model/loader.h"
#include "model/rules.h"
#include "ui/app_state.h"

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

static bool judge_again(struct app *app, struct error *error)
{
    struct judging judging = {.profile = app->profile, .arena = arena_new(0)};
    if (!judging.arena)
        return error_set(error, ERROR_MEMORY, "out of memory");
    if (!arena_run(judging.arena, judge_guarded, &judging, error)) {
        arena_free(judging.arena);
        return false;
    }
    app->profile = judging.judged; // all that the one before had of its own is made anew in it
    arena_free(app->judged_arena);
    app->judged_arena = judging.arena;
    return true;
}

void app_reload(struct app *app, const char *argument)
{
    (void)argument;
    struct error error = {0};
    bool renames = false;
    if (app->profile->stage != STAGE_READY) {
        app_say(app, "rules are read again once everything is loaded");
        return;
    }
    app_findings_end(app); // they are made by the rules, as is what is kept and shown
    app_forget_rows(app);
    app_forget_memos(app);
    app_changed(app);
    if (!rules_use(app->options->rules, &renames, &error) ||
        (renames && !judge_again(app, &error))) {
        app_complain(app, "%s", error.message);
        app->complaint = error.kind;
        return;
    }
    app_say(app, "rules read again%s%s", app->options->rules ? ": " : "",
            app->options->rules ? app->options->rules : ": there is no folder of your own");
}
