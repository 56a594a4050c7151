// SPDX-License-Identifier: Apache-2.0
// The splits of the run into steps, and the sets of steps that were made.
#ifndef UI_STATE_SPLITS_H
#define UI_STATE_SPLITS_H

#include "ui/state/scope.h"

struct app;
struct memo;

enum { MAX_SPLITS = 12 };

struct split_entry {
    char name[128]; // the name it was requested by
    const struct split *split;
    struct arena *arena;
    bool is_preview;   // shown in a preview only; released with the next preview
    struct memo *memo; // NULL: none yet
};

struct iteration_set { // a set of steps, deduplicated by content
    const struct split *split;
    bool *members;
};

struct splits {
    struct split_entry entries[MAX_SPLITS + 1]; // one more for a preview
    size_t count;
    struct iteration_set *sets;
    size_t set_count, set_capacity;
};

void app_run_memo_queue(struct app *app); // computes memo entries that views asked for, on a thread
void app_forget_memos(struct app *app);
enum { SPLIT_FOUND, SPLIT_DLPROF, SPLIT_WORDS }; // names of splits that are not ops or ranges
extern const char *const split_words[SPLIT_WORDS];
// Returns the split of a profile with a name: one of split_words, else by split_by_name().
struct split *split_called(const struct profile *profile, const char *name, struct arena *arena);
bool app_choose_split(struct app *app, const char *name, struct error *error);
// Changes the split without recording undo. After any number of previews app_preview_end() restores
// `before` and its cursor, or (`is_taken`) keeps the preview as one undoable change.
bool app_preview_split(struct app *app, const char *name, struct error *error);
void app_preview_end(struct app *app, const struct scope *before, uint32_t cursor, bool is_taken);
// The name that the current split was requested by
const char *app_split_name(const struct app *app);
// Returns the set that a split begins with: step_set_default(), or default_baseline_steps() if
// `is_usual`, as for a comparison with another profile. NULL means all.
const bool *app_default_set(struct app *app, bool is_usual);
// Returns a copy of a set that lives as long as the program; equal sets share one copy. NULL (all)
// stays NULL.
const bool *step_set_intern(struct app *app, const bool *members);

#endif
