// SPDX-License-Identifier: Apache-2.0
// Checks the lanes of the timeline and their cells against a scan of every nanosecond.
#include <string.h>

#include "analysis/timeline/timeline.h"
#include "model/profile/loader.h"
#include "profile_builder.h"
#include "property.h"
#include "scenario.h"

// ---- cells of time ----------------------------------------------------------------------------

static void test_cells_share_the_time(void **state)
{
    (void)state;
    struct random random = {20261122};
    for (int round = 0; round < 2000; round++) {
        int64_t from = (int64_t)random_below(&random, 1000) - 500;
        int64_t to = from + 1 + (int64_t)random_below(&random, 300);
        uint32_t count = 1 + (uint32_t)random_below(&random, 90);
        assert_int_equal(timeline_cell_from(from, to, count, 0), from);
        assert_int_equal(timeline_cell_from(from, to, count, count), to);
        int64_t least = (to - from) / count;
        for (uint32_t i = 0; i < count; i++) {
            int64_t a = timeline_cell_from(from, to, count, i);
            int64_t b = timeline_cell_from(from, to, count, i + 1);
            assert_true(b - a == least || b - a == least + 1);
            for (int64_t t = a; t < b; t++)
                assert_int_equal(timeline_cell_of(from, to, count, t), i);
        }
    }
    // Spans whose difference overflows an int64.
    assert_int_equal(timeline_cell_from(INT64_MIN, INT64_MAX, 2, 1), -1);
    assert_int_equal(timeline_cell_of(INT64_MIN, INT64_MAX, 2, 0), 1);
    assert_int_equal(timeline_cell_of(INT64_MIN, INT64_MAX, 2, INT64_MIN), 0);
}

// ---- lanes ------------------------------------------------------------------------------------

// Returns a picture of the lanes: kind, level and number of items.
static const char *lanes_text(const struct timeline *timeline, struct arena *arena)
{
    static const char *const kinds[] = {
        [LANE_PROCESS] = "process",   [LANE_GPU] = "gpu",         [LANE_RANGES] = "ranges",
        [LANE_CALLS] = "calls",       [LANE_DEVICE] = "device",   [LANE_STREAM] = "stream",
        [LANE_MEMORY] = "memory",     [LANE_TENSORS] = "tensors", [LANE_UTILIZATION] = "use",
        [LANE_EFFICIENCY] = "blocks",
    };
    const char *text = "";
    for (size_t i = 0; i < timeline->count; i++) {
        const struct lane *lane = &timeline->lanes[i];
        text = arena_format(arena, "%s%s", text, kinds[lane->kind]);
        if (lane->kind == LANE_RANGES)
            text = arena_format(arena, "%s %u", text, lane->level);
        if (lane->kind == LANE_STREAM)
            text = arena_format(arena, "%s %lld", text,
                                (long long)timeline->profile->streams[lane->stream].stream_id);
        text = arena_format(arena, lane_has_items(lane) ? "%s: %u\n" : "%s\n", text, lane->count);
    }
    return text;
}

static struct selection everything(const struct profile *profile)
{
    return selection_all(split_find(profile, profile->arena));
}

static void test_lanes(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    uint32_t other = builder_thread(builder, 100, 102); // first in the file
    uint32_t thread = builder_thread(builder, 100, 100);
    uint32_t second = builder_thread(builder, 200, 200);
    builder_thread(builder, 300, 300); // has no activity
    builder_range(builder, thread, 0, 1000, "step 1");
    builder_range(builder, thread, 10, 500, "forward");
    builder_range(builder, thread, 20, 30, "fc1");
    builder_range(builder, thread, 400, 700, "across"); // crosses the end of forward
    builder_range(builder, thread, 800, 900, "backward");
    uint32_t call = builder_call(builder, thread, 22, 25, "cudaLaunchKernel");
    uint32_t elsewhere = builder_call(builder, other, 30, 35, "cudaLaunchKernel");
    uint32_t far_away = builder_call(builder, second, 40, 45, "cudaLaunchKernel");
    builder_kernel(builder, call, 0, 7, 100, 200, "gemm");
    builder_kernel(builder, elsewhere, 0, 13, 150, 250, "ncclAllReduce");
    builder_kernel(builder, far_away, 1, 7, 100, 120, "gemm");
    struct profile *profile = builder_build(builder, MODE_RANGES);
    struct selection selection = everything(profile);
    const struct timeline *timeline = timeline_of(profile, &selection, profile->arena);
    assert_string_equal(lanes_text(timeline, profile->arena), "process\n"
                                                              "ranges 0: 1\n"
                                                              "ranges 1: 2\n" // forward, backward
                                                              "ranges 2: 2\n" // fc1, across
                                                              "calls: 1\n"
                                                              "calls: 1\n"
                                                              "gpu\n"
                                                              "device: 2\n"
                                                              "stream 7: 1\n"
                                                              "stream 13: 1\n"
                                                              "use: 2\n" // the blocks are unknown
                                                              "process\n"
                                                              "calls: 1\n"
                                                              "gpu\n"
                                                              "stream 7: 1\n"
                                                              "use: 1\n");
    // A scope narrows the lanes; a GPU keeps the threads of the process that used it.
    size_t shown = 0;
    selection.device = profile->streams[AT(profile->work.stream, builder->work_row[2])].device;
    for (size_t i = 0; i < timeline->count; i++)
        shown += lane_is_selected(timeline, &selection, i);
    assert_int_equal(shown, 5);
    selection.device = ROW_NONE;
    selection.process = 0;
    for (size_t i = 0; i < 11; i++)
        assert_true(lane_is_selected(timeline, &selection, i));
    for (size_t i = 11; i < timeline->count; i++)
        assert_false(lane_is_selected(timeline, &selection, i));
    // A row is found in its lane.
    struct lane_item found;
    assert_true(timeline_find(timeline, TABLE_WORK, builder->work_row[1], &found));
    assert_int_equal(found.lane, 9);
    assert_true(timeline_find(timeline, TABLE_RANGES, builder->range_row[3], &found));
    assert_int_equal(found.lane, 3);
    assert_int_equal(found.item, 1);
    assert_false(timeline_find(timeline, TABLE_CALLS, 3, &found));
    // The GPU's own lane shows the breakdown, in which compute hides communication.
    int64_t ns[LANE_CATEGORIES] = {0};
    lane_add(timeline, &timeline->lanes[7], 0, 1000, ns);
    assert_int_equal(ns[GPU_OTHER_KERNELS] + ns[GPU_TENSOR_CORE], 100);
    assert_int_equal(ns[GPU_COMMUNICATION], 50);
    builder_free(builder);
}

static void test_ranges_below_the_last_level(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < 100; i++)
        builder_range(builder, thread, i, 1000 - i, "deep");
    struct profile *profile = builder_build(builder, MODE_RANGES);
    struct selection selection = everything(profile);
    const struct timeline *timeline = timeline_of(profile, &selection, profile->arena);
    assert_int_equal(timeline->count, 1 + LANE_LEVELS);
    const struct lane *last = &timeline->lanes[LANE_LEVELS];
    assert_int_equal(last->count, 100 - LANE_LEVELS + 1);
    // Ranges below the last level are not drawn but can be chosen one by one.
    assert_int_equal(lane_at(last, 500), 0);
    assert_int_equal(lane_before(last, 500), last->count - 1);
    struct lane_item found;
    assert_true(timeline_find(timeline, TABLE_RANGES, builder->range_row[99], &found));
    assert_int_equal(found.item, last->count - 1);
    builder_free(builder);
}

static void test_empty_profile(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    builder_thread(builder, 1, 1);
    struct profile *profile = builder_build(builder, MODE_RANGES);
    struct selection selection = everything(profile);
    const struct timeline *timeline = timeline_of(profile, &selection, profile->arena);
    assert_int_equal(timeline->count, 0);
    assert_true(timeline->to > timeline->from);
    builder_free(builder);
}

// ---- cells against every instant --------------------------------------------------------------

enum { TIME = 400, ITEMS = 120 };

// Returns the first item of the lane that contains an instant, or ROW_NONE.
static uint32_t slow_at(const struct lane *lane, int64_t time)
{
    int64_t latest = INT64_MIN;
    for (uint32_t i = 0; i < lane->count; i++) {
        int64_t from = lane_start(lane, i), to = lane_end(lane, i);
        if (time >= from && time < to && time >= latest)
            return i;
        latest = to > latest ? to : latest;
    }
    return ROW_NONE;
}

static void check_cells(const struct timeline *timeline, const struct lane *lane, int64_t from,
                        int64_t to, uint32_t count)
{
    struct lane_cell cells[64];
    lane_cells(timeline, lane, from, to, count, cells);
    for (uint32_t c = 0; c < count; c++) {
        int64_t begin = timeline_cell_from(from, to, count, c);
        int64_t end = timeline_cell_from(from, to, count, c + 1);
        int64_t busy = 0, seen[ITEMS] = {0}, most = 0;
        uint32_t begins = 0, items = 0;
        for (int64_t t = begin; t < end; t++) {
            uint32_t item = slow_at(lane, t);
            busy += item != ROW_NONE;
            if (item != ROW_NONE && seen[item]++ == 0)
                items++;
        }
        for (uint32_t i = 0; i < lane->count; i++) {
            begins += lane_start(lane, i) >= begin && lane_start(lane, i) < end;
            most = seen[i] > most ? seen[i] : most;
        }
        assert_int_equal(cells[c].busy_ns, busy);
        assert_int_equal(cells[c].begins, begins);
        assert_true(cells[c].category < LANE_CATEGORIES);
        assert_int_equal(lane_begins(lane, begin, end), begins);
        if (cells[c].item != ROW_NONE && cells[c].item_ns > 0)
            assert_int_equal(seen[cells[c].item], most);
        if (cells[c].item == ROW_NONE)
            assert_true(items == 0 || HAS(lane->lags) || items + begins > 8);
        int64_t ns[LANE_CATEGORIES] = {0}, sum = 0;
        lane_add(timeline, lane, begin, end, ns);
        for (int k = 0; k < LANE_CATEGORIES; k++) {
            assert_true(ns[k] >= 0);
            sum += ns[k];
        }
        assert_int_equal(sum, lane_is_share(lane) ? busy * LANE_FULL : busy);
    }
}

static void check_lane(const struct timeline *timeline, const struct lane *lane,
                       struct random *random)
{
    for (int64_t t = -5; t < TIME + 5; t += 7) {
        assert_int_equal(lane_at(lane, t), slow_at(lane, t));
        uint32_t after = lane_after(lane, t), before = lane_before(lane, t);
        assert_true(after == lane->count || lane_start(lane, after) >= t);
        assert_true(after == 0 || lane_start(lane, after - 1) < t);
        assert_true(before == ROW_NONE || lane_start(lane, before) <= t);
        assert_true(before + 1 >= lane->count || lane_start(lane, before + 1) > t);
    }
    for (int i = 0; i < 8; i++) {
        int64_t from = (int64_t)random_below(random, TIME) - 20;
        int64_t to = from + 1 + (int64_t)random_below(random, TIME);
        check_cells(timeline, lane, from, to, 1 + (uint32_t)random_below(random, 63));
    }
    for (uint32_t i = 0; i < lane->count; i++)
        assert_int_equal(lane_find(lane, lane_row(lane, i)), i);
    uint32_t named = 0;
    for (uint32_t n = 0; n < lane->name_count; n++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < lane->count; i++)
            count += lane_key(timeline->profile, lane, i) == lane->names[n].key;
        assert_int_equal(lane->names[n].count, count);
        named += count;
    }
    assert_int_equal(named, lane->kind == LANE_DEVICE || lane_is_curve(lane) ? 0 : lane->count);
}

// Builds ranges and kernels that overlap, are empty or nest, in any order.
static void test_cells_hold_what_is_there(void **state)
{
    (void)state;
    struct random random = {7};
    for (int round = 0; round < 30; round++) {
        struct profile_builder *builder = builder_new();
        uint32_t thread = builder_thread(builder, 1, 1);
        size_t items = 1 + random_below(&random, ITEMS - 1),
               longest = 1 + random_below(&random, 60);
        for (size_t i = 0; i < items; i++) {
            int64_t start = (int64_t)random_below(&random, TIME);
            int64_t end = start + (int64_t)random_below(&random, longest);
            if (random_below(&random, 2)) {
                builder_range(builder, thread, start, end, "range");
                continue;
            }
            uint32_t call = builder_call(builder, thread, start, end, "cudaLaunchKernel");
            static const char *const names[] = {"gemm", "ncclAllReduce", "hmma_s16816gemm"};
            builder_kernel(builder, call, 0, 7 + (uint32_t)random_below(&random, 2), start,
                           end + (int64_t)random_below(&random, 30), names[i % 3]);
        }
        struct profile *profile = builder_build(builder, MODE_RANGES);
        struct selection selection = everything(profile);
        const struct timeline *timeline = timeline_of(profile, &selection, profile->arena);
        for (size_t i = 0; i < timeline->count; i++)
            if (lane_has_items(&timeline->lanes[i]))
                check_lane(timeline, &timeline->lanes[i], &random);
        builder_free(builder);
    }
}

// ---- cells of very many -----------------------------------------------------------------------

enum { MANY = 80000, MANY_CELLS = 8 };

// Builds bursts, sparser periods, and an occasional item that lasts as long as many others.
static struct profile *many_built(struct profile_builder *builder, struct random *random)
{
    uint32_t thread = builder_thread(builder, 1, 1);
    int64_t now = 1000;
    for (int i = 0; i < MANY; i++) {
        bool is_long = random_below(random, 1000) == 0, is_burst = i / 1500 % 2 == 0;
        int64_t length = is_long ? 300000 : 1 + (int64_t)random_below(random, is_burst ? 4 : 60);
        uint32_t call = builder_call(builder, thread, now, now + 1, "cudaLaunchKernel");
        static const char *const names[] = {"gemm", "ncclAllReduce", "hmma_s16816gemm"};
        builder_kernel(builder, call, 0, 7, now, now + length, names[random_below(random, 3)]);
        if (i % 2 == 0)
            builder_range(builder, thread, now, now + length, "range");
        now += length + (int64_t)random_below(random, is_burst ? 3 : 40);
    }
    return builder_build(builder, MODE_RANGES);
}

// Returns the busy time; in a lane of shares each instant counts by its share.
static int64_t exact_busy(const struct timeline *timeline, const struct lane *lane, int64_t begin,
                          int64_t end)
{
    int64_t ns[LANE_CATEGORIES] = {0}, busy = 0;
    lane_add(timeline, lane, begin, end, ns);
    for (int c = 0; c < LANE_CATEGORIES; c++)
        busy += ns[c];
    return lane_is_share(lane) ? busy / LANE_FULL : busy;
}

// Returns the number of cells whose time is not exact to the nanosecond.
static int check_many(const struct timeline *timeline, const struct lane *lane, int64_t from,
                      int64_t to)
{
    struct lane_cell cells[MANY_CELLS];
    int near = 0;
    lane_cells(timeline, lane, from, to, MANY_CELLS, cells);
    for (uint32_t c = 0; c < MANY_CELLS; c++) {
        int64_t begin = timeline_cell_from(from, to, MANY_CELLS, c);
        int64_t end = timeline_cell_from(from, to, MANY_CELLS, c + 1);
        int64_t off = cells[c].busy_ns - exact_busy(timeline, lane, begin, end);
        uint32_t begins = lane_begins(lane, begin, end);
        assert_true((off < 0 ? -off : off) <= (end - begin) / 128);
        assert_true(cells[c].busy_ns >= 0);
        near += off != 0;
        if (off != 0 || cells[c].begins != begins) { // only in cells with very many items
            assert_true(begins > 8 && cells[c].begins > 8);
            assert_int_equal(cells[c].item, ROW_NONE);
        }
        struct lane_cell alone;
        lane_cells(timeline, lane, begin, end > begin ? end : begin + 1, 1, &alone);
        if (begins <= 7 && end > begin)
            assert_int_equal(cells[c].item, alone.item);
    }
    return near;
}

// A long item between bursts is still found as the item of its cell, though the cell has a few
// items of the bursts.
static void check_long(const struct timeline *timeline, const struct lane *lane,
                       struct random *random)
{
    for (uint32_t i = 0; i < lane->count; i++) {
        int64_t from = lane_start(lane, i), to = lane_end(lane, i);
        struct lane_cell cell;
        if (to - from < 10000)
            continue;
        from -= (int64_t)random_below(random, 12);
        to += (int64_t)random_below(random, 12);
        lane_cells(timeline, lane, from, to, 1, &cell);
        if (lane_begins(lane, from, to) < 8)
            assert_int_equal(cell.item, i);
    }
}

static void test_cells_of_very_many(void **state)
{
    (void)state;
    struct random random = {5};
    struct profile_builder *builder = builder_new();
    struct profile *profile = many_built(builder, &random);
    struct selection selection = everything(profile);
    const struct timeline *timeline = timeline_of(profile, &selection, profile->arena);
    int near = 0;
    for (size_t i = 0; i < timeline->count; i++) {
        const struct lane *lane = &timeline->lanes[i];
        if (!lane_has_items(lane))
            continue;
        int of_whole = check_many(timeline, lane, timeline->from, timeline->to);
        assert_true(of_whole > 0);
        for (int zoom = 0; zoom < 40; zoom++) {
            int64_t span = (timeline->to - timeline->from) >> zoom % 16;
            int64_t from = timeline->from - 50 + (int64_t)random_below(&random, (size_t)span);
            near += check_many(timeline, lane, from, from + span + 1);
        }
        near += of_whole;
        check_long(timeline, lane, &random);
    }
    assert_true(near > 100);
    builder_free(builder);
}

// Every row of a profile is an item of exactly one lane.
static void test_each_row_is_in_one_lane(void **state)
{
    struct profile *profile = scenario_open(*state);
    struct selection selection = everything(profile);
    const struct timeline *timeline = timeline_of(profile, &selection, profile->arena);
    uint64_t rows[TABLE_SHARES + 1] = {0};
    for (size_t i = 0; i < timeline->count; i++) {
        const struct lane *lane = &timeline->lanes[i];
        if (lane_has_items(lane) && lane->kind != LANE_DEVICE)
            rows[lane_table(lane)] += lane->count;
        for (uint32_t k = 1; k < lane->count; k++) {
            assert_true(lane_row(lane, k) > lane_row(lane, k - 1));
            assert_true(lane_start(lane, k) >= lane_start(lane, k - 1));
        }
        if (lane->count == 0)
            continue;
        struct lane_cell cells[50];
        int64_t busy = 0, seen = 0, latest = INT64_MIN;
        lane_cells(timeline, lane, timeline->from, timeline->to, 50, cells);
        for (int c = 0; c < 50; c++)
            busy += cells[c].busy_ns;
        for (uint32_t k = 0; k < lane->count; k++)
            seen += interval_union_add(&latest, lane_start(lane, k), lane_end(lane, k));
        if (lane->kind != LANE_EFFICIENCY) // in which an item may be only partly full
            assert_int_equal(busy, seen);
        assert_true(busy <= seen);
    }
    assert_int_equal(rows[TABLE_RANGES], profile->ranges.count);
    assert_int_equal(rows[TABLE_CALLS], profile->api.count);
    assert_int_equal(rows[TABLE_WORK], profile->work.count);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells_share_the_time),
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_ranges_below_the_last_level),
        cmocka_unit_test(test_empty_profile),
        cmocka_unit_test(test_cells_hold_what_is_there),
        cmocka_unit_test(test_cells_of_very_many),
        cmocka_unit_test_prestate(test_each_row_is_in_one_lane, "tiny"),
        cmocka_unit_test_prestate(test_each_row_is_in_one_lane, "plain"),
        cmocka_unit_test_prestate(test_each_row_is_in_one_lane, "hostile"),
        cmocka_unit_test_prestate(test_each_row_is_in_one_lane, "deep"),
        cmocka_unit_test_prestate(test_each_row_is_in_one_lane, "graphs-2proc"),
        cmocka_unit_test_prestate(test_each_row_is_in_one_lane, "cpuonly"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
