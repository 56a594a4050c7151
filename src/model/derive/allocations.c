// SPDX-License-Identifier: Apache-2.0
// Finds for each allocation of the framework the enclosing range and the row that frees it.
#include "base/scratch.h"
#include "base/tuples.h"
#include "model/derive/derive.h"

// ---- enclosing range ---------------------------------------------------------------------------

// A position in the ranges of one thread, which moves forward in time.
struct range_cursor {
    uint32_t next, end;
    uint32_t last; // innermost range that began; ROW_NONE
};

// Returns the innermost range that contains `time`. The end of a range is not part of it.
static uint32_t range_at(const struct ranges *ranges, struct range_cursor *cursor, int64_t time)
{
    for (; cursor->next < cursor->end && AT(ranges->start, cursor->next) <= time; cursor->next++)
        if (!range_is_cross_thread(ranges, cursor->next))
            cursor->last = cursor->next;
    // A range that has ended contains no later allocation, either.
    while (cursor->last != ROW_NONE && AT(ranges->end, cursor->last) <= time)
        cursor->last = AT(ranges->parent, cursor->last);
    return cursor->last;
}

static void find_ranges(struct profile *profile, struct arena *scratch)
{
    struct allocations *allocations = &profile->allocations;
    struct range_cursor *cursors =
        ARENA_ARRAY(scratch, struct range_cursor, (size_t)profile->thread_count + 1);
    uint32_t *range = ARENA_ARRAY(scratch, uint32_t, (size_t)allocations->count + 1);
    for (uint32_t t = 0; t < profile->thread_count; t++)
        cursors[t] = (struct range_cursor){profile->threads[t].first_range,
                                           profile->threads[t].end_range, ROW_NONE};
    for (uint32_t i = 0; i < allocations->count; i++)
        range[i] = range_at(&profile->ranges, &cursors[AT(allocations->thread, i)],
                            AT(allocations->time, i));
    allocations->range = profile_pack32(profile, range, allocations->count);
    ARENA_RELEASE(scratch, range, (size_t)allocations->count + 1);
}

// ---- matching free -----------------------------------------------------------------------------

static void pair_rows(struct profile *profile, struct arena *scratch)
{
    struct allocations *allocations = &profile->allocations;
    uint32_t count = allocations->count;
    struct tuples places; // (process, address): addresses are unique over all devices of a process
    tuples_open(&places, scratch, 2);
    uint32_t *live = ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1); // by place: row + 1
    uint32_t *other = ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        int64_t address = HAS(allocations->address) ? AT(allocations->address, i) : 0;
        other[i] = ROW_NONE;
        if (address == 0)
            continue;
        uint32_t process = profile->threads[AT(allocations->thread, i)].process;
        uint32_t place = tuples_put(&places, (int64_t[2]){process, address});
        bool is_free = allocation_bytes(allocations, i) <= 0;
        if (is_free && live[place]) {
            other[i] = live[place] - 1;
            other[other[i]] = i;
        }
        live[place] = is_free ? 0 : i + 1;
    }
    allocations->other = profile_pack32(profile, other, count);
}

static void link_body(void *context, struct arena *scratch)
{
    struct profile *profile = context;
    find_ranges(profile, scratch);
    pair_rows(profile, scratch);
}

void profile_link_allocations(struct profile *profile)
{
    if (profile->allocations.count)
        scratch_run(profile->arena, link_body, profile);
}
