// SPDX-License-Identifier: Apache-2.0
// Checks tables and trees over made-up reports: sort, filter, search, folding, and the cursor that
// stays on its row.
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "property.h"
#include "ui/app/lists.h"
#include "ui/table/table.h"
#include "ui_fake.h"

enum { MS = 1000000 };

static const struct fake_row flat_rows[] = {
    {"gemm_a", 30 * MS, 3, STATE_YES, 0, false, 10},
    {"relu", 5 * MS, 9, STATE_NO, 0, false, 11},
    {"gemm_b", 30 * MS, 1, STATE_YES, 0, false, 12},
    {"copy \033[31mred", UNKNOWN, 4, STATE_UNKNOWN, 0, false, 13},
    {"Softmax", 7 * MS, 2, STATE_NO, 0, false, 14},
};
static const struct fake_row tree_rows[] = {
    {"step", 100 * MS, 1, STATE_UNKNOWN, 0, true, 1},
    {"forward", 40 * MS, 1, STATE_UNKNOWN, 1, true, 2},
    {"layers", 30 * MS, 1, STATE_UNKNOWN, 2, true, 3},
    {"mlp", 20 * MS, 1, STATE_YES, 3, false, 4},
    {"attn", 10 * MS, 1, STATE_YES, 3, false, 5},
    {"head", 10 * MS, 1, STATE_NO, 2, false, 6},
    {"backward", 60 * MS, 1, STATE_UNKNOWN, 1, true, 7},
    {"mlp", 60 * MS, 1, STATE_YES, 2, false, 8},
    {"outside", 1 * MS, 1, STATE_UNKNOWN, 0, false, 9},
};

static const char *cursor_name(const struct table *table)
{
    const struct fake_row *row = table_row(table);
    return row ? row->name : "";
}

static void test_sort(void **state)
{
    (void)state;
    struct table table;
    OPEN(&table, &fake_flat, flat_rows);
    assert_fake_names(&table, "gemm_a gemm_b Softmax relu copy"); // stable, unknown values last
    table_sort_by(&table, 1, false);
    // unknown values last in this order too
    assert_fake_names(&table, "relu Softmax gemm_a gemm_b copy");
    table_sort_by(&table, 2, false); // by calls
    assert_fake_names(&table, "gemm_b Softmax gemm_a copy relu");
    table_sort_by(&table, 3, true); // by TC; calls still decide ties
    table_act(&table, ACTION_INVERT);
    assert_fake_names(&table, "Softmax relu gemm_b gemm_a copy");
    assert_true(table_sort_named(&table, "-gpu", NULL));
    assert_int_equal(table.sort[0].column, 1);
    assert_true(table.sort[0].descending);
    struct error error = {0};
    assert_false(table_sort_named(&table, "nosuch", &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    table_close(&table);
}

static void test_every_column_sorts_both_ways(void **state)
{
    (void)state;
    struct table table;
    OPEN(&table, &fake_flat, flat_rows);
    for (unsigned c = 0; c < fake_flat.column_count; c++) {
        for (int descending = 0; descending < 2; descending++) {
            table_sort_by(&table, c, descending);
            assert_true(table_update(&table, NULL));
            for (size_t i = 1; i < table.shown_count; i++) {
                struct value a = fake_flat.columns[c].get(&flat_rows[table.shown[i - 1]]);
                struct value b = fake_flat.columns[c].get(&flat_rows[table.shown[i]]);
                int order = value_compare(a, b);
                assert_true(b.kind == VALUE_NONE || (descending ? order >= 0 : order <= 0));
            }
        }
    }
    table_close(&table);
}

// Compares two rows by the sort keys of a table. 0: equal.
static int rows_order(const struct table *table, const void *a, const void *b)
{
    for (unsigned k = 0; k < table->sort_count; k++) {
        const struct column *column = &table->report->columns[table->sort[k].column];
        struct value x = column->get(a), y = column->get(b);
        int order = value_compare(x, y);
        if (order != 0 && (x.kind == VALUE_NONE || y.kind == VALUE_NONE))
            return x.kind == VALUE_NONE ? 1 : -1;
        if (order != 0)
            return table->sort[k].descending ? -order : order;
    }
    return 0;
}

// For random values and keys: neighbours are in order, ties keep their order, and each row occurs
// once.
static void test_random_rows_are_sorted(void **state)
{
    (void)state;
    enum { ROWS = 300 };
    static const int64_t times[] = {UNKNOWN, 0, -1, 1, INT64_MAX, INT64_MIN + 1, 5 * MS, -7 * MS};
    static const char again[] = "b9"; // an equal name with another address
    const char *const names[] = {"b10", "b9", again};
    struct random random = {21};
    for (int round = 0; round < random_rounds(300); round++) {
        struct fake_row rows[ROWS];
        for (size_t i = 0; i < ROWS; i++)
            rows[i] = (struct fake_row){.name = names[random_below(&random, 3)],
                                        .gpu = times[random_below(&random, 8)],
                                        .calls = (int64_t)random_below(&random, 3) - 1,
                                        .tc = (enum tristate)random_below(&random, 3),
                                        .id = i};
        struct table table;
        OPEN(&table, &fake_flat, rows);
        for (uint64_t keys = random_below(&random, 4); keys > 0; keys--)
            table_sort_by(&table, (unsigned)random_below(&random, fake_flat.column_count),
                          random_below(&random, 2));
        assert_true(table_update(&table, NULL));
        bool seen[ROWS] = {false};
        assert_int_equal(table.shown_count, ROWS);
        for (size_t i = 0; i < ROWS; i++) {
            uint32_t row = table.shown[i];
            assert_false(seen[row]);
            seen[row] = true;
            int order = i ? rows_order(&table, &rows[table.shown[i - 1]], &rows[row]) : -1;
            assert_true(order < 0 || (order == 0 && table.shown[i - 1] < row));
        }
        table_close(&table);
    }
}

static void test_filter(void **state)
{
    (void)state;
    struct table table;
    OPEN(&table, &fake_flat, flat_rows);
    static const struct {
        const char *text, *names;
    } cases[] = {
        {"gemm", "gemm_a gemm_b"},
        {"!gemm", "Softmax relu copy"},
        {"softmax", "Softmax"},
        {"SOFTMAX", ""}, // a capital makes it case-sensitive
        {"gpu>6ms", "gemm_a gemm_b Softmax"},
        {"gpu<=5ms", "relu"},
        {"gpu>6ms !gemm", "Softmax"},
        {"tc:yes", "gemm_a gemm_b"},
        {"tc=YES", "gemm_a gemm_b"},
        {"tc:-", "copy"},
        {"tc:n", "Softmax relu"}, // prefix of "no"
        {"calls=4", "copy"},
        {"share>20", "gemm_a gemm_b"},
        {"name:^re", "relu"},
        {"name<gemm_b", "gemm_a copy"}, // texts compare alphabetically
        {"name<=gemm_b", "gemm_a gemm_b copy"},
        {"name>relu", "Softmax"},
        {"name>=RELU", "Softmax relu"},
        {"", "gemm_a gemm_b Softmax relu copy"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error = {0};
        if (!table_set_filter(&table, cases[i].text, &error))
            fail_msg("%s: %s", cases[i].text, error.message);
        assert_fake_names(&table, cases[i].names);
    }
    // A faulty filter keeps the former one in force.
    assert_true(table_set_filter(&table, "gemm", NULL));
    assert_false(table_set_filter(&table, "gemm[", NULL));
    assert_false(table_set_filter(&table, "nosuch>3", NULL));
    assert_fake_names(&table, "gemm_a gemm_b");
    table_close(&table);
}

// A filter that cannot match or would mean something else is refused with what is expected.
static void test_filter_mistakes(void **state)
{
    (void)state;
    struct table table;
    OPEN(&table, &fake_flat, flat_rows);
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"gpu>abc", "a bare number is ns"},
        {"gpu>1xs", "a time, as 1.5ms"},
        {"calls=many", "a number, as 100"},
        {"share<half", "percent"},
        {"tc:maybe", "yes, no or -"},
        {"tc=perhaps", "yes, no or -"},
        {"tc>yes", "type tc:yes"},
        {"gpu:fast", "compare it, as gpu_total>1ms"},
        {"nosuch:1", "no column 'nosuch' here"},
        {"gemm tc:maybe", "yes, no or -"},
    };
    assert_true(table_set_filter(&table, "gemm", NULL));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error = {0};
        if (table_set_filter(&table, cases[i].text, &error))
            fail_msg("'%s' is taken", cases[i].text);
        if (!strstr(error.message, cases[i].says))
            fail_msg("'%s': %s", cases[i].text, error.message);
        assert_string_equal(table.filter_text, "gemm");
    }
    char text[TABLE_FILTER_SIZE + 100];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    assert_false(table_set_filter(&table, text, NULL)); // cut off it would be a different filter
    table_close(&table);
}

static void test_keep_and_omit(void **state)
{
    (void)state;
    struct table table;
    OPEN(&table, &fake_flat, flat_rows);
    table.column = 0;
    assert_true(table_act(&table, ACTION_OMIT)); // gemm_a
    assert_fake_names(&table, "gemm_b Softmax relu copy");
    table.column = 3;
    table_act(&table, ACTION_FIRST);
    assert_true(table_act(&table, ACTION_KEEP)); // tc: yes
    assert_fake_names(&table, "gemm_b");
    table_close(&table);
    // A name full of characters that are special in patterns.
    static const struct fake_row special[] = {
        {"f<int>(a* b[3]) $x^ \"q\"", 1, 1, STATE_NO, 0, 0, 1}, {"f", 1, 1, STATE_NO, 0, 0, 2}};
    OPEN(&table, &fake_flat, special);
    assert_true(table_act(&table, ACTION_KEEP));
    assert_true(table_update(&table, NULL));
    assert_int_equal(table.shown_count, 1);
    table_close(&table);
    // A name that begins another, one in capitals, and one longer than a line.
    static char long_name[1500];
    memset(long_name, 'x', sizeof long_name - 1);
    const struct fake_row alike[] = {{"sum", 1, 1, STATE_NO, 0, 0, 1},
                                     {"sum of all", 1, 1, STATE_NO, 0, 0, 2},
                                     {"SUM", 1, 1, STATE_NO, 0, 0, 3},
                                     {"back\\slash", 1, 1, STATE_NO, 0, 0, 4},
                                     {long_name, 1, 1, STATE_NO, 0, 0, 5}};
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) {
        OPEN(&table, &fake_flat, alike);
        assert_true(table_go(&table, alike[i].id));
        assert_true(table_act(&table, ACTION_KEEP));
        assert_fake_names(&table, alike[i].name);
        table_close(&table);
    }
}

// `=` compares displayed texts; a bare number of ns is exact.
static void test_equality_is_of_displayed_text(void **state)
{
    (void)state;
    static const struct fake_row rows[] = {{"a", 1250000, 3, STATE_NO, 0, 0, 1},
                                           {"b", 1231000, 4, STATE_NO, 0, 0, 2},
                                           {"c", 1230000, 2, STATE_NO, 0, 0, 3},
                                           {"d", UNKNOWN, 1, STATE_NO, 0, 0, 4}};
    static const struct {
        const char *text, *names;
        double divisor;
    } cases[] = {
        {"gpu=1.23ms", "b c", 1},  {"gpu=1231000", "b", 1},      {"gpu=-", "d", 1},
        {"!gpu=-", "a b c", 1},    {"calls=3", "a", 1},          {"gpu=\"1.23 ms\"", "b c", 1},
        {"calls=1.50", "a", 2},    {"calls=1.5", "a", 2},        {"calls=2", "b", 2},
        {"gpu=625us", "a", 2},     {"gpu=625\xC2\xB5s", "a", 2}, {"name=a", "a", 1},
        {"gpu!=1.23ms", "a d", 1},
    };
    struct table table;
    OPEN(&table, &fake_flat, rows);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error = {0};
        table.parts = (struct sum_parts){.gpu = cases[i].divisor, .host = cases[i].divisor};
        if (!table_set_filter(&table, cases[i].text, &error))
            fail_msg("%s: %s", cases[i].text, error.message);
        assert_fake_names(&table, cases[i].names);
    }
    table_close(&table);
}

static void test_search(void **state)
{
    (void)state;
    struct table table;
    OPEN(&table, &fake_flat, flat_rows);
    assert_true(table_set_search(&table, "gemm|relu", NULL));
    assert_true(table_update(&table, NULL));
    assert_int_equal(table.match_count, 3);
    table_act(&table, ACTION_NEXT_MATCH);
    assert_string_equal(cursor_name(&table), "gemm_b");
    table_act(&table, ACTION_NEXT_MATCH);
    assert_string_equal(cursor_name(&table), "relu");
    table_act(&table, ACTION_NEXT_MATCH); // wraps around
    assert_string_equal(cursor_name(&table), "gemm_a");
    table_act(&table, ACTION_PREVIOUS_MATCH);
    assert_string_equal(cursor_name(&table), "relu");
    assert_false(table_set_search(&table, "(", NULL));
    assert_true(table_set_search(&table, "", NULL));
    assert_false(table_act(&table, ACTION_NEXT_MATCH));
    table_close(&table);
}

// `*` searches for the name under the cursor literally.
static void test_search_name(void **state)
{
    (void)state;
    static char long_name[3000];
    memset(long_name, '(', sizeof long_name - 1);
    const struct fake_row rows[] = {{"f<int>(a* b[3]) $x^ {2} \\E", 1, 1, STATE_NO, 0, 0, 1},
                                    {"f", 1, 1, STATE_NO, 0, 0, 2},
                                    {"f<int>(a* b[3]) $x^ {2} \\E too", 1, 1, STATE_NO, 0, 0, 3},
                                    {long_name, 1, 1, STATE_NO, 0, 0, 4},
                                    {"Größe", 1, 1, STATE_NO, 0, 0, 5}};
    static const size_t found[] = {2, 3, 1, 1, 1};
    struct table table;
    OPEN(&table, &fake_flat, rows);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error error = {0};
        assert_true(table_go(&table, rows[i].id));
        if (!table_search_name(&table, &error))
            fail_msg("%s", error.message);
        assert_true(table_update(&table, NULL));
        assert_true(table_is_on_match(&table));
        assert_int_equal(table.match_count, found[i]);
    }
    assert_true(table_go(&table, 1));
    assert_true(table_search_name(&table, NULL) && table_update(&table, NULL));
    assert_true(table_act(&table, ACTION_NEXT_MATCH));
    assert_int_equal(table_row_id(&table, table.shown[table.cursor]), 3);
    table_close(&table);
}

static void test_cursor_stays_with_its_row(void **state)
{
    (void)state;
    struct table table;
    OPEN(&table, &fake_flat, flat_rows);
    table_act(&table, ACTION_LAST);
    table_act(&table, ACTION_UP);
    assert_string_equal(cursor_name(&table), "relu");
    table_sort_by(&table, 2, true); // relu has the most calls
    assert_true(table_update(&table, NULL));
    assert_string_equal(cursor_name(&table), "relu");
    assert_int_equal(table.cursor, 0);
    // New rows in which it has other values and another place.
    static const struct fake_row later[] = {{"Softmax", 70 * MS, 2, STATE_NO, 0, 0, 14},
                                            {"gemm_a", 1 * MS, 30, STATE_YES, 0, 0, 10},
                                            {"relu", 2 * MS, 1, STATE_NO, 0, 0, 11}};
    table_set_rows(&table, &(struct rows){.items = later, .count = 3});
    assert_true(table_update(&table, NULL));
    assert_string_equal(cursor_name(&table), "relu");
    // If its row is gone, the cursor stays on its line or the last one.
    table_set_rows(&table, &(struct rows){.items = later, .count = 1});
    assert_true(table_update(&table, NULL));
    assert_string_equal(cursor_name(&table), "Softmax");
    table_set_rows(&table, &(struct rows){.empty = "none"});
    assert_true(table_update(&table, NULL));
    assert_null(table_row(&table));
    table_close(&table);
}

// This also holds if there were no rows in between, as during a recomputation.
static void test_cursor_stays_in_its_line(void **state)
{
    (void)state;
    struct table table;
    OPEN(&table, &fake_flat, flat_rows);
    table_act(&table, ACTION_DOWN);
    table_act(&table, ACTION_DOWN);
    table_set_rows(&table, &(struct rows){.empty = "none"});
    assert_true(table_update(&table, NULL));
    assert_null(table_row(&table));
    static const struct fake_row others[] = {{"a", 70 * MS, 2, STATE_NO, 0, 0, 114},
                                             {"b", 1 * MS, 30, STATE_YES, 0, 0, 110},
                                             {"c", 2 * MS, 1, STATE_NO, 0, 0, 111}};
    table_set_rows(&table, &(struct rows){.items = others, .count = 3});
    assert_true(table_update(&table, NULL));
    assert_int_equal(table.cursor, 2);
    table_close(&table);
}

static void test_tree_folds(void **state)
{
    (void)state;
    struct table table;
    OPEN(&table, &fake_tree, tree_rows);
    assert_fake_names(&table, "step forward backward outside"); // roots are unfolded
    table_act(&table, ACTION_DOWN);
    table_act(&table, ACTION_RIGHT);
    assert_fake_names(&table, "step forward layers head backward outside");
    table_act(&table, ACTION_UNFOLD_ALL);
    assert_fake_names(&table, "step forward layers mlp attn head backward outside");
    table_act(&table, ACTION_RIGHT); // to the first child
    assert_string_equal(cursor_name(&table), "layers");
    table_act(&table, ACTION_DOWN);
    table_act(&table, ACTION_LEFT); // from a leaf to its parent
    assert_string_equal(cursor_name(&table), "layers");
    table_act(&table, ACTION_LEFT);
    assert_fake_names(&table, "step forward layers head backward outside");
    table_act(&table, ACTION_FOLD_ALL);
    assert_fake_names(&table, "step outside");
    assert_string_equal(cursor_name(&table), "step");
    table_act(&table, ACTION_UNFOLD_ALL);
    assert_fake_names(&table, "step forward layers mlp attn head backward mlp outside");
    table_close(&table);
}

static void test_tree_sorts_siblings(void **state)
{
    (void)state;
    struct table table;
    OPEN(&table, &fake_tree, tree_rows);
    table_act(&table, ACTION_UNFOLD_ALL);
    table_sort_by(&table, 1, false);
    assert_fake_names(&table, "outside step forward head layers attn mlp backward mlp");
    table_sort_by(&table, 1, true);
    assert_fake_names(&table, "step backward mlp forward layers mlp attn head outside");
    table_close(&table);
}

static void test_tree_filter_keeps_ancestors(void **state)
{
    (void)state;
    struct table table;
    OPEN(&table, &fake_tree, tree_rows);
    assert_true(table_set_filter(&table, "mlp", NULL));
    assert_fake_names(&table, "step forward layers mlp backward mlp"); // matches although folded
    assert_int_equal(table.kept_count, 2);
    assert_true(table_set_filter(&table, "", NULL));
    assert_fake_names(&table, "step forward backward outside"); // the folds are as before
    assert_true(table_go(&table, 4));
    assert_string_equal(cursor_name(&table), "mlp");
    assert_false(table_go(&table, 999));
    table_close(&table);
}

// A row left out by its name takes the rows below it along, as it would otherwise remain as their
// parent.
static void test_tree_omits_branches(void **state)
{
    (void)state;
    struct table table;
    OPEN(&table, &fake_tree, tree_rows);
    assert_true(table_set_filter(&table, "!layers", NULL));
    assert_true(table_act(&table, ACTION_UNFOLD_ALL));
    assert_fake_names(&table, "step forward head backward mlp outside");
    assert_int_equal(table.kept_count, 6);
    // Also below a row that another term leaves out.
    assert_true(table_set_filter(&table, "mlp !forward", NULL));
    assert_fake_names(&table, "step backward mlp");
    assert_true(table_set_filter(&table, "", NULL));
    assert_true(table_go(&table, 7)); // backward
    table.column = 0;
    assert_true(table_act(&table, ACTION_OMIT));
    assert_fake_names(&table, "step forward layers mlp attn head outside");
    // A term on a figure applies to the row alone: step and forward stay, as rows inside them
    // match.
    assert_true(table_set_filter(&table, "!gpu>30ms", NULL));
    assert_fake_names(&table, "step forward layers mlp attn head outside");
    table_close(&table);
}

static void test_search_looks_into_folds(void **state)
{
    (void)state;
    struct table table;
    OPEN(&table, &fake_tree, tree_rows);
    assert_true(table_set_search(&table, "mlp", NULL));
    assert_true(table_update(&table, NULL));
    assert_fake_names(&table, "step forward backward outside");
    assert_int_equal(table.match_count, 2);
    // During typing the path to the match is unfolded temporarily.
    assert_true(table_peek_match(&table));
    assert_string_equal(cursor_name(&table), "mlp");
    assert_fake_names(&table, "step forward layers mlp attn head backward outside");
    assert_true(table_peek_match(&table));
    assert_fake_names(&table, "step forward backward mlp outside");
    assert_true(table_set_search(&table, "", NULL));
    assert_fake_names(&table, "step forward backward outside");
    // Moving to a match unfolds its path for good, even after the search; it can still be folded.
    assert_true(table_set_search(&table, "mlp", NULL));
    assert_true(table_go(&table, 7)); // backward, where Esc puts the cursor back
    assert_true(table_act(&table, ACTION_NEXT_MATCH));
    assert_fake_names(&table, "step forward backward mlp outside");
    assert_true(table_set_search(&table, "", NULL));
    assert_fake_names(&table, "step forward backward mlp outside");
    assert_true(table_act(&table, ACTION_FOLD_ALL));
    assert_fake_names(&table, "step outside");
    // Search skips rows that the filter hides.
    assert_true(table_set_filter(&table, "attn", NULL));
    assert_true(table_set_search(&table, "mlp", NULL));
    assert_true(table_update(&table, NULL));
    assert_int_equal(table.match_count, 0);
    assert_false(table_act(&table, ACTION_NEXT_MATCH));
    table_close(&table);
}

static void test_hot_path_is_open_at_first(void **state)
{
    (void)state;
    struct table table;
    OPEN(&table, &fake_tree, tree_rows);
    tree_unfold_hot(&table, 5);
    assert_fake_names(&table, "step forward backward mlp outside");
    table_close(&table);
}

static void test_tree_picture(void **state)
{
    (void)state;
    struct table table;
    OPEN(&table, &fake_tree, tree_rows);
    table_act(&table, ACTION_UNFOLD_ALL);
    struct canvas *canvas = canvas_new();
    assert_true(canvas_resize(canvas, 44, 11, NULL));
    table_draw(&table, canvas, (struct area){0, 0, 44, 11});
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    canvas_dump(canvas, file);
    fclose(file);
    assert_string_equal(text, " name             GPU  calls  TC           ›\n"
                              " ▾ step         100 ms      1 –\n"
                              " ├▾ forward    40.0 ms      1 –\n"
                              " │ ├▾ layers   30.0 ms      1 –\n"
                              " │ │ ├─ mlp    20.0 ms      1 yes\n"
                              " │ │ └─ attn   10.0 ms      1 yes\n"
                              " │ └─ head     10.0 ms      1 no\n"
                              " └▾ backward   60.0 ms      1 –\n"
                              "   └─ mlp      60.0 ms      1 yes\n"
                              "   outside     1.00 ms      1 –\n"
                              "\n");
    free(text);
    canvas_free(canvas);
    table_close(&table);
}

// Without room for the lines of all levels, the outermost ones are omitted for all rows alike, so
// that no row is drawn to the left of its parent.
static void test_deep_trees_shift_together(void **state)
{
    (void)state;
    enum { DEEP = 12 };
    struct fake_row rows[DEEP + 1];
    for (unsigned i = 0; i <= DEEP; i++)
        rows[i] = (struct fake_row){.name = i < DEEP ? "range" : "beside",
                                    .gpu = MS,
                                    .calls = 1,
                                    .depth = i < DEEP ? i : DEEP - 2,
                                    .has_children = i + 1 < DEEP,
                                    .id = i};
    struct table table;
    fake_open(&table, &fake_tree, rows, DEEP + 1);
    table_act(&table, ACTION_UNFOLD_ALL);
    struct canvas *canvas = canvas_new();
    assert_true(canvas_resize(canvas, 44, DEEP + 2, NULL));
    table_draw(&table, canvas, (struct area){0, 0, 44, DEEP + 2});
    int before = 0;
    for (size_t line = 0; line < DEEP; line++) {
        int sign = tree_sign(&table, 20, line);
        assert_true(line + 1 == DEEP ? sign < 0 : sign >= before);
        before = sign;
    }
    assert_int_equal(tree_sign(&table, 20, 3), tree_sign(&table, 20, 6)); // omitted
    assert_int_equal(tree_sign(&table, 20, DEEP - 2) - tree_sign(&table, 20, DEEP - 3), 2);
    canvas_free(canvas);
    table_close(&table);
}

// The width of a column fits a sample of the rows and those on the screen.
static void test_columns_fit_rare_values(void **state)
{
    (void)state;
    enum { ROWS = 10007, RARE = 5003 };
    struct fake_row *rows = calloc(ROWS, sizeof *rows);
    assert_non_null(rows);
    for (uint32_t i = 0; i < ROWS; i++)
        rows[i] =
            (struct fake_row){.name = "k", .id = i, .gpu = MS, .calls = i == RARE ? 7654321 : 1};
    struct table table;
    fake_open(&table, &fake_flat, rows, ROWS);
    struct canvas *canvas = canvas_new();
    assert_true(canvas_resize(canvas, 60, 8, NULL));
    for (int is_there = 0; is_there < 2; is_there++) {
        table_draw(&table, canvas, (struct area){0, 0, 60, 8});
        char *text = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);
        canvas_dump(canvas, file);
        fclose(file);
        assert_true((strstr(text, " 7,654,321 ") != NULL) == is_there);
        free(text);
        assert_true(table_go(&table, RARE));
    }
    canvas_free(canvas);
    table_close(&table);
    free(rows);
}

// With the details next to it the list is narrower, for clicks too.
static void test_clicks_with_details(void **state)
{
    (void)state;
    struct table table;
    OPEN(&table, &fake_flat, flat_rows);
    struct canvas *canvas = canvas_new();
    struct area area = {0, 0, 200, 20};
    assert_true(canvas_resize(canvas, area.width, area.height, NULL));
    table_act(&table, ACTION_DETAIL);
    canvas_clear(canvas);
    table_draw(&table, canvas, area);
    static const char *const heads[] = {"name", "GPU", "calls", "TC"};
    for (int c = 0; c < 4; c++) {
        int x = 0, length = (int)strlen(heads[c]), same = 0;
        for (; x < 110 && same < length; x++)
            same = canvas->cells[x].code == (uint32_t)heads[c][same] ? same + 1 : 0;
        assert_int_equal(same, length);
        assert_int_equal(table_click(&table, x - 1, 0, area), c);
    }
    table_close(&table);
    canvas_free(canvas);
}

static void test_every_size_is_drawn(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1}, {2, 2}, {5, 3}, {20, 5}, {40, 12}, {80, 24}, {300, 100}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int tree = 0; tree < 2; tree++) {
            for (int detail = 0; detail < 2; detail++) {
                struct table table;
                if (tree)
                    OPEN(&table, &fake_tree, tree_rows);
                else
                    OPEN(&table, &fake_flat, flat_rows);
                struct canvas *canvas = canvas_new();
                assert_true(canvas_resize(canvas, sizes[i][0], sizes[i][1], NULL));
                table.has_detail = detail;
                table_draw(&table, canvas, (struct area){0, 0, sizes[i][0], sizes[i][1]});
                for (enum action a = 0; (size_t)a < action_count; a++) {
                    table_act(&table, a);
                    table_draw(&table, canvas, (struct area){0, 0, sizes[i][0], sizes[i][1]});
                }
                canvas_free(canvas);
                table_close(&table);
            }
        }
    }
}

// For very many rows several threads filter and sort a part each.
static void test_many_rows(void **state)
{
    (void)state;
    enum { ROWS = 100003 };
    static const char *const names[] = {"gemm_a", "relu", "gemm_b"};
    struct fake_row *rows = calloc(ROWS, sizeof *rows);
    struct table table;
    size_t kept = 0, found = 0;
    for (uint32_t i = 0; i < ROWS; i++) {
        rows[i] = (struct fake_row){
            .name = names[i % 3], .id = i, .gpu = i * 7919 % ROWS / 10 * 1000, .calls = i % 5};
        kept += i % 3 != 1 && rows[i].gpu > 3000000;
        found += i % 3 == 2 && rows[i].gpu > 3000000;
    }
    fake_open(&table, &fake_flat, rows, ROWS);
    table_sort_by(&table, 0, false);
    table_sort_by(&table, 1, true);
    assert_true(table_set_filter(&table, "gemm gpu>3ms", NULL));
    assert_true(table_set_search(&table, "_b", NULL));
    assert_true(table_update(&table, NULL));
    assert_int_equal(table.kept_count, kept);
    assert_int_equal(table.shown_count, kept);
    assert_int_equal(table.match_count, found);
    for (size_t i = 1; i < table.shown_count; i++) {
        const struct fake_row *a = &rows[table.shown[i - 1]], *b = &rows[table.shown[i]];
        int names_order = strcmp(a->name, b->name);
        assert_true(a->gpu > b->gpu ||
                    (a->gpu == b->gpu && (names_order < 0 || (names_order == 0 && a < b))));
    }
    // One column after the other, both at once, then other rows.
    static const char *const filters[] = {"gpu<2ms", "calls=3", "gpu<2ms calls=3",
                                          "calls=3 gpu<2ms"};
    for (size_t f = 0; f < 2 * sizeof filters / sizeof *filters; f++) {
        const char *filter = filters[f % (sizeof filters / sizeof *filters)];
        if (f == sizeof filters / sizeof *filters) {
            for (uint32_t i = 0; i < ROWS; i++)
                rows[i].gpu = rows[ROWS - 1 - i].gpu, rows[i].calls++;
            table_set_rows(&table, &(struct rows){.items = rows, .count = ROWS});
        }
        assert_true(table_set_filter(&table, filter, NULL));
        assert_true(table_update(&table, NULL));
        kept = 0;
        for (uint32_t i = 0; i < ROWS; i++)
            kept += (!strstr(filter, "gpu") || rows[i].gpu < 2000000) &&
                    (!strstr(filter, "calls") || rows[i].calls == 3);
        assert_int_equal(table.kept_count, kept);
    }
    table_close(&table);
    free(rows);
}

// For random rows with few texts, distinct ones or none, a term keeps of many rows what it keeps of
// each text alone, in any order.
static void test_many_texts(void **state)
{
    (void)state;
    enum { ROWS = 60000, TEXTS = 6 };
    static const struct fake_row alone[TEXTS] = {{.name = "gemm_a"}, {.name = "gemm_b"},
                                                 {.name = "relu"},   {.name = "Softmax"},
                                                 {.name = "x"},      {.name = NULL}};
    static const char *const filters[] = {"gemm",        "!gemm",  "name:^re", "name=relu",
                                          "name>gemm_b", "name:-", "name=-",   "gemm name:b",
                                          "x calls>1",   "zzz"};
    char(*own)[10] = calloc(ROWS, sizeof *own);
    struct fake_row *rows = calloc(ROWS, sizeof *rows);
    struct table few, many;
    assert_true(own && rows);
    for (uint32_t i = 0; i < ROWS; i++) {
        const char *name = alone[i * 7 % TEXTS].name;
        if (name && i > ROWS / 2) // the second half has its own copy of each text
            name = strcpy(own[i], name);
        rows[i] =
            (struct fake_row){.name = name, .id = i, .gpu = i * 31 % 1000, .calls = 1 + i % 3};
    }
    OPEN(&few, &fake_flat, alone);
    fake_open(&many, &fake_flat, rows, ROWS);
    for (size_t f = 0; f < sizeof filters / sizeof *filters; f++) {
        bool by_calls = strstr(filters[f], "calls") != NULL;
        assert_true(table_set_filter(&few, by_calls ? "x" : filters[f], NULL));
        assert_true(table_set_filter(&many, filters[f], NULL));
        assert_true(table_set_search(&many, f % 2 ? "x$|gemm" : "", NULL));
        assert_true(table_update(&few, NULL));
        for (int again = 0; again < 2; again++) {
            assert_true(table_update(&many, NULL));
            size_t shown = 0, found = 0;
            for (uint32_t i = 0; i < ROWS; i++) {
                const char *name = rows[i].name;
                bool is_kept =
                    few.state[i * 7 % TEXTS] & ROW_KEPT && (!by_calls || rows[i].calls > 1);
                bool is_found =
                    is_kept && f % 2 && name && (strchr(name, 'g') || strchr(name, 'x'));
                assert_int_equal(many.state[i] & ROW_KEPT, is_kept ? ROW_KEPT : 0);
                assert_int_equal(many.state[i] & ROW_FOUND, is_found ? ROW_FOUND : 0);
                shown += is_kept;
                found += is_found;
            }
            assert_int_equal(many.shown_count, shown);
            assert_int_equal(many.match_count, found);
            for (size_t i = 1; again && i < shown; i++)
                assert_true(rows[many.shown[i - 1]].gpu <= rows[many.shown[i]].gpu);
            table_sort_by(&many, 1, false);
        }
    }
    table_close(&few);
    table_close(&many);
    free(own);
    free(rows);
}

// Columns of numbers: few distinct values, distinct in each row, all unknown, and integers mixed
// with reals.
struct number_row {
    int64_t few, own;
    double real;
    bool is_whole;
};

static struct value get_few(const void *row)
{
    return value_integer(((const struct number_row *)row)->few);
}

static struct value get_own(const void *row)
{
    return value_integer(((const struct number_row *)row)->own);
}

static struct value get_nothing(const void *row)
{
    (void)row;
    return value_none();
}

static struct value get_real(const void *row)
{
    return value_real(((const struct number_row *)row)->real);
}

static struct value get_both(const void *row)
{
    const struct number_row *r = row;
    return r->is_whole ? value_integer(r->own % 9) : value_real(r->real);
}

static struct value get_state(const void *row)
{
    return value_state(((const struct number_row *)row)->is_whole ? STATE_YES : STATE_UNKNOWN);
}

static const struct column number_columns[] = {
    {"few", "Few", "few", UNIT_NS, get_few, "Few.", COLUMN_NAME | COLUMN_SUM},
    {"own", "Own", "own", UNIT_COUNT, get_own, "Its own.", COLUMN_SUM},
    {"nothing", "Nothing", "nothing", UNIT_COUNT, get_nothing, "Unknown.", 0},
    {"real", "Real", "real", UNIT_REAL, get_real, "Not whole.", 0},
    {"both", "Both", "both", UNIT_COUNT, get_both, "Whole or not.", 0},
    {"bytes", "Bytes", "bytes", UNIT_BYTES, get_few, "Few as well.", 0},
    {"state", "State", "state", UNIT_STATE, get_state, "No number.", 0},
};
static const struct report numbers = {
    .name = "numbers",
    .row_size = sizeof(struct number_row),
    .column_count = sizeof number_columns / sizeof *number_columns,
    .columns = number_columns,
};

static void numbers_open(struct table *table, const struct number_row *rows, size_t count)
{
    assert_true(table_open(table, &numbers, NULL));
    table_set_rows(table, &(struct rows){.items = rows, .count = count});
}

// Returns a bound in the unit of the column.
static const char *number_bound(struct random *random, const struct column *column)
{
    static const char *const times[] = {"0", "1", "2ns", "5ms", "1us", "9300000ms"};
    static const char *const bytes[] = {"0", "1", "5M", "4G", "7k", "20000"};
    static const char *const counts[] = {"0", "1", "3.5", "7", "20000", "-1"};
    uint64_t at = random_below(random, 6);
    return column->unit == UNIT_NS      ? times[at]
           : column->unit == UNIT_BYTES ? bytes[at]
                                        : counts[at];
}

static void number_filter(struct random *random, char *text, size_t size)
{
    static const char *const operators[] = {"<", "<=", ">", ">=", "="};
    size_t used = 0;
    for (uint64_t terms = 1 + random_below(random, 3); terms > 0; terms--) {
        const struct column *column = &number_columns[random_below(random, 6)];
        bool is_known = random_below(random, 6) > 0;
        used += (size_t)snprintf(text + used, size - used, "%s%s%s%s ",
                                 random_below(random, 4) ? "" : "!", column->key,
                                 is_known ? operators[random_below(random, 5)] : "=",
                                 is_known ? number_bound(random, column) : "-");
    }
}

// For many rows a comparison keeps what it keeps in short tables, where each row is evaluated, and
// the sort order follows the values. Former filters and sorts do not matter.
static void test_many_numbers(void **state)
{
    (void)state;
    enum { SHORT = 10000, SHORTS = 4, ROWS = SHORT * SHORTS };
    static const int64_t few[] = {UNKNOWN, 0, -1, 1, INT64_MAX, INT64_MIN + 1, 5 * MS, -7 * MS};
    static const double reals[] = {NAN, 0, -0.0, 3.5, 7, -1e300, 1e-9, 14};
    enum { GIVEN = 5 };
    static const char *const given[GIVEN] = {"few=-", "!few=-", "nothing=-", "state=-",
                                             "own>2 few>=0 nothing=- real<9 both>1 bytes<1G"};
    struct number_row *rows = calloc(ROWS, sizeof *rows);
    struct random random = {5};
    struct table parts[SHORTS], many;
    char filter[400];
    assert_true(rows);
    for (size_t i = 0; i < ROWS; i++)
        rows[i] = (struct number_row){.few = few[random_below(&random, 8)],
                                      .own = (int64_t)(i * 7919 % ROWS),
                                      .real = reals[random_below(&random, 8)],
                                      .is_whole = random_below(&random, 2)};
    numbers_open(&many, rows, ROWS);
    for (size_t p = 0; p < SHORTS; p++)
        numbers_open(&parts[p], rows + p * SHORT, SHORT);
    int rounds = random_rounds(40) > GIVEN ? random_rounds(40) : GIVEN, telling = 0;
    for (int round = 0; round < rounds; round++) {
        if (round < GIVEN)
            snprintf(filter, sizeof filter, "%s", given[round]);
        else
            number_filter(&random, filter, sizeof filter);
        many.parts.gpu = many.parts.host = many.parts.row = round % 3 ? 1 : 7;
        assert_true(table_set_filter(&many, filter, NULL));
        for (uint64_t keys = random_below(&random, 3); keys > 0; keys--)
            table_sort_by(&many, (unsigned)random_below(&random, 7), random_below(&random, 2));
        many.stale = TABLE_STALE; // the number of parts changed too
        assert_true(table_update(&many, NULL));
        size_t kept = 0;
        for (size_t p = 0; p < SHORTS; p++) {
            parts[p].parts = many.parts;
            parts[p].stale = TABLE_STALE;
            assert_true(table_set_filter(&parts[p], filter, NULL));
            assert_true(table_update(&parts[p], NULL));
            assert_memory_equal(parts[p].state, many.state + p * SHORT, SHORT);
            kept += parts[p].kept_count;
        }
        assert_true(kept > 0 || round >= GIVEN);
        telling += kept > 0 && kept < ROWS;
        assert_int_equal(many.kept_count, kept);
        for (size_t i = 1; i < many.shown_count; i++) {
            uint32_t a = many.shown[i - 1], b = many.shown[i];
            int order = rows_order(&many, &rows[a], &rows[b]);
            assert_true(order < 0 || (order == 0 && a < b));
        }
    }
    assert_true(telling > rounds / 3);
    for (size_t p = 0; p < SHORTS; p++)
        table_close(&parts[p]);
    table_close(&many);
    free(rows);
}

// The order follows all keys, whatever the earlier sorts and filters were.
static void test_repeated_sorts(void **state)
{
    (void)state;
    enum { ROWS = 500 };
    static const char *const names[] = {"c", "a", "b", "a10", "a9"};
    struct random random = {11};
    static struct fake_row rows[ROWS];
    struct arena *arena = arena_new(0);
    struct table table;
    bool most = false;
    for (uint32_t i = 0; i < ROWS; i++)
        rows[i] = (struct fake_row){
            .name = names[random_below(&random, 5)],
            .id = i,
            .gpu = random_below(&random, 9) ? (int64_t)random_below(&random, 4) : UNKNOWN,
            .tc = (enum tristate)random_below(&random, 3),
            .calls = (int64_t)random_below(&random, 3)};
    fake_open(&table, &fake_flat, rows, ROWS);
    for (int round = 0; round < random_rounds(3000); round++) {
        unsigned column = (unsigned)random_below(&random, fake_flat.column_count);
        if (random_below(&random, 9) == 0)
            assert_true(table_set_filter(&table, (most = !most) ? "gpu<2" : "", NULL));
        else if (random_below(&random, 3))
            table_sort_by(&table, column, random_below(&random, 2));
        else if (random_below(&random, 4) && table.sort_count)
            table_sort_by(&table, table.sort[0].column, !table.sort[0].descending);
        else // another table of the same rows
            table_set_rows(&table, &table.rows);
        assert_true(table_update(&table, NULL));
        arena_reset(arena);
        const uint32_t *order =
            report_sort(&fake_flat, &table.rows, table.sort, table.sort_count, arena);
        size_t shown = 0;
        for (size_t i = 0; i < ROWS; i++)
            if (!most || (rows[order[i]].gpu != UNKNOWN && rows[order[i]].gpu < 2))
                assert_int_equal(table.shown[shown++], order[i]);
        assert_int_equal(table.shown_count, shown);
    }
    // Memory for cached sort orders does not grow with further sorts.
    size_t held = 0;
    assert_true(fake_flat.column_count > MAX_RANKED_COLUMNS);
    for (unsigned i = 0; i < 20 * fake_flat.column_count; i++) {
        table_sort_by(&table, i % (unsigned)fake_flat.column_count, false);
        assert_true(table_update(&table, NULL));
        held = i < fake_flat.column_count ? arena_bytes(table.ordered) : held;
    }
    assert_int_equal(arena_bytes(table.ordered), held);
    table_close(&table);
    arena_free(arena);
}

// Random folds, filters and sorts: the cursor is always on a visible row.
static void test_random_actions(void **state)
{
    (void)state;
    struct random random = {3};
    struct table table;
    OPEN(&table, &fake_tree, tree_rows);
    static const char *const filters[] = {"", "mlp", "gpu>20ms", "!mlp", "zzz"};
    for (int round = 0; round < random_rounds(20000); round++) {
        switch (random_below(&random, 12)) {
        case 0:
            assert_true(table_set_filter(&table, filters[random_below(&random, 5)], NULL));
            break;
        case 1:
            table_sort_by(&table, (unsigned)random_below(&random, 6), random_below(&random, 2));
            break;
        case 2:
            table_set_rows(&table,
                           &(struct rows){.items = tree_rows, .count = random_below(&random, 10)});
            break;
        default:
            table_act(&table, (enum action)random_below(&random, action_count));
        }
        assert_true(table_update(&table, NULL));
        assert_true(table.shown_count == 0 ? table_row(&table) == NULL
                                           : table.cursor < table.shown_count);
        assert_true(table.shown_count <= table.rows.count);
        assert_true(table.column >= 0 && table.column < (int)fake_tree.column_count);
    }
    table_close(&table);
}

static void test_per_step(void **state)
{
    (void)state;
    struct table table;
    OPEN(&table, &fake_flat, flat_rows);
    struct arena *arena = arena_new(0);
    table.parts = (struct sum_parts){.gpu = 10, .host = 10};
    assert_string_equal(table_cell(&table, 1, &flat_rows[0], arena), "3.00 ms");
    assert_string_equal(table_cell(&table, 2, &flat_rows[0], arena), "0.300");
    // shares are not divided
    assert_string_equal(table_cell(&table, 4, &flat_rows[0], arena), "30.0");
    table.parts = (struct sum_parts){0};
    assert_string_equal(table_cell(&table, 1, &flat_rows[3], arena), "–");
    assert_string_equal(table_cell(&table, 3, &flat_rows[3], arena), "–");
    arena_free(arena);
    table_close(&table);
}

int main(void)
{
    setlocale(LC_ALL, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_every_column_sorts_both_ways),
        cmocka_unit_test(test_random_rows_are_sorted),
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_filter_mistakes),
        cmocka_unit_test(test_keep_and_omit),
        cmocka_unit_test(test_equality_is_of_displayed_text),
        cmocka_unit_test(test_search),
        cmocka_unit_test(test_search_name),
        cmocka_unit_test(test_cursor_stays_with_its_row),
        cmocka_unit_test(test_cursor_stays_in_its_line),
        cmocka_unit_test(test_tree_folds),
        cmocka_unit_test(test_tree_sorts_siblings),
        cmocka_unit_test(test_tree_filter_keeps_ancestors),
        cmocka_unit_test(test_tree_omits_branches),
        cmocka_unit_test(test_search_looks_into_folds),
        cmocka_unit_test(test_hot_path_is_open_at_first),
        cmocka_unit_test(test_tree_picture),
        cmocka_unit_test(test_deep_trees_shift_together),
        cmocka_unit_test(test_columns_fit_rare_values),
        cmocka_unit_test(test_clicks_with_details),
        cmocka_unit_test(test_every_size_is_drawn),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_many_numbers),
        cmocka_unit_test(test_many_texts),
        cmocka_unit_test(test_repeated_sorts),
        cmocka_unit_test(test_random_actions),
        cmocka_unit_test(test_per_step),
    };
    if (!lists_use(NULL))
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
