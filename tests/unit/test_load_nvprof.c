// SPDX-License-Identifier: Apache-2.0
// The loader of nvprof databases: compares tests/golden/nvprof with its expected content; malformed
// rows of any kind are skipped and counted.
#include "load_failures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "file_text.h"
#include "model/markers/markers.h"
#include "model/open/open.h"
#include "nsys_fixture.h"
#include "paths.h"

static char *tables, *rows; // SQL of the golden database, with all columns nullable

static int set_up(void **state)
{
    (void)state;
    tables = file_read(source_path("/tests/golden/nvprof/tables.sql"));
    rows = file_read(source_path("/tests/golden/nvprof/profile.sql"));
    for (char *at; (at = strstr(tables, " NOT NULL"));)
        memset(at, ' ', strlen(" NOT NULL"));
    return 0;
}

static int tear_down(void **state)
{
    free(tables);
    free(rows);
    return nsys_remove(state);
}

static const char *file_with(const char *more)
{
    char *sql = malloc(strlen(tables) + strlen(rows) + strlen(more) + 1);
    assert_non_null(sql);
    strcat(strcat(strcpy(sql, tables), rows), more);
    const char *path = nsys_file(sql);
    free(sql);
    return path;
}

static struct profile *load(const char *more)
{
    struct load_request request = {.path = file_with(more)};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    if (!profile)
        fail_msg("%s", error.message);
    return profile;
}

static const char *refusal(const char *more)
{
    static struct error error;
    return nsys_refusal(file_with(more), &error);
}

static uint32_t range_of(const struct profile *profile, const char *name)
{
    for (uint32_t i = 0; i < profile->ranges.count; i++)
        if (strcmp(profile_text(profile, range_name(&profile->ranges, i)), name) == 0)
            return i;
    fail_msg("no range %s", name);
    return ROW_NONE;
}

static uint32_t thread_of(const struct profile *profile, uint32_t tid)
{
    for (uint32_t i = 0; i < profile->thread_count; i++)
        if (profile->threads[i].tid == tid)
            return i;
    fail_msg("no thread %u", tid);
    return ROW_NONE;
}

// ---- content -----------------------------------------------------------------------------------

static void test_processes_and_devices(void **state)
{
    (void)state;
    struct profile *profile = load("");
    assert_string_equal(profile->sources[0].format, "nvprof");
    assert_string_equal(profile->sources[0].schema, "12");
    assert_string_equal(profile->capture.started, "2020-09-13 12:26 UTC");
    assert_int_equal(profile->capture.utc_epoch_ns, INT64_C(1600000000000000000));
    assert_int_equal(profile->first_ns, 0);
    assert_int_equal(profile->last_ns, 10400);
    assert_int_equal(profile->process_count, 1);
    assert_int_equal(profile->processes[0].pid, 100);
    assert_string_equal(profile_text(profile, profile->processes[0].name), "python train.py");
    assert_int_equal(profile->thread_count, 2);
    uint32_t negative = thread_of(profile, 4294967294);
    assert_string_equal(profile_text(profile, profile->threads[negative].name), "loader");
    assert_int_equal(profile->device_count, 1);
    const struct device *device = &profile->devices[0];
    assert_string_equal(profile_text(profile, device->name), "Tesla V100-SXM2-16GB");
    assert_string_equal(profile_text(profile, device->uuid),
                        "GPU-91ed2eef-9878-2c7c-fba7-c0b32f580b00");
    assert_int_equal(device->memory_bandwidth, 898048000000);
    assert_int_equal(device->clock_hz, 1530000000);
    assert_int_equal(device->sm_count, 80);
    assert_int_equal(profile->stream_count, 2);
    assert_true(profile->streams[0].is_null);
    assert_false(profile->streams[1].is_null);
    profile_free(profile);
}

static void test_calls_and_work(void **state)
{
    (void)state;
    static const struct {
        const char *full, *brief;
        uint32_t correlation;
    } work[] = {{"void gemm<float, (int)4>(const T1 *, T1 *)", "gemm", 1},
                {"[memcpy HtoD pinned]", "[memcpy HtoD pinned]", 2},
                {"app::relu(float *)", "relu", 4},
                {"volta_sgemm_32x32_nn", "volta_sgemm_32x32_nn", 8},
                {"[memset]", "[memset]", 6},
                {"[memcpy PtoP]", "[memcpy PtoP]", 7}};
    struct profile *profile = load("");
    assert_int_equal(profile->work.count, 6);
    assert_true(profile->has_kernels && profile->has_api && profile->has_syncs);
    for (uint32_t i = 0; i < 6; i++) {
        const struct function *function = &profile->functions[AT(profile->work.function, i)];
        assert_string_equal(profile_text(profile, function->full), work[i].full);
        assert_string_equal(profile_text(profile, function->brief), work[i].brief);
        assert_int_equal(AT(profile->work.correlation, i), work[i].correlation);
        uint32_t launch = AT(profile->work.launch, i);
        assert_int_equal(launch == ROW_NONE, work[i].correlation == 8);
        if (launch != ROW_NONE)
            assert_int_equal(AT(profile->api.correlation, launch), work[i].correlation);
    }
    assert_int_equal(profile->syncs.count, 1);
    assert_int_equal(profile->syncs.type[0], 3);
    assert_int_not_equal(profile->syncs.stream[0], ROW_NONE);
    assert_int_equal(profile->overheads.count, 1);
    assert_int_equal(profile->overheads.first_without_thread, 1);
    assert_string_equal(profile_text(profile, profile->overheads.name[0]), "instrumentation");
    assert_int_equal(note_count(profile, "rows_unsorted"), 0); // two tables, each sorted
    profile_free(profile);
}

static void test_ranges(void **state)
{
    (void)state;
    // 20 ends before it begins, the end of 21 is on another thread, 22 began before the capture, 23
    // has no name.
    struct profile *profile = load(
        "INSERT INTO StringTable VALUES (20, 'back'), (21, 'across'), (24, 'again');"
        "INSERT INTO CUPTI_ACTIVITY_KIND_MARKER (flags, timestamp, id, objectKind, objectId, name,"
        " domain) VALUES"
        " (2, 1600000000000006000, 20, 2, X'640000000700000000000000', 20, 0),"
        " (4, 1600000000000005000, 20, 2, X'640000000700000000000000', 0, 0),"
        " (2, 1600000000000006100, 21, 2, X'640000000700000000000000', 21, 0),"
        " (4, 1600000000000006200, 21, 2, X'64000000FEFFFFFF00000000', 0, 0),"
        " (4, 1600000000000006300, 22, 2, X'640000000700000000000000', 0, 0),"
        " (4, 1600000000000006500, 23, 2, X'640000000700000000000000', 0, 0),"
        " (2, 1600000000000006400, 23, 2, X'640000000700000000000000', 0, 0),"
        " (2, 1600000000000006600, 24, 2, X'640000000700000000000000', 24, 0),"
        " (2, 1600000000000006700, 24, 2, X'640000000700000000000000', 24, 0),"
        " (4, 1600000000000006800, 24, 2, X'640000000700000000000000', 0, 0),"
        " (4, 1600000000000006900, 24, 2, X'640000000700000000000000', 0, 0);");
    const struct ranges *ranges = &profile->ranges;
    assert_int_equal(ranges->count, 9);
    uint32_t mm = range_of(profile, "aten::mm");
    assert_int_equal(range_seq(ranges, mm), 5);
    assert_int_equal(AT(ranges->start, mm), 1000);
    assert_int_equal(AT(ranges->end, mm), 4000);
    assert_int_equal(AT(ranges->parent, mm), range_of(profile, "step"));
    assert_int_equal(range_label(ranges, mm)->ending, RANGE_CLOSED);
    uint32_t io = range_of(profile, "io"), domain = range_label(ranges, io)->domain;
    assert_string_equal(profile_text(profile, profile->domains[domain].name), "lib");
    assert_int_equal(range_label(ranges, range_of(profile, "back"))->ending, RANGE_OPEN);
    assert_int_equal(range_label(ranges, range_of(profile, "across"))->ending, RANGE_CROSS_THREAD);
    uint32_t open = range_of(profile, "open");
    assert_int_equal(range_label(ranges, open)->ending, RANGE_OPEN);
    assert_int_equal(AT(ranges->end, open), 10000); // the latest of all
    uint32_t again = range_of(profile, "again");
    assert_int_equal(AT(ranges->start, again), 6600);
    assert_int_equal(AT(ranges->end, again), 6800); // end of the first
    assert_int_equal(note_count(profile, "ranges_without_text"), 1);
    assert_int_equal(note_count(profile, "ranges_without_start"), 2);
    assert_int_equal(note_count(profile, "ranges_backwards"), 1);
    assert_int_equal(note_count(profile, "ranges_open"), 3); // back, open, again
    assert_int_equal(note_count(profile, "ranges_across_threads"), 1);
    profile_free(profile);
}

// Names that are not mangled, as some tools write them.
static void test_plain_names(void **state)
{
    (void)state;
    static const struct {
        const char *full, *brief;
    } names[] = {
        {"volta_sgemm_32x32_nn", "volta_sgemm_32x32_nn"},
        {"void at::native::(anonymous namespace)::pool<float, std::a<int> >(int, float*)", "pool"},
        {"cudnn::gemm::computeOffsetsKernel(cudnn::gemm::ComputeOffsetsParams)",
         "computeOffsetsKernel"},
        {"void f<a::b{lambda(float)#1}>(int)", "f"},
        {"_Zbroken", "_Zbroken"},
        {"::", "::"},
        {"<", "<"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char sql[300];
        snprintf(sql, sizeof sql, "UPDATE StringTable SET value = '%s' WHERE _id_ = 9;",
                 names[i].full);
        struct profile *profile = load(sql);
        const struct function *function = &profile->functions[AT(profile->work.function, 3)];
        assert_string_equal(profile_text(profile, function->full), names[i].full);
        assert_string_equal(profile_text(profile, function->brief), names[i].brief);
        profile_free(profile);
    }
}

// ---- invalid values ----------------------------------------------------------------------------

static int64_t skipped_of(const struct profile *profile, const char *table)
{
    for (size_t i = 0; i < profile->table_count; i++)
        if (strcmp(profile->tables[i].table, table) == 0)
            return profile->tables[i].skipped;
    return -1;
}

static void test_odd_rows(void **state)
{
    (void)state;
    struct profile *profile = load(
        // Blobs of another size, no blob, no time, a time of another century.
        "INSERT INTO CUPTI_ACTIVITY_KIND_MARKER (flags, timestamp, id, objectId) VALUES"
        " (2, 1600000000000006000, 30, X'6400'), (2, 1600000000000006000, 31, ''),"
        " (2, 1600000000000006000, 32, NULL), (2, NULL, 33, X'640000000700000000000000'),"
        " (2, 4600000000000006000, 34, X'640000000700000000000000'),"
        " (NULL, NULL, NULL, NULL), ('x', 'y', 'z', 'w');"
        "INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (start, end, name) VALUES"
        " (1600000000000008100, 1600000000000008200, 777), (NULL, NULL, NULL),"
        " (1600000000000008300, 1600000000000008200, 7), (-9223372036854775808, 5, 7);"
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (cbid, start, end, processId, threadId) VALUES"
        " (-5, 1600000000000008100, 1600000000000008200, 100, 7),"
        " (9223372036854775807, 1600000000000008300, 1600000000000008400, 100, 7),"
        " (NULL, 1600000000000008500, 1600000000000008600, 100, 7);"
        "UPDATE CUPTI_ACTIVITY_KIND_DEVICE SET uuid = X'01', name = 999;"
        "UPDATE CUPTI_ACTIVITY_KIND_NAME SET objectId = X'64';"
        "UPDATE CUPTI_ACTIVITY_KIND_OVERHEAD SET objectId = X'';");
    assert_int_equal(skipped_of(profile, "CUPTI_ACTIVITY_KIND_MARKER"), 5);
    assert_int_equal(skipped_of(profile, "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL"), 3);
    assert_int_equal(profile->work.count, 7);
    assert_int_equal(profile->api.count, 10);
    assert_int_equal(profile->devices[0].name, STRING_NONE);
    assert_int_equal(profile->devices[0].uuid, STRING_NONE);
    assert_int_equal(profile->processes[0].name, STRING_NONE);
    assert_int_equal(profile->overheads.first_without_thread, 0);
    assert_int_equal(profile->first_ns, 0); // outliers do not move time 0
    profile_free(profile);
}

static void test_several_processes(void **state)
{
    (void)state;
    struct profile *profile =
        load("INSERT INTO CUPTI_ACTIVITY_KIND_DRIVER (cbid, start, end, processId, threadId,"
             " correlationId) VALUES (307, 1600000000000002100, 1600000000000002600, 200, 5, 1);");
    assert_int_equal(note_count(profile, "work_process_unknown"), 1);
    for (uint32_t i = 0; i < profile->work.count; i++)
        assert_int_equal(profile->processes[work_process(profile, i)].pid, 100);
    profile_free(profile);
}

static void test_unread_tables(void **state)
{
    (void)state;
    struct profile *profile =
        load("CREATE TABLE CUPTI_ACTIVITY_KIND_CDP_KERNEL (start, end);"
             "CREATE TABLE CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER (start);");
    assert_null(profile_find_note(profile, "table_unread"));
    profile_free(profile);
    profile = load("CREATE TABLE CUPTI_ACTIVITY_KIND_CDP_KERNEL (start, end);"
                   "INSERT INTO CUPTI_ACTIVITY_KIND_CDP_KERNEL VALUES (1, 2);");
    assert_non_null(strstr(profile_find_note(profile, "table_unread")->text, "CDP_KERNEL"));
    profile_free(profile);
}

// Without calls, work belongs to the process of the ranges.
static void test_no_calls(void **state)
{
    (void)state;
    struct profile *profile = load("DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME;"
                                   "DROP TABLE CUPTI_ACTIVITY_KIND_DRIVER;");
    assert_int_equal(profile->process_count, 1);
    assert_int_equal(profile->processes[0].pid, 100);
    assert_int_equal(note_count(profile, "no_api"), 0);
    assert_non_null(profile_find_note(profile, "no_api"));
    profile_free(profile);
}

static void test_no_unix_times(void **state)
{
    (void)state;
    struct profile *profile =
        load("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = start - 1599999999000000000,"
             " end = end - 1599999999000000000;"
             "DELETE FROM CUPTI_ACTIVITY_KIND_DRIVER; DELETE FROM CUPTI_ACTIVITY_KIND_MARKER;"
             "DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL; DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY;"
             "DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY2; DELETE FROM CUPTI_ACTIVITY_KIND_MEMSET;"
             "DELETE FROM CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;"
             "DELETE FROM CUPTI_ACTIVITY_KIND_OVERHEAD;"
             "DELETE FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;");
    assert_string_equal(profile->capture.started, "");
    assert_int_equal(profile->capture.utc_epoch_ns, UNKNOWN);
    assert_int_equal(profile->first_ns, 0);
    profile_free(profile);
}

static void test_refused(void **state)
{
    (void)state;
    static struct error error;
    const char *says = nsys_refusal(nsys_file(tables), &error);
    assert_non_null(strstr(says, "a database of nvprof without anything to show"));
    says = refusal("ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME RENAME TO own;"
                   "CREATE VIEW CUPTI_ACTIVITY_KIND_RUNTIME AS SELECT * FROM own;");
    assert_non_null(strstr(says, "a view or a virtual table where nvprof writes"));
}

static const char *const table_names[] = {"StringTable",
                                          "Version",
                                          "CUPTI_ACTIVITY_KIND_NAME",
                                          "CUPTI_ACTIVITY_KIND_DEVICE",
                                          "CUPTI_ACTIVITY_KIND_CONTEXT",
                                          "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL",
                                          "CUPTI_ACTIVITY_KIND_KERNEL",
                                          "CUPTI_ACTIVITY_KIND_MEMCPY",
                                          "CUPTI_ACTIVITY_KIND_MEMCPY2",
                                          "CUPTI_ACTIVITY_KIND_MEMSET",
                                          "CUPTI_ACTIVITY_KIND_RUNTIME",
                                          "CUPTI_ACTIVITY_KIND_DRIVER",
                                          "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                                          "CUPTI_ACTIVITY_KIND_OVERHEAD",
                                          "CUPTI_ACTIVITY_KIND_MARKER"};
enum { TABLES = sizeof table_names / sizeof *table_names };

// Returns true if the file opens; otherwise it must be refused with a message.
static bool opens_or_is_refused(const char *path)
{
    struct load_request request = {.path = path, .threads = 1};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    if (!profile && !*error.message)
        fail_msg("no profile, and no word why");
    profile_free(profile);
    return profile != NULL;
}

static int column_count;
static char column_names[40][100];

static int keep_column(void *context, int count, char **cells, char **titles)
{
    (void)context, (void)count, (void)titles;
    snprintf(column_names[column_count++], sizeof column_names[0], "%s", cells[1]);
    return 0;
}

static void find_columns(const char *table)
{
    sqlite3 *db = NULL;
    char sql[200];
    column_count = 0;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    sqlite3_exec(db, tables, NULL, NULL, NULL);
    snprintf(sql, sizeof sql, "PRAGMA table_info(%s)", table);
    sqlite3_exec(db, sql, keep_column, NULL, NULL);
    sqlite3_close(db);
}

static void test_missing_tables_and_columns(void **state)
{
    (void)state;
    for (size_t i = 0; i < TABLES; i++) {
        char sql[400];
        snprintf(sql, sizeof sql, "DROP TABLE %s;", table_names[i]);
        // Without StringTable the file is not recognized as nvprof's.
        assert_int_equal(opens_or_is_refused(file_with(sql)), i > 0);
        find_columns(table_names[i]);
        for (int c = 0; c < column_count; c++) {
            if (strcmp(column_names[c], "_id_") == 0)
                continue;
            snprintf(sql, sizeof sql, "ALTER TABLE %s RENAME COLUMN %.99s TO other;",
                     table_names[i], column_names[c]);
            assert_true(opens_or_is_refused(file_with(sql)));
        }
    }
}

static void test_any_values(void **state)
{
    (void)state;
    static const char *const values[] = {"NULL",
                                         "0",
                                         "-1",
                                         "7",
                                         "100",
                                         "4294967295",
                                         "9223372036854775807",
                                         "-9223372036854775808",
                                         "1600000000000005000",
                                         "4600000000000005000",
                                         "1e300",
                                         "'text'",
                                         "''",
                                         "X''",
                                         "X'640000000700000000000000'",
                                         "X'FFFFFFFFFFFFFFFFFFFFFFFF'",
                                         "zeroblob(70)",
                                         "'_ZN1aIiE'"};
    enum { VALUES = sizeof values / sizeof *values };
    struct random random = {3};
    int opened = 0, rounds = random_rounds(200);
    for (int round = 0; round < rounds; round++) {
        char sql[2000] = "";
        for (int changes = 0; changes < 4; changes++) {
            const char *table = table_names[random_below(&random, TABLES)];
            find_columns(table);
            size_t columns = column_count > 0 ? (size_t)column_count : 1;
            size_t used = strlen(sql);
            snprintf(sql + used, sizeof sql - used,
                     "UPDATE OR IGNORE %s SET %s = %s WHERE rowid %% %d = 0;", table,
                     column_names[random_below(&random, columns)],
                     values[random_below(&random, VALUES)], 1 + (int)random_below(&random, 3));
        }
        if (strstr(sql, "SET _id_")) // the key accepts integers only
            continue;
        opened += opens_or_is_refused(file_with(sql));
    }
    assert_true(opened > 0);
}

// Starts and ends in different slices, and a range whose end precedes its start in the table.
static void test_many_rows(void **state)
{
    (void)state;
    const char *path = file_with(
        "DELETE FROM CUPTI_ACTIVITY_KIND_MARKER;"
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 49999)"
        " INSERT INTO CUPTI_ACTIVITY_KIND_MARKER (flags, timestamp, id, objectKind, objectId,"
        " name, domain) SELECT 4, 1600000000000000000 + i * 10 + 7, i, 2,"
        " X'640000000700000000000000', 0, 0 FROM n WHERE i % 2;"
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 49999)"
        " INSERT INTO CUPTI_ACTIVITY_KIND_MARKER (flags, timestamp, id, objectKind, objectId,"
        " name, domain) SELECT 2, 1600000000000000000 + i * 10, i, 2,"
        " X'640000000700000000000000', 3 + i % 3, 0 FROM n;"
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 49999)"
        " INSERT INTO CUPTI_ACTIVITY_KIND_MARKER (flags, timestamp, id, objectKind, objectId,"
        " name, domain) SELECT 4, 1600000000000000000 + i * 10 + 7, i, 2,"
        " X'640000000700000000000000', 0, 0 FROM n WHERE i % 2 = 0 AND i != 10;");
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        struct load_request request = {.path = path, .threads = threads};
        struct error error = {0};
        struct profile *profile = profile_load(&request, &error);
        assert_non_null(profile);
        assert_int_equal(profile->ranges.count, 50000);
        assert_int_equal(note_count(profile, "ranges_open"), 1);
        assert_int_equal(note_count(profile, "ranges_without_start"), 0);
        for (uint32_t i = 0; i < profile->ranges.count; i++)
            assert_int_equal(AT(profile->ranges.end, i) - AT(profile->ranges.start, i),
                             i == 10 ? 49999 * 10 + 7 - 100 : 7);
        profile_free(profile);
    }
}

static void test_gpu_without_identity(void **state)
{
    (void)state;
    struct profile *profile = load("UPDATE CUPTI_ACTIVITY_KIND_DEVICE SET uuid = zeroblob(16);");
    assert_int_equal(profile->devices[0].uuid, STRING_NONE);
    profile_free(profile);
}

static void test_every_allocation_fails_once(void **state)
{
    (void)state;
    const char *path = file_with("");
    assert_true(load_failures(&path, 1, 9) > 10);
    // Enough names that the table of known names grows once more at the end.
    path =
        file_with("INSERT INTO StringTable (_id_, value) WITH RECURSIVE n(i) AS (VALUES (0) UNION "
                  "ALL SELECT i + 1 FROM n WHERE i < 39) SELECT 10000 + i, 'layer ' || i FROM n;"
                  "INSERT INTO CUPTI_ACTIVITY_KIND_MARKER SELECT NULL, 2, "
                  "1600000000000000100 + _id_, _id_, 2, X'6400000066000000', _id_, 0 "
                  "FROM StringTable WHERE _id_ >= 10000;"
                  "INSERT INTO CUPTI_ACTIVITY_KIND_MARKER SELECT NULL, 4, timestamp + 7, id, 2, "
                  "objectId, 0, 0 FROM CUPTI_ACTIVITY_KIND_MARKER WHERE id >= 10000;");
    assert_true(load_failures(&path, 1, 1) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_processes_and_devices),
        cmocka_unit_test(test_calls_and_work),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_plain_names),
        cmocka_unit_test(test_odd_rows),
        cmocka_unit_test(test_several_processes),
        cmocka_unit_test(test_unread_tables),
        cmocka_unit_test(test_no_calls),
        cmocka_unit_test(test_no_unix_times),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_missing_tables_and_columns),
        cmocka_unit_test(test_any_values),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_gpu_without_identity),
        cmocka_unit_test(test_every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
