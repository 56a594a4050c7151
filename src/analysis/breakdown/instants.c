// SPDX-License-Identifier: Apache-2.0
// Sweep over the work of a window, see instants.h.
#include "analysis/breakdown/instants.h"

#include "base/search.h"

// Rows of one category, in order of start; all rows before `next` have ended.
struct category_queue {
    uint32_t *rows;
    size_t count, next, capacity;
};

struct instant_sweep {
    const struct gpu_work *work;
    struct category_queue queues[GPU_IDLE];
};

// Returns the work that the instant `now` counts for (its owner), or ROW_NONE if the GPU is idle.
// Lowers *until to the time at which that may change: when the owner ends or work of a higher
// category begins; if idle, when any work begins.
static uint32_t owner_at(struct instant_sweep *sweep, int64_t now, int64_t *until)
{
    for (size_t c = 0; c < GPU_IDLE; c++) {
        struct category_queue *queue = &sweep->queues[c];
        while (queue->next < queue->count && AT(sweep->work->end, queue->rows[queue->next]) <= now)
            queue->next++;
        if (queue->next == queue->count)
            continue;
        uint32_t row = queue->rows[queue->next];
        if (AT(sweep->work->start, row) > now) {
            *until = AT(sweep->work->start, row) < *until ? AT(sweep->work->start, row) : *until;
            continue;
        }
        *until = AT(sweep->work->end, row) < *until ? AT(sweep->work->end, row) : *until;
        return row;
    }
    return ROW_NONE;
}

void instants_visit(const struct profile *profile, const struct selection *selection,
                    uint32_t device, struct window window, const struct instants_visitor *visitor,
                    struct arena *scratch)
{
    const struct gpu_work *work = &profile->work;
    const struct device *d = &profile->devices[device];
    struct instant_sweep sweep = {.work = work};
    // Work that starts before `first_start` ends before the window.
    int64_t longest = HAS(work->exclusive) ? d->longest_ns : INT64_MAX, first_start;
    if (__builtin_sub_overflow(window.from, longest, &first_start))
        first_start = INT64_MIN;
    for (uint32_t w = column_from(work->start, d->first_work, d->end_work, first_start);
         w < d->end_work && AT(work->start, w) < window.to; w++) {
        if (AT(work->end, w) <= window.from || !work_in_scope(profile, selection, w))
            continue;
        struct category_queue *queue =
            &sweep.queues[gpu_category(&profile->functions[AT(work->function, w)])];
        ARENA_PUSH(scratch, queue->rows, queue->count, queue->capacity) = w;
    }
    for (int64_t now = window.from; now < window.to;) {
        int64_t until = window.to;
        uint32_t owner = owner_at(&sweep, now, &until);
        visitor->visit(visitor->context, now, until, owner);
        now = until;
    }
}
