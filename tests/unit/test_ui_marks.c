// SPDX-License-Identifier: Apache-2.0
// Checks marked rows, filters by them, sorting by several keys, and shares of different totals.
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "property.h"
#include "ui/table/table.h"
#include "ui_fake.h"

enum { MS = 1000000 };

static const struct fake_row flat_rows[] = {
    {"gemm_a", 30 * MS, 3, STATE_YES, 0, false, 10}, {"relu", 5 * MS, 9, STATE_NO, 0, false, 11},
    {"gemm_b", 30 * MS, 1, STATE_YES, 0, false, 12}, {"copy", UNKNOWN, 4, STATE_NO, 0, false, 13},
    {"softmax", 7 * MS, 3, STATE_NO, 0, false, 14},
};
static const struct fake_row tree_rows[] = {
    {"step", 100 * MS, 1, STATE_UNKNOWN, 0, true, 1},
    {"forward", 40 * MS, 1, STATE_UNKNOWN, 1, true, 2},
    {"layers", 30 * MS, 1, STATE_UNKNOWN, 2, true, 3},
    {"mlp", 20 * MS, 1, STATE_YES, 3, false, 4},
    {"attn", 10 * MS, 1, STATE_YES, 3, false, 5},
    {"head", 0, 1, STATE_NO, 2, true, 6},
    {"bias", 0, 1, STATE_NO, 3, false, 7},
    {"backward", 60 * MS, 1, STATE_UNKNOWN, 1, false, 8},
    {"outside", 25 * MS, 1, STATE_UNKNOWN, 0, false, 9},
};

static void assert_marks(struct table *table, const char *expected)
{
    struct arena *arena = arena_new(0);
    assert_true(table_update(table, NULL));
    const char *text = table_marks_text(table, arena);
    assert_string_equal(text ? text : "", expected);
    arena_free(arena);
}

static void mark(struct table *table, uint64_t id)
{
    assert_true(table_go(table, id));
    assert_true(table_act(table, ACTION_MARK));
}

static void test_marks_stay_with_their_rows(void **state)
{
    (void)state;
    struct table table;
    OPEN(&table, &fake_flat, flat_rows);
    assert_marks(&table, "");
    table_act(&table, ACTION_MARK); // marks gemm_a and moves to gemm_b
    assert_int_equal(table.cursor, 1);
    mark(&table, 11);
    assert_marks(&table, "2 marked: GPU 35.0 ms");
    mark(&table, 13); // its time is unknown
    assert_marks(&table, "3 marked: GPU 35.0 ms (2 known)");
    // Sorted by another column, that column is added up if it can be.
    table_sort_by(&table, 2, true);
    assert_marks(&table, "3 marked: calls 16");
    table_sort_by(&table, 3, true);
    assert_marks(&table, "3 marked: GPU 35.0 ms (2 known)");
    table.parts = (struct sum_parts){.gpu = 10, .host = 10};
    assert_marks(&table, "3 marked: GPU 3.50 ms (2 known)");
    table.parts = (struct sum_parts){0};
    // Marks survive a filter and a change of rows: rows that come back count again.
    assert_true(table_set_filter(&table, "softmax", NULL));
    assert_marks(&table, "3 marked: GPU 35.0 ms (2 known)");
    static const struct fake_row later[] = {{"relu", 2 * MS, 1, STATE_NO, 0, 0, 11},
                                            {"new", 1 * MS, 1, STATE_NO, 0, 0, 20}};
    table_set_rows(&table, &(struct rows){.items = later, .count = 2});
    assert_marks(&table, "1 marked: GPU 2.00 ms");
    table_set_rows(&table, &(struct rows){.items = flat_rows, .count = 5});
    assert_marks(&table, "3 marked: GPU 35.0 ms (2 known)");
    // Marked rows in sort order, whatever the filter hides.
    struct arena *arena = arena_new(0);
    size_t count;
    table_sort_by(&table, 2, true);
    assert_true(table_update(&table, NULL));
    uint32_t *rows = table_marked_rows(&table, arena, &count);
    assert_int_equal(count, 3);
    assert_string_equal(flat_rows[rows[0]].name, "relu");
    assert_string_equal(flat_rows[rows[2]].name, "gemm_a");
    arena_free(arena);
    assert_true(table_set_filter(&table, "", NULL));
    mark(&table, 11);
    mark(&table, 10);
    table_sort_by(&table, 3, true);
    assert_marks(&table, "1 marked: GPU -"); // unknown is not 0
    mark(&table, 10);
    mark(&table, 11);
    table_sort_by(&table, 2, true);
    mark(&table, 11); // unmarks it
    assert_marks(&table, "2 marked: calls 7");
    assert_true(table_clear_marks(&table));
    assert_false(table_clear_marks(&table));
    assert_marks(&table, "");
    table_close(&table);
}

static void test_spans(void **state)
{
    (void)state;
    struct table table;
    OPEN(&table, &fake_flat, flat_rows); // gemm_a gemm_b softmax relu copy
    assert_true(table_go(&table, 11));
    table_act(&table, ACTION_SPAN);
    table_act(&table, ACTION_UP);
    table_act(&table, ACTION_UP); // also upwards
    size_t from, to;
    assert_true(table_span_lines(&table, &from, &to));
    assert_int_equal(from, 1);
    assert_int_equal(to, 3);
    assert_int_equal(table_marked_count(&table), 0); // not yet marked
    table_act(&table, ACTION_MARK);
    assert_int_equal(table_marked_count(&table), 3);
    assert_false(table_span_lines(&table, &from, &to));
    // If the whole span is marked, it is unmarked. V or Esc a second time drops the span only.
    table_act(&table, ACTION_SPAN);
    table_act(&table, ACTION_DOWN);
    table_act(&table, ACTION_MARK);
    assert_int_equal(table_marked_count(&table), 1);
    table_act(&table, ACTION_SPAN);
    table_act(&table, ACTION_SPAN);
    assert_false(table.marks.has_span);
    table_act(&table, ACTION_SPAN);
    assert_true(table_clear_marks(&table));
    assert_int_equal(table_marked_count(&table), 1);
    // If the row at which the span began is gone, only the row under the cursor is marked.
    assert_true(table_go(&table, 10));
    table_act(&table, ACTION_SPAN);
    assert_true(table_set_filter(&table, "copy", NULL));
    table_act(&table, ACTION_MARK);
    assert_int_equal(table_marked_count(&table), 2);
    table_close(&table);
}

static void test_filters_by_marks(void **state)
{
    (void)state;
    struct table table;
    OPEN(&table, &fake_flat, flat_rows);
    mark(&table, 10);
    mark(&table, 14);
    table_act(&table, ACTION_KEEP);
    assert_fake_names(&table, "gemm_a softmax");
    assert_string_equal(table.filter_text, "marked:1");
    assert_int_equal(table_marked_count(&table), 0); // the filter consumed them
    mark(&table, 10);
    table_act(&table, ACTION_OMIT);
    assert_fake_names(&table, "softmax");
    assert_string_equal(table.filter_text, "marked:1 !marked:2");
    // The text alone restores the rows, as undo does it.
    assert_true(table_set_filter(&table, "!marked:1", NULL));
    assert_fake_names(&table, "gemm_b relu copy");
    assert_true(table_set_filter(&table, "!marked:1 gemm", NULL));
    assert_fake_names(&table, "gemm_b");
    struct error error = {0};
    static const char *const wrong[] = {"marked:3",  "marked:x", "marked>1",
                                        "marked:1x", "marked:0", "marked:99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(table_set_filter(&table, wrong[i], &error));
    assert_fake_names(&table, "gemm_b");
    table_close(&table);
}

// A marked row of a tree counts for all rows below it, and marking does not unfold any rows.
static void test_marks_in_trees(void **state)
{
    (void)state;
    struct table table;
    OPEN(&table, &fake_tree, tree_rows);
    assert_fake_names(&table, "step forward backward outside");
    mark(&table, 2);
    assert_marks(&table, "1 marked: GPU 40.0 ms");
    mark(&table, 4); // inside the marked one
    assert_marks(&table, "2 marked: GPU 40.0 ms");
    mark(&table, 4);
    mark(&table, 9);
    assert_marks(&table, "2 marked: GPU 65.0 ms");
    table_act(&table, ACTION_FOLD_ALL);
    assert_true(table_go(&table, 1));
    table_act(&table, ACTION_RIGHT);
    table_act(&table, ACTION_KEEP);
    assert_fake_names(&table, "step forward outside");
    assert_int_equal(table.kept_count, 7);
    assert_true(table_set_filter(&table, "!marked:1", NULL));
    assert_fake_names(&table, "step backward");
    assert_true(table_set_filter(&table, "!backward", NULL)); // an exclusion unfolds no rows
    assert_fake_names(&table, "step forward outside");
    table_close(&table);
}

static void test_many_marks(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    struct fake_row *rows = calloc(COUNT, sizeof *rows);
    for (size_t i = 0; i < COUNT; i++)
        rows[i] = (struct fake_row){"row", 1, 1, STATE_NO, 0, false, i};
    struct table table;
    fake_open(&table, &fake_flat, rows, COUNT);
    for (int round = 0; round < 5; round++) { // must reuse its memory
        table_act(&table, ACTION_FIRST);
        table_act(&table, ACTION_SPAN);
        table_act(&table, ACTION_LAST);
        table_act(&table, ACTION_MARK);
        assert_int_equal(table_marked_count(&table), COUNT);
        assert_int_equal(table.marks.sum, COUNT);
        table_act(&table, ACTION_FIRST);
        table_act(&table, ACTION_MARK);
        table_act(&table, ACTION_MARK);
        assert_int_equal(table_marked_count(&table), COUNT - 2);
        assert_int_equal(table.marks.sum, COUNT - 2);
        assert_true(table_clear_marks(&table));
    }
    assert_true(arena_bytes(table.arena) < 40 << 20);
    table_close(&table);
    free(rows);
}

static void assert_keys(const struct table *table, const char *expected)
{
    char text[200] = "";
    for (unsigned k = 0; k < table->sort_count; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s%s", k ? " " : "",
                 table->sort[k].descending ? "-" : "",
                 table->report->columns[table->sort[k].column].key);
    assert_string_equal(text, expected);
}

static void test_several_keys(void **state)
{
    (void)state;
    struct table table;
    struct error error = {0};
    OPEN(&table, &fake_flat, flat_rows);
    assert_keys(&table, "-gpu_total");
    assert_true(table_sort_named(&table, "calls", &error)); // the former key decides ties
    assert_keys(&table, "-calls -gpu_total");
    assert_fake_names(&table, "relu copy gemm_a softmax gemm_b");
    assert_true(table_sort_named(&table, "tc +calls", &error)); // replaces all keys
    assert_keys(&table, "tc calls");
    assert_fake_names(&table, "softmax copy relu gemm_b gemm_a");
    assert_true(table_sort_named(&table, "-gpu, calls,name", &error));
    assert_keys(&table, "-gpu_total -calls name");
    assert_fake_names(&table, "gemm_a gemm_b softmax relu copy");
    static const char *const wrong[] = {"", "gpu nosuch", "gpu calls tc name"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(table_sort_named(&table, wrong[i], &error));
        assert_keys(&table, "-gpu_total -calls name"); // as before
    }
    // Columns that `<` and `>` pass do not become sort keys; the column where they started does.
    assert_true(table_sort_named(&table, "gpu tc", &error));
    table_act(&table, ACTION_SORT_RIGHT);
    assert_keys(&table, "-calls -gpu_total tc");
    table_act(&table, ACTION_SORT_RIGHT);
    assert_keys(&table, "tc -gpu_total");
    table_act(&table, ACTION_SORT_RIGHT);
    assert_keys(&table, "-share -gpu_total tc");
    table_act(&table, ACTION_DOWN); // the user stops here
    table_act(&table, ACTION_SORT_LEFT);
    assert_keys(&table, "tc -share -gpu_total");
    table_act(&table, ACTION_INVERT);
    assert_keys(&table, "-tc -share -gpu_total");
    table_close(&table);
}

// Checks the shares of the rows shown, as "forward 40.0  ...".
static void assert_shares(struct table *table, const char *expected)
{
    struct arena *arena = arena_new(0);
    char text[2000] = "";
    unsigned column = (unsigned)table_share_column(table);
    assert_true(table_update(table, NULL));
    for (size_t i = 0; i < table->shown_count; i++) {
        const struct fake_row *row = report_row(table->report, &table->rows, table->shown[i]);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s %s", i ? "  " : "",
                 row->name, table_cell(table, column, row, arena));
    }
    assert_string_equal(text, expected);
    arena_free(arena);
}

static void share(struct table *table, enum share_of of)
{
    table->share = of;
    table->stale = TABLE_STALE;
    table->ascii = true;
}

static void test_shares(void **state)
{
    (void)state;
    struct table table;
    OPEN(&table, &fake_tree, tree_rows);
    table_act(&table, ACTION_UNFOLD_ALL);
    share(&table, SHARE_OWN);
    assert_string_equal(table_head(&table, 4), "%");
    assert_shares(&table, "step 100.0  forward 40.0  layers 30.0  mlp 20.0  attn 10.0  head 0.0  "
                          "bias 0.0  backward 60.0  outside 25.0");
    share(&table, SHARE_PARENT); // unknown for rows without a parent
    assert_string_equal(table_head(&table, 4), "%parent");
    assert_shares(&table, "step 80.0  forward 40.0  layers 75.0  mlp 66.7  attn 33.3  head 0.0  "
                          "bias -  backward 60.0  outside 20.0");
    share(&table, SHARE_STEP);
    assert_shares(&table, "step -  forward -  layers -  mlp -  attn -  head -  bias -  backward -  "
                          "outside -"); // the step length is unknown
    table.step_ns = 200 * MS;
    share(&table, SHARE_STEP);
    assert_shares(&table, "step 50.0  forward 20.0  layers 15.0  mlp 10.0  attn 5.0  head 0.0  "
                          "bias 0.0  backward 30.0  outside 12.5");
    // The outermost rows that match the filter count; rows that only lead to them have no share.
    share(&table, SHARE_SHOWN);
    assert_true(table_set_filter(&table, "layers|mlp|outside", NULL));
    assert_shares(&table, "step -  forward -  layers 54.5  mlp 36.4  outside 45.5");
    table_close(&table);
}

// Filter and sort use the shares as displayed. A filter term on shares does not change their total.
static void test_filter_sees_shares(void **state)
{
    (void)state;
    struct table table;
    OPEN(&table, &fake_flat, flat_rows);
    assert_true(table_set_filter(&table, "share>29", NULL)); // of 100 ms
    assert_fake_names(&table, "gemm_a gemm_b");
    assert_true(table_has_share(&table, SHARE_SHOWN));
    assert_false(table_has_share(&table, SHARE_PARENT)); // not a tree
    share(&table, SHARE_SHOWN);
    assert_true(table_set_filter(&table, "!gemm", NULL));
    assert_shares(&table, "softmax 58.3  relu 41.7  copy -");
    assert_true(table_set_filter(&table, "!gemm share>50", NULL));
    assert_shares(&table, "softmax 58.3");
    assert_true(table_set_filter(&table, "!gemm !share>50", NULL));
    assert_shares(&table, "relu 41.7  copy -");
    // `=` uses the displayed text.
    assert_true(table_set_filter(&table, "!gemm", NULL));
    assert_true(table_go(&table, 11));
    table.column = table_share_column(&table);
    table_act(&table, ACTION_KEEP);
    assert_shares(&table, "relu 41.7");
    // A saved table names the total of its shares.
    struct arena *arena = arena_new(0);
    struct export_share out = table_export_share(&table, arena);
    assert_string_equal(out.title, "Share of the Rows Shown (%)");
    assert_string_equal(out.head, "%shown");
    assert_string_equal(out.key, "share_of_shown");
    struct value value = out.get(out.context, &flat_rows[1]);
    assert_int_equal(value.kind, VALUE_REAL);
    assert_true(value.real > 0.416 && value.real < 0.417);
    arena_free(arena);
    table_close(&table);
}

int main(void)
{
    setlocale(LC_ALL, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks_stay_with_their_rows),
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_filters_by_marks),
        cmocka_unit_test(test_marks_in_trees),
        cmocka_unit_test(test_many_marks),
        cmocka_unit_test(test_several_keys),
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_filter_sees_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
