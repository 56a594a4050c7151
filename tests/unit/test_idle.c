// SPDX-License-Identifier: Apache-2.0
// Idle time by cause: the parts have no holes or overlaps, and each cause is found only where it
// applies.
#include <stdlib.h>
#include <string.h>

#include "analysis/reports/report_list.h"
#include "property.h"

#include "analysis/idle/idle_groups.h"
#include "analysis/report/memo.h"
#include "analysis/report/report.h"
#include "model/profile/loader.h"
#include "profile_builder.h"
#include "scenario.h"

// ---- table of causes ---------------------------------------------------------------------------

static void test_table(void **state)
{
    (void)state;
    for (int a = 0; a < IDLE_CAUSES; a++) {
        assert_true(strlen(idle_causes[a].doc) > 20 && *idle_causes[a].title);
        for (int b = 0; b < a; b++) {
            assert_string_not_equal(idle_causes[a].key, idle_causes[b].key);
            assert_string_not_equal(idle_causes[a].brief, idle_causes[b].brief);
            assert_true(idle_causes[a].glyph != idle_causes[b].glyph);
        }
    }
}

static void test_cause_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum host_activity activity;
    } calls[] = {
        {"cudaLaunchKernel_v7000", HOST_BUSY},
        {"cudaStreamSynchronize_v3020", HOST_SYNC},
        {"cuCtxSynchronize", HOST_SYNC},
        {"cudaStreamWaitEvent_v3020", HOST_BUSY},
        {"cudaMemcpyAsync_v3020", HOST_COPY},
        {"cuMemcpyDtoH_v2", HOST_COPY},
        {"cudaMalloc_v3020", HOST_ALLOCATOR},
        {"cudaFree_v3020", HOST_ALLOCATOR},
        {"cudaHostAlloc_v3020", HOST_ALLOCATOR},
        {"cuMemAlloc_v2", HOST_ALLOCATOR},
        {"cudaMallocAsync_v11020", HOST_BUSY},
        {"cuModuleLoadData", HOST_COMPILE},
        {"cuLibraryLoadData", HOST_COMPILE},
        {"cudaMemsetAsync_v3020", HOST_BUSY},
        {"hipStreamSynchronize", HOST_SYNC},
        {"hipDeviceSynchronize", HOST_SYNC},
        {"hipMemcpyWithStream", HOST_COPY},
        {"hipHostMalloc", HOST_ALLOCATOR},
        {"hipFree", HOST_ALLOCATOR},
        {"hipFreeAsync", HOST_BUSY},
        {"hipModuleLoadData", HOST_COMPILE},
        {"hipModuleLaunchKernel", HOST_BUSY},
        {"hipExtModuleLaunchKernel", HOST_BUSY},
        {"hipPointerGetAttribute", HOST_BUSY},
        {"MPI_Allreduce", HOST_BUSY},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        assert_int_equal(api_activity(calls[i].name), calls[i].activity);
    assert_int_equal(overhead_activity("CUPTI: Buffer flush"), HOST_PROFILER);
    assert_int_equal(overhead_activity("lazy function loading"), HOST_COMPILE);
    assert_int_equal(overhead_activity("Driver JIT compiler (CUDA)"), HOST_COMPILE);
    assert_int_equal(overhead_activity("dlopen(libcudnn.so.9)"), HOST_COMPILE);
    assert_int_equal(overhead_activity("Command buffer full (CUDA)"), HOST_QUEUE_FULL);
}

// ---- small profiles ----------------------------------------------------------------------------

enum { US = 1000 };

// Returns the parts between the work of a GPU in order as "host 70 latency 10 ...", in
// microseconds.
static const char *parts_text(const struct profile *profile, uint32_t device, uint32_t process)
{
    const struct idle *idle = idle_find(profile, device, process, profile->arena);
    const char *text = "";
    for (size_t p = 0; p < idle[device].count; p++) {
        struct idle_part part = idle_part_at(&idle[device], p);
        bool is_after = part.next_work == ROW_NONE && process == ROW_NONE;
        if (is_after || part.next_work == profile->devices[device].first_work)
            continue;
        text = arena_format(profile->arena, "%s%s%s %d%s", text, *text ? " " : "",
                            idle_causes[part.cause].brief, (int)((part.to - part.from) / US),
                            part.is_inferred ? "?" : "");
    }
    return text;
}

static uint32_t launch(struct profile_builder *builder, uint32_t thread, int64_t call_us,
                       uint32_t device, int64_t from_us, int64_t to_us)
{
    uint32_t call =
        builder_call(builder, thread, call_us * US, call_us * US + 5 * US, "cudaLaunchKernel");
    return builder_kernel(builder, call, device, 7, from_us * US, to_us * US, "gemm");
}

// A synchronisation explains only the time that the thread spent in it; the rest has another cause.
static void test_sync_is_bounded(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    launch(builder, thread, 0, 0, 10, 100);
    builder_call(builder, thread, 60 * US, 101 * US, "cudaDeviceSynchronize"); // waits for 41
    launch(builder, thread, 300, 0, 310, 320);
    builder_call(builder, thread, 330 * US, 335 * US,
                 "cudaDeviceSynchronize"); // the queue was empty before
    launch(builder, thread, 400, 0, 410, 420);
    struct profile *profile = builder_build(builder, MODE_RANGES);
    assert_string_equal(parts_text(profile, 0, ROW_NONE),
                        "sync 41 host 159 latency 10 host 80 latency 10");
    builder_free(builder);
}

// What follows a synchronisation is its consequence, but in a data loader the thread waits for
// data; the report `overview` says the same.
static void test_loader_after_sync(void **state)
{
    (void)state;
    for (int is_loader = 0; is_loader < 2; is_loader++) {
        struct profile_builder *builder = builder_new();
        uint32_t thread = builder_thread(builder, 1, 1);
        launch(builder, thread, 0, 0, 10, 100);
        builder_call(builder, thread, 60 * US, 101 * US, "cudaStreamSynchronize"); // .item()
        builder_range(builder, thread, 110 * US, 200 * US,
                      is_loader ? "enumerate(DataLoader)#_Next" : "metrics");
        launch(builder, thread, 300, 0, 310, 320);
        struct profile *profile = builder_build(builder, MODE_RANGES);
        assert_string_equal(parts_text(profile, 0, ROW_NONE),
                            is_loader ? "sync 10 data 90 host 100 latency 10"
                                      : "sync 41 host 159 latency 10");
        builder_free(builder);
    }
}

// A long launch call may block on the full queue of another GPU; the file may record that, and then
// the time is not the host's.
static void test_full_queue_is_not_host_bound(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    launch(builder, thread, 0, 0, 10, 20);
    builder_call(builder, thread, 30 * US, 130 * US, "cudaLaunchKernel"); // on the other GPU
    launch(builder, thread, 140, 0, 150, 160);
    struct profile *profile = builder_build(builder, MODE_RANGES);
    assert_string_equal(parts_text(profile, 0, ROW_NONE), "host 120 latency 10");
    int64_t start = 30 * US, end = 130 * US;
    string_id name = strings_intern_text(profile->strings, "command buffer full");
    profile->overheads = (struct overheads){
        .count = 1,
        .first_without_thread = 1,
        .start = column64_pack(profile->arena, 1, &start, NULL, 1),
        .end = column64_pack(profile->arena, 1, &end, NULL, 1),
        .name = &name,
    };
    profile->threads[0].end_overhead = 1;
    assert_string_equal(parts_text(profile, 0, ROW_NONE), "host 10 unknown 100 host 10 latency 10");
    name = strings_intern_text(profile->strings, "buffer flush");
    assert_string_equal(parts_text(profile, 0, ROW_NONE),
                        "host 10 profiler 100 host 10 latency 10");
    profile->threads[0].end_overhead = 0; // of an unknown thread: it counts for any thread
    profile->overheads.first_without_thread = 0;
    assert_string_equal(parts_text(profile, 0, ROW_NONE),
                        "host 10 profiler 100 host 10 latency 10");
    builder_free(builder);
}

// A GPU shared by two processes is idle when neither runs work on it. For one process alone, the
// work of the other is a separate cause.
static void test_shared_gpu(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    uint32_t one = builder_thread(builder, 1, 1), two = builder_thread(builder, 2, 2);
    launch(builder, one, 0, 0, 10, 20);
    launch(builder, two, 15, 0, 30, 60);
    launch(builder, one, 90, 0, 100, 110);
    launch(builder, two, 140, 0, 150, 160);
    struct profile *profile = builder_build(builder, MODE_RANGES);
    assert_int_equal(profile->device_count, 1);
    assert_string_equal(parts_text(profile, 0, ROW_NONE),
                        "latency 10 host 30 latency 10 host 30 latency 10");
    assert_string_equal(parts_text(profile, 0, 0),
                        "host 10 other 30 host 30 latency 10 unknown 40 other 10");
    builder_free(builder);
}

// The autograd thread has no ranges; the range of the thread that waits for it explains its time.
static void test_adopter_explains(void **state)
{
    (void)state;
    for (int with_range = 0; with_range < 2; with_range++) {
        struct profile_builder *builder = builder_new();
        uint32_t main = builder_thread(builder, 1, 1), engine = builder_thread(builder, 1, 2);
        launch(builder, main, 0, 0, 10, 20);
        if (with_range)
            builder_range(builder, main, 1000 * US, 9000 * US, "backward");
        launch(builder, engine, 6000, 0, 6010, 6020);
        struct profile *profile = builder_build(builder, MODE_RANGES);
        assert_string_equal(parts_text(profile, 0, ROW_NONE),
                            with_range ? "unknown 980 host 5000 latency 10"
                                       : "unknown 5980 latency 10");
        builder_free(builder);
    }
}

// Ranges of steps, and ranges that enclose them, do not show what the thread is doing.
static void test_step_ranges_are_no_evidence(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    builder_range(builder, thread, 0, 30000 * US, "training");
    builder_range(builder, thread, 1 * US, 9000 * US, "step 1");
    launch(builder, thread, 2, 0, 10, 20);
    launch(builder, thread, 4000, 0, 4010, 4020);
    builder_range(builder, thread, 9000 * US, 19000 * US, "step 2");
    builder_range(builder, thread, 9001 * US, 18000 * US, "forward");
    launch(builder, thread, 12000, 0, 12010, 12020);
    struct profile *profile = builder_build(builder, MODE_RANGES);
    assert_string_equal(parts_text(profile, 0, ROW_NONE),
                        "unknown 3980 latency 10 unknown 4981 host 2999 latency 10");
    builder_free(builder);
}

// If the GPU's clock is behind the host's clock, kernels start before their launch.
static void test_clocks_apart(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int i = 0; i < 4; i++)
        launch(builder, thread, 5000 + 100 * i, 0, 10 + 100 * i, 20 + 100 * i);
    struct profile *profile = builder_build(builder, MODE_RANGES);
    struct idle *idle = idle_find(profile, 0, ROW_NONE, profile->arena);
    assert_int_equal(idle[0].skew_ns, 4990 * US);
    // The correction of the skew gives the fastest launch a latency of 0.
    assert_string_equal(parts_text(profile, 0, ROW_NONE), "host 90 host 90 host 90");
    builder_free(builder);
}

static void test_no_launch_is_unknown(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    launch(builder, thread, 0, 0, 10, 20);
    builder_kernel(builder, ROW_NONE, 0, 7, 30 * US, 40 * US, "gemm");
    uint32_t node = builder_kernel(builder, ROW_NONE, 0, 7, 50 * US, 60 * US, "gemm");
    uint32_t next = builder_kernel(builder, ROW_NONE, 0, 7, 70 * US, 80 * US, "gemm");
    builder_in_graph(builder, node, 9, 1);
    builder_in_graph(builder, next, 9, 2);
    struct profile *profile = builder_build(builder, MODE_RANGES);
    assert_string_equal(parts_text(profile, 0, ROW_NONE), "unknown 10 unknown 10 graph 10");
    builder_free(builder);
}

// A GPU that is never idle still counts in the time that the share of idle time refers to.
static void test_busy_gpu_counts(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    launch(builder, thread, 0, 0, 10, 20);
    launch(builder, thread, 90, 0, 100, 110);
    launch(builder, thread, 5, 1, 10, 110);
    struct profile *profile = builder_build(builder, MODE_RANGES);
    struct selection selection = selection_all(split_find(profile, profile->arena));
    const struct idle_sum *devices = idle_devices(profile, &selection, profile->arena);
    assert_int_equal(devices[0].window_ns, 100 * US);
    assert_int_equal(devices[0].idle_ns, 80 * US);
    assert_int_equal(devices[1].window_ns, 100 * US);
    assert_int_equal(devices[1].idle_ns, 0);
    builder_free(builder);
}

// If all work of a GPU is outside of the steps, its idle time in them is unknown, and a note says
// so. With work in one of the steps it is known.
static void test_work_outside_of_steps(void **state)
{
    (void)state;
    for (int inside = 0; inside < 2; inside++) {
        struct profile_builder *builder = builder_new();
        uint32_t thread = builder_thread(builder, 1, 1);
        for (int i = 0; i < 3; i++)
            builder_range(builder, thread, 1000 * i * US, (1000 * i + 900) * US,
                          arena_format(builder->profile->arena, "step %d", i));
        if (inside)
            launch(builder, thread, 1100, 0, 1110, 1130);
        launch(builder, thread, 4000, 0, 4010, 4030);
        launch(builder, thread, 4090, 0, 4100, 4110);
        struct profile *profile = builder_build(builder, MODE_RANGES);
        struct selection selection = selection_all(split_find(profile, profile->arena));
        assert_int_equal(selection.split->count, 3);
        const struct report *devices = report_find("devices");
        struct rows rows = devices->build(profile, &selection, profile->arena);
        static const char *const keys[] = {"busy", "busy_ns", "window", "idle"};
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            struct value value =
                report_column(devices, keys[k])->get(report_row(devices, &rows, 0));
            assert_true(value.kind != VALUE_NONE && value.integer != UNKNOWN);
        }
        if (!inside) { // all time is that from the first work to the last
            const void *row = report_row(devices, &rows, 0);
            assert_int_equal(report_column(devices, "busy_ns")->get(row).integer, 30000);
            assert_int_equal(report_column(devices, "window")->get(row).integer, 100000);
            assert_int_equal(report_column(devices, "idle")->get(row).integer, 70000);
        }
        // In the steps alone it is neither busy nor idle.
        bool steps[] = {true, true, true};
        struct selection in_steps = selection;
        in_steps.iterations = steps;
        rows = devices->build(profile, &in_steps, profile->arena);
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            struct value value =
                report_column(devices, keys[k])->get(report_row(devices, &rows, 0));
            assert_int_equal(value.kind == VALUE_NONE ||
                                 (value.kind == VALUE_INTEGER && value.integer == UNKNOWN),
                             !inside);
        }
        static const char *const names[] = {"idle", "idle_gaps"};
        for (size_t r = 0; r < sizeof names / sizeof *names; r++) {
            rows = report_find(names[r])->build(profile, &selection, profile->arena);
            assert_int_equal(rows.count == 0, !inside);
            if (!inside)
                assert_non_null(
                    strstr(rows.empty, "no GPU work in the steps; 30.0 us outside of them"));
        }
        builder_free(builder);
    }
}

// ---- generated profiles ------------------------------------------------------------------------

static struct idle_sum causes_of(const char *scenario)
{
    struct profile *profile = scenario_open(scenario);
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    bool *members = ARENA_ARRAY(arena, bool, selection.split->count);
    for (uint32_t i = 3; i < selection.split->count && i < 8; i++)
        members[i] = true; // after the warm-up, before the cut step
    selection.iterations = members;
    struct breakdown total = breakdown_total(profile, &selection, &breakdown_gpu, arena);
    struct idle_sum sum = idle_total(profile, &selection, &total, arena);
    arena_free(arena);
    profile_free(profile);
    return sum;
}

// Each planted problem has its cause: without the problem this cause is gone and the others stay.
static void test_planted_causes(void **state)
{
    (void)state;
    if (run_is_quick()) // three large profiles
        skip();
    struct idle_sum all = causes_of("demo --steps=9");
    struct idle_sum no_item = causes_of("demo --steps=9 --without=item");
    struct idle_sum no_loader = causes_of("demo --steps=9 --without=loader --without=latebatch");
    assert_true(all.ns[IDLE_SYNC] > 10 * 5 * 1000000);
    assert_true(no_item.ns[IDLE_SYNC] < all.ns[IDLE_SYNC] / 50);
    assert_true(no_item.ns[IDLE_DATA] > all.ns[IDLE_DATA] / 10 * 9);
    assert_true(all.ns[IDLE_DATA] > 10 * 5 * 1000000);
    assert_true(no_loader.ns[IDLE_DATA] < all.ns[IDLE_DATA] / 50);
    assert_true(no_loader.ns[IDLE_SYNC] > all.ns[IDLE_SYNC] / 10 * 9);
    assert_true(all.ns[IDLE_UNKNOWN] < all.idle_ns / 100);
}

// For any selection the longest idle gap is not longer than all of them together.
static void test_longest_is_in_scope(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("demo --steps=4");
    struct arena *arena = arena_new(0), *look = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    const struct op_tree *tree = selection_tree(profile, &selection);
    selection.memo = memo_new(profile, selection.split);
    for (uint32_t n = 0; n < tree->count; n++) {
        int64_t ns[IDLE_CAUSES] = {0};
        selection.node = n;
        struct idle_groups groups = idle_groups_of(profile, &selection, look);
        for (uint32_t g = 0; g < groups.count; g++)
            ns[groups.items[g].cause] += groups.items[g].figures[IDLE_NS];
        for (int c = 0; c < IDLE_CAUSES; c++) {
            assert_true(groups.longest_ns[c] <= ns[c]);
            assert_true(groups.longest_ns[c] > 0 || ns[c] == 0);
        }
        arena_reset(look);
    }
    memo_free(selection.memo);
    arena_free(look);
    arena_free(arena);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_cause_names),
        cmocka_unit_test(test_sync_is_bounded),
        cmocka_unit_test(test_loader_after_sync),
        cmocka_unit_test(test_full_queue_is_not_host_bound),
        cmocka_unit_test(test_shared_gpu),
        cmocka_unit_test(test_adopter_explains),
        cmocka_unit_test(test_step_ranges_are_no_evidence),
        cmocka_unit_test(test_clocks_apart),
        cmocka_unit_test(test_no_launch_is_unknown),
        cmocka_unit_test(test_planted_causes),
        cmocka_unit_test(test_busy_gpu_counts),
        cmocka_unit_test(test_work_outside_of_steps),
        cmocka_unit_test(test_longest_is_in_scope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
