// SPDX-License-Identifier: Apache-2.0
// Checks steps and roles as PyTorch's TensorBoard plugin derives them, against figures worked out
// by hand, and the estimated occupancy of kernels.
#include "property.h"

#include <math.h>
#include <string.h>

#include "analysis/breakdown/occupancy.h"
#include "analysis/plugin/gpu_summary.h"
#include "analysis/plugin/plugin_steps.h"
#include "analysis/report/memo.h"
#include "analysis/reports/report_list.h"
#include "profile_builder.h"

struct fixture {
    struct profile_builder *builder;
    struct arena *arena;
    uint32_t thread;
    struct selection selection;
};

static struct fixture open_fixture(void)
{
    struct fixture fixture = {.builder = builder_new(), .arena = arena_new(0)};
    fixture.thread = builder_thread(fixture.builder, 1, 1);
    return fixture;
}

static void close_fixture(struct fixture *fixture)
{
    arena_free(fixture->arena);
    builder_free(fixture->builder);
}

static void launch(struct fixture *fixture, int64_t call, int64_t start, int64_t end,
                   const char *kernel)
{
    uint32_t row =
        builder_call(fixture->builder, fixture->thread, call, call + 5, "cudaLaunchKernel");
    builder_kernel(fixture->builder, row, 0, 7, start, end, kernel);
}

static const struct plugin_worker *worker_of(struct fixture *fixture)
{
    struct profile *profile = builder_build(fixture->builder, MODE_AUTO);
    fixture->selection = selection_all(split_find(profile, fixture->arena));
    const struct plugin_steps *steps =
        plugin_steps_of(profile, &fixture->selection, fixture->arena);
    assert_int_equal(steps->count, 1);
    return &steps->workers[0];
}

static void check_step(const struct plugin_step *step, int64_t number, int64_t start, int64_t stop)
{
    assert_int_equal(step->number, number);
    assert_int_equal(step->start, start);
    assert_int_equal(step->stop, stop);
    int64_t sum = 0;
    for (int r = 0; r < PLUGIN_ROLES; r++)
        sum += step->parts.ns[r];
    assert_int_equal(sum, stop - start);
    assert_int_equal(step->parts.window_ns, sum);
}

// A step lasts until its own work is done, and the next step begins there. A last step without
// launches is dropped.
static void test_windows(void **state)
{
    (void)state;
    struct fixture fixture = open_fixture();
    struct profile_builder *builder = fixture.builder;
    builder_range(builder, fixture.thread, 0, 500, "training"); // contains steps, hence no op
    builder_range(builder, fixture.thread, 100, 200, "ProfilerStep#3");
    builder_range(builder, fixture.thread, 200, 300, "ProfilerStep#4");
    builder_range(builder, fixture.thread, 300, 400, "ProfilerStep#5");
    launch(&fixture, 50, 105, 110, "early"); // belongs to no step: precedes the first step's work
    launch(&fixture, 110, 120, 150, "a");
    launch(&fixture, 120, 150, 230, "b");
    launch(&fixture, 210, 240, 280, "a");
    launch(&fixture, 220, 280, 330, "b");
    const struct plugin_worker *worker = worker_of(&fixture);
    assert_int_equal(worker->count, 2);
    assert_int_equal(worker->dropped, 1);
    check_step(&worker->steps[0], 3, 110, 230);
    check_step(&worker->steps[1], 4, 230, 330);
    // Step 110..230: the call at 110, kernels from 120 on, and a gap of 5 before them.
    assert_int_equal(worker->steps[0].parts.ns[PLUGIN_KERNEL], 110);
    assert_int_equal(worker->steps[0].parts.ns[PLUGIN_RUNTIME], 5);
    assert_int_equal(worker->steps[0].parts.ns[PLUGIN_CPU], 0);
    assert_int_equal(worker->steps[0].parts.ns[PLUGIN_OTHER], 5);
    const struct gpu_summary *gpu =
        gpu_summaries(builder->profile, &fixture.selection, fixture.arena);
    assert_int_equal(gpu->window_ns, 220);
    assert_int_equal(gpu->kernel_ns, 200); // without the gaps 110..120 and 230..240
    close_fixture(&fixture);
}

// Shares from cached steps equal those from a pass over all kernels, also if work of a side stream
// ends after the next step.
static void test_kept_shares(void **state)
{
    enum { STEPS = 3 };
    (void)state;
    for (int is_late = 0; is_late < 2; is_late++) {
        struct fixture fixture = open_fixture();
        for (int64_t i = 0; i < STEPS; i++) {
            builder_range(fixture.builder, fixture.thread, 100 * i, 100 * (i + 1),
                          arena_format(fixture.arena, "ProfilerStep#%d", (int)i));
            launch(&fixture, 100 * i + 10, 100 * i + 20, 100 * i + 70, "a");
        }
        launch(&fixture, 30, is_late ? 900 : 75, is_late ? 1000 : 80, "side");
        const struct plugin_worker *worker = worker_of(&fixture);
        const struct profile *profile = fixture.builder->profile;
        struct memo *memo = memo_new(profile, fixture.selection.split);
        assert_int_equal(worker->count, STEPS);
        for (unsigned set = 1; set < 1u << STEPS; set++) {
            bool members[STEPS];
            for (int i = 0; i < STEPS; i++)
                members[i] = set & 1u << i;
            struct selection selection = fixture.selection;
            selection.iterations = members;
            struct gpu_share plain = gpu_shares(profile, &selection, fixture.arena)[0];
            selection.memo = memo;
            struct gpu_share kept = gpu_shares(profile, &selection, fixture.arena)[0];
            assert_int_equal(kept.window_ns, plain.window_ns);
            assert_int_equal(kept.kernel_ns, plain.kernel_ns);
            assert_in_range(plain.kernel_ns, 0, plain.window_ns);
        }
        memo_free(memo);
        close_fixture(&fixture);
    }
}

// A last step with much less work than the one before counts as cut by the capture.
static void test_short_tail(void **state)
{
    (void)state;
    for (int less = 0; less < 2; less++) {
        struct fixture fixture = open_fixture();
        for (int step = 0; step < 2; step++) {
            int64_t at = 1000 * step;
            builder_range(fixture.builder, fixture.thread, at, at + 1000,
                          step ? "ProfilerStep#2" : "ProfilerStep#1");
            for (int i = 0; i < (step ? 4 - less : 5); i++)
                launch(&fixture, at + 20 * i, at + 20 * i + 10, at + 20 * i + 20, "a");
        }
        const struct plugin_worker *worker = worker_of(&fixture);
        assert_int_equal(worker->count, 2 - less); // 5 * 0.8 = 4
        assert_int_equal(worker->dropped, less);
        close_fixture(&fixture);
    }
}

// Each instant belongs to the first active role.
static void test_priorities(void **state)
{
    (void)state;
    struct fixture fixture = open_fixture();
    struct profile_builder *builder = fixture.builder;
    builder_range(builder, fixture.thread, 0, 1000, "ProfilerStep#0");
    builder_range(builder, fixture.thread, 0, 100,
                  "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
    builder_range(builder, fixture.thread, 10, 20, "aten::stack"); // inside the loader's time
    builder_range(builder, fixture.thread, 100, 500, "aten::mm");
    builder_range(builder, fixture.thread, 500, 600, "nccl:_all_gather_base");
    launch(&fixture, 110, 150, 250, "sgemm");
    launch(&fixture, 510, 520, 700, "ncclDevKernel_AllGather_RING_LL");
    launch(&fixture, 610, 620, 630, "sgemm"); // overlaps communication: kernel time
    uint32_t copy = builder_call(builder, fixture.thread, 300, 305, "cudaMemcpyAsync");
    builder_copy(builder, copy, 0, 8, 240, 340, 1000);
    builder_call(builder, fixture.thread, 420, 440, "cudaStreamSynchronize");
    const struct plugin_worker *worker = worker_of(&fixture);
    check_step(&worker->steps[0], 0, 0, 1000);
    static const int64_t expected[PLUGIN_ROLES] = {
        [PLUGIN_KERNEL] = 110, [PLUGIN_MEMCPY] = 90,  [PLUGIN_COMMUNICATION] = 190,
        [PLUGIN_RUNTIME] = 25, [PLUGIN_LOADER] = 100, [PLUGIN_CPU] = 185,
        [PLUGIN_OTHER] = 300,
    };
    for (int r = 0; r < PLUGIN_ROLES; r++)
        assert_int_equal(worker->steps[0].parts.ns[r], expected[r]);
    close_fixture(&fixture);
}

// The text states when the selected steps have no effect.
static void test_text_of_steps(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    struct split none = {.method = SPLIT_NONE, .unit = "iteration"};
    struct split loop = {.method = SPLIT_RANGES, .unit = "replay"};
    struct selection selection = {.split = &none};
    struct plugin_steps steps = {.by = ""};
    assert_string_equal(plugin_steps_text(&steps, &selection, arena), "nothing marks steps");
    selection.split = &loop;
    assert_string_equal(
        plugin_steps_text(&steps, &selection, arena),
        "no ProfilerStep#N marks steps: the whole trace is one, whichever replays are chosen");
    steps.by = "step N";
    assert_string_equal(plugin_steps_text(&steps, &selection, arena), "by \"step N\"");
    arena_free(arena);
}

// The parts of a mean add up to it after rounding.
static void test_mean(void **state)
{
    (void)state;
    struct breakdown sum = {.ns = {10, 10, 10, 0, 0, 0, 0, 10}};
    struct breakdown mean = plugin_mean(&sum, 3);
    int64_t parts = 0;
    for (int r = 0; r < PLUGIN_ROLES; r++) {
        assert_true(fabs((double)mean.ns[r] - (double)sum.ns[r] / 3) < 1);
        parts += mean.ns[r];
    }
    assert_int_equal(mean.window_ns, parts);
    assert_int_equal(parts, 13);
    assert_int_equal(plugin_mean(&sum, 0).window_ns, 0);
}

// ---- occupancy --------------------------------------------------------------------------------

static struct launch_shape shape_of(int32_t grid, int32_t block, int32_t registers, int32_t shared)
{
    return (struct launch_shape){.grid = {grid, 1, 1},
                                 .block = {block, 1, 1},
                                 .registers = registers,
                                 .static_shared = 0,
                                 .dynamic_shared = shared,
                                 .micro_blocks_per_sm = -1,
                                 .micro_occupancy = -1};
}

// Checks the limits worked out by hand: blocks, threads, registers and shared memory.
static void test_resident_blocks(void **state)
{
    (void)state;
    static const struct {
        int major, minor, block, registers, shared, blocks;
    } cases[] = {
        {7, 0, 32, 16, 0, 32},       // at most 32 blocks
        {7, 0, 1024, 16, 0, 2},      // 2048 threads
        {7, 5, 1024, 16, 0, 1},      // 1024 threads
        {7, 0, 256, 128, 0, 2},      // 16 warps of 4096 registers
        {7, 0, 96, 168, 0, 4},       // 12 warps of 5376: 3 in each part
        {7, 0, 128, 32, 33000, 2},   // 98304 bytes, 33024 per block
        {8, 0, 128, 32, 81920, 2},   // 167936 bytes, 82944 per block
        {9, 0, 384, 168, 231424, 1}, // 233472 bytes, 232448 per block
        {8, 6, 256, 16, 0, 6},       // 1536 threads
        {12, 0, 32, 16, 0, 24},      // 24 blocks
        {7, 0, 128, 255, 200000, 0}, // more shared memory than the device has
        {7, 0, 2048, 16, 0, 0},      // more threads than a block may have
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct device device = device_unknown;
        device.compute_major = cases[i].major;
        device.compute_minor = cases[i].minor;
        struct launch_shape shape =
            shape_of(1000, cases[i].block, cases[i].registers, cases[i].shared);
        assert_int_equal(resident_blocks(&device, &shape), cases[i].blocks);
    }
}

static void test_occupancy(void **state)
{
    (void)state;
    struct device device = device_unknown;
    struct launch_shape shape = shape_of(40, 256, 32, 0);
    assert_int_equal(resident_blocks(&device, &shape), UNKNOWN);
    assert_true(estimated_occupancy(&device, &shape) < 0);
    device.compute_major = 7;
    device.compute_minor = 0;
    assert_int_equal(micro_blocks_per_sm(&device, &shape), UNKNOWN);
    device.sm_count = 80;
    assert_int_equal(micro_blocks_per_sm(&device, &shape), 500000);
    assert_true(fabs(estimated_occupancy(&device, &shape) - 0.5 * 256 / 2048) < 1e-9);
    shape.grid[0] = 80000; // capped at the 8 blocks that fit
    assert_true(fabs(estimated_occupancy(&device, &shape) - 1) < 1e-9);
    shape.micro_blocks_per_sm = 2000000; // recorded value
    assert_true(fabs(estimated_occupancy(&device, &shape) - 2.0 * 256 / 2048) < 1e-9);
    shape.registers = -1;
    assert_true(estimated_occupancy(&device, &shape) < 0);
    shape = shape_of(INT32_MAX, 32, 16, 0);
    shape.grid[1] = shape.grid[2] = INT32_MAX;
    assert_int_equal(micro_blocks_per_sm(&device, &shape), UNKNOWN);
}

static struct value cell(const struct report *report, const struct rows *rows, const char *key)
{
    for (size_t c = 0; c < report->column_count; c++)
        if (strcmp(report->columns[c].key, key) == 0)
            return report->columns[c].get(rows->items);
    fail_msg("no column %s", key);
    return value_none();
}

// Where names of kernels do not tell, the share of Tensor Cores is "at least" that; where all tell,
// it is the share.
static void test_tensor_core_share(void **state)
{
    (void)state;
    static const char *const names[] = {"gpu_summary", "layers"};
    for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        bool tells = i % 2;
        struct fixture fixture = open_fixture();
        builder_range(fixture.builder, fixture.thread, 0, 500, "part");
        launch(&fixture, 10, 100, 140, "ampere_h16816gemm_128x64_tn");
        launch(&fixture, 20, 140, 170, "ampere_sgemm_128x64_tn");
        launch(&fixture, 30, 170, 200, tells ? "ampere_sgemm_128x64_nn" : "triton_tem_fused_mm_3");
        struct profile *profile = builder_build(fixture.builder, MODE_RANGES);
        fixture.selection = selection_all(split_find(profile, fixture.arena));
        const struct report *report = report_find(names[i / 2]);
        struct rows rows;
        struct error error;
        assert_true(
            report_build(report, profile, &fixture.selection, fixture.arena, &rows, &error));
        assert_int_equal(rows.count, 1);
        assert_true(fabs(cell(report, &rows, i / 2 ? "tc" : "tensor_cores").real - 0.4) < 1e-9);
        struct value least = cell(report, &rows, "tc_least");
        assert_int_equal(least.kind, tells ? VALUE_NONE : VALUE_TEXT);
        if (!tells)
            assert_string_equal(least.text, "at least");
        assert_true(fabs(cell(report, &rows, "tc_unknown").real - (tells ? 0 : 0.3)) < 1e-9);
        close_fixture(&fixture);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tensor_core_share),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_short_tail),
        cmocka_unit_test(test_kept_shares),
        cmocka_unit_test(test_priorities),
        cmocka_unit_test(test_text_of_steps),
        cmocka_unit_test(test_mean),
        cmocka_unit_test(test_resident_blocks),
        cmocka_unit_test(test_occupancy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
