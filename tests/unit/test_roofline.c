// SPDX-License-Identifier: Apache-2.0
// Checks that the figures of the roofline reports for layers, kernels, ops and op types equal the
// sums of what `pyprof` says about their kernels.
#include <string.h>

#include "analysis/reports/report_list.h"
#include "property.h"

#include "analysis/report/report.h"
#include "model/profile/loader.h"
#include "scenario.h"

static struct arena *arena;

static int set_up(void **state)
{
    (void)state;
    arena = arena_new(0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

enum { FIGURES = 4, OPENED = 6 }; // approximate number of rows to open per report
static const char *const of_layers[FIGURES] = {"sum", "flops", "bytes", "kernels"};
// NULL: number of rows
static const char *const of_kernels[FIGURES] = {"sil", "flops", "bytes", NULL};

static int64_t cell(const struct report *report, const void *row, const char *key)
{
    struct value value = report_column(report, key)->get(row);
    return value.kind == VALUE_NONE ? 0 : value.integer;
}

static void kernels_sum(const struct profile *profile, const struct selection *selection,
                        int64_t sums[FIGURES])
{
    const struct report *report = report_find("pyprof");
    struct rows rows = report->build(profile, selection, arena);
    memset(sums, 0, FIGURES * sizeof *sums);
    for (size_t i = 0; i < rows.count; i++)
        for (int f = 0; f < FIGURES; f++)
            sums[f] +=
                of_kernels[f] ? cell(report, report_row(report, &rows, i), of_kernels[f]) : 1;
}

// The ideal time plus the time above it equal the time of the kernels that have an ideal.
static void check_row(const struct report *report, const void *row)
{
    struct value above = report_column(report, "above")->get(row);
    double known =
        report_column(report, "coverage")->get(row).real * (double)cell(report, row, "sum");
    assert_true((above.kind == VALUE_NONE) == (known <= 0));
    assert_true(above.kind == VALUE_NONE || above.integer >= 0);
    double parts = (double)(cell(report, row, "above") + cell(report, row, "ideal"));
    assert_true(parts > known - 1 && parts < known + 1);
}

static size_t check_report(const struct report *report, const struct profile *profile,
                           const struct selection *selection)
{
    struct rows rows = report->build(profile, selection, arena);
    int64_t sums[FIGURES], kernels[FIGURES];
    int64_t all[FIGURES] = {0};
    size_t with_ideal = 0;
    for (size_t i = 0; i < rows.count; i++) {
        const void *row = report_row(report, &rows, i);
        struct selection narrow = *selection;
        check_row(report, row);
        with_ideal += report_column(report, "ideal")->get(row).kind != VALUE_NONE;
        for (int f = 0; f < FIGURES; f++)
            all[f] += sums[f] = cell(report, row, of_layers[f]);
        if (i % (rows.count / OPENED + 1) == 0 && report->narrow(profile, row, &narrow)) {
            kernels_sum(profile, &narrow, kernels);
            for (int f = 0; f < FIGURES; f++)
                assert_int_equal(kernels[f], sums[f]);
        }
    }
    kernels_sum(profile, selection, kernels);
    for (int f = 0; f < FIGURES; f++)
        assert_int_equal(all[f], kernels[f]);
    return with_ideal;
}

// Checks all four groupings, which must have the same caption. Returns the number of rows with an
// ideal.
static size_t check(const struct profile *profile, const struct selection *selection)
{
    static const char *const names[] = {"roofline", "roofline_kernels", "roofline_ops",
                                        "roofline_types"};
    size_t with_ideal = 0;
    const char *first = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct report *report = report_find(names[i]);
        struct rows rows = report->build(profile, selection, arena);
        with_ideal += check_report(report, profile, selection);
        first = first ? first : rows.caption;
        assert_true(!first == !rows.caption);
        if (first)
            assert_string_equal(rows.caption, first);
    }
    return with_ideal;
}

static void rows_are_the_sums_of_their_kernels(void **state)
{
    (void)state;
    static const char *const scenarios[] = {"demo --steps=4", "dlprof", "emit", "ddp --steps=3"};
    size_t with_ideal = 0, first = run_is_quick() ? 2 : 0;
    for (size_t s = first; s < sizeof scenarios / sizeof *scenarios; s += every(2, 2)) {
        struct profile *profile = scenario_open(scenarios[s]);
        struct split *split = split_find(profile, arena);
        struct selection all = selection_all(split);
        for (int folded = 0; folded < 2; folded++) {
            all.is_folded = folded;
            with_ideal += check(profile, &all);
        }
        bool *members = ARENA_ARRAY(arena, bool, split->count);
        all.iterations = members;
        check(profile, &all); // no steps selected
        members[split->count - 1] = true;
        with_ideal += check(profile, &all);
        profile_free(profile);
    }
    assert_true(with_ideal > 0);
}

// An unknown GPU has only its bandwidth recorded. If the limit of a row is unknown, its time above
// the ideal is unknown too.
static void time_above_is_unknown_without_limit(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("dlprof");
    for (uint32_t d = 0; d < profile->device_count; d++) {
        assert_true(profile->devices[d].memory_bandwidth > 0);
        profile->devices[d].name = STRING_NONE;
        profile->devices[d].clock_hz = UNKNOWN;
    }
    struct selection all = selection_all(split_find(profile, arena));
    const struct report *report = report_find("roofline");
    struct rows rows = report->build(profile, &all, arena);
    assert_true(rows.count > 0);
    for (size_t i = 0; i < rows.count; i++) {
        const void *row = report_row(report, &rows, i);
        assert_int_equal(report_column(report, "limit")->get(row).kind == VALUE_NONE,
                         report_column(report, "above")->get(row).kind == VALUE_NONE);
    }
    profile_free(profile);
}

static void assert_caption(const struct profile *profile, const char *caption)
{
    struct selection all = selection_all(split_find(profile, arena));
    const struct report *report = report_find("roofline_kernels");
    struct rows rows = report->build(profile, &all, arena);
    assert_non_null(strstr(rows.caption, caption));
}

// The caption says why there is no ideal: unknown shapes or unknown GPU peaks.
static void reason_for_no_ideal(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("dlprof");
    assert_caption(profile, "of the time has an ideal");
    for (uint32_t d = 0; d < profile->device_count; d++) {
        profile->devices[d].name = STRING_NONE;
        profile->devices[d].clock_hz = profile->devices[d].memory_bandwidth = UNKNOWN;
    }
    assert_caption(profile, "bandwidth or peaks are unknown (gpus.yaml)");
    profile_free(profile);
    profile = scenario_open("plain");
    assert_caption(profile, "no shapes: record emit_nvtx(record_shapes=True)");
    profile_free(profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_are_the_sums_of_their_kernels, set_up, tear_down),
        cmocka_unit_test_setup_teardown(time_above_is_unknown_without_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reason_for_no_ideal, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("roofline", tests, NULL, NULL);
}
