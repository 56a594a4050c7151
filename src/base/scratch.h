// SPDX-License-Identifier: Apache-2.0
// Memory for the length of one derivation, beside the arena that keeps what it makes.
#ifndef MODEL_SCRATCH_H
#define MODEL_SCRATCH_H

#include "base/arena.h"

// Runs body(context, scratch) and releases `scratch`, also when memory runs out in either arena;
// then it has run out in `keep`. It stops when `keep` does.
void scratch_run(struct arena *keep, void (*body)(void *context, struct arena *scratch),
                 void *context);

// The same with another one for what the body empties again and again. (Within one scratch_run() for
// `keep` another one would not be released when the outer scratch runs out.)
void scratch_run_two(struct arena *keep,
                     void (*body)(void *context, struct arena *scratch, struct arena *brief),
                     void *context);

// Runs body(context, i, scratch) for every i below `count`, on at most `threads` threads, each with
// memory of its own that is released at its end. When it runs out for one, it has run out in `keep`,
// from which none of them takes any.
void scratch_jobs(struct arena *keep, unsigned threads, size_t count,
                  void (*body)(void *context, size_t i, struct arena *scratch), void *context);

#endif
