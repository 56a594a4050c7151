// SPDX-License-Identifier: Apache-2.0
// Background jobs: work on a thread and in an arena of its own. A frame waits at most
// ASIDE_PATIENCE_MS for a job and otherwise shows the previous result.
#ifndef UI_STATE_ASIDE_H
#define UI_STATE_ASIDE_H

#include "base/arena.h"

// Longest wait of a frame for a job. It leaves time in the frame to sort and draw the result and to
// write it to the terminal.
enum { ASIDE_PATIENCE_MS = 3 };

struct background_job;

enum aside_haste {
    ASIDE_AWAITED, // the screen waits for the result
    ASIDE_PATIENT, // runs at lower priority than the frames
};

// Starts body(context) on a thread, inside arena_run() of `arena`. The job owns the arena until
// aside_end(). Returns NULL if no thread or lock can be created; the arena stays the caller's.
struct background_job *aside_begin(struct arena *arena, enum aside_haste priority,
                                   bool (*body)(void *context, struct error *error), void *context);
// Waits at most `milliseconds`. Returns true if the job has ended.
bool aside_await(struct background_job *job, long milliseconds);
// Asks the job to stop. It ends at its next allocation.
void aside_stop(struct background_job *job);
// Waits for the end of the job and frees it. Returns what body() returned; false if the job was
// stopped or is NULL.
bool aside_end(struct background_job *job, struct error *error);

#endif
