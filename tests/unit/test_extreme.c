// SPDX-License-Identifier: Apache-2.0
// Rows with the largest and the smallest value of every number that a file can hold: no sum may
// overflow, no share may exceed 1 or be NaN, no amount may be negative, in any report and format.
#include "model/open/open.h"
#include "property.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/baseline.h"
#include "analysis/compare/compare.h"
#include "analysis/export/export.h"
#include "analysis/report/value.h"
#include "analysis/reports/report_list.h"
#include "model/steps/split.h"
#include "nsys_fixture.h"
#include "profile_rows.h"

// Numbers to combine; `i` is the index in `n`.
#define NUMBERS                                                                                  \
    "CREATE TEMP TABLE n (i INTEGER PRIMARY KEY, x);"                                            \
    "INSERT INTO n (x) VALUES (0), (1), (-1), (2147483647), (-2147483648), (4294967295),"        \
    " (4294967296), (9223372036854775807), (-9223372036854775808), (4503599627370495),"          \
    " (4503599627370497), (2305843009213693951), (-2305843009213693952), (1152921504606846976)," \
    " (9.3e18), (-9.3e18), (1e308), (-1e308), (9e999), (-9e999), (0.5), (-0.0), (NULL), ('x'),"  \
    " ('9223372036854775807'), (x'00');"

struct extreme {
    const char *name, *sql;
};

static const struct extreme extremes[] = {
    // Each number as a start, an end and a length.
    {"times",
     "INSERT OR IGNORE INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, "
     "correlationId,"
     " globalPid, demangledName, shortName) SELECT a.x, b.x, 0, 7, a.i, pid(1), 7, 8"
     " FROM n a, n b;"
     "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId)"
     " SELECT a.x, b.x, tid(1, 1), a.i, 1 FROM n a, n b;"
     "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid)"
     " SELECT a.x, b.x, 59, 'step ' || a.i, tid(1, 1) FROM n a, n b;"
     "INSERT INTO OSRT_API SELECT a.x, b.x, tid(1, 1), 5 FROM n a, n b;"
     "INSERT INTO PROFILER_OVERHEAD SELECT a.x, b.x, tid(1, 1), 5 FROM n a, n b;"
     "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SELECT a.x, b.x, pid(1), 1, 7, a.i, 3"
     " FROM n a, n b;"
     "INSERT INTO GPU_METRICS SELECT x, 256, 1 + i % 2, 50 FROM n;"},
    // The longest durations that are accepted, as many as fit into a sum, on overlapping streams.
    {"lengths",
     "INSERT OR IGNORE INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, streamId, "
     "correlationId,"
     " globalPid, demangledName, shortName) SELECT a.i, a.i + 4503599627370496, b.i % 3, a.i,"
     " a.i * 100 + b.i, pid(1), 7, 8 FROM n a, n b WHERE a.i < 16;"
     "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId)"
     " SELECT a.i, a.i + 4503599627370496, tid(1, 1) + b.i, a.i * 100 + b.i, 6 FROM n a, n b"
     " WHERE a.i < 10;"
     "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid)"
     " SELECT a.i, a.i + 4503599627370496, 60, 'step ' || a.i, tid(1, 1) + b.i FROM n a, n b"
     " WHERE a.i < 10;"},
    // Sizes, shapes, ids and values.
    {"sizes",
     "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT 3000 + a.i, 3001 + a.i, 0, 1, 7, a.i,"
     " pid(1), a.x, b.x, b.x, b.x FROM n a, n b;"
     "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT 3000 + a.i, 3000 + a.i, 0, 1, 7, a.i,"
     " pid(1), 9223372036854775807, 1, 1, 2 FROM n a, n b;"
     "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET SELECT 4000, 4000 + a.i, 0, 7, a.i, pid(1), x"
     " FROM n a;"
     "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start, globalPid, correlationId, address, bytes,"
     " memKind, memoryOperationType, deviceId);"
     "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS SELECT 100 + b.i, pid(1), 1, a.i * 100 + b.i,"
     " CASE WHEN b.i > 20 THEN 9223372036854775807 ELSE a.x END, 2, b.i % 2, 0 FROM n a, n b;"
     "INSERT INTO GPU_METRICS SELECT 1000 + i, 256, 1 + i % 2, x FROM n;"
     "UPDATE TARGET_INFO_GPU SET smCount = -9223372036854775808;"},
    {"shapes",
     "INSERT OR IGNORE INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 5000 + a.i, 5010 + b.i, a.x, b.x, "
     "a.x, b.x,"
     " pid(1), 7, a.x, b.x, a.x, b.x, a.x, b.x, a.x, b.x, a.x, b.x, a.x FROM n a, n b;"
     "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 5000 + a.i, 5010 + b.i, a.x, b.x, a.x, b.x"
     " FROM n a, n b;"
     "INSERT INTO NVTX_EVENTS SELECT 5000 + a.i, 5010 + b.i, a.x, NULL, b.x, a.x, b.x, a.x"
     " FROM n a, n b;"
     "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid)"
     " SELECT 6000 + i, 6001 + i, 59, 'aten::mm, seq = ' || x || ', sizes = [[' || x || "
     "']]', tid(1, 1) FROM n WHERE x IS NOT NULL;"},
    {"nothing", // everything at one instant
     "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 0, end = 0;"
     "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET start = 0, end = 0;"
     "UPDATE CUPTI_ACTIVITY_KIND_MEMSET SET start = 0, end = 0;"
     "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET start = 0, end = 0;"
     "UPDATE CUPTI_ACTIVITY_KIND_GRAPH_TRACE SET start = 0, end = 0;"
     "UPDATE NVTX_EVENTS SET start = 0, end = 0;"},
};

static struct profile *load(const struct extreme *extreme)
{
    static char sql[32000];
    assert_true(snprintf(sql, sizeof sql, "%s" NUMBERS "%s", profile_rows_sql(), extreme->sql) <
                (int)sizeof sql);
    struct load_request request = {.path = nsys_file(sql), .threads = 2};
    struct error error = {0};
    struct profile *profile = profile_load(&request, &error);
    if (!profile)
        fail_msg("%s: %s", extreme->name, error.message);
    return profile;
}

// Differences may be negative: of two sides, of two clocks (a kernel may start before its launch),
// and of a step and the work across its edges.
static bool may_be_negative(const struct report *report, const struct column *column)
{
    return compare_base(report) || column->flags & COLUMN_SIGNED ||
           strcmp(report->name, "costs") == 0 ||
           (strcmp(report->name, "launches") == 0 && strcmp(column->key, "delay") == 0);
}

static const char *value_fault(const struct report *report, const struct column *column,
                               struct value value)
{
    bool is_amount = column->unit == UNIT_COUNT || column->unit == UNIT_NS ||
                     column->unit == UNIT_BYTES || column->unit == UNIT_RATE ||
                     column->unit == UNIT_PERCENT;
    bool is_negative = value.kind == VALUE_REAL ? value.real < 0
                                                : value.kind == VALUE_INTEGER && value.integer < 0;
    if (is_negative && is_amount && !may_be_negative(report, column))
        return "less than nothing";
    if (value.kind != VALUE_REAL)
        return NULL;
    if (!isfinite(value.real))
        return "no number";
    if (column->unit == UNIT_PERCENT && value.real > 1.0000001 && !compare_base(report))
        return "more than all";
    return NULL;
}

// Written numbers must not be words, nor zero with a sign.
static bool is_bad_number(const char *text)
{
    const char *digits = text + (*text == '-');
    bool is_zero = *text == '-' && *digits && strspn(digits, "0.") == strlen(digits);
    return is_zero || strcasecmp(digits, "nan") == 0 || strncasecmp(digits, "inf", 3) == 0;
}

static void check_report(const struct extreme *extreme, const struct report *report,
                         const struct rows *rows, struct arena *arena)
{
    for (size_t i = 0; i < rows->count; i++) {
        for (size_t c = 0; c < report->column_count; c++) {
            const struct column *column = &report->columns[c];
            struct value value = column->get(report_row(report, rows, i));
            const char *wrong = value_fault(report, column, value);
            struct bytes out = {.arena = arena};
            value_append_plain(&out, column, value);
            bytes_char(&out, '\0');
            const char *text = out.items;
            if (column->unit != UNIT_TEXT && is_bad_number(text))
                wrong = text;
            if (wrong)
                fail_msg("%s: %s.%s, row %zu (%s): %s", extreme->name, report->name, column->key, i,
                         text, wrong);
        }
    }
}

static void check_formats(const struct export_table *table, struct arena *arena)
{
    for (size_t f = 0; f < export_format_count; f++) {
        char *text = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);
        assert_true(export_formats[f]->write(table, file, arena));
        fclose(file);
        static const char *const words[] = {": nan",  ": -nan", ": inf", ": -inf", ": -0,",
                                            ": -0\n", ",nan,",  ",-nan", ",inf,",  ",-inf",
                                            ",-0,",   ",-0\n",  " nan ", " inf ",  " -0 ",
                                            " nan%",  " -nan",  " inf%", "-0.0%"};
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            if (strstr(text, words[w]))
                fail_msg("%s in %s: '%s'", table->report->name, export_formats[f]->name, words[w]);
        free(text);
    }
}

static void check(const struct extreme *extreme, const struct profile *profile,
                  const struct selection *selection)
{
    for (size_t i = 0; i < report_count; i++) {
        struct arena *arena = arena_new(0);
        const struct report *report = reports[i];
        if (selection->baseline && report_is_comparable(report))
            report = compare_report(report, "step", arena);
        struct rows rows;
        struct error error = {0};
        if (!report_build(report, profile, selection, arena, &rows, &error))
            fail_msg("%s: %s: %s", extreme->name, report->name, error.message);
        check_report(extreme, report, &rows, arena);
        struct export_table table = {
            .report = report, .rows = rows, .profile = profile, .selection = selection};
        check_formats(&table, arena);
        arena_free(arena);
    }
}

// Exports everything, one GPU, and a comparison with an ordinary profile; with the default split,
// one by name and one by key.
static void check_extreme(const struct extreme *extreme, const struct profile *ordinary)
{
    struct profile *profile = load(extreme);
    struct split *splits[] = {split_find(profile, profile->arena),
                              split_by_name(profile, "step", profile->arena),
                              split_by_key(profile, "aten::mm", profile->arena)};
    assert_true(profile->work.count > 0);
    for (size_t s = 0; s < sizeof splits / sizeof *splits; s++) {
        struct selection selection = selection_all(splits[s]);
        check(extreme, profile, &selection);
        selection.device = profile->device_count - 1;
        selection.is_folded = true;
        check(extreme, profile, &selection);
        selection = selection_all(splits[s]);
        struct baseline baseline;
        struct baseline_request request = {
            .profile = ordinary, .path = "a", .gpu = UNKNOWN, .process = UNKNOWN};
        struct error error = {0};
        if (!baseline_init(&baseline, &request, &selection, profile->arena, &error))
            fail_msg("%s: %s", extreme->name, error.message);
        selection.baseline = &baseline;
        check(extreme, profile, &selection);
    }
    profile_free(profile);
}

static void test_extremes(void **state)
{
    (void)state;
    const struct extreme none = {"ordinary", ""};
    struct profile *ordinary = load(&none);
    for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++)
        check_extreme(&extremes[i], ordinary);
    profile_free(ordinary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_extremes)};
    return cmocka_run_group_tests(tests, NULL, nsys_remove);
}
