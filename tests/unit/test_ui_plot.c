// SPDX-License-Identifier: Apache-2.0
// Checks plots: axes of whole decades, lines and marks at the positions of their values, and no
// drawing outside the area for any values.
#include <locale.h>
#include <math.h>
#include <string.h>

#include "property.h"
#include "ui/widgets/plot.h"

static struct canvas *canvas_of(int width, int height, bool ascii)
{
    struct canvas *canvas = canvas_new();
    assert_true(canvas && canvas_resize(canvas, width, height, NULL));
    canvas->ascii = ascii;
    canvas_clear(canvas);
    return canvas;
}

static void test_axis(void **state)
{
    (void)state;
    static const struct {
        double values[3], low, high;
    } cases[] = {
        {{2, 30, 400}, 1, 1000},
        {{0.02, 0, -7}, 0.01, 0.1}, // values not above 0 have no place on the axis
        {{10, 10, 10}, 10, 100},
        {{1, 1000, 10}, 1, 1000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct plot_axis axis;
        assert_true(plot_axis_find(&axis, cases[i].values, 3));
        assert_true(fabs(axis.low / cases[i].low - 1) < 1e-6);
        assert_true(fabs(axis.high / cases[i].high - 1) < 1e-6);
    }
    const double none[] = {0, -1, (double)NAN, (double)INFINITY, 5e-324};
    struct plot_axis axis;
    assert_false(plot_axis_find(&axis, none, 5));
    assert_false(plot_axis_find(&axis, none, 0));
}

static const char *line_of(const struct canvas *canvas, int y)
{
    static char text[200];
    for (int x = 0; x < canvas->width; x++)
        text[x] = (char)canvas->cells[y * canvas->stride + x].code;
    text[canvas->width] = '\0';
    for (int x = canvas->width; x > 0 && text[x - 1] == ' '; x--)
        text[x - 1] = '\0';
    return text;
}

// Two decades per axis on 24 columns and 6 lines give 12 columns and 3 lines per decade.
static void test_picture(void **state)
{
    (void)state;
    struct canvas *canvas = canvas_of(30, 8, true);
    struct plot plot;
    assert_true(plot_begin(&plot, canvas, (struct area){0, 0, 30, 8}, (struct plot_axis){1, 100},
                           (struct plot_axis){0.1, 10}, "across", "up"));
    plot_line(&plot, 1, 1, 100, 1); // in the middle: the lowest dots of the third line
    plot_lines_draw(&plot, STYLE_RULE);
    plot_mark(&plot, 10, 0.1, STYLE_STRONG, 'X');
    plot_mark(&plot, 1000, 1e9, STYLE_STRONG, 'Y'); // at the edge
    plot_mark(&plot, 0, 1, STYLE_STRONG, 'Z');      // not drawn
    static const char *const picture[] = {
        "up   |                       Y",
        "     |",
        "    1|________________________",
        "     |",
        "     |",
        "  0.1|            X",
        "     `+-----------+-----------+",
        "      1           10",
    };
    for (int y = 0; y < 6; y++)
        if (y != 2 && y != 5)
            assert_string_equal(line_of(canvas, y), picture[y]);
    assert_non_null(strstr(line_of(canvas, 5), "X"));
    assert_non_null(strstr(line_of(canvas, 7), "across"));
    int column, line;
    plot_cell(&plot, 10, 1, &column, &line);
    assert_int_equal(column, 6 + 12);
    assert_int_equal(line, 2);
    canvas_free(canvas);
}

static void test_braille(void **state)
{
    (void)state;
    struct canvas *canvas = canvas_of(30, 8, false);
    struct plot plot;
    assert_true(plot_begin(&plot, canvas, (struct area){0, 0, 30, 8}, (struct plot_axis){1, 100},
                           (struct plot_axis){0.1, 10}, "", ""));
    plot_line(&plot, 1, 1, 99.999, 1); // the lowest two dots of each cell
    plot_lines_draw(&plot, STYLE_RULE);
    for (int x = 6; x < 30; x++)
        assert_int_equal(canvas->cells[2 * canvas->stride + x].code, 0x28c0);
    canvas_free(canvas);
}

static void test_too_small(void **state)
{
    (void)state;
    struct canvas *canvas = canvas_of(30, 8, false);
    struct plot plot;
    const struct plot_axis axis = {1, 10};
    assert_false(plot_begin(&plot, canvas, (struct area){0, 0, 25, 8}, axis, axis, "", ""));
    assert_false(plot_begin(&plot, canvas, (struct area){0, 0, 30, 4}, axis, axis, "", ""));
    canvas_free(canvas);
}

static void test_stays_inside(void **state)
{
    (void)state;
    struct random random = {5};
    static const double odd[] = {0, -1, 1e-300, 1e300, 1, 7.5, 1e9};
    for (int round = 0; round < random_rounds(500); round++) {
        struct canvas *canvas = canvas_of(60, 20, round % 2);
        struct area area = {3, 2, 20 + (int)random_below(&random, 34),
                            3 + (int)random_below(&random, 14)};
        double values[4];
        for (size_t i = 0; i < 4; i++)
            values[i] = odd[random_below(&random, sizeof odd / sizeof *odd)];
        struct plot_axis x, y;
        struct plot plot;
        if (plot_axis_find(&x, values, 2) && plot_axis_find(&y, values + 2, 2) &&
            plot_begin(&plot, canvas, area, x, y, "x", "y")) {
            plot_line(&plot, values[0], values[2], values[1], values[3]);
            plot_lines_draw(&plot, STYLE_RULE);
            plot_mark(&plot, values[0], values[3], STYLE_STRONG, '*');
        }
        for (int row = 0; row < canvas->height; row++)
            for (int column = 0; column < canvas->width; column++)
                if (column < area.x || column >= area.x + area.width || row < area.y ||
                    row >= area.y + area.height)
                    assert_int_equal(canvas->cells[row * canvas->stride + column].code, ' ');
        canvas_free(canvas);
    }
}

int main(void)
{
    setlocale(LC_ALL, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_axis),         cmocka_unit_test(test_picture),
        cmocka_unit_test(test_braille),      cmocka_unit_test(test_too_small),
        cmocka_unit_test(test_stays_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
