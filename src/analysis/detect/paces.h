// SPDX-License-Identifier: Apache-2.0
// How long equal launches take on one GPU and on the others: what makes a GPU slow is told by it.
//
// Kept are only the kinds of launches of the GPU in question, and of these only the GPUs that ran
// them: no more than there is work, however many kinds and GPUs a file names.
#ifndef ANALYSIS_PACES_H
#define ANALYSIS_PACES_H

#include "base/arena.h"

#include <stddef.h>
#include <stdint.h>

enum {
    PACE_PARTS = 2,    // those who ask may tell apart so many, ...
    PACE_ALL = -1,     // ... or take all together
    PACE_LAUNCHES = 3, // fewer of a kind, on a GPU and in a part, tell no pace
};

struct paces {
    struct arena *arena;
    uint32_t device; // the GPU in question
    size_t kinds;
    uint32_t *first; // by kind: its latest cell + 1, 0: none
    size_t count, capacity;
    struct pace_cell *cells;
    double *means; // room for one kind
};

struct paces paces_begin(uint32_t device, uint32_t devices, size_t kinds, struct arena *arena);
// All of one device is added before any of the next.
void paces_add(struct paces *paces, uint32_t kind, uint32_t device, int part, int64_t launches,
               int64_t ns);

struct pace {
    double own, others; // mean of a launch in ns: on the GPU, and the median of that of the others
    double ratio;       // own over others; 0: cannot be told
    double total_ns;    // of all parts, on the GPU
};
struct pace pace_of(const struct paces *paces, uint32_t kind, int part);

#endif
