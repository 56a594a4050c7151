// SPDX-License-Identifier: Apache-2.0
//
// The facts about a profile that the generator knows: sums over the rows written, also by layer and
// step, which the rows do not contain. Tests compare a reader's answers with them.
#ifndef DLPROF_GEN_TRUTH_H
#define DLPROF_GEN_TRUTH_H

#include "sim.h"

#include <stdio.h>

typedef struct Truth Truth;

Truth *truth_make(World *world);
void truth_row(void *truth, TableId table, const int64_t *row); // a WriterWatch
void truth_step(Truth *truth, const Rank *rank, int64_t start_ns, int64_t end_ns);
void truth_print(const Truth *truth, FILE *out);
void truth_free(Truth *truth);

#endif
