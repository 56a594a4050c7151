// SPDX-License-Identifier: Apache-2.0
// Loads a profile on a thread of its own while the user interface runs, and draws the progress.
#ifndef UI_APP_LOADING_H
#define UI_APP_LOADING_H

#include <pthread.h>
#include <stdatomic.h>

#include "model/profile/loader.h"

struct app;

struct loading {
    pthread_t thread;
    struct load_request request;
    struct load_progress progress;
    struct profile *profile;
    struct error error;
    atomic_bool is_done;
    bool is_running;
    double begin; // start time in seconds
    int wake[2];
    char path[4096]; // copy of `request`'s path, if the caller does not keep it
};

bool loading_start(struct loading *loading, const struct load_request *request,
                   struct error *error);
// Cancels loading if it is not done, and joins the thread.
void loading_end(struct loading *loading);
// Frees the profile, or the stages of an unfinished one. Loading must have ended, and the
// stages must not be in use any more.
void loading_release(struct loading *loading);
// Transfers ownership of the profile to the caller.
struct profile *loading_take_profile(struct loading *loading);
double loading_ms(const struct loading *loading); // milliseconds since the start
bool loading_is_done(struct loading *loading);    // also drains the wake-up pipe
// Draws progress on the whole screen, before there is a stage to show.
void loading_draw(struct app *app, struct loading *loading);
// Writes progress as one line, while a stage is shown.
void loading_note(struct app *app, struct loading *loading);

#endif
