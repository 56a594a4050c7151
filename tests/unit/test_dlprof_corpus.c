// SPDX-License-Identifier: Apache-2.0
// A real profile and the eight files that the real DLProf made of it: ours have the same bytes,
// except the two cells that name the program. The corpus lies beside the project; without it the
// test says so and is skipped.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/breakdown.h"
#include "analysis/export.h"
#include "analysis/report.h"
#include "file_text.h"
#include "model/loader.h"

#define CORPUS SOURCE_DIR "/../shared/corpus/dlprof/w_Relu/"

static struct profile *profile;
static struct arena *arena;
static struct selection selection;

static char *read_file(const char *name)
{
    char path[1000];
    snprintf(path, sizeof path, CORPUS "dlprof_%s.csv", name);
    return file_read(path);
}

static char *write_report(const struct report *report)
{
    struct export_table table = {.report = report, .profile = profile, .selection = &selection};
    struct error error = {0};
    if (!report_build(report, profile, &selection, arena, &table.rows, &error))
        fail_msg("%s", error.message);
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    assert_true(export_format_find("csv")->write(&table, file, arena));
    fclose(file);
    return text;
}

// Blanks the two cells that name the program.
static void blank_program(char *text)
{
    static const char *const keys[] = {"\nDLProf Version,", "\nDLProf Build,"};
    for (size_t i = 0; i < 2; i++) {
        char *at = strstr(text, keys[i]);
        if (!at)
            continue;
        at += strlen(keys[i]);
        char *end = strchr(at, '\n');
        memmove(at, end, strlen(end) + 1);
    }
}

static void compare(const char *name, const char *ours, const char *theirs)
{
    size_t line = 1;
    for (size_t i = 0;; i++) {
        if (ours[i] != theirs[i]) {
            size_t start = i;
            while (start > 0 && theirs[start - 1] != '\n' && i - start < 200)
                start--;
            fail_msg("%s, line %zu, ours:\n%.300s\nDLProf's:\n%.300s", name, line, ours + start,
                     theirs + start);
        }
        if (ours[i] == '\0')
            return;
        line += ours[i] == '\n';
    }
}

static void test_bytes(void **state)
{
    (void)state;
    size_t compared = 0;
    for (size_t i = 0; i < report_count; i++) {
        if (!reports[i]->is_dlprof)
            continue;
        char *ours = write_report(reports[i]), *theirs = read_file(reports[i]->file);
        blank_program(ours);
        blank_program(theirs);
        compare(reports[i]->file, ours, theirs);
        free(ours);
        free(theirs);
        compared++;
    }
    assert_int_equal(compared, 8);
}

// The figures that DLProf kept in its own database for this profile.
static void test_breakdown(void **state)
{
    (void)state;
    struct breakdown total = breakdown_total(profile, &selection, &breakdown_dlprof, arena);
    static const int64_t expected[] = {0, 578300, 66690, 0, 0, 2246014294, 593902898};
    for (int c = 0; c < 7; c++)
        assert_int_equal(total.ns[c], expected[c]);
    assert_int_equal(total.window_ns, 2840562182);
}

static int64_t first_number(const char *text, const char *after)
{
    const char *at = strstr(text, after);
    if (!at)
        fail_msg("trust does not say \"%s\"", after);
    return strtoll(at + strlen(after), NULL, 10);
}

static void test_reconciliation(void **state)
{
    (void)state;
    char *trust = write_report(report_find("trust")), *summary = read_file("summary");
    int64_t kernels = first_number(summary, "\nAll kernels,");
    int64_t ops = first_number(summary, "\nAll ops,");
    assert_int_equal(first_number(trust, "all kernels: sum of durations (ns)\","), kernels);
    assert_int_equal(first_number(trust, "all ops: unions per call, accumulated (ns)\","), ops);
    assert_int_equal(first_number(trust, "overlap within calls (ns): agrees\","), kernels - ops);
    assert_int_equal(kernels - ops, 10847);
    // Nothing that should agree differs.
    assert_null(strstr(trust, "differs"));
    assert_non_null(strstr(trust, "kernel table, exclusive time (ns): agrees"));
    assert_non_null(strstr(trust, "op tree, exclusive time (ns): agrees"));
    free(trust);
    free(summary);
}

int main(void)
{
    if (access(CORPUS "nsys_profile.sqlite", R_OK) != 0) {
        puts("skipped: " CORPUS " is not here; nothing was compared with DLProf's own files");
        return 77;
    }
    struct load_request request = {.path = CORPUS "nsys_profile.sqlite", .mode = MODE_PYTORCH};
    struct error error = {0};
    profile = profile_load(&request, &error);
    arena = arena_new(0);
    if (!profile) {
        puts(error.message);
        return 1;
    }
    selection = selection_all(split_by_key(profile, NULL, arena));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_breakdown),
        cmocka_unit_test(test_reconciliation),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(arena);
    profile_free(profile);
    return failed;
}
