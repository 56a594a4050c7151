// SPDX-License-Identifier: Apache-2.0
// The costs of a step add up to the step, also if no work runs in it.
#include <string.h>

#include "analysis/reports/report_list.h"
#include "property.h"

#include "analysis/breakdown/breakdown.h"
#include "analysis/report/memo.h"
#include "analysis/report/value.h"
#include "compare_pair.h"

static int64_t costs_sum(const struct profile *profile, const struct selection *selection,
                         bool *has_work, struct arena *arena)
{
    const struct report *costs = report_find("costs");
    struct rows rows = costs->build(profile, selection, arena);
    int64_t sum = 0;
    *has_work = false;
    for (size_t r = 0; r < rows.count; r++) {
        const void *row = report_row(costs, &rows, r);
        const char *kind = report_column(costs, "kind")->get(row).text;
        *has_work |= strcmp(kind, "idle") != 0;
        sum += figure_of(costs, "time", row);
    }
    return sum;
}

static void test_each_slice(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair, "demo --steps=3", NULL);
    struct arena *look = arena_new(0);
    struct split *split = split_by_name(pair.b, "slices:5ms", pair.arena);
    struct selection selection = selection_all(split);
    selection.memo = memo_new(pair.b, split);
    bool *one = ARENA_ARRAY(pair.arena, bool, split->count), *other = NULL;
    selection.iterations = one;
    uint32_t idle = ROW_NONE;
    for (uint32_t i = 0; i < split->count; i++) {
        bool has_work;
        one[i] = true;
        const struct breakdown *devices =
            breakdown_devices(pair.b, &selection, &breakdown_gpu, look);
        int64_t window_ns = 0;
        for (uint32_t d = 0; d < pair.b->device_count; d++)
            window_ns += devices[d].window_ns;
        assert_int_equal(costs_sum(pair.b, &selection, &has_work, look), window_ns);
        idle = idle == ROW_NONE && !has_work && window_ns > 0 ? i : idle;
        one[i] = false;
        arena_reset(look);
    }
    memo_free(selection.memo);
    // The comparison with a slice that has work: both have the same length, and the work is gone.
    assert_int_not_equal(idle, ROW_NONE);
    other = ARENA_ARRAY(pair.arena, bool, split->count);
    one[idle] = other[split->count / 2] = true;
    pair.selection.split = pair.baseline.selection.split = split;
    pair.selection.iterations = one;
    pair.baseline.selection.iterations = other;
    assert_adds_up(&pair, report_find("costs"), "an idle slice");
    struct rows rows = compare_rows(report_find("costs"), pair.b, &pair.selection, pair.arena);
    for (int s = 0; s < SIDES; s++)
        assert_true(sum_of(row_at(&rows, 0), "time", s) == 5e6);
    arena_free(look);
    pair_close(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_slice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
