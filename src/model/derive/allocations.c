// SPDX-License-Identifier: Apache-2.0
// What an allocation of the framework lies in, and which one takes it back.
#include "base/scratch.h"
#include "base/tuples.h"
#include "model/derive/derive.h"

// ---- the range around it -----------------------------------------------------------------------

struct walk { // of a thread: its ranges up to a time
    uint32_t next, end;
    uint32_t last; // that began, ROW_NONE
};

// Half open: who ends at the time has it no more.
static uint32_t range_at(const struct ranges *ranges, struct walk *walk, int64_t time)
{
    for (; walk->next < walk->end && AT(ranges->start, walk->next) <= time; walk->next++)
        if (!range_is_away(ranges, walk->next))
            walk->last = walk->next;
    // What has ended holds nothing that is still to come, either.
    while (walk->last != ROW_NONE && AT(ranges->end, walk->last) <= time)
        walk->last = AT(ranges->parent, walk->last);
    return walk->last;
}

static void find_ranges(struct profile *profile, struct arena *scratch)
{
    struct allocations *allocations = &profile->allocations;
    struct walk *walks = ARENA_ARRAY(scratch, struct walk, (size_t)profile->thread_count + 1);
    uint32_t *range = ARENA_ARRAY(scratch, uint32_t, (size_t)allocations->count + 1);
    for (uint32_t t = 0; t < profile->thread_count; t++)
        walks[t] =
            (struct walk){profile->threads[t].first_range, profile->threads[t].end_range, ROW_NONE};
    for (uint32_t i = 0; i < allocations->count; i++)
        range[i] = range_at(&profile->ranges, &walks[AT(allocations->thread, i)],
                            AT(allocations->time, i));
    allocations->range = profile_pack32(profile, range, allocations->count);
    ARENA_RELEASE(scratch, range, (size_t)allocations->count + 1);
}

// ---- what takes it back ------------------------------------------------------------------------

static void pair_rows(struct profile *profile, struct arena *scratch)
{
    struct allocations *allocations = &profile->allocations;
    uint32_t count = allocations->count;
    struct tuples places; // an address means one thing in a process, on whatever device
    tuples_open(&places, scratch, 2);
    uint32_t *live = ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1); // of a place: row + 1
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
