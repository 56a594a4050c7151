// SPDX-License-Identifier: Apache-2.0
// What is compared with: a profile of its own, or a part of the one that is shown.
#ifndef UI_STATE_COMPARING_H
#define UI_STATE_COMPARING_H

#include "analysis/compare/baseline.h"

struct app;

enum { COMPARING_UNITS = 7 }; // of compare_unit(): none, step, replay, ..., iteration
struct app_comparing {
    const struct profile *loaded;       // as loaded; NULL: the same profile
    struct baseline_request request;    // its profile, how its steps, GPU and process were chosen
    char path[4096];                    // of the loaded one, as it was given
    char key[128];                      // app_split_name() that the request's set is of
    struct baseline *baseline;          // NULL: there is none
    const struct report **reports;      // comparisons, by report and unit; NULL: not made yet
    const char *units[COMPARING_UNITS]; // that there were, constants
    struct memo *memo;   // of another profile's split; NULL: none yet, or the same profile
    struct arena *arena; // of baseline and reports
    bool is_shown;
};

struct compare_load {
    char wanted[4096];  // file to be loaded and compared with, "": none
    char loading[4096]; // the one that is being loaded beside the keyboard, "": none
    bool stops;         // that is to end
};

// Takes over a profile that was loaded as `path`, and shows what changed. False: it stays whose it
// was.
bool app_compare_with(struct app *app, const struct profile *loaded, const char *path,
                      struct error *error);
void app_comparing_follow(struct app *app); // B is cut into other steps now: another profile too
void app_drop_baseline(struct app *app);
void app_comparing_work_memo(struct app *app); // as app_work_memo(), of another profile's side
void app_comparing_forget_memo(struct app *app);
void comparing_memo_open(struct app_comparing *comparing, bool is_live);
void app_comparing_open_memo(struct app *app); // anew, before any rows are asked for
// What the command line asked for, once the profile is whole.
bool app_start_comparing(struct app *app, struct error *error);
// "A: old.sqlite, set 3-20 ...": what stands in the line of the scope besides.
const char *app_comparing_text(struct app *app, struct arena *arena);

#endif
