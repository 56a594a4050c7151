// SPDX-License-Identifier: Apache-2.0
// The app: the fields that all of its code uses, and a pointer to one part per concern.
//
// The parts are incomplete types here. Code that reads or changes a part includes the header of
// that part, which has its struct and the functions that own it. Views include ui/host.h instead.
#ifndef UI_STATE_APP_STATE_H
#define UI_STATE_APP_STATE_H

#include <stdbool.h>
#include "base/error.h"
#include "ui/host.h"

struct app {
    const struct app_calls *calls; // functions of ui/app (app_calls.h)
    const struct app_options *options;
    const struct profile *profile;
    struct arena *arena; // lives as long as the program
    struct canvas *canvas;
    unsigned generation; // counts changes of scope and profile
    bool is_live;        // true in a terminal, where frames do not wait for findings

    // Scope and display
    struct scope *scope;             // scope.h
    struct display *display;         // scope.h
    struct splits *splits;           // splits.h
    struct undo_list *undo;          // undo.h
    struct stored_columns *columns;  // columns.h
    struct steps *steps;             // steps.h
    struct steps_why *why;           // steps.h
    struct cache *cache;             // ui/rows/cache.h
    struct findings_state *findings; // findings.h
    struct app_comparing *comparing; // comparing.h
    struct compare_load *comparing_load;

    // Places
    struct places *places;      // places.h
    struct bookmark *bookmarks; // ui/session/bookmarks.h
    struct session *session;    // ui/session/session.h; followed once the profile is loaded

    // Drawn over the view
    struct prompt *prompt;               // ui/overlay/prompt.h
    struct menu *menu;                   // ui/overlay/prompt.h
    struct box *box;                     // ui/overlay/prompt.h
    struct candidates_panel *candidates; // candidates_panel.h
    struct tour *tour;                   // ui/overlay/tour_state.h

    // The program
    struct messages *messages;   // messages.h
    struct mouse *mouse;         // mouse.h
    struct script_state *script; // script_state.h
    struct saving *saving;       // saving.h
    struct source_place *source; // saving.h
    struct requests *requests;   // requests.h
    struct colours *colours;     // colours.h
    struct stages *stages;       // ui/app/app_life.h
};

// Runs body(context) under arena_run() of both the app's and the frame's arena, so that a failed
// allocation in either is reported as an error.
bool app_guard(struct app *app, bool (*body)(void *context, struct error *error), void *context,
               struct error *error);

#endif
