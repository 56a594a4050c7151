// SPDX-License-Identifier: Apache-2.0
// What the command line asks of the screen.
#ifndef UI_STATE_APP_OPTIONS_H
#define UI_STATE_APP_OPTIONS_H

#include "analysis/report/selection.h"
#include "analysis/sums/step_sets.h"
#include "base/error.h"
#include "model/profile/loader.h"

struct run_list;

struct app_options {
    const char *path;            // the profile, for the title
    const struct run_list *runs; // of which one is asked for, on a terminal; NULL: `path` it is
    size_t run;                  // the one that is open; SIZE_MAX: none yet
    const struct load_request *request; // how to open it; its `progress` is ignored
    const char *rules;                  // folder of one's own, that may not be there; NULL: none
    const char *theme;                  // NULL: dark, or mono where there is no colour
    const char *color;                  // "auto", "always", "never"; NULL: auto
    bool ascii;                         // also where the locale is not UTF-8
    bool no_mouse;
    bool force;          // files that exist are replaced, and nobody is asked
    const char *keys;    // a file of keys, NULL: those of the table
    bool must_have_keys; // a mistake in it is a failure, not a message
    bool keeps_state;    // what a person arranges is found again, in the XDG state folder
    void (*when_loaded)(const struct load_request *request); // all of it is there; NULL: no matter
    const char *view;    // first view by name, NULL: the summary
    const char *script;  // keys and commands, "-": standard input; NULL: none
    const char *session; // where to go first (session.h); NULL: the first screen
    const char *size;    // "COLSxROWS", NULL: of the terminal, or 80x24 without one
    bool dump;           // print the final screen; no terminal is touched
    bool no_adoption;
    struct step_size step_size; // what a person says of a step
    enum name_form names;
    const char *key_op; // NULL: steps as found
    struct step_choice steps;
    const char *baseline, *baseline_iters;  // what is compared with; NULL: not given
    int64_t baseline_gpu, baseline_process; // UNKNOWN: not given
};

#endif
