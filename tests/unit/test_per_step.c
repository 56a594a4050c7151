// SPDX-License-Identifier: Apache-2.0
// Checks values per step: a column marked as a sum equals, for a set of steps, the sum of its
// values for each step, and no other column is divided.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/reports/report_list.h"
#include "property.h"

#include "analysis/report/report.h"
#include "analysis/report/value.h"
#include "model/profile/loader.h"
#include "scenario.h"

static bool unit_can_add_up(enum unit unit)
{
    return unit == UNIT_NS || unit == UNIT_COUNT || unit == UNIT_BYTES;
}

// Returns true for both kinds of totals that are shown per step.
static bool is_total(const struct column *column)
{
    return column->flags & (COLUMN_SUM | COLUMN_NOT_ADDITIVE);
}

static void test_flags(void **state)
{
    (void)state;
    for (size_t i = 0; i < report_count; i++) {
        bool any = false, any_total = false;
        for (size_t c = 0; c < reports[i]->column_count; c++) {
            const struct column *column = &reports[i]->columns[c];
            bool is_sum = column->flags & COLUMN_SUM;
            any |= is_sum;
            any_total |= is_total(column);
            if (is_total(column) && !unit_can_add_up(column->unit))
                fail_msg("%s.%s has no unit that adds up", reports[i]->name, column->key);
        }
        bool is_aggregate = reports[i]->is_aggregate;
        if ((any && !is_aggregate) || (is_aggregate && !any_total))
            fail_msg("%s: is_aggregate and COLUMN_SUM do not agree", reports[i]->name);
        // Rows of reports whose `apart` is "overlap" run side by side and add up over the same
        // steps. In other reports with `apart` a row is no part of the steps.
        bool is_side_by_side = reports[i]->apart && strcmp(reports[i]->apart, "overlap") == 0;
        if (is_side_by_side && !is_aggregate)
            fail_msg("%s: its totals are not shown per step", reports[i]->name);
        if (is_aggregate && any == (reports[i]->apart != NULL))
            fail_msg("%s: COLUMN_APART is for what `apart` tells of", reports[i]->name);
    }
}

// Checks every cell of every report that is shown per step.
static void test_values(void **state)
{
    (void)state;
    struct profile *profile = scenario_open("ddp --steps=3");
    struct arena *arena = arena_new(0);
    struct selection selection = selection_all(split_find(profile, arena));
    double steps = selection_iteration_count(&selection);
    assert_true(steps == 3);
    // One process with four GPUs: one step on the host corresponds to four on the GPUs.
    const struct sum_parts parts = {.gpu = 4 * steps, .host = steps, .row = steps};
    size_t checked = 0;
    for (size_t i = 0; i < report_count; i++) {
        struct rows rows = {0};
        if (reports[i]->is_aggregate)
            rows = reports[i]->build(profile, &selection, arena);
        for (size_t r = 0; r < rows.count; r++) {
            for (size_t c = 0; c < reports[i]->column_count; c++) {
                const struct column *column = &reports[i]->columns[c];
                struct value total = column->get(report_row(reports[i], &rows, r));
                struct value part = value_per_step(column, total, &parts);
                if (is_total(column) && total.kind != VALUE_NONE) {
                    assert_int_equal(part.kind, VALUE_REAL);
                    assert_true(fabs(part.real * parts_of(&parts, column) - (double)total.integer) <
                                1e-9 * (1 + fabs((double)total.integer)));
                    checked++;
                } else {
                    assert_int_equal(part.kind, total.kind);
                    assert_int_equal(value_compare(part, total), 0);
                }
            }
        }
    }
    assert_true(checked > 200);
    arena_free(arena);
    profile_free(profile);
}

// Returns the sum of a column over all rows. Rows below another row are not counted again, except
// in the op tree, whose rows are the same for any set of steps.
static int64_t column_total(const struct report *report, const struct column *column,
                            const struct rows *rows)
{
    int64_t sum = 0;
    bool with_parts = strcmp(report->name, "ops") == 0;
    for (size_t i = 0; i < rows->count; i++) {
        const void *row = report_row(report, rows, i);
        struct value value = column->get(row);
        if (value.kind == VALUE_INTEGER && (!report->depth || with_parts || !report->depth(row)))
            sum += value.integer;
    }
    return sum;
}

static struct selection one_step(const struct selection *all, uint32_t step, struct arena *arena)
{
    struct selection one = *all;
    bool *members = ARENA_ARRAY(arena, bool, all->split->count);
    members[step] = true;
    one.iterations = members;
    return one;
}

// Compares the flag with the behaviour: a flagged column gives for all steps the sum of its values
// per step. A column of whole numbers without the flag must break that rule somewhere.
static void test_columns_add_up(void **state)
{
    (void)state;
    static const char *const scenarios[] = {"ddp --steps=3", "emit", "layer", "demo --steps=4"};
    bool breaks[128][64] = {{false}}, has_figures[128][64] = {{false}};
    size_t count = sizeof scenarios / sizeof *scenarios - (run_is_quick() ? 1 : 0);
    for (size_t s = 0; s < count; s++) {
        struct profile *profile = scenario_open(scenarios[s]);
        struct arena *arena = arena_new(0);
        struct selection all = selection_all(split_find(profile, arena));
        bool *members = ARENA_ARRAY(arena, bool, all.split->count);
        memset(members, true, all.split->count);
        all.iterations = members;
        for (size_t i = 0; i < report_count; i++) {
            const struct report *report = reports[i];
            if (!report->is_aggregate)
                continue;
            struct rows whole = report->build(profile, &all, arena);
            struct rows *parts = ARENA_ARRAY(arena, struct rows, all.split->count);
            for (uint32_t step = 0; step < all.split->count; step++) {
                struct selection one = one_step(&all, step, arena);
                parts[step] = report->build(profile, &one, arena);
            }
            for (size_t c = 0; c < report->column_count; c++) {
                const struct column *column = &report->columns[c];
                int64_t total = column_total(report, column, &whole), sum = 0;
                for (uint32_t step = 0; step < all.split->count; step++)
                    sum += column_total(report, column, &parts[step]);
                breaks[i][c] |= total != sum;
                has_figures[i][c] |= total != 0;
                if (is_total(column) && total != sum)
                    fail_msg("%s: %s.%s: %lld in all, the steps make %lld", scenarios[s],
                             report->name, column->key, (long long)total, (long long)sum);
            }
        }
        arena_free(arena);
        profile_free(profile);
    }
    for (size_t i = 0; i < report_count; i++)
        for (size_t c = 0; reports[i]->is_aggregate && c < reports[i]->column_count; c++) {
            const struct column *column = &reports[i]->columns[c];
            if (!has_figures[i][c] || is_total(column) || column->unit == UNIT_ID)
                continue;
            if (!breaks[i][c])
                fail_msg("%s.%s adds up over the steps: COLUMN_SUM?", reports[i]->name,
                         column->key);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_columns_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
