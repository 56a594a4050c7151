// SPDX-License-Identifier: Apache-2.0
// The speed of a GPU: duration of equal launches on it, compared with the other GPUs.
//
// Only kinds of launches of the GPU in question are stored, and for these only the GPUs that ran
// them: memory is bounded by the work, however many kinds and GPUs a file names.
#ifndef ANALYSIS_DETECT_GPU_SPEED_H
#define ANALYSIS_DETECT_GPU_SPEED_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

enum {
    GPU_SPEED_PARTS = 2,        // number of parts that a caller can distinguish
    GPU_SPEED_ALL = -1,         // all parts together
    MIN_GPU_SPEED_LAUNCHES = 3, // a kind needs at least this many launches per GPU and part
};

struct gpu_speeds {
    struct arena *arena;
    uint32_t device; // the GPU in question
    size_t kinds;
    uint32_t *first; // [kind]: its latest cell + 1; 0: none
    size_t count, capacity;
    struct gpu_speed_cell *cells;
    double *means; // scratch for one kind
};

struct gpu_speeds gpu_speed_begin(uint32_t device, uint32_t devices, size_t kinds,
                                  struct arena *arena);
// Adds launches; all of one device must be added before the next device.
void gpu_speed_add(struct gpu_speeds *speeds, uint32_t kind, uint32_t device, int part,
                   int64_t launches, int64_t ns);

struct gpu_speed {
    double own, others; // mean ns of a launch: on the GPU, and the median over the others
    double ratio;       // own / others; 0: unknown
    double total_ns;    // on the GPU, over all parts
};
struct gpu_speed gpu_speed_of(const struct gpu_speeds *speeds, uint32_t kind, int part);

#endif
