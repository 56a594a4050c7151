// SPDX-License-Identifier: Apache-2.0
// The life of the app, from options to a profile that is shown.
#ifndef UI_APP_APP_LIFE_H
#define UI_APP_APP_LIFE_H

#include "model/profile/profile.h"

struct app;
struct app_options;

// The profile as the loader hands it over, by stages.
struct stages {
    const struct profile *stage; // as handed over; app->profile may be a copy
    struct profile preview;      // that copy, of an early stage
    struct arena *judged_arena;  // of that copy, once rules were read again; NULL: they were not
};

struct app *app_new(const struct app_options *options, struct error *error);
void app_free(struct app *app);
bool app_set_profile(struct app *app, const struct profile *profile, struct error *error);
// A later stage of the same profile: places stay as far as somebody has been somewhere.
bool app_show_profile(struct app *app, const struct profile *profile, struct error *error);
// Takes the keys of the user's file, if there is one; what is wrong in it is a message.
bool app_take_keys(struct app *app, struct error *error);

#endif
