// SPDX-License-Identifier: Apache-2.0
// Checks the sorts of base/sort.h and the binary searches of base/search.h: order, stability and
// ties.
#include "property.h"

#include "analysis/report/report.h"
#include "base/search.h"
#include "base/sort.h"

static int compare_keys(const void *context, uint32_t a, uint32_t b)
{
    const int64_t *keys = context;
    return keys[a] < keys[b] ? -1 : keys[a] > keys[b];
}

static int compare_all_equal(const void *context, uint32_t a, uint32_t b)
{
    (void)context, (void)a, (void)b;
    return 0;
}

enum { MAX_COUNT = 3000 };

static void fill_keys(struct random *random, int64_t *keys, size_t count)
{
    size_t kind = random_below(random, 5);
    for (size_t i = 0; i < count; i++) {
        uint64_t value = random_next(random);
        keys[i] = kind == 0   ? (int64_t)value                          // arbitrary
                  : kind == 1 ? (int64_t)(value % 7)                    // many ties
                  : kind == 2 ? (int64_t)i                              // sorted
                  : kind == 3 ? (int64_t)(count - i)                    // reversed
                              : (int64_t)(i * 1000 + value % 3000) - 5; // nearly sorted
    }
}

static void assert_is_stable_order(const uint32_t *ids, const uint32_t *input_order, size_t count,
                                   const int64_t *keys)
{
    static uint32_t input_position[MAX_COUNT];
    static bool seen[MAX_COUNT];
    for (size_t i = 0; i < count; i++) {
        input_position[input_order[i]] = (uint32_t)i;
        seen[i] = false;
    }
    for (size_t i = 0; i < count; i++) {
        assert_true(ids[i] < count);
        assert_false(seen[ids[i]]);
        seen[ids[i]] = true;
        if (i == 0)
            continue;
        assert_true(keys[ids[i - 1]] <= keys[ids[i]]);
        if (keys[ids[i - 1]] == keys[ids[i]])
            assert_true(input_position[ids[i - 1]] < input_position[ids[i]]);
    }
}

static void test_ids_are_sorted_and_stable(void **state)
{
    (void)state;
    struct random random = {3};
    struct arena *arena = arena_new(0);
    static int64_t keys[MAX_COUNT];
    static uint32_t ids[MAX_COUNT], input_order[MAX_COUNT];
    for (int round = 0; round < random_rounds(300); round++) {
        size_t count = random_below(&random, round % 3 ? 70 : MAX_COUNT);
        fill_keys(&random, keys, count);
        for (size_t i = 0; i < count; i++)
            input_order[i] = (uint32_t)i;
        for (size_t i = count; i > 1; i--) {
            size_t other = random_below(&random, i);
            uint32_t swap = input_order[i - 1];
            input_order[i - 1] = input_order[other];
            input_order[other] = swap;
        }
        for (size_t i = 0; i < count; i++)
            ids[i] = input_order[i];
        sort_ids(ids, count, compare_keys, keys, arena);
        assert_is_stable_order(ids, input_order, count, keys);
        for (size_t i = 0; i < count; i++)
            ids[i] = input_order[i];
        sort_ids(ids, count, compare_all_equal, NULL, arena);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(ids[i], input_order[i]);
        arena_reset(arena);
    }
    arena_free(arena);
}

static void assert_sorts_by_time(const int64_t *keys, const int64_t *second, size_t count,
                                 struct arena *arena)
{
    const uint32_t *ids = sort_by_time(arena, keys, second, count);
    for (size_t i = 1; i < count; i++) {
        uint32_t a = ids[i - 1], b = ids[i];
        assert_true(keys[a] <= keys[b]);
        if (keys[a] == keys[b] && second)
            assert_true(second[a] <= second[b]);
        if (keys[a] == keys[b] && (!second || second[a] == second[b]))
            assert_true(a < b);
    }
}

static void test_time_is_sorted(void **state)
{
    (void)state;
    struct random random = {4};
    struct arena *arena = arena_new(0);
    static int64_t keys[MAX_COUNT], second[MAX_COUNT];
    for (int round = 0; round < random_rounds(300); round++) {
        size_t count = random_below(&random, round % 3 ? 70 : MAX_COUNT);
        fill_keys(&random, keys, count);
        fill_keys(&random, second, count);
        assert_sorts_by_time(keys, NULL, count, arena);
        assert_sorts_by_time(keys, second, count, arena);
        arena_reset(arena);
    }
    arena_free(arena);
}

// Sorts keys that consist of many sorted runs, like the rows of a file grouped by thread.
static void test_runs_are_merged(void **state)
{
    (void)state;
    struct random random = {5};
    struct arena *arena = arena_new(0);
    static int64_t keys[MAX_COUNT], second[MAX_COUNT];
    for (int round = 0; round < random_rounds(300); round++) {
        size_t count = random_below(&random, MAX_COUNT), runs = 1 + random_below(&random, 70);
        for (size_t r = 0, at = 0; r < runs; r++) {
            size_t end = r + 1 < runs ? at + random_below(&random, count - at + 1) : count;
            int64_t key = (int64_t)random_below(&random, 50);
            for (; at < end; at++) {
                keys[at] = key += (int64_t)random_below(&random, 3);
                second[at] = (int64_t)random_below(&random, 2);
            }
        }
        assert_sorts_by_time(keys, NULL, count, arena);
        assert_sorts_by_time(keys, second, count, arena);
        arena_reset(arena);
    }
    arena_free(arena);
}

// Sorts some rows of a table given in an order of their own, which decides ties.
static void test_given_rows_are_sorted(void **state)
{
    (void)state;
    struct random random = {6};
    struct arena *arena = arena_new(0);
    static int64_t keys[MAX_COUNT], second[MAX_COUNT], order[MAX_COUNT];
    static uint32_t ids[MAX_COUNT];
    for (int round = 0; round < random_rounds(200); round++) {
        size_t count = 0;
        fill_keys(&random, keys, MAX_COUNT);
        fill_keys(&random, second, MAX_COUNT);
        bool is_backwards = random_below(&random, 2);
        for (uint32_t i = 0; i < MAX_COUNT; i++)
            if (random_below(&random, 3))
                ids[count++] = is_backwards ? MAX_COUNT - 1 - i : i;
        for (size_t i = 0; i < count; i++)
            order[ids[i]] = (int64_t)i;
        const int64_t *other = round % 2 ? second : NULL;
        sort_ids_by_time(ids, count, keys, other, arena);
        for (size_t i = 1; i < count; i++) {
            uint32_t a = ids[i - 1], b = ids[i];
            bool is_tie = keys[a] == keys[b] && (!other || other[a] == other[b]);
            assert_true(is_tie               ? order[a] < order[b]
                        : keys[a] != keys[b] ? keys[a] < keys[b]
                                             : other[a] < other[b]);
        }
        arena_reset(arena);
    }
    arena_free(arena);
}

static void test_extremes(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    const int64_t keys[] = {INT64_MAX, 0, INT64_MIN, -1, INT64_MAX, 1};
    const uint32_t wanted[] = {2, 3, 1, 5, 0, 4};
    assert_memory_equal(sort_by_time(arena, keys, NULL, 6), wanted, sizeof wanted);
    assert_non_null(sort_by_time(arena, keys, NULL, 0));
    assert_int_equal(*sort_by_time(arena, keys, NULL, 1), 0);
    sort_ids(NULL, 0, compare_keys, keys, arena);
    arena_free(arena);
}

static void test_places_in_a_sorted_column(void **state)
{
    (void)state;
    const int64_t values[] = {INT64_MIN, -3, 5, 5, 5, 9, INT64_MAX};
    assert_int_equal(search_from(values, 0, 7, INT64_MIN), 0);
    assert_int_equal(search_above(values, 0, 7, INT64_MIN), 1);
    assert_int_equal(search_from(values, 0, 7, 5), 2);
    assert_int_equal(search_above(values, 0, 7, 5), 5);
    assert_int_equal(search_from(values, 0, 7, 6), 5);
    assert_int_equal(search_from(values, 3, 4, 9), 4); // all values of the part are smaller
    assert_int_equal(search_above(values, 3, 7, -4), 3);
    assert_int_equal(search_above(values, 0, 7, INT64_MAX), 7);
    assert_int_equal(search_from(values, 0, 7, INT64_MAX), 6);
    assert_int_equal(search_from(values, 2, 2, 0), 2);
}

static void test_names_sort_as_people_count(void **state)
{
    (void)state;
    static const char *const names[] = {"layers.2", "layers.10", "layers.10.mlp"};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            int order = value_compare(value_text(names[i]), value_text(names[k]));
            assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
        }
}

static bool sort_body(void *context, struct error *error)
{
    (void)error;
    struct trial *trial = context;
    static int64_t keys[MAX_COUNT];
    static uint32_t ids[MAX_COUNT];
    for (uint32_t i = 0; i < MAX_COUNT; i++) {
        keys[i] = 1000 - (int64_t)i;
        ids[i] = i;
    }
    sort_ids(ids, MAX_COUNT, compare_keys, keys, trial->arena);
    sort_by_time(trial->arena, keys, keys, MAX_COUNT);
    return true;
}

static void test_allocation_failures(void **state)
{
    (void)state;
    assert_int_equal(trial_allocations(sort_body, NULL), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids_are_sorted_and_stable),
        cmocka_unit_test(test_time_is_sorted),
        cmocka_unit_test(test_runs_are_merged),
        cmocka_unit_test(test_given_rows_are_sorted),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_places_in_a_sorted_column),
        cmocka_unit_test(test_names_sort_as_people_count),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
