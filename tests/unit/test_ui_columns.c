// SPDX-License-Identifier: Apache-2.0
// Checks column layouts of the user: order, width and hidden columns, on the screen and as a line
// of text.
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/reports/report_list.h"
#include "property.h"
#include "ui/table/table.h"
#include "ui/table/table_layout.h"
#include "ui_fake.h"

static unsigned column_of(const struct report *report, const char *key)
{
    const struct column *column = report_column(report, key);
    assert_non_null(column);
    return (unsigned)(column - report->columns);
}

static void test_moving(void **state)
{
    (void)state;
    struct column_layout layout = column_layout_of(&fake_flat); // name gpu calls tc share (secret)
    assert_false(column_layout_is_changed(&fake_flat, &layout));
    assert_false(column_layout_move(&fake_flat, &layout, 0, -1));
    assert_true(column_layout_move(&fake_flat, &layout, 1, 1));
    assert_int_equal(layout.order[1], 2);
    assert_int_equal(layout.order[2], 1);
    assert_true(column_layout_move(&fake_flat, &layout, 1, 1));
    assert_true(column_layout_move(&fake_flat, &layout, 1, 1));
    assert_false(column_layout_move(&fake_flat, &layout, 1, 1)); // only a hidden column follows
    column_layout_show(&layout, 3, false);
    assert_true(column_layout_move(&fake_flat, &layout, 4, -1)); // moves past the hidden column
    assert_int_equal(column_layout_place(&fake_flat, &layout, 4), 1);
    column_layout_move_to(&fake_flat, &layout, 5, 0);
    assert_int_equal(layout.order[0], 5);
    // Each column occurs exactly once after any operation.
    uint64_t seen = 0;
    for (unsigned i = 0; i < fake_flat.column_count; i++)
        seen |= UINT64_C(1) << layout.order[i];
    assert_int_equal(seen, (1 << fake_flat.column_count) - 1);
}

static void test_text_round_trip(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    const struct report *kernels = report_find("kernels"), *read;
    struct column_layout layout = column_layout_of(kernels), parsed;
    struct error error = {0};
    assert_null(column_layout_print(kernels, &layout, arena));
    column_layout_move_to(kernels, &layout, column_of(kernels, "calls"), 0);
    column_layout_show(&layout, column_of(kernels, "work"), false);
    column_layout_show(&layout, column_of(kernels, "full"), true);
    column_layout_set_width(&layout, column_of(kernels, "kernel"), 40);
    column_layout_set_width(&layout, column_of(kernels, "gpu_avg"),
                            1); // at least the minimum width
    const char *text = column_layout_print(kernels, &layout, arena);
    assert_non_null(strstr(text, "kernels: order=calls,kernel,work,gpu_total"));
    assert_non_null(strstr(text, " hidden=work shown=full width=kernel:40,gpu_avg:3"));
    assert_true(column_layout_parse(text, &read, &parsed, &error));
    assert_ptr_equal(read, kernels);
    assert_memory_equal(&parsed, &layout, sizeof layout);
    arena_free(arena);
}

// Lines of another version or edited by hand: unknown names are skipped, missing columns keep their
// place, and any other line has no effect.
static void test_foreign_lines(void **state)
{
    (void)state;
    const struct report *kernels = report_find("kernels"), *read = NULL;
    struct column_layout layout, first = column_layout_of(kernels);
    struct error error = {0};
    assert_true(
        column_layout_parse("kernels: order=gone,calls,calls,kernel,,", &read, &layout, &error));
    assert_int_equal(layout.order[0], column_of(kernels, "calls"));
    assert_int_equal(layout.order[1], column_of(kernels, "gpu_avg")); // comes after `calls`
    uint64_t seen = 0;
    for (unsigned i = 0; i < kernels->column_count; i++)
        seen |= UINT64_C(1) << layout.order[i];
    assert_int_equal(seen, (UINT64_C(1) << kernels->column_count) - 1);
    // The column of names cannot be hidden; widths are limited.
    assert_true(column_layout_parse("kernels: hidden=kernel,gone width=calls:99999,work:x,tc:-4",
                                    &read, &layout, &error));
    assert_int_equal(layout.hidden, first.hidden);
    assert_int_equal(layout.width[column_of(kernels, "calls")], MAX_COLUMN_WIDTH);
    assert_int_equal(layout.width[column_of(kernels, "work")], 0);
    assert_int_equal(layout.width[column_of(kernels, "tc")], 0);
    static const char *const wrong[] = {
        "", "kernels", "nosuch: order=a", "kernels: colour=red", ":", "kernels: order"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        layout = first;
        assert_false(column_layout_parse(wrong[i], &read, &layout, &error));
        assert_memory_equal(&layout, &first, sizeof first);
    }
}

// Random lines made of meaningful words never yield a column twice or one too many.
static void test_random_lines(void **state)
{
    (void)state;
    static const char *const words[] = {
        "kernels:", " ",      "order=", "hidden=", "shown=", "width=", "calls",   ",",
        ":",        "kernel", "tc",     "7",       "work",   "=",      "gpu_avg", "full"};
    struct random random = {7};
    const struct report *read = NULL;
    for (int round = 0; round < random_rounds(20000); round++) {
        char line[400] = "kernels: ";
        struct column_layout layout;
        for (size_t i = random_below(&random, 20); i > 0; i--)
            strcat(line, words[random_below(&random, sizeof words / sizeof *words)]);
        if (!column_layout_parse(line, &read, &layout, NULL))
            continue;
        uint64_t seen = 0;
        for (unsigned i = 0; i < read->column_count; i++)
            seen |= UINT64_C(1) << layout.order[i];
        assert_int_equal(seen, (UINT64_C(1) << read->column_count) - 1);
    }
}

static const struct fake_row rows[] = {{"gemm", 30000000, 3, STATE_YES, 0, false, 10},
                                       {"relu", 5000000, 9, STATE_NO, 0, false, 11}};

// Returns the first line and the header of a picture.
static char *header(struct table *table, int width)
{
    char *text = NULL;
    size_t size = 0;
    struct canvas *canvas = canvas_new();
    assert_true(canvas_resize(canvas, width, 5, NULL));
    canvas_clear(canvas);
    table_draw(table, canvas, (struct area){0, 0, width, 5});
    FILE *file = open_memstream(&text, &size);
    canvas_dump(canvas, file);
    fclose(file);
    canvas_free(canvas);
    text[strcspn(text, "\n")] = 0;
    return text;
}

static void assert_header(struct table *table, int width, const char *expected)
{
    char *text = header(table, width);
    assert_string_equal(text, expected);
    free(text);
}

static void test_on_the_screen(void **state)
{
    (void)state;
    struct table table;
    assert_true(table_open(&table, &fake_flat, NULL));
    table_set_rows(&table, &(struct rows){.items = rows, .count = 2});
    assert_header(&table, 50, " name     GPU▾ calls  TC                         ›");
    column_layout_move_to(&fake_flat, &table.columns, 3, 0);
    column_layout_set_width(&table.columns, 2, 12);
    column_layout_set_width(&table.columns, 0, 10);
    assert_header(&table, 50, " TC  name          GPU▾       calls              ›");
    // The cursor moves over the columns in their displayed order.
    table.column = 3;
    table_act(&table, ACTION_RIGHT);
    assert_int_equal(table.column, 0);
    table_act(&table, ACTION_LEFT);
    assert_int_equal(table.column, 3);
    // The selected column and the name stay visible, whatever their width.
    column_layout_set_width(&table.columns, 0, 200);
    column_layout_set_width(&table.columns, 2, 200);
    table.column = 2;
    char *text = header(&table, 50);
    assert_non_null(strstr(text, "name"));
    assert_non_null(strstr(text, "calls"));
    free(text);
    table_close(&table);
}

int main(void)
{
    setlocale(LC_ALL, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moving),        cmocka_unit_test(test_text_round_trip),
        cmocka_unit_test(test_foreign_lines), cmocka_unit_test(test_random_lines),
        cmocka_unit_test(test_on_the_screen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
