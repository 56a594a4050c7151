// SPDX-License-Identifier: Apache-2.0
// Compares the search in bins over ascending times with a search over all times.
#include "base/bins.h"
#include "property.h"

struct times {
    int64_t *at;
    size_t count;
};

static int64_t time_of(const void *context, size_t i)
{
    return ((const struct times *)context)->at[i];
}

static size_t count_before(const struct times *times, int64_t time)
{
    size_t count = 0;
    while (count < times->count && times->at[count] < time)
        count++;
    return count;
}

static void check_at(const struct bins *bins, const struct times *times, int64_t time)
{
    struct bins_bounds candidates = bins_find(bins, time);
    size_t before = count_before(times, time);
    assert_in_range(before, candidates.low, candidates.high);
    assert_in_range(candidates.high, 0, times->count);
}

static struct bins check(const struct times *times, struct arena *arena)
{
    struct bins bins = bins_make(times->count, time_of, times, arena);
    for (size_t i = 0; i < times->count; i++) {
        check_at(&bins, times, times->at[i]);
        if (times->at[i] > INT64_MIN)
            check_at(&bins, times, times->at[i] - 1);
        if (times->at[i] < INT64_MAX)
            check_at(&bins, times, times->at[i] + 1);
    }
    check_at(&bins, times, INT64_MIN);
    check_at(&bins, times, 0);
    check_at(&bins, times, INT64_MAX);
    return bins;
}

static void test_nothing_and_one(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    int64_t one[] = {42};
    check(&(struct times){NULL, 0}, arena);
    check(&(struct times){one, 1}, arena);
    arena_free(arena);
}

// The first and the last possible time, and many equal times.
static void test_extremes(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    int64_t ends[] = {INT64_MIN, INT64_MIN, -1, 0, 0, INT64_MAX - 1, INT64_MAX, INT64_MAX};
    int64_t same[100] = {0};
    check(&(struct times){ends, sizeof ends / sizeof *ends}, arena);
    check(&(struct times){same, 100}, arena);
    arena_free(arena);
}

// Evenly spaced times leave few candidates per bin. Results are right for uneven times as well,
// both for steps that grow tenfold and for random ones.
static void test_even_and_uneven(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    struct random random = {3};
    struct arena *arena = arena_new(0);
    int64_t at[COUNT];
    struct times times = {at, COUNT};
    for (int i = 0; i < COUNT; i++)
        at[i] = 5000 + i * 37;
    struct bins bins = check(&times, arena);
    for (int64_t time = 0; time < 50000; time++) {
        struct bins_bounds candidates = bins_find(&bins, time);
        check_at(&bins, &times, time);
        assert_in_range(candidates.high - candidates.low, 0, 2 * TIMES_PER_BIN);
    }
    for (int i = 0; i < COUNT; i++)
        at[i] = i < 18 ? (i > 0 ? at[i - 1] * 10 : 1) : INT64_MAX / 2 + i % 7 / 6 + i;
    check(&times, arena);
    for (int round = 0; round < 20; round++) {
        int64_t now = -1000;
        for (int i = 0; i < COUNT; i++)
            at[i] = now += (int64_t)random_below(&random, random_below(&random, 50) ? 3 : 1 << 30);
        check(&times, arena);
    }
    arena_free(arena);
}

// Unsorted times, as in a broken file, must not cause accesses out of bounds.
static void test_unsorted_times(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    int64_t at[] = {50, INT64_MAX, INT64_MIN, 7, 60, 1000, 55};
    struct times times = {at, sizeof at / sizeof *at};
    struct bins bins = bins_make(times.count, time_of, &times, arena);
    for (size_t i = 0; i < times.count; i++)
        assert_in_range(bins_find(&bins, at[i]).high, 0, times.count);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_and_one),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_even_and_uneven),
        cmocka_unit_test(test_unsorted_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
