// SPDX-License-Identifier: Apache-2.0
//
// Ranges that each annotation tool writes around an op. A program says what it runs; the marker
// dialect of the scenario decides which ranges appear.
#ifndef DLPROF_GEN_MARKERS_H
#define DLPROF_GEN_MARKERS_H

#include "recipe.h"

// Hand-written ranges: in all dialects except "none".
void user_push(Rank *rank, Thread *thread, const char *text);
void user_pop(Rank *rank, Thread *thread);
// Closes and opens "layer:" ranges between one op and the next; `to` NULL: closes all.
void layer_move(Rank *rank, Thread *thread, const Op *from, const Op *to);

// Return the number of ranges opened; ranges_pop() closes them.
int op_push(Rank *rank, Thread *thread, const Op *op, int index);
int op_push_backward(Rank *rank, Thread *thread, const Op *op, int index);
int accumulate_push(Rank *rank, Thread *thread);
int call_push(Rank *rank, Thread *thread, const char *aten, const char *mod, const char *function,
              int line);
// Opens ranges of the allocations before a launch, in scenarios with more_calls.
int allocation_push(Rank *rank, Thread *thread);
void ranges_pop(Rank *rank, Thread *thread, int count);

#endif
