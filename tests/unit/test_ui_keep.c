// SPDX-License-Identifier: Apache-2.0
// Checks `=` and `!` on the cells of every report: they keep or leave out exactly the rows with the
// same text in that column. If a row of a tree is left out by its name, the rows below it are left
// out as well.
#include "analysis/reports/report_list.h"
#include "property.h"

#include <locale.h>
#include <string.h>

#include "model/profile/loader.h"
#include "model/steps/split.h"
#include "scenario.h"
#include "ui/table/table.h"

// Compares names exactly and all other values as displayed.
static bool is_same(const struct table *table, unsigned column, const void *a, const void *b,
                    struct arena *arena)
{
    struct value x = table_value(table, column, a), y = table_value(table, column, b);
    if (x.kind == VALUE_TEXT && y.kind == VALUE_TEXT)
        return strcmp(x.text, y.text) == 0;
    return strcmp(table_cell(table, column, a, arena), table_cell(table, column, b, arena)) == 0;
}

// Returns true if the filter must match the row: its cell is the same, or a row above it has the
// name.
static bool is_taken(const struct table *table, uint32_t row, bool inverse, const void *like,
                     struct arena *arena)
{
    unsigned column = (unsigned)table->column;
    bool goes_up = inverse && table->parent && table->report->columns[column].flags & COLUMN_NAME;
    for (; row != UINT32_MAX; row = goes_up ? table->parent[row] : UINT32_MAX)
        if (is_same(table, column, like, report_row(table->report, &table->rows, row), arena))
            return true;
    return false;
}

static void assert_kept(struct table *table, uint32_t row, bool inverse, struct arena *arena)
{
    const struct column *column = &table->report->columns[table->column];
    const void *data = report_row(table->report, &table->rows, row);
    struct error error = {0};
    table->is_unfolded = true;
    table->stale = TABLE_STALE;
    table->has_cursor = true;
    table->cursor_id = table_row_id(table, row);
    assert_true(table_update(table, NULL));
    for (table->cursor = 0; table->shown[table->cursor] != row;) // several rows may have the id
        table->cursor++;
    table->cursor_id = table_row_id(table, row);
    if (!table_filter_cell(table, inverse, &error))
        fail_msg("%s %s: %s", table->report->name, column->key, error.message);
    assert_true(table_update(table, NULL));
    for (uint32_t r = 0; r < table->rows.count; r++) {
        const void *other = report_row(table->report, &table->rows, r);
        bool is_kept = table->state[r] & ROW_KEPT;
        if (is_kept != (is_taken(table, r, inverse, data, arena) != inverse))
            fail_msg("%s, %s, divisor %g, %s of '%s': '%s' is %s", table->report->name, column->key,
                     table->parts.gpu, table->filter_text,
                     table_cell(table, (unsigned)table->column, data, arena),
                     table_cell(table, (unsigned)table->column, other, arena),
                     is_kept ? "kept" : "left out");
    }
    assert_true(table_set_filter(table, "", NULL));
}

static size_t rows_most(void) // over all reports
{
    return run_is_quick() ? 1 : run_is_long() ? 4 : 2;
}

static size_t check_report(const struct report *report, const struct profile *profile,
                           const struct split *split, double divisor)
{
    struct arena *rows_arena = arena_new(0), *arena = arena_new(0);
    struct selection selection = selection_all(split);
    struct rows rows;
    struct table table;
    size_t checked = 0;
    assert_true(report_build(report, profile, &selection, rows_arena, &rows, NULL));
    assert_true(table_open(&table, report, NULL));
    table_set_rows(&table, &rows);
    table.parts = (struct sum_parts){.gpu = divisor, .host = divisor};
    uint32_t step = (uint32_t)(rows.count / rows_most() + 1);
    for (uint32_t row = 0; row < rows.count && rows.count < 4000; row += step) {
        for (unsigned c = 0; c < report->column_count; c++) {
            if (!table_column_exists(&table, c))
                continue;
            table.column = (int)c;
            assert_kept(&table, row, false, arena);
            assert_kept(&table, row, true, arena);
            arena_reset(arena);
            checked++;
        }
    }
    table_close(&table);
    arena_free(arena);
    arena_free(rows_arena);
    return checked;
}

static void check_profile(const char *scenario)
{
    struct profile *profile = scenario_open(scenario);
    struct arena *arena = arena_new(0);
    size_t checked = 0;
    const struct split *split = split_find(profile, arena);
    for (size_t i = 0; i < report_count; i++) {
        checked += check_report(reports[i], profile, split, 1);
        if (reports[i]->is_aggregate)
            checked += check_report(reports[i], profile, split, 7);
    }
    assert_true(checked > 125 * rows_most());
    arena_free(arena);
    profile_free(profile);
}

static void test_every_column_of_every_report(void **state)
{
    (void)state;
    check_profile("tiny");
}

static void test_with_several_gpus(void **state)
{
    (void)state;
    if (run_is_quick())
        skip();
    check_profile("demo --steps=4");
}

int main(void)
{
    setlocale(LC_CTYPE, "");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_column_of_every_report),
        cmocka_unit_test(test_with_several_gpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
