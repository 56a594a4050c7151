// SPDX-License-Identifier: Apache-2.0
// Comparisons of reports whose rows do not add up: each row is compared by itself.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/reports/report_list.h"
#include "property.h"

#include "compare_pair.h"

// Each row is compared as a part of its own side's steps; there is no row of totals.
static void test_apart(void **state)
{
    (void)state;
    static const struct {
        const char *report, *count, *tells;
        int64_t processes; // processes that a row covers; 1: one process or one GPU
    } compared[] = {{"ranges", "all_calls", NULL, 4},
                    {"streams", "kernels", "device", 1},
                    {"devices", "kernels", "device", 1},
                    {"api_threads", "calls", "process", 1}};
    struct pair pair;
    pair_open(&pair, "ddp --steps=4", "ddp --steps=7 --without=straggler");
    pair.baseline.selection.iterations = NULL; // all 4 steps against all 7, of 4 processes
    pair.selection.iterations = NULL;
    for (size_t n = 0; n < sizeof compared / sizeof *compared; n++) {
        const struct report *base = report_find(compared[n].report);
        struct rows rows = compare_rows(base, pair.b, &pair.selection, pair.arena);
        size_t paired = 0;
        double moved = INFINITY;
        for (size_t i = 0; i < rows.count; i++) {
            const struct compare_row *row = row_at(&rows, i);
            assert_null(row->name); // (step), (idle), (all rows)
            double delta = fabs(compare_delta(row, row->layout->main));
            assert_false(delta > moved && delta > 1);
            moved = isnan(delta) ? 0 : delta;
            paired += row->side[SIDE_A] && row->side[SIDE_B];
            for (int s = 0; s < SIDES; s++) {
                int64_t parts = (s == SIDE_A ? 4 : 7) * compared[n].processes;
                const char *main = row->layout->sums[row->layout->main]->key;
                const char *count = compared[n].count;
                if (!row->side[s] ||
                    report_column(base, main)->get(row->side[s]).kind == VALUE_NONE)
                    continue;
                assert_true(sum_of(row, main, s) ==
                            (double)rounded_part(figure_of(base, main, row->side[s]), parts));
                assert_true(sum_of(row, count, s) ==
                            (double)figure_of(base, count, row->side[s]) / (double)parts);
            }
        }
        assert_true(paired >= 4);
        // The documentation of the report says so, and the column that distinguishes rows of one
        // name remains.
        const struct report *report = compare_report(base, "step", pair.arena);
        assert_non_null(strstr(report->doc, base->apart));
        assert_true(!compared[n].tells || report_column(report, compared[n].tells));
        assert_int_equal(report_column(report, "device") != NULL,
                         compared[n].tells && strcmp(compared[n].tells, "device") == 0);
    }
    pair_close(&pair);
}

// Threads are matched by their role in the same process, whatever their ids.
static void test_apart_threads(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair, "demo --steps=4", "ddp --steps=6");
    struct rows rows =
        compare_rows(report_find("api_threads"), pair.b, &pair.selection, pair.arena);
    assert_int_equal(rows.count, 2 * 4); // the main and the autograd thread of each rank
    for (size_t i = 0; i < rows.count; i++) {
        assert_int_equal(row_at(&rows, i)->what, STATUS_MATCHED);
        assert_null(strstr(cell_of(row_at(&rows, i), "process", pair.arena), "->"));
    }
    pair_close(&pair);
}

// Rows that only one side has.
static void test_apart_new_and_gone(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair, "demo --steps=4 --without=item", "demo --steps=4");
    struct rows rows = compare_rows(report_find("ranges"), pair.b, &pair.selection, pair.arena);
    size_t both = 0;
    for (size_t i = 0; i < rows.count; i++)
        both += row_at(&rows, i)->what == STATUS_MATCHED;
    assert_true(both > 3);
    assert_true(both < rows.count);
    pair_close(&pair);
    // A range that contains the step number does not occur in every step: the report has it, the
    // comparison does not.
    pair_open(&pair, "ddp --steps=4", "ddp --steps=6");
    rows = report_find("ranges")->build(pair.b, &pair.selection, pair.arena);
    size_t all = rows.count;
    rows = compare_rows(report_find("ranges"), pair.b, &pair.selection, pair.arena);
    assert_int_equal(rows.count, all - selection_iteration_count(&pair.selection));
    for (size_t i = 0; i < rows.count; i++)
        assert_true(row_at(&rows, i)->what == STATUS_MATCHED);
    pair_close(&pair);
}

// Each run numbers its own ops: their ranges are matched by name without the number.
static void test_apart_names(void **state)
{
    (void)state;
    const struct report *ranges = report_find("ranges");
    struct pair pair;
    pair_open(&pair, "emit --without=item", "emit --seed=5");
    const struct report *report = compare_report(ranges, "step", pair.arena);
    assert_string_equal(report->name, "ranges");
    struct rows rows = report_rows(report, pair.b, &pair.selection, pair.arena);
    size_t both = 0, all = ranges->build(pair.b, &pair.selection, pair.arena).count;
    for (size_t i = 0; i < rows.count; i++) {
        both += row_at(&rows, i)->what == STATUS_MATCHED;
        assert_null(strstr(cell_of(row_at(&rows, i), "range", pair.arena), ", seq = "));
    }
    assert_true(rows.count < all / 2);
    assert_true(both > rows.count * 9 / 10);
    // No call is lost or counted twice, as there are no numbered steps here.
    int64_t calls = 0, sum = 0;
    struct rows each = ranges->build(pair.b, &pair.selection, pair.arena);
    for (size_t i = 0; i < each.count; i++)
        calls += figure_of(ranges, "all_calls", report_row(ranges, &each, i));
    for (size_t i = 0; i < rows.count; i++)
        if (row_at(&rows, i)->side[SIDE_B])
            sum += figure_of(ranges, "all_calls", row_at(&rows, i)->side[SIDE_B]);
    assert_int_equal(sum, calls);
    pair_close(&pair);
}

// Rank against rank: the only GPU of each side is the same row, and its streams are matched by
// role.
static void test_apart_ranks(void **state)
{
    (void)state;
    struct pair pair;
    pair_open(&pair, "ddp --steps=6", NULL);
    const struct report *devices = report_find("devices"), *streams = report_find("streams");
    struct rows rows = compare_rows(devices, pair.b, &pair.selection, pair.arena);
    assert_int_equal(rows.count, 4); // by their numbers
    for (size_t i = 0; i < rows.count; i++)
        assert_null(strstr(cell_of(row_at(&rows, i), "device", pair.arena), "->"));
    pair.baseline.follows_scope = false;
    pair.baseline.selection.device = 0;
    pair.selection.device = 2;
    for (int by_process = 0; by_process < 2; by_process++) {
        rows = compare_rows(devices, pair.b, &pair.selection, pair.arena);
        assert_int_equal(rows.count, 1);
        assert_string_equal(cell_of(row_at(&rows, 0), "device", pair.arena), "0 -> 2");
        assert_int_equal(row_at(&rows, 0)->what, STATUS_MATCHED);
        assert_true(sum_of(row_at(&rows, 0), "busy_ns", SIDE_A) > 0);
        rows = compare_rows(streams, pair.b, &pair.selection, pair.arena);
        assert_true(rows.count >= 3);
        for (size_t i = 0; i < rows.count; i++) {
            assert_int_equal(row_at(&rows, i)->what, STATUS_MATCHED);
            assert_string_equal(cell_of(row_at(&rows, i), "device", pair.arena), "0 -> 2");
        }
        // The same with the processes selected.
        pair.baseline.selection.device = pair.selection.device = ROW_NONE;
        for (uint32_t s = 0; s < pair.b->stream_count; s++) {
            if (pair.b->streams[s].device == 0)
                pair.baseline.selection.process = pair.b->streams[s].process;
            if (pair.b->streams[s].device == 2)
                pair.selection.process = pair.b->streams[s].process;
        }
    }
    // If one GPU is compared with all, it is matched by its number and the others are new.
    pair.selection.process = ROW_NONE;
    rows = compare_rows(devices, pair.b, &pair.selection, pair.arena);
    assert_int_equal(rows.count, 4);
    for (size_t i = 0; i < rows.count; i++) {
        const char *number = cell_of(row_at(&rows, i), "device", pair.arena);
        assert_int_equal(row_at(&rows, i)->what,
                         strcmp(number, "0") == 0 ? STATUS_MATCHED : STATUS_NEW);
    }
    pair_close(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_apart),
        cmocka_unit_test(test_apart_threads),
        cmocka_unit_test(test_apart_new_and_gone),
        cmocka_unit_test(test_apart_names),
        cmocka_unit_test(test_apart_ranks),
    };
    if (run_is_quick()) // the profiles are large
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
