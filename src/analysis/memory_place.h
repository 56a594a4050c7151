// SPDX-License-Identifier: Apache-2.0
// What reports of allocations share: columns of what is allocated and live, and where on the axis of
// time an allocation is.
#ifndef ANALYSIS_MEMORY_PLACE_H
#define ANALYSIS_MEMORY_PLACE_H

#include "analysis/memory_use.h"
#include "analysis/place.h"
#include "analysis/stats.h"

enum memory_side { MEMORY_AT_CALL, MEMORY_AT_LEVEL }; // which is shown where both are there
// False: neither is, or there is no event (ROW_NONE).
bool memory_place(const struct profile *profile, uint32_t event, enum memory_side side,
                  struct place *place);

// get_allocated(), get_freed() ... of a row with a struct memory_use.
#define MEMORY_USE_GETTERS(type, member)                                      \
    static struct value get_allocated(const void *row)                        \
    {                                                                         \
        return value_integer(((const struct type *)row)->member.allocated);   \
    }                                                                         \
    static struct value get_allocations(const void *row)                      \
    {                                                                         \
        return value_integer(((const struct type *)row)->member.allocations); \
    }                                                                         \
    static struct value get_freed(const void *row)                            \
    {                                                                         \
        return value_integer(((const struct type *)row)->member.freed);       \
    }                                                                         \
    static struct value get_frees(const void *row)                            \
    {                                                                         \
        return value_integer(((const struct type *)row)->member.frees);       \
    }                                                                         \
    static struct value get_live(const void *row)                             \
    {                                                                         \
        return value_integer(((const struct type *)row)->member.live);        \
    }                                                                         \
    static struct value get_peak(const void *row)                             \
    {                                                                         \
        return value_integer(((const struct type *)row)->member.peak);        \
    }                                                                         \
    static struct value get_peak_at(const void *row)                          \
    {                                                                         \
        return value_integer(((const struct type *)row)->member.peak_ns);     \
    }                                                                         \
    static struct value get_largest(const void *row)                          \
    {                                                                         \
        const struct memory_use *use = &((const struct type *)row)->member;   \
        return use->allocations ? value_integer(use->largest) : value_none(); \
    }

#endif
