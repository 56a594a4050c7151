// SPDX-License-Identifier: Apache-2.0
// Checks that the JSON writer writes valid, escaped text, compact and with line breaks.
#include "property.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse/json.h"
#include "base/parse/literal.h"
#include "base/text/text.h"

static struct bytes out;

static struct json_writer opened(bool compact)
{
    out = (struct bytes){.arena = arena_new(0)};
    struct json_writer json;
    json_open(&json, &out, compact);
    return json;
}

static const char *closed(void)
{
    static char text[4000];
    snprintf(text, sizeof text, "%.*s", (int)out.count, out.items);
    arena_free(out.arena);
    return text;
}

static void write_sample(struct json_writer *json)
{
    json_begin_object(json);
    json_key(json, "name");
    json_string(json, "a\"b");
    json_key(json, "rows");
    json_begin_array(json);
    json_integer(json, INT64_MIN);
    json_bool(json, true);
    json_null(json);
    json_begin_object(json);
    json_end(json, '}');
    json_end(json, ']');
    json_key(json, "share");
    json_real(json, 0.1);
    json_end(json, '}');
}

static void test_compact(void **state)
{
    (void)state;
    struct json_writer json = opened(true);
    write_sample(&json);
    assert_string_equal(closed(),
                        "{\"name\":\"a\\\"b\",\"rows\":[-9223372036854775808,true,null,{}],"
                        "\"share\":0.1}");
}

static void test_with_line_breaks(void **state)
{
    (void)state;
    struct json_writer json = opened(false);
    write_sample(&json);
    assert_string_equal(closed(), "{\n"
                                  "  \"name\": \"a\\\"b\",\n"
                                  "  \"rows\": [\n"
                                  "    -9223372036854775808,\n"
                                  "    true,\n"
                                  "    null,\n"
                                  "    {}\n"
                                  "  ],\n"
                                  "  \"share\": 0.1\n"
                                  "}\n");
}

static void test_strings(void **state)
{
    (void)state;
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {"", "\"\""},
        {NULL, "null"},
        {"\\ \" /", "\"\\\\ \\\" /\""},
        {"\n\t\r\x1B", "\"\\n\\t\\u000d\\u001b\""},
        {"\xC3\xA9", "\"\xC3\xA9\""},
        {"\xFF", "\"\xEF\xBF\xBD\""},
        {"\xE2\x80\xAE", "\"\\u202e\""},
        {"\xF3\xA0\x80\x81", "\"\\udb40\\udc01\""},
        {"\x7F\xC2\x9B", "\"\\u007f\\u009b\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct json_writer json = opened(true);
        json_string(&json, rows[i].text);
        assert_string_equal(closed(), rows[i].wanted);
    }
}

static void test_reals(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *wanted;
    } rows[] = {
        {0, "0"},
        {1, "1"},
        {-2.5, "-2.5"},
        {0.1, "0.1"},
        {1.0 / 3, "0.3333333333333333"},
        {1e300, "1e+300"},
        {NAN, "null"},
        {INFINITY, "null"},
        {-INFINITY, "null"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct json_writer json = opened(true);
        json_real(&json, rows[i].value);
        assert_string_equal(closed(), rows[i].wanted);
    }
    struct random random = {7};
    for (int i = 0; i < random_rounds(5000); i++) {
        uint64_t bits = random_next(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        struct json_writer json = opened(true);
        json_real(&json, value);
        const char *text = closed();
        if (isfinite(value))
            assert_true(strtod(text, NULL) == value);
    }
}

// A string made of any bytes reads back as the same text, with U+FFFD for invalid UTF-8.
static void test_any_bytes_read_back(void **state)
{
    (void)state;
    struct random random = {8};
    for (int i = 0; i < random_rounds(5000); i++) {
        char bytes[30], back[400], wanted[100];
        size_t length = random_below(&random, sizeof bytes);
        for (size_t k = 0; k < length; k++)
            bytes[k] = (char)(1 + random_below(&random, i % 2 ? 255 : 127));
        bytes[length] = '\0';
        struct json_writer json = opened(true);
        json_begin_object(&json);
        json_key(&json, bytes);
        json_string(&json, bytes);
        json_end(&json, '}');
        const char *text = closed();
        struct literal_reader reader;
        literal_open(&reader, text, strlen(text));
        assert_int_equal(literal_next(&reader), LITERAL_DICT);
        assert_int_equal(literal_next(&reader), LITERAL_KEY);
        assert_int_equal(literal_next(&reader), LITERAL_STRING);
        literal_unescape(reader.text, reader.length, back, sizeof back);
        size_t wanted_length = 0;
        for (size_t at = 0; at < length;) {
            uint32_t code;
            at += text_decode(bytes + at, length - at, &code);
            wanted_length += text_encode(code, wanted + wanted_length);
        }
        wanted[wanted_length] = '\0';
        assert_string_equal(back, wanted);
        assert_int_equal(literal_next(&reader), LITERAL_CLOSE);
        assert_int_equal(literal_next(&reader), LITERAL_END);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compact),
        cmocka_unit_test(test_with_line_breaks),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_reals),
        cmocka_unit_test(test_any_bytes_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
