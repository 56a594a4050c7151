// SPDX-License-Identifier: Apache-2.0
// The nsys loader: checks one peculiarity of real exports at a time.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "model/nsys/nsys_tables.h"
#include "model/open/open.h"
#include "nsys_fixture.h"

// (start, end, ordinal, context, stream, correlation, pid, full name, short name, 32 registers,
// ...)
#define KERNEL(start, end, device, stream, correlation, pid)                                    \
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" #start "," #end "," #device ",1," #stream \
    "," #correlation ",pid(" #pid "),2,3,32,4,1,1,128,1,1,0,1024,NULL);"
#define CALL(start, end, pid, tid, correlation)                                               \
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" #start "," #end ",tid(" #pid ", " #tid \
    ")," #correlation ",1);"
#define RANGE(start, end, type, text, pid, tid)                                                 \
    "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES (" #start "," #end \
    "," #type "," text ",tid(" #pid ", " #tid "));"

static const char *text_of(const struct profile *profile, uint32_t range)
{
    return range_text(profile, range, profile->arena);
}

static uint32_t range_named(const struct profile *profile, const char *text)
{
    for (uint32_t i = 0; i < profile->ranges.count; i++)
        if (strcmp(text_of(profile, i), text) == 0)
            return i;
    fail_msg("no range %s", text);
    return ROW_NONE;
}

// ---- names -------------------------------------------------------------------------------------

static void test_work_is_read_and_linked(void **state)
{
    (void)state;
    struct profile *profile =
        nsys_profile("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES "
                     "(300,340,0,1,7,12,pid(5),4096,1,1,2);" KERNEL(200, 260, 0, 7, 11, 5)
                         KERNEL(100, 150, 0, 7, 10, 5) CALL(90, 95, 5, 6, 10) CALL(96, 99, 5, 6, 11)
                             CALL(110, 120, 5, 6, 12) RANGE(80, 100, 59, "'outer'", 5, 6)
                                 RANGE(90, 95, 59, "'inner'", 5, 6));
    assert_int_equal(profile->stage, STAGE_READY);
    assert_int_equal(profile->work.count, 3);
    assert_int_equal(AT(profile->work.start, 0), 100); // sorted
    const struct function *function = &profile->functions[AT(profile->work.function, 0)];
    assert_string_equal(profile_text(profile, function->full), "void gemm<float>(int)");
    assert_string_equal(profile_text(profile, function->brief), "gemm");
    const struct function *copy = &profile->functions[AT(profile->work.function, 2)];
    assert_string_equal(profile_text(profile, copy->full), "[memcpy HtoD pinned]");
    assert_int_equal(AT(profile->work.bytes, 2), 4096);
    const struct launch_shape *shape = &profile->shapes[AT(profile->work.shape, 0)];
    assert_int_equal(shape->grid[0], 4);
    assert_int_equal(shape->block[0], 128);
    assert_int_equal(shape->registers, 32);
    assert_int_equal(shape->dynamic_shared, 1024);
    assert_int_equal(AT(profile->work.launch, 0), 0);
    assert_int_equal(profile->api.kind[0], API_KERNEL);
    assert_int_equal(profile->api.kind[2], API_MEMCPY);
    assert_string_equal(text_of(profile, AT(profile->api.range, 0)),
                        "inner"); // both ends are inclusive
    assert_string_equal(text_of(profile, AT(profile->api.range, 1)), "outer");
    assert_int_equal(AT(profile->api.range, 2), ROW_NONE);
    assert_int_equal(AT(profile->ranges.parent, 1), 0);
    assert_int_equal(profile->processes[0].pid, 5);
    assert_int_equal(profile->threads[0].tid, 6);
    assert_int_equal(profile->first_ns, 80);
    assert_int_equal(profile->last_ns, 340);
    assert_false(HAS(profile->work.graph_node));
    assert_int_equal(note_count(profile, "work_outside_ranges"), 1);
    profile_free(profile);
}

static void test_suffixes_are_cut_and_restored(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name;
        int64_t seq, op_id;
    } cases[] = {
        {"aten::mm, seq = 5", "aten::mm", 5, SEQ_NONE},
        {"aten::mm, op_id = 0", "aten::mm", SEQ_NONE, 0},
        {"aten::mm, seq = 5, op_id = 12", "aten::mm", 5, 12},
        {"a, sizes = [[2, 3], []]", "a", SEQ_NONE, SEQ_NONE},
        {"a, seq = 1, op_id = 2, sizes = [[]], input_op_ids = [(1,0)]", "a", 1, 2},
        {"a, seq = 18446744073709551615", "a", -1, SEQ_NONE},
        {", seq = 1", "", 1, SEQ_NONE},
        // A suffix that would not be restored identically is kept in the text.
        {"a, seq = 18446744073709551616", "a, seq = 18446744073709551616", SEQ_NONE, SEQ_NONE},
        {"a, seq = 9223372036854775808", "a, seq = 9223372036854775808", SEQ_NONE, SEQ_NONE},
        {"a, seq = 05", "a, seq = 05", SEQ_NONE, SEQ_NONE},
        {"a, seq = -1", "a, seq = -1", SEQ_NONE, SEQ_NONE},
        {"a, seq = ", "a, seq = ", SEQ_NONE, SEQ_NONE},
        {"a, seq = 5x", "a, seq = 5x", SEQ_NONE, SEQ_NONE},
        {"a, seq = 5 ", "a, seq = 5 ", SEQ_NONE, SEQ_NONE},
        {"a, op_id = 2, seq = 1", "a, op_id = 2", 1, SEQ_NONE},
        {"a, seq = 1, seq = 2", "a, seq = 1", 2, SEQ_NONE},
        {"a, sizes = none", "a, sizes = none", SEQ_NONE, SEQ_NONE},
        {"a,b", "a,b", SEQ_NONE, SEQ_NONE},
        {"", "", SEQ_NONE, SEQ_NONE},
    };
    enum { COUNT = sizeof cases / sizeof *cases };
    char sql[8000] = "";
    for (size_t i = 0; i < COUNT; i++)
        snprintf(sql + strlen(sql), sizeof sql - strlen(sql),
                 "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid)"
                 " VALUES (%zu, %zu, 59, '%s', tid(1, 1));",
                 10 * i, 10 * i + 5, cases[i].text);
    struct profile *profile = nsys_profile(sql);
    assert_int_equal(profile->ranges.count, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_string_equal(text_of(profile, i), cases[i].text);
        assert_string_equal(profile_text(profile, range_name(&profile->ranges, i)), cases[i].name);
        assert_true(range_seq(&profile->ranges, i) == cases[i].seq);
        assert_true(range_op_id(&profile->ranges, i) == cases[i].op_id);
    }
    profile_free(profile);
}

// A label is everything that ranges have in common, so ranges of one text on two threads have two
// labels and one marker. Markers are in the order of the ranges, not of the file.
static void test_labels_and_markers(void **state)
{
    (void)state;
    struct profile *profile =
        nsys_profile("INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES"
                     " (20,30,59,'inner, seq = 9, sizes = [[2]]',tid(1, 1)),"
                     " (10,40,59,'outer',tid(1, 1)),"
                     " (50,60,59,'inner, seq = 9223372036854775807, sizes = [[2]]',tid(1, 1)),"
                     " (50,60,59,'inner, seq = 7, sizes = [[2]]',tid(1, 2)),"
                     " (70,80,59,'inner',tid(1, 2));");
    const struct ranges *ranges = &profile->ranges;
    assert_int_equal(ranges->count, 5);
    assert_int_equal(ranges->label_count, 4);
    assert_int_equal(AT(ranges->label, 1), AT(ranges->label, 2));
    const uint32_t markers[] = {0, 1, 1, 1, 2};
    const uint32_t tids[] = {1, 1, 1, 2, 2};
    const int64_t seqs[] = {SEQ_NONE, 9, INT64_MAX, 7, SEQ_NONE};
    for (uint32_t i = 0; i < ranges->count; i++) {
        assert_int_equal(range_label(ranges, i)->marker, markers[i]);
        assert_int_equal(profile->threads[range_thread(ranges, i)].tid, tids[i]);
        assert_int_equal(range_seq(ranges, i), seqs[i]);
        assert_int_equal(range_op_id(ranges, i), SEQ_NONE);
    }
    assert_false(HAS(ranges->op_id));
    profile_free(profile);
}

static void test_text_ids_and_domains(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(
        "INSERT INTO NVTX_EVENTS (start,end,eventType,text,globalTid,textId,domainId) VALUES"
        " (-5000,NULL,75,'NCCL',tid(1, 1),NULL,3)," // the first one wins
        " (0,NULL,75,'other',tid(1, 1),NULL,3),"
        " (0,NULL,75,'NCCL',tid(2, 1),NULL,1)," // the same domain under another number
        " (0,NULL,39,'thread name',tid(1, 1),NULL,0),"
        " (0,NULL,34,'mark',tid(1, 1),NULL,0),"
        " (10,20,59,'plain',tid(1, 1),5,0),"  // the id refers to a text
        " (30,40,59,'plain',tid(1, 1),99,0)," // the id refers to no text
        " (50,60,70,NULL,tid(1, 1),5,3),"
        " (70,80,60,'all, seq = 2',tid(2, 1),NULL,1),"
        " (90,95,71,'unnamed domain',tid(2, 1),NULL,9),"
        " (96,97,59,NULL,tid(2, 1),NULL,0);");
    assert_int_equal(profile->ranges.count, 6);
    range_named(profile, "registered");
    range_named(profile, "plain");
    uint32_t first = range_named(profile, "NCCL:registered");
    uint32_t second = range_named(profile, "NCCL:all, seq = 2");
    range_named(profile, "unnamed domain");
    assert_int_equal(range_label(&profile->ranges, first)->domain,
                     range_label(&profile->ranges, second)->domain);
    assert_int_equal(range_label(&profile->ranges, first)->style, RANGE_PUSH_POP);
    assert_int_equal(range_label(&profile->ranges, second)->style, RANGE_START_END);
    assert_int_equal(note_count(profile, "ranges_without_text"), 1);
    assert_int_equal(profile->first_ns, 10); // metadata rows do not extend the time
    profile_free(profile);
}

static void test_open_and_crossing_ranges(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(
        "INSERT INTO NVTX_EVENTS (start,end,eventType,text,globalTid,endGlobalTid) VALUES"
        " (10,NULL,59,'open',tid(1, 1),NULL),"
        " (20,90,60,'away',tid(1, 1),tid(1, 2)),"
        " (30,40,60,'home',tid(1, 1),tid(1, 1)),"
        " (50,95,59,'last',tid(1, 2),NULL);" CALL(32, 33, 1, 1, 1) CALL(60, 61, 1, 1, 2));
    uint32_t open = range_named(profile, "open"), crossing = range_named(profile, "away");
    uint32_t home = range_named(profile, "home");
    assert_int_equal(AT(profile->ranges.end, open), 95);
    assert_int_equal(range_label(&profile->ranges, open)->ending, RANGE_OPEN);
    assert_int_equal(range_label(&profile->ranges, crossing)->ending, RANGE_CROSS_THREAD);
    // A range that names the thread that ended it is left out of nsys's projection, whichever
    // thread it is.
    assert_int_equal(range_label(&profile->ranges, home)->ending, RANGE_CROSS_THREAD);
    assert_int_equal(AT(profile->ranges.parent, crossing), ROW_NONE);
    assert_int_equal(AT(profile->ranges.parent, home), ROW_NONE);
    assert_int_equal(AT(profile->api.range, 0), open);
    assert_int_equal(note_count(profile, "ranges_across_threads"), 2);
    assert_int_equal(AT(profile->api.range, 1), open);
    profile_free(profile);
}

// ---- tables ------------------------------------------------------------------------------------

static void test_versioned_tables(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(
        "ALTER TABLE NVTX_EVENTS RENAME TO NVTX_EVENTS_V3;"
        "CREATE TABLE NVTX_EVENTS_V2 AS SELECT * FROM NVTX_EVENTS_V3 WHERE 0;"
        "CREATE TABLE NVTX_EVENTS_VIEWED (text TEXT);"
        "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME TO CUPTI_ACTIVITY_KIND_KERNEL_V2;"
        "INSERT INTO NVTX_EVENTS_V3 (start,end,eventType,text,globalTid) VALUES (1,2,59,'a',1);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL_V2 VALUES"
        " (1,2,0,1,7,1,0,2,3,32,1,1,1,1,1,1,0,0,NULL);");
    assert_int_equal(profile->ranges.count, 1);
    assert_int_equal(profile->work.count, 1);
    profile_free(profile);
}

static void test_tables_without_rowids(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(
        "DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL;"
        "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, shortName, correlationId PRIMARY KEY)"
        " WITHOUT ROWID;"
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1,2,3,1), (3,4,3,2);");
    assert_int_equal(profile->work.count, 2);
    profile_free(profile);
}

static void test_missing_tables_and_columns(void **state)
{
    (void)state;
    struct load_request request = {
        .path = nsys_file("CREATE TABLE StringIds (id INTEGER, value TEXT);" // not a key
                          "INSERT INTO StringIds VALUES (7, 'kernel'), (7, 'again');"
                          "CREATE TABLE cupti_activity_kind_kernel (START INTEGER, \"END\" INTEGER,"
                          " shortName INTEGER, rowid INTEGER);" // hides the real rowid
                          "INSERT INTO cupti_activity_kind_kernel VALUES (1,2,7,5),(3,4,8,5);")};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    if (!profile)
        fail_msg("%s", error.message);
    assert_int_equal(profile->work.count, 2);
    assert_string_equal(
        profile_text(profile, profile->functions[AT(profile->work.function, 0)].full), "kernel");
    assert_string_equal(
        profile_text(profile, profile->functions[AT(profile->work.function, 1)].full),
        "[unknown kernel]");
    assert_int_equal(profile->shapes[AT(profile->work.shape, 0)].registers, -1);
    assert_false(profile->has_api);
    assert_true(profile->has_kernels);
    assert_int_equal(note_count(profile, "work_without_launch"), 2);
    assert_string_equal(profile_find_note(profile, "no_api")->flag, "-t cuda");
    profile_free(profile);
}

static void test_rows_that_cannot_be_used(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(
        KERNEL(10, 20, 0, 7, 1, 1) KERNEL(30, 25, 0, 7, 2, 1) KERNEL(40, NULL, 0, 7, 3, 1)
            KERNEL('x', 50, 0, 7, 4, 1) KERNEL('60', 70.5, 0, 7, 5, 1)
                KERNEL(-9223372036854775807, 9223372036854775807, 0, 7, 6,
                       1) "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (5,NULL,tid(1, 1),1,1);");
    assert_int_equal(profile->work.count, 2);
    assert_int_equal(AT(profile->work.start, 1), 60);
    assert_int_equal(AT(profile->work.end, 1), 70);
    assert_int_equal(profile->tables[0].rows, 6);
    assert_int_equal(profile->tables[0].skipped, 4);
    assert_non_null(strstr(profile->tables[0].why, "1 that end before they start"));
    assert_non_null(strstr(profile->tables[0].why, "2 without a start or an end"));
    assert_non_null(strstr(profile->tables[0].why, "1 with an impossible time"));
    assert_int_equal(AT(profile->work.launch, 0), 0);
    assert_int_equal(note_count(profile, "api_without_end"), 1);
    profile_free(profile);
}

static void test_sync_types(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(KERNEL(10, 20, 0, 7, 1, 1) CALL(
        1, 2, 1, 1,
        1) "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (3,30,tid(1, 1),2,6);"
           "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, deviceId, contextId,"
           " streamId, correlationId, globalPid, syncType, deprecatedSyncType);"
           "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (4,29,5,1,7,2,pid(1),0,1),"
           " (4,29,0,1,9,77,pid(1),0,0), (4,29,0,1,9,78,pid(1),2,NULL),"
           " (4,29,0,1,9,79,pid(1),0,9223372036854775807);");
    assert_int_equal(profile->syncs.count, 4);
    assert_int_equal(profile->syncs.type[0], 3); // by its call, whatever the number
    assert_int_equal(profile->syncs.stream[0], 0);
    assert_int_equal(profile->syncs.api[0], 1);
    assert_int_equal(profile->syncs.type[1], 4); // nsys's own numbers
    assert_int_equal(profile->syncs.type[2], 2); // CUPTI's numbers
    assert_int_equal(profile->syncs.type[3], 0); // no number of either
    assert_int_equal(profile->syncs.stream[1], ROW_NONE);
    assert_int_equal(profile->syncs.api[1], ROW_NONE);
    assert_int_equal(profile->api.kind[1], API_SYNC);
    profile_free(profile);
}

// ---- processes ---------------------------------------------------------------------------------

static void test_processes_share_correlation_ids(void **state)
{
    (void)state;
    struct profile *profile =
        nsys_profile(KERNEL(100, 110, 0, 7, 1, 9) KERNEL(200, 210, 1, 7, 1, 4)
                         KERNEL(300, 310, 1, 7, 1, 6) // its call is not in the file
                     CALL(10, 20, 4, 4, 1) CALL(30, 40, 9, 9, 1) CALL(50, 60, 4, 4, 1));
    assert_int_equal(profile->processes[0].pid, 4); // sorted by id
    for (uint32_t i = 0; i < profile->work.count; i++) {
        uint32_t launch = AT(profile->work.launch, i);
        uint32_t pid = profile->processes[work_process(profile, i)].pid;
        if (pid == 6)
            assert_int_equal(launch, ROW_NONE);
        else
            assert_int_equal(AT(profile->api.start, launch), pid == 4 ? 10 : 30);
    }
    assert_int_equal(note_count(profile, "correlation_duplicates"), 1);
    profile_free(profile);
}

static void test_skew_unified_and_negative(void **state)
{
    (void)state;
    struct profile *profile =
        nsys_profile(KERNEL(-50, -40, 0, 7, 1, 1) CALL(-20, -10, 1, 1, 1) CALL(
            60, 70, 1, 1,
            0) "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (5,9,0,1,0,0,pid(1),64,11,4,2);");
    assert_int_equal(note_count(profile, "clock_skew"), 1);
    assert_int_equal(note_count(profile, "unified_memory"), 1);
    assert_int_equal(note_count(profile, "times_negative"), 2);
    assert_int_equal(AT(profile->work.launch, 1), ROW_NONE); // id 0 is no link
    assert_int_equal(profile->first_ns, -50);
    profile_free(profile);
}

// ---- graphs ------------------------------------------------------------------------------------

static void test_graphs(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(CALL(
        10, 20, 1, 1,
        1) "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start,end,deviceId,contextId,streamId,"
           " correlationId,globalPid,graphId,graphExecId);"
           "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES"
           " (30,90,0,1,7,1,pid(1),12,13);"
           "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
           " (40,50,0,1,7,1,pid(1),2,3,32,1,1,1,1,1,1,0,0,4001);"
           "CREATE TABLE CUDA_GRAPH_EVENTS (start,globalTid,graphNodeId,originalGraphNodeId);"
           "INSERT INTO CUDA_GRAPH_EVENTS VALUES (5,tid(1, 1),4001,3001),"
           " (3,tid(1, 9),3001,NULL);");
    assert_int_equal(profile->work.count, 2);
    const struct function *graph = &profile->functions[AT(profile->work.function, 0)];
    assert_int_equal(graph->kind, WORK_GRAPH);
    assert_string_equal(profile_text(profile, graph->full), "[graph 13]");
    assert_int_equal(AT(profile->work.graph, 0), 13);
    assert_int_equal(AT(profile->work.graph_node, 1), 4001);
    assert_true(AT(profile->work.flags, 1) & WORK_IN_GRAPH);
    assert_int_equal(AT(profile->api.first_work, 1) - AT(profile->api.first_work, 0), 2);
    assert_int_equal(profile->api.kind[0], API_KERNEL);
    assert_int_equal(profile->graph_nodes.count, 2);
    assert_int_equal(profile->graph_nodes.node[0], 3001);
    assert_int_equal(profile->graph_nodes.thread[0], ROW_NONE); // a thread without other rows
    assert_int_equal(profile->graph_nodes.original[1], 3001);
    assert_string_equal(profile_find_note(profile, "graphs_opaque")->flag,
                        "--cuda-graph-trace=node");
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work_is_read_and_linked),
        cmocka_unit_test(test_suffixes_are_cut_and_restored),
        cmocka_unit_test(test_labels_and_markers),
        cmocka_unit_test(test_text_ids_and_domains),
        cmocka_unit_test(test_open_and_crossing_ranges),
        cmocka_unit_test(test_versioned_tables),
        cmocka_unit_test(test_tables_without_rowids),
        cmocka_unit_test(test_missing_tables_and_columns),
        cmocka_unit_test(test_rows_that_cannot_be_used),
        cmocka_unit_test(test_sync_types),
        cmocka_unit_test(test_processes_share_correlation_ids),
        cmocka_unit_test(test_skew_unified_and_negative),
        cmocka_unit_test(test_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, nsys_remove);
}
