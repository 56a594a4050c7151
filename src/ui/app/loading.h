// SPDX-License-Identifier: Apache-2.0
// A profile being loaded on a thread of its own, beside the keyboard, and what is shown meanwhile.
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
    double begin; // seconds
    int wake[2];
    char path[4096]; // of `request`, where nobody else keeps it
};

bool loading_start(struct loading *loading, const struct load_request *request,
                   struct error *error);
void loading_end(struct loading *loading); // joins it, and cancels what is not done
// Of one that has ended: frees what was loaded, or the stages of what was not loaded to its end, at
// which nobody looks any more.
void loading_release(struct loading *loading);
struct profile *loading_keep(struct loading *loading); // what was loaded is the caller's now
double loading_ms(const struct loading *loading);      // since its start
bool loading_is_done(struct loading *loading);         // and its wake-up pipe is empty again
// The whole screen, as long as there is nothing else to look at.
void loading_draw(struct app *app, struct loading *loading);
// The same in one line, once there is.
void loading_note(struct app *app, struct loading *loading);

#endif
