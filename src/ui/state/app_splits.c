// SPDX-License-Identifier: Apache-2.0
// Choosing, previewing and releasing splits of the run into steps.
#include <string.h>

#include "analysis/compare/baseline.h"
#include "analysis/compare/compare.h"
#include "analysis/report/memo.h"
#include "analysis/steps/step_sets.h"
#include "model/steps/step_candidates.h"
#include "ui/host.h"
#include "ui/rows/cache.h"
#include "ui/state/app_state.h"
#include "ui/state/candidates_panel.h"
#include "ui/state/comparing.h"
#include "ui/state/findings.h"
#include "ui/state/places.h"
#include "ui/state/scope.h"
#include "ui/state/splits.h"
#include "ui/state/steps.h"
#include "ui/state/undo.h"
#include "ui/state/view.h"
#include "ui/term/canvas.h"

const char *const split_words[SPLIT_WORDS] = {"(steps as found)", "(DLProf's own)"};

struct split *split_called(const struct profile *profile, const char *name, struct arena *arena)
{
    if (strcmp(name, split_words[SPLIT_FOUND]) == 0)
        return split_find(profile, arena);
    if (strcmp(name, split_words[SPLIT_DLPROF]) == 0)
        return split_by_key(profile, NULL, arena);
    return split_by_name(profile, name, arena);
}

struct split_request {
    struct app *app;
    const char *name;
    struct arena *arena;
    struct split *split;
};

static bool split_body(void *context, struct error *error)
{
    struct split_request *request = context;
    const struct profile *profile = request->app->profile;
    bool is_word = false;
    for (size_t i = 0; i < SPLIT_WORDS; i++)
        is_word |= strcmp(request->name, split_words[i]) == 0;
    // Candidates are searched first, because they know how certain they are.
    const struct step_candidates *found = &request->app->candidates->found;
    for (size_t i = 0; i < found->count && !request->split; i++)
        if (strcmp(found->items[i].key, request->name) == 0)
            request->split = split_by_candidate(profile, &found->items[i], request->arena);
    if (!request->split)
        request->split = split_called(profile, request->name, request->arena);
    if (!is_word && (request->split->method == SPLIT_NONE || !request->split->key_found))
        return error_set(error, ERROR_USAGE, "no op and no range is named '%s'", request->name);
    return true;
}

// Drops the step sets of views that refer to this split, because it will be released.
static void views_forget_split(struct app *app, const struct split *split)
{
    struct view *view;
    for (size_t i = 0; (view = app_view_at(app, i)); i++)
        if (view->narrow.split == split)
            view->own &= ~(unsigned)OWN_ITERATIONS;
}

// Releases a split and everything that may still point to it: the next split may be allocated at
// the same address and would be mistaken for it.
static void split_release(struct app *app, size_t index)
{
    const struct split *split = app->splits->entries[index].split;
    // Undo never refers to a previewed split.
    if (!app->splits->entries[index].is_preview)
        app->undo->at = app->undo->count = 0;
    cache_forget(app->cache);
    for (size_t i = 0; i < app->splits->set_count; i++)
        if (app->splits->sets[i].split == split)
            app->splits->sets[i].split = NULL;
    if (app->steps->split == split)
        app->steps->split = NULL;
    if (host_baseline(app) && host_baseline(app)->selection.split == split)
        app_drop_baseline(app);
    views_forget_split(app, split);
    app_findings_forget(app, split);
    memo_free(app->splits->entries[index].memo);
    arena_free(app->splits->entries[index].arena);
    memmove(&app->splits->entries[index], &app->splits->entries[index + 1],
            (app->splits->count - index - 1) * sizeof *app->splits->entries);
    app->splits->count--;
}

// Releases the oldest splits until at most `most` are left. The current split and `keep` stay.
static void splits_trim(struct app *app, size_t most, const struct split *keep)
{
    for (size_t i = 0; i < app->splits->count && app->splits->count > most;) {
        const struct split *split = app->splits->entries[i].split;
        if (split == app->scope->split || split == keep)
            i++;
        else
            split_release(app, i);
    }
}

static struct split_entry *split_entry(struct app *app, const struct split *split)
{
    for (size_t i = 0; i < app->splits->count; i++)
        if (app->splits->entries[i].split == split)
            return &app->splits->entries[i];
    return NULL;
}

static void memo_open(const struct app *app, struct split_entry *entry)
{
    entry->memo = memo_new(app->profile, entry->split);
    if (entry->memo && app->is_live) // a script needs results at once
        memo_set_async(entry->memo);
}

void app_run_memo_queue(struct app *app)
{
    struct split_entry *entry = split_entry(app, app->scope->split);
    if (entry && !entry->memo)
        memo_open(app, entry);
    if (entry && entry->memo) {
        memo_set_async(entry->memo);
        memo_run_queue(entry->memo);
    }
    app_comparing_run_memo_queue(app);
}

void app_forget_memos(struct app *app)
{
    for (size_t i = 0; i < app->splits->count; i++) {
        memo_free(app->splits->entries[i].memo);
        app->splits->entries[i].memo = NULL;
    }
    app->steps->slowest = NULL; // was in one of the memos
    app_comparing_forget_memo(app);
}

static struct split_entry *split_entry_named(struct app *app, const char *name)
{
    for (size_t i = 0; i < app->splits->count; i++)
        if (strcmp(app->splits->entries[i].name, name) == 0)
            return &app->splits->entries[i];
    return NULL;
}

static bool split_make(struct app *app, const char *name, struct split_request *request,
                       struct error *error)
{
    *request = (struct split_request){app, name, arena_new(0), NULL};
    if (!request->arena)
        return error_set(error, ERROR_MEMORY, "out of memory");
    if (arena_run(request->arena, split_body, request, error))
        return true;
    arena_free(request->arena);
    return false;
}

static struct split_entry *split_add(struct app *app, const struct split_request *request)
{
    struct split_entry *entry = &app->splits->entries[app->splits->count++];
    *entry = (struct split_entry){.split = request->split, .arena = request->arena};
    memo_open(app, entry);
    snprintf(entry->name, sizeof entry->name, "%s", request->name);
    return entry;
}

const bool *app_default_set(struct app *app, bool is_usual)
{
    const struct split *split = app->scope->split;
    struct selection all = host_selection(app);
    return step_set_intern(app, is_usual
                                    ? default_baseline_steps(app->profile, &all, app->canvas->frame)
                                    : step_set_default(split, app->canvas->frame));
}

void host_select_steps(struct app *app, const bool *members)
{
    const bool *set = step_set_intern(app, members);
    if (set == app->scope->iterations)
        return;
    app_remember(app);
    app->scope->iterations = set;
    app_changed(app);
}

// Makes `split` the current one, with its default set of steps.
static void scope_set_split(struct app *app, const struct split *split)
{
    app->scope->split = split;
    app->scope->iterations = NULL;
    app->places->step = 0;
    app->scope->iterations =
        app_default_set(app, app->comparing->loaded); // as the baseline's steps are chosen
    app_changed(app);
    app_comparing_follow(app);
}

bool app_choose_split(struct app *app, const char *name, struct error *error)
{
    struct split_entry *entry = split_entry_named(app, name);
    if (!entry) {
        struct split_request request;
        if (!split_make(app, name, &request, error))
            return false;
        splits_trim(app, MAX_SPLITS - 1, NULL);
        entry = split_add(app, &request);
    }
    if (entry->split == app->scope->split)
        return true;
    if (app->scope->split)
        app_remember(app);
    scope_set_split(app, entry->split);
    return true;
}

// ---- previewing a split ------------------------------------------------------------------------

static void preview_release(struct app *app, const struct split *except)
{
    for (size_t i = app->splits->count; i-- > 0;)
        if (app->splits->entries[i].is_preview && app->splits->entries[i].split != except)
            split_release(app, i);
}

bool app_preview_split(struct app *app, const char *name, struct error *error)
{
    struct split_entry *entry = split_entry_named(app, name);
    if (!entry) {
        struct split_request request;
        if (!split_make(app, name, &request, error))
            return false;
        const struct split *former = app->scope->split;
        app->scope->split = request.split; // so that the former preview can be released
        preview_release(app, NULL);
        app->scope->split = former;
        entry = split_add(app, &request); // entries[] always has room for one preview
        entry->is_preview = true;
    }
    if (entry->split != app->scope->split)
        scope_set_split(app, entry->split);
    return true;
}

void app_preview_end(struct app *app, const struct scope *before, uint32_t cursor, bool is_taken)
{
    struct scope now = *app->scope;
    struct split_entry *entry = split_entry(app, now.split);
    if (is_taken && now.split != before->split) {
        *app->scope = *before;
        app_remember(app);
        *app->scope = now;
        if (entry && entry->is_preview) {
            entry->is_preview = false;
            preview_release(app, NULL);
            splits_trim(app, MAX_SPLITS, before->split);
        }
        return;
    }
    if (now.split != before->split || now.iterations != before->iterations) {
        bool is_other = now.split != before->split;
        *app->scope = *before;
        app_changed(app);
        if (is_other)
            app_comparing_follow(app);
    }
    app->places->step = cursor;
    preview_release(app, NULL);
}
