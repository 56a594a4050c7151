// SPDX-License-Identifier: Apache-2.0
// Traces of several ranks in one file: checks the process, GPU and op of each piece of GPU work.
#include "property.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/plugin/distributed.h"
#include "analysis/report/operators.h"
#include "base/text/bytes.h"
#include "file_text.h"
#include "model/open/open.h"
#include "paths.h"

struct trace {
    char path[200];
    struct arena *arena;
    struct bytes events;
    const char *gpus; // listed in the file
    struct profile *profile;
};

static void trace_open(struct trace *trace)
{
    static int number;
    snprintf(trace->path, sizeof trace->path, "%s/owners_%d_%d.json", build_path(""), (int)getpid(),
             number++);
    trace->arena = arena_new(0);
    trace->events = (struct bytes){.arena = trace->arena};
    trace->gpus = "";
}

static void put_event(struct trace *trace, const char *text)
{
    bytes_text(&trace->events, trace->events.count ? "," : "[");
    bytes_text(&trace->events, text);
}

static void trace_load(struct trace *trace)
{
    struct error error = {0};
    bytes_add(&trace->events, "]", 2);
    file_write(trace->path,
               arena_format(trace->arena, "{\"deviceProperties\":[%s],\"traceEvents\":%s}",
                            trace->gpus, trace->events.items));
    struct load_request request = {.path = trace->path};
    trace->profile = profile_load(&request, &error);
    if (!trace->profile)
        fail_msg("%s", error.message);
}

static void trace_close(struct trace *trace)
{
    profile_free(trace->profile);
    arena_free(trace->arena);
    unlink(trace->path);
}

enum { STEPS = 40 };

struct rank {
    int pid;
    const char *track; // track (pid) of its GPU, as JSON
    int device, stream, context;
    int64_t first_id; // first correlation id; the others follow
    int late;         // us by which its program runs later than that of rank 0
};

// Each op of a rank launches one kernel; both are named after the rank and the number. Op `skipped`
// has no launch.
static void put_rank(struct trace *trace, const struct rank *rank, int index, int skipped)
{
    char *text;
    for (int i = 0; i < STEPS; i++) {
        int at = 1000 + i * 100 + rank->late;
        long long id = rank->first_id + i;
        text = arena_format(trace->arena,
                            "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op_%d_%d\",\"pid\":%d,"
                            "\"tid\":1,\"ts\":%d,\"dur\":20,\"args\":{}}",
                            index, i, rank->pid, at);
        put_event(trace, text);
        text = arena_format(trace->arena,
                            "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\","
                            "\"pid\":%d,\"tid\":1,\"ts\":%d,\"dur\":4,\"args\":{\"correlation\":"
                            "%lld}}",
                            rank->pid, at + 5, id);
        if (i != skipped)
            put_event(trace, text);
        text = arena_format(trace->arena,
                            "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"op_%d_%d\",\"pid\":%s,"
                            "\"tid\":%d,\"ts\":%d,\"dur\":30,\"args\":{\"device\":%d,\"stream\":%d,"
                            "\"context\":%d,\"correlation\":%lld}}",
                            index, i, rank->track, rank->stream, at + 40, rank->device,
                            rank->stream, rank->context, id);
        put_event(trace, text);
    }
}

static void assert_own_ops(const struct profile *profile, const struct rank *ranks)
{
    for (uint32_t w = 0; w < profile->work.count; w++) {
        const char *kernel =
            profile_text(profile, profile->functions[AT(profile->work.function, w)].full);
        int index = kernel[3] - '0';
        assert_int_equal(profile->processes[work_process(profile, w)].pid, ranks[index].pid);
        uint32_t range = operator_of_work(profile, w);
        if (AT(profile->work.launch, w) == ROW_NONE)
            continue;
        assert_true(range != ROW_NONE);
        assert_string_equal(
            profile_text(profile, operator_name(profile, range_label(&profile->ranges, range))),
            kernel);
    }
}

static void assert_numbers(const struct profile *profile) // each GPU can be selected
{
    for (uint32_t d = 0; d < profile->device_count; d++)
        assert_int_equal(profile_find_device(profile, device_number(profile, d)), d);
}

// Each rank is a worker, named after its process, with only its own ops.
static void assert_workers(const struct trace *trace, const struct rank *ranks, uint32_t count)
{
    const struct profile *profile = trace->profile;
    struct selection selection = selection_all(split_find(profile, trace->arena));
    const struct plugin_steps *steps = plugin_steps_of(profile, &selection, trace->arena);
    assert_int_equal(steps->count, count);
    for (uint32_t w = 0; w < count; w++) {
        char name[40];
        snprintf(name, sizeof name, "pid %d", ranks[w].pid);
        assert_string_equal(worker_text(profile, &steps->workers[w], trace->arena), name);
        assert_int_equal(steps->workers[w].count, 1);
        assert_int_equal(steps->workers[w].steps[0].parts.ns[PLUGIN_KERNEL], 30000 * STEPS);
    }
    // With one GPU selected, workers without work on it do not count in the mean.
    uint32_t on_gpus = 0;
    for (selection.device = 0; selection.device < profile->device_count; selection.device++) {
        int64_t in_mean;
        steps = plugin_steps_of(profile, &selection, trace->arena);
        struct breakdown mean = plugin_average(steps, &selection, &in_mean);
        assert_int_equal(mean.ns[PLUGIN_KERNEL], 30000 * STEPS);
        assert_int_equal(in_mean, steps->count);
        on_gpus += steps->count;
    }
    assert_int_equal(on_gpus, count);
}

static void check(const struct rank *ranks, int count, unsigned devices, unsigned streams)
{
    struct trace trace;
    trace_open(&trace);
    for (int r = 0; r < count; r++)
        put_rank(&trace, &ranks[r], r, r ? 7 : -1);
    trace_load(&trace);
    const struct profile *profile = trace.profile;
    assert_int_equal(profile->work.count, count * STEPS);
    assert_int_equal(profile->process_count, count);
    assert_int_equal(profile->device_count, devices);
    assert_int_equal(profile->stream_count, streams);
    assert_own_ops(profile, ranks);
    assert_numbers(profile);
    assert_workers(&trace, ranks, (uint32_t)count);
    trace_close(&trace);
}

// Both ranks use the same ids, and one runs before, after or at the same time as the other.
static void test_two_gpus(void **state)
{
    (void)state;
    static const int lates[] = {0, 3, 50, 150, -150, 5000};
    for (size_t i = 0; i < sizeof lates / sizeof *lates; i++) {
        const struct rank ranks[] = {{100, "0", 0, 7, 1, 1, 0}, {200, "1", 1, 7, 1, 1, lates[i]}};
        check(ranks, 2, 2, 2);
    }
}

// Each rank calls its GPU 0; tracks, given as words or numbers, distinguish them.
static void test_same_number(void **state)
{
    (void)state;
    const struct rank words[] = {{100, "\"rank 0 GPU 0\"", 0, 7, 1, 1, 0},
                                 {200, "\"rank 1 GPU 0\"", 0, 7, 1, 1, 13}};
    check(words, 2, 2, 2);
    const struct rank numbers[] = {{100, "10000", 0, 7, 1, 1, 0},
                                   {200, "20000", 0, 7, 1, 1, 13},
                                   {300, "30000", 0, 7, 1, 1, 26}};
    check(numbers, 3, 3, 3);
}

// Two ranks share one GPU on one track, each with its own context.
static void test_shared_gpu(void **state)
{
    (void)state;
    const struct rank ranks[] = {{100, "0", 0, 7, 1, 1, 0}, {200, "0", 0, 7, 2, 1, 13}};
    check(ranks, 2, 1, 2);
}

// Several tracks of one process are one GPU.
static void test_one_process(void **state)
{
    (void)state;
    struct trace trace;
    struct rank rank = {100, "0", 0, 7, 1, 1, 0};
    trace_open(&trace);
    put_rank(&trace, &rank, 0, -1);
    rank.track = "77";
    rank.first_id = 1000;
    put_rank(&trace, &rank, 0, -1);
    trace_load(&trace);
    assert_int_equal(trace.profile->device_count, 1);
    assert_int_equal(trace.profile->stream_count, 1);
    assert_own_ops(trace.profile, &rank);
    trace_close(&trace);
}

// Ids of more than 32 bits, whose lower half is the id of another call.
static void test_long_ids(void **state)
{
    (void)state;
    const struct rank ranks[] = {{100, "0", 0, 7, 1, INT64_C(1) << 32, 0},
                                 {200, "1", 1, 7, 1, 1, 0}};
    check(ranks, 2, 2, 2);
}

// More ranks than are matched by their ids.
static void test_many_ranks(void **state)
{
    enum { RANKS = 72 };
    (void)state;
    struct rank ranks[RANKS];
    struct trace trace;
    trace_open(&trace);
    for (int r = 0; r < RANKS; r++) {
        const char *track = arena_format(trace.arena, "%d", r);
        ranks[r] = (struct rank){1000 + r, track, r, 7, 1, 1, r % 5};
        put_rank(&trace, &ranks[r], r, -1);
    }
    trace_load(&trace);
    assert_int_equal(trace.profile->device_count, RANKS);
    for (uint32_t w = 0; w < trace.profile->work.count; w++) {
        int64_t number = device_number(trace.profile, work_device(trace.profile, w));
        assert_int_equal(trace.profile->processes[work_process(trace.profile, w)].pid,
                         1000 + number);
    }
    trace_close(&trace);
}

#define LISTED(id) "{\"id\":" #id ",\"name\":\"NVIDIA H100\"}"
#define SYNC(track, time, device, correlation)                                      \
    "{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Context Sync\",\"pid\":" #track \
    ",\"tid\":0,\"ts\":" #time ",\"dur\":3,\"args\":{\"device\":" #device           \
    ",\"stream\":-1,\"correlation\":" #correlation "}}"
#define WAITS(pid, time, correlation)                                                         \
    "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaDeviceSynchronize\",\"pid\":" #pid \
    ",\"tid\":1,\"ts\":" #time ",\"dur\":9,\"args\":{\"correlation\":" #correlation "}}"

// GPUs that are listed and used occur once. A synchronisation without a stream belongs to the
// process of its GPU, whichever other calls have its id.
static void test_listed(void **state)
{
    (void)state;
    const struct rank ranks[] = {{100, "0", 0, 7, 1, 1, 0}, {200, "1", 1, 7, 1, 1, 13}};
    struct trace trace;
    trace_open(&trace);
    trace.gpus = LISTED(0) "," LISTED(1) "," LISTED(2);
    put_rank(&trace, &ranks[0], 0, -1);
    put_event(&trace, WAITS(100, 8000, 500));
    put_event(&trace, SYNC(0, 8001, 0, 500));
    put_rank(&trace, &ranks[1], 1, -1);
    put_event(&trace, WAITS(200, 8100, 500));
    put_event(&trace, SYNC(1, 8101, 1, 500));
    trace_load(&trace);
    const struct profile *profile = trace.profile;
    assert_int_equal(profile->device_count, 3);
    assert_int_equal(profile->syncs.count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t thread = AT(profile->api.thread, profile->syncs.api[i]);
        assert_int_equal(profile->processes[profile->threads[thread].process].pid, ranks[i].pid);
    }
    trace_close(&trace);
}

// Calls without GPU work have ids as well, and own no work.
static void test_other_calls(void **state)
{
    (void)state;
    const struct rank ranks[] = {{100, "0", 0, 7, 1, 1000, 0}, {200, "1", 1, 7, 1, 1, 13}};
    struct trace trace;
    trace_open(&trace);
    for (int i = 0; i < 3 * STEPS; i++)
        put_event(&trace, arena_format(trace.arena,
                                       "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":"
                                       "\"cudaEventRecord\",\"pid\":100,\"tid\":1,\"ts\":%d,"
                                       "\"dur\":1,\"args\":{\"correlation\":%d}}",
                                       10 + i, 1 + i));
    put_rank(&trace, &ranks[1], 1, -1);
    put_rank(&trace, &ranks[0], 0, -1);
    trace_load(&trace);
    assert_own_ops(trace.profile, ranks);
    trace_close(&trace);
}

#define MEMORY(pid, time, device, address, bytes)                                                \
    "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"pid\":" #pid            \
    ",\"tid\":1,\"s\":\"t\",\"ts\":" #time ",\"args\":{\"Device Type\":1,\"Device Id\":" #device \
    ",\"Addr\":" #address ",\"Bytes\":" #bytes "}}"

// Memory belongs to the GPU of its process; addresses are per process.
static void test_memory(void **state)
{
    (void)state;
    const struct rank ranks[] = {{100, "10000", 0, 7, 1, 1, 0}, {200, "20000", 0, 7, 1, 1, 13}};
    struct trace trace;
    trace_open(&trace);
    put_rank(&trace, &ranks[0], 0, -1);
    put_rank(&trace, &ranks[1], 1, -1);
    put_event(&trace, MEMORY(100, 1100, 0, 4096, 10));
    put_event(&trace, MEMORY(200, 1200, 0, 4096, 20));
    put_event(&trace, MEMORY(100, 1300, 1, 8192, 30));
    put_event(&trace, MEMORY(100, 1400, 0, 4096, -10));
    put_event(&trace, MEMORY(200, 1500, 0, 4096, -20));
    put_event(&trace, MEMORY(100, 1600, 1, 8192, -30));
    trace_load(&trace);
    const struct profile *profile = trace.profile;
    const struct allocations *allocations = &profile->allocations;
    assert_int_equal(profile->device_count, 3);
    assert_int_equal(allocations->count, 6);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(AT(allocations->other, i), i + 3);
    uint32_t work = profile->devices[AT(allocations->device, 1)].first_work;
    assert_int_equal(profile->processes[work_process(profile, work)].pid, 200);
    assert_true(AT(allocations->device, 0) != AT(allocations->device, 1));
    assert_true(AT(allocations->device, 0) != AT(allocations->device, 2));
    trace_close(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_gpus),    cmocka_unit_test(test_same_number),
        cmocka_unit_test(test_shared_gpu),  cmocka_unit_test(test_one_process),
        cmocka_unit_test(test_long_ids),    cmocka_unit_test(test_memory),
        cmocka_unit_test(test_many_ranks),  cmocka_unit_test(test_listed),
        cmocka_unit_test(test_other_calls),
    };
    return cmocka_run_group_tests_name("kineto_owners", tests, NULL, NULL);
}
