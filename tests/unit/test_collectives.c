// SPDX-License-Identifier: Apache-2.0
// Checks which runs of kernels on several GPUs are combined into one collective: runs of all GPUs,
// of pairs, of both on separate streams, with clocks that differ and runs that the capture cuts.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/idle/collectives.h"
#include "analysis/idle/exposed.h"
#include "detection.h"

enum { RUNS = 20, GPUS = 4, WORLD = 9 };

#define ALL_REDUCE "ncclDevKernel_AllReduce_Sum_bf16_RING_LL"

struct fixture {
    struct arena *arena;
    struct profile_builder *builder;
    const struct profile *profile;
    struct selection selection;
    const struct collectives *found;
};

static struct fixture fixture_of(struct profile_builder *builder)
{
    struct fixture fixture = {.arena = arena_new(0), .builder = builder};
    fixture.profile = builder_build(builder, MODE_AUTO);
    fixture.selection = selection_all(split_find(fixture.profile, fixture.arena));
    fixture.found = collectives_of(fixture.profile, &fixture.selection, fixture.arena);
    return fixture;
}

static void fixture_free(struct fixture *fixture)
{
    arena_free(fixture->arena);
    builder_free(fixture->builder);
}

// Returns the collective of the n-th run on a stream of a GPU.
static const struct collective *run_of(const struct fixture *fixture, uint32_t gpu, uint32_t stream,
                                       uint32_t n, uint32_t *row)
{
    const struct gpu_work *work = &fixture->profile->work;
    const struct device *device = &fixture->profile->devices[gpu];
    for (uint32_t w = device->first_work; w < device->end_work; w++) {
        if (fixture->profile->streams[AT(work->stream, w)].stream_id != stream ||
            !work_is_collective(fixture->profile, w) || n-- > 0)
            continue;
        *row = AT(fixture->found->of_work, w);
        return *row == ROW_NONE ? NULL : &fixture->found->items[*row];
    }
    fail_msg("GPU %u has not so many runs", gpu);
    return NULL;
}

// Adds a run that ends at `end`, in which this GPU joins `late` ns after the start.
static void add_run(struct profile_builder *builder, uint32_t gpu, uint32_t stream, int64_t end,
                    int64_t late)
{
    builder_kernel_on(builder, gpu, stream, end - 3LL * MS + late, end, ALL_REDUCE);
}

// Pairs (0, 1) and (2, 3) run collectives, alternating with collectives of all GPUs if `has_world`.
// The second GPU of a pair is late, and GPU 2 is late for the collectives of all. Those run on
// `stream`, which may be the stream of the pairs.
static struct fixture tensor_parallel(uint32_t stream, bool has_world)
{
    struct profile_builder *builder = builder_new();
    for (uint32_t gpu = 0; gpu < GPUS; gpu++)
        for (int i = 0; i < RUNS; i++) {
            // The pairs have no common clock: the second is later than the first by a varying time.
            int64_t at = 100LL * (i + 1) * MS, pair = at + (gpu / 2) * (10LL + i * 7 % 5) * MS;
            add_run(builder, gpu, COMM, pair, gpu % 2 ? MS : 0);
            if (has_world)
                add_run(builder, gpu, stream, at + 50LL * MS, gpu == 2 ? 2 * MS : 0);
        }
    return fixture_of(builder);
}

// Builds RUNS collectives of all GPUs. The clock of each GPU is ahead by the given ns; GPU 3 joins
// 2 ms late.
static struct fixture all_gpus(const int64_t clock_ahead[GPUS])
{
    struct profile_builder *builder = builder_new();
    for (uint32_t gpu = 0; gpu < GPUS; gpu++)
        for (int i = 0; i < RUNS; i++)
            add_run(builder, gpu, COMM, (100LL * (i + 1) + i * 7 % 5) * MS + clock_ahead[gpu],
                    gpu == 3 ? 2 * MS : 0);
    return fixture_of(builder);
}

static void test_pairs(void **state)
{
    (void)state;
    struct fixture fixture = tensor_parallel(COMM, false);
    uint32_t row[GPUS];
    for (uint32_t gpu = 0; gpu < GPUS; gpu++) {
        const struct collective *collective = run_of(&fixture, gpu, COMM, 7, &row[gpu]);
        assert_non_null(collective);
        assert_int_equal(collective->members, 2);
        assert_true(collective->is_whole && collective->agrees);
        assert_int_equal(work_device(fixture.profile, collective->last_work), gpu | 1);
        assert_int_equal(row[gpu], row[gpu & ~1u]);
    }
    assert_int_not_equal(row[0], row[2]);
    // The first GPU of each pair waits for 1 of 3 ms.
    const struct exposed *exposed =
        exposed_devices(fixture.profile, &fixture.selection, fixture.arena);
    for (uint32_t gpu = 0; gpu < GPUS; gpu++) {
        assert_true(exposed[gpu].is_separable);
        assert_int_equal(exposed[gpu].unsplit_ns, 0);
        assert_int_equal(exposed[gpu].wait_ns, gpu % 2 ? 0 : RUNS * MS);
        assert_int_equal(exposed[gpu].transfer_ns, RUNS * 2 * MS);
    }
    fixture_free(&fixture);
}

// Pairs and all GPUs use one kernel name, as libraries do; each communicator has its own stream.
static void test_pairs_and_all(void **state)
{
    (void)state;
    struct fixture fixture = tensor_parallel(WORLD, true);
    uint32_t row, first;
    assert_int_equal(run_of(&fixture, 0, WORLD, 3, &first)->members, GPUS);
    for (uint32_t gpu = 0; gpu < GPUS; gpu++) {
        assert_int_equal(run_of(&fixture, gpu, COMM, 3, &row)->members, 2);
        const struct collective *collective = run_of(&fixture, gpu, WORLD, 3, &row);
        assert_int_equal(row, first);
        assert_true(collective->agrees);
        assert_int_equal(work_device(fixture.profile, collective->last_work), 2);
    }
    fixture_free(&fixture);
}

// Pairs and all GPUs use one stream: their runs cannot be distinguished, so none is assigned.
static void test_pairs_and_all_alternate(void **state)
{
    (void)state;
    struct fixture fixture = tensor_parallel(COMM, true);
    const struct exposed *exposed =
        exposed_devices(fixture.profile, &fixture.selection, fixture.arena);
    assert_int_equal(fixture.found->count, 0);
    for (uint32_t gpu = 0; gpu < GPUS; gpu++)
        assert_int_equal(exposed[gpu].unsplit_ns, exposed[gpu].ns);
    fixture_free(&fixture);
}

// All runs are collectives of all GPUs, told by durations: the others wait `late` ns for one GPU.
static void check_late_gpu(const struct fixture *fixture, uint32_t late_gpu, int64_t late)
{
    const struct exposed *exposed =
        exposed_devices(fixture->profile, &fixture->selection, fixture->arena);
    assert_int_equal(fixture->found->count, RUNS);
    assert_false(fixture->found->has_clock_mismatch);
    for (size_t i = 0; i < fixture->found->count; i++) {
        const struct collective *collective = &fixture->found->items[i];
        assert_true(collective->agrees && collective->by_durations);
        assert_int_equal(work_device(fixture->profile, collective->last_work), late_gpu);
        assert_int_equal(collective->shortest_ns, 3 * MS - late);
    }
    for (uint32_t gpu = 0; gpu < fixture->profile->device_count; gpu++) {
        assert_int_equal(exposed[gpu].unsplit_ns, 0);
        assert_int_equal(exposed[gpu].wait_ns, gpu == late_gpu ? 0 : RUNS * late);
        assert_int_equal(exposed[gpu].transfer_ns, RUNS * (3 * MS - late));
    }
}

// Two GPUs whose clocks are milliseconds apart, or drift by 50 ppm, or whose ends differ by little
// of what a run takes: durations tell who waits, and need no common clock.
static void test_durations(void **state)
{
    (void)state;
    static const struct {
        int64_t ahead, drift, skew; // ns; of each run
    } cases[] = {{5 * MS, 0, 0}, {-5 * MS, 5000, 0}, {0, 0, 60000}, {0, 5000, 30000}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct profile_builder *builder = builder_new();
        for (uint32_t gpu = 0; gpu < 2; gpu++)
            for (int i = 0; i < RUNS; i++) {
                int64_t off = cases[c].ahead + cases[c].drift * i + cases[c].skew * (i % 2);
                add_run(builder, gpu, COMM, (100LL * (i + 1) + i * 7 % 5) * MS + (gpu ? off : 0),
                        gpu ? MS : 0);
            }
        struct fixture fixture = fixture_of(builder);
        check_late_gpu(&fixture, 1, MS);
        fixture_free(&fixture);
    }
}

// The capture of one GPU begins three runs later than that of the other, as its process did. What
// has a partner is told; the last end together with others' only roughly.
static void test_first_runs_are_missing(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    for (uint32_t gpu = 0; gpu < 2; gpu++)
        for (int i = gpu ? 3 : 0; i < RUNS; i++)
            add_run(builder, gpu, COMM,
                    (100LL * (i + 1) + i * 7 % 5) * MS + (gpu ? 50000 * (i % 2) : 0), gpu ? MS : 0);
    struct fixture fixture = fixture_of(builder);
    const struct exposed *exposed =
        exposed_devices(fixture.profile, &fixture.selection, fixture.arena);
    uint32_t row, other;
    assert_ptr_equal(run_of(&fixture, 1, COMM, 0, &row), run_of(&fixture, 0, COMM, 3, &other));
    assert_false(run_of(&fixture, 0, COMM, 2, &row)->is_whole);
    assert_int_equal(exposed[0].wait_ns, (RUNS - 3) * MS);
    assert_int_equal(exposed[0].unsplit_ns, 3 * 3 * MS);
    assert_int_equal(exposed[1].transfer_ns, (RUNS - 3) * 2 * MS);
    fixture_free(&fixture);
}

// Who broadcasts does not wait: ends that differ say nothing about clocks.
static void test_broadcast(void **state)
{
    (void)state;
    for (int is_broadcast = 0; is_broadcast < 2; is_broadcast++) {
        struct profile_builder *builder = builder_new();
        for (uint32_t gpu = 0; gpu < 2; gpu++)
            for (int i = 0; i < RUNS; i++) {
                int64_t end = 100LL * (i + 1) * MS + (gpu ? (10LL + i * 7 % 5) * MS : 0);
                builder_kernel_on(builder, gpu, COMM, end - 3LL * MS, end,
                                  is_broadcast ? "ncclDevKernel_Broadcast_RING_LL" : ALL_REDUCE);
            }
        struct fixture fixture = fixture_of(builder);
        assert_int_equal(fixture.found->count, 0);
        assert_int_equal(fixture.found->has_clock_mismatch, !is_broadcast);
        fixture_free(&fixture);
    }
}

// The clock of a machine is ahead: its GPUs may also be a group of their own. (That of one GPU is
// ahead of others which are a group: nobody else is there that it could run with.)
static void test_clocks_ahead(void **state)
{
    (void)state;
    struct fixture ahead = all_gpus((const int64_t[GPUS]){0, 0, 300000, 300000});
    const struct exposed *untold = exposed_devices(ahead.profile, &ahead.selection, ahead.arena);
    assert_int_equal(ahead.found->count, 0);
    assert_true(ahead.found->has_clock_mismatch);
    assert_int_equal(untold[0].unsplit_ns, untold[0].ns);
    fixture_free(&ahead);
    ahead = all_gpus((const int64_t[GPUS]){0, 0, 0, 100000});
    check_late_gpu(&ahead, 3, 2 * MS);
    fixture_free(&ahead);
    // Small differences are ignored.
    struct fixture fixture = all_gpus((const int64_t[GPUS]){0, 15000, -15000, 0});
    const struct exposed *exposed =
        exposed_devices(fixture.profile, &fixture.selection, fixture.arena);
    assert_false(fixture.found->has_clock_mismatch);
    assert_int_equal(exposed[0].wait_ns, RUNS * 2 * MS);
    fixture_free(&fixture);
}

// The capture of GPU 3 begins one run later.
static void test_first_run_is_missing(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    for (uint32_t gpu = 0; gpu < GPUS; gpu++)
        for (int i = gpu == 3; i < RUNS; i++)
            add_run(builder, gpu, COMM, (100LL * (i + 1) + i * 7 % 5) * MS, gpu == 3 ? MS : 0);
    struct fixture fixture = fixture_of(builder);
    uint32_t row;
    assert_int_equal(run_of(&fixture, 0, COMM, 0, &row)->members, GPUS - 1);
    assert_false(run_of(&fixture, 0, COMM, 0, &row)->is_whole);
    assert_true(run_of(&fixture, 0, COMM, 1, &row)->agrees);
    assert_ptr_equal(run_of(&fixture, 3, COMM, 0, &row), run_of(&fixture, 0, COMM, 1, &row));
    assert_false(fixture.found->has_clock_mismatch);
    fixture_free(&fixture);
}

// The clocks drift by 1 ms per run: nothing is assigned, and the clocks are reported as the reason.
static void test_clocks_that_differ(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    for (uint32_t gpu = 0; gpu < 2; gpu++)
        for (int i = 0; i < RUNS; i++)
            add_run(builder, gpu, COMM, 100LL * (i + 1) * MS + (int64_t)gpu * i * MS, 0);
    struct fixture fixture = fixture_of(builder);
    assert_int_equal(fixture.found->count, 0);
    assert_true(fixture.found->has_clock_mismatch);
    fixture_free(&fixture);
}

// GPU 3 lacks the last run, and GPU 0 runs another program.
static void test_missing_run_and_other_program(void **state)
{
    (void)state;
    struct profile_builder *builder = builder_new();
    add_run(builder, 0, COMM, 70LL * MS, 0);
    for (uint32_t gpu = 1; gpu < GPUS; gpu++)
        for (int i = 0; i < RUNS - (gpu == 3); i++)
            add_run(builder, gpu, COMM, 100LL * (i + 1) * MS, 0);
    struct fixture fixture = fixture_of(builder);
    uint32_t row;
    assert_null(run_of(&fixture, 0, COMM, 0, &row));
    assert_true(run_of(&fixture, 1, COMM, RUNS - 2, &row)->is_whole);
    assert_false(run_of(&fixture, 1, COMM, RUNS - 1, &row)->is_whole);
    assert_int_equal(run_of(&fixture, 1, COMM, RUNS - 1, &row)->members, 2);
    assert_false(fixture.found->has_clock_mismatch);
    fixture_free(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_pairs_and_all),
        cmocka_unit_test(test_pairs_and_all_alternate),
        cmocka_unit_test(test_clocks_ahead),
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_first_runs_are_missing),
        cmocka_unit_test(test_broadcast),
        cmocka_unit_test(test_first_run_is_missing),
        cmocka_unit_test(test_clocks_that_differ),
        cmocka_unit_test(test_missing_run_and_other_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
