// SPDX-License-Identifier: Apache-2.0
// Checks the contract of every row of every table: keys are unique, documentation is complete,
// every column sorts both ways, every report handles every kind of profile and every format, and
// totals agree.
#include "analysis/reports/report_list.h"
#include "property.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/breakdown/breakdown.h"
#include "analysis/detectors/expert.h"
#include "analysis/export/export.h"
#include "analysis/report/value.h"
#include "base/sort.h"
#include "model/profile/loader.h"
#include "scenario.h"
#include "totals.h"

static const char *const scenarios[] = {
    "tiny",          "dlprof",      "emit",         "plain",          "none",
    "ddp --steps=3", "graphs-node", "graphs-graph", "graphs-outside", "graphs-child",
    "graphs-2proc",  "serving",     "oneproc4gpu",  "cpuonly",        "skew",
    "unmatched",     "deep",        "hostile",      "memory",         "chains",
};
enum { SCENARIO_COUNT = sizeof scenarios / sizeof *scenarios };

static void test_tables(void **state)
{
    (void)state;
    for (size_t i = 0; i < report_count; i++) {
        const struct report *report = reports[i];
        assert_non_null(report->title);
        assert_true(strlen(report->doc) > 20);
        assert_ptr_equal(report_find(report->name), report);
        assert_int_equal(report->is_dlprof, report->file != NULL);
        if (report->is_dlprof && strcmp(report->name, "summary") != 0)
            assert_non_null(report->file_title);
        if (report->sort)
            assert_non_null(report_column(report, report->sort + (report->sort[0] == '-')));
        for (size_t c = 0; c < report->column_count; c++) {
            const struct column *column = &report->columns[c];
            if (report_column(report, column->key) != column)
                fail_msg("%s: column %s stands twice", report->name, column->key);
            if (!column->title || !column->head || !column->get || strlen(column->doc) < 10)
                fail_msg("%s.%s is not whole", report->name, column->key);
        }
    }
    for (size_t i = 0; i < detector_count; i++)
        assert_true(strlen(detectors[i]->doc) > 20);
    for (size_t i = 0; i < export_format_count; i++)
        assert_ptr_equal(export_format_find(export_formats[i]->name), export_formats[i]);
}

struct order {
    const struct report *report;
    const struct rows *rows;
    const struct column *column;
};

static int compare(const void *context, uint32_t a, uint32_t b)
{
    const struct order *order = context;
    return value_compare(order->column->get(report_row(order->report, order->rows, a)),
                         order->column->get(report_row(order->report, order->rows, b)));
}

static void check_rows(const struct report *report, const struct rows *rows, struct arena *arena)
{
    if (!rows->count)
        return assert_non_null(rows->empty);
    uint32_t count = rows->count < 2000 ? (uint32_t)rows->count : 2000;
    uint32_t *ids = ARENA_ARRAY(arena, uint32_t, count);
    for (size_t c = 0; c < report->column_count; c++) {
        const struct column *column = &report->columns[c];
        struct order order = {report, rows, column};
        for (uint32_t i = 0; i < count; i++) {
            struct value value = column->get(report_row(report, rows, i));
            ids[i] = i;
            if (value.kind == VALUE_REAL && !isfinite(value.real))
                fail_msg("%s.%s is not a number", report->name, column->key);
            // Only work across step edges may be negative.
            double least = strcmp(report->name, "costs") == 0 ? -1 : 0;
            if (column->unit == UNIT_PERCENT && value.kind == VALUE_REAL &&
                (value.real < least || value.real > 1.0000001))
                fail_msg("%s.%s: %f of 1", report->name, column->key, value.real);
            if (value.kind == VALUE_TEXT)
                assert_int_equal(column->unit, UNIT_TEXT);
            assert_non_null(value_display_text(column, value, true, arena));
        }
        sort_ids(ids, count, compare, &order, arena);
        for (uint32_t i = 1; i < count; i++)
            assert_true(compare(&order, ids[i - 1], ids[i]) <= 0);
    }
    if (report->depth)
        for (uint32_t i = 0; i < count; i++) {
            unsigned depth = report->depth(report_row(report, rows, i));
            unsigned next =
                i + 1 < rows->count ? report->depth(report_row(report, rows, i + 1)) : 0;
            assert_true(next <= depth + 1);
            assert_int_equal(report->has_children(report_row(report, rows, i)), next > depth);
        }
}

// Rows may rename columns of the report, and must leave everything else as it is.
static void check_named(const struct report *report, const struct report *named)
{
    assert_int_equal(named->column_count, report->column_count);
    for (size_t c = 0; c < report->column_count; c++) {
        const struct column *original = &report->columns[c], *renamed = &named->columns[c];
        assert_ptr_equal(renamed->get, original->get);
        assert_int_equal(renamed->flags | (original->flags & COLUMN_RANK_SLOT), original->flags);
        if (!(original->flags & COLUMN_RANK_SLOT))
            assert_string_equal(renamed->key, original->key);
        else if (report_column(named, renamed->key) != renamed)
            fail_msg("%s: column %s stands twice", report->name, renamed->key);
    }
}

static void check_breakdown(const struct breakdown *b, const struct breakdown_scheme *scheme)
{
    int64_t sum = 0;
    for (size_t c = 0; c < scheme->count; c++) {
        assert_true(b->ns[c] >= 0);
        sum += b->ns[c];
    }
    assert_int_equal(sum, b->window_ns);
}

static void check_selection(const struct profile *profile, const struct selection *selection)
{
    struct arena *arena = arena_new(0);
    struct error error = {0};
    FILE *sink = fopen("/dev/null", "w");
    for (size_t i = 0; i < report_count; i++) {
        struct rows rows;
        if (!report_build(reports[i], profile, selection, arena, &rows, &error))
            fail_msg("%s: %s", reports[i]->name, error.message);
        if (!reports[i]->is_document)
            check_rows(reports[i], &rows, arena);
        struct export_table table = {
            .report = report_named(reports[i], &rows),
            .rows = rows,
            .profile = profile,
            .selection = selection,
        };
        check_named(reports[i], table.report);
        for (size_t f = 0; f < export_format_count; f++)
            assert_true(export_formats[f]->write(&table, sink, arena));
        for (size_t r = 0; reports[i]->narrow && r < rows.count && r < 20; r++) {
            struct selection narrow = *selection;
            const char *opens =
                reports[i]->narrow(profile, report_row(reports[i], &rows, r), &narrow);
            assert_true(!opens || report_find(opens));
        }
    }
    fclose(sink);
    totals_check("scenario", profile, selection);
    struct breakdown total = breakdown_total(profile, selection, &breakdown_gpu, arena);
    check_breakdown(&total, &breakdown_gpu);
    total = breakdown_total(profile, selection, &breakdown_dlprof, arena);
    check_breakdown(&total, &breakdown_dlprof);
    arena_free(arena);
}

static void test_profile(void **state)
{
    const char *scenario = *state;
    struct profile *profile = scenario_open(scenario);
    struct arena *arena = arena_new(0);
    struct split *splits[] = {split_find(profile, arena), split_by_key(profile, NULL, arena)};
    // Without ranges that mark steps, both splits are DLProf's own key or the whole capture.
    size_t split_count = splits[0]->method == SPLIT_RANGES ? 2 : 1;
    for (size_t s = 0; s < split_count; s++) {
        struct selection selection = selection_all(splits[s]);
        totals_check_trust(scenario, profile, &selection);
        check_selection(profile, &selection);
        bool *members = ARENA_ARRAY(arena, bool, splits[s]->count);
        selection.iterations = members; // none selected
        check_selection(profile, &selection);
        members[splits[s]->count - 1] = true;
        selection.is_folded = false;
        selection.adoption = false;
        selection.names = NAME_SHORT;
        check_selection(profile, &selection);
        selection.iterations = NULL;
        selection.names = NAME_FULL;
        selection.device = profile->device_count ? 0 : ROW_NONE;
        selection.process = 0;
        check_selection(profile, &selection);
    }
    arena_free(arena);
    profile_free(profile);
}

int main(void)
{
    struct CMUnitTest tests[SCENARIO_COUNT + 1] = {cmocka_unit_test(test_tables)};
    size_t count = 1;
    // A long run takes all scenarios.
    size_t step = run_is_long() ? 1 : run_is_quick() ? SCENARIO_COUNT : 3;
    for (size_t i = 0; i < SCENARIO_COUNT; i += step)
        tests[count++] = (struct CMUnitTest){scenarios[i], test_profile, NULL, NULL,
                                             (void *)(uintptr_t)scenarios[i]};
    return _cmocka_run_group_tests("contract", tests, count, NULL, NULL);
}
