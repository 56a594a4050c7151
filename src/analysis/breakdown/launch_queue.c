// SPDX-License-Identifier: Apache-2.0
// Lengths of launch queues over time, see launch_queue.h.
#include "analysis/breakdown/launch_queue.h"

#include "analysis/report/memo.h"
#include "base/scratch.h"
#include "base/sort.h"

bool work_is_launched(const struct profile *profile, uint32_t work)
{
    const struct gpu_work *all = &profile->work;
    return HAS(all->launch) && AT(all->launch, work) != ROW_NONE &&
           !(HAS(all->flags) && AT(all->flags, work) & WORK_IN_GRAPH);
}

// ---- all changes in order -----------------------------------------------------------------------

struct queue_order { // cached in the memo
    size_t count;
    uint32_t *changes; // work * 2, plus 1 if the work begins
};

struct queue_order_build {
    struct queue_order *order;
    const struct profile *profile;
    struct arena *arena;
};

static int64_t change_time(const struct profile *profile, uint32_t change)
{
    uint32_t work = change / 2;
    return change & 1 ? AT(profile->work.start, work)
                      : AT(profile->api.start, AT(profile->work.launch, work));
}

// Returns false for work that begins with its call (or, because clocks differ, before it): it never
// waits in a queue.
static bool waits_in_queue(const struct profile *profile, uint32_t work)
{
    return work_is_launched(profile, work) &&
           change_time(profile, work * 2) < change_time(profile, work * 2 + 1);
}

// Sorts the launches and beginnings of all queued work by time.
static void build_order(void *context, struct arena *scratch)
{
    struct queue_order_build *build = context;
    const struct profile *profile = build->profile;
    struct queue_order *order = build->order;
    size_t capacity = 2 * (size_t)profile->work.count + 1;
    uint32_t *changes = ARENA_ARRAY(scratch, uint32_t, capacity);
    int64_t *times = ARENA_ARRAY(scratch, int64_t, capacity);
    // At one instant, work that begins comes first.
    int64_t *tie_order = ARENA_ARRAY(scratch, int64_t, capacity);
    for (uint32_t w = 0; w < profile->work.count; w++)
        for (uint32_t change = w * 2; waits_in_queue(profile, w) && change < w * 2 + 2; change++) {
            changes[order->count] = change;
            tie_order[order->count] = !(change & 1);
            times[order->count++] = change_time(profile, change);
        }
    const uint32_t *sorted = sort_by_time(scratch, times, tie_order, order->count);
    order->changes = ARENA_ARRAY(build->arena, uint32_t, order->count + 1);
    for (size_t i = 0; i < order->count; i++)
        order->changes[i] = changes[sorted[i]];
}

static void *make_order(const struct profile *profile, const struct selection *selection,
                        struct arena *arena)
{
    struct queue_order_build build = {ARENA_NEW(arena, struct queue_order), profile, arena};
    (void)selection;
    scratch_run(arena, build_order, &build);
    return build.order;
}

// ---- visiting the changes -----------------------------------------------------------------------

void launch_queue_walk(const struct profile *profile, const struct selection *selection,
                       void (*add)(void *context, const struct queue_change *change), void *context,
                       struct arena *arena)
{
    static const struct memo_kind kind = {.fields = 0, .make = make_order};
    const struct queue_order *order = memo_require(&kind, profile, selection, arena);
    uint32_t *lengths = ARENA_ARRAY(arena, uint32_t, (size_t)profile->stream_count + 1);
    for (size_t i = 0; i < order->count; i++) {
        uint32_t work = order->changes[i] / 2;
        bool begins = order->changes[i] & 1;
        uint32_t *length = &lengths[AT(profile->work.stream, work)];
        *length = begins ? *length - 1 : *length + 1;
        struct queue_change change = {.time = change_time(profile, order->changes[i]),
                                      .work = work,
                                      .begins = begins,
                                      .is_selected = selection_has_work(profile, selection, work),
                                      .length = *length};
        add(context, &change);
    }
}
