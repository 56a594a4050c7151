// SPDX-License-Identifier: Apache-2.0
// Checks the reader of Python literals: kinds, values, skipping, depth, escapes, and random values.
#include "property.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/parse/literal.h"

// Returns one letter for the kind of each item that the reader finds.
static const char *kinds_of(const char *text)
{
    static const char letters[] = ".!{[()ksirbn";
    static char out[400];
    struct literal_reader reader;
    literal_open(&reader, text, strlen(text));
    size_t length = 0;
    for (;;) {
        enum literal_kind kind = literal_next(&reader);
        out[length++] = letters[kind];
        if (kind == LITERAL_END || kind == LITERAL_ERROR)
            break;
    }
    out[length] = '\0';
    return out;
}

static void test_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *text, *kinds;
    } rows[] = {
        {"", "."},
        {"  \n", "."},
        {"1", "i."},
        {"{}", "{)."},
        {"[]", "[)."},
        {"()", "()."},
        {"(1,)", "(i)."},
        {"[1, 2.5, 'x',]", "[irs)."},
        {"{'op': \"conv2d\", 'args': [{'shape': (64, 3), 'dtype': 'float32'}]}",
         "{ksk[{k(ii)ks)))."},
        {"{\"a\": true, \"b\": null, \"c\": [NaN, -Infinity, -1e-3]}", "{kbknk[rrr))."},
        {"{'a': True, 'b': None, 'c': (nan, inf, -inf)}", "{kbknk(rrr))."},
        {"{1: 2, None: u'x'}", "{kiks)."},
        {"10L", "i."},
        {".5", "r."},
        {"5.", "r."},
        {"+7", "i."},
        {"'it\\'s'", "s."},
        {"'a' 'b'", "s!"},
        {"[1 2]", "[i!"},
        {"[,]", "[!"},
        {"[1,,2]", "[i!"},
        {"{1}", "{!"},
        {"{'a': }", "{k!"},
        {"{'a' 1}", "{!"},
        {"[1)", "[i!"},
        {"]", "!"},
        {"{[1]: 2}", "{!"},
        {"'open", "!"},
        {"'open\\'", "!"},
        {"[1", "[i!"},
        {"{'a':", "{k!"},
        {"nope", "!"},
        {"conv1", "!"},
        {"1.2.3", "!"},
        {"1e", "!"},
        {"0x10", "!"},
        {"-", "!"},
        {"__import__('os')", "!"},
        {"1 + 1", "i!"},
        {"{'a': 1}, seq = 5", "{ki)!"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(kinds_of(rows[i].text), rows[i].kinds);
}

static void test_values(void **state)
{
    (void)state;
    const char *text = "{'op': 'conv', 'n': -42, 'x': 99999999999999999999, 'r': 2.5e3, 'b': True}"
                       ", seq = 7";
    struct literal_reader reader;
    literal_open(&reader, text, strlen(text));
    assert_int_equal(literal_next(&reader), LITERAL_DICT);
    assert_int_equal(literal_next(&reader), LITERAL_KEY);
    assert_true(literal_is(&reader, "op"));
    assert_false(literal_is(&reader, "o"));
    assert_int_equal(literal_next(&reader), LITERAL_STRING);
    assert_true(literal_is(&reader, "conv"));
    literal_next(&reader);
    assert_int_equal(literal_next(&reader), LITERAL_INTEGER);
    assert_int_equal(reader.integer, -42);
    assert_true(reader.real == -42);
    assert_true(literal_is(&reader, "-42"));
    literal_next(&reader);
    assert_int_equal(literal_next(&reader), LITERAL_INTEGER);
    assert_true(reader.integer == INT64_MAX);
    literal_next(&reader);
    assert_int_equal(literal_next(&reader), LITERAL_REAL);
    assert_true(reader.real == 2500);
    literal_next(&reader);
    assert_int_equal(literal_next(&reader), LITERAL_BOOL);
    assert_int_equal(reader.integer, 1);
    assert_int_equal(literal_next(&reader), LITERAL_CLOSE);
    assert_int_equal(reader.depth, 0);
    assert_string_equal(text + reader.offset, ", seq = 7");
    assert_int_equal(literal_next(&reader), LITERAL_ERROR);
    assert_int_equal(literal_next(&reader), LITERAL_ERROR);
}

static void test_skip(void **state)
{
    (void)state;
    const char *text = "{'a': [1, {'b': (2, [3])}], 'c': 4, 'd': {}, 'e': 'x'}";
    struct literal_reader reader;
    literal_open(&reader, text, strlen(text));
    enum literal_kind kind = literal_next(&reader);
    size_t keys = 0;
    while ((kind = literal_next(&reader)) == LITERAL_KEY) {
        keys++;
        assert_true(keys % 2 ? literal_skip(&reader, kind)
                             : literal_skip(&reader, literal_next(&reader)));
    }
    assert_int_equal(keys, 4);
    assert_int_equal(kind, LITERAL_CLOSE);
    assert_false(literal_skip(&reader, kind));
    literal_open(&reader, text, strlen(text));
    assert_true(literal_skip(&reader, literal_next(&reader)));
    assert_int_equal(literal_next(&reader), LITERAL_END);
    literal_open(&reader, text, 12);
    assert_false(literal_skip(&reader, literal_next(&reader)));
}

static void test_depth_is_bound(void **state)
{
    (void)state;
    char text[400];
    for (int depth = LITERAL_DEPTH - 1; depth <= LITERAL_DEPTH + 1; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        struct literal_reader reader;
        literal_open(&reader, text, 2 * (size_t)depth);
        assert_int_equal(literal_skip(&reader, literal_next(&reader)), depth <= LITERAL_DEPTH);
    }
    memset(text, '9', sizeof text);
    struct literal_reader reader;
    literal_open(&reader, text, 300);
    assert_int_equal(literal_next(&reader), LITERAL_INTEGER);
    assert_true(reader.integer == INT64_MAX);
}

static void test_unescape(void **state)
{
    (void)state;
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {"plain", "plain"},
        {"a\\nb\\t\\'\\\"\\\\", "a\nb\t'\"\\"},
        {"\\x41\\u00e9\\U0001F600", "A\xC3\xA9\xF0\x9F\x98\x80"},
        {"\\ud83d\\ude00", "\xF0\x9F\x98\x80"},
        {"\\ud83d!", "\xEF\xBF\xBD!"},
        {"\\q\\x4", "\\q\\x4"},
        {"\\", "\\"},
    };
    char out[40];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t length = literal_unescape(rows[i].text, strlen(rows[i].text), out, sizeof out);
        assert_string_equal(out, rows[i].wanted);
        assert_int_equal(length, strlen(rows[i].wanted));
    }
    assert_int_equal(literal_unescape("abc", 3, out, 3), 2);
    assert_int_equal(literal_unescape("a\\u00e9", 7, out, 3), 1); // no half character
    assert_int_equal(literal_unescape("abc", 3, out, 0), 0);
}

// Writes a random value, and the kinds that reading it must give.
static void write_value(struct random *random, int depth, char *text, char *kinds)
{
    size_t choice = random_below(random, depth ? 8 : 5);
    if (choice < 5) {
        static const char *const values[] = {"1", "-2.5", "'a\\'b'", "None", "False"};
        strcat(text, values[choice]);
        strcat(kinds, (const char *[]){"i", "r", "s", "n", "b"}[choice]);
        return;
    }
    const char *opens = (const char *[]){"{", "[", "("}[choice - 5];
    const char *closes = (const char *[]){"}", "]", ")"}[choice - 5];
    strcat(text, opens);
    strcat(kinds, opens);
    for (size_t i = random_below(random, 4); i > 0; i--) {
        if (choice == 5) {
            strcat(text, random_below(random, 2) ? "\"k\": " : "'k' :");
            strcat(kinds, "k");
        }
        write_value(random, depth - 1, text, kinds);
        strcat(text, random_below(random, 2) ? ", " : ",");
    }
    strcat(text, closes);
    strcat(kinds, ")");
}

static void test_random_values(void **state)
{
    (void)state;
    struct random random = {6};
    for (int i = 0; i < random_rounds(3000); i++) {
        char text[4000] = "", kinds[400] = "";
        write_value(&random, 3, text, kinds);
        strcat(kinds, ".");
        assert_string_equal(kinds_of(text), kinds);
        // Cut anywhere, it is an error or a shorter value, never a read past the end.
        struct literal_reader reader;
        literal_open(&reader, text, random_below(&random, strlen(text)));
        enum literal_kind kind;
        do {
            kind = literal_next(&reader);
        } while (kind != LITERAL_END && kind != LITERAL_ERROR);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),    cmocka_unit_test(test_values),
        cmocka_unit_test(test_skip),     cmocka_unit_test(test_depth_is_bound),
        cmocka_unit_test(test_unescape), cmocka_unit_test(test_random_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
