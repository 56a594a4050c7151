// SPDX-License-Identifier: Apache-2.0
// Creates and frees the app, and shows a profile, or a stage of one that is being loaded.
#ifndef UI_APP_APP_LIFE_H
#define UI_APP_APP_LIFE_H

#include "model/profile/profile.h"

struct app;
struct app_options;

// The stages in which the loader delivers a profile.
struct stages {
    const struct profile *stage; // as delivered; app->profile may be a copy
    // Copy of an early stage, with empty tables for those not loaded yet.
    struct profile preview;
    // Arena of a profile re-judged after the rules were read again; NULL: not re-judged.
    struct arena *judged_arena;
};

struct app *app_new(const struct app_options *options, struct error *error);
void app_free(struct app *app);
bool app_set_profile(struct app *app, const struct profile *profile, struct error *error);
// Shows a later stage of the same profile. If the user has pressed a key, cursor and view are kept.
bool app_show_profile(struct app *app, const struct profile *profile, struct error *error);
void app_forget_rows(struct app *app); // drops all rows and figures; they are rebuilt when shown
// Reads the user's key file if there is one. Faults in it become a message.
bool app_use_keymap(struct app *app, struct error *error);

#endif
