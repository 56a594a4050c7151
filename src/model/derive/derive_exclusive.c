// SPDX-License-Identifier: Apache-2.0
// Computes the exclusive time of GPU work: each busy instant of a device counts for one row. Of the
// rows that run at an instant it is the one with the lowest class and, within the class, the one
// that began first.
//
// A sweep over time keeps a queue of rows per class. In each step one row gets the time until it
// ends or a row with priority (of a lower class) begins.
#include "base/scratch.h"
#include "model/derive/derive.h"

// The rows of one device and class, by start. All rows before `next` are over.
struct class_queue {
    uint32_t *rows;
    uint32_t count, next;
    int64_t start, end; // of row `next`
    int64_t longest;    // longest duration so far
};

struct exclusive_sweep {
    const struct gpu_work *work;
    struct class_queue queues[CLASS_COUNT];
};

static void queue_read_next(struct class_queue *queue, const struct gpu_work *work)
{
    if (queue->next == queue->count)
        return;
    queue->start = AT(work->start, queue->rows[queue->next]);
    queue->end = AT(work->end, queue->rows[queue->next]);
    if (queue->end - queue->start > queue->longest)
        queue->longest = queue->end - queue->start;
}

static void skip_finished(struct exclusive_sweep *sweep, int64_t now)
{
    for (int class = 0; class < CLASS_COUNT; class ++) {
        struct class_queue *queue = &sweep->queues[class];
        while (queue->next < queue->count && queue->end <= now) {
            queue->next++;
            queue_read_next(queue, sweep->work);
        }
    }
}

// Performs one step: adds the time from *now to the end of the step to the first row of the lowest
// class that runs. Returns false when all queues are empty.
static bool sweep_step(struct exclusive_sweep *sweep, int64_t *now, int64_t *exclusive)
{
    skip_finished(sweep, *now);
    int64_t until = INT64_MAX; // next start of a class with priority, or of any class
    for (int class = 0; class < CLASS_COUNT; class ++) {
        const struct class_queue *queue = &sweep->queues[class];
        if (queue->next == queue->count)
            continue;
        if (queue->start > *now) {
            until = queue->start < until ? queue->start : until;
            continue;
        }
        until = queue->end < until ? queue->end : until;
        exclusive[queue->rows[queue->next]] += until - *now;
        *now = until;
        return true;
    }
    if (until == INT64_MAX)
        return false;
    *now = until;
    return true;
}

static void link_body(void *context, struct arena *scratch)
{
    struct profile *profile = context;
    struct gpu_work *work = &profile->work;
    uint32_t *rows = ARENA_ARRAY(scratch, uint32_t, work->count);
    int64_t *exclusive = ARENA_ARRAY(scratch, int64_t, work->count);
    for (uint32_t d = 0; d < profile->device_count; d++) {
        struct device *device = &profile->devices[d];
        struct exclusive_sweep sweep = {.work = work};
        uint32_t place = device->first_work;
        for (int class = 0; class < CLASS_COUNT; class ++) {
            struct class_queue *queue = &sweep.queues[class];
            queue->rows = rows + place;
            for (uint32_t row = device->first_work; row < device->end_work; row++)
                if (profile->functions[AT(work->function, row)].class == (enum work_class) class)
                    queue->rows[queue->count++] = row;
            place += queue->count;
            queue_read_next(queue, work);
        }
        int64_t now = INT64_MIN;
        while (sweep_step(&sweep, &now, exclusive))
            continue;
        device->longest_ns = 0;
        for (int class = 0; class < CLASS_COUNT; class ++)
            if (sweep.queues[class].longest > device->longest_ns)
                device->longest_ns = sweep.queues[class].longest;
    }
    work->exclusive = profile_pack64(profile, exclusive, work->count);
}

void profile_link_work(struct profile *profile)
{
    scratch_run(profile->arena, link_body, profile);
}
