// SPDX-License-Identifier: Apache-2.0
// Compares the databases and the eight report files of a real profile with those that the real
// DLProf made of it: the files must have the same bytes, except for two cells of the export that
// name the program. Skips with a message without the corpus.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/export/export.h"
#include "analysis/report/report.h"
#include "analysis/reports/report_list.h"
#include "analysis/sums/work_text.h"
#include "dldb_compare.h"
#include "file_text.h"
#include "model/open/open.h"
#include "model/ops/op_tree.h"
#include "paths.h"

#define CORPUS "/../shared/corpus/dlprof/w_Relu/"

static const char *const files[] = {"nsys_profile.sqlite", "dlprof_dldb_1.sqlite",
                                    "dlprof_dldb_7.sqlite"};
enum { EXPORT, FILE_COUNT = sizeof files / sizeof *files };

static size_t which; // index of the current file
static const struct profile *profile;
static struct arena *arena;
static struct selection selection;

static char *read_file(const char *name)
{
    char path[1000];
    snprintf(path, sizeof path, "%sdlprof_%s.csv", source_path(CORPUS), name);
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
        if (which == EXPORT) {
            blank_program(ours);
            blank_program(theirs);
        }
        compare(reports[i]->file, ours, theirs);
        free(ours);
        free(theirs);
        compared++;
    }
    assert_int_equal(compared, 8);
}

// The figures that DLProf stored in its own database for this profile.
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
    return at ? strtoll(at + strlen(after), NULL, 10) : 0;
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
    // No figures that should agree differ.
    assert_null(strstr(trust, "differs"));
    assert_non_null(strstr(trust, "kernel table, exclusive time (ns): agrees"));
    assert_non_null(strstr(trust, "op tree, exclusive time (ns): agrees"));
    free(trust);
    free(summary);
}

static const struct profile *load_export(void)
{
    struct load_request request = {.path = source_path(CORPUS "nsys_profile.sqlite"),
                                   .mode = MODE_PYTORCH};
    struct error error = {0};
    struct profile *loaded = profile_load(&request, &error);
    if (!loaded)
        fail_msg("%s", error.message);
    return loaded;
}

// Returns the exclusive GPU time of each place, including the places below it.
static int64_t *tree_times(const struct profile *of)
{
    int64_t *times = ARENA_ARRAY(arena, int64_t, of->tree->count);
    for (uint32_t i = 0; i < of->work.count; i++)
        times[AT(of->work.node, i)] += AT(of->work.exclusive, i);
    for (uint32_t node = of->tree->count; node-- > 1;)
        times[of->tree->parent[node]] += times[node];
    return times;
}

// Each place in the database is one of the export, with the same time.
static void compare_trees(const struct profile *export)
{
    const int64_t *ours = tree_times(profile), *theirs = tree_times(export);
    assert_true(profile->tree->count > 50);
    for (uint32_t node = 1; node < profile->tree->count; node++) {
        const char *path = node_path_text(profile, profile->tree, node, arena);
        uint32_t twin = 1;
        while (twin < export->tree->count &&
               strcmp(path, node_path_text(export, export->tree, twin, arena)) != 0)
            twin++;
        if (twin == export->tree->count)
            fail_msg("the export has no place %s", path);
        assert_int_equal(ours[node], theirs[twin]);
    }
}

// Ops and places read from the database agree with those derived from the export's ranges.
static void test_agreement(void **state)
{
    (void)state;
    static const char *const names[] = {"iterations", "breakdown", "layers", "source"};
    const struct profile *database = profile, *export = load_export();
    const struct selection of_own = selection;
    struct selection of_export = selection_all(split_by_key(export, NULL, arena));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *ours = write_report(report_find(names[i]));
        profile = export;
        selection = of_export;
        char *theirs = write_report(report_find(names[i]));
        profile = database;
        selection = of_own;
        compare(names[i], ours, theirs);
        free(ours);
        free(theirs);
    }
    compare_trees(export);
    profile_free(export);
}

// Compares the exported database with DLProf's own: everything aggregated, the views, and all
// measured data except the event that a synchronisation waits for, which no report needs. From an
// nsys export two more things differ: a kernel keeps its own long name, where DLProf has one for
// all equally named kernels of an op, and the name of the program that wrote the file.
static void test_database(void **state)
{
    static const char *const from_database[] = {
        "event_id",         "original_command", "server_user_name",
        "server_host_name", "user_name",        "host_name",
        "start_timestamp",  "aggr_start",       NULL};
    static const char *const from_export[] = {
        "event_id",       "original_command", "server_user_name",    "server_host_name",
        "user_name",      "host_name",        "start_timestamp",     "aggr_start",
        "dlprof_version", "dlprof_build",     "long_name_id.string", NULL};
    char path[64];
    snprintf(path, sizeof path, "/tmp/dlprof-corpus-%d.sqlite", (int)getpid());
    const char *const *but = which == EXPORT ? from_export : from_database;
    struct error error = {0};
    (void)state;
    if (!export_dldb(path, true, profile, &selection, arena, &error))
        fail_msg("%s", error.message);
    dldb_check(path);
    for (size_t i = EXPORT + 1; i < FILE_COUNT; i++) {
        char theirs[1000];
        snprintf(theirs, sizeof theirs, "%s%s", source_path(CORPUS), files[i]);
        assert_true(dldb_compare(theirs, path, DLDB_AGGREGATED, but) > 1434);
        assert_true(dldb_compare(theirs, path, DLDB_MEASURED, but) > 3000);
        assert_true(dldb_compare(theirs, path, DLDB_VIEWS, but) > 3900);
    }
    unlink(path);
}

static int run_file(void)
{
    char path[1000];
    snprintf(path, sizeof path, "%s%s", source_path(CORPUS), files[which]);
    struct load_request request = {.path = path, .mode = MODE_PYTORCH};
    struct error error = {0};
    profile = profile_load(&request, &error);
    arena = arena_new(0);
    if (!profile) {
        puts(error.message);
        return 1;
    }
    selection = selection_all(split_by_key(profile, NULL, arena));
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),          cmocka_unit_test(test_breakdown),
        cmocka_unit_test(test_reconciliation), cmocka_unit_test(test_agreement),
        cmocka_unit_test(test_database),
    };
    int failed = cmocka_run_group_tests_name(files[which], tests, NULL, NULL);
    arena_free(arena);
    profile_free(profile);
    return failed;
}

int main(void)
{
    if (access(source_path(CORPUS "nsys_profile.sqlite"), R_OK) != 0) {
        puts("skipped: " CORPUS " is not here; nothing was compared with DLProf's own files");
        return 77;
    }
    int failed = 0;
    for (which = 0; which < FILE_COUNT; which++)
        failed += run_file();
    return failed;
}
