// SPDX-License-Identifier: Apache-2.0
// Work beside the frames: on a thread of its own, in an arena of its own. A frame waits for it for a
// moment at most, and shows what there was before.
#ifndef UI_STATE_ASIDE_H
#define UI_STATE_ASIDE_H

#include "base/arena.h"

// Sorting and drawing what has come, to the last byte on the terminal, is to be in the frame too.
enum { ASIDE_PATIENCE_MS = 3 };

struct aside;

enum aside_haste {
    ASIDE_AWAITED, // it is what somebody looks for on the screen
    ASIDE_PATIENT, // it gives way to the frames
};

// Begins body(context) inside arena_run() of `arena`, which is the work's until aside_end(). NULL: no
// thread, or no lock for one, can be had; the arena is the caller's as before.
struct aside *aside_begin(struct arena *arena, enum aside_haste haste,
                          bool (*body)(void *context, struct error *error), void *context);
// Whether it has ended, waiting so long at most.
bool aside_await(struct aside *aside, long milliseconds);
// Nobody waits for it any more: it ends at its next allocation.
void aside_stop(struct aside *aside);
// Waits for its end. Returns what body() returned; false, too, where it was stopped. NULL: false.
bool aside_end(struct aside *aside, struct error *error);

#endif
