// SPDX-License-Identifier: Apache-2.0
//
// What is known about a profile by construction: sums over the rows written, including layer and
// step, which rows do not carry. Tests compare a reader's answers with it.
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
