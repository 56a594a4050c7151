// SPDX-License-Identifier: Apache-2.0
// Source lines, the cost and the results of API calls, and the ncu command, compared with figures
// computed on paper for a hand-made profile.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/reports/ncu_command.h"
#include "analysis/reports/report_list.h"
#include "base/text/text_file.h"
#include "model/profile/copy_kinds.h"
#include "nsys_fixture.h"
#include "ui/term/source_file.h"

REPORT_DECLARE(api);
REPORT_DECLARE(api_threads);
REPORT_DECLARE(calls);
REPORT_DECLARE(launches);
REPORT_DECLARE(memory);
REPORT_DECLARE(source);

// Thread 1: a launch of relu [0,100) with a driver call [20,50) in it, a copy [100,200) that fails,
// a query [200,210) that is not ready, a synchronisation [300,700). Thread 2: relu [400,410), gemm
// [420,430). Kernels of 50, 30 and 20 ns; the copy takes 40.
static const char sql[] =
    "ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME ADD COLUMN callchainId INTEGER;"
    "ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME ADD COLUMN returnValue INTEGER;"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, globalPid, correlationId, "
    "syncType);"
    "CREATE TABLE CUDA_CALLCHAINS (id, symbol, module, stackDepth);"
    "INSERT INTO StringIds VALUES (20, 'step'), (21, '/app/my train.py:88'), (22, "
    "'cudaEventQuery_v3020'), (23, 'cudaLaunchKernel'), (24, 'cuLaunchKernel'),"
    " (25, '/app/b.py:7'), (26, '/lib/b.py:7'), (27, 'a::b'), (28, 'server');"
    "INSERT INTO CUDA_CALLCHAINS VALUES (1, 20, 21, 0), (2, 20, 25, 0), (3, 20, 26, 0), (4, 27, "
    "28, 0);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES"
    " (0, 100, tid(1, 1), 1, 1, 1, 0), (20, 50, tid(1, 1), 9, 24, NULL, 0),"
    " (100, 200, tid(1, 1), 2, 4, 1, 1), (200, 210, tid(1, 1), 3, 22, 2, 600),"
    " (300, 700, tid(1, 1), 4, 6, 3, 0), (400, 410, tid(1, 2), 5, 23, 1, 0),"
    " (420, 430, tid(1, 2), 6, 23, 4, 0);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (310, 690, pid(1), 4, 3);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId,"
    " correlationId, globalPid, demangledName, shortName, gridX, gridY, gridZ, blockX, blockY,"
    " blockZ) VALUES (1000, 1050, 0, 1, 7, 1, pid(1), 7, 8, 1, 1, 1, 1, 1, 1),"
    " (1200, 1230, 0, 1, 7, 5, pid(1), 7, 8, 1, 1, 1, 1, 1, 1),"
    " (1300, 1320, 0, 1, 7, 6, pid(1), 2, 3, 1, 1, 1, 1, 1, 1);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1100, 1140, 0, 1, 7, 2, pid(1), 8, 1, 0, 2);";

static struct profile *profile;
static struct arena *arena;
static struct selection selection;

static int open_profile(void **state)
{
    (void)state;
    profile = nsys_profile(sql);
    arena = arena_new(0);
    selection = selection_all(split_find(profile, arena));
    return 0;
}

static int close_profile(void **state)
{
    arena_free(arena);
    profile_free(profile);
    return nsys_remove(state);
}

// Returns a figure of the row whose name starts with `row_name`; UNKNOWN if it is not known.
static int64_t figure(const struct report *report, const char *row_name, const char *key)
{
    struct rows rows = report->build(profile, &selection, arena);
    const struct column *name = NULL;
    for (size_t c = 0; c < report->column_count && !name; c++)
        name = report->columns[c].flags & COLUMN_NAME ? &report->columns[c] : NULL;
    for (size_t i = 0; i < rows.count; i++) {
        const void *row = report_row(report, &rows, i);
        struct value value = report_column(report, key)->get(row);
        if (strncmp(name->get(row).text, row_name, strlen(row_name)) == 0)
            return value.kind == VALUE_INTEGER ? value.integer : UNKNOWN;
    }
    fail_msg("%s has no row '%s'", report->name, row_name);
    return UNKNOWN;
}

static void test_source(void **state)
{
    (void)state;
    const struct report *source = &report_source;
    assert_int_equal(figure(source, "my train.py:88 step", "gpu_total"), 50 + 40 + 30);
    assert_int_equal(figure(source, "my train.py:88 step", "launches"), 3);
    assert_int_equal(figure(source, "my train.py:88 step", "calls"), 3);
    assert_int_equal(figure(source, "my train.py:88 step", "api_time"), 100 + 100 + 10);
    assert_int_equal(figure(source, "my train.py:88 step", "number"), 88);
    assert_int_equal(figure(source, "a::b", "gpu_total"), 20);
    assert_int_equal(figure(source, "a::b", "number"), UNKNOWN);
    assert_int_equal(figure(source, "(line not known)", "api_time"), 30);
    // Gaps: 1050-1100 before the copy, 1140-1200 and 1230-1300 before the kernels.
    int64_t idle = figure(source, "my train.py", "idle") + figure(source, "a::b", "idle") +
                   figure(source, "b.py:7", "idle") + figure(source, "(line not", "idle");
    assert_int_equal(idle, 50 + 60 + 70);
    // Two files have a line of the same text, so the file is unknown.
    const struct program_line *line =
        profile_line(profile, strings_find(profile->strings, "b.py:7 step"));
    assert_non_null(line);
    assert_int_equal(line->file, STRING_NONE);
    line = profile_line(profile, strings_find(profile->strings, "my train.py:88 step"));
    assert_string_equal(profile_text(profile, line->file), "/app/my train.py");
    assert_null(profile_line(profile, STRING_NONE));
    // Enter opens the launches of the line only.
    struct rows rows = source->build(profile, &selection, arena);
    struct selection narrow = selection;
    for (size_t i = 0; i < rows.count; i++) {
        const void *row = report_row(source, &rows, i);
        narrow = selection;
        if (strcmp(report_column(source, "line")->get(row).text, "my train.py:88 step") == 0)
            break;
    }
    narrow.line = line->text;
    selection = narrow;
    assert_int_equal(report_launches.build(profile, &selection, arena).count, 3);
    rows = report_calls.build(profile, &selection, arena);
    assert_int_equal(rows.count, 3);
    struct selection launched = selection; // narrowing by a call keeps the line
    assert_string_equal(report_calls.narrow(profile, rows.items, &launched), "launches");
    assert_true(report_launches.build(profile, &launched, arena).count > 0);
    assert_int_equal(launched.line, line->text);
    selection.op = 0; // the idle time of a line within an op is unknown
    assert_false(figure(source, "my train.py", "gpu_total") > 0 &&
                 figure(source, "my train.py", "idle") != UNKNOWN);
}

static void test_api(void **state)
{
    (void)state;
    // Names that differ only in their version are one row and one selection.
    assert_int_equal(figure(&report_api, "cudaLaunchKernel", "calls"), 3);
    assert_int_equal(figure(&report_api, "cudaLaunchKernel", "total"), 120);
    assert_int_equal(figure(&report_api, "cudaLaunchKernel", "self"), 90);
    assert_int_equal(figure(&report_api, "cuLaunchKernel", "self"), 30);
    assert_int_equal(figure(&report_api, "cudaStreamSynchronize", "wait"), 380);
    assert_int_equal(figure(&report_api, "cudaLaunchKernel", "wait"), 0);
    assert_int_equal(figure(&report_api, "cudaMemcpyAsync", "failed"), 1);
    assert_int_equal(figure(&report_api, "cudaEventQuery", "failed"), 0); // "not ready" is no error
    assert_int_equal(figure(&report_calls, "cudaEventQuery", "result"), 600);
    struct rows rows = report_api.build(profile, &selection, arena);
    for (size_t i = 0; i < rows.count; i++) {
        const void *row = report_row(&report_api, &rows, i);
        struct selection narrow = selection;
        bool is_launch =
            strcmp(report_column(&report_api, "api")->get(row).text, "cudaLaunchKernel") == 0;
        const char *opens = report_api.narrow(profile, row, &narrow);
        assert_string_equal(opens, is_launch ? "api_threads" : "calls");
        if (!is_launch)
            continue;
        struct rows threads = report_api_threads.build(profile, &narrow, arena);
        assert_int_equal(threads.count, 2);
        assert_string_equal(report_api_threads.narrow(
                                profile, report_row(&report_api_threads, &threads, 1), &narrow),
                            "calls");
        struct rows calls = report_calls.build(profile, &narrow, arena);
        assert_int_equal(calls.count, 2);
        // The selection opened by a row keeps the thread.
        size_t all = report_launches.build(profile, &selection, arena).count, selected = 0;
        for (size_t c = 0; c < calls.count; c++) {
            struct selection launched = narrow;
            if (report_calls.narrow(profile, report_row(&report_calls, &calls, c), &launched)) {
                selected = report_launches.build(profile, &launched, arena).count;
                assert_in_range(selected, 1, calls.count);
            }
        }
        assert_in_range(selected, 1, all - 1);
    }
}

static void test_copies(void **state)
{
    (void)state;
    struct rows rows = report_memory.build(profile, &selection, arena);
    struct selection narrow = selection;
    assert_int_equal(rows.count, 1);
    assert_string_equal(report_memory.narrow(profile, rows.items, &narrow), "launches");
    assert_int_equal(report_launches.build(profile, &narrow, arena).count, 1);
    narrow.copies++; // another kind of memory
    assert_int_equal(report_launches.build(profile, &narrow, arena).count, 0);
}

static void test_ncu(void **state)
{
    (void)state;
    struct rows rows = report_launches.build(profile, &selection, arena);
    const char *expected[] = {
        "ncu --target-processes all --kernel-name 'regex:^relu$' --launch-skip 0 --launch-count 1 "
        "PROGRAM",
        NULL, // a copy
        "ncu --target-processes all --kernel-name 'regex:^relu$' --launch-skip 1 --launch-count 1 "
        "PROGRAM",
        "ncu --target-processes all --kernel-name 'regex:^gemm$' --launch-skip 0 --launch-count 1 "
        "PROGRAM",
    };
    assert_int_equal(rows.count, 4);
    for (size_t i = 0; i < rows.count; i++)
        if (expected[i])
            assert_string_equal(
                ncu_command_of(profile,
                               report_launches.work(report_row(&report_launches, &rows, i)), arena)
                    .command,
                expected[i]);
    // The median of 20, 30 and 50.
    assert_int_equal(work_duration(profile, ncu_median_launch(profile, &selection, arena)), 30);
    selection.name =
        strings_find(profile->strings, "cudaEventQuery_v3020"); // no kernel has this name
    assert_int_equal(ncu_median_launch(profile, &selection, arena), ROW_NONE);
}

static void test_editor_words(void **state)
{
    (void)state;
    struct arena *file_arena = arena_new(0);
    char **argv = source_file_argv("  vim  -n ", "-a b;c", 12, file_arena);
    const char *expected[] = {"vim", "-n", "+12", "./-a b;c", NULL};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        expected[i] ? assert_string_equal(argv[i], expected[i]) : assert_null(argv[i]);
    argv = source_file_argv("", "/x", 0, file_arena);
    assert_string_equal(argv[0], "vi");
    assert_string_equal(argv[1], "/x");
    assert_null(argv[2]);
    arena_free(file_arena);
}

static void test_files(void **state)
{
    (void)state;
    char folder[] = "/tmp/dlprof-lines-XXXXXX", path[80];
    struct arena *file_arena = arena_new(0);
    struct text_file file;
    struct error error = {0};
    size_t length;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/train.py", folder);
    FILE *out = fopen(path, "w");
    fputs("one\r\n\nthree", out);
    fclose(out);
    assert_true(text_file_read_lines(path, 100, file_arena, &file, &error));
    assert_int_equal(file.count, 3);
    assert_memory_equal(text_file_line(&file, 0, &length), "one", 3);
    assert_int_equal(length, 3);
    text_file_line(&file, 1, &length);
    assert_int_equal(length, 0);
    assert_memory_equal(text_file_line(&file, 2, &length), "three", 5);
    assert_false(text_file_read_lines(path, 4, file_arena, &file, &error));     // too large
    assert_false(text_file_read_lines(folder, 100, file_arena, &file, &error)); // a folder
    assert_false(text_file_read_lines("/dev/zero", 100, file_arena, &file, &error));
    // Finds the file below the root that has the longest common end with the path; files outside of
    // the root are not found.
    assert_string_equal(source_file_find("/work/app/train.py", folder, file_arena), path);
    assert_null(source_file_find("/work/app/other.py", folder, file_arena));
    assert_null(source_file_find("../train.py/../x", folder, file_arena));
    assert_null(source_file_find("", folder, file_arena));
    unlink(path);
    rmdir(folder);
    arena_free(file_arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_source, open_profile, close_profile),
        cmocka_unit_test_setup_teardown(test_api, open_profile, close_profile),
        cmocka_unit_test_setup_teardown(test_copies, open_profile, close_profile),
        cmocka_unit_test_setup_teardown(test_ncu, open_profile, close_profile),
        cmocka_unit_test(test_editor_words),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
