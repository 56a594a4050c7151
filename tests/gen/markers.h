// SPDX-License-Identifier: Apache-2.0
//
// What each annotation tool writes around an op. A program says what it runs; the dialect of the
// scenario decides which ranges appear.
#ifndef DLPROF_GEN_MARKERS_H
#define DLPROF_GEN_MARKERS_H

#include "recipe.h"

// Ranges that a person writes: all dialects but "none".
void user_push(Rank *rank, Thread *thread, const char *text);
void user_pop(Rank *rank, Thread *thread);
// Opens and closes "layer:" ranges on the way from one op to the next; NULL: none is left.
void layer_move(Rank *rank, Thread *thread, const Op *from, const Op *to);

// Both return the number of ranges opened; ranges_pop closes them.
int op_push(Rank *rank, Thread *thread, const Op *op, int index);
int op_push_backward(Rank *rank, Thread *thread, const Op *op, int index);
int accumulate_push(Rank *rank, Thread *thread);
int call_push(Rank *rank, Thread *thread, const char *aten, const char *mod, const char *function,
              int line);
// The ranges of the allocations that precede a launch, in scenarios with more_calls.
int allocation_push(Rank *rank, Thread *thread);
void ranges_pop(Rank *rank, Thread *thread, int count);

#endif
