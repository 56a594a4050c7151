// SPDX-License-Identifier: Apache-2.0
// Background jobs: work on a thread and in an arena of its own. A frame waits at most
// MAX_FRAME_WAIT_MS for a job and otherwise shows the previous result.
#ifndef UI_ROWS_BACKGROUND_JOB_H
#define UI_ROWS_BACKGROUND_JOB_H

#include "base/arena.h"

// Longest wait of a frame for a job. It leaves time in the frame to sort and draw the result and to
// write it to the terminal.
enum { MAX_FRAME_WAIT_MS = 3 };

struct background_job;

enum job_priority {
    JOB_FOREGROUND, // the screen waits for the result
    JOB_BACKGROUND, // runs at lower priority than the frames
};

// Starts body(context) on a thread, inside arena_run() of `arena`. The job owns the arena until
// background_job_finish(). Returns NULL if no thread or lock can be created; the arena stays the
// caller's.
struct background_job *background_job_start(struct arena *arena, enum job_priority priority,
                                            bool (*body)(void *context, struct error *error),
                                            void *context);
// Waits at most `milliseconds`. Returns true if the job has ended.
bool background_job_wait(struct background_job *job, long milliseconds);
// Asks the job to stop. It ends at its next allocation.
void background_job_stop(struct background_job *job);
// Waits for the end of the job and frees it. Returns what body() returned; false if the job was
// stopped or is NULL.
bool background_job_finish(struct background_job *job, struct error *error);

#endif
