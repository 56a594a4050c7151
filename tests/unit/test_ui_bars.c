// SPDX-License-Identifier: Apache-2.0
// Checks bars, which show shares in eighths of a cell, breakdowns that fill the bar exactly, and
// lists whose cursor is always visible.
#include <locale.h>
#include <string.h>

#include "property.h"
#include "ui/term/glyph.h"
#include "ui/widgets/bars.h"
#include "ui/widgets/list.h"

static struct canvas *canvas_of(int width, int height)
{
    struct canvas *canvas = canvas_new();
    assert_true(canvas && canvas_resize(canvas, width, height, NULL));
    return canvas;
}

static int eighths_drawn(const struct canvas *canvas, int width)
{
    int sum = 0;
    for (int x = 0; x < width; x++)
        for (int e = 1; e <= 8; e++)
            sum += canvas->cells[x].code == glyph_eighths_right[e] ? e : 0;
    return sum;
}

static void test_bar(void **state)
{
    (void)state;
    struct canvas *canvas = canvas_of(12, 1);
    static const struct {
        double share;
        int eighths;
    } cases[] = {{0, 0},      {-1, 0},     {1, 80},  {2, 80},   {0.5, 40},
                 {0.0001, 1}, {0.0125, 1}, {0.1, 8}, {0.99, 79}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        canvas_clear(canvas);
        bar_draw(canvas, 0, 0, 10, STYLE_BAR, cases[i].share);
        assert_int_equal(eighths_drawn(canvas, 12), cases[i].eighths);
    }
    bar_draw(canvas, 0, 0, 10, STYLE_BAR, 0.0 / 1.0 - 0.0); // NaN draws no bar
    canvas_free(canvas);
}

static void test_breakdown_fills_the_bar(void **state)
{
    (void)state;
    struct canvas *canvas = canvas_of(64, 4);
    struct random random = {11};
    const struct breakdown_scheme *schemes[] = {&breakdown_gpu, &breakdown_dlprof};
    for (int round = 0; round < random_rounds(2000); round++) {
        const struct breakdown_scheme *scheme = schemes[round % 2];
        struct breakdown breakdown = {0};
        for (size_t c = 0; c < scheme->count; c++) {
            breakdown.ns[c] = (int64_t)random_below(&random, round % 3 ? 1000 : 10);
            breakdown.window_ns += breakdown.ns[c];
        }
        canvas_clear(canvas);
        canvas->ascii = round % 5 == 0;
        int width = (int)random_below(&random, 64);
        breakdown_bar_draw(canvas, 0, 0, width, scheme, &breakdown);
        for (int x = 0; x < 64; x++)
            assert_int_equal(canvas->cells[x].code != ' ', x < width && breakdown.window_ns > 0);
        static const char *const pieces[] = {"data 1 ms", "sync 2 ms", NULL};
        struct legend legend = {scheme, &breakdown, 1, round % 2, {NULL, pieces}};
        assert_true(breakdown_legend_draw(canvas, (struct area){0, 1, width, 3}, &legend) <= 3);
    }
    canvas_free(canvas);
}

static void test_categories_differ(void **state)
{
    (void)state;
    const struct breakdown_scheme *schemes[] = {&breakdown_gpu, &breakdown_dlprof};
    for (size_t s = 0; s < 2; s++) {
        for (size_t a = 0; a < schemes[s]->count; a++) {
            for (size_t b = 0; b < a; b++) {
                assert_true(category_glyph(schemes[s], a, true) !=
                            category_glyph(schemes[s], b, true));
                assert_true(category_glyph(schemes[s], a, false) !=
                            category_glyph(schemes[s], b, false));
                assert_true(category_style(schemes[s], a) != category_style(schemes[s], b));
            }
        }
    }
}

static void test_sparkline(void **state)
{
    (void)state;
    struct canvas *canvas = canvas_of(4, 1);
    const double values[] = {0, 5, 10, 20};
    sparkline_draw(canvas, 0, 0, values, 4, 0, 10, STYLE_BAR);
    assert_int_equal(canvas->cells[0].code, glyph_eighths_up[1]);
    assert_int_equal(canvas->cells[2].code, glyph_eighths_up[8]);
    assert_int_equal(canvas->cells[3].code, glyph_eighths_up[8]);
    // equal values must not divide by zero
    sparkline_draw(canvas, 0, 0, values, 4, 5, 5, STYLE_BAR);
    canvas_free(canvas);
}

// Rounds as tables do: 8 ns over three steps are 3 ns each, not 2.
static void test_legend_rounds(void **state)
{
    (void)state;
    struct canvas *canvas = canvas_of(80, 1);
    const struct breakdown breakdown = {.window_ns = 8, .ns = {[GPU_TENSOR_CORE] = 8}};
    struct legend legend = {
        .scheme = &breakdown_gpu, .breakdown = &breakdown, .divisor = 3, .includes_zero = false};
    int lines = breakdown_legend_draw(canvas, (struct area){0, 0, 80, 1}, &legend);
    assert_int_equal(lines, 1);
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    canvas_dump(canvas, file);
    fclose(file);
    assert_non_null(strstr(text, " 3 ns 100.0%"));
    free(text);
    canvas_free(canvas);
}

// The cursor is always visible, and no line stays blank while there are rows for it.
static void test_list_top(void **state)
{
    (void)state;
    struct random random = {5};
    struct canvas *canvas = canvas_of(1, 30);
    for (int round = 0; round < random_rounds(2000); round++) {
        size_t count = 1 + random_below(&random, 40),
               cursor = random_below(&random, (uint32_t)count);
        int rows = 1 + (int)random_below(&random, 20);
        size_t top = list_top(random_below(&random, 50), cursor, rows, count);
        assert_in_range(cursor, top, top + (size_t)rows - 1);
        assert_true(top == 0 || top + (size_t)rows <= count);
        canvas_clear(canvas);
        scroll_thumb_draw(canvas, 0, 3, rows, top, count);
        for (int y = 0; y < 30; y++)
            if (canvas->cells[y].code == 0x2502)
                assert_in_range(y, 3, 3 + rows - 1);
    }
    assert_int_equal(list_top(9, 9, 4, 10), 6); // more lines than before
    assert_int_equal(list_top(0, 5, 0, 10), 5); // no lines at all
    canvas_free(canvas);
}

static void test_list_move(void **state)
{
    (void)state;
    static const struct {
        enum action action;
        size_t at, last, to;
    } rows[] = {
        {ACTION_DOWN, 3, 9, 4},      {ACTION_DOWN, 9, 9, 9},      {ACTION_UP, 3, 9, 2},
        {ACTION_UP, 0, 9, 0},        {ACTION_FIRST, 3, 9, 0},     {ACTION_LAST, 3, 9, 9},
        {ACTION_PAGE_DOWN, 3, 9, 7}, {ACTION_PAGE_DOWN, 7, 9, 9}, {ACTION_HALF_DOWN, 0, 0, 0},
        {ACTION_PAGE_UP, 7, 9, 3},   {ACTION_HALF_UP, 3, 9, 0},   {ACTION_DOWN, 12, 9, 9},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t at = rows[i].at;
        assert_true(list_move(rows[i].action, &at, rows[i].last, 4));
        assert_int_equal(at, rows[i].to);
    }
    size_t at = 3;
    assert_false(list_move(ACTION_ENTER, &at, 9, 4));
    assert_int_equal(at, 3);
}

int main(void)
{
    setlocale(LC_ALL, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bar),
        cmocka_unit_test(test_breakdown_fills_the_bar),
        cmocka_unit_test(test_categories_differ),
        cmocka_unit_test(test_legend_rounds),
        cmocka_unit_test(test_list_top),
        cmocka_unit_test(test_list_move),
        cmocka_unit_test(test_sparkline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
