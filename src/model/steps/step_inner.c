// SPDX-License-Identifier: Apache-2.0
// Finds micro-steps inside the steps that a program marks: the forward and backward passes over
// which gradients accumulate before one step of the optimizer.
#include "base/search.h"
#include "base/sort.h"
#include "model/steps/step_plan.h"

enum { MAX_TIMES = 1024 }; // in one step

struct inner_windows { // the windows of a process that are not empty
    int64_t *start, *stop;
    uint32_t count;
};

// The starts of the ranges of one family in one process.
struct inner_starts {
    const int64_t *time;
    uint32_t *first; // index of the first start in each window [count + 1]
};

static struct inner_starts starts_of(const struct step_families *families,
                                     const struct step_part *part,
                                     const struct inner_windows *windows, struct arena *scratch)
{
    int64_t *time = ARENA_ARRAY(scratch, int64_t, (size_t)part->count + 1);
    uint32_t *first = ARENA_ARRAY(scratch, uint32_t, (size_t)windows->count + 1);
    for (uint32_t i = 0; i < part->count; i++)
        time[i] = AT(families->profile->ranges.start, families->rows[part->first + i]);
    for (uint32_t w = 0; w < windows->count; w++)
        first[w] = search_from(time, 0, part->count, windows->start[w]);
    first[windows->count] = part->count;
    return (struct inner_starts){time, first};
}

static uint32_t times_in(const struct inner_starts *starts, const struct inner_windows *windows,
                         uint32_t w)
{
    uint32_t first = starts->first[w], end = starts->first[windows->count];
    return search_from(starts->time, first, end, windows->stop[w]) - first;
}

// Returns the number of ranges per window if nearly all windows have the same; else 0.
static uint32_t usual_times(const struct inner_starts *starts, const struct inner_windows *windows,
                            struct arena *scratch)
{
    int64_t *times = ARENA_ARRAY(scratch, int64_t, windows->count);
    uint32_t count = windows->count, alike = 0;
    for (uint32_t w = 0; w < count; w++)
        times[w] = times_in(starts, windows, w);
    sort_values(times, count);
    int64_t usual = times[count / 2];
    for (uint32_t w = 0; w < count; w++)
        alike += times[w] == usual;
    return alike * 10 >= count * 9 && usual <= MAX_TIMES ? (uint32_t)usual : 0;
}

// Returns whether in nearly all windows each range of `a` is followed by one of `b` before the next
// one of `a`.
static bool do_alternate(const struct inner_starts *a, const struct inner_starts *b,
                         const struct inner_windows *windows, uint32_t times)
{
    uint32_t alternating_windows = 0;
    for (uint32_t w = 0; w < windows->count; w++) {
        if (times_in(a, windows, w) != times || times_in(b, windows, w) != times)
            continue;
        const int64_t *x = a->time + a->first[w], *y = b->time + b->first[w];
        bool is_alternating = true;
        for (uint32_t i = 0; i < times; i++)
            is_alternating &= x[i] <= y[i] && (i + 1 == times || y[i] <= x[i + 1]);
        alternating_windows += is_alternating;
    }
    return alternating_windows * 10 >= windows->count * 9;
}

static struct inner_windows without_empty(const int64_t *start, const int64_t *stop, uint32_t count,
                                          struct arena *scratch)
{
    struct inner_windows windows = {ARENA_ARRAY(scratch, int64_t, count),
                                    ARENA_ARRAY(scratch, int64_t, count), 0};
    for (uint32_t w = 0; w < count; w++)
        if (start[w] < stop[w]) {
            windows.start[windows.count] = start[w];
            windows.stop[windows.count++] = stop[w];
        }
    return windows;
}

// Families with fewer ranges than windows are skipped: they have no micro-steps, and the cost would
// be the number of families times the number of windows.
uint32_t step_inner_find(const struct step_families *families, uint32_t process,
                         const int64_t *start, const int64_t *stop, uint32_t count,
                         const char **text, struct arena *scratch)
{
    enum { MAX_FORWARDS = 8 };
    struct inner_windows windows = without_empty(start, stop, count, scratch);
    struct inner_starts forward[MAX_FORWARDS], starts;
    uint32_t forward_times[MAX_FORWARDS], forwards = 0;
    const char *forward_text[MAX_FORWARDS];
    // Forwards precede backwards, since a backward is compared with the forwards found before.
    static const enum step_role roles[] = {ROLE_MICRO, ROLE_FORWARD, ROLE_BACKWARD};
    for (size_t r = 0; windows.count && r < sizeof roles / sizeof *roles; r++)
        for (size_t p = 0; p < families->part_count; p++) {
            const struct step_part *part = &families->parts[p];
            const struct step_family *family = &families->items[part->family];
            if (part->process != process || family->role != roles[r] || family->is_place ||
                family->is_steps || part->count < windows.count)
                continue;
            starts = starts_of(families, part, &windows, scratch);
            uint32_t times = usual_times(&starts, &windows, scratch);
            *text = family->text;
            if (times > 1 && roles[r] == ROLE_MICRO)
                return times;
            if (times > 1 && roles[r] == ROLE_FORWARD && forwards < MAX_FORWARDS) {
                forward_text[forwards] = family->text;
                forward_times[forwards] = times;
                forward[forwards++] = starts;
            }
            for (uint32_t f = 0; times > 1 && roles[r] == ROLE_BACKWARD && f < forwards; f++) {
                *text = forward_text[f];
                if (forward_times[f] == times &&
                    do_alternate(&forward[f], &starts, &windows, times))
                    return times;
            }
        }
    return 0;
}
