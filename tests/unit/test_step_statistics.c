// SPDX-License-Identifier: Apache-2.0
// Checks which steps are usual, outliers or warm-up, against figures worked out on paper.
#include "property.h"

#include <string.h>

#include "analysis/steps/step_sets.h"

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
    assert_int_equal(all.median_ns, 107); // 90 100 104 110 300 300
    assert_int_equal(all.mad_ns, 12);     // 3 3 7 17 193 193
    assert_int_equal(all.median, 3);      // a real step, the longer one of the middle two
    assert_int_equal(all.min_ns, 90);
    assert_int_equal(all.max_ns, 300);
    assert_int_equal(all.p95_ns, 300);
    assert_int_equal(all.worst, 5); // ties go to the last
    bool members[] = {true, false, true, true, true, false, true};
    struct step_statistics some = step_statistics_of(ns, members, COUNT(ns), arena);
    assert_int_equal(some.count, 4);
    assert_int_equal(some.median_ns, 102); // 90 100 104 110
    assert_int_equal(some.mad_ns, 5);      // 2 2 8 12
    assert_int_equal(some.worst, 3);
    // Of two steps the median is their mean, the worst the longer, and none stands out.
    static const int64_t two_ns[] = {1305, 1619};
    struct step_statistics two = step_statistics_of(two_ns, NULL, COUNT(two_ns), arena);
    assert_int_equal(two.median_ns, 1462);
    assert_int_equal(two.mad_ns, 157);
    assert_int_equal(two.worst, 1);
    assert_false(step_is_outlier(&two, 1619) || step_is_outlier(&two, 1305));
    bool none[COUNT(ns)] = {true}; // only the step without a length
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
    assert_true(step_is_outlier(&usual, 949)); // short steps too
    assert_false(step_is_outlier(&usual, UNKNOWN));
    usual.mad_ns = 20;
    assert_false(step_is_outlier(&usual, 1100)); // beyond 5 %, but within 5 MAD
    assert_true(step_is_outlier(&usual, 1101));
}

static const bool *bits(const char *signs)
{
    bool *members = arena_alloc(arena, strlen(signs) + 1, sizeof *members);
    for (size_t i = 0; signs[i]; i++)
        members[i] = signs[i] == '1';
    return members;
}

static void assert_bits(const bool *members, const char *expected)
{
    for (size_t i = 0; expected[i]; i++)
        if (members[i] != (expected[i] == '1'))
            fail_msg("step %zu of %s", i, expected);
}

// 0 and 1 are warm-up, 5 and 7 are outliers (the MAD of 2-9 is 1), the last is cut; 2-4 and 6-9 are
// within 20 % of 100.
static const int64_t lengths_ns[] = {900, 400, 100, 101, 99, 500, 100, 110, 95, 101, 40};
static bool last_is_cut[] = {false, false, false, false, false, false,
                             false, false, false, false, true};
static int64_t numbers[] = {3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13};
static const struct split split_of_11 = {.count = 11, .is_cut = last_is_cut, .number = numbers};

static void test_sets(void **state)
{
    (void)state;
    struct step_sets sets = step_sets_of(&split_of_11, lengths_ns, arena);
    assert_bits(sets.warm_up, "11000000000"); // a later slow step is not warm-up
    assert_bits(sets.cut, "00000000001");
    assert_bits(sets.outliers, "00000101000");
    assert_bits(sets.steady, "00000011110");
    assert_int_equal(sets.warm_up_count, 2);
    assert_int_equal(sets.outlier_count, 2);
    assert_int_equal(sets.cut_count, 1);
    assert_int_equal(sets.steady_count, 4);
}

// A server's steps are judged among those of their kind: the two prefills at the beginning are no
// warm-up, and of the later ones only the prefill that is longer than the others is an outlier.
static void test_kinds_apart(void **state)
{
    (void)state;
    static const int64_t ns[] = {900, 901, 100, 101, 99, 900, 100, 101, 900, 5000, 100, 180};
    static const char kinds[] = "ppdddpddppdd";
    struct step_content content[12];
    int64_t number[12];
    for (int i = 0; i < 12; i++) {
        content[i] = step_content_none;
        content[i].kind = kinds[i] == 'p' ? STEP_PREFILL : STEP_DECODE;
        number[i] = i;
    }
    struct split split = {.count = 12, .number = number, .content = content};
    struct step_sets sets = step_sets_of(&split, ns, arena);
    assert_int_equal(sets.warm_up_count, 0);
    assert_bits(sets.outliers, "000000000101");
    // Steps of another kind are not chosen, and no outliers of the chosen ones.
    const bool *decode = bits("001110110011");
    struct step_norms norms = step_norms_of(&split, ns, decode, arena);
    assert_string_equal(
        omitted_steps_text(&split, ns, decode, &sets, &norms, OMITTED_STEPS_FULL, arena),
        "0-1,5,8-9 not chosen");
    // Warm-up is found among the steps of its kind, too.
    content[0].kind = content[1].kind = STEP_DECODE;
    assert_bits(step_sets_of(&split, ns, arena).warm_up, "110000000000");
}

static void test_sets_as_typed(void **state)
{
    (void)state;
    static const struct {
        const char *text, *members; // members; NULL: the text is refused
    } rows[] = {
        {"all", "11111111111"},
        {"!warm-up", "00111111110"},
        {" !5", "11011111110"},
        {"!5,13", "11011111111"},
        {"!outliers", "00111010110"},
        {"all but outliers", "00111010110"},
        {"steady", "00000011110"},
        {"steady,!9", "00000001110"},
        {"3-8,!outliers", "00111000000"},
        {"warm-up, 13", "11000000001"},
        {"outliers", "11000101000"},
        {"3-20", NULL},
        {"warmup", NULL},
        {"4,!4", NULL},
        {"cut,!cut", NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        bool members[11] = {false};
        struct error error = {0};
        bool is_set =
            step_set_parse(&split_of_11, lengths_ns, rows[i].text, members, arena, &error);
        if (is_set != (rows[i].members != NULL))
            fail_msg("%s: %s", rows[i].text, error.message);
        if (is_set)
            assert_bits(members, rows[i].members);
    }
}

// A server: each fourth step is a prefill of 1,000 ns, the others are decodes of 100 ns; prefill 4
// takes twice as long as the others, decode 9 half as long again, and the first prefill is cold.
static void test_sets_of_kinds(void **state)
{
    (void)state;
    enum { COUNT_OF_KINDS = 20 };
    int64_t ns[COUNT_OF_KINDS], number[COUNT_OF_KINDS];
    struct step_content content[COUNT_OF_KINDS];
    for (int i = 0; i < COUNT_OF_KINDS; i++) {
        content[i] = step_content_none;
        content[i].kind = i % 4 ? STEP_DECODE : STEP_PREFILL;
        ns[i] = (i % 4 ? 100 : 1000) + i % 3;
        number[i] = i;
    }
    ns[0] = 4000;
    ns[4] = 2000;
    ns[9] = 150;
    struct split split = {.count = COUNT_OF_KINDS, .number = number, .content = content};
    struct step_sets sets = step_sets_of(&split, ns, arena);
    assert_bits(sets.warm_up, "10000000000000000000");
    assert_bits(sets.outliers, "00001000010000000000");
    assert_bits(sets.steady, "00000000001111111111");
    struct step_norms norms = step_norms_of(&split, ns, sets.steady, arena);
    assert_int_equal(norms.count, 10);
    assert_int_equal(norms.of_kind[STEP_PREFILL].count, 2);
    assert_int_equal(norms.of_kind[STEP_DECODE].count, 8);
    assert_int_equal(norms.of_kind[STEP_KIND_NONE].count, 0);
    assert_int_equal(norms.of_kind[STEP_MIXED].worst, ROW_NONE);
    assert_false(step_stands_out(&norms, 12, 1001));
    assert_true(step_stands_out(&norms, 13, 1001)); // as a decode
    // The worst is furthest above its own kind, not the longest.
    bool but_slow_prefills[COUNT_OF_KINDS];
    for (int i = 0; i < COUNT_OF_KINDS; i++)
        but_slow_prefills[i] = i != 0 && i != 4;
    assert_int_equal(step_norms_of(&split, ns, but_slow_prefills, arena).worst, 9);
    // Without kinds the prefills are outliers of one set, and the longest step is the worst.
    split.content = NULL;
    sets = step_sets_of(&split, ns, arena);
    assert_bits(sets.outliers, "00001000110010001000");
    assert_bits(sets.steady, "01110000000000000000");
    assert_int_equal(step_norms_of(&split, ns, but_slow_prefills, arena).worst,
                     step_statistics_of(ns, but_slow_prefills, COUNT_OF_KINDS, arena).worst);
}

static const char *out_of(const char *members, enum omitted_steps_form form)
{
    struct step_sets sets = step_sets_of(&split_of_11, lengths_ns, arena);
    struct step_norms norms = step_norms_of(&split_of_11, lengths_ns, bits(members), arena);
    return omitted_steps_text(&split_of_11, lengths_ns, bits(members), &sets, &norms, form, arena);
}

static void test_reasons_of_outliers(void **state)
{
    (void)state;
    assert_null(out_of("11111111111", OMITTED_STEPS_FULL));
    assert_string_equal(out_of("00111011110", OMITTED_STEPS_FULL),
                        "3-4 warm-up, 8 outliers, 13 cut off by the capture");
    assert_string_equal(out_of("00111011110", OMITTED_STEPS_SHORT),
                        "3-4 warm-up, 8 outliers, 13 cut");
    assert_string_equal(out_of("00011111110", OMITTED_STEPS_COUNTS), "2 warm-up, 1 cut, 1 other");
    assert_string_equal(out_of("00000100000", OMITTED_STEPS_SHORT), "13 cut, 3-7,9-12 not chosen");
}

static void test_steady_range(void **state)
{
    (void)state;
    uint32_t first = 99;
    struct step_norms norms = {.split = &split_of_11, .of_kind[STEP_KIND_NONE].median = 6}; // 100
    assert_int_equal(steady_range(&norms, lengths_ns, NULL, 0.2, &first), 4);
    assert_int_equal(first, 6);
    // Ties go to the first range; steps outside the set never count.
    assert_int_equal(steady_range(&norms, lengths_ns, bits("11111111000"), 0, &first), 1);
    assert_int_equal(first, 2);
    assert_int_equal(steady_range(&norms, lengths_ns, bits("10000000000"), 0.2, &first), 0);
    // Half of the steps is longer: the median lies between, but the range has steps that are usual.
    static const int64_t halves_ns[] = {100, 101, 102, 200, 201, 202};
    struct split split_of_6 = {.count = COUNT(halves_ns), .number = numbers};
    struct step_sets sets = step_sets_of(&split_of_6, halves_ns, arena);
    assert_int_equal(sets.warm_up_count + sets.outlier_count, 0);
    assert_int_equal(sets.steady_count, 3);
    assert_true(sets.steady[3]);
}

static void test_host_periods(void **state)
{
    (void)state;
    int64_t start[] = {0, 100, 220, UNKNOWN, 10, 130, UNKNOWN, 300};
    int64_t stop[] = {90, 200, 290, UNKNOWN, 90, 180, UNKNOWN, 390};
    struct profile profile = {.process_count = 2};
    struct split split = {.count = 4, .process_start = start, .process_stop = stop};
    struct selection all = selection_all(&split);
    const int64_t *ns = step_host_periods(&profile, &all, arena);
    assert_int_equal(ns[0], (100 + 120) / 2); // until the next step begins
    assert_int_equal(ns[1], (120 + 50) / 2);  // the second process has no next step
    assert_int_equal(ns[2], 70);
    assert_int_equal(ns[3], 90);
    all.process = 0;
    ns = step_host_periods(&profile, &all, arena);
    assert_int_equal(ns[0], 100);
    assert_int_equal(ns[3], UNKNOWN);
    split.process_start = split.process_stop = NULL;
    split.start = start, split.stop = stop;
    assert_int_equal(step_host_periods(&profile, &all, arena)[1], 120);
}

// Processes of which one lacks the last steps and the other one in the middle, as a split has them.
static void test_unequal_processes(void **state)
{
    (void)state;
    int64_t start[] = {0, 100, INT64_MAX, 10, 230, 230},
            stop[] = {90, 200, INT64_MAX, 90, 230, 310};
    struct profile profile = {.process_count = 2};
    struct split split = {.count = 3, .process_start = start, .process_stop = stop};
    struct selection all = selection_all(&split);
    const int64_t *ns = step_host_periods(&profile, &all, arena);
    assert_int_equal(ns[0], (100 + 80) / 2);
    assert_int_equal(ns[1], 100);
    assert_int_equal(ns[2], 80);
}

// The sum of two endless steps does not overflow.
static void test_endless_steps(void **state)
{
    (void)state;
    int64_t start[] = {-10, 0}, stop[] = {INT64_MAX, INT64_MAX};
    struct profile profile = {.process_count = 2};
    struct split split = {.count = 1, .process_start = start, .process_stop = stop};
    struct selection all = selection_all(&split);
    assert_int_equal(step_host_periods(&profile, &all, arena)[0], INT64_MAX / 2);
}

static void test_durations(void **state)
{
    (void)state;
    int64_t start[] = {0, 10, 20}, stop[] = {10, 15, 20};
    struct split split = {.count = 3, .start = start, .stop = stop};
    struct breakdown parts[3] = {{.window_ns = 7}};
    const int64_t *ns = step_durations(&split, parts, arena);
    assert_int_equal(ns[0], 7); // by the clock of the GPU
    assert_int_equal(ns[1], 5); // by the clock of the host
    assert_int_equal(ns[2], UNKNOWN);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_statistics),        TEST(test_p95),
                                       TEST(test_outliers),          TEST(test_sets),
                                       TEST(test_sets_as_typed),     TEST(test_reasons_of_outliers),
                                       TEST(test_sets_of_kinds),     TEST(test_kinds_apart),
                                       TEST(test_steady_range),      TEST(test_host_periods),
                                       TEST(test_unequal_processes), TEST(test_endless_steps),
                                       TEST(test_durations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
