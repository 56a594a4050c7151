// SPDX-License-Identifier: Apache-2.0
// Malicious files: pages in cycles, times that overflow sums, and data that would make the cost
// quadratic.
#include "model/open/open.h"
#include "property.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <sqlite3.h>

#include "analysis/idle/idle.h"
#include "analysis/report/selection_parts.h"
#include "analysis/sums/op_metrics.h"
#include "model/steps/split.h"
#include "nsys_fixture.h"

enum { PAGE = 512, LEVELS = 10, CHILDREN = 40 };

#define SMALL_PAGES "PRAGMA page_size = 512;"
#define KERNEL_COLUMNS                                                                   \
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId," \
    " correlationId, globalPid, demangledName, shortName) VALUES "

static void put_number(unsigned char *at, uint32_t value, int bytes)
{
    for (int i = bytes; i-- > 0; value >>= 8)
        at[i] = (unsigned char)value;
}

// Makes an interior page of a table whose cells all lead to `child`.
static void make_interior(unsigned char *page, uint32_t child)
{
    memset(page, 0, PAGE);
    uint32_t top = PAGE;
    for (uint32_t i = 0; i < CHILDREN; i++) {
        top -= 5;
        put_number(page + top, child, 4);
        page[top + 4] = 1; // the rowid
        put_number(page + 12 + 2 * i, top, 2);
    }
    page[0] = 5;
    put_number(page + 3, CHILDREN, 2);
    put_number(page + 5, top, 2);
    put_number(page + 8, child, 4);
}

// Puts interior pages above a table's only leaf, so that they lead to it 40 to the 10th times.
static void make_endless(const char *path, const char *table)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *row = NULL;
    char sql[200];
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    snprintf(sql, sizeof sql, "SELECT rootpage FROM sqlite_master WHERE name = '%s'", table);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &row, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    uint32_t leaf = (uint32_t)sqlite3_column_int(row, 0);
    sqlite3_finalize(row);
    assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA page_count", -1, &row, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    uint32_t pages = (uint32_t)sqlite3_column_int(row, 0);
    sqlite3_finalize(row);
    snprintf(sql, sizeof sql,
             "PRAGMA writable_schema = ON;"
             "UPDATE sqlite_master SET rootpage = %u WHERE name = '%s'",
             pages + 1, table);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    unsigned char page[PAGE];
    fseek(file, 0, SEEK_END);
    for (uint32_t i = 1; i <= LEVELS; i++) {
        make_interior(page, i < LEVELS ? pages + i + 1 : leaf);
        assert_int_equal(fwrite(page, 1, PAGE, file), PAGE);
    }
    put_number(page, pages + LEVELS, 4);
    fseek(file, 28, SEEK_SET);
    fwrite(page, 1, 4, file);
    fclose(file);
}

static const char *endless_file(const char *sql, const char *table)
{
    char *all = malloc(strlen(nsys_tables) + strlen(sql) + 100);
    assert_non_null(all);
    strcpy(all, SMALL_PAGES);
    strcat(all, nsys_tables);
    strcat(all, sql);
    const char *path = nsys_file(all);
    free(all);
    make_endless(path, table);
    return path;
}

static void test_endless_rows(void **state)
{
    (void)state;
    const char *path = endless_file(KERNEL_COLUMNS "(100, 200, 0, 1, 7, 1, pid(1), 2, 3),"
                                                   "(300, 400, 0, 1, 7, 2, pid(1), 2, 3);",
                                    "CUPTI_ACTIVITY_KIND_KERNEL");
    struct load_request request = {.path = path, .ignore_journal = true};
    struct error error = {0};
    alarm(100);
    struct profile *profile = profile_load(&request, &error);
    alarm(0);
    assert_non_null(profile);
    assert_int_equal(profile->work.count, 2);
    assert_non_null(profile_find_note(profile, "table_damaged"));
    profile_free(profile);
}

// No row is accepted here, so none is counted.
static void test_endless_search(void **state)
{
    (void)state;
    if (run_is_quick())
        skip();
    struct error error;
    const char *path = endless_file("INSERT INTO NVTX_EVENTS VALUES (5, NULL, 34, 'mark', 1, NULL,"
                                    " NULL, 0);",
                                    "NVTX_EVENTS");
    alarm(100);
    assert_non_null(strstr(nsys_refusal(path, &error), "without anything to show"));
    alarm(0);
}

static void test_far_times(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(
        KERNEL_COLUMNS "(100, 200, 0, 1, 7, 1, pid(1), 2, 3),"
                       "(300, 400, 0, 1, 7, 2, pid(1), 2, 3),"
                       "(-4212000000000, -4211999999000, 0, 1, 7, 3, pid(1), 2, 3),"
                       "(2305843009213693951, 2305843009213693952, 0, 1, 7, 4, pid(1), 2, 3),"
                       "(-2305843009213693952, -2305843009213693951, 0, 1, 7, 5, pid(1), 2, 3);");
    assert_int_equal(profile->work.count, 3); // 70 minutes before the capture is accepted
    assert_int_equal(profile->first_ns, INT64_C(-4212000000000));
    assert_int_equal(profile->last_ns, 400);
    assert_int_equal(profile->tables[0].skipped, 2);
    profile_free(profile);
}

static void test_absolute_times(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(
        KERNEL_COLUMNS "(1700000000000000000, 1700000000000000900, 0, 1, 7, 1, pid(1), 2, 3),"
                       "(1700000000000001000, 1700000000000001900, 0, 1, 7, 2, pid(1), 2, 3),"
                       "(5, 6, 0, 1, 7, 3, pid(1), 2, 3);");
    assert_int_equal(profile->work.count, 2);
    profile_free(profile);
}

// 4,000 kernels of 52 days each: their sum would overflow.
static void test_long_times(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 3999)"
        " INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, globalPid, demangledName, shortName)"
        " SELECT i, i + iif(i, 4503599627370496, 10), pid(1), 2, 3 FROM n;");
    assert_int_equal(profile->work.count, 4000);
    assert_int_equal(profile_find_note(profile, "times_absurd")->count, 3999);
    int64_t total = 0;
    for (uint32_t i = 0; i < 4000; i++)
        assert_false(__builtin_add_overflow(
            total, AT(profile->work.end, i) - AT(profile->work.start, i), &total));
    assert_int_equal(total, 10);
    profile_free(profile);
}

static void test_capped_sums(void **state)
{
    (void)state;
    struct time_metric metric = {0};
    metric_add(&metric, 0, INT64_MAX - 1);
    metric_add(&metric, 1, 5);
    assert_true(metric.total == INT64_MAX);
    assert_true(metric.min == 5);
}

#define NUMBERS(most) \
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < " #most ") "

// clang-format off
#define LIST_OF_GPUS(number)                                      \
    "CREATE TABLE TARGET_INFO_GPU (id, name, cuDevice);"          \
    NUMBERS(4095) "INSERT INTO TARGET_INFO_GPU SELECT i, 'H100', " number " FROM n;"
#define KERNELS_ON_50000 \
    NUMBERS(49999)       \
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, globalPid, shortName)" \
    " SELECT i, i + 1, i, pid(1), 3 FROM n;"
#define STREAMS_30000                                                                           \
    NUMBERS(29999)                                                                              \
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, globalPid, shortName)" \
    " SELECT i, i + 1, 0, i, pid(2), 3 FROM n;"
#define GPUS_ON_BUSES(most)                                       \
    "CREATE TABLE TARGET_INFO_GPU (id, name, busLocation);"       \
    NUMBERS(most) "INSERT INTO TARGET_INFO_GPU SELECT i, 'H100', 'listed' || i FROM n;"
#define BUSES_OF_50000                                                     \
    "CREATE TABLE TARGET_INFO_CUDA_GPU (pid, deviceId, name, pciBusId);"   \
    NUMBERS(49999) "INSERT INTO TARGET_INFO_CUDA_GPU SELECT i, 0, 'H100', 'bus' || i FROM n;"
#define UUIDS_OF_50000                                                          \
    "CREATE TABLE TARGET_INFO_CUDA_DEVICE (pid, cudaId, gpuId, uuid);"          \
    NUMBERS(49999) "INSERT INTO TARGET_INFO_CUDA_DEVICE SELECT i, 0, NULL, 'uuid' || i FROM n;"
#define A_KERNEL \
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, globalPid, shortName)" \
    " VALUES (1, 2, 0, pid(70000), 3);"
#define STEP(number) \
    "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid)" \
    " SELECT 10 * (" number "), 10 * (" number ") + 9, 59, 'step ' || (" number "), "
#define STEPS_OF_TWO_THREADS                                \
    NUMBERS(99999) STEP("i") "tid(1, 1) FROM n;"           \
    NUMBERS(99999) STEP("i") "tid(1, 2) FROM n;"
#define THREADS_WITH_TWO_STEPS                              \
    NUMBERS(49999) STEP("99998") "tid(1, 3) + i FROM n;"   \
    NUMBERS(49999) STEP("99999") "tid(1, 3) + i FROM n;"
#define PROCESSES_WITH_TWO_STEPS                                    \
    NUMBERS(299999) STEP("0") "tid(2 + i, 1) FROM n;"   \
    NUMBERS(299999) STEP("1") "tid(2 + i, 1) FROM n;"   \
    NUMBERS(299999)                                                            \
    "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid)"         \
    " SELECT 1, 2, 59, 'aten::mm, seq = 5', tid(2 + i, 1) FROM n UNION ALL"    \
    " SELECT 3, 4, 59, 'MmBackward0, seq = 5', tid(2 + i, 1) FROM n;"
#define CROSSING_RANGES                                                                    \
    NUMBERS(99999)                                                                         \
    "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, endGlobalTid)"       \
    " SELECT i, i + 1000000, 60, 'away', tid(1, 1), 1 FROM n;"
#define GRAPH_NODES_AFTER                                                                 \
    "CREATE TABLE CUDA_GRAPH_NODE_EVENTS (start, globalTid, graphNodeId);"                 \
    NUMBERS(99999)                                                                         \
    "INSERT INTO CUDA_GRAPH_NODE_EVENTS SELECT 200000 + i, tid(1, 1), i + 1 FROM n;"   \
    NUMBERS(99999)                                                                         \
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, globalPid, shortName, graphNodeId)" \
    " SELECT i, i + 1, pid(1), 3, i + 1 FROM n;"
// Texts that differ in letters, since those that differ in numbers have one title.
#define LETTERS "char(97 + i % 26, 97 + i / 26 % 26, 97 + i / 676)"
#define RANGES_INSIDE_EACH_OTHER                                                           \
    NUMBERS(599)                                                                           \
    "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid)"                     \
    " SELECT i, 10000 - i, 59, 'deep' || " LETTERS ", tid(1, 1) FROM n;"                   \
    "CREATE TABLE CUDA_GRAPH_NODE_EVENTS (start, globalTid, graphNodeId);"                 \
    "INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES (5000, tid(1, 1), 1);"
#define REPLAYS_EVERYWHERE                                                                 \
    NUMBERS(999)                                                                           \
    "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid)"                     \
    " SELECT 10000 + 10 * i, 10009 + 10 * i, 59, 'replay' || " LETTERS ", tid(1, 1) FROM n;"\
    NUMBERS(999)                                                                           \
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId)" \
    " SELECT 10001 + 10 * i, 10002 + 10 * i, tid(1, 1), i + 1, 1 FROM n;"              \
    NUMBERS(999)                                                                           \
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, globalPid, shortName, correlationId," \
    " graphNodeId) SELECT 10003 + 10 * i, 10004 + 10 * i, pid(1), 3, i + 1, 1 FROM n;"
#define PATHS_EVERYWHERE                                                                   \
    NUMBERS(4999)                                                                          \
    "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid)"                     \
    " SELECT 10 * i, 10 * i + 9, 59, 'place' || " LETTERS ", tid(1, 1) FROM n UNION ALL"   \
    " SELECT 10 * i + 1, 10 * i + 8, 59, 'layer:' || replace(hex(zeroblob(150)), '00', 'a.')" \
    " || 'b', tid(1, 1) FROM n;"
// clang-format on

// Layers are copied below each place of a replay, but not as often as their product.
static void test_layers_times_replays(void **state)
{
    (void)state;
    alarm(100);
    struct profile *profile = nsys_profile(RANGES_INSIDE_EACH_OTHER REPLAYS_EVERYWHERE);
    assert_in_range(profile->tree->count, 100000, 300000);
    assert_non_null(profile_find_note(profile, "tree_cut"));
    int64_t placed = 0;
    for (uint32_t i = 0; i < profile->work.count; i++)
        placed += AT(profile->work.node, i) != profile->tree->outside;
    assert_int_equal(placed, 1000);
    profile_free(profile);
    profile = nsys_profile(PATHS_EVERYWHERE); // long paths of modules below many ranges
    assert_in_range(profile->tree->count, 100000, 320000);
    assert_non_null(profile_find_note(profile, "tree_cut"));
    profile_free(profile);
    alarm(0);
}

// 4,096 GPUs are distinguished; all others are combined in one.
static void assert_crowded(struct profile *profile)
{
    assert_int_equal(profile->device_count, 4097);
    assert_int_equal(profile_find_note(profile, "devices_crowded")->count, 50000 - 4097);
    assert_true(profile->devices[4096].is_assumed);
    assert_int_equal(profile->devices[4096].end_work - profile->devices[4096].first_work,
                     50000 - 4096);
    assert_int_equal(profile->processes[0].gpus, 4097);
    profile_free(profile);
}

// More device numbers than any host has, and a list of the same length: pairs of them are not
// compared.
static void test_thousands_of_device_numbers(void **state)
{
    (void)state;
    alarm(100);
    struct profile *profile = nsys_profile(LIST_OF_GPUS("i") KERNELS_ON_50000);
    assert_crowded(profile);
    alarm(100);
    profile = nsys_profile(LIST_OF_GPUS("i + 1") KERNELS_ON_50000); // no GPU has number 0
    assert_crowded(profile);
    alarm(100);
    profile = nsys_profile(LIST_OF_GPUS("4095 - i") KERNELS_ON_50000);
    assert_crowded(profile);
    alarm(0);
}

// Buses and uuids of no listed GPU: finding a free id must not search the list for each row.
static void test_thousands_of_gpus(void **state)
{
    (void)state;
    alarm(100);
    struct profile *profile = nsys_profile(GPUS_ON_BUSES(4095) BUSES_OF_50000 A_KERNEL);
    assert_int_equal(profile->device_count, 4096);
    profile_free(profile);
    profile = nsys_profile(GPUS_ON_BUSES(2047) BUSES_OF_50000 UUIDS_OF_50000 A_KERNEL);
    assert_int_equal(profile->device_count, 4096);
    profile_free(profile);
    profile = nsys_profile(GPUS_ON_BUSES(0) UUIDS_OF_50000 A_KERNEL);
    assert_int_equal(profile->device_count, 4096);
    profile_free(profile);
    alarm(0);
}

// Ranges that are not nested, and graph nodes created after all of them.
static void test_graph_nodes_after_crossing_ranges(void **state)
{
    (void)state;
    alarm(100);
    struct profile *profile = nsys_profile(CROSSING_RANGES GRAPH_NODES_AFTER);
    assert_int_equal(profile_find_note(profile, "graph_nodes_without_capture")->count, 100000);
    profile_free(profile);
    alarm(0);
}

// One process with many steps and many processes with one step: windows for all would be 25
// million.
static void test_steps_times_processes(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(
        NUMBERS(4999) "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid)"
                      " SELECT 10 * i, 10 * i + 9, 59, 'step ' || i, tid(1, 1) FROM n"
                      " UNION ALL SELECT i, i + 1, 59, 'step 0', tid(2 + i, 1) FROM n;"
                      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, nameId)"
                      " SELECT start, start, globalTid, 1 FROM NVTX_EVENTS;");
    assert_int_equal(profile->process_count, 5001);
    struct split *split = split_find(profile, profile->arena);
    assert_int_equal(split->count, 1);
    assert_non_null(strstr(split->text, "too many"));
    split = split_by_range(profile, "step 7", profile->arena);
    assert_int_equal(split->count, 1);
    assert_non_null(strstr(split->text, "too many"));
    profile_free(profile);
}

// The cost per thread and process must not depend on the number of all steps or threads.
static void test_steps_of_many_threads(void **state)
{
    (void)state;
    alarm(100);
    struct profile *profile = nsys_profile(STEPS_OF_TWO_THREADS THREADS_WITH_TWO_STEPS);
    struct split *split = split_find(profile, profile->arena);
    assert_int_equal(split->count, 100000);
    assert_int_equal(split->number[99999], 99999);
    profile_free(profile);
    profile = nsys_profile(PROCESSES_WITH_TWO_STEPS);
    assert_int_equal(profile->process_count, 300000);
    assert_int_equal(split_find(profile, profile->arena)->count, 2);
    profile_free(profile);
    alarm(0);
}

static long peak_kib(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

// One process with the most GPUs, and one with many streams on one GPU: the GPUs of a process are
// not counted in each frame, and no GPU uses memory for streams of others.
static void test_streams_times_gpus(void **state)
{
    (void)state;
    alarm(100);
    struct profile *profile = nsys_profile(KERNELS_ON_50000 STREAMS_30000);
    const struct split everything = {0};
    struct selection selection = selection_all(&everything);
    selection.process = profile_find_process(profile, 2);
    for (int frame = 0; frame < 2000; frame++)
        assert_int_equal(selection_device_count(profile, &selection), 1);
    selection.process = profile_find_process(profile, 1);
    assert_int_equal(selection_device_count(profile, &selection), 4097);
    long before = peak_kib();
    const struct idle *idle = idle_find(profile, ROW_NONE, ROW_NONE, profile->arena);
    assert_non_null(idle);
    assert_in_range(peak_kib() - before, 0, 1 << 20);
    profile_free(profile);
    alarm(0);
}

// An index that covers all columns, with statistics in its favour: rows are still read in table
// order.
static void test_favoured_index_is_ignored(void **state)
{
    (void)state;
    struct profile *profile = nsys_profile(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
        " INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId)"
        " SELECT i * 10, i * 10 + 5, tid(1, 1), i FROM n;"
        "CREATE INDEX back ON CUPTI_ACTIVITY_KIND_RUNTIME"
        " (start DESC, end, globalTid, correlationId, nameId);"
        "ANALYZE; DELETE FROM sqlite_stat1;"
        "INSERT INTO sqlite_stat1 VALUES"
        " ('CUPTI_ACTIVITY_KIND_RUNTIME', 'back', '1 1 1 1 1 1 sz=1');");
    assert_int_equal(profile->api.count, 2000);
    assert_int_equal(note_count(profile, "rows_unsorted"), 0);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_favoured_index_is_ignored),
        cmocka_unit_test(test_endless_rows),
        cmocka_unit_test(test_endless_search),
        cmocka_unit_test(test_far_times),
        cmocka_unit_test(test_absolute_times),
        cmocka_unit_test(test_long_times),
        cmocka_unit_test(test_capped_sums),
        cmocka_unit_test(test_steps_times_processes),
        cmocka_unit_test(test_thousands_of_device_numbers),
        cmocka_unit_test(test_thousands_of_gpus),
        cmocka_unit_test(test_graph_nodes_after_crossing_ranges),
        cmocka_unit_test(test_layers_times_replays),
        cmocka_unit_test(test_steps_of_many_threads),
        cmocka_unit_test(test_streams_times_gpus),
    };
    // The last five measure the time for hundreds of thousands of rows, which is meaningless under
    // valgrind.
    size_t count = sizeof tests / sizeof *tests - (run_is_quick() ? 5 : 0);
    return _cmocka_run_group_tests("load_hostile", tests, count, NULL, nsys_remove);
}
