// SPDX-License-Identifier: Apache-2.0
// Compares links and exclusive times with their definitions, computed by brute force on random
// profiles.
#include "columns.h"
#include "property.h"

#include <string.h>

#include "model/derive/derive.h"

enum { MAX_ROWS = 60 };

static struct profile *profile_new(void)
{
    struct arena *arena = arena_new(0);
    assert_non_null(arena);
    struct profile *profile = ARENA_NEW(arena, struct profile);
    profile->arena = arena;
    profile->strings = strings_new(arena);
    return profile;
}

// ---- calls by correlation id -------------------------------------------------------------------

// Ids that are consecutive, widely spaced, or at the ends of the range.
static uint32_t make_id(struct random *random, uint32_t process)
{
    static const uint32_t ends[] = {0, 1, 2, UINT32_MAX - 1, UINT32_MAX};
    if (random_below(random, 4) == 0)
        return ends[random_below(random, sizeof ends / sizeof *ends)];
    uint32_t id = 5 + (uint32_t)random_below(random, MAX_ROWS);
    return process == 1 ? id * 1000003 : id;
}

static void make_calls(struct profile *profile, struct random *random, bool has_ends)
{
    struct api_calls *api = &profile->api;
    profile->process_count = 3;
    profile->thread_count = 4;
    profile->threads = ARENA_ARRAY(profile->arena, struct thread, 4);
    for (uint32_t t = 0; t < 4; t++)
        profile->threads[t].process = t % 3;
    api->count = (uint32_t)random_below(random, MAX_ROWS);
    api->start = column64_loose(profile->arena, MAX_ROWS);
    api->thread = column32_loose(profile->arena, MAX_ROWS);
    api->correlation = column32_loose(profile->arena, MAX_ROWS);
    for (uint32_t i = 0; i < api->count; i++) {
        SET(api->start, i, (int64_t)random_below(random, 20));
        SET(api->thread, i, (uint32_t)random_below(random, 4));
        uint32_t process = profile->threads[AT(api->thread, i)].process;
        SET(api->correlation, i,
            has_ends || process == 1 ? make_id(random, process) : 1 + i); // 1 + i is unique
    }
}

// Returns the call that starts first; among equals the first row.
static uint32_t call_of(const struct profile *profile, uint32_t process, uint32_t correlation)
{
    const struct api_calls *api = &profile->api;
    uint32_t best = ROW_NONE;
    for (uint32_t i = 0; i < api->count && correlation; i++)
        if (profile->threads[AT(api->thread, i)].process == process &&
            AT(api->correlation, i) == correlation &&
            (best == ROW_NONE || AT(api->start, i) < AT(api->start, best)))
            best = i;
    return best;
}

static void test_joins_equal_the_definition(void **state)
{
    (void)state;
    struct random random = {6};
    for (int round = 0; round < random_rounds(2000); round++) {
        struct profile *profile = profile_new();
        uint32_t process[MAX_ROWS], correlation[MAX_ROWS], call[MAX_ROWS];
        make_calls(profile, &random, round % 2);
        for (uint32_t i = 0; i < MAX_ROWS; i++) {
            process[i] = (uint32_t)random_below(&random, 4); // the last process does not exist
            correlation[i] = make_id(&random, process[i]);
        }
        profile_join(profile, process, correlation, MAX_ROWS, call);
        for (uint32_t i = 0; i < MAX_ROWS; i++)
            assert_int_equal(call[i], call_of(profile, process[i], correlation[i]));
        profile_free(profile);
    }
}

// ---- ranges ------------------------------------------------------------------------------------

enum { THREADS = 2, ENDINGS = 3 };

// The label of thread t and ending e is at t * ENDINGS + e.
static struct range_label labels[THREADS * ENDINGS];

static void make_labels(void)
{
    for (uint32_t i = 0; i < THREADS * ENDINGS; i++)
        labels[i] = (struct range_label){.thread = i / ENDINGS, .ending = (uint8_t)(i % ENDINGS)};
}

// Insertion sort by (thread, start, longer first), as the contract of struct ranges requires.
static void sort_ranges(struct ranges *r)
{
    for (uint32_t i = 1; i < r->count; i++) {
        for (uint32_t j = i; j > 0; j--) {
            bool is_before = range_thread(r, j) != range_thread(r, j - 1)
                                 ? range_thread(r, j) < range_thread(r, j - 1)
                             : AT(r->start, j) != AT(r->start, j - 1)
                                 ? AT(r->start, j) < AT(r->start, j - 1)
                                 : AT(r->end, j) > AT(r->end, j - 1);
            if (!is_before)
                break;
            int64_t start = AT(r->start, j), end = AT(r->end, j);
            uint32_t label = AT(r->label, j);
            SET(r->start, j, AT(r->start, j - 1)), SET(r->end, j, AT(r->end, j - 1));
            SET(r->label, j, AT(r->label, j - 1));
            SET(r->start, j - 1, start), SET(r->end, j - 1, end);
            SET(r->label, j - 1, label);
        }
    }
}

static void make_ranges(struct profile *profile, struct random *random)
{
    struct ranges *ranges = &profile->ranges;
    struct api_calls *api = &profile->api;
    ranges->count = (uint32_t)random_below(random, MAX_ROWS);
    api->count = (uint32_t)random_below(random, MAX_ROWS);
    profile->thread_count = 2;
    profile->threads = ARENA_ARRAY(profile->arena, struct thread, 2);
    profile->processes = ARENA_ARRAY(profile->arena, struct process, 1);
    profile->process_count = 1;
    ranges->start = column64_loose(profile->arena, MAX_ROWS);
    ranges->end = column64_loose(profile->arena, MAX_ROWS);
    ranges->label = column32_loose(profile->arena, MAX_ROWS);
    ranges->labels = labels;
    make_labels();
    api->start = column64_loose(profile->arena, MAX_ROWS);
    api->end = column64_loose(profile->arena, MAX_ROWS);
    api->thread = column32_loose(profile->arena, MAX_ROWS);
    api->correlation = column32_loose(profile->arena, MAX_ROWS);
    api->name = column32_loose(profile->arena, MAX_ROWS);
    size_t span = 5 + random_below(random, 60);
    for (uint32_t i = 0; i < ranges->count; i++) {
        SET(ranges->start, i, (int64_t)random_below(random, span) - 5);
        SET(ranges->end, i, AT(ranges->start, i) + (int64_t)random_below(random, span));
        SET(ranges->label, i,
            (uint32_t)random_below(random, THREADS) * ENDINGS +
                (random_below(random, 10) ? RANGE_CLOSED : RANGE_CROSS_THREAD));
    }
    sort_ranges(ranges);
    uint32_t row = 0, call = 0;
    for (uint32_t t = 0; t < 2; t++) {
        struct thread *thread = &profile->threads[t];
        thread->first_range = row;
        while (row < ranges->count && range_thread(ranges, row) == t)
            row++;
        thread->end_range = row;
        thread->first_api = call;
        int64_t time = -5;
        while (call < (t + 1) * api->count / 2) {
            time += (int64_t)random_below(random, 4);
            SET(api->start, call, time);
            SET(api->end, call, time + (int64_t)random_below(random, 6));
            SET(api->thread, call, t);
            call++;
        }
        thread->end_api = call;
    }
    api->count = call;
}

// Returns the innermost range of a thread that encloses [start, end] and ends at `until` or later,
// among rows below `before`: the one with the latest start, then the last row.
static uint32_t innermost(const struct profile *profile, uint32_t thread, int64_t start,
                          int64_t end, int64_t until, uint32_t before)
{
    const struct ranges *r = &profile->ranges;
    uint32_t best = ROW_NONE;
    for (uint32_t i = 0; i < r->count && i < before; i++)
        if (range_thread(r, i) == thread && !range_is_cross_thread(r, i) &&
            AT(r->start, i) <= start && AT(r->end, i) >= end && AT(r->end, i) >= until &&
            (best == ROW_NONE || AT(r->start, i) >= AT(r->start, best)))
            best = i;
    return best;
}

static bool is_below(const struct ranges *ranges, uint32_t row, uint32_t above)
{
    for (row = AT(ranges->parent, row); row != ROW_NONE; row = AT(ranges->parent, row))
        if (row == above)
            return true;
    return false;
}

static void test_ranges_equal_the_definition(void **state)
{
    (void)state;
    struct random random = {1};
    for (int round = 0; round < random_rounds(3000); round++) {
        struct profile *profile = profile_new();
        make_ranges(profile, &random);
        profile_link_ranges(profile);
        const struct ranges *r = &profile->ranges;
        for (uint32_t i = 0; i < r->count; i++) {
            int64_t start = AT(r->start, i); // a parent ends after it
            uint32_t parent =
                range_is_cross_thread(r, i)
                    ? ROW_NONE
                    : innermost(profile, range_thread(r, i), start, AT(r->end, i), start + 1, i);
            assert_int_equal(AT(r->parent, i), parent);
            // Ranges within a range directly follow it.
            bool is_left = false;
            for (uint32_t j = i + 1; j < r->count; j++) {
                if (range_is_cross_thread(r, j))
                    continue;
                assert_false(is_left && is_below(r, j, i));
                is_left |= !is_below(r, j, i);
            }
        }
        for (uint32_t i = 0; i < profile->api.count; i++)
            assert_int_equal(AT(profile->api.range, i),
                             innermost(profile, AT(profile->api.thread, i),
                                       AT(profile->api.start, i), AT(profile->api.end, i),
                                       INT64_MIN, r->count));
        profile_free(profile);
    }
}

// Nesting as deep as in a hostile file, on a small stack.
static void test_depth(void **state)
{
    (void)state;
    enum { DEPTH = 200000 };
    struct profile *profile = profile_new();
    struct ranges *ranges = &profile->ranges;
    ranges->count = DEPTH;
    ranges->start = column64_loose(profile->arena, DEPTH);
    ranges->end = column64_loose(profile->arena, DEPTH);
    ranges->label = column32_loose(profile->arena, DEPTH);
    ranges->labels = labels;
    make_labels();
    for (uint32_t i = 0; i < DEPTH; i++) {
        SET(ranges->start, i, i);
        SET(ranges->end, i, 2 * DEPTH - i);
    }
    profile->thread_count = 1;
    profile->threads = ARENA_NEW(profile->arena, struct thread);
    profile->threads->end_range = DEPTH;
    profile_link_ranges(profile);
    for (uint32_t i = 0; i < DEPTH; i++)
        assert_int_equal(AT(ranges->parent, i), i ? i - 1 : ROW_NONE);
    profile_free(profile);
}

// ---- exclusive times ---------------------------------------------------------------------------

static void make_work(struct profile *profile, struct random *random)
{
    struct gpu_work *work = &profile->work;
    work->count = (uint32_t)random_below(random, MAX_ROWS);
    work->start = column64_loose(profile->arena, MAX_ROWS);
    work->end = column64_loose(profile->arena, MAX_ROWS);
    work->function = column32_loose(profile->arena, MAX_ROWS);
    profile->function_count = CLASS_COUNT;
    profile->functions = ARENA_ARRAY(profile->arena, struct function, CLASS_COUNT);
    for (int i = 0; i < CLASS_COUNT; i++)
        profile->functions[i].class = (enum work_class)i;
    profile->device_count = 2;
    profile->devices = ARENA_ARRAY(profile->arena, struct device, 2);
    uint32_t row = 0;
    for (uint32_t d = 0; d < 2; d++) {
        int64_t time = -20;
        profile->devices[d].first_work = row;
        while (row < (d + 1) * work->count / 2) {
            time += (int64_t)random_below(random, 5);
            SET(work->start, row, time);
            SET(work->end, row, time + (int64_t)random_below(random, 12));
            SET(work->function, row, (uint32_t)random_below(random, CLASS_COUNT));
            row++;
        }
        profile->devices[d].end_work = row;
    }
    work->count = row;
}

static void test_exclusive_equals_the_definition(void **state)
{
    (void)state;
    struct random random = {2};
    for (int round = 0; round < random_rounds(3000); round++) {
        struct profile *profile = profile_new();
        make_work(profile, &random);
        profile_link_work(profile);
        const struct gpu_work *work = &profile->work;
        uint32_t expected[MAX_ROWS] = {0};
        for (uint32_t d = 0; d < 2; d++) {
            const struct device *device = &profile->devices[d];
            for (int64_t t = -20; t < 400; t++) { // each instant has one owner
                uint32_t owner = ROW_NONE;
                for (uint32_t i = device->first_work; i < device->end_work; i++)
                    if (AT(work->start, i) <= t && t < AT(work->end, i) &&
                        (owner == ROW_NONE || AT(work->function, i) < AT(work->function, owner)))
                        owner = i;
                if (owner != ROW_NONE)
                    expected[owner]++;
            }
        }
        for (uint32_t i = 0; i < work->count; i++)
            assert_int_equal(AT(work->exclusive, i), expected[i]);
        profile_free(profile);
    }
}

static void test_exclusive_of_more_than_32_bits(void **state)
{
    (void)state;
    struct profile *profile = profile_new();
    struct random random = {3};
    make_work(profile, &random);
    profile->work.count = 1;
    SET(profile->work.start, 0, 0);
    SET(profile->work.end, 0, INT64_C(1) << 40);
    profile->devices[0].first_work = 0;
    profile->devices[0].end_work = 1;
    profile->devices[1].first_work = profile->devices[1].end_work = 1;
    profile_link_work(profile);
    assert_int_equal(AT(profile->work.exclusive, 0),
                     INT64_C(1) << 40); // exclusive times may exceed 32 bits (4.3 s)
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joins_equal_the_definition),
        cmocka_unit_test(test_ranges_equal_the_definition),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_exclusive_equals_the_definition),
        cmocka_unit_test(test_exclusive_of_more_than_32_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
