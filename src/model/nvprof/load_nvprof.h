// SPDX-License-Identifier: Apache-2.0
// Inside of the nvprof loader: what load_nvprof*.c share. Nobody else includes this.
#ifndef MODEL_LOAD_NVPROF_H
#define MODEL_LOAD_NVPROF_H

#include "model/nsys/load_nsys.h"

#define NVPROF_NO_TEXT "-- null --" // of a string that is none

// The two ends of a range, each a row. load_nvprof_ranges.c
extern const struct nsys_reader nvprof_range_reader;
void nvprof_end_ranges(struct nsys *nsys, struct nsys_slices *slices);

// A function by its number, "cudaRuntime 999" where that is not known. load_nvprof_calls.c
const char *nvprof_call_name(bool is_driver, int64_t number, struct arena *arena);

#endif
