// SPDX-License-Identifier: Apache-2.0
// Files that are no profiles are refused with one helpful message; an aborted load leaks no memory.
#include "load_failures.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/open/open.h"
#include "nsys_fixture.h"

static void refused(const char *file, enum error_kind kind, const char *found)
{
    struct error error;
    const char *message = nsys_refusal(file, &error);
    assert_int_equal(error.kind, kind);
    assert_non_null(strstr(message, file));
    if (!strstr(message, found))
        fail_msg("%s does not hold %s", message, found);
}

static void test_no_database(void **state)
{
    (void)state;
    static const unsigned char zeros[4096];
    refused("/no/such/file", ERROR_IO, "No such file");
    refused("/dev/null", ERROR_DATA, "a device");
    refused(nsys_bytes("", 0), ERROR_DATA, "empty");
    refused(nsys_bytes(zeros, sizeof zeros), ERROR_DATA, "zeros");
    refused(nsys_bytes("Hello\n", 6), ERROR_DATA, "a text file");
    refused(nsys_bytes("\x1F\x8B\x08", 3), ERROR_DATA, "gzip");
    refused(nsys_bytes("\x7F\x45LF\x01", 5), ERROR_DATA, "another kind");
    refused(nsys_bytes("SQLite format 3\0\x10\0\1\1\0@ ", 24), ERROR_DATA, "24 bytes");
    const char *path = nsys_bytes("x", 1);
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    refused(path, ERROR_DATA, "is a directory, and neither it nor one in it holds a profile");
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0); // opening it would block
    refused(path, ERROR_DATA, "a pipe");
    path = nsys_bytes("x", 1);
    chmod(path, 0);
    if (access(path, R_OK) != 0)
        refused(path, ERROR_IO, "Permission denied");
}

static void test_another_database(void **state)
{
    (void)state;
    refused(nsys_file("CREATE TABLE bookmarks (url); CREATE TABLE history (url);"), ERROR_DATA,
            "bookmarks, history");
    refused(nsys_file("CREATE TABLE StringTable (_id_, value);"
                      "CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (start);"),
            ERROR_DATA, "nvprof");
    refused(nsys_file("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"
                      "CREATE TABLE OSRT_API (start);"
                      "CREATE TABLE NVTX_EVENTS (start, end, eventType, text, globalTid);"
                      "INSERT INTO NVTX_EVENTS VALUES (1, NULL, 75, 'NCCL', 1);"),
            ERROR_DATA, "nsys profile -t cuda,nvtx");
    char sql[8000];
    snprintf(sql, sizeof sql, "%s", nsys_tables); // all tables, all empty
    refused(nsys_file(sql), ERROR_DATA, "no row of GPU work");
}

// The file has rows that are not written back yet (-wal), or changes to be rolled back (-journal).
// A reader can do neither.
static void check_journal(const char *suffix)
{
    char sql[8000], journal[200];
    struct stat before, after;
    snprintf(sql, sizeof sql, "%sINSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1,2,3,4,1);",
             nsys_tables);
    const char *path = nsys_file(sql);
    snprintf(journal, sizeof journal, "%s%s", path, suffix);
    FILE *file = fopen(journal, "w");
    assert_non_null(file);
    struct load_request request = {.path = path};
    struct error error = {0};
    struct profile *profile =
        profile_load(&request, &error); // an empty journal is ignored without a note
    assert_non_null(profile);
    assert_null(profile_find_note(profile, "journal_ignored"));
    profile_free(profile);
    fputs("rows", file);
    fclose(file);
    refused(path, ERROR_DATA, "--ignore-journal");
    refused(path, ERROR_DATA, suffix);
    request.ignore_journal = true;
    assert_int_equal(stat(path, &before), 0);
    profile = profile_load(&request, &error);
    assert_non_null(profile);
    assert_non_null(profile_find_note(profile, "journal_ignored"));
    profile_free(profile);
    assert_int_equal(stat(path, &after), 0);
    assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof before.st_mtim);
    assert_int_equal(stat(journal, &after), 0); // still there
    assert_int_equal(after.st_size, 4);
}

static void test_journals(void **state)
{
    (void)state;
    check_journal("-wal");
    check_journal("-journal");
}

static void test_cut_file(void **state)
{
    (void)state;
    char sql[8000];
    snprintf(sql, sizeof sql, "%sINSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1,2,3,4,1);",
             nsys_tables);
    const char *path = nsys_file(sql);
    assert_int_equal(truncate(path, 8192), 0);
    refused(path, ERROR_DATA, "cut short");
}

// ---- aborted loads -----------------------------------------------------------------------------

static const char *whole_file(void)
{
    char sql[12000];
    snprintf(sql, sizeof sql,
             "%sINSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1,2,tid(1, 1),4,1);"
             "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
             " (3,4,0,1,7,4,pid(1),2,3,32,1,1,1,1,1,1,0,0,NULL);"
             "INSERT INTO NVTX_EVENTS (start,end,eventType,text,globalTid) VALUES"
             " (0,9,59,'aten::mm, seq = 3',tid(1, 1));"
             "CREATE TABLE OSRT_API (start, end, globalTid, nameId);"
             "INSERT INTO OSRT_API VALUES (5, 6, tid(1, 1), 5);"
             "CREATE TABLE CUDA_GRAPH_NODE_EVENTS (start, globalTid, graphNodeId);"
             "INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES (5, tid(1, 1), 5);",
             nsys_tables);
    return nsys_file(sql);
}

static void test_every_allocation_fails_once(void **state)
{
    (void)state;
    const char *path = whole_file();
    assert_true(load_failures(&path, 1, 1) > 100);
}

static void test_cancelled_before_it_begins(void **state)
{
    (void)state;
    struct load_progress progress = {.wake_fd = -1};
    atomic_store(&progress.cancel, true);
    struct load_request request = {.path = whole_file(), .progress = &progress};
    struct error error = {0};
    assert_null(profile_load(&request, &error));
    assert_int_equal(error.kind, ERROR_CANCELLED);
}

// Stages are published in order, wake the reader, and stay readable when later ones exist.
static void test_stages(void **state)
{
    (void)state;
    int ends[2];
    char bytes[16];
    assert_int_equal(pipe(ends), 0);
    struct load_progress progress = {.wake_fd = ends[1]};
    struct load_request request = {.path = whole_file(), .progress = &progress};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    assert_non_null(profile);
    assert_int_equal(read(ends[0], bytes, sizeof bytes), 4);
    close(ends[0]);
    close(ends[1]);
    const struct profile *stage = atomic_load(&progress.stage);
    assert_int_equal(stage->stage, STAGE_READY);
    assert_string_equal(profile_text(stage, range_name(&stage->ranges, 0)), "aten::mm");
    assert_int_equal(strings_find(stage->strings, "aten::mm"), range_name(&stage->ranges, 0));
    assert_int_equal(atomic_load(&progress.rows_done), atomic_load(&progress.rows_total));
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_database),
        cmocka_unit_test(test_another_database),
        cmocka_unit_test(test_journals),
        cmocka_unit_test(test_cut_file),
        cmocka_unit_test(test_every_allocation_fails_once),
        cmocka_unit_test(test_cancelled_before_it_begins),
        cmocka_unit_test(test_stages),
    };
    return cmocka_run_group_tests(tests, NULL, nsys_remove);
}
