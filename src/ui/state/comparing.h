// SPDX-License-Identifier: Apache-2.0
// The baseline of the comparison: another profile, or a part of the one that is shown.
#ifndef UI_STATE_COMPARING_H
#define UI_STATE_COMPARING_H

#include "analysis/compare/baseline.h"

struct app;

enum { COMPARING_UNITS = 7 }; // results of compare_unit(): none, step, replay, ..., iteration
struct app_comparing {
    const struct profile *loaded;    // owned; NULL: the baseline is part of the app's profile
    struct baseline_request request; // profile, and how steps, GPU and process were chosen
    char path[4096];                 // path of `loaded` as it was given
    char key[128];                   // app_split_name() of the split that request.iters refers to
    struct baseline *baseline;       // NULL: no baseline
    const struct report **reports;   // comparisons by report and unit; NULL: not built yet
    const char *units[COMPARING_UNITS]; // the units used so far; constant strings
    struct memo *memo;   // of the loaded profile's split; NULL: none yet, or the same profile
    struct arena *arena; // owns baseline and reports
    bool is_shown;
};

struct compare_load {
    char wanted[4096];  // file to load and compare with; "": none
    char loading[4096]; // file being loaded on a thread; "": none
    bool stops;         // the load is to be stopped
};

// Compares with a profile that was loaded from `path` and takes ownership of it; NULL compares
// within the app's profile. Returns false on failure; `loaded` then stays the caller's.
bool app_compare_with(struct app *app, const struct profile *loaded, const char *path,
                      struct error *error);
void app_comparing_follow(
    struct app *app); // after a change of split: splits `loaded` in the same way
void app_drop_baseline(struct app *app);
void app_comparing_run_memo_queue(struct app *app); // app_run_memo_queue() for the side of `loaded`
void app_comparing_forget_memo(struct app *app);
void comparing_memo_open(struct app_comparing *comparing, bool is_live);
void app_comparing_open_memo(struct app *app); // reopens it, before rows are built
// Starts the comparison that the command line asks for, once the profile is loaded.
bool app_start_comparing(struct app *app, struct error *error);
// Returns the baseline's part of the scope line: "A: old.sqlite, set 3-20 ...".
const char *app_baseline_text(struct app *app, struct arena *arena);

// The actions (ui/app/action_list.c). `argument` is the text after the command; "" for a key.
void app_take_baseline(struct app *app, const char *argument);
void app_deltas(struct app *app, const char *argument);

#endif
