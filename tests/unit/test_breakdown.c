// SPDX-License-Identifier: Apache-2.0
// Checks that breakdowns add up to their windows: against figures computed by hand for a small
// profile, and against brute force for random ones.
#include <string.h>
#include <time.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/breakdown/cover.h"
#include "property.h"
#include "small_profile.h"

static void check_sum(const struct breakdown_scheme *scheme, const struct breakdown *breakdown)
{
    int64_t sum = 0;
    for (size_t c = 0; c < scheme->count; c++) {
        assert_true(breakdown->ns[c] >= 0);
        sum += breakdown->ns[c];
    }
    assert_int_equal(sum, breakdown->window_ns);
}

static void test_gpu(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    struct profile *profile = small_profile(arena);
    struct selection selection = selection_all(small_split(profile, arena));
    struct breakdown *devices = breakdown_devices(profile, &selection, &breakdown_gpu, arena);
    // GPU 0 from 400 to 2650: gemm 300, bias 150 of it alone; GPU 1 from 500 to 1650.
    assert_int_equal(devices[0].window_ns, 2250);
    assert_int_equal(devices[0].ns[0], 300);
    assert_int_equal(devices[0].ns[1], 150);
    assert_int_equal(devices[0].ns[5], 1800);
    assert_int_equal(devices[1].window_ns, 1150);
    assert_int_equal(devices[1].ns[3], 100);
    assert_int_equal(devices[2].window_ns, 0); // no work: not in the mean
    struct breakdown total = breakdown_total(profile, &selection, &breakdown_gpu, arena);
    assert_int_equal(total.window_ns, 1700);
    assert_int_equal(total.ns[0], 150);
    check_sum(&breakdown_gpu, &total);
    struct breakdown *iterations = breakdown_iterations(profile, &selection, &breakdown_gpu, arena);
    assert_int_equal(iterations[2].window_ns, 250); // only GPU 0 had work
    assert_int_equal(iterations[2].ns[5], 100);
    for (int i = 0; i < 3; i++)
        check_sum(&breakdown_gpu, &iterations[i]);
    static const bool first[3] = {true, false, false};
    selection.iterations = first;
    total = breakdown_total(profile, &selection, &breakdown_gpu, arena);
    assert_int_equal(total.window_ns, (1000 + 1100) / 2);
    selection.device = 1;
    total = breakdown_total(profile, &selection, &breakdown_gpu, arena);
    assert_int_equal(total.window_ns, 1100);
    assert_int_equal(total.ns[1], 50);
    arena_free(arena);
}

static void test_dlprof(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    struct profile *profile = small_profile(arena);
    struct selection selection = selection_all(small_split(profile, arena));
    struct breakdown *devices = breakdown_devices(profile, &selection, &breakdown_dlprof, arena);
    assert_int_equal(devices[0].window_ns, 2998);
    // CPU time of the process counts on each GPU that it used: 1050 minus the time in which a
    // kernel runs.
    assert_int_equal(devices[0].ns[5], 1050 - 100);
    assert_int_equal(devices[1].ns[5], 1050);
    assert_int_equal(devices[2].ns[5], 0);
    for (int d = 0; d < 3; d++)
        check_sum(&breakdown_dlprof, &devices[d]);
    // A profile without devices or work is all host time.
    profile->device_count = 0;
    profile->work.count = 0;
    struct breakdown total = breakdown_total(profile, &selection, &breakdown_dlprof, arena);
    assert_int_equal(total.ns[5], 1050);
    check_sum(&breakdown_dlprof, &total);
    arena_free(arena);
}

static void test_empty(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    struct profile *profile = empty_profile(arena);
    struct selection selection = selection_all(empty_split(arena));
    const struct breakdown_scheme *const schemes[] = {&breakdown_gpu, &breakdown_dlprof};
    for (int s = 0; s < 2; s++) {
        struct breakdown total = breakdown_total(profile, &selection, schemes[s], arena);
        assert_int_equal(total.window_ns, 0);
        check_sum(schemes[s], &total);
        check_sum(schemes[s], breakdown_iterations(profile, &selection, schemes[s], arena));
    }
    arena_free(arena);
}

enum { INSTANTS = 300, CLASSES = 4, ROWS = 30 };

// Compares every instant of a short time axis.
static void test_cover_against_brute_force(void **state)
{
    (void)state;
    struct random random = {7};
    for (int round = 0; round < 300; round++) {
        struct arena *arena = arena_new(0);
        int64_t start[CLASSES][ROWS], end[CLASSES][ROWS];
        struct cover_source sources[CLASSES];
        uint8_t owner[INSTANTS];
        memset(owner, CLASSES, sizeof owner);
        for (size_t c = CLASSES; c-- > 0;) {
            size_t count = round ? random_next(&random) % ROWS : 0; // the first round has no work
            int64_t at = 0;
            for (size_t i = 0; i < count; i++) {
                at += (int64_t)(random_next(&random) % 12);
                start[c][i] = at;
                end[c][i] = at + (int64_t)(random_next(&random) % 25);
                for (int64_t t = at; t < end[c][i] && t < INSTANTS; t++)
                    owner[t] = (uint8_t)c;
            }
            sources[c] = cover_source_of(start[c], end[c], count, arena);
        }
        struct cover built = cover_build(sources, CLASSES, arena),
                     cover = cover_copy(&built, arena);
        for (int window = 0; window < 20; window++) {
            int64_t from = (int64_t)(random_next(&random) % INSTANTS);
            int64_t to = (int64_t)(random_next(&random) % INSTANTS);
            int64_t ns[MAX_COVER_CLASSES] = {0}, expected[CLASSES + 1] = {0};
            cover_add(&cover, from, to, ns);
            for (int64_t t = from; t < to; t++)
                expected[owner[t]]++;
            for (int c = 0; c < CLASSES; c++)
                assert_int_equal(ns[c], expected[c]);
        }
        arena_free(arena);
    }
}

static void test_union(void **state)
{
    (void)state;
    struct random random = {11};
    for (int round = 0; round < 200; round++) {
        int64_t length = 0, expected = 0, covered = INT64_MIN, from = 0;
        bool busy[200] = {false};
        size_t count = random_next(&random) % 40;
        for (size_t i = 0; i < count; i++) {
            from += (int64_t)(random_next(&random) % 4);
            int64_t to = from + (int64_t)(random_next(&random) % 40);
            length += interval_union_add(&covered, from, to);
            for (int64_t t = from; t < to; t++)
                busy[t] = true;
        }
        for (int t = 0; t < 200; t++)
            expected += busy[t];
        assert_int_equal(length, expected);
    }
}

static void test_cells(void **state)
{
    (void)state;
    unsigned cells[MAX_BREAKDOWN_CATEGORIES];
    struct breakdown breakdown = {1000, {480, 320, 119, 80, 1, 0}};
    breakdown_cells(&breakdown, 6, 40, cells);
    assert_int_equal(cells[0] + cells[1] + cells[2] + cells[3] + cells[4] + cells[5], 40);
    assert_int_equal(cells[0], 19);
    assert_int_equal(cells[4], 0);
    breakdown_cells(&(struct breakdown){0}, 6, 40, cells);
    assert_int_equal(cells[5], 40);
    struct random random = {3};
    for (int round = 0; round < 500; round++) {
        breakdown = (struct breakdown){0};
        for (int c = 0; c < 6; c++) {
            breakdown.ns[c] = (int64_t)(random_next(&random) % 1000);
            breakdown.window_ns += breakdown.ns[c];
        }
        unsigned width = (unsigned)(random_next(&random) % 300), sum = 0;
        breakdown_cells(&breakdown, 6, width, cells);
        for (int c = 0; c < 6; c++)
            sum += cells[c];
        assert_int_equal(sum, width);
    }
}

// A million pieces of work in 1,600 iterations: the cost must not be their product.
static void test_large(void **state)
{
    (void)state;
    enum { WORKS = 1000000, ITERATIONS = 1600 };
    struct arena *arena = arena_new(0);
    int64_t *start = ARENA_ARRAY(arena, int64_t, WORKS), *end = ARENA_ARRAY(arena, int64_t, WORKS);
    for (int64_t i = 0; i < WORKS; i++) {
        start[i] = i * 1000;
        end[i] = i * 1000 + 700;
    }
    struct cover_source sources[2] = {cover_source_of(start, end, WORKS, arena),
                                      cover_source_of(start, end, WORKS / 2, arena)};
    clock_t began = clock();
    struct cover cover = cover_build(sources, 2, arena);
    int64_t ns[MAX_COVER_CLASSES] = {0}, sum = 0;
    for (int64_t i = 0; i < ITERATIONS; i++) {
        int64_t part[MAX_COVER_CLASSES] = {0};
        cover_add(&cover, i * WORKS * 1000 / ITERATIONS, (i + 1) * WORKS * 1000 / ITERATIONS, part);
        sum += part[0];
    }
    double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
    cover_add(&cover, 0, (int64_t)WORKS * 1000, ns);
    assert_int_equal(sum, ns[0]);
    assert_int_equal(sum, (int64_t)WORKS * 700);
    print_message("1e6 works, 1600 windows: %.0f ms\n", seconds * 1e3);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gpu),   cmocka_unit_test(test_dlprof),
        cmocka_unit_test(test_empty), cmocka_unit_test(test_cover_against_brute_force),
        cmocka_unit_test(test_union), cmocka_unit_test(test_cells),
        cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
