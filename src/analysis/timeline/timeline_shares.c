// SPDX-License-Identifier: Apache-2.0
// Lanes of GPU use. Each nanosecond of an item counts with the weight of the item, in millionths.
// So sums are integrals over time, and the mean of a cell is the difference of two sums divided by
// its width.
#include <assert.h>

#include "analysis/breakdown/blocks.h"
#include "analysis/report/partial_sums.h"
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

// ---- utilisation ----------------------------------------------------------------------------

// Kernels, and graphs that are traced as a whole, directly from profile.work.
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

// ---- SM efficiency --------------------------------------------------------------------------

struct weighted_kernels { // kernels with a known number of blocks per multiprocessor
    uint32_t *rows, count;
    uint32_t *weights; // [launch shape]; 0: unknown
    bool overlaps;
};

static struct weighted_kernels find_known_kernels(const struct profile *profile, uint32_t d,
                                                  struct arena *arena, struct arena *scratch)
{
    const struct device *device = &profile->devices[d];
    struct weighted_kernels known = {
        .rows = ARENA_ARRAY(scratch, uint32_t, device->end_work - device->first_work + 1),
        .weights = ARENA_ARRAY(arena, uint32_t, (size_t)profile->shape_count + 1)};
    int64_t latest_end = INT64_MIN;
    for (uint32_t i = 0; i < profile->shape_count; i++) {
        int64_t blocks = launch_blocks_per_sm(profile, device, &profile->shapes[i]);
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
        known.overlaps |= start < latest_end;
        latest_end = end > latest_end ? end : latest_end;
    }
    return known;
}

struct share_columns { // columns being written
    struct column_writer *start, *end, *weight;
    int64_t from, to; // the last interval, which may be extended
    uint32_t micro, count;
};

static void columns_flush(struct share_columns *columns)
{
    if (columns->to <= columns->from)
        return;
    column64_put(columns->start, columns->from);
    column64_put(columns->end, columns->to);
    column32_put(columns->weight, columns->micro);
    columns->count++;
}

static void columns_add(void *context, int64_t from, int64_t to, uint32_t micro)
{
    struct share_columns *columns = context;
    if (to <= from)
        return;
    if (columns->to != from || columns->micro != micro) {
        columns_flush(columns);
        columns->from = from;
        columns->micro = micro;
    }
    columns->to = to;
}

// Fills the lane with the sum of overlapping kernels.
static void fill_overlapping(const struct profile *profile, const struct weighted_kernels *known,
                             struct lane *lane, struct arena *arena, struct arena *scratch)
{
    struct running_kernels running = {ARENA_ARRAY(scratch, int64_t, known->count),
                                      ARENA_ARRAY(scratch, int64_t, known->count),
                                      ARENA_ARRAY(scratch, int64_t, known->count), known->count};
    const struct device *device = &profile->devices[lane->device];
    for (uint32_t i = 0; i < known->count; i++) {
        running.start[i] = AT(profile->work.start, known->rows[i]);
        running.end[i] = AT(profile->work.end, known->rows[i]);
        running.micro_blocks[i] =
            launch_blocks_per_sm(profile, device, work_launch_shape(profile, known->rows[i]));
    }
    struct share_columns columns = {.start = column_begin(scratch),
                                    .end = column_begin(scratch),
                                    .weight = column_begin(scratch)};
    blocks_sweep(&running, scratch, columns_add, &columns);
    columns_flush(&columns);
    lane->count = columns.count;
    lane->start = column64_end(columns.start, arena);
    lane->end = column64_end(columns.end, arena);
    lane->weight = column32_end(columns.weight, arena);
}

bool efficiency_lane_fill(const struct profile *profile, struct lane *lane, struct arena *arena,
                          struct arena *scratch)
{
    struct weighted_kernels known = find_known_kernels(profile, lane->device, arena, scratch);
    if (known.count == 0)
        return false;
    if (known.overlaps) {
        fill_overlapping(profile, &known, lane, arena, scratch);
        return true;
    }
    lane_set_rows(lane, known.rows, known.count, arena, scratch);
    lane->start = profile->work.start;
    lane->end = profile->work.end;
    lane->weight = profile->work.shape;
    lane->weights = known.weights;
    return true;
}
