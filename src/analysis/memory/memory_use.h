// SPDX-License-Identifier: Apache-2.0
// Allocations through the driver: which are selected, what their memory is called, and how much is
// live at a time.
//
// An allocation belongs to the op, line and thread of its call, and so does the free that ends it,
// whoever calls it. Thus for any row, live = allocated - freed. A free whose allocation is not in
// the file is counted on its own. Live memory is what was allocated since the capture began and not
// yet freed: earlier allocations are in no file.
#ifndef ANALYSIS_MEMORY_MEMORY_USE_H
#define ANALYSIS_MEMORY_MEMORY_USE_H

#include "analysis/report/selection.h"

// Returns the event whose call owns `event`: for a free, its allocation if the file has it.
uint32_t memory_owner(const struct profile *profile, uint32_t event);

// A group of memory: its kind (memory_kind_names), and whether it is from a stream-ordered pool
// (cudaMallocAsync). MEMORY_ALL_ON_GPU means all groups in the GPU's own memory. MEMORY_OF_HOST is
// not allocated by the driver: it is host memory of a framework's allocator (tensor_memory.h).
enum { MEMORY_GROUPS = 16, MEMORY_ALL_ON_GPU = MEMORY_GROUPS, MEMORY_OF_HOST };
uint32_t memory_group(const struct profile *profile, uint32_t event); // below MEMORY_GROUPS
const char *memory_group_name(uint32_t group);                        // "device", "device, pool"
bool memory_group_is_on_gpu(uint32_t group);                          // in the GPU's own memory
// GPU and group in one number; events without a known GPU come last.
static inline uint32_t memory_place_of(const struct profile *profile, uint32_t event)
{
    uint32_t device = profile->memory.device[memory_owner(profile, event)];
    return (device == ROW_NONE ? profile->device_count : device) * MEMORY_GROUPS +
           memory_group(profile, event);
}

// Returns the step in which the event was called, or ROW_NONE if it is outside of all steps.
uint32_t memory_iteration(const struct profile *profile, const struct split *split, uint32_t event);

// Values of selection.memory are made of a group (or MEMORY_ALL_ON_GPU) and a part of its events:
enum memory_part {
    MEMORY_ANY,
    MEMORY_CALLED,           // the allocating call is in the file
    MEMORY_CALL_UNKNOWN,     // the allocation is in the file, but not its call
    MEMORY_ALLOCATED_BEFORE, // only the free is in the file
    MEMORY_PARTS
};
static inline uint32_t memory_choice(uint32_t group, enum memory_part part)
{
    return group * MEMORY_PARTS + (uint32_t)part;
}
enum memory_part memory_part_of(const struct profile *profile, uint32_t event);
const char *memory_choice_text(uint32_t choice, struct arena *arena);

// True if an event is selected, ignoring its time; selection_has_memory() also tests its step.
bool selection_has_memory_of(const struct profile *profile, const struct selection *selection,
                             uint32_t event);
bool selection_has_memory(const struct profile *profile, const struct selection *selection,
                          uint32_t event);
const char *memory_empty_text(const struct profile *profile); // why there are no rows

// Sums over the events of a report row in the selected steps, in bytes.
struct memory_use {
    uint32_t allocations, frees;
    int64_t allocated, freed; // UNKNOWN sizes add nothing
    int64_t largest;          // UNKNOWN: no size is known
    uint32_t largest_event;   // ROW_NONE: none
    int64_t live;             // at the end of the last selected step
    int64_t peak;             // maximum of live bytes in any selected step
    int64_t peak_ns;          // when the peak is reached; UNKNOWN: there is never live memory
    uint32_t peak_event;      // the last event at or before the peak; ROW_NONE
};

// Returns `count` sums. row_of[event] is the row of an event, ROW_NONE for none. A free whose
// allocation is not in the file does not reduce live memory.
struct memory_use *memory_use_sums(const struct profile *profile, const struct selection *selection,
                                   const uint32_t *row_of, size_t count, struct arena *arena);

#endif
