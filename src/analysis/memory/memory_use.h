// SPDX-License-Identifier: Apache-2.0
// What programs allocate through the driver: which of it is selected, what it is called, and how
// much is live at a moment.
//
// An allocation belongs to the op, line and thread of its call; so does the free that ends it,
// whoever calls that. So of any rows what is allocated less what is freed is what is live. A free
// whose allocation the file lacks stands for itself. Live is what was allocated since the capture
// began and is not freed yet: what was there before is in no file.
#ifndef ANALYSIS_MEMORY_USE_H
#define ANALYSIS_MEMORY_USE_H

#include "analysis/report/selection.h"

// The row whose call has a row: of a free the allocation that it ends, where the file has it.
uint32_t memory_owner(const struct profile *profile, uint32_t event);

// Of both the kind of memory, and whether it is taken from a pool in the order of a stream
// (cudaMallocAsync). Beside them stands what takes the GPU's own memory, all groups together.
// Last what is no matter of the driver: the host's memory, by a framework's allocator (tensor_memory.h).
enum { MEMORY_GROUPS = 16, MEMORY_ALL_ON_GPU = MEMORY_GROUPS, MEMORY_OF_HOST };
uint32_t memory_group(const struct profile *profile, uint32_t event); // below MEMORY_GROUPS
const char *memory_group_name(uint32_t group);                        // "device", "device, pool"
bool memory_group_is_on_gpu(uint32_t group);                          // takes the GPU's own memory
// GPU and group in one number; those of no GPU that is known last.
static inline uint32_t memory_place_of(const struct profile *profile, uint32_t event)
{
    uint32_t device = profile->memory.device[memory_owner(profile, event)];
    return (device == ROW_NONE ? profile->device_count : device) * MEMORY_GROUPS +
           memory_group(profile, event);
}

// The iteration in which it was allocated or freed, by its call; ROW_NONE: outside of all.
uint32_t memory_iteration(const struct profile *profile, const struct split *split, uint32_t event);

// selection.memory: of a group, or of MEMORY_ALL_ON_GPU, those whose ...
enum memory_part {
    MEMORY_ANY,
    MEMORY_CALLED,   // allocating call is in the file
    MEMORY_UNCALLED, // allocating call is not
    MEMORY_BEFORE,   // allocation is not: freed only
    MEMORY_PARTS
};
static inline uint32_t memory_choice(uint32_t group, enum memory_part part)
{
    return group * MEMORY_PARTS + (uint32_t)part;
}
enum memory_part memory_part_of(const struct profile *profile, uint32_t event);
const char *memory_choice_text(uint32_t choice, struct arena *arena);

// Whether a row is selected, whatever its time; and with the iteration that it is in.
bool selection_has_memory_of(const struct profile *profile, const struct selection *selection,
                             uint32_t event);
bool selection_has_memory(const struct profile *profile, const struct selection *selection,
                          uint32_t event);
const char *memory_empty_text(const struct profile *profile); // why there is nothing

// What the events of a row of a report do in the selected iterations, in bytes.
struct memory_use {
    uint32_t allocations, frees;
    int64_t allocated, freed; // what is UNKNOWN adds nothing
    int64_t largest;          // UNKNOWN: none is known
    uint32_t largest_event;   // ROW_NONE: none
    int64_t live;             // at the end of the last iteration selected
    int64_t peak;             // the most that is live in any of the iterations
    int64_t peak_ns;          // since when; UNKNOWN: nothing is ever live
    uint32_t peak_event;      // the last before it, ROW_NONE
};

// Of `count` rows; row_of[event] is the one that an event belongs to, ROW_NONE: none. A free whose
// allocation the file lacks ends nothing that is counted as live.
struct memory_use *memory_sweep(const struct profile *profile, const struct selection *selection,
                                const uint32_t *row_of, size_t count, struct arena *arena);

#endif
