// SPDX-License-Identifier: Apache-2.0
// Checks text functions: UTF-8 decoding, escaping of unsafe text, width, cutting, and formatting
// with units.
#include "property.h"

#include <locale.h>
#include <string.h>

#include "base/text/base64.h"
#include "base/text/text.h"

static struct arena *arena;

static int open_arena(void **state)
{
    (void)state;
    arena = arena_new(0);
    return arena && setlocale(LC_CTYPE, "C.UTF-8") ? 0 : -1;
}

static int close_arena(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static void test_every_code_point_reads_back(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < 0x110000; code++) {
        char bytes[4];
        uint32_t back;
        size_t size = text_encode(code, bytes);
        bool is_surrogate = code >= 0xD800 && code < 0xE000;
        assert_int_equal(text_decode(bytes, size, &back), size);
        assert_int_equal(back, is_surrogate ? 0xFFFD : code);
        if (size > 1) { // truncated, it is not a character
            assert_int_equal(text_decode(bytes, size - 1, &back), 1);
            assert_int_equal(back, 0xFFFD);
        }
    }
    char bytes[4];
    assert_int_equal(text_encode(0x110000, bytes), 3);
}

static void test_invalid_utf8(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "\x80",         "\xBF",         "\xC0\x80",         "\xC1\xBF",         "\xC3(",
        "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80",
        "\xFE",         "\xFF",         "\xE2\x82",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint32_t code;
        assert_int_equal(text_decode(texts[i], strlen(texts[i]), &code), 1);
        assert_int_equal(code, 0xFFFD);
    }
    uint32_t code;
    assert_int_equal(text_decode("", 0, &code), 0);
}

static void test_unsafe(void **state)
{
    (void)state;
    static const uint32_t unsafe[] = {0,      0x1B,    0x7F,   0x9B,     0xAD,     0x200B, 0x200E,
                                      0x2028, 0x202E,  0x2066, 0x2069,   0xFEFF,   0xFFFE, 0x1FFFF,
                                      0xFDD0, 0xE0041, 0xD800, 0x10FFFF, 0x110000, 0x61C};
    static const uint32_t safe[] = {' ',    'a',     '~',    0xA0,   0xE9,
                                    0x4E2D, 0x1F600, 0xFFFD, 0x2026, 0x301};
    for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++)
        assert_true(text_is_unsafe(unsafe[i]));
    for (size_t i = 0; i < sizeof safe / sizeof *safe; i++)
        assert_false(text_is_unsafe(safe[i]));
}

static void test_width(void **state)
{
    (void)state;
    assert_int_equal(text_width("abc"), 3);
    assert_int_equal(text_width(""), 0);
    assert_int_equal(text_width("\xE4\xB8\xAD\xE6\x96\x87"), 4); // 中文
    assert_int_equal(text_width("e\xCC\x81"), 1);                // e and a combining accent
    assert_int_equal(text_width("\xC3\xA9\xE2\x80\xA6"), 2);
}

static void test_safe(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool one_line;
        const char *wanted;
    } rows[] = {
        {"plain", true, "plain"},
        {"a\nb\tc", true, "a b c"},
        {"a\nb\tc", false, "a\nb\tc"},
        {"\x1B[31m\x07\x7F\r", true, "^[[31m^G^?^M"},
        {"\xC2\x9B", true, "<U+009B>"},
        {"\xE2\x80\xAE", true, "<U+202E>"},
        {"\xFFz\xC3", true, "\\xFFz\\xC3"},
        {"\xC3\xA9\xE4\xB8\xAD", true, "\xC3\xA9\xE4\xB8\xAD"},
        {"\xEF\xBF\xBD", true, "\xEF\xBF\xBD"},
        {"", true, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(text_safe(arena, rows[i].text, strlen(rows[i].text), rows[i].one_line),
                            rows[i].wanted);
    assert_string_equal(text_safe(arena, "a\0b", 3, true), "a^@b");
}

static void test_any_bytes_become_safe(void **state)
{
    (void)state;
    struct random random = {10};
    for (int i = 0; i < random_rounds(20000); i++) {
        char bytes[40];
        size_t length = random_below(&random, sizeof bytes);
        for (size_t k = 0; k < length; k++)
            bytes[k] = (char)random_next(&random);
        const char *safe = text_safe(arena, bytes, length, true);
        size_t safe_length = strlen(safe);
        assert_in_range(safe_length, 0, 4 * length);
        for (size_t at = 0; at < safe_length;) {
            uint32_t code;
            size_t taken = text_decode(safe + at, safe_length - at, &code);
            assert_false(text_is_unsafe(code));
            assert_false(code == 0xFFFD && taken == 1);
            at += taken;
        }
        assert_string_equal(text_safe(arena, safe, safe_length, true), safe); // idempotent
        arena_reset(arena);
    }
}

static void test_cut(void **state)
{
    (void)state;
    assert_string_equal(text_cut(arena, "abcdef", 6, false, false), "abcdef");
    assert_string_equal(text_cut(arena, "abcdef", 4, false, false), "abc\xE2\x80\xA6");
    assert_string_equal(text_cut(arena, "abcdef", 4, false, true), "abc~");
    assert_string_equal(text_cut(arena, "abcdefgh", 6, true, true), "abc~gh");
    assert_string_equal(text_cut(arena, "abcdef", 1, true, true), "~");
    assert_string_equal(text_cut(arena, "abcdef", 2, true, true), "a~");
    assert_string_equal(text_cut(arena, "abcdef", 0, true, true), "");
    assert_string_equal(text_cut(arena, "abcdef", -5, true, true), "");
    // A wide character that does not fit is dropped; an accent stays with its letter.
    assert_string_equal(text_cut(arena, "\xE4\xB8\xAD\xE6\x96\x87", 3, false, true),
                        "\xE4\xB8\xAD~");
    assert_string_equal(text_cut(arena, "a\xE4\xB8\xAD\xE6\x96\x87", 3, false, true), "a~");
    assert_string_equal(text_cut(arena, "e\xCC\x81zzz", 2, false, true), "e\xCC\x81~");
    assert_string_equal(text_cut(arena, "aaae\xCC\x81z", 4, true, true), "aa~z");
}

static void test_cut_fits(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "a", "bc", "\xC3\xA9", "\xE4\xB8\xAD", "e\xCC\x81", "\xF0\x9F\x98\x80"};
    struct random random = {11};
    for (int i = 0; i < random_rounds(20000); i++) {
        char bytes[60];
        random_text(&random, pieces, 6, bytes, sizeof bytes);
        // the text may end within a character
        const char *text = text_safe(arena, bytes, strlen(bytes), true);
        int columns = (int)random_below(&random, 30), width = text_width(text);
        bool middle = random_below(&random, 2), ascii = random_below(&random, 2);
        const char *cut = text_cut(arena, text, columns, middle, ascii);
        int cut_width = text_width(cut);
        assert_true(cut_width <= columns);
        if (width <= columns)
            assert_string_equal(cut, text);
        else // two wide characters may leave one column each
            assert_true(cut_width >= columns - 2);
        arena_reset(arena);
    }
}

static void test_natural_order(void **state)
{
    (void)state;
    static const char *const ordered[] = {
        "",           "10",     "a",       "layer",   "layer.2",  "layer.10",
        "layer.10.x", "layer2", "layer02", "layer10", "layer10b", "layer9999999999999999999999",
    };
    static const char *const same[] = {"layer02", "layer2"};
    assert_true(text_compare_natural(same[0], same[1]) < 0);
    for (size_t i = 0; i < sizeof ordered / sizeof *ordered; i++) {
        for (size_t k = 0; k < sizeof ordered / sizeof *ordered; k++) {
            if ((i == 7 && k == 8) || (i == 8 && k == 7))
                continue;
            int order = text_compare_natural(ordered[i], ordered[k]);
            assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
        }
    }
}

static int sign(int n)
{
    return (n > 0) - (n < 0);
}

static void test_natural_order_is_an_order(void **state)
{
    (void)state;
    static const char *const pieces[] = {"a", "b", "0", "1", "9", "00", ".", "\xC3\xA9"};
    struct random random = {12};
    for (int i = 0; i < random_rounds(50000); i++) {
        char t[3][7];
        for (size_t k = 0; k < 3; k++)
            random_text(&random, pieces, 8, t[k], sizeof t[k]);
        int ab = sign(text_compare_natural(t[0], t[1]));
        int bc = sign(text_compare_natural(t[1], t[2]));
        int ac = sign(text_compare_natural(t[0], t[2]));
        assert_int_equal(sign(text_compare_natural(t[1], t[0])), -ab);
        assert_int_equal(ab == 0, strcmp(t[0], t[1]) == 0);
        if (ab <= 0 && bc <= 0)
            assert_true(ac <= 0);
    }
}

static void test_number_field(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
        const char *wanted; // NULL: none
    } rows[] = {
        {"layers.12", 0, "12"},
        {"Step 17", 0, "17"},
        {"block_4", 0, "4"},
        {"microbatch 3", 0, "3"},
        {"encoder.block.14", 0, "14"},
        {"encoder.block.14.attn.2", 1, "2"},
        {"encoder.block.14", 1, NULL},
        {"ProfilerStep#5", 0, "5"},
        {"model.layers[31].mlp", 0, "31"},
        {"7", 0, "7"},
        {"conv2d", 0, NULL},
        {"conv2d_1", 0, "1"},
        {"volta_sgemm_128x64_nn", 0, NULL},
        {"layer2", 0, NULL},
        {"", 0, NULL},
        {"a:1/2-3", 2, "3"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t start, end;
        const char *text = rows[i].text;
        bool found = text_number_field(text, strlen(text), rows[i].n, &start, &end);
        assert_int_equal(found, rows[i].wanted != NULL);
        if (found)
            assert_string_equal(arena_copy(arena, text + start, end - start), rows[i].wanted);
    }
}

static bool text_body(void *context, struct error *error)
{
    (void)error;
    struct trial *trial = context;
    text_safe(trial->arena, "a\x1B", 2, true);
    text_cut(trial->arena, "abcdef", 3, true, false);
    text_cut(trial->arena, "abcdef", 30, true, false);
    text_cut(trial->arena, "abcdef", 0, true, false);
    text_fold_templates(trial->arena, "void f<int>(int)", 0);
    text_fold_templates(trial->arena, "", 0);
    return true;
}

static void test_allocation_failures(void **state)
{
    (void)state;
    assert_int_equal(trial_allocations(text_body, NULL), 7);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_arena, close_arena)

static void test_base64(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"},
                                           {"\xff\xfe\x00", "//4="}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char out[BASE64_SIZE(6)];
        assert_string_equal(base64(out, pairs[i][0], strlen(pairs[i][0])), pairs[i][1]);
    }
}

static void test_file_name(void **state)
{
    (void)state;
    assert_string_equal(text_file_name("/runs/a.sqlite", NULL), "a.sqlite");
    assert_string_equal(text_file_name("a.sqlite", NULL), "a.sqlite");
    assert_string_equal(text_file_name("", NULL), "");
    assert_string_equal(text_file_name("/runs/a.sqlite", "/runs/b.sqlite"), "a.sqlite");
    assert_string_equal(text_file_name("/old/p.sqlite", "/new/p.sqlite"), "old/p.sqlite");
    assert_string_equal(text_file_name("old/x/p.sqlite", "new/x/p.sqlite"), "old/x/p.sqlite");
    assert_string_equal(text_file_name("p.sqlite", "new/p.sqlite"), "p.sqlite");
    assert_string_equal(text_file_name("x/p.sqlite", "x/p.sqlite"), "p.sqlite");
    assert_string_equal(text_file_name("p.sqlite", "my_p.sqlite"), "p.sqlite");
    assert_string_equal(text_file_name("//p", "/x/p"), "//p");
    assert_string_equal(text_file_name(TEXT_OPEN_FILES "3", "/x/3"), "standard input");
}

// Only the screen's unit of microseconds is recognised, not every text with that ending.
static void test_units(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"", ""},
        {"us", "us"},
        {"4 us", "4 \xC2\xB5s"},
        {"48.1 us each, 3 us.", "48.1 \xC2\xB5s each, 3 \xC2\xB5s."},
        {"bus 4, 4 users, 4 us_x, 4us, tell us, x us",
         "bus 4, 4 users, 4 us_x, 4us, tell us, x us"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_string_equal(text_display_units(arena, rows[i][0], false), rows[i][1]);
        assert_string_equal(text_display_units(arena, rows[i][0], true), rows[i][0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_every_code_point_reads_back),
        TEST(test_invalid_utf8),
        TEST(test_unsafe),
        TEST(test_width),
        TEST(test_safe),
        TEST(test_any_bytes_become_safe),
        TEST(test_units),
        TEST(test_base64),
        TEST(test_cut),
        TEST(test_cut_fits),
        TEST(test_natural_order),
        TEST(test_natural_order_is_an_order),
        TEST(test_number_field),
        TEST(test_file_name),
        TEST(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
