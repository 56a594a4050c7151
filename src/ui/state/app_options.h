// SPDX-License-Identifier: Apache-2.0
// Command-line options of the user interface.
#ifndef UI_STATE_APP_OPTIONS_H
#define UI_STATE_APP_OPTIONS_H

#include "analysis/report/selection.h"
#include "analysis/steps/step_sets.h"
#include "base/error.h"
#include "model/profile/loader.h"

struct run_list;

struct app_options {
    const char *path;                   // the profile, for the title
    const struct run_list *runs;        // runs to choose from, on a terminal; NULL: open `path`
    size_t run;                         // index of the open one; SIZE_MAX: none yet
    const struct load_request *request; // how to open it; its `progress` is ignored
    const char *rules;                  // the user's folder, which may not exist; NULL: none
    const char *theme;                  // NULL: dark, or mono without colour
    const char *color;                  // "auto", "always", "never"; NULL: auto
    bool ascii;                         // also set if the locale is not UTF-8
    bool no_mouse;
    bool force;          // replace existing files without asking
    const char *keys;    // file of key bindings; NULL: the defaults
    bool must_have_keys; // a mistake in `keys` is fatal, not a message
    bool keeps_state;    // keep the user's arrangements in the XDG state folder
    // Called when the profile is completely loaded; may be NULL
    void (*when_loaded)(const struct load_request *request);
    const char *view;    // name of the first view; NULL: the summary
    const char *script;  // file of keys and commands; "-": standard input; NULL: none
    const char *session; // session to open (session.h); NULL: the first screen
    const char *size;    // "COLSxROWS"; NULL: the terminal's, or 80x24 without one
    bool dump;           // print the final screen and use no terminal
    bool no_adoption;
    struct step_size step_size; // figures of a step that the user gives
    enum name_form names;
    const char *key_op; // NULL: steps as found
    struct step_choice steps;
    const char *baseline, *baseline_iters;  // baseline of the comparison; NULL: not given
    int64_t baseline_gpu, baseline_process; // UNKNOWN: not given
};

#endif
