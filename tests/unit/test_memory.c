// SPDX-License-Identifier: Apache-2.0
// Checks GPU memory events: which free ends which allocation, how broken rows are treated, and how
// much memory is live when.
#include <string.h>

#include "analysis/memory/memory_use.h"
#include "analysis/report/report.h"
#include "analysis/reports/report_list.h"
#include "analysis/timeline/timeline.h"
#include "columns.h"
#include "model/derive/derive.h"
#include "model/profile/copy_kinds.h"
#include "nsys_fixture.h"
#include "profile_builder.h"
#include "property.h"

#define EVENTS                                                                               \
    "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start, globalPid, deviceId, address, bytes," \
    " memKind, memoryOperationType, name, correlationId, localMemoryPoolAddress);"
#define A_KERNEL                                                                     \
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start,end,deviceId,contextId,streamId," \
    " correlationId,globalPid,demangledName,shortName) VALUES"                       \
    " (20,30,0,1,7,1,pid(1),2,3);"                                                   \
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (10,15,tid(1, 1),1,1),"          \
    " (1500,1510,tid(1, 1),2,4);"
// Inserts one event of device memory of process 1 on its GPU 0.
#define EVENT(start, address, bytes, operation)                                                 \
    "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (" #start ",pid(1),0," #address "," #bytes \
    ",2," #operation ",NULL,NULL,NULL);"

#define OF_KIND(start, kind, address, bytes)                                                    \
    "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (" #start ",pid(1),0," #address "," #bytes \
    "," #kind ",0,NULL,NULL,NULL);"

static void test_pairs(void **state)
{
    (void)state;
    struct profile *profile =
        nsys_profile(EVENTS A_KERNEL EVENT(100, 4096, 1000, 0) EVENT(200, 8192, 500, 0)
                     // A free may lack its size; it then has the size of its allocation.
                     EVENT(300, 4096, 0, 1) EVENT(400, 12288, 64, 1) // allocated before the capture
                     EVENT(500, 8192, 700, 0)                        // the free is missing
                     EVENT(600, 8192, 700, 1) EVENT(700, 16384, 5, 0) // address 0 is unknown:
                     EVENT(800, 0, 10, 0) EVENT(900, 0, 10, 1));      // these two do not pair
    const struct memory_events *memory = &profile->memory;
    static const int64_t bytes[] = {1000, 500, 1000, 64, 700, 700, 5, 10, 10};
    static const uint32_t ends[] = {ROW_NONE, ROW_NONE, 0,        ROW_NONE, 1,
                                    4,        ROW_NONE, ROW_NONE, ROW_NONE};
    static const uint32_t ended[] = {2,        4,        ROW_NONE, ROW_NONE, 5,
                                     ROW_NONE, ROW_NONE, ROW_NONE, ROW_NONE};
    assert_int_equal(memory->count, 9);
    for (uint32_t i = 0; i < memory->count; i++) {
        assert_int_equal(memory->bytes[i], bytes[i]);
        assert_int_equal(memory->ends[i], ends[i]);
        assert_int_equal(memory->ended[i], ended[i]);
        assert_int_equal(memory->device[i], 0);
        assert_int_equal(memory->api[i], ROW_NONE);
        assert_int_equal(memory->kind[i], MEMORY_DEVICE);
    }
    assert_null(memory->pool);
    assert_null(memory->name);
    assert_int_equal(note_count(profile, "memory_freed_only"), 2);
    assert_int_equal(note_count(profile, "memory_allocated_twice"), 1);
    assert_int_equal(note_count(profile, "memory_sizes"), 0);
    assert_int_equal(note_count(profile, "memory_without_gpu"), 0);
    profile_free(profile);
}

static void test_broken_values(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(
        EVENTS A_KERNEL EVENT(100, 1, -5, 0) EVENT(200, 2, 9223372036854775807, 0)
            EVENT(300, 3, 'many', 0) EVENT(400, 3, 7, 1) EVENT(500, 4, 8, 7) EVENT(NULL, 5, 8, 0)
                EVENT(9223372036854775807, 5, 8, 0)
                    EVENT(600, 6, 16, 0) "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES"
                                         " (700,pid(1),5,4096,32,99,0,'table',2,77),"
                                         " (800,pid(9),0,4096,32,1,0,NULL,-1,NULL);");
    const struct memory_events *memory = &profile->memory;
    assert_int_equal(memory->count, 7);
    for (uint32_t i = 0; i < 4; i++)
        // also for the free whose allocation has no size
        assert_int_equal(memory->bytes[i], UNKNOWN);
    assert_int_equal(memory->bytes[4], 16);
    // The kind and the GPU are unknown; the call, the pool and the name are known.
    assert_int_equal(memory->kind[5], MEMORY_KIND_COUNT);
    assert_int_equal(memory->pool[5], 77);
    assert_string_equal(profile_text(profile, memory->name[5]), "table");
    assert_int_equal(AT(profile->api.start, memory->api[5]), 1500);
    assert_string_equal(memory_group_name(memory_group(profile, 5)), "unknown, pool");
    assert_int_equal(memory->api[6], ROW_NONE);
    assert_int_equal(profile->processes[memory->process[6]].pid, 9);
    assert_int_equal(note_count(profile, "memory_sizes"), 3);
    assert_int_equal(note_count(profile, "memory_operations"), 1);
    // Unknown sizes are not 0.
    struct selection all = selection_all(split_find(profile, profile->arena));
    uint32_t *row_of = ARENA_ARRAY(profile->arena, uint32_t, memory->count);
    for (uint32_t i = 0; i < memory->count; i++)
        row_of[i] = i < 4 ? 0 : 1;
    const struct memory_use *uses = memory_use_sums(profile, &all, row_of, 2, profile->arena);
    assert_int_equal(uses[0].allocations, 3);
    assert_int_equal(uses[0].largest, UNKNOWN);
    assert_int_equal(uses[0].largest_event, 0);
    assert_int_equal(uses[1].largest, 32);
    // With a single GPU a process without work uses that one.
    assert_int_equal(memory->device[5], 0);
    for (size_t i = 0; i < profile->table_count; i++)
        if (strcmp(profile->tables[i].table, "CUDA_GPU_MEMORY_USAGE_EVENTS") == 0)
            assert_int_equal(profile->tables[i].skipped, 2);
    profile_free(profile);
}

// With several GPUs the device number of a process without work does not identify a GPU.
static void test_unknown_gpu(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(
        EVENTS A_KERNEL
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start,end,deviceId,contextId,streamId,"
        " correlationId,globalPid,demangledName,shortName) VALUES"
        " (20,30,1,1,7,3,pid(1),2,3);"
        "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES"
        " (100,pid(1),1,4096,32,2,0,NULL,NULL,NULL),"
        " (200,pid(2),1,4096,64,2,0,NULL,NULL,NULL);");
    assert_int_equal(profile->device_count, 2);
    assert_int_equal(profile->memory.device[0], 1);
    assert_int_equal(profile->memory.device[1], ROW_NONE);
    assert_int_equal(profile->memory.ends[1], ROW_NONE); // addresses are per process
    assert_int_equal(note_count(profile, "memory_without_gpu"), 1);
    profile_free(profile);
}

// Old exports record neither call nor pool. Columns that a table lacks stay unknown.
static void test_old_schema(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(
        A_KERNEL "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start, globalPid, deviceId, address,"
                 " bytes, memKind, memoryOperationType);"
                 "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (100,pid(1),0,4096,32,2,0);");
    assert_int_equal(profile->memory.count, 1);
    assert_int_equal(profile->memory.api[0], ROW_NONE);
    assert_int_equal(memory_part_of(profile, 0), MEMORY_CALL_UNKNOWN);
    profile_free(profile);
    profile = nsys_profile(A_KERNEL "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start, bytes);"
                                    "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (1,2);");
    assert_int_equal(profile->memory.count, 0);
    assert_int_equal(note_count(profile, "memory_operations"), 1);
    profile_free(profile);
}

// ---- what is live -----------------------------------------------------------------------------

// Builds a profile with a GPU and the steps [1000, 2000), [2000, 3000) and [3000, 4000).
static struct profile_builder *build_steps(struct profile **profile)
{
    struct profile_builder *builder = builder_new();
    uint32_t thread = builder_thread(builder, 1, 1);
    for (int64_t i = 1; i <= 3; i++) {
        builder_range(builder, thread, i * 1000, i * 1000 + 1000,
                      i == 1   ? "step 0"
                      : i == 2 ? "step 1"
                               : "step 2");
        builder_launch(builder, thread, i * 1000 + 10, "gemm");
    }
    *profile = builder_build(builder, MODE_RANGES);
    return builder;
}

struct made_event { // device memory of one process
    int64_t start, address, bytes;
    bool is_free;
};

static void memory_make(struct profile *profile, const struct made_event *events, uint32_t count)
{
    struct memory_events *memory = &profile->memory;
    struct arena *arena = profile->arena;
    memory->count = count;
    memory->start = column64_loose(arena, count);
    memory->bytes = ARENA_ARRAY(arena, int64_t, count);
    memory->address = ARENA_ARRAY(arena, int64_t, count);
    memory->is_free = ARENA_ARRAY(arena, uint8_t, count);
    memory->kind = ARENA_ARRAY(arena, uint8_t, count);
    memory->process = ARENA_ARRAY(arena, uint32_t, count);
    memory->device = ARENA_ARRAY(arena, uint32_t, count);
    memory->api = ARENA_ARRAY(arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        SET(memory->start, i, events[i].start);
        memory->bytes[i] = events[i].bytes;
        memory->address[i] = events[i].address;
        memory->is_free[i] = events[i].is_free;
        memory->kind[i] = MEMORY_DEVICE;
        memory->api[i] = ROW_NONE;
    }
    profile_pair_memory(profile);
}

static struct memory_use use_of(const struct profile *profile, const struct selection *selection)
{
    uint32_t *rows = ARENA_ARRAY(profile->arena, uint32_t, profile->memory.count);
    return *memory_use_sums(profile, selection, rows, 1, profile->arena);
}

static void assert_use(const struct memory_use *use, int64_t peak, int64_t since, int64_t live,
                       int64_t allocated, int64_t freed)
{
    assert_int_equal(use->peak, peak);
    assert_int_equal(use->peak_ns, since);
    assert_int_equal(use->live, live);
    assert_int_equal(use->allocated, allocated);
    assert_int_equal(use->freed, freed);
}

static void test_live_in_steps(void **state)
{
    (void)state;
    struct profile *profile;
    struct profile_builder *builder = build_steps(&profile);
    static const struct made_event events[] = {
        {500, 1, 100, false}, {1500, 2, 50, false}, {1600, 2, 50, true}, {3500, 3, 200, false}};
    memory_make(profile, events, 4);
    struct selection selection = selection_all(split_by_range(profile, "step 0", profile->arena));
    assert_int_equal(selection.split->count, 3);
    struct memory_use use = use_of(profile, &selection);
    assert_use(&use, 300, 3500, 300, 350, 50);
    bool set[3] = {true, false, false};
    selection.iterations = set;
    use = use_of(profile, &selection);
    assert_use(&use, 150, 1500, 100, 50, 50);
    // Step 1 has no events, and the memory allocated before all steps is live in it.
    memcpy(set, (bool[3]){false, true, false}, sizeof set);
    use = use_of(profile, &selection);
    assert_use(&use, 100, 2000, 100, 0, 0);
    memcpy(set, (bool[3]){false, true, true}, sizeof set);
    use = use_of(profile, &selection);
    assert_use(&use, 300, 3500, 300, 200, 0);
    memcpy(set, (bool[3]){false, false, false}, sizeof set);
    use = use_of(profile, &selection);
    assert_use(&use, 0, UNKNOWN, 0, 0, 0);
    builder_free(builder);
}

// The sizes together would overflow an int64; those beyond the limit are ignored and counted in a
// note.
static void test_sums_stay_whole(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    struct profile *profile;
    struct profile_builder *builder = build_steps(&profile);
    struct made_event *events = ARENA_ARRAY(profile->arena, struct made_event, COUNT);
    for (int64_t i = 0; i < COUNT; i++)
        events[i] = (struct made_event){i, i + 1, INT64_C(1) << 50, false};
    memory_make(profile, events, COUNT);
    struct selection selection = selection_all(split_by_range(profile, "step 0", profile->arena));
    struct memory_use use = use_of(profile, &selection);
    assert_int_equal(use.allocations, COUNT);
    assert_int_equal(use.allocated, INT64_C(1) << 60);
    assert_int_equal(use.peak, INT64_C(1) << 60);
    assert_int_equal(note_count(profile, "memory_sizes"), COUNT - 1024);
    builder_free(builder);
}

static uint32_t random_events(struct random *random, struct made_event *events, uint32_t most)
{
    uint32_t count = 1 + (uint32_t)random_below(random, most);
    int64_t time = 0;
    for (uint32_t i = 0; i < count; i++) {
        time += (int64_t)random_below(random, 40);
        events[i] =
            (struct made_event){time, 1 + (int64_t)random_below(random, 9),
                                (int64_t)random_below(random, 100), random_below(random, 2)};
    }
    return count;
}

// Returns the live bytes after `event` by going through all events before it.
static int64_t slow_live(const struct memory_events *memory, uint32_t event)
{
    int64_t live = 0;
    for (uint32_t i = 0; i <= event; i++)
        if (!memory->is_free[i] && memory->ended[i] > event)
            live += memory->bytes[i];
    return live;
}

// Compares the lane of the timeline and the sums of rows with slow_live().
static void test_curve(void **state)
{
    (void)state;
    enum { MAX_EVENTS = 120 };
    struct random random = {42};
    for (int round = 0; round < 60; round++) {
        struct profile *profile;
        struct profile_builder *builder = build_steps(&profile);
        struct made_event events[MAX_EVENTS];
        uint32_t count = random_events(&random, events, MAX_EVENTS);
        memory_make(profile, events, count);
        struct selection selection =
            selection_all(split_by_range(profile, "step 0", profile->arena));
        const struct timeline *timeline = timeline_of(profile, &selection, profile->arena);
        const struct lane *lane = timeline->lanes;
        while (lane->kind != LANE_MEMORY)
            lane++;
        assert_int_equal(lane->count, count);
        int64_t live[MAX_EVENTS], peak = 0;
        for (uint32_t i = 0; i < count; i++) {
            live[i] = slow_live(&profile->memory, i);
            peak = live[i] > peak ? live[i] : peak;
        }
        assert_int_equal(lane->peak, peak);
        for (int i = 0; i < 40; i++) {
            int64_t from = (int64_t)random_below(&random, 4000) - 50;
            int64_t to = from + 1 + (int64_t)random_below(&random, 800), peak_bytes = 0;
            for (uint32_t e = 0; e < count; e++) {
                bool is_before = events[e].start <= from;
                bool is_last = e + 1 == count || events[e + 1].start > from;
                if ((is_before ? is_last : events[e].start < to) && live[e] > peak_bytes)
                    peak_bytes = live[e];
            }
            assert_int_equal(lane_level(lane, from, to), peak_bytes);
        }
        struct memory_use use = use_of(profile, &selection);
        assert_int_equal(use.peak, peak);
        assert_int_equal(use.live, live[count - 1]);
        builder_free(builder);
    }
}

// Allocated minus freed bytes equal live bytes, per row and in total.
static void test_rows_reconcile(void **state)
{
    (void)state;
    enum { MAX_EVENTS = 200 };
    struct random random = {4711};
    const struct report *report = report_find("allocations");
    for (int round = 0; round < 20; round++) {
        struct profile *profile;
        struct profile_builder *builder = build_steps(&profile);
        struct made_event events[MAX_EVENTS];
        uint32_t count = random_events(&random, events, MAX_EVENTS);
        memory_make(profile, events, count);
        for (uint32_t i = 0; i < count; i++) // some by launches of the steps
            profile->memory.api[i] = (uint32_t)random_below(&random, 3);
        struct selection selection =
            selection_all(split_by_range(profile, "step 0", profile->arena));
        struct rows rows = report->build(profile, &selection, profile->arena);
        int64_t together = 0;
        for (size_t i = 0; i < rows.count; i++) {
            const void *row = report_row(report, &rows, i);
            int64_t live = report_column(report, "live")->get(row).integer;
            const char *place = report_column(report, "place")->get(row).text;
            assert_true(live <= report_column(report, "peak")->get(row).integer);
            together += live;
            if (place[0] == '(' && place[1] == 'a')
                assert_int_equal(live, 0);
            else
                assert_int_equal(report_column(report, "allocated")->get(row).integer -
                                     report_column(report, "freed")->get(row).integer,
                                 live);
        }
        struct memory_use use = use_of(profile, &selection);
        int64_t before = 0;
        for (uint32_t i = 0; i < count; i++)
            if (profile->memory.is_free[i] && profile->memory.ends[i] == ROW_NONE)
                before += profile->memory.bytes[i];
        assert_int_equal(together, slow_live(&profile->memory, count - 1));
        assert_int_equal(use.allocated - (use.freed - before), together);
        builder_free(builder);
    }
}

static int64_t column_total(const struct report *report, const struct rows *rows, const char *key)
{
    int64_t total = 0;
    for (size_t i = 0; i < rows->count; i++)
        total += report_column(report, key)->get(report_row(report, rows, i)).integer;
    return total;
}

// For every row of a GPU that can be opened, the figures of the row equal those found below it.
static void test_opened_rows_reconcile(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(
        EVENTS A_KERNEL EVENT(100, 4096, 1000, 0) EVENT(200, 8192, 500, 0) EVENT(300, 4096, 0, 1)
            OF_KIND(400, 1, 12288, 77) OF_KIND(500, 3, 16384, 9) OF_KIND(600, 5, 20480, 3));
    const struct report *gpus = report_find("gpu_memory"), *places = report_find("allocations");
    struct selection all = selection_all(split_find(profile, profile->arena));
    struct rows rows = gpus->build(profile, &all, profile->arena);
    static const char *const kinds[] = {"all on the GPU", "pinned", "device", "array",
                                        "device static"};
    assert_int_equal(rows.count, sizeof kinds / sizeof *kinds);
    for (size_t i = 0; i < rows.count; i++) {
        const void *row = report_row(gpus, &rows, i);
        struct selection narrow = all;
        assert_string_equal(report_column(gpus, "kind")->get(row).text, kinds[i]);
        assert_string_equal(gpus->narrow(profile, row, &narrow), "allocations");
        struct rows opened = places->build(profile, &narrow, profile->arena);
        static const char *const keys[] = {"allocated", "freed", "allocations", "frees", "live"};
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            assert_int_equal(column_total(places, &opened, keys[k]),
                             report_column(gpus, keys[k])->get(row).integer);
    }
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_broken_values),
        cmocka_unit_test(test_unknown_gpu),
        cmocka_unit_test(test_old_schema),
        cmocka_unit_test(test_live_in_steps),
        cmocka_unit_test(test_sums_stay_whole),
        cmocka_unit_test(test_curve),
        cmocka_unit_test(test_rows_reconcile),
        cmocka_unit_test(test_opened_rows_reconcile),
    };
    return cmocka_run_group_tests(tests, NULL, nsys_remove);
}
