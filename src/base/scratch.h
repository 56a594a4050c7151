// SPDX-License-Identifier: Apache-2.0
// Temporary memory for one computation. The result is allocated in another arena, `keep`.
#ifndef BASE_SCRATCH_H
#define BASE_SCRATCH_H

#include "base/arena.h"

// Calls body(context, scratch) and frees `scratch` afterwards, also when memory runs out in either
// arena; the failure is then raised in `keep`. Shares the stop flag of `keep`.
void scratch_run(struct arena *keep, void (*body)(void *context, struct arena *scratch),
                 void *context);

// The same with a second scratch arena, which the body resets repeatedly. Use this instead of
// nested scratch_run() calls for the same `keep`: the inner scratch would leak if the outer one ran
// out of memory.
void scratch_run_two(struct arena *keep,
                     void (*body)(void *context, struct arena *scratch, struct arena *temporary),
                     void *context);

// Calls body(context, i, scratch) for every i < count on at most `threads` threads, each call with
// a scratch arena of its own. The body must not allocate from `keep`. If memory runs out in one
// call, the failure is raised in `keep` after all threads are done.
void scratch_jobs(struct arena *keep, unsigned threads, size_t count,
                  void (*body)(void *context, size_t i, struct arena *scratch), void *context);

#endif
