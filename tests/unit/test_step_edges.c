// SPDX-License-Identifier: Apache-2.0
// Checks the steps at the edges of a capture: work launched before it, steps that it cuts, and the
// waits before the first work and after the last. Each case has a healthy twin.
#include "property.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/place/selection_text.h"
#include "analysis/report/report.h"
#include "analysis/steps/step_sets.h"
#include "model/open/open.h"
#include "model/steps/split.h"
#include "paths.h"
#include "profile_builder.h"

enum { MS = 1000000, US = 1000 };

static struct profile_builder *builder;
static uint32_t thread;

static void begin(void)
{
    builder = builder_new();
    thread = builder_thread(builder, 1, 1);
}

static struct split *steps_of(struct profile **profile)
{
    *profile = builder_build(builder, MODE_AUTO);
    return split_find(*profile, (*profile)->arena);
}

static void step(int64_t start, int64_t stop, int number)
{
    char text[20];
    snprintf(text, sizeof text, "step %d", number);
    builder_range(builder, thread, start, stop, text);
}

static uint32_t kernel(int64_t launch, int64_t start, int64_t end)
{
    uint32_t call = builder_call(builder, thread, launch, launch + 5 * US, "cudaLaunchKernel");
    return builder_kernel(builder, call, 0, 7, start, end, "gemm");
}

static uint32_t window_of(const struct split *split, uint32_t handle)
{
    return split->of_work[builder->work_row[handle]];
}

// ---- work without a launch ---------------------------------------------------------------------

// The queue is full when the capture begins: 20 kernels of the step before run within the host's
// time of steps 0 and 1. On a second stream nothing was launched before.
static void test_full_queue(void **state)
{
    (void)state;
    for (int is_full = 0; is_full < 2; is_full++) {
        begin();
        struct profile *profile;
        uint32_t first[3], early = 0;
        int64_t gpu = is_full ? 20LL * MS : 0;
        for (int i = 0; is_full && i < 20; i++)
            early = builder_kernel(builder, ROW_NONE, 0, 7, (int64_t)i * MS, (int64_t)(i + 1) * MS,
                                   "gemm");
        for (int i = 0; i < 3; i++) {
            int64_t at = (int64_t)i * 10 * MS;
            step(at, at + 10 * MS - 1, i);
            for (int k = 0; k < 12; k++) {
                uint32_t row = kernel(at + k * 100 * US + 10 * US, gpu + 20 * US, gpu + MS);
                first[i] = k ? first[i] : row;
                gpu += MS;
            }
        }
        struct split *split = steps_of(&profile);
        assert_int_equal(split->count, 3);
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(window_of(split, first[i]), i);
            assert_false(split->is_cut[i]);
        }
        assert_int_equal(split->outside_count, is_full ? 20 : 0);
        assert_int_equal(split->early_count, is_full ? 20 : 0);
        if (is_full)
            assert_int_equal(window_of(split, early), ROW_NONE);
        // The first step begins when that work has ended, or with its range.
        assert_int_equal(split->gpu_start[0], is_full ? 20LL * MS + 20 * US : 0);
        struct selection selection = selection_all(split);
        const char *text = selection_text(profile, &selection, profile->arena);
        assert_int_equal(
            strstr(text, "outside (20 pieces of GPU work launched before the capture)") != NULL,
            is_full);
        builder_free(builder);
    }
}

// Work between two launched ones of one step belongs to it, between those of two steps to neither;
// so does work after the last launch, and on a stream without any.
static void test_between_launches(void **state)
{
    (void)state;
    begin();
    struct profile *profile;
    step(0, 10 * MS, 0);
    step(10 * MS, 20 * MS, 1);
    kernel(MS, MS + 10 * US, 2 * MS);
    uint32_t inside = builder_kernel(builder, ROW_NONE, 0, 7, 2 * MS, 3 * MS, "gemm");
    kernel(2 * MS, 3 * MS, 4 * MS);
    uint32_t between = builder_kernel(builder, ROW_NONE, 0, 7, 5 * MS, 6 * MS, "gemm");
    kernel(11 * MS, 12 * MS, 13 * MS);
    uint32_t after = builder_kernel(builder, ROW_NONE, 0, 7, 14 * MS, 15 * MS, "gemm");
    uint32_t alone = builder_kernel(builder, ROW_NONE, 0, 9, 2 * MS, 3 * MS, "gemm");
    struct split *split = steps_of(&profile);
    assert_int_equal(window_of(split, inside), 0);
    assert_int_equal(window_of(split, between), ROW_NONE);
    assert_int_equal(window_of(split, after), ROW_NONE);
    assert_int_equal(window_of(split, alone), ROW_NONE);
    assert_int_equal(split->outside_count, 3);
    assert_int_equal(split->early_count, 0);
    builder_free(builder);
}

// ---- steps that the capture cuts ---------------------------------------------------------------

enum cut_case {
    WHOLE,
    LATE_WORK_MISSING,  // the last launches have no work
    FIRST_WORK_MISSING, // nor have the first
    CAPTURED_LAUNCHES,  // healthy: they are kernels that a graph captures
    CALLS_END,          // the records of calls end, the ops go on
    CALLS_BEGIN_LATE,
    SMALL_STEP, // healthy: an evaluation, with fewer ops and launches
    HOST_TAIL,  // healthy: more ops without launches, but all launches
    CUT_CASES
};

static struct split *cut_case(enum cut_case which)
{
    enum { STEPS = 4, OPS = 20 };
    struct profile *profile;
    begin();
    for (int i = 0; i < STEPS; i++) {
        int64_t at = (int64_t)i * 10 * MS;
        bool is_last = i + 1 == STEPS;
        int ops = which == SMALL_STEP && is_last ? OPS / 2 : OPS;
        step(at, at + 10 * MS - 1, i);
        if (which == CAPTURED_LAUNCHES && is_last)
            builder_call(builder, thread, at + 8 * MS + MS / 10, at + 8 * MS + MS / 5,
                         "cudaStreamBeginCapture_v10000");
        for (int k = 0; k < ops; k++) {
            int64_t op = at + k * 400 * US + 10 * US;
            bool has_call = !(which == CALLS_END && is_last && k >= 5) &&
                            !(which == CALLS_BEGIN_LATE && i == 0 && k < 15);
            bool has_work = !(which == LATE_WORK_MISSING && is_last && k >= 18) &&
                            !(which == FIRST_WORK_MISSING && i == 0 && k < 2);
            builder_range(builder, thread, op, op + 300 * US, "aten::mm");
            if (has_call && has_work)
                kernel(op + 10 * US, op + 30 * US, op + 200 * US);
            else if (has_call)
                builder_call(builder, thread, op + 10 * US, op + 15 * US, "cudaLaunchKernel");
        }
        if (which == CAPTURED_LAUNCHES && is_last)
            builder_call(builder, thread, at + 9 * MS, at + 9 * MS + 5 * US, "cudaLaunchKernel");
        for (int k = 0; which == HOST_TAIL && is_last && k < 10; k++)
            builder_range(builder, thread, at + 8 * MS + k * 100 * US,
                          at + 8 * MS + k * 100 * US + 50, "aten::sum");
    }
    return steps_of(&profile);
}

static void test_cut_steps(void **state)
{
    (void)state;
    static const struct {
        bool first, last;
    } want[CUT_CASES] = {
        [LATE_WORK_MISSING] = {.last = true},
        [FIRST_WORK_MISSING] = {.first = true},
        [CALLS_END] = {.last = true},
        [CALLS_BEGIN_LATE] = {.first = true},
    };
    for (int which = 0; which < CUT_CASES; which++) {
        struct split *split = cut_case((enum cut_case)which);
        assert_int_equal(split->count, 4);
        for (uint32_t i = 0; i < 4; i++) {
            bool is_cut = (i == 0 && want[which].first) || (i == 3 && want[which].last);
            if (split->is_cut[i] != is_cut)
                fail_msg("case %d: step %u is %s", which, i, is_cut ? "not cut" : "cut");
        }
        builder_free(builder);
    }
}

// ---- waits at the edges ------------------------------------------------------------------------

// A single step in which the GPU waits for the host before, between and after its kernels lasts as
// long as on the host. With a queue that is full, or clocks that do not agree, only the work
// counts.
static void test_single_step(void **state)
{
    (void)state;
    enum { HOST_BOUND, LATE_GPU_CLOCK, EARLY_GPU_CLOCK, CASES };
    static const int64_t offset[CASES] = {0, 3600LL * 1000 * MS, -50LL * MS};
    for (int which = 0; which < CASES; which++) {
        begin();
        struct profile *profile;
        step(100LL * MS, 200LL * MS, 6);
        for (int k = 0; k < 40; k++) {
            int64_t at = 130LL * MS + k * MS;
            kernel(at, at + 10 * US + offset[which], at + MS / 2 + offset[which]);
        }
        struct split *split = steps_of(&profile);
        struct selection selection = selection_all(split);
        const struct breakdown gpu =
            breakdown_total(profile, &selection, &breakdown_gpu, profile->arena);
        int64_t length = split->gpu_stop[0] - split->gpu_start[0];
        if (which == LATE_GPU_CLOCK)
            assert_int_equal(length, 39LL * MS + MS / 2 - 10 * US);
        else
            assert_in_range(length, 100LL * MS - 20 * US, 100LL * MS);
        // The whole is the step, and its idle time has causes.
        assert_int_equal(gpu.window_ns, length);
        assert_int_equal(breakdown_busy_ns(&gpu), 40LL * (MS / 2 - 10 * US));
        builder_free(builder);
    }
}

// Each step has its own wait: a loader of 30 ms before 60 ms of work, the last one, too.
static void test_equal_steps(void **state)
{
    (void)state;
    begin();
    struct profile *profile;
    for (int i = 0; i < 5; i++) {
        int64_t at = (int64_t)i * 100 * MS;
        step(at, at + 100 * MS - 1, i);
        for (int k = 0; k < 60; k++)
            kernel(at + (30 + k) * MS, at + (30 + k) * MS + 10 * US, at + (31 + k) * MS);
    }
    struct split *split = steps_of(&profile);
    int64_t sum = 0;
    for (uint32_t i = 0; i < 5; i++) {
        assert_in_range(split->gpu_stop[i] - split->gpu_start[i], 100 * MS - 1, 100 * MS);
        sum += split->gpu_stop[i] - split->gpu_start[i];
        assert_true(i == 0 || split->gpu_start[i] == split->gpu_stop[i - 1]);
    }
    struct selection selection = selection_all(split);
    assert_int_equal(breakdown_total(profile, &selection, &breakdown_gpu, profile->arena).window_ns,
                     sum);
    builder_free(builder);
}

// ---- profiles of the corpus --------------------------------------------------------------------

struct expected_step {
    int64_t number, gpu_us, kernels; // gpu_us 0: not checked
    bool is_cut;
};

// A step without work on the GPU, as of an idle server, is between two steps whose work overlaps:
// the first ends where the third begins.
static void test_idle_between(void **state)
{
    (void)state;
    begin();
    static const int64_t start[] = {30, 0, 2030}, end[] = {2500, 0, 2900};
    for (int i = 0; i < 3; i++) {
        int64_t t = i * 1000;
        builder_range(builder, thread, t, t + 900,
                      i == 1 ? "step[IDLE bs=0]" : "step[DECODE bs=1]");
        if (end[i]) {
            uint32_t call = builder_call(builder, thread, t + 10, t + 20, "cudaLaunchKernel");
            builder_kernel(builder, call, 0, 7 + (uint32_t)i, start[i], end[i], "k");
        }
    }
    struct profile *profile;
    struct split *split = steps_of(&profile);
    assert_int_equal(split->count, 3);
    assert_int_equal(split->gpu_start[1], UNKNOWN);
    assert_int_equal(split->gpu_start[2], 2030);
    assert_int_equal(split->gpu_stop[0], 2030);
    assert_int_equal(split->gpu_stop[2], 2900);
    builder_free(builder);
}

struct expected_file {
    const char *path;
    double mean_ms, tolerance_ms; // of the steps that are not cut
    uint32_t early_count;
    struct expected_step steps[6];
};

// The figures were recomputed from the rows of the files with a script.
static const struct expected_file files[] = {
    {"kineto/mi300_resnet_ckpt/resnet_act_checkpoint.json.gz",
     18.84,
     0.01,
     968,
     {{15, 18980, 746, false}, {16, 18983, 746, false}, {17, 18554, 746, false}}},
    // Step 5 begins when the work launched before the capture has ended, 0.7 s before its kernels.
    {"kineto/gt_resnet50_ddp/worker0_span1.pt.trace.json.gz",
     1939.1,
     1,
     809,
     {{5, 2019247, 1804, false},
      {6, 1899256, 1804, false},
      {7, 1898871, 1804, false},
      {8, 0, 145, true}}},
    {"kineto/gt_resnet50_ddp/worker1_span1.pt.trace.json.gz",
     1924.2,
     1,
     777,
     {{5, 2106979, 1789, false},
      {6, 1907458, 1789, false},
      {7, 1895477, 1789, false},
      {8, 1786944, 1789, false}}},
    {"kineto/resnet50_nw0_b/worker0.1623143566756.pt.trace.json.gz",
     154.9,
     0.1,
     0,
     {{16, 171772, 1462, false},
      {17, 149553, 1462, false},
      {18, 149803, 1462, false},
      {19, 149532, 1462, false},
      {20, 154343, 1462, false},
      {21, 154465, 1462, false}}},
    {"kineto/h100_owlv2/google_owlv2-large-patch14-ensemble__1016001.json.gz",
     1211.2,
     0.1,
     0,
     {{6, 1211182, 4330, false}}},
};

static void check_file(const struct expected_file *want, const char *path)
{
    struct error error = {0};
    struct load_request request = {.path = path};
    struct profile *profile = profile_load(&request, &error);
    if (!profile)
        fail_msg("%s: %s", path, error.message);
    struct arena *arena = arena_new(0);
    struct split *split = split_find(profile, arena);
    struct selection selection = selection_all(split);
    const int64_t *lengths = step_lengths(profile, &selection, arena);
    double sum = 0;
    int whole = 0;
    assert_int_equal(split->early_count, want->early_count);
    for (uint32_t i = 0; i < split->count; i++) {
        const struct expected_step *step = &want->steps[i];
        int64_t kernels = 0;
        for (uint32_t w = 0; w < profile->work.count; w++)
            kernels += split->of_work[w] == i &&
                       profile->functions[AT(profile->work.function, w)].kind == WORK_KERNEL;
        assert_int_equal(split->number[i], step->number);
        assert_int_equal(kernels, step->kernels);
        assert_int_equal(split->is_cut[i], step->is_cut);
        if (step->gpu_us)
            assert_in_range(lengths[i], (step->gpu_us - 1) * US, (step->gpu_us + 1) * US);
        sum += split->is_cut[i] ? 0 : (double)lengths[i] / MS;
        whole += !split->is_cut[i];
    }
    assert_true(fabs(sum / whole - want->mean_ms) <= want->tolerance_ms);
    arena_free(arena);
    profile_free(profile);
}

static void test_corpus(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[1000];
        snprintf(path, sizeof path, "%s/%s", source_path("/../shared/corpus"), files[i].path);
        if (access(path, R_OK) == 0)
            check_file(&files[i], path);
        else
            print_message("%s is not there: skipped\n", files[i].path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_queue),  cmocka_unit_test(test_between_launches),
        cmocka_unit_test(test_cut_steps),   cmocka_unit_test(test_single_step),
        cmocka_unit_test(test_equal_steps), cmocka_unit_test(test_idle_between),
        cmocka_unit_test(test_corpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
