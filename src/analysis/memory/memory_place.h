// SPDX-License-Identifier: Apache-2.0
// Shared by the reports of allocations: columns of struct memory_use, and the place of an
// allocation on the timeline.
#ifndef ANALYSIS_MEMORY_MEMORY_PLACE_H
#define ANALYSIS_MEMORY_MEMORY_PLACE_H

#include "analysis/memory/memory_use.h"
#include "analysis/report/row_place.h"
#include "analysis/report/stats.h"

// Which place of an event to prefer: its API call, or the curve of live memory of its GPU.
enum memory_side { MEMORY_AT_CALL, MEMORY_AT_LEVEL };
// Finds the place of an event on the timeline. Returns false if it has none, or is ROW_NONE.
bool memory_place(const struct profile *profile, uint32_t event, enum memory_side side,
                  struct row_place *place);

// Defines get_allocated(), get_freed() ... for a row with a struct memory_use.
#define MEMORY_USE_GETTERS(type, use)                     \
    MEMORY_USE_GETTER(allocated, type, use.allocated)     \
    MEMORY_USE_GETTER(allocations, type, use.allocations) \
    MEMORY_USE_GETTER(freed, type, use.freed)             \
    MEMORY_USE_GETTER(frees, type, use.frees)             \
    MEMORY_USE_GETTER(live, type, use.live)               \
    MEMORY_USE_GETTER(peak, type, use.peak)               \
    MEMORY_USE_GETTER(peak_at, type, use.peak_ns)         \
    MEMORY_USE_GETTER(largest, type, use.largest)
#define MEMORY_USE_GETTER(name, type, figure)                     \
    static struct value get_##name(const void *row)               \
    {                                                             \
        return value_integer(((const struct type *)row)->figure); \
    }

#endif
