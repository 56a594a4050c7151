// SPDX-License-Identifier: Apache-2.0
// Checks the explanation of a slow step against figures worked out on paper. On generated profiles
// the rows must add up to the difference, for every step against every median.
#include "analysis/reports/report_list.h"
#include "property.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/breakdown/instants.h"
#include "analysis/idle/step_difference.h"
#include "analysis/report/report.h"
#include "analysis/steps/step_statistics.h"
#include "detection.h"
#include "model/profile/loader.h"
#include "profile_builder.h"
#include "scenario.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

// Builds four steps of 10 us. Each runs a gemm of 4 us in `fwd` and a copy of 1 us that overlaps
// the gemm and ends after it. Step 2 has a gemm of 6 us, which hides the copy, and an all-reduce in
// `bwd` that starts 3 us late.
static struct profile_builder *four_steps(void)
{
    struct profile_builder *b = builder_new();
    uint32_t thread = builder_thread(b, 1, 1);
    int64_t start = 0;
    for (int i = 0; i < 4; i++) {
        bool is_slow = i == 2;
        int64_t end = start + 10000 + (is_slow ? 6000 : 0);
        char name[20];
        snprintf(name, sizeof name, "step %d", i);
        builder_range(b, thread, start, end - 10, name);
        builder_range(b, thread, start + 10, start + 200, "fwd");
        builder_range(b, thread, start + 300, start + 400, "bwd");
        uint32_t gemm = builder_call(b, thread, start + 20, start + 30, "cudaLaunchKernel");
        uint32_t copy = builder_call(b, thread, start + 40, start + 50, "cudaMemcpyAsync");
        uint32_t reduce = builder_call(b, thread, start + 310, start + 320, "cudaLaunchKernel");
        int64_t gemm_end = start + 100 + (is_slow ? 6000 : 4000);
        builder_kernel(b, gemm, 0, 7, start + 100, gemm_end, "gemm");
        builder_copy(b, copy, 0, 8, start + 3600, start + 4600, 64);
        int64_t late = gemm_end + (is_slow ? 4000 : 1000);
        builder_kernel(b, reduce, 0, 7, late, late + 2000, "ncclDevKernel_AllReduce");
        start = end;
    }
    builder_build(b, MODE_AUTO);
    return b;
}

static const struct difference_row *find(const struct step_difference *difference, const char *what,
                                         size_t category)
{
    for (size_t i = 0; i < difference->count; i++)
        if (strcmp(difference->rows[i].what, what) == 0 && difference->rows[i].category == category)
            return &difference->rows[i];
    fail_msg("no row %s", what);
    return NULL;
}

static void assert_adds_up(const struct step_difference *difference)
{
    int64_t here = 0, median = 0, delta = 0;
    for (size_t i = 0; i < difference->count; i++) {
        const struct difference_row *row = &difference->rows[i];
        assert_int_equal(row->delta_ns, row->here_ns - row->median_ns);
        here += row->here_ns;
        median += row->median_ns;
        delta += row->delta_ns;
        bool is_rest = row->kind == DIFFERENCE_REST;
        assert_true(!is_rest || i + 1 == difference->count);
        if (i > 0 && !is_rest)
            assert_true(llabs(row->delta_ns) <= llabs(row[-1].delta_ns));
    }
    assert_int_equal(here, difference->here_ns);
    assert_int_equal(median, difference->median_ns);
    assert_int_equal(delta, difference->delta_ns);
}

static void test_figures_on_paper(void **state)
{
    (void)state;
    struct profile_builder *b = four_steps();
    struct arena *arena = arena_new(0);
    struct split *split = split_find(b->profile, arena);
    assert_int_equal(split->count, 4);
    struct selection all = selection_all(split);
    struct step_difference difference = step_difference_of(b->profile, &all, NULL, ROW_NONE, arena);
    assert_null(difference.why_none);
    assert_int_equal(difference.step, 2);
    assert_int_equal(difference.here_ns, 16000);
    assert_int_equal(difference.median_ns, 10000);
    assert_adds_up(&difference);
    // Step 2 is 6 us longer: +2 us of the gemm, -500 ns of the copy, which is no longer exposed,
    // and the rest is idle time.
    const struct difference_row *gemm = find(&difference, "gemm", GPU_OTHER_KERNELS);
    assert_int_equal(gemm->here_ns, 6000);
    assert_int_equal(gemm->median_ns, 4000);
    assert_string_equal(gemm->where, "step N > fwd");
    assert_int_equal(find(&difference, "[memcpy HtoD]", GPU_COPIES)->delta_ns, -500);
    int64_t idle_ns = 0;
    for (size_t r = 0; r < difference.count; r++)
        idle_ns += difference.rows[r].kind == DIFFERENCE_IDLE ? difference.rows[r].delta_ns : 0;
    assert_int_equal(idle_ns, 6000 - 2000 + 500);
    // The all-reduce has its usual length, so it belongs to everything else, together with the
    // unchanged idle time.
    const struct difference_row *rest = &difference.rows[difference.count - 1];
    assert_int_equal(rest->kind, DIFFERENCE_REST);
    assert_int_equal(rest->delta_ns, 0);
    assert_in_range(rest->here_ns, 2000, 2200);
    struct step_difference folded = step_difference_fold(&difference, 2, arena);
    assert_int_equal(folded.count, 2);
    assert_adds_up(&folded);
    assert_int_equal(folded.rows[1].under_ns, 2000); // the gemm
    folded = step_difference_fold(&difference, difference.count, arena);
    assert_ptr_equal(folded.rows, difference.rows);
    arena_free(arena);
    builder_free(b);
}

static void test_nothing_to_compare(void **state)
{
    (void)state;
    struct profile_builder *b = four_steps();
    struct arena *arena = arena_new(0);
    struct split *split = split_find(b->profile, arena);
    struct selection all = selection_all(split);
    struct step_statistics usual =
        step_statistics_of(step_lengths(b->profile, &all, arena), NULL, split->count, arena);
    assert_non_null(step_difference_of(b->profile, &all, NULL, usual.median, arena).why_none);
    bool one[4] = {false, true, false, false};
    assert_non_null(step_difference_of(b->profile, &all, one, 2, arena).why_none);
    all.split = split_by_key(b->profile, "no such op", arena);
    assert_non_null(step_difference_of(b->profile, &all, NULL, ROW_NONE, arena).why_none);
    all.split = split;
    all.device = 99; // a GPU without work
    assert_non_null(step_difference_of(b->profile, &all, NULL, 2, arena).why_none);
    arena_free(arena);
    builder_free(b);
}

// Of a server a step is compared with the median of its own kind: the only prefill with none.
static void test_kinds(void **state)
{
    (void)state;
    struct profile_builder *b = four_steps();
    struct arena *arena = arena_new(0);
    struct split *split = split_find(b->profile, arena);
    struct selection all = selection_all(split);
    struct step_content content[4];
    for (int i = 0; i < 4; i++) {
        content[i] = step_content_none;
        content[i].kind = i == 2 ? STEP_PREFILL : STEP_DECODE;
    }
    assert_int_equal(step_difference_of(b->profile, &all, NULL, ROW_NONE, arena).step, 2);
    split->content = content;
    assert_int_equal(step_difference_of(b->profile, &all, NULL, ROW_NONE, arena).step, 1);
    assert_non_null(step_difference_of(b->profile, &all, NULL, 2, arena).why_none);
    content[3].kind = STEP_PREFILL; // now two, with the median between them
    struct step_difference difference = step_difference_of(b->profile, &all, NULL, 3, arena);
    assert_null(difference.why_none);
    assert_int_equal(difference.median, 2);
    assert_string_equal(difference.role, "next to the median");
    difference = step_difference_of(b->profile, &all, NULL, 2, arena);
    assert_string_equal(difference.why_none, "This is the step next to the median.");
    arena_free(arena);
    builder_free(b);
}

// A set of several steps is explained by its longest step against its median, a single step against
// the median of all steps.
static void test_report_says_which_step(void **state)
{
    (void)state;
    struct profile_builder *b = four_steps();
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(b->profile, arena));
    const struct report *report = report_find("difference");
    struct rows rows = report->build(b->profile, &selection, arena);
    assert_non_null(strstr(rows.caption, "step 2: 16.0"));
    bool members[4] = {true, false, false, false};
    selection.iterations = members;
    rows = report->build(b->profile, &selection, arena);
    assert_non_null(strstr(rows.caption, "step 0: 10.0"));
    assert_non_null(strstr(rows.caption, "of step 1, the median"));
    members[2] = true;
    rows = report->build(b->profile, &selection, arena);
    // the longer of two steps
    assert_string_equal(rows.empty, "This is the step next to the median.");
    selection.step = 0;
    rows = report->build(b->profile, &selection, arena);
    assert_non_null(strstr(rows.caption, "step 0: 10.0"));
    assert_non_null(strstr(rows.caption, "of step 2, next to the median"));
    arena_free(arena);
    builder_free(b);
}

// In step 2 GPU 1 computes for 20 ms more and GPU 0 waits for it in the collective. Each cause
// counts half, as figures are means over the two GPUs.
static void test_waiting(void **state)
{
    (void)state;
    struct profile_builder *b = builder_new();
    for (uint32_t gpu = 0; gpu < 2; gpu++)
        for (int i = 0; i < 5; i++) {
            int64_t at = 200LL * i * MS, more = i == 2 ? 20 * MS : 0;
            builder_step_on(b, gpu, at, at + 200 * MS - 1, i);
            builder_kernel_on(b, gpu, COMPUTE, at + MS, at + 60 * MS + (gpu ? more : 0), "compute");
            builder_kernel_on(b, gpu, COMM, at + 60 * MS + (gpu ? more : 0), at + 62 * MS + more,
                              "ncclDevKernel_AllReduce");
            builder_kernel_on(b, gpu, COMPUTE, at + 62 * MS + more, at + (200 + 1) * MS, "after");
        }
    struct profile *profile = builder_build(b, MODE_AUTO);
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    struct step_difference difference = step_difference_of(profile, &selection, NULL, 2, arena);
    assert_null(difference.why_none);
    assert_adds_up(&difference);
    size_t waits = 0;
    for (size_t r = 0; r < difference.count; r++) {
        const struct difference_row *row = &difference.rows[r];
        waits += row->is_waiting;
        if (row->is_waiting) {
            assert_int_equal(row->delta_ns, 10 * MS);
            assert_non_null(strstr(row->what, "AllReduce, waiting"));
        }
    }
    assert_int_equal(waits, 1);
    arena_free(arena);
    builder_free(b);
}

// Checks every step of a profile, on all GPUs and on each single one.
static void check_profile(const struct profile *profile, const struct selection *selection,
                          struct arena *arena)
{
    const struct split *split = selection->split;
    const struct breakdown *parts = breakdown_iterations(profile, selection, &breakdown_gpu, arena);
    const int64_t *length_ns = step_lengths(profile, selection, arena);
    const int64_t *known_ns = step_durations(split, parts, arena);
    for (uint32_t i = 0; i < split->count; i++) {
        assert_int_equal(length_ns[i], known_ns[i]);
        struct step_difference difference = step_difference_of(profile, selection, NULL, i, arena);
        if (difference.why_none)
            continue;
        assert_int_equal(difference.here_ns, length_ns[i]);
        assert_adds_up(&difference);
        int64_t rows_idle = 0;
        for (size_t max_rows = 1; max_rows < 8; max_rows++) {
            struct step_difference folded = step_difference_fold(&difference, max_rows, arena);
            assert_true(folded.count <= max_rows);
            assert_adds_up(&folded);
        }
        for (size_t r = 0; r < difference.count; r++)
            rows_idle += difference.rows[r].category == GPU_IDLE ? difference.rows[r].here_ns : 0;
        assert_true(rows_idle <= parts[i].ns[GPU_IDLE] || selection->device == ROW_NONE);
    }
}

static void test_adds_up(void **state)
{
    static const char *const scenarios[] = {"demo --steps=5 --kernels=20000",
                                            "ddp",
                                            "oneproc4gpu",
                                            "graphs-node",
                                            "graphs-graph",
                                            "graphs-2proc",
                                            "plain",
                                            "emit",
                                            "none",
                                            "serving",
                                            "hostile",
                                            "skew",
                                            "unmatched",
                                            "deep",
                                            "cpuonly",
                                            "dlprof"};
    (void)state;
    size_t count = run_is_quick() ? 2 : COUNT(scenarios);
    for (size_t s = 0; s < count; s++) {
        struct profile *profile = scenario_open(scenarios[s]);
        struct arena *arena = arena_new(0);
        const struct split *splits[] = {split_find(profile, arena),
                                        split_by_key(profile, NULL, arena)};
        for (size_t k = 0; k < COUNT(splits); k++) {
            struct selection selection = selection_all(splits[k]);
            check_profile(profile, &selection, arena);
            for (uint32_t d = 0; d < profile->device_count && d < 2; d++) {
                selection.device = d;
                check_profile(profile, &selection, arena);
            }
            selection.device = ROW_NONE;
            selection.is_folded = selection.adoption = false;
            selection.process = 0;
            check_profile(profile, &selection, arena);
        }
        arena_free(arena);
        profile_free(profile);
    }
}

// Work that began long before a window counts with its instants in the window.
static void add_ns(void *context, int64_t from, int64_t to, uint32_t work)
{
    int64_t *ns = context; // indexed by row of work
    assert_true(work != ROW_NONE);
    ns[work] += to - from;
}

static void test_work_reaches_into_a_window(void **state)
{
    (void)state;
    enum { SHORT = 50 };
    struct profile_builder *b = builder_new();
    uint32_t thread = builder_thread(b, 1, 1);
    uint32_t call = builder_call(b, thread, 10, 20, "cudaLaunchKernel");
    builder_kernel(b, call, 0, 9, 100, 100000, "ncclDevKernel_AllReduce");
    for (int i = 0; i < SHORT; i++) {
        call = builder_call(b, thread, 30 + 20 * i, 40 + 20 * i, "cudaLaunchKernel");
        builder_kernel(b, call, 0, 7, 2000 * (i + 1), 2000 * (i + 1) + 100, "gemm");
    }
    const struct profile *profile = builder_build(b, MODE_AUTO);
    struct arena *arena = arena_new(0);
    struct selection all = selection_all(split_find(profile, arena));
    int64_t ns[SHORT + 1] = {0};
    const struct instants_visitor visitor = {add_ns, ns};
    instants_visit(profile, &all, 0, (struct window){50000, 54000}, &visitor, arena);
    assert_int_equal(ns[0], 4000 - 2 * 100); // the row that begins first
    arena_free(arena);
    builder_free(b);
}

static bool difference_body(void *context, struct error *error)
{
    struct trial *trial = context;
    const struct profile *profile = trial->data;
    (void)error;
    struct selection all = selection_all(split_find(profile, trial->arena));
    step_difference_of(profile, &all, NULL, ROW_NONE, trial->arena);
    return true;
}

static void test_allocation_failures(void **state)
{
    (void)state;
    struct profile_builder *b = four_steps();
    trial_allocations(difference_body, b->profile);
    builder_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figures_on_paper),
        cmocka_unit_test(test_nothing_to_compare),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_report_says_which_step),
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_adds_up),
        cmocka_unit_test(test_work_reaches_into_a_window),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
