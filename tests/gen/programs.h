// SPDX-License-Identifier: Apache-2.0
//
// The programs that ranks run.
#ifndef DLPROF_GEN_PROGRAMS_H
#define DLPROF_GEN_PROGRAMS_H

#include "sim.h"

void training_run(Rank *rank);
// Run forward and backward of one batch, with the all-reduce of its gradients if the recipe has
// any.
void training_forward(Rank *rank);
void training_backward(Rank *rank);
void serving_run(Rank *rank);
void deep_run(Rank *rank);
void loop_run(Rank *rank);
void chaos_run(Rank *rank);

// Start-up common to both kinds of process.
void process_start(Rank *rank);

#endif
