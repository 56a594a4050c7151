// SPDX-License-Identifier: Apache-2.0
// Actions that change the set of selected steps.
#include <stdlib.h>
#include <string.h>

#include "analysis/steps/step_sets.h"
#include "base/parse/expr.h"
#include "base/text/format.h"
#include "model/rules/thresholds.h"
#include "ui/actions/actions.h"
#include "ui/host.h"
#include "ui/overlay/prompt.h"
#include "ui/state/app_state.h"
#include "ui/state/places.h"
#include "ui/state/scope.h"
#include "ui/state/splits.h"
#include "ui/state/steps.h"
#include "ui/state/undo.h"
#include "ui/term/canvas.h"

static const struct split_words *words(const struct app *app)
{
    return split_words_of(app->scope->split);
}

static bool *set_copy(struct app *app)
{
    uint32_t count = app->scope->split->count;
    bool *members = arena_alloc(app->canvas->frame, count, sizeof *members);
    for (uint32_t i = 0; i < count; i++)
        members[i] = host_step_is_selected(app, i);
    return members;
}

// Returns false, with a message, if the set is empty, because views would be empty.
static bool set_is_usable(struct app *app, const bool *members)
{
    for (uint32_t i = 0; i < app->scope->split->count; i++)
        if (members[i])
            return true;
    host_complain(app, "a set needs at least %s", words(app)->each);
    return false;
}

void host_toggle_steps(struct app *app, uint32_t from, uint32_t to)
{
    bool *members = set_copy(app), has_all = true;
    for (uint32_t i = from; i <= to; i++)
        has_all &= members[i];
    for (uint32_t i = from; i <= to; i++)
        members[i] = !has_all;
    if (set_is_usable(app, members))
        host_select_steps(app, members);
}

void host_exclude_steps(struct app *app, const bool *out)
{
    bool *members = set_copy(app), changes = false;
    for (uint32_t i = 0; i < app->scope->split->count; i++) {
        changes |= members[i] && out[i];
        members[i] &= !out[i];
    }
    if (!changes)
        host_say(app, "left out already; {mark} in view 4 takes it in");
    else if (set_is_usable(app, members))
        host_select_steps(app, members);
}

void app_set(struct app *app, const char *argument)
{
    struct error error = {0};
    if (!*argument) {
        // Starts empty, as the scope line above shows the current set.
        prompt_open(app, PROMPT_SET, "");
        return;
    }
    const struct split *split = app->scope->split;
    const struct steps *steps = app_steps(app);
    const bool *set = NULL;
    if (steps->count != split->count)
        host_complain(app, "out of memory");
    else if (!step_set_choose(split, steps->duration_ns, argument, &set, app->canvas->frame,
                              &error))
        host_complain(app, "%s", error.message);
    else
        host_select_steps(app, set);
}

void app_all(struct app *app, const char *argument)
{
    (void)argument;
    const struct split *split = app->scope->split;
    uint32_t cut_count = 0;
    for (uint32_t i = 0; i < split->count; i++)
        cut_count += split->is_cut && split->is_cut[i];
    host_select_steps(app, NULL);
    host_say(app, "all %u %s%s, and what is outside of them", split->count, words(app)->several,
             cut_count ? arena_format(app->canvas->frame, ", %u %s", cut_count, words(app)->cut)
                       : "");
}

void app_steady(struct app *app, const char *argument)
{
    (void)argument;
    const struct split *split = app->scope->split;
    const struct steps *steps = app_steps(app);
    uint32_t steady_count = steps->count == split->count ? steps->sets.steady_count : 0;
    double tolerance = expert_threshold("bad_iterations.tolerance") * 100;
    if (steady_count == 0) {
        host_say(app, "no steady %s: all %u are warm-up or %s", words(app)->one, split->count,
                 words(app)->cut);
        return;
    }
    host_select_steps(app, steps->sets.steady);
    host_say(
        app,
        steady_count == split->count
            ? "all %u %s are steady: within %.0f%% of the median one"
            : "%u steady: the longest run of %s within %.0f%% of the median one ({undo} undoes)",
        steady_count, words(app)->several, tolerance);
}

// Returns whether the set is exactly `members`.
static bool set_is(struct app *app, const bool *members)
{
    const bool *set = app->scope->iterations;
    for (uint32_t i = 0; i < app->scope->split->count; i++)
        if (!set || set[i] != members[i])
            return false;
    return true;
}

// Without an argument goes on to the next kind that exists, after the last one to all steps.
void app_kind(struct app *app, const char *argument)
{
    const struct split *split = app->scope->split;
    bool *members = arena_alloc(app->canvas->frame, split->count, sizeof *members);
    uint32_t counts[STEP_KIND_COUNT];
    enum step_kind kind = STEP_PREFILL;
    if (!split_count_kinds(split, counts)) {
        host_say(app, "the %s have no kinds: no range says prefill or decode", words(app)->several);
        return;
    }
    if (*argument) {
        while (kind < STEP_KIND_COUNT && strcmp(argument, step_kind_names[kind]) != 0)
            kind++;
        if (kind == STEP_KIND_COUNT && strcmp(argument, "all") != 0) {
            host_complain(app, "there is no kind '%s'", argument);
            return;
        }
    } else {
        for (enum step_kind k = STEP_PREFILL; k < STEP_KIND_COUNT; k++)
            if (step_set_of_kind(split, k, members) && set_is(app, members))
                kind = k + 1;
    }
    for (; kind < STEP_KIND_COUNT && !step_set_of_kind(split, kind, members); kind++)
        if (*argument) {
            host_complain(app, "no %s is %s", words(app)->one, argument);
            return;
        }
    if (kind == STEP_KIND_COUNT) {
        app_all(app, "");
        return;
    }
    host_select_steps(app, members);
    host_say(app, "the %u %s that are %s ({undo} undoes)", step_set_of_kind(split, kind, members),
             words(app)->several, step_kind_names[kind]);
}

// Removes steps from the set and says how many and why (`done_text`). If none of them is in the
// set, says `none_text`.
static void remove_steps(struct app *app, const bool *removed, const char *none_text,
                         const char *done_text)
{
    bool *members = set_copy(app);
    uint32_t count = 0;
    for (uint32_t i = 0; i < app->scope->split->count; i++) {
        count += members[i] && removed[i];
        members[i] = members[i] && !removed[i];
    }
    if (count == 0) {
        host_say(app, "%s", none_text);
    } else if (set_is_usable(app, members)) {
        host_select_steps(app, members);
        host_say(app, "%u left out: %s ({undo} undoes)", count, done_text);
    }
}

void app_warm_up(struct app *app, const char *argument)
{
    (void)argument;
    struct arena *arena = app->canvas->frame;
    const struct steps *steps = app_steps(app);
    if (steps->count == app->scope->split->count)
        remove_steps(
            app, steps->sets.warm_up,
            arena_format(arena, "no warm-up in the set: no first %s stands out", words(app)->one),
            arena_format(arena, "warm-up, the first %s while they stand out", words(app)->several));
}

void app_outliers(struct app *app, const char *argument)
{
    (void)argument;
    const struct steps *steps = app_steps(app);
    struct step_statistics usual = app_step_statistics(app);
    struct step_norms norms = app_step_norms(app);
    uint32_t counts[STEP_KIND_COUNT];
    bool *is_outlier =
        arena_alloc(app->canvas->frame, (size_t)steps->count + 1, sizeof *is_outlier);
    char median[FORMAT_SIZE], mad[FORMAT_SIZE];
    uint32_t fast = 0;
    format_duration(median, usual.median_ns, app->canvas->ascii);
    format_duration(mad, usual.mad_ns, app->canvas->ascii);
    for (uint32_t i = 0; i < steps->count; i++) {
        is_outlier[i] = step_stands_out(&norms, i, steps->duration_ns[i]);
        fast += is_outlier[i] && steps->duration_ns[i] < step_norm(&norms, i)->median_ns &&
                host_step_is_selected(app, i);
    }
    const char *fast_text = fast ? arena_format(app->canvas->frame, "; %u are fast", fast) : "";
    if (steps->count == app->scope->split->count && split_count_kinds(steps->split, counts))
        remove_steps(app, is_outlier,
                     "no outliers: none is further than 5 MAD and 5% from the median of its kind",
                     arena_format(app->canvas->frame,
                                  "over 5 MAD, 5%% from the median of their kind%s", fast_text));
    else if (steps->count == app->scope->split->count)
        remove_steps(app, is_outlier,
                     arena_format(app->canvas->frame,
                                  "no outliers: none is further than 5 MAD (%s) and 5%% from the "
                                  "median %s",
                                  mad, median),
                     arena_format(app->canvas->frame, "over 5 MAD (%s), 5%% from median %s%s", mad,
                                  median, fast_text));
}

// The first and last step of the set.
struct bounds {
    uint32_t first, last;
};

static struct bounds set_bounds(const bool *members, uint32_t count)
{
    struct bounds bounds = {0, count - 1};
    while (bounds.first < bounds.last && !members[bounds.first])
        bounds.first++;
    while (bounds.last > bounds.first && !members[bounds.last])
        bounds.last--;
    return bounds;
}

// Finds the step with a typed number. Returns false if there is none.
static bool step_find(const struct split *split, const char *text, uint32_t *at)
{
    char *end;
    long long number = strtoll(text, &end, 10);
    for (*at = 0; *at < split->count && split->number[*at] != number;)
        ++*at;
    return !*end && *at < split->count;
}

void app_go_step(struct app *app, const char *argument)
{
    uint32_t at;
    if (!*argument)
        prompt_open(app, PROMPT_STEP, "");
    else if (step_find(app->scope->split, argument, &at))
        app->places->step = at;
    else
        host_complain(app, "there is no %s '%s'", words(app)->one, argument);
}

// Makes the step the first (is_start) or last of the set. Steps that were left out between the old
// bounds stay out; steps outside of the old bounds are added.
static void set_bound(struct app *app, const char *argument, bool is_start)
{
    const struct split *split = app->scope->split;
    uint32_t count = split->count, at = app->places->step, missing = 0;
    if (*argument && !step_find(split, argument, &at)) {
        host_complain(app, "there is no %s '%s'", words(app)->one, argument);
        return;
    }
    bool *members = set_copy(app);
    struct bounds old_bounds = set_bounds(members, count), bounds = old_bounds;
    if (is_start) {
        bounds.first = at;
        bounds.last = bounds.last < at ? count - 1 : bounds.last;
    } else {
        bounds.last = at;
        bounds.first = bounds.first > at ? 0 : bounds.first;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool is_former = i >= old_bounds.first && i <= old_bounds.last && i != at;
        bool is_inside = i >= bounds.first && i <= bounds.last;
        members[i] = is_inside && (members[i] || !is_former);
        missing += is_inside && !members[i];
    }
    host_select_steps(app, members);
    char text[FORMAT_SIZE];
    host_say(app, "%s %lld to %lld%s%s%s", words(app)->several,
             (long long)split->number[bounds.first], (long long)split->number[bounds.last],
             missing ? ", without the " : "", missing ? format_count(text, missing) : "",
             missing ? " left out between" : "");
}

void app_start(struct app *app, const char *argument)
{
    set_bound(app, argument, true);
}

void app_stop(struct app *app, const char *argument)
{
    set_bound(app, argument, false);
}

static void move_single_step(struct app *app, int direction)
{
    uint32_t count = app->scope->split->count, at = app->places->step;
    uint32_t chosen = 0, chosen_step = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (app->scope->iterations && app->scope->iterations[i]) {
            chosen++;
            chosen_step = i;
        }
    }
    // A single selected step moves to its neighbour; a larger set moves from the cursor.
    at = chosen == 1 ? chosen_step : at < count ? at : count - 1;
    if (direction > 0)
        at = at + 1 < count ? at + 1 : 0;
    else
        at = at > 0 ? at - 1 : count - 1;
    bool *members = arena_alloc(app->canvas->frame, count, sizeof *members);
    members[at] = true;
    app->places->step = at;
    host_select_steps(app, members);
    const struct split *split = app->scope->split;
    bool is_cut = split->is_cut && split->is_cut[at];
    host_say(app, "%s %lld alone%s%s ({undo} undoes)", words(app)->one,
             (long long)split->number[at], is_cut ? ", which is " : "",
             is_cut ? words(app)->cut : "");
}

void app_previous_step(struct app *app, const char *argument)
{
    (void)argument;
    move_single_step(app, -1);
}

void app_next_step(struct app *app, const char *argument)
{
    (void)argument;
    move_single_step(app, 1);
}
