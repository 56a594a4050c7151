// SPDX-License-Identifier: Apache-2.0
// How the run is cut into steps, and the sets of steps that were made.
#ifndef UI_STATE_SPLITS_H
#define UI_STATE_SPLITS_H

#include "ui/state/scope.h"

struct app;
struct memo;

enum { SPLIT_MAX = 12 };

struct split_entry {
    char name[128]; // how it was asked for
    const struct split *split;
    struct arena *arena;
    bool is_preview;   // only looked at: goes with the next one
    struct memo *memo; // NULL: none yet
};

struct iteration_set { // a set once made, found again by its content
    const struct split *split;
    bool *members;
};

struct splits {
    struct split_entry entries[SPLIT_MAX + 1]; // one more that is only looked at
    size_t count;
    struct iteration_set *sets;
    size_t set_count, set_capacity;
};

void app_work_memo(struct app *app); // has what views lacked made on a thread of its own
void app_forget_memos(struct app *app);
enum { SPLIT_FOUND, SPLIT_DLPROF, SPLIT_WORDS }; // names of splits that are no op and no range
extern const char *const split_words[SPLIT_WORDS];
// The split of a profile that is called so: by these words, else by split_by_name().
struct split *split_called(const struct profile *profile, const char *name, struct arena *arena);
bool app_choose_split(struct app *app, const char *name, struct error *error);
// Splits the run anew without that undo knows of it; after any number of these app_end_preview()
// goes back to `before` and its cursor, or keeps what is seen as one change.
bool app_preview_split(struct app *app, const char *name, struct error *error);
void app_end_preview(struct app *app, const struct scope *before, uint32_t cursor, bool is_taken);
const char *app_split_name(const struct app *app); // how the present one was asked for
// The set that a split begins with: without the steps cut off by the capture, and what lies outside
// where that is none of the program's; beside another profile the usual steps. NULL: all.
const bool *app_first_set(struct app *app, bool is_usual);
const bool *set_keep(struct app *app, const bool *members); // the same set, kept; NULL: all

#endif
