// SPDX-License-Identifier: Apache-2.0
// Checks profiles without times (PyProf's parser): every report stays the same when the placeholder
// times are stretched, and each place that would show a time says that it is unknown.
#include "property.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/compare/compare.h"
#include "analysis/detectors/expert.h"
#include "analysis/export/export.h"
#include "analysis/reports/report_list.h"
#include "analysis/timeline/timeline.h"
#include "model/derive/derive.h"
#include "model/open/open.h"
#include "model/profile/tables.h"

REPORT_DECLARE(api);
REPORT_DECLARE(kernels);
REPORT_DECLARE(ops);

static char path[] = "/tmp/test_no_times_XXXXXX";

#define MM                                                                                      \
    "\"{'mod': 'torch', 'op': 'mm', 'args': [{'name': '', 'type': 'tensor', 'shape': (64, 8), " \
    "'dtype': 'float32'}, {'name': '', 'type': 'tensor', 'shape': (8, 16), 'dtype': "           \
    "'float32'}]}\""
#define GEMM  "'kShortName': 'volta_sgemm_128x64_tn', 'kLongName': 'volta_sgemm_128x64_tn', "
#define WHERE "'layer': ['Net', 'Fc'], 'trace': ['train.py:7'], "
static const char lines[] =
    "{" GEMM "'kDuration': 5000000, " WHERE "'marker': [" MM "], 'seqMarker': ['mm, seq = 3'], "
    "'subSeqId': 0, 'tid': 11, 'device': 0, 'stream': 7, 'grid': (2, 1, 1), 'block': (64, 1, 1)}\n"
    "{'kShortName': 'splitK', 'kDuration': 3, " WHERE "'marker': [" MM
    "], 'seqMarker': ['mm, seq = 3'], 'subSeqId': 1, 'tid': 11, 'device': 0, 'stream': 7}\n"
    "{'kShortName': 'relu', 'kDuration': 200, 'layer': ['Net'], 'seqMarker': ['relu, seq = 4'], "
    "'subSeqId': 0, 'tid': 11, 'device': 1, 'stream': 8}\n"
    "{'kShortName': 'ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)', 'kDuration': "
    "70000, 'tid': 11, 'device': 1, 'stream': 9}\n"
    "{" GEMM "'kDuration': 4000000, 'seqMarker': ['mm, seq = 0', 'MmBackward, seq = 3'], "
    "'tid': 12, 'device': 0, 'stream': 7}\n"
    "{'kShortName': 'copy', 'kDuration': 1, 'op': ['backward'], 'tid': 11, 'device': 0, 'stream': "
    "7}\n"
    "{" GEMM "'kDuration': 5000000, " WHERE "'marker': [" MM "], 'seqMarker': ['mm, seq = 5'], "
    "'subSeqId': 0, 'tid': 11, 'device': 0, 'stream': 7, 'grid': (2, 1, 1), 'block': (64, 1, 1)}\n"
    "{'kShortName': 'copy', 'kDuration': 1, 'op': ['backward'], 'tid': 11, 'device': 0, 'stream': "
    "7}\n";

// Multiplies the distances between the times of a table by `stretch`, but keeps the durations of
// GPU work. In a table the column of ends follows the column of starts.
static void stretch_table(struct profile *profile, const struct profile_table *table,
                          int64_t stretch)
{
    uint32_t count = table_rows(profile, table);
    for (size_t f = table->field_count; f-- > 0;) {
        const struct profile_field *field = &table->fields[f];
        if (field->to != REFERS_TIME || !count)
            continue;
        bool is_end = strcmp(field->name, "work.end") == 0;
        int64_t *values = ARENA_ARRAY(profile->arena, int64_t, (size_t)count + 1);
        for (uint32_t row = 0; row < count; row++) {
            int64_t length = is_end ? work_duration(profile, row) : 0;
            values[row] = stretch * (field_value(profile, field, row) - length) + length;
        }
        field_set(profile, field, values, NULL, count);
    }
}

struct making {
    struct profile *profile;
    int64_t stretch;
};

static bool derive(void *context, struct error *error)
{
    struct making *making = context;
    struct profile *profile = making->profile;
    const struct load_request request = {.path = path, .threads = 1};
    for (size_t t = 0; t < PROFILE_TABLES; t++)
        stretch_table(profile, &profile_tables[t], making->stretch);
    profile->first_ns *= making->stretch;
    profile->last_ns *= making->stretch;
    return profile_derive(profile, &request, error);
}

static struct profile *load(int64_t stretch)
{
    const struct load_request request = {.path = path, .threads = 1, .part_of = 1};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    if (!profile)
        fail_msg("%s", error.message);
    if (!arena_run(profile->arena, derive, &(struct making){profile, stretch}, &error))
        fail_msg("%s", error.message);
    return profile;
}

// ---- every report -----------------------------------------------------------------------------

static char *text_of(const struct report *report, const struct profile *profile,
                     const struct selection *selection, const char *format)
{
    char *text = NULL;
    size_t size = 0;
    struct error error = {0};
    struct rows rows;
    struct arena *arena = arena_new(0);
    FILE *file = open_memstream(&text, &size);
    if (!report_build(report, profile, selection, arena, &rows, &error))
        fail_msg("%s: %s", report->name, error.message);
    struct export_table table = {.report = report_named(report, &rows),
                                 .rows = rows,
                                 .profile = profile,
                                 .selection = selection};
    assert_true(export_format_find(format)->write(&table, file, arena));
    fprintf(file, "%s\n%s\n", rows.caption ? rows.caption : "", rows.empty ? rows.empty : "");
    assert_int_equal(fclose(file), 0);
    arena_free(arena);
    return text;
}

// Fails with the first lines in which two texts differ.
static void check_same(const char *name, const char *left, const char *right)
{
    while (*left && *right) {
        size_t a = strcspn(left, "\n"), b = strcspn(right, "\n");
        if (a != b || memcmp(left, right, a) != 0)
            fail_msg("%s:\n- %.*s\n+ %.*s", name, (int)a, left, (int)b, right);
        left += a + (left[a] == '\n');
        right += b + (right[b] == '\n');
    }
    assert_string_equal(left, right);
}

static void check_reports(const struct profile *a, const struct profile *b, const char *key,
                          uint32_t count)
{
    static const char *const formats[] = {"csv", "text"};
    struct arena *arena = arena_new(0);
    struct split *of_a = split_by_name(a, key, arena), *of_b = split_by_name(b, key, arena);
    assert_int_equal(of_a->count, count);
    struct selection all_a = selection_all(of_a), all_b = selection_all(of_b);
    for (size_t r = 0; r < report_count; r++)
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
            char *left = text_of(reports[r], a, &all_a, formats[f]);
            char *right = text_of(reports[r], b, &all_b, formats[f]);
            check_same(reports[r]->name, left, right);
            free(left);
            free(right);
        }
    arena_free(arena);
}

static void test_reports(void **state)
{
    (void)state;
    struct profile *a = load(1), *b = load(3);
    assert_true(a->lacks_times && b->lacks_times);
    assert_int_equal(work_duration(a, 0), work_duration(b, 0));
    assert_int_not_equal(AT(a->work.start, 1), AT(b->work.start, 1));
    check_reports(a, b, "nothing", 1);
    check_reports(a, b, "range:layer:Net", 2);
    profile_free(a);
    profile_free(b);
}

static void test_unknown_is_said(void **state)
{
    (void)state;
    struct profile *profile = load(1);
    struct arena *arena = arena_new(0);
    struct selection all = selection_all(split_by_name(profile, "nothing", arena));
    // The durations of kernels are recorded.
    char *text = text_of(&report_kernels, profile, &all, "csv");
    assert_non_null(strstr(text, "14000000"));
    free(text);
    text = text_of(&report_ops, profile, &all, "csv");
    assert_non_null(strstr(text, "10000003"));
    free(text);
    text = text_of(&report_api, profile, &all, "text");
    assert_non_null(strstr(text, report_no_times_text));
    free(text);
    const struct timeline *timeline = timeline_of(profile, &all, arena);
    for (size_t i = 0; i < timeline->count; i++)
        assert_false(lane_is_selected(timeline, &all, i));
    arena_free(arena);
    profile_free(profile);
}

// A check that needs times is not reported as clean.
static void test_checks(void **state)
{
    (void)state;
    struct profile *profile = load(1);
    struct arena *arena = arena_new(0);
    struct selection all = selection_all(split_by_name(profile, "nothing", arena));
    struct finding_list findings = expert_run(profile, &all, arena);
    size_t unjudged = 0, needing = 0;
    bool has_gemm = false;
    for (size_t i = 0; i < findings.count; i++) {
        const struct finding *finding = &findings.items[i];
        bool needs = !finding->detector->needs_no_times;
        assert_true(!needs || finding->severity == SEVERITY_NOT_JUDGED);
        unjudged += needs && strstr(finding->problem, "tells no times") != NULL;
        has_gemm |= strcmp(finding->id, "fp32_gemm") == 0;
    }
    for (size_t d = 0; d < detector_count; d++)
        needing += !detectors[d]->needs_no_times;
    assert_int_equal(unjudged, needing);
    assert_true(has_gemm);
    // Shares are of the sum of kernel durations, without gaps.
    assert_int_equal(findings.step_ns, 14000005);
    arena_free(arena);
    profile_free(profile);
}

// Compared with another profile, the profile keeps its own figures; it has no step length to
// compare.
static void test_compared(void **state)
{
    (void)state;
    struct profile *profile = load(1);
    struct arena *arena = arena_new(0);
    struct selection all = selection_all(split_by_name(profile, "nothing", arena)), selection = all;
    struct baseline before = {.profile = profile, .selection = all, .name = "before"};
    selection.baseline = &before;
    for (size_t r = 0; r < report_count; r++) {
        const struct report *compared = report_is_comparable(reports[r])
                                            ? compare_report(compare_base(reports[r]), NULL, arena)
                                            : NULL;
        if (!compared)
            continue;
        char *text = text_of(compared, profile, &selection, "csv");
        bool is_timed = compare_base(reports[r])->is_timed;
        assert_true(is_timed == (strstr(text, report_no_times_text) != NULL));
        free(text);
    }
    struct compared compared;
    compare_init(&compared, profile, &selection, arena);
    assert_true(side_step_ns(&compared.side[SIDE_A]) == UNKNOWN);
    char *text = text_of(compare_report(&report_kernels, NULL, arena), profile, &selection, "csv");
    assert_non_null(strstr(text, "7000000")); // sum over two GPUs
    free(text);
    arena_free(arena);
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reports),
        cmocka_unit_test(test_unknown_is_said),
        cmocka_unit_test(test_checks),
        cmocka_unit_test(test_compared),
    };
    int file = mkstemp(path);
    if (file < 0 || write(file, lines, sizeof lines - 1) != (ssize_t)(sizeof lines - 1))
        return 1;
    close(file);
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return status;
}
