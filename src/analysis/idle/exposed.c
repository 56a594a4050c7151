// SPDX-License-Identifier: Apache-2.0
// Exposed communication: time in which a GPU communicates but does not compute. For each GPU there
// is a cover of five parts; at each instant the first part with an interval counts.
//   PART_COMPUTE   compute kernels; their time is not measured, it only hides the other parts
//   PART_TRANSFER  a collective, since its last member started
//   PART_UNSPLIT   a collective of which it is not known when its last member started
//   PART_PAIR      point-to-point communication
//   PART_WAIT      a collective, before its last member starts
#include "analysis/idle/exposed.h"

#include "analysis/breakdown/gpu_windows.h"
#include "analysis/idle/collectives.h"
#include "analysis/report/memo.h"
#include "base/scratch.h"
#include "base/sort.h"

enum { PART_COMPUTE, PART_TRANSFER, PART_UNSPLIT, PART_PAIR, PART_WAIT, PARTS };

// ---- covers per device -------------------------------------------------------------------------

struct exposed_covers { // [device]
    struct cover *covers;
    bool *is_separable;
};

struct part_intervals {
    size_t count;
    int64_t *start, *end;
};

static void interval_add(struct part_intervals *intervals, int part, int64_t start, int64_t end)
{
    intervals[part].start[intervals[part].count] = start;
    intervals[part].end[intervals[part].count++] = end;
}

// Sorts intervals by start. (Transfers may be out of order, since they begin later than their
// work.)
static void intervals_sort(struct part_intervals *list, struct arena *scratch)
{
    const uint32_t *order = sort_by_time(scratch, list->start, NULL, list->count);
    struct part_intervals sorted = {list->count, ARENA_ARRAY(scratch, int64_t, list->count + 1),
                                    ARENA_ARRAY(scratch, int64_t, list->count + 1)};
    for (size_t i = 0; i < list->count; i++) {
        sorted.start[i] = list->start[order[i]];
        sorted.end[i] = list->end[order[i]];
    }
    *list = sorted;
}

struct exposed_build {
    struct exposed_covers *all_covers;
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena;
    const struct collectives *collectives;
};

static bool device_communicates(const struct exposed_build *build, const struct device *device)
{
    for (uint32_t w = device->first_work; w < device->end_work; w++)
        if (work_is_communication(build->profile, w))
            return true;
    return false;
}

// Makes the cover of a GPU from its work and the collectives.
static struct cover make_cover(const struct exposed_build *build, const struct device *device,
                               struct arena *scratch)
{
    const struct profile *profile = build->profile;
    const struct collectives *collectives = build->collectives;
    const struct gpu_work *work = &profile->work;
    struct part_intervals intervals[PARTS];
    struct cover_source sources[PARTS];
    uint32_t end = device_communicates(build, device) ? device->end_work : device->first_work;
    size_t capacity = (size_t)(end - device->first_work) + 1;
    for (int p = 0; p < PARTS; p++)
        intervals[p] = (struct part_intervals){0, ARENA_ARRAY(scratch, int64_t, capacity),
                                               ARENA_ARRAY(scratch, int64_t, capacity)};
    for (uint32_t w = device->first_work; w < end; w++) {
        enum work_class class = profile->functions[AT(work->function, w)].class;
        if (!work_in_scope(profile, build->selection, w))
            continue;
        if (class == CLASS_COMPUTE) {
            interval_add(intervals, PART_COMPUTE, AT(work->start, w), AT(work->end, w));
        } else if (class == CLASS_COMM) {
            uint32_t row = AT(collectives->of_work, w);
            const struct collective *collective = row == ROW_NONE ? NULL : &collectives->items[row];
            bool is_known = collective && collective->agrees;
            if (is_known) {
                int64_t transfer_start =
                    collective_arrival(collective->latest_start, collective->shortest_ns,
                                       collective->by_durations, AT(work->end, w));
                interval_add(intervals, PART_WAIT, AT(work->start, w), transfer_start);
                interval_add(intervals, PART_TRANSFER, transfer_start, AT(work->end, w));
            } else {
                interval_add(intervals, work_is_collective(profile, w) ? PART_UNSPLIT : PART_PAIR,
                             AT(work->start, w), AT(work->end, w));
            }
        }
    }
    intervals_sort(&intervals[PART_TRANSFER], scratch);
    for (int p = 0; p < PARTS; p++)
        sources[p] =
            cover_source_of(intervals[p].start, intervals[p].end, intervals[p].count, scratch);
    sources[PART_COMPUTE].is_silent = true;
    struct cover cover = cover_build(sources, PARTS, scratch);
    return cover_copy(&cover, build->arena);
}

static void build_covers(void *context, struct arena *scratch)
{
    struct exposed_build *build = context;
    const struct profile *profile = build->profile;
    build->collectives = collectives_of(profile, build->selection, scratch);
    for (uint32_t d = 0; d < profile->device_count; d++) {
        const struct device *device = &profile->devices[d];
        build->all_covers->covers[d] = make_cover(build, device, scratch);
        for (uint32_t w = device->first_work; w < device->end_work; w++)
            build->all_covers->is_separable[d] |= AT(build->collectives->of_work, w) != ROW_NONE;
    }
}

static void *make_exposed_covers(const struct profile *profile, const struct selection *selection,
                                 struct arena *arena)
{
    struct exposed_covers *all_covers = ARENA_NEW(arena, struct exposed_covers);
    all_covers->covers = ARENA_ARRAY(arena, struct cover, (size_t)profile->device_count + 1);
    all_covers->is_separable = ARENA_ARRAY(arena, bool, (size_t)profile->device_count + 1);
    struct exposed_build build = {all_covers, profile, selection, arena, NULL};
    scratch_run(arena, build_covers, &build);
    return all_covers;
}

// ---- sums -----------------------------------------------------------------------------------

struct exposed_sums {
    const struct cover *cover;
    struct exposed *sum;
};

static void add_window(void *context, uint32_t iteration, struct window window)
{
    const struct exposed_sums *sums = context;
    int64_t ns[PARTS] = {0};
    (void)iteration;
    cover_add(sums->cover, window.from, window.to, ns);
    sums->sum->transfer_ns += ns[PART_TRANSFER];
    sums->sum->unsplit_ns += ns[PART_UNSPLIT];
    sums->sum->point_to_point_ns += ns[PART_PAIR];
    sums->sum->wait_ns += ns[PART_WAIT];
    for (int p = PART_TRANSFER; p < PARTS; p++)
        sums->sum->ns += ns[p];
}

const struct exposed_covers *exposed_covers_of(const struct profile *profile,
                                               const struct selection *selection,
                                               struct arena *arena)
{
    static const struct memo_kind kind = {.fields = MEMO_PROCESS, .make = make_exposed_covers};
    return memo_require(&kind, profile, selection, arena);
}

int64_t exposed_wait_ns(const struct exposed_covers *exposed, uint32_t device, int64_t from,
                        int64_t to)
{
    int64_t ns[PARTS] = {0};
    cover_add(&exposed->covers[device], from, to, ns);
    return ns[PART_WAIT];
}

struct exposed *exposed_devices(const struct profile *profile, const struct selection *selection,
                                struct arena *arena)
{
    const struct exposed_covers *all_covers = exposed_covers_of(profile, selection, arena);
    struct exposed *devices = ARENA_ARRAY(arena, struct exposed, (size_t)profile->device_count + 1);
    for (uint32_t d = 0; d < profile->device_count; d++) {
        devices[d].is_separable = all_covers->is_separable[d];
        if (gpu_counts(profile, selection, d))
            gpu_windows(profile, selection, d, add_window,
                        &(struct exposed_sums){&all_covers->covers[d], &devices[d]});
    }
    return devices;
}

struct exposed exposed_sum(const struct profile *profile, const struct exposed *devices)
{
    struct exposed sum = {0};
    for (uint32_t d = 0; d < profile->device_count; d++) {
        sum.ns += devices[d].ns;
        sum.wait_ns += devices[d].wait_ns;
        sum.transfer_ns += devices[d].transfer_ns;
        sum.point_to_point_ns += devices[d].point_to_point_ns;
        sum.unsplit_ns += devices[d].unsplit_ns;
        sum.is_separable |= devices[d].is_separable;
    }
    return sum;
}
