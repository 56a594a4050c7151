// SPDX-License-Identifier: Apache-2.0
// Merges the ranges of all threads by a heap of threads, ordered by the start of their next range.
#include "model/profile/range_walk.h"

static bool is_before(const struct range_walk *walk, size_t a, size_t b)
{
    const struct range_run *x = &walk->runs[a], *y = &walk->runs[b];
    return x->start != y->start ? x->start < y->start : x->next < y->next;
}

static void sift_down(struct range_walk *walk, size_t at)
{
    for (;;) {
        size_t first = at, child = 2 * at + 1;
        for (size_t i = child; i < child + 2 && i < walk->count; i++)
            if (is_before(walk, i, first))
                first = i;
        if (first == at)
            return;
        struct range_run run = walk->runs[at];
        walk->runs[at] = walk->runs[first];
        walk->runs[first] = run;
        at = first;
    }
}

// Moves to the next wanted range of a run. Returns false if there is none.
static bool run_seek(const struct range_walk *walk, struct range_run *run)
{
    const struct ranges *ranges = walk->ranges;
    while (walk->wanted && run->next < run->end && !walk->wanted[AT(ranges->label, run->next)])
        run->next++;
    if (run->next == run->end)
        return false;
    run->start = AT(ranges->start, run->next);
    return true;
}

void range_walk_open(struct range_walk *walk, const struct profile *profile, uint32_t part,
                     uint32_t parts, const uint8_t *wanted, struct arena *arena)
{
    *walk = (struct range_walk){
        .ranges = &profile->ranges,
        .wanted = wanted,
        .runs = ARENA_ARRAY(arena, struct range_run, profile->thread_count),
    };
    for (uint32_t i = 0; i < profile->thread_count; i++) {
        const struct thread *thread = &profile->threads[i];
        struct range_run run = {thread->first_range, thread->end_range, 0};
        if (thread->process % parts == part && run_seek(walk, &run))
            walk->runs[walk->count++] = run;
    }
    for (size_t i = walk->count / 2; i-- > 0;)
        sift_down(walk, i);
}

uint32_t range_walk_next(struct range_walk *walk)
{
    if (walk->count == 0)
        return ROW_NONE;
    struct range_run *first = walk->runs;
    uint32_t row = first->next++;
    if (!run_seek(walk, first))
        *first = walk->runs[--walk->count];
    sift_down(walk, 0);
    return row;
}
