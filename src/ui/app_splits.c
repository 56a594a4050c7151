// SPDX-License-Identifier: Apache-2.0
// What cuts the run into steps.
#include <string.h>

#include "analysis/memo.h"
#include "base/format.h"
#include "ui/app_state.h"

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
    call->split = split_by_name(profile, call->name, call->arena);
    if (call->split->method == SPLIT_NONE || !call->split->key_found)
        return error_set(error, ERROR_USAGE, "no op and no range is named '%s'", call->name);
    return true;
}

// Sets of steps that are a view's own mean nothing without the split that they are of.
static void views_forget_split(struct view *const *list, size_t count, const struct split *split)
{
    for (size_t i = 0; i < count; i++)
        if (list[i]->narrow.split == split)
            list[i]->own &= ~(unsigned)OWN_ITERATIONS;
}

// The oldest that is not in use goes, and with it what may still point to it: the next one may well
// lie at the same address.
static void split_drop(struct app *app)
{
    size_t out = app->splits[0].split == app->scope.split ? 1 : 0;
    const struct split *split = app->splits[out].split;
    app->undo_at = app->undo_count = 0;
    cache_forget(&app->cache);
    for (size_t i = 0; i < app->set_count; i++)
        if (app->sets[i].split == split)
            app->sets[i].split = NULL;
    if (app->steps.split == split)
        app->steps.split = NULL;
    views_forget_split(app->trail, app->depth, split);
    views_forget_split(app->tabs, app->tab_count, split);
    app_findings_end(app);
    memo_free(app->splits[out].memo);
    arena_free(app->splits[out].arena);
    memmove(&app->splits[out], &app->splits[out + 1],
            (app->split_count - out - 1) * sizeof *app->splits);
    app->split_count--;
}

static struct split_entry *split_entry(struct app *app, const struct split *split)
{
    for (size_t i = 0; i < app->split_count; i++)
        if (app->splits[i].split == split)
            return &app->splits[i];
    return NULL;
}

struct memo *app_memo(const struct app *app)
{
    for (size_t i = 0; i < app->split_count; i++)
        if (app->splits[i].split == app->scope.split)
            return app->splits[i].memo;
    return NULL;
}

static void memo_open(const struct app *app, struct split_entry *entry)
{
    entry->memo = memo_new(app->profile, entry->split);
    if (entry->memo)
        memo_defer(entry->memo);
}

void app_work_memo(struct app *app)
{
    struct split_entry *entry = split_entry(app, app->scope.split);
    if (entry && !entry->memo)
        memo_open(app, entry);
    if (entry && entry->memo)
        memo_work(entry->memo);
}

void app_forget_memos(struct app *app)
{
    for (size_t i = 0; i < app->split_count; i++) {
        memo_free(app->splits[i].memo);
        app->splits[i].memo = NULL;
    }
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
        memo_open(app, entry);
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
