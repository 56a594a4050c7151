// SPDX-License-Identifier: Apache-2.0
// The lanes of how well a GPU is used: an item counts for each of its nanoseconds what its weight is, so
// that sums of it are integrals, and a cell shows their difference by its width.
#include <assert.h>

#include "analysis/breakdown/blocks.h"
#include "analysis/report/cells.h"
#include "analysis/timeline/timeline_lanes.h"

static_assert((int)LANE_FULL == (int)MICRO, "a share is in the same millionths");

uint32_t lane_weight(const struct lane *lane, uint32_t item)
{
    if (!HAS(lane->weight))
        return lane->kind == LANE_UTILIZATION ? LANE_FULL : 1;
    uint32_t weight = AT(lane->weight, lane_row(lane, item));
    return lane->weights ? lane->weights[weight] : weight;
}

double lane_share(const struct timeline *timeline, const struct lane *lane, int64_t from,
                  int64_t to)
{
    int64_t sums[LANE_CATEGORIES] = {0};
    lane_add(timeline, lane, from, to, sums);
    return lane_mean(sums[0], from, to);
}

// ---- utilisation -------------------------------------------------------------------------------

// Kernels, and graphs that are traced as a whole, as they are in profile.work.
bool utilization_lane_fill(const struct profile *profile, struct lane *lane, struct arena *arena,
                           struct arena *scratch)
{
    const struct device *device = &profile->devices[lane->device];
    uint32_t *rows = ARENA_ARRAY(scratch, uint32_t, device->end_work - device->first_work + 1);
    uint32_t count = 0;
    for (uint32_t w = device->first_work; w < device->end_work; w++) {
        enum work_kind kind = profile->functions[AT(profile->work.function, w)].kind;
        if (kind == WORK_KERNEL || kind == WORK_GRAPH)
            rows[count++] = w;
    }
    lane_set_rows(lane, rows, count, arena, scratch);
    lane->start = profile->work.start;
    lane->end = profile->work.end;
    return count > 0;
}

// ---- SM efficiency -----------------------------------------------------------------------------

struct known { // kernels whose blocks for each multiprocessor are known
    uint32_t *rows, count;
    uint32_t *weights; // by launch shape; 0: none that are known
    bool overlaps;
};

static struct known known_kernels(const struct profile *profile, uint32_t d, struct arena *arena,
                                  struct arena *scratch)
{
    const struct device *device = &profile->devices[d];
    struct known known = {
        .rows = ARENA_ARRAY(scratch, uint32_t, device->end_work - device->first_work + 1),
        .weights = ARENA_ARRAY(arena, uint32_t, (size_t)profile->shape_count + 1)};
    int64_t latest = INT64_MIN;
    for (uint32_t i = 0; i < profile->shape_count; i++) {
        int64_t blocks = blocks_of(profile, device, &profile->shapes[i]);
        known.weights[i] = blocks == UNKNOWN || blocks < 0 ? 0
                           : blocks < LANE_FULL            ? (uint32_t)blocks
                                                           : LANE_FULL;
    }
    for (uint32_t w = device->first_work; w < device->end_work; w++) {
        const struct launch_shape *shape = work_launch_shape(profile, w);
        int64_t start = AT(profile->work.start, w), end = AT(profile->work.end, w);
        if (!shape || known.weights[shape - profile->shapes] == 0 || end <= start)
            continue;
        known.rows[known.count++] = w;
        known.overlaps |= start < latest;
        latest = end > latest ? end : latest;
    }
    return known;
}

struct stretches { // columns of them
    struct column_writer *start, *end, *weight;
    int64_t from, to; // the last one, which may go on
    uint32_t micro, count;
};

static void stretch_end(struct stretches *stretches)
{
    if (stretches->to <= stretches->from)
        return;
    column64_put(stretches->start, stretches->from);
    column64_put(stretches->end, stretches->to);
    column32_put(stretches->weight, stretches->micro);
    stretches->count++;
}

static void stretch_add(void *context, int64_t from, int64_t to, uint32_t micro)
{
    struct stretches *stretches = context;
    if (to <= from)
        return;
    if (stretches->to != from || stretches->micro != micro) {
        stretch_end(stretches);
        stretches->from = from;
        stretches->micro = micro;
    }
    stretches->to = to;
}

// Where kernels overlap: what they are together.
static void fill_swept(const struct profile *profile, const struct known *known, struct lane *lane,
                       struct arena *arena, struct arena *scratch)
{
    struct running running = {ARENA_ARRAY(scratch, int64_t, known->count),
                              ARENA_ARRAY(scratch, int64_t, known->count),
                              ARENA_ARRAY(scratch, int64_t, known->count), known->count};
    const struct device *device = &profile->devices[lane->device];
    for (uint32_t i = 0; i < known->count; i++) {
        running.start[i] = AT(profile->work.start, known->rows[i]);
        running.end[i] = AT(profile->work.end, known->rows[i]);
        running.micro_blocks[i] =
            blocks_of(profile, device, work_launch_shape(profile, known->rows[i]));
    }
    struct stretches stretches = {.start = column_begin(scratch),
                                  .end = column_begin(scratch),
                                  .weight = column_begin(scratch)};
    blocks_sweep(&running, scratch, stretch_add, &stretches);
    stretch_end(&stretches);
    lane->count = stretches.count;
    lane->start = column64_end(stretches.start, arena);
    lane->end = column64_end(stretches.end, arena);
    lane->weight = column32_end(stretches.weight, arena);
}

bool efficiency_lane_fill(const struct profile *profile, struct lane *lane, struct arena *arena,
                          struct arena *scratch)
{
    struct known known = known_kernels(profile, lane->device, arena, scratch);
    if (known.count == 0)
        return false;
    if (known.overlaps) {
        fill_swept(profile, &known, lane, arena, scratch);
        return true;
    }
    lane_set_rows(lane, known.rows, known.count, arena, scratch);
    lane->start = profile->work.start;
    lane->end = profile->work.end;
    lane->weight = profile->work.shape;
    lane->weights = known.weights;
    return true;
}
