// SPDX-License-Identifier: Apache-2.0
// Checks that the canvas lets no unsafe characters through, clips at its edges, and prints as text
// and SVG.
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "property.h"
#include "ui/term/canvas.h"
#include "ui/term/canvas_svg.h"
#include "ui/term/glyph.h"

static struct canvas *canvas_of(int width, int height, bool ascii)
{
    struct canvas *canvas = canvas_new();
    assert_non_null(canvas);
    assert_true(canvas_resize(canvas, width, height, NULL));
    canvas->ascii = ascii;
    return canvas;
}

static void assert_picture(const struct canvas *canvas, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    canvas_dump(canvas, file);
    fclose(file);
    assert_string_equal(text, expected);
    free(text);
}

static void test_text_is_clipped(void **state)
{
    (void)state;
    struct canvas *canvas = canvas_of(8, 3, false);
    assert_int_equal(canvas_text(canvas, 5, 0, STYLE_TEXT, "abcdef"), 3);
    canvas_text(canvas, -2, 1, STYLE_TEXT, "xyz");
    canvas_text(canvas, 0, -1, STYLE_TEXT, "nowhere");
    canvas_text(canvas, 0, 99, STYLE_TEXT, "nowhere");
    assert_picture(canvas, "     abc\nz\n\n");
    canvas_free(canvas);
}

static void test_unsafe_text_is_made_visible(void **state)
{
    (void)state;
    struct canvas *canvas = canvas_of(40, 1, false);
    canvas_text(canvas, 0, 0, STYLE_TEXT, "a\033[2Jb\u202ec\td\xff");
    assert_picture(canvas, "a^[[2Jb<U+202E>c d\ufffd\n");
    assert_int_equal(canvas_width("a\033[2Jb"), 7);
    canvas_put(canvas, 0, 0, STYLE_TEXT, 0x1b);
    assert_int_equal(canvas->cells[0].code, '?');
    canvas_free(canvas);
}

// For any bytes, cells hold safe code points only and rows keep their width.
static void test_random_bytes(void **state)
{
    (void)state;
    struct canvas *canvas = canvas_of(30, 4, false);
    struct random random = {7};
    for (int round = 0; round < random_rounds(5000); round++) {
        char text[64];
        size_t length = random_below(&random, sizeof text - 1);
        for (size_t i = 0; i < length; i++)
            text[i] = (char)(1 + random_below(&random, 255));
        text[length] = 0;
        canvas->ascii = round % 2;
        // Separate statements, as the order of evaluation of arguments differs between compilers.
        int x = (int)random_below(&random, 40) - 5, y = (int)random_below(&random, 6) - 1;
        int width = (int)random_below(&random, 40);
        canvas_fit(canvas, x, y, width, STYLE_TEXT, (enum fit)random_below(&random, 3), text);
        canvas_wrap(canvas, (struct area){(int)random_below(&random, 30), 0, 9, 4}, STYLE_TEXT,
                    text);
        for (int i = 0; i < 30 * 4; i++) {
            const struct cell *cell = &canvas->cells[i];
            assert_false(cell->code && text_is_unsafe(cell->code));
            assert_false(canvas->ascii && cell->code > 0x7e && round == 1);
            if (cell->code == 0) { // the right half of a wide character
                assert_true(i % 30 > 0);
                assert_int_equal(text_code_width(canvas->cells[i - 1].code), 2);
            }
        }
        if (round % 100 == 0)
            canvas_clear(canvas);
    }
    canvas_free(canvas);
}

static void test_wide_characters(void **state)
{
    (void)state;
    struct canvas *canvas = canvas_of(6, 3, false);
    canvas_text(canvas, 0, 0, STYLE_TEXT, "層層層層");
    canvas_text(canvas, 0, 1, STYLE_TEXT, "a層層層");
    canvas_text(canvas, 0, 2, STYLE_TEXT, "層層");
    canvas_text(canvas, 1, 2, STYLE_TEXT, "x"); // one half of the first character is overwritten
    assert_picture(canvas, "層層層\na層層\n x層\n");
    canvas_clear(canvas);
    canvas_text_in(canvas, -1, 0, 6, STYLE_TEXT, "層y"); // the left half is beyond the edge
    assert_picture(canvas, " y\n\n\n");
    canvas_free(canvas);
}

static void test_fit(void **state)
{
    (void)state;
    struct canvas *canvas = canvas_of(10, 4, false);
    canvas_fit(canvas, 0, 0, 8, STYLE_TEXT, FIT_RIGHT, "12 ms");
    canvas_fit(canvas, 0, 1, 8, STYLE_TEXT, FIT_LEFT, "elementwise");
    canvas_fit(canvas, 0, 2, 8, STYLE_TEXT, FIT_MIDDLE, "elementwise");
    canvas_rule(canvas, 0, 3, 10, "Hi");
    assert_picture(canvas, "   12 ms\nelement…\nelem…ise\n── Hi ────\n");
    canvas_free(canvas);
}

static void test_wrap(void **state)
{
    (void)state;
    struct canvas *canvas = canvas_of(12, 6, false);
    struct area area = {0, 0, 12, 6};
    int lines = canvas_wrap(canvas, area, STYLE_TEXT, "one two three\n  four five six\n\nend");
    assert_int_equal(lines, 6);
    assert_picture(canvas, "one two\nthree\n  four five\n  six\n\nend\n");
    canvas_clear(canvas);
    assert_int_equal(
        canvas_wrap_from(canvas, area, 3, STYLE_TEXT, "one two three\n  four five six"), 4);
    assert_picture(canvas, "  six\n\n\n\n\n\n");
    canvas_free(canvas);
}

static void test_ascii_twins(void **state)
{
    (void)state;
    struct canvas *canvas = canvas_of(24, 2, true);
    canvas_text(canvas, 0, 0, STYLE_TEXT, "├▾ a › b · 3 × µs – … ✓");
    canvas_text(canvas, 0, 1, STYLE_TEXT, "é層█▌▎|");
    assert_picture(canvas, "|v a > b . 3 x us - ~ *\n?? ## |\n");
    for (uint32_t code = 0; code < 0x30000; code++) {
        uint32_t twin = glyph_ascii(code);
        assert_true(twin < 0x7f);
    }
    canvas_free(canvas);
}

static void test_sizes(void **state)
{
    (void)state;
    struct canvas *canvas = canvas_of(0, 0, false);
    canvas_text(canvas, 0, 0, STYLE_TEXT, "x");
    assert_picture(canvas, "");
    assert_true(canvas_resize(canvas, 100000, 100000, NULL)); // size is limited
    assert_true(canvas->width <= 4096 && canvas->height <= 4096);
    assert_true(canvas_resize(canvas, -3, 2, NULL));
    canvas_fill(canvas, (struct area){-5, -5, 20, 20}, STYLE_TEXT, '#');
    canvas_free(canvas);
}

// Characters stay characters, and blocks become rectangles of the size that they depict.
static void test_picture_as_svg(void **state)
{
    (void)state;
    struct canvas *canvas = canvas_new();
    assert_true(canvas_resize(canvas, 20, 2, NULL));
    struct theme theme = {.styles[STYLE_TEXT] = {COLOUR_DEFAULT, COLOUR_DEFAULT, 0, 0, 0},
                          .styles[STYLE_BAR] = {67, COLOUR_DEFAULT, 0, 0, 0}};
    canvas_text(canvas, 1, 0, STYLE_TEXT, "a<b & \"c\"");
    for (int x = 2; x < 6; x++)
        canvas_put(canvas, x, 1, STYLE_BAR, 0x2588);
    canvas_put(canvas, 6, 1, STYLE_BAR, 0x258c);
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    canvas_svg(canvas, &theme, file);
    fclose(file);
    assert_non_null(strstr(text, ">a&lt;b &amp; \"c\"</text>"));
    assert_non_null(strstr(text, "width=\"32\" height=\"17\" fill=\"#5f87af\"/>")); // four cells
    assert_non_null(strstr(text, "width=\"4\" height=\"17\" fill=\"#5f87af\"/>"));  // half a cell
    free(text);
    canvas_free(canvas);
}

int main(void)
{
    setlocale(LC_ALL, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_picture_as_svg),
        cmocka_unit_test(test_text_is_clipped),
        cmocka_unit_test(test_unsafe_text_is_made_visible),
        cmocka_unit_test(test_random_bytes),
        cmocka_unit_test(test_wide_characters),
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_wrap),
        cmocka_unit_test(test_ascii_twins),
        cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
