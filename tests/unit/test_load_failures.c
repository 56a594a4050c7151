// SPDX-License-Identifier: Apache-2.0
// Reading fails somewhere: at the first read of the file, at the second, ... until none fails any
// more. Each time the load says so and names the file, or what it gives says that it is not whole.
// The same with a user who cancels at each of these moments. Under the sanitizers nothing may leak.
#include "property.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/export.h"
#include "analysis/report_list.h"
#include "failing_disk.h"
#include "model/iterations.h"
#include "nsys_fixture.h"

// ---- a profile with a row in every table that is read ------------------------------------------

// Thread 1 of process 1 is 0x1000001000001 there, the process 0x1000001000000.
static const char rows[] =
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 110, 0x1000001000001, 1, 1),"
    " (200, 210, 0x1000001000001, 2, 1), (300, 310, 0x1000001000001, 3, 4),"
    " (400, 410, 0x1000001000002, 4, 6);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
    " (1000, 1100, 0, 1, 7, 1, 0x1000001000000, 590, 3, 32, 1, 1, 1, 1, 1, 1, 0, 0, NULL),"
    " (1100, 1300, 0, 1, 7, 2, 0x1000001000000, 7, 8, 32, 1, 1, 1, 1, 1, 1, 0, 0, 51);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES"
    " (1300, 1400, 0, 1, 7, 3, 0x1000001000000, 64, 1, 1, 2);"
    "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, textId, domainId) VALUES"
    " (0, 500, 59, 'step 1', 0x1000001000001, NULL, NULL),"
    " (50, 150, 59, 'aten::mm, seq = 3', 0x1000001000001, NULL, NULL),"
    " (160, 250, 59, NULL, 0x1000001000001, 5, NULL),"
    " (0, 0, 75, 'library', 0x1000001000001, NULL, 4);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, streamId, correlationId,"
    " globalPid, bytes);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (1500, 1600, 0, 7, 9, 0x1000001000000, 32);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId, streamId, correlationId,"
    " globalPid, graphId, graphExecId);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES"
    " (1700, 1800, 0, 7, 10, 0x1000001000000, 1, 2);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, globalPid, contextId, streamId,"
    " correlationId, syncType);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES"
    " (400, 410, 0x1000001000000, 1, 7, 4, 3);"
    "CREATE TABLE OSRT_API (start, end, globalTid, nameId);"
    "INSERT INTO OSRT_API VALUES (5, 6, 0x1000001000001, 5);"
    "CREATE TABLE PROFILER_OVERHEAD (start, end, globalTid, nameId);"
    "INSERT INTO PROFILER_OVERHEAD VALUES (7, 8, 0x1000001000001, 5);"
    "CREATE TABLE CUDA_GRAPH_NODE_EVENTS (start, globalTid, graphNodeId);"
    "INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES (60, 0x1000001000001, 51);"
    "CREATE TABLE PROCESSES (globalPid, name);"
    "INSERT INTO PROCESSES VALUES (0x1000001000000, 'python');"
    "CREATE TABLE ThreadNames (globalTid, nameId);"
    "INSERT INTO ThreadNames VALUES (0x1000001000001, 5);"
    "CREATE TABLE TARGET_INFO_GPU (id, name, uuid, busLocation, smCount);"
    "INSERT INTO TARGET_INFO_GPU VALUES (0, 'Card', 'u', '0000:01:00.0', 108);"
    "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid);"
    "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 1);"
    "CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO (processId, contextId, nullStreamId);"
    "INSERT INTO TARGET_INFO_CUDA_CONTEXT_INFO VALUES (1, 1, 7);"
    "CREATE TABLE META_DATA_EXPORT (name, value);"
    "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2025.1');"
    "CREATE TABLE META_DATA_CAPTURE (name, value);"
    "INSERT INTO META_DATA_CAPTURE VALUES ('CAPTURE_EVENT_TYPE', 'Cuda');"
    "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name, value);"
    "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('CpuDescription', 'A processor');"
    "CREATE TABLE DIAGNOSTIC_EVENT (severity, text);"
    "INSERT INTO DIAGNOSTIC_EVENT VALUES (2, 'events were lost');";

// More rows than a page holds, so that reading breaks off in the middle of a table as well.
static const char more_rows[] =
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 499)"
    " INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid)"
    " SELECT 2000 + i * 10, 2005 + i * 10, 59, 'many ' || i % 7, 0x1000001000001 FROM n;"
    "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 499)"
    " INSERT INTO StringIds SELECT 100 + i, 'text ' || i FROM n;";

static const char *whole_file(void)
{
    char sql[16000];
    snprintf(sql, sizeof sql, "%s%s%s", nsys_tables, rows, more_rows);
    disk.fail_read = disk.fail_open = 0;
    return nsys_file(sql);
}

// ---- all reports of a profile, as one text -----------------------------------------------------

static char *text_of_reports(struct profile *profile)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    struct arena *arena = arena_new(0);
    assert_non_null(file);
    assert_non_null(arena);
    struct selection selection = selection_all(split_find(profile, arena));
    for (size_t i = 0; i < report_count; i++) {
        struct rows built;
        struct error error = {0};
        if (!report_build(reports[i], profile, &selection, arena, &built, &error))
            fail_msg("%s", error.message);
        struct export_table table = {
            .report = reports[i], .rows = built, .profile = profile, .selection = &selection};
        assert_true(export_format_find("csv")->write(&table, file, arena));
    }
    arena_free(arena);
    fclose(file);
    return text;
}

static struct profile *load(const char *path, struct load_progress *progress, struct error *error)
{
    struct load_request request = {.path = path, .threads = 1, .progress = progress};
    *error = (struct error){0};
    disk.reads = disk.opens = 0;
    return profile_load(&request, error);
}

// The memory of a failed load whose stages were shown is theirs who hold them.
static void stage_free(struct load_progress *progress)
{
    profile_free(atomic_load(&progress->stage));
}

static bool says_not_whole(const struct profile *profile)
{
    return profile_find_note(profile, "table_damaged") ||
           profile_find_note(profile, "file_damaged");
}

// Fails at each read or open in turn; returns how many made the load fail.
static int fail_in_turn(int *at, bool may_be_damaged)
{
    const char *path = whole_file();
    struct error error;
    struct load_progress none = {.wake_fd = -1};
    struct profile *profile = load(path, &none, &error);
    assert_non_null(profile);
    char *whole = text_of_reports(profile);
    profile_free(profile);
    int failed = 0, last = at == &disk.fail_read ? disk.reads : disk.opens;
    assert_true(last > 0);
    for (*at = 1; *at <= last; ++*at) {
        struct load_progress progress = {.wake_fd = -1};
        profile = load(path, &progress, &error);
        if (!profile) {
            failed++;
            assert_true(error.kind == ERROR_IO || (may_be_damaged && error.kind == ERROR_DATA));
            if (!strstr(error.message, path))
                fail_msg("read %d: no file in the message: %s", *at, error.message);
            stage_free(&progress);
            continue;
        }
        char *text = text_of_reports(profile);
        if (strcmp(text, whole) != 0 && !(may_be_damaged && says_not_whole(profile)))
            fail_msg("%d of %d: what was not read is not missed", *at, last);
        free(text);
        profile_free(profile);
    }
    *at = 0;
    free(whole);
    return failed;
}

// ---- tests -------------------------------------------------------------------------------------

static void test_one_read_fails(void **state)
{
    (void)state;
    assert_true(fail_in_turn(&disk.fail_read, false) > 40);
}

static void test_all_reads_fail_from_one_on(void **state)
{
    (void)state;
    disk.stays = true;
    assert_true(fail_in_turn(&disk.fail_read, false) > 40);
    disk.stays = false;
}

// A page of zeros is damage in the file, of which what can be read is shown.
static void test_one_read_gives_nothing(void **state)
{
    (void)state;
    disk.is_short = true;
    fail_in_turn(&disk.fail_read, true);
    disk.is_short = false;
}

static void test_opening_fails(void **state)
{
    (void)state;
    assert_int_equal(fail_in_turn(&disk.fail_open, false), 2); // for the schema, for the tables
}

static void test_cancelled_at_each_read(void **state)
{
    (void)state;
    const char *path = whole_file();
    struct error error;
    struct load_progress none = {.wake_fd = -1};
    profile_free(load(path, &none, &error));
    int last = disk.reads, stages = 0;
    for (disk.fail_read = 1; disk.fail_read <= last; disk.fail_read++) {
        struct load_progress progress = {.wake_fd = -1};
        disk.cancel = &progress.cancel;
        assert_null(load(path, &progress, &error));
        assert_int_equal(error.kind, ERROR_CANCELLED);
        stages |= 1 << (atomic_load(&progress.stage) ? atomic_load(&progress.stage)->stage : 0);
        stage_free(&progress);
    }
    disk.fail_read = 0;
    disk.cancel = NULL;
    assert_true(stages & 1 << STAGE_CALLS); // some came so far
}

static int set_up(void **state)
{
    (void)state;
    assert_true(failing_disk_install());
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    nsys_remove();
    failing_disk_remove();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_read_fails),
        cmocka_unit_test(test_all_reads_fail_from_one_on),
        cmocka_unit_test(test_one_read_gives_nothing),
        cmocka_unit_test(test_opening_fails),
        cmocka_unit_test(test_cancelled_at_each_read),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
