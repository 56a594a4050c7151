// SPDX-License-Identifier: Apache-2.0
// The app: what every part of it knows, and a part for each concern.
//
// A part is incomplete here. Whoever reads or changes it includes the header of that part, which holds
// its struct and the functions that own it. Views include ui/host.h instead of this.
#ifndef UI_STATE_APP_STATE_H
#define UI_STATE_APP_STATE_H

#include <stdbool.h>
#include "base/error.h"
#include "ui/host.h"

struct app {
    const struct app_calls *calls; // of ui/app (app_calls.h)
    const struct app_options *options;
    const struct profile *profile;
    struct arena *arena; // lives as long as the program
    struct canvas *canvas;
    unsigned generation; // counts changes of scope and profile
    bool is_live;        // in a terminal, where nobody waits for findings

    // What is looked at, and how
    struct scope *scope;             // scope.h
    struct display *display;         // scope.h
    struct splits *splits;           // splits.h
    struct undo_list *undo;          // undo.h
    struct kept_columns *columns;    // columns.h
    struct steps *steps;             // steps.h
    struct steps_why *why;           // steps.h
    struct cache *cache;             // cache.h
    struct app_findings *findings;   // findings.h
    struct app_comparing *comparing; // comparing.h
    struct compare_load *comparing_load;

    // Where one is
    struct places *places;      // places.h
    struct bookmark *bookmarks; // ui/session/bookmarks.h
    struct session *session;    // ui/session/session.h: to be followed once the profile is there

    // What lies over the view
    struct prompt *prompt;               // prompt.h
    struct menu *menu;                   // overlay.h
    struct box *box;                     // overlay.h
    struct candidates_panel *candidates; // candidates.h
    struct tour *tour;                   // tour_state.h

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

// Runs body(context) so that the end of memory, the app's or the frame's, is an error.
bool app_guard(struct app *app, bool (*body)(void *context, struct error *error), void *context,
               struct error *error);

#endif
