// SPDX-License-Identifier: Apache-2.0
//
// What is known about a profile because it was planted: counted from the rows that were written,
// with the layer and the step that no row carries. Tests compare a reader's answers with it.
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
