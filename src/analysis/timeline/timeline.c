// SPDX-License-Identifier: Apache-2.0
// Builds the lanes: which exist, in which order, and the sums from which cells are computed.
#include "analysis/timeline/timeline.h"

#include <string.h>

#include "analysis/breakdown/breakdown_scheme.h"
#include "analysis/report/memo.h"
#include "analysis/report/partial_sums.h"
#include "analysis/timeline/timeline_lanes.h"
#include "base/scratch.h"

struct timeline_build {
    const struct profile *profile;
    struct timeline *timeline;
    struct arena *arena, *scratch;
    size_t capacity;             // of the lanes
    struct grouped_rows threads; // by process
    struct grouped_rows streams; // with work, by device, grouped by process
    struct grouped_rows work;    // by stream; in scratch
    uint32_t *device_streams;    // [device]: number of streams with work
    bool *has_device;            // [device]: its LANE_DEVICE exists
    bool *has_curves;            // [device]: the lanes of add_curves() exist
    struct memory_lanes memory, tensors;
};

static struct lane *lane_push(struct timeline_build *build, struct lane lane)
{
    struct timeline *timeline = build->timeline;
    struct lane *added =
        &ARENA_PUSH(build->arena, timeline->lanes, timeline->count, build->capacity);
    *added = lane;
    return added;
}

// ---- sums -----------------------------------------------------------------------------------

uint32_t lane_category(const struct timeline *timeline, const struct lane *lane, uint32_t item)
{
    const struct profile *profile = timeline->profile;
    static const uint8_t call_category[] = {
        [API_PLAIN] = CALL_OTHER, [API_KERNEL] = CALL_LAUNCH, [API_MEMCPY] = CALL_COPY,
        [API_MEMSET] = CALL_COPY, [API_SYNC] = CALL_SYNC,     [API_GRAPH] = CALL_LAUNCH,
    };
    uint32_t row = lane_row(lane, item);
    if (lane_is_work(lane))
        return timeline->function_category[AT(profile->work.function, row)];
    return lane->kind == LANE_CALLS ? call_category[profile->api.kind[row]] : 0;
}

static int64_t start_of(const void *lane, size_t item)
{
    return lane_start(lane, (uint32_t)item);
}

// True if items overlap, so that parts of them are not visible.
static bool lane_overlaps(const struct lane *lane)
{
    int64_t latest_end = INT64_MIN;
    for (uint32_t i = 0; i < lane->count; i++) {
        int64_t start = lane_start(lane, i), end = lane_end(lane, i);
        if (start < latest_end || end < start)
            return true;
        latest_end = end;
    }
    return false;
}

static void lane_find_lags(struct lane *lane, struct arena *arena, struct arena *scratch)
{
    if (!lane_overlaps(lane))
        return;
    struct column_writer *lags = column_begin(scratch);
    int64_t latest_end = INT64_MIN;
    for (uint32_t i = 0; i < lane->count; i++) {
        int64_t end = lane_end(lane, i);
        latest_end = latest_end > end ? latest_end : end;
        column64_put(lags, (int64_t)((uint64_t)latest_end - (uint64_t)end));
    }
    lane->lags = column64_end(lags, arena);
}

// Makes the sums before each block of a lane.
static void lane_sum(const struct timeline *timeline, struct lane *lane, struct arena *arena)
{
    int64_t running[LANE_CATEGORIES] = {0};
    size_t blocks = (size_t)lane->count / LANE_BLOCK + 1;
    lane->categories = lane_is_work(lane)         ? (uint32_t)LANE_CATEGORIES
                       : lane->kind == LANE_CALLS ? (uint32_t)CALL_CATEGORIES
                                                  : 1;
    lane->sums = ARENA_ARRAY(arena, int64_t, blocks * lane->categories);
    for (uint32_t i = 0; i <= lane->count; i++) {
        if (i % LANE_BLOCK == 0)
            memcpy(lane->sums + (size_t)i / LANE_BLOCK * lane->categories, running,
                   lane->categories * sizeof *running);
        if (i == lane->count)
            break;
        int64_t from = lane_visible_from(lane, i), to = lane_visible_to(lane, i);
        int64_t *sum = &running[lane_category(timeline, lane, i)];
        *sum = lane_sum_add(*sum, lane_weighted_ns(lane, i, from, to));
    }
}

// Uses the cover of breakdown_gpu, copied without the sweep's temporary memory.
static void lane_cover(const struct timeline_build *build, struct lane *lane)
{
    struct split everything = {0};
    struct selection selection = selection_all(&everything);
    struct cover made =
        breakdown_gpu_rules.cover(build->profile, &selection, lane->device, NULL, build->scratch);
    lane->cover = cover_copy(&made, build->arena);
}

void lane_set_rows(struct lane *lane, const uint32_t *rows, uint32_t count, struct arena *arena,
                   struct arena *scratch)
{
    lane->count = count;
    lane->first = count ? rows[0] : 0;
    // Ascending, so they are in succession.
    if (count == 0 || rows[count - 1] - rows[0] == count - 1)
        return;
    struct column_writer *writer = column_begin(scratch);
    for (uint32_t i = 0; i < count; i++)
        column32_put(writer, rows[i]);
    lane->rows = column32_end(writer, arena);
}

// ---- host -----------------------------------------------------------------------------------

// Finds the level of each range of a thread: deeper than its parent and than ranges that it
// overlaps.
static void find_levels(const struct ranges *ranges, const struct thread *thread, uint8_t *levels,
                        uint32_t *counts)
{
    int64_t ends[LANE_LEVELS];
    for (int level = 0; level < LANE_LEVELS; level++)
        ends[level] = INT64_MIN;
    for (uint32_t r = thread->first_range; r < thread->end_range; r++) {
        uint32_t parent = HAS(ranges->parent) ? AT(ranges->parent, r) : ROW_NONE, level = 0;
        int64_t start = AT(ranges->start, r), end = AT(ranges->end, r);
        if (parent >= thread->first_range && parent < r)
            level = levels[parent - thread->first_range] + 1u;
        while (level + 1 < LANE_LEVELS && ends[level] > start)
            level++;
        level = level < LANE_LEVELS ? level : LANE_LEVELS - 1;
        ends[level] = end > ends[level] ? end : ends[level];
        levels[r - thread->first_range] = (uint8_t)level;
        counts[level]++;
    }
}

static void add_ranges(struct timeline_build *build, uint32_t t)
{
    const struct profile *profile = build->profile;
    const struct thread *thread = &profile->threads[t];
    uint32_t count = thread->end_range - thread->first_range, counts[LANE_LEVELS] = {0};
    uint8_t *levels = ARENA_ARRAY(build->scratch, uint8_t, (size_t)count + 1);
    struct column_writer *rows[LANE_LEVELS];
    find_levels(&profile->ranges, thread, levels, counts);
    for (uint32_t level = 0; level < LANE_LEVELS && counts[level] > 0; level++)
        rows[level] = column_begin(build->scratch);
    for (uint32_t i = 0; i < count; i++)
        column32_put(rows[levels[i]], thread->first_range + i);
    for (uint32_t level = 0; level < LANE_LEVELS && counts[level] > 0; level++)
        lane_push(build, (struct lane){.kind = LANE_RANGES,
                                       .process = thread->process,
                                       .thread = t,
                                       .device = ROW_NONE,
                                       .stream = ROW_NONE,
                                       .level = level,
                                       .count = counts[level],
                                       .rows = column32_end(rows[level], build->arena),
                                       .start = profile->ranges.start,
                                       .end = profile->ranges.end});
}

static void add_thread(struct timeline_build *build, uint32_t t)
{
    const struct profile *profile = build->profile;
    const struct thread *thread = &profile->threads[t];
    if (thread->end_range > thread->first_range)
        add_ranges(build, t);
    if (thread->end_api > thread->first_api)
        lane_push(build, (struct lane){.kind = LANE_CALLS,
                                       .process = thread->process,
                                       .thread = t,
                                       .device = ROW_NONE,
                                       .stream = ROW_NONE,
                                       .count = thread->end_api - thread->first_api,
                                       .first = thread->first_api,
                                       .start = profile->api.start,
                                       .end = profile->api.end});
}

// ---- GPUs -----------------------------------------------------------------------------------

static void add_device(struct timeline_build *build, uint32_t process, uint32_t d)
{
    const struct profile *profile = build->profile;
    const struct device *device = &profile->devices[d];
    lane_push(build, (struct lane){.kind = LANE_GPU,
                                   .process = process,
                                   .thread = ROW_NONE,
                                   .device = d,
                                   .stream = ROW_NONE});
    if (build->has_device[d] || build->device_streams[d] < 2)
        return;
    build->has_device[d] = true;
    lane_push(build, (struct lane){.kind = LANE_DEVICE,
                                   .process = process,
                                   .thread = ROW_NONE,
                                   .device = d,
                                   .stream = ROW_NONE,
                                   .count = device->end_work - device->first_work,
                                   .first = device->first_work,
                                   .start = profile->work.start,
                                   .end = profile->work.end});
}

// Adds the lanes for the GPU as a whole, below the streams of the first process that uses it.
static void add_curves(struct timeline_build *build, uint32_t process, uint32_t device)
{
    struct lane lane = {.kind = LANE_UTILIZATION,
                        .process = process,
                        .thread = ROW_NONE,
                        .device = device,
                        .stream = ROW_NONE};
    if (device == ROW_NONE || build->has_curves[device])
        return;
    build->has_curves[device] = true;
    struct lane efficiency = lane, memory = lane, tensors = lane;
    efficiency.kind = LANE_EFFICIENCY;
    memory.kind = LANE_MEMORY;
    tensors.kind = LANE_TENSORS;
    if (memory_lane_fill(&build->memory, device, &memory, build->arena, build->scratch))
        lane_push(build, memory);
    if (memory_lane_fill(&build->tensors, device, &tensors, build->arena, build->scratch))
        lane_push(build, tensors);
    if (utilization_lane_fill(build->profile, &lane, build->arena, build->scratch))
        lane_push(build, lane);
    if (efficiency_lane_fill(build->profile, &efficiency, build->arena, build->scratch))
        lane_push(build, efficiency);
}

static void add_streams(struct timeline_build *build, uint32_t process)
{
    const struct profile *profile = build->profile;
    uint32_t device = ROW_NONE;
    const struct grouped_rows *streams = &build->streams, *work = &build->work;
    for (uint32_t i = streams->first[process]; i < streams->first[process + 1]; i++) {
        uint32_t stream = streams->rows[i], first = work->first[stream];
        if (profile->streams[stream].device != device) {
            add_curves(build, process, device);
            device = profile->streams[stream].device;
            add_device(build, process, device);
        }
        struct lane *lane = lane_push(build, (struct lane){.kind = LANE_STREAM,
                                                           .process = process,
                                                           .thread = ROW_NONE,
                                                           .device = device,
                                                           .stream = stream,
                                                           .start = profile->work.start,
                                                           .end = profile->work.end});
        lane_set_rows(lane, work->rows + first, work->first[stream + 1] - first, build->arena,
                      build->scratch);
    }
    add_curves(build, process, device);
}

// ---- lists ----------------------------------------------------------------------------------

// Lists the threads of each process, main thread first.
static void list_threads(struct timeline_build *build)
{
    const struct profile *profile = build->profile;
    uint32_t *process_of = ARENA_ARRAY(build->scratch, uint32_t, (size_t)profile->thread_count + 1);
    for (uint32_t t = 0; t < profile->thread_count; t++)
        process_of[t] = profile->threads[t].process;
    struct grouped_rows list = build->threads = grouped_rows_build(
        process_of, profile->thread_count, profile->process_count, build->scratch);
    for (uint32_t p = 0; p < profile->process_count; p++) {
        uint32_t *threads = list.rows + list.first[p], count = list.first[p + 1] - list.first[p];
        for (uint32_t i = 1; i < count; i++) {
            uint32_t main_thread = threads[i];
            if (profile->threads[main_thread].tid != profile->processes[p].pid)
                continue;
            memmove(threads + 1, threads, i * sizeof *threads);
            threads[0] = main_thread;
            break;
        }
    }
}

// Lists the streams with work by process, and within a process by device.
static void list_streams(struct timeline_build *build)
{
    const struct profile *profile = build->profile;
    uint32_t count = profile->stream_count;
    uint32_t *streams = column32_unpack(build->scratch, profile->work.stream, profile->work.count);
    build->work = grouped_rows_build(streams, profile->work.count, count, build->scratch);
    build->device_streams =
        ARENA_ARRAY(build->scratch, uint32_t, (size_t)profile->device_count + 1);
    build->has_device = ARENA_ARRAY(build->scratch, bool, (size_t)profile->device_count + 1);
    build->has_curves = ARENA_ARRAY(build->scratch, bool, (size_t)profile->device_count + 1);
    build->memory = memory_lanes_make(profile, build->arena, build->scratch);
    build->tensors = tensor_lanes_make(profile, build->arena, build->scratch);
    // By device, then by process.
    uint32_t *device = ARENA_ARRAY(build->scratch, uint32_t, (size_t)count + 1);
    uint32_t *process = ARENA_ARRAY(build->scratch, uint32_t, (size_t)count + 1);
    for (uint32_t s = 0; s < count; s++) {
        bool has_work = build->work.first[s + 1] > build->work.first[s];
        device[s] = has_work ? profile->streams[s].device : ROW_NONE;
        if (has_work)
            build->device_streams[device[s]]++;
    }
    struct grouped_rows by_device =
        grouped_rows_build(device, count, profile->device_count, build->scratch);
    uint32_t used_count = by_device.first[profile->device_count];
    for (uint32_t i = 0; i < used_count; i++)
        process[i] = profile->streams[by_device.rows[i]].process;
    build->streams =
        grouped_rows_build(process, used_count, profile->process_count, build->scratch);
    for (uint32_t i = 0; i < used_count; i++)
        build->streams.rows[i] = by_device.rows[build->streams.rows[i]];
}

// ---- result ---------------------------------------------------------------------------------

static void add_process(struct timeline_build *build, uint32_t process)
{
    struct timeline *timeline = build->timeline;
    size_t before = timeline->count;
    lane_push(build, (struct lane){.kind = LANE_PROCESS,
                                   .process = process,
                                   .thread = ROW_NONE,
                                   .device = ROW_NONE,
                                   .stream = ROW_NONE});
    for (uint32_t i = build->threads.first[process]; i < build->threads.first[process + 1]; i++)
        add_thread(build, build->threads.rows[i]);
    add_streams(build, process);
    if (timeline->count == before + 1)
        timeline->count = before;
}

static void build_timeline(void *context, struct arena *scratch)
{
    struct timeline_build *build = context;
    const struct profile *profile = build->profile;
    struct timeline *timeline = build->timeline;
    build->scratch = scratch;
    timeline->function_category =
        ARENA_ARRAY(build->arena, uint8_t, (size_t)profile->function_count + 1);
    for (uint32_t f = 0; f < profile->function_count; f++)
        timeline->function_category[f] = (uint8_t)gpu_category(&profile->functions[f]);
    list_threads(build);
    list_streams(build);
    for (uint32_t p = 0; p < profile->process_count; p++)
        add_process(build, p);
    uint32_t *counts = lane_counts(profile, scratch);
    for (size_t i = 0; i < timeline->count; i++) {
        struct lane *lane = &timeline->lanes[i];
        if (!lane_has_items(lane))
            continue;
        lane->bins = bins_make(lane->count, start_of, lane, build->arena);
        lane_find_lags(lane, build->arena, scratch);
        if (lane->kind == LANE_DEVICE)
            lane_cover(build, lane);
        else
            lane_sum(timeline, lane, build->arena);
        // Curves have no names; the streams count those of a device.
        if (lane->kind != LANE_DEVICE && !lane_is_curve(lane))
            lane_count_names(profile, lane, counts, build->arena);
    }
}

static void *make_timeline(const struct profile *profile, const struct selection *selection,
                           struct arena *arena)
{
    (void)selection;
    struct timeline *timeline = ARENA_NEW(arena, struct timeline);
    bool is_empty = profile->last_ns <= profile->first_ns;
    *timeline = (struct timeline){.profile = profile,
                                  .from = profile->first_ns,
                                  .to = is_empty ? profile->first_ns + 1 : profile->last_ns};
    struct timeline_build build = {.profile = profile, .timeline = timeline, .arena = arena};
    if (profile->stage == STAGE_READY)
        scratch_run(arena, build_timeline, &build);
    return timeline;
}

static const struct memo_kind timeline_memo = {.make = make_timeline};

const struct timeline *timeline_of(const struct profile *profile, const struct selection *selection,
                                   struct arena *arena)
{
    return memo_require(&timeline_memo, profile, selection, arena);
}

bool lane_is_selected(const struct timeline *timeline, const struct selection *selection,
                      size_t lane)
{
    const struct lane *row = &timeline->lanes[lane];
    const struct process *process = &timeline->profile->processes[row->process];
    if (timeline->profile->lacks_times)
        return false;
    if (!process_is_selected(timeline->profile, selection->process, row->process))
        return false;
    if (selection->device == ROW_NONE || row->device != ROW_NONE)
        return selection->device == ROW_NONE || row->device == selection->device;
    return process->gpus > PROCESS_ONE_GPU ||
           (process->gpus == PROCESS_ONE_GPU && process->device == selection->device);
}

uint32_t lane_find(const struct lane *lane, uint32_t row)
{
    uint32_t low = 0, high = lane->count;
    if (!lane_has_items(lane))
        return ROW_NONE;
    while (low < high) { // rows ascend
        uint32_t middle = low + (high - low) / 2;
        if (lane_row(lane, middle) < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < lane->count && lane_row(lane, low) == row ? low : ROW_NONE;
}

bool timeline_find(const struct timeline *timeline, enum lane_table table, uint32_t row,
                   struct lane_item *found)
{
    for (size_t i = 0; i < timeline->count; i++) {
        const struct lane *lane = &timeline->lanes[i];
        if (!lane_has_items(lane) || lane->kind == LANE_DEVICE || lane_table(lane) != table)
            continue;
        uint32_t item = lane_find(lane, row);
        if (item != ROW_NONE) {
            *found = (struct lane_item){i, item};
            return true;
        }
    }
    return false;
}
