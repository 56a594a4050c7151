// SPDX-License-Identifier: Apache-2.0
// Which steps are usual, which stand out, which are warm-up: worked out on paper.
#include "property.h"

#include "analysis/step_statistics.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static struct arena *arena;

static int set_up(void **state)
{
    (void)state;
    arena = arena_new(0);
    return arena == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static void test_statistics(void **state)
{
    (void)state;
    static const int64_t ns[] = {UNKNOWN, 300, 100, 110, 90, 300, 104};
    struct step_statistics all = step_statistics_of(ns, NULL, COUNT(ns), arena);
    assert_int_equal(all.count, 6);
    assert_int_equal(all.median_ns, 110); // 90 100 104 110 300 300
    assert_int_equal(all.mad_ns, 20);     // 0 6 10 20 190 190
    assert_int_equal(all.min_ns, 90);
    assert_int_equal(all.max_ns, 300);
    assert_int_equal(all.p95_ns, 300);
    assert_int_equal(all.worst, 5); // the last of the longest
    bool members[] = {true, false, true, true, true, false, true};
    struct step_statistics some = step_statistics_of(ns, members, COUNT(ns), arena);
    assert_int_equal(some.count, 4);
    assert_int_equal(some.median_ns, 104); // 90 100 104 110
    assert_int_equal(some.mad_ns, 6);      // 0 4 6 14
    assert_int_equal(some.worst, 3);
    bool none[COUNT(ns)] = {true}; // only the one without a length
    struct step_statistics nothing = step_statistics_of(ns, none, COUNT(ns), arena);
    assert_int_equal(nothing.count, 0);
    assert_int_equal(nothing.worst, ROW_NONE);
    assert_false(step_is_outlier(&nothing, 100));
}

static void test_p95(void **state)
{
    (void)state;
    int64_t ns[100];
    for (int i = 0; i < 100; i++)
        ns[i] = 1000 + (i * 37) % 100;
    assert_int_equal(step_statistics_of(ns, NULL, 100, arena).p95_ns, 1094);
    assert_int_equal(step_statistics_of(ns, NULL, 1, arena).p95_ns, 1000);
}

static void test_outliers(void **state)
{
    (void)state;
    struct step_statistics usual = {.count = 9, .median_ns = 1000, .mad_ns = 4};
    assert_false(step_is_outlier(&usual, 1050)); // beyond 5 MAD, but within 5 %
    assert_true(step_is_outlier(&usual, 1051));
    assert_true(step_is_outlier(&usual, 949)); // short ones too
    assert_false(step_is_outlier(&usual, UNKNOWN));
    usual.mad_ns = 20;
    assert_false(step_is_outlier(&usual, 1100)); // beyond 5 %, but within 5 MAD
    assert_true(step_is_outlier(&usual, 1101));
}

static void test_steady(void **state)
{
    (void)state;
    static const int64_t ns[] = {900, 400, 100, 101, 99, 500, 100, 40};
    static bool is_cut[] = {false, false, false, false, false, false, false, true};
    struct split split = {.count = COUNT(ns), .is_cut = is_cut};
    bool members[COUNT(ns)];
    assert_int_equal(steps_steady(&split, ns, members, arena), 2);
    static const bool expected[] = {false, false, true, true, true, true, true, false};
    for (size_t i = 0; i < COUNT(ns); i++) // a slow one later on is no warm-up
        assert_int_equal(members[i], expected[i]);
}

static void test_durations(void **state)
{
    (void)state;
    int64_t start[] = {0, 10, 20}, stop[] = {10, 15, 20};
    struct split split = {.count = 3, .start = start, .stop = stop};
    struct breakdown parts[3] = {{.window_ns = 7}};
    const int64_t *ns = step_durations(&split, parts, arena);
    assert_int_equal(ns[0], 7); // by the GPU's clock
    assert_int_equal(ns[1], 5); // by the host's
    assert_int_equal(ns[2], UNKNOWN);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_statistics), TEST(test_p95), TEST(test_outliers),
                                       TEST(test_steady), TEST(test_durations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
