// SPDX-License-Identifier: Apache-2.0
// What every view looks at: steps, GPU, process, adoption; and taking changes back.
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/expr.h"
#include "base/format.h"
#include "model/markers.h"
#include "ui/app_state.h"

void app_changed(struct app *app)
{
    app->generation++;
}

// ---- undo --------------------------------------------------------------------------------------

static struct undo undo_now(const struct app *app)
{
    struct undo undo = {.scope = app->scope};
    const struct view *view = app_top(app);
    if (view && view->report) {
        undo.view = view;
        memcpy(undo.filter, view->table.filter_text, sizeof undo.filter);
        memcpy(undo.sort, view->table.sort, sizeof undo.sort);
        undo.sort_count = view->table.sort_count;
    }
    return undo;
}

void app_remember(struct app *app)
{
    if (app->undo_at == UNDO_MAX) {
        memmove(&app->undo[0], &app->undo[1], (UNDO_MAX - 1) * sizeof *app->undo);
        app->undo_at--;
    }
    app->undo[app->undo_at++] = undo_now(app);
    app->undo_count = app->undo_at;
}

static bool view_is_alive(const struct app *app, const struct view *view)
{
    for (size_t i = 0; i < app->depth; i++)
        if (app->trail[i] == view)
            return true;
    for (size_t i = 0; i < app->tab_count; i++)
        if (app->tabs[i] == view)
            return true;
    return false;
}

static void undo_apply(struct app *app, const struct undo *undo)
{
    app->scope = undo->scope;
    struct view *view = app_top(app);
    if (undo->view && undo->view == view && view_is_alive(app, view)) {
        struct table *table = &view->table;
        table_set_filter(table, undo->filter, NULL);
        memcpy(table->sort, undo->sort, sizeof table->sort);
        table->sort_count = undo->sort_count;
        table->is_dirty = true;
    }
    app_changed(app);
}

// Whether going back to it would change anything on this screen.
static bool undo_differs(const struct app *app, const struct undo *undo)
{
    struct undo now = undo_now(app);
    return memcmp(&undo->scope, &now.scope, sizeof now.scope) != 0 ||
           (undo->view == now.view && (strcmp(undo->filter, now.filter) != 0 ||
                                       undo->sort_count != now.sort_count ||
                                       memcmp(undo->sort, now.sort, sizeof now.sort) != 0));
}

void app_undo(struct app *app, const char *argument)
{
    (void)argument;
    while (app->undo_at > 0) {
        struct undo former = app->undo[--app->undo_at];
        if (!undo_differs(app, &former))
            continue;
        app->undo[app->undo_at] = undo_now(app);
        undo_apply(app, &former);
        app_say(app, "undone; C-r brings it back");
        return;
    }
    app_say(app, "nothing to undo");
}

void app_redo(struct app *app, const char *argument)
{
    (void)argument;
    while (app->undo_at < app->undo_count) {
        struct undo later = app->undo[app->undo_at];
        app->undo[app->undo_at++] = undo_now(app);
        if (!undo_differs(app, &later))
            continue;
        undo_apply(app, &later);
        return;
    }
    app_say(app, "nothing to redo");
}

// ---- sets of steps -----------------------------------------------------------------------------

static const bool *set_keep(struct app *app, const bool *members)
{
    const struct split *split = app->scope.split;
    for (size_t i = 0; i < app->set_count; i++)
        if (app->sets[i].split == split &&
            memcmp(app->sets[i].members, members, split->count * sizeof *members) == 0)
            return app->sets[i].members;
    bool *copy = ARENA_ARRAY(app->arena, bool, split->count);
    memcpy(copy, members, split->count * sizeof *copy);
    ARENA_PUSH(app->arena, app->sets, app->set_count, app->set_capacity) =
        (struct iteration_set){split, copy};
    return copy;
}

void app_choose_set(struct app *app, const bool *members)
{
    const bool *set = members ? set_keep(app, members) : NULL;
    if (set == app->scope.iterations)
        return;
    app_remember(app);
    app->scope.iterations = set;
    app_changed(app);
}

bool app_iteration_is_in(const struct app *app, uint32_t iteration)
{
    return !app->scope.iterations || app->scope.iterations[iteration];
}

static bool *set_copy(struct app *app)
{
    uint32_t count = app->scope.split->count;
    bool *members = arena_alloc(app->canvas->frame, count, sizeof *members);
    for (uint32_t i = 0; i < count; i++)
        members[i] = app_iteration_is_in(app, i);
    return members;
}

// No step at all would be an empty program.
static bool set_is_usable(struct app *app, const bool *members)
{
    for (uint32_t i = 0; i < app->scope.split->count; i++)
        if (members[i])
            return true;
    app_complain(app, "a set needs at least one step");
    return false;
}

void app_toggle_iteration(struct app *app, uint32_t iteration)
{
    bool *members = set_copy(app);
    members[iteration] = !members[iteration];
    if (set_is_usable(app, members))
        app_choose_set(app, members);
}

void app_set(struct app *app, const char *argument)
{
    struct error error = {0};
    if (!*argument) {
        const char *text = app->scope.iterations
                               ? set_format(app->canvas->frame, app->scope.iterations,
                                            app->scope.split->count)
                               : "";
        prompt_open(app, PROMPT_SET, text);
        return;
    }
    bool *members = arena_alloc(app->canvas->frame, app->scope.split->count, sizeof *members);
    if (!set_parse(argument, app->scope.split->count, members, &error))
        app_complain(app, "%s", error.message);
    else if (set_is_usable(app, members))
        app_choose_set(app, strcmp(argument, "all") == 0 ? NULL : members);
}

void app_all(struct app *app, const char *argument)
{
    (void)argument;
    app_choose_set(app, NULL);
    app_say(app, "all %u steps, and what is outside of them", app->scope.split->count);
}

static int compare_durations(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

struct spread {
    int64_t median_ns, mad_ns;
    size_t count;
    int64_t *sorted;
};

static struct spread spread_of(struct app *app, const bool *members)
{
    const struct steps *steps = app_steps(app);
    int64_t *values = arena_alloc(app->canvas->frame, steps->count + 1, sizeof *values);
    int64_t *away = arena_alloc(app->canvas->frame, steps->count + 1, sizeof *away);
    struct spread spread = {.sorted = values};
    for (uint32_t i = 0; i < steps->count; i++)
        if ((!members || members[i]) && steps->duration_ns[i] != UNKNOWN)
            values[spread.count++] = steps->duration_ns[i];
    if (spread.count == 0)
        return spread;
    qsort(values, spread.count, sizeof *values, compare_durations);
    spread.median_ns = values[spread.count / 2];
    for (size_t i = 0; i < spread.count; i++)
        away[i] = llabs(values[i] - spread.median_ns);
    qsort(away, spread.count, sizeof *away, compare_durations);
    spread.mad_ns = away[spread.count / 2];
    return spread;
}

// Further from the median than 5 MAD, and than 5 %.
static bool is_outlier(const struct spread *spread, int64_t duration)
{
    int64_t away = llabs(duration - spread->median_ns);
    return duration != UNKNOWN && away > 5 * spread->mad_ns && away > spread->median_ns / 20;
}

const char *app_outlier_text(struct app *app, size_t most, struct arena *arena)
{
    const struct steps *steps = app_steps(app);
    struct spread spread = spread_of(app, app->scope.iterations);
    const char *text = "";
    size_t found = 0;
    for (uint32_t i = 0; i < steps->count; i++) {
        if (!app_iteration_is_in(app, i) || !is_outlier(&spread, steps->duration_ns[i]) ||
            steps->duration_ns[i] < spread.median_ns)
            continue;
        if (found++ == most)
            return arena_format(arena, "%s ...", text);
        text = arena_format(arena, "%s%s#%lld", text, *text ? " " : "",
                            (long long)(app->scope.split->number ? app->scope.split->number[i]
                                                                 : (int64_t)i));
    }
    return text;
}

void app_steady(struct app *app, const char *argument)
{
    (void)argument;
    const struct split *split = app->scope.split;
    const struct steps *steps = app_steps(app);
    bool *members = arena_alloc(app->canvas->frame, split->count, sizeof *members);
    uint32_t kept = 0, warm = 0;
    for (uint32_t i = 0; i < split->count; i++)
        members[i] = !(split->is_cut && split->is_cut[i]);
    struct spread spread = spread_of(app, members);
    while (warm + 1 < split->count && steps->duration_ns[warm] != UNKNOWN &&
           steps->duration_ns[warm] > spread.median_ns && is_outlier(&spread, steps->duration_ns[warm]))
        members[warm++] = false;
    for (uint32_t i = 0; i < split->count; i++)
        kept += members[i];
    if (kept == 0 || kept == split->count) {
        app_say(app, "no warm-up and no cut step found: all %u are steady", split->count);
        return;
    }
    app_choose_set(app, members);
    app_say(app, "%u steady of %u: %u warm-up, %u cut off by the capture left out", kept,
            split->count, warm, split->count - kept - warm);
}

void app_outliers(struct app *app, const char *argument)
{
    (void)argument;
    const struct steps *steps = app_steps(app);
    bool *members = set_copy(app);
    struct spread spread = spread_of(app, members);
    uint32_t out = 0;
    for (uint32_t i = 0; i < steps->count; i++) {
        if (members[i] && is_outlier(&spread, steps->duration_ns[i])) {
            members[i] = false;
            out++;
        }
    }
    if (out == 0) {
        app_say(app, "no outliers: none is further than 5 MAD from the median");
        return;
    }
    if (set_is_usable(app, members)) {
        app_choose_set(app, members);
        app_say(app, "%u left out: further than 5 MAD from the median (u undoes)", out);
    }
}

// First and last of the set, moved.
static void set_bound(struct app *app, const char *argument, bool is_start)
{
    uint32_t count = app->scope.split->count, at = app->iteration_cursor;
    if (*argument) {
        char *end;
        unsigned long number = strtoul(argument, &end, 10);
        if (*end || number >= count) {
            app_complain(app, "'%s' is no step: there are 0 to %u", argument, count - 1);
            return;
        }
        at = (uint32_t)number;
    }
    bool *members = set_copy(app);
    uint32_t first = 0, last = count - 1;
    while (first < last && !members[first])
        first++;
    while (last > first && !members[last])
        last--;
    if (is_start) {
        first = at;
        last = last < first ? count - 1 : last;
    } else {
        last = at;
        first = first > last ? 0 : first;
    }
    for (uint32_t i = 0; i < count; i++)
        members[i] = i >= first && i <= last;
    app_choose_set(app, members);
    app_say(app, "steps %u to %u", first, last);
}

void app_start(struct app *app, const char *argument)
{
    set_bound(app, argument, true);
}

void app_stop(struct app *app, const char *argument)
{
    set_bound(app, argument, false);
}

static void step_single(struct app *app, int direction)
{
    uint32_t count = app->scope.split->count, at = app->iteration_cursor;
    uint32_t chosen = 0, only = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (app->scope.iterations && app->scope.iterations[i]) {
            chosen++;
            only = i;
        }
    }
    if (chosen == 1)
        at = direction > 0 ? (only + 1) % count : (only + count - 1) % count;
    at = at < count ? at : count - 1;
    bool *members = arena_alloc(app->canvas->frame, count, sizeof *members);
    members[at] = true;
    app->iteration_cursor = at;
    app_choose_set(app, members);
}

void app_previous_step(struct app *app, const char *argument)
{
    (void)argument;
    step_single(app, -1);
}

void app_next_step(struct app *app, const char *argument)
{
    (void)argument;
    step_single(app, 1);
}

// ---- what marks the steps ----------------------------------------------------------------------

enum { SPLIT_FOUND, SPLIT_DLPROF }; // names of splits that are no op and no range
static const char *const split_words[] = {"(steps as found)", "(DLProf's own)"};

struct split_call {
    struct app *app;
    const char *name;
    struct arena *arena;
    struct split *split;
};

static bool split_body(void *context, struct error *error)
{
    struct split_call *call = context;
    const struct profile *profile = call->app->profile;
    if (strcmp(call->name, split_words[SPLIT_FOUND]) == 0) {
        call->split = split_find(profile, call->arena);
        return true;
    }
    if (strcmp(call->name, split_words[SPLIT_DLPROF]) == 0) {
        call->split = split_by_key(profile, NULL, call->arena);
        return true;
    }
    call->split = profile->ops ? split_by_key(profile, call->name, call->arena) : NULL;
    if (!call->split || !call->split->key_found)
        call->split = split_by_range(profile, call->name, call->arena);
    if (!call->split || call->split->method == SPLIT_NONE || !call->split->key_found)
        return error_set(error, ERROR_USAGE, "no op and no range is named '%s'", call->name);
    return true;
}

// The oldest that is not in use goes, and with it what may still point to it.
static void split_drop(struct app *app)
{
    size_t out = app->splits[0].split == app->scope.split ? 1 : 0;
    const struct split *split = app->splits[out].split;
    app->undo_at = app->undo_count = 0;
    cache_forget(&app->cache);
    for (size_t i = 0; i < app->set_count; i++)
        if (app->sets[i].split == split)
            app->sets[i].split = NULL;
    arena_free(app->splits[out].arena);
    memmove(&app->splits[out], &app->splits[out + 1],
            (app->split_count - out - 1) * sizeof *app->splits);
    app->split_count--;
}

bool app_choose_split(struct app *app, const char *name, struct error *error)
{
    struct split_entry *entry = NULL;
    for (size_t i = 0; i < app->split_count; i++)
        if (strcmp(app->splits[i].name, name) == 0)
            entry = &app->splits[i];
    if (!entry) {
        struct split_call call = {app, name, arena_new(0), NULL};
        if (!call.arena)
            return error_set(error, ERROR_MEMORY, "out of memory");
        if (!arena_run(call.arena, split_body, &call, error)) {
            arena_free(call.arena);
            return false;
        }
        if (app->split_count == SPLIT_MAX)
            split_drop(app);
        entry = &app->splits[app->split_count++];
        *entry = (struct split_entry){.split = call.split, .arena = call.arena};
        snprintf(entry->name, sizeof entry->name, "%s", name);
    }
    if (entry->split == app->scope.split)
        return true;
    if (app->scope.split)
        app_remember(app);
    app->scope.split = entry->split;
    app->scope.iterations = NULL;
    app->iteration_cursor = 0;
    // Steps cut off by the capture are left out from the start, and said to be.
    const struct split *split = entry->split;
    bool *members = ARENA_ARRAY(app->arena, bool, split->count);
    uint32_t whole = 0;
    for (uint32_t i = 0; i < split->count; i++)
        whole += members[i] = !(split->is_cut && split->is_cut[i]);
    if (whole < split->count && whole >= 2)
        app->scope.iterations = set_keep(app, members);
    app_changed(app);
    return true;
}

static void choose_split(struct app *app, const char *name)
{
    struct error error = {0};
    if (app_choose_split(app, name, &error))
        app_say(app, "%s", app->scope.split->text);
    else
        app_complain(app, "%s", error.message);
}

void app_key_op(struct app *app, const char *argument)
{
    const struct profile *profile = app->profile;
    if (*argument) {
        choose_split(app, argument);
        return;
    }
    const char *now = "";
    for (size_t i = 0; i < app->split_count; i++)
        if (app->splits[i].split == app->scope.split)
            now = app->splits[i].name;
    menu_open(app, "What cuts the run into steps?", choose_split);
    for (size_t i = 0; i < sizeof split_words / sizeof *split_words; i++)
        menu_add(app, split_words[i], strcmp(now, split_words[i]) == 0, "%s", split_words[i]);
    // Ranges near the top of the tree that come more than once.
    const struct op_tree *tree = profile->folded_tree;
    uint32_t *runs = tree ? arena_alloc(app->canvas->frame, tree->count, sizeof *runs) : NULL;
    for (uint32_t r = 0; tree && r < profile->ranges.count; r++) {
        uint32_t node = profile->ranges.node ? profile->ranges.node[r] : ROW_NONE;
        if (node == ROW_NONE)
            continue;
        node = profile->tree->folded ? profile->tree->folded[node] : node;
        if (node < tree->count)
            runs[node]++;
    }
    for (uint32_t n = 1; tree && n < tree->count; n++) {
        const char *name = profile_text(profile, tree->name[n]);
        if (tree->depth[n] > 4 || runs[n] < 2 || runs[n] > 100000 || strlen(name) > 100 ||
            (tree->kind[n] != NODE_RANGE && tree->kind[n] != NODE_STEP))
            continue;
        char count[FORMAT_SIZE];
        menu_add(app, name, strcmp(now, name) == 0, "%*s%s  (%s times)", 2 * (tree->depth[n] - 1),
                 "", name, format_count(count, runs[n]));
    }
}

// ---- GPU, process, adoption, names -------------------------------------------------------------

static void choose_scope(struct app *app, const char *argument)
{
    struct scope scope = app->scope;
    const struct profile *profile = app->profile;
    unsigned number;
    char rest;
    if (strcasecmp(argument, "all") == 0) {
        scope.device = scope.process = ROW_NONE;
    } else if (sscanf(argument, "gpu %u%c", &number, &rest) == 1 && number < profile->device_count) {
        scope.device = number;
    } else if (sscanf(argument, "process %u%c", &number, &rest) == 1) {
        uint32_t p = 0;
        while (p < profile->process_count && profile->processes[p].pid != number)
            p++;
        if (p == profile->process_count) {
            app_complain(app, "no process %u", number);
            return;
        }
        scope.process = p;
    } else {
        app_complain(app, "scope: all, gpu N or process PID");
        return;
    }
    if (scope.device == app->scope.device && scope.process == app->scope.process)
        return;
    app_remember(app);
    app->scope = scope;
    app_changed(app);
}

void app_scope(struct app *app, const char *argument)
{
    const struct profile *profile = app->profile;
    if (*argument) {
        choose_scope(app, argument);
        return;
    }
    menu_open(app, "Look at", choose_scope);
    menu_add(app, "all", app->scope.device == ROW_NONE && app->scope.process == ROW_NONE,
             "all GPUs, all processes");
    for (uint32_t d = 0; d < profile->device_count; d++) {
        char argument_text[32];
        snprintf(argument_text, sizeof argument_text, "gpu %u", d);
        if (profile->devices[d].has_work)
            menu_add(app, argument_text, app->scope.device == d, "GPU %u  %s", d,
                     profile_text(profile, profile->devices[d].name));
    }
    for (uint32_t p = 0; p < profile->process_count; p++) {
        char argument_text[32];
        snprintf(argument_text, sizeof argument_text, "process %u", profile->processes[p].pid);
        menu_add(app, argument_text, app->scope.process == p, "process %u  %s",
                 profile->processes[p].pid, profile_text(profile, profile->processes[p].name));
    }
}

// all -> first -> ... -> last -> all
static void step_device(struct app *app, int direction)
{
    const struct profile *profile = app->profile;
    int64_t at = app->scope.device == ROW_NONE ? -1 : (int64_t)app->scope.device;
    for (uint32_t tries = 0; tries <= profile->device_count; tries++) {
        at += direction;
        if (at < -1)
            at = (int64_t)profile->device_count - 1;
        if (at >= (int64_t)profile->device_count)
            at = -1;
        if (at == -1 || profile->devices[at].has_work)
            break;
    }
    uint32_t device = at < 0 ? ROW_NONE : (uint32_t)at;
    if (device == app->scope.device) {
        app_say(app, "there is only one GPU");
        return;
    }
    app_remember(app);
    app->scope.device = device;
    app_changed(app);
}

void app_previous_device(struct app *app, const char *argument)
{
    (void)argument;
    step_device(app, -1);
}

void app_next_device(struct app *app, const char *argument)
{
    (void)argument;
    step_device(app, 1);
}

void app_adoption(struct app *app, const char *argument)
{
    (void)argument;
    app_remember(app);
    app->scope.adoption = !app->scope.adoption;
    app_changed(app);
    app_say(app, app->scope.adoption
                     ? "work of threads without ranges counts to the range that waits for it"
                     : "adoption off: work of threads without ranges is outside");
}

void app_siblings(struct app *app, const char *argument)
{
    (void)argument;
    struct view *view = app_top(app);
    if (view->narrow.node != ROW_NONE) {
        app_say(app, "these rows are below one row of the tree: go back to change how it is folded");
        return;
    }
    app->is_folded = view->narrow.is_folded = !view->narrow.is_folded;
    view->generation = app->generation - 1;
    app_say(app, app->is_folded ? "numbered siblings are one row: layers.*"
                                : "every numbered sibling is a row of its own");
}

void app_names(struct app *app, const char *argument)
{
    struct view *view = app_top(app);
    if (view->narrow.name != STRING_NONE) {
        app_say(app, "these rows are of one kernel name: go back to change the form of names");
        return;
    }
    enum name_form form = (view->narrow.names + 1) % NAME_FORM_COUNT;
    if (*argument) {
        for (form = 0; form < NAME_FORM_COUNT && strcmp(name_form_names[form], argument) != 0;)
            form++;
        if (form == NAME_FORM_COUNT) {
            app_complain(app, "names: family, short or full");
            return;
        }
    }
    app->names = view->narrow.names = form;
    view->generation = app->generation - 1;
    app_say(app, "kernel names: %s", name_form_names[form]);
}

// ---- figures of the steps ----------------------------------------------------------------------

struct steps_call {
    struct app *app;
    struct steps *steps;
};

static bool steps_body(void *context, struct error *error)
{
    struct steps_call *call = context;
    struct steps *steps = call->steps;
    const struct app *app = call->app;
    (void)error;
    struct selection selection = selection_all(app->scope.split);
    selection.process = app->scope.process;
    selection.device = app->scope.device;
    selection.adoption = app->scope.adoption;
    steps->parts = breakdown_iterations(app->profile, &selection, &breakdown_gpu, steps->arena);
    steps->duration_ns = ARENA_ARRAY(steps->arena, int64_t, steps->count + 1);
    for (uint32_t i = 0; i < steps->count; i++) {
        const struct split *split = app->scope.split;
        steps->duration_ns[i] = steps->parts[i].window_ns > 0 ? steps->parts[i].window_ns
                                : split->stop[i] > split->start[i]
                                    ? split->stop[i] - split->start[i]
                                    : UNKNOWN;
    }
    return true;
}

const struct steps *app_steps(struct app *app)
{
    struct steps *steps = &app->steps;
    const struct scope *scope = &app->scope;
    if (steps->arena && steps->split == scope->split && steps->device == scope->device &&
        steps->process == scope->process)
        return steps;
    if (!steps->arena)
        steps->arena = arena_new(0);
    static const struct steps none;
    if (!steps->arena)
        return &none;
    arena_reset(steps->arena);
    steps->split = scope->split;
    steps->device = scope->device;
    steps->process = scope->process;
    steps->count = scope->split->count;
    struct steps_call call = {app, steps};
    if (!arena_run(steps->arena, steps_body, &call, NULL))
        steps->count = 0;
    return steps;
}

struct step_statistics app_step_statistics(struct app *app)
{
    struct step_statistics statistics = {.worst = ROW_NONE};
    struct spread spread = spread_of(app, app->scope.iterations);
    const struct steps *steps = app_steps(app);
    statistics.count = (uint32_t)spread.count;
    if (spread.count == 0)
        return statistics;
    statistics.median_ns = spread.median_ns;
    statistics.mad_ns = spread.mad_ns;
    statistics.min_ns = spread.sorted[0];
    statistics.max_ns = spread.sorted[spread.count - 1];
    statistics.p95_ns = spread.sorted[(spread.count * 95 + 99) / 100 - 1];
    for (uint32_t i = 0; i < steps->count; i++)
        if (app_iteration_is_in(app, i) && steps->duration_ns[i] == statistics.max_ns)
            statistics.worst = i;
    return statistics;
}

uint32_t app_device_count(const struct app *app, const struct selection *selection)
{
    const struct profile *profile = app->profile;
    uint32_t count = 0;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        if (!profile->devices[d].has_work ||
            (selection->device != ROW_NONE && selection->device != d))
            continue;
        bool is_used = selection->process == ROW_NONE;
        for (uint32_t s = 0; s < profile->stream_count && !is_used; s++)
            is_used = profile->streams[s].device == d &&
                      profile->streams[s].process == selection->process;
        count += is_used;
    }
    return count ? count : 1;
}

double app_divisor(const struct app *app, const struct selection *selection)
{
    uint32_t count = 1;
    if (selection->split->method != SPLIT_NONE)
        count = selection->iterations ? selection_count(selection) : selection->split->count;
    return (double)(count ? count : 1) * app_device_count(app, selection);
}

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
    struct findings_call call = {app, selection_all(app->scope.split)};
    call.selection.iterations = app->scope.iterations;
    call.selection.device = app->scope.device;
    call.selection.process = app->scope.process;
    call.selection.adoption = app->scope.adoption;
    if (!arena_run(app->findings.arena, findings_body, &call, NULL))
        app->findings.list = (struct finding_list){0};
    return &app->findings.list;
}
