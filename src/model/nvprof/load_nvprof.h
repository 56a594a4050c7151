// SPDX-License-Identifier: Apache-2.0
// Internal interface of the nvprof loader, shared by load_nvprof*.c.
#ifndef MODEL_NVPROF_LOAD_NVPROF_H
#define MODEL_NVPROF_LOAD_NVPROF_H

#include "model/nsys/nsys_tables.h"

#define NVPROF_NO_TEXT "-- null --" // written in place of a missing string

// Defined in load_nvprof_ranges.c: reads ranges, of which each end is a row.
extern const struct table_reader nvprof_range_reader;
void nvprof_end_ranges(struct nsys *nsys, struct table_slices *slices);

// Defined in load_nvprof_calls.c: returns the name of a function by its CUPTI number, or
// "cudaRuntime 999" if it is unknown.
const char *nvprof_call_name(bool is_driver, int64_t number, struct arena *arena);

#endif
