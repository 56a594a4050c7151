// SPDX-License-Identifier: Apache-2.0
// The scanner of JSON files: compares the tokens of valid and broken JSON with expected ones. Each
// text is read through buffers of several sizes, plain and compressed, which must give the same
// tokens. In expected tokens `{ [ )` are values that begin and end, `key=` is a key, 'a' a text, #1
// a number, <w> a word; a final `~n` counts repaired places.
#include "property.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/parse/json_scan.h"
#include "base/text/bytes.h"

static char path[] = "/tmp/test_json_scan_XXXXXX";

static void write_file(const char *mode, const char *text, size_t length)
{
    gzFile file = gzopen(path, mode);
    assert_non_null(file);
    if (length > 0)
        assert_int_equal(gzwrite(file, text, (unsigned)length), length);
    assert_int_equal(gzclose(file), Z_OK);
}

static struct json_scan *open_file(struct arena *arena)
{
    struct error error = {0};
    struct json_scan *scan = json_scan_open(path, arena, &error);
    if (!scan)
        fail_msg("%s", error.message);
    return scan;
}

static void put_token(struct bytes *out, const struct json_scan *scan, enum json_token token)
{
    static const struct {
        const char *before, *behind;
    } faces[] = {[JSON_OBJECT] = {"{", ""}, [JSON_ARRAY] = {"[", ""},   [JSON_CLOSE] = {")", ""},
                 [JSON_KEY] = {"", "="},    [JSON_STRING] = {"'", "'"}, [JSON_NUMBER] = {"#", ""},
                 [JSON_WORD] = {"<", ">"}};
    bytes_text(out, faces[token].before);
    if (token >= JSON_KEY)
        bytes_add(out, scan->text, scan->length);
    bytes_text(out, faces[token].behind);
    bytes_char(out, ' ');
}

// Returns all tokens of the file written last, in `arena`.
static char *tokens_of_file(struct arena *arena)
{
    struct bytes out = {.arena = arena};
    struct json_scan *scan = open_file(arena);
    enum json_token token;
    while ((token = json_scan_next(scan)) != JSON_END)
        put_token(&out, scan, token);
    assert_int_equal(json_scan_next(scan), JSON_END); // the end repeats
    if (scan->repair_count)
        bytes_format(&out, "~%d ", (int)scan->repair_count);
    if (scan->is_cut)
        bytes_text(&out, "cut ");
    if (scan->is_damaged)
        bytes_text(&out, "damaged ");
    if (out.count)
        out.count--;
    bytes_char(&out, '\0');
    struct error error = {0};
    assert_true(json_scan_close(scan, &error));
    return out.items;
}

static const size_t windows[] = {1, 2, 3, 7, 16, 64, 1000, 0};
enum { WINDOWS = sizeof windows / sizeof *windows };

static void check_bytes(const char *text, size_t length, const char *expected)
{
    static const char *const modes[] = {"wT", "wb"};
    for (int mode = 0; mode < 2; mode++) {
        write_file(modes[mode], text, length);
        for (int i = 0; i < WINDOWS; i++) {
            struct arena *arena = arena_new(0);
            json_scan_window(windows[i]);
            char *tokens = tokens_of_file(arena);
            if (strcmp(tokens, expected) != 0)
                fail_msg("%s\nthrough %d bytes is\n%s\nand not\n%s", text, (int)windows[i], tokens,
                         expected);
            arena_free(arena);
        }
    }
    json_scan_window(0);
}

static void check(const char *text, const char *expected)
{
    check_bytes(text, strlen(text), expected);
}

// ---- JSON --------------------------------------------------------------------------------------

static void test_values(void **state)
{
    (void)state;
    check("", "");
    check(" \n\t\r ", "");
    check("{}", "{ )");
    check("[]", "[ )");
    check("{\"a\":1,\"b\":[2,\"x\",{}],\"c\":{\"d\":null}}",
          "{ a= #1 b= [ #2 'x' { ) ) c= { d= <null> ) )");
    check(" { \"a\" :\n\ttrue , \"b\":\rfalse } ", "{ a= <true> b= <false> )");
    check("[0,-1,1.5,-0.25e-3,1E+9,17293822569102704640,1712345678901234.567]",
          "[ #0 #-1 #1.5 #-0.25e-3 #1E+9 #17293822569102704640 #1712345678901234.567 )");
    check("\"alone\"", "'alone'");
    check("{\"a\":1}\n{\"a\":2}", "{ a= #1 ) { a= #2 )");
}

static void test_escapes(void **state)
{
    (void)state;
    check("[\"a\\\"b\\\\c\\/d\\b\\f\\n\\r\\te\"]", "[ 'a\"b\\c/d\b\f\n\r\te' )");
    check("[\"\\u0041\\u00e9\\u20AC\"]", "[ 'A\xC3\xA9\xE2\x82\xAC' )");
    check("[\"\\ud83d\\ude00!\"]", "[ '\xF0\x9F\x98\x80!' )");
    check("{\"k\\\"\\u00e9y\":\"\\n\"}", "{ k\"\xC3\xA9y= '\n' )");
    // Single surrogates, and NUL, which no text can contain.
    check("[\"\\ud83dx\",\"\\ude00\",\"\\ud83d\\u0041\",\"\\u0000\"]",
          "[ '\xEF\xBF\xBDx' '\xEF\xBF\xBD' '\xEF\xBF\xBD"
          "A' '\xEF\xBF\xBD' )");
}

// ---- invalid JSON ------------------------------------------------------------------------------

static void test_broken_texts(void **state)
{
    (void)state;
    check("[\"C:\\path\\q\",\"\\\"]", "[ 'C:\\path\\q' '\"]' ~2 cut");
    check("[\"\\u12\",\"\\uZZZZ\",\"\\x\"]", "[ '\\u12' '\\uZZZZ' '\\x' ) ~3");
    check("[\"x\ty\x01\n\"]", "[ 'x\ty\x01\n' ) ~3");
    check("[\"caf\xE9 \xFF\xFE\"]", "[ 'caf\xE9 \xFF\xFE' )");
    check("\xEF\xBB\xBF[1]", "[ #1 )");
    check("[\xEF\xBB\xBF]", "[ <\xEF\xBB\xBF> ) ~1");
    check_bytes("[\"a\0b\",\0]", 9, "[ 'a");
}

static void test_quotes_within_texts(void **state)
{
    (void)state;
    check("{\"a\":\"he said \"hi\" ok\",\"b\":1}", "{ a= 'he said \"hi\" ok' b= #1 ) ~2");
    check("{\"a\":\"f(\"x\", 1)\",\"b\":1}", "{ a= 'f(\"x\", 1)' b= #1 ) ~2");
    check("[\"a\"b\",\"c\"]", "[ 'a\"b' 'c' ) ~1");
    check("{\"a\"b\":1}", "{ a\"b= #1 ) ~1");
    check("{\"a\":\"\"\"}", "{ a= '\"' ) ~1");
    check("{\"a\":\"x\\\\\"y\"}", "{ a= 'x\\\"y' ) ~1");
    // The character after a text may be far away.
    check("{\"a\":\"x\"   \n  ,\n   \"b\" : \"y\"  }", "{ a= 'x' b= 'y' )");
}

static void test_words(void **state)
{
    (void)state;
    check("{\"a\":N/A,\"b\":inf,\"c\":-inf,\"d\":nan,\"e\":Infinity,\"f\":1.2.3}",
          "{ a= <N/A> b= <inf> c= <-inf> d= <nan> e= <Infinity> f= #1.2.3 ) ~5");
    check("[-,+1,None,0x10]", "[ <-> <+1> <None> <0x10> ) ~4");
}

static void test_commas_and_colons(void **state)
{
    (void)state;
    check("[1,2,]", "[ #1 #2 ) ~1");
    check("{\"a\":1, }", "{ a= #1 ) ~1");
    check("[,1,,2]", "[ #1 #2 ) ~2");
    check("[1 2]", "[ #1 #2 ) ~1");
    check("{\"a\":1 \"b\":2}", "{ a= #1 b= #2 ) ~1");
    check("{\"a\":,\"b\":}", "{ a= <> b= <> ) ~2");
    check("{\"a\"::1}", "{ a= #1 ) ~1");
    check("[1:2]", "[ #1 #2 ) ~1");
    check("{1:2}", "{ #1 #2 ) ~1");
}

static void test_brackets(void **state)
{
    (void)state;
    // Missing at the end, as after a killed job.
    check("[{\"a\":1}", "[ { a= #1 ) cut");
    check("{\"t\":[{\"a\":1},{\"b\":\"x", "{ t= [ { a= #1 ) { b= 'x' cut");
    check("{\"t\":[{\"a\":1},{\"b", "{ t= [ { a= #1 ) { b= cut");
    check("{\"t\":[{\"a\":", "{ t= [ { a= cut");
    // Missing in the middle.
    check("{\"t\":[{\"a\":1}}", "{ t= [ { a= #1 ) ) ~1");
    check("[{\"a\":1,{\"a\":2}]", "[ { a= #1 ) { a= #2 ) ) ~1");
    check("[{\"a\":{\"b\":1,{\"a\":2}]", "[ { a= { b= #1 ) { a= #2 ) ) ~1");
    check("{\"t\":[{\"a\":1]}", "{ t= [ { a= #1 ) ) ~1");
    // One too many.
    check("[{\"a\":1}},{\"a\":2}]", "[ { a= #1 ) { a= #2 ) ) ~1");
    check("{\"t\":[{\"a\":1}},{\"a\":2}]}", "{ t= [ { a= #1 ) { a= #2 ) ) ) ~1");
    check("{\"a\":1],\"b\":2}", "{ a= #1 b= #2 ) ~1");
    check("[1]]}", "[ #1 ) ~2");
    check("[[1,2},3]", "[ [ #1 #2 #3 ) ~1 cut");
}

static void test_fragments(void **state)
{
    (void)state;
    check("{\"a\"", "{ a= cut");
    check("{{{", "{ { { ~2 cut");
    check("}", "~1");
    check(",", "~1");
    check(":", "~1");
    check("\"", "''");
    check("[\"\\", "[ '\\' ~1 cut");
    check("[\"\\u00", "[ '\\u00' ~1 cut");
}

// ---- deep and long values ----------------------------------------------------------------------

static void test_deep_values_are_skipped(void **state)
{
    (void)state;
    enum { DEPTH = MAX_JSON_DEPTH + 2000 };
    char *text = malloc(2 * DEPTH + 100), *at = text;
    assert_non_null(text);
    for (int i = 0; i < DEPTH; i++)
        *at++ = '[';
    at = stpcpy(at, "\"]\"");
    for (int i = 0; i < DEPTH; i++)
        *at++ = ']';
    write_file("wb", text, (size_t)(at - text));
    struct arena *arena = arena_new(0);
    struct json_scan *scan = open_file(arena);
    enum json_token token;
    unsigned deepest = 0, words = 0;
    while ((token = json_scan_next(scan)) != JSON_END) {
        deepest = scan->depth > deepest ? scan->depth : deepest;
        words += token == JSON_WORD && scan->length == 0;
        assert_int_not_equal(token, JSON_STRING);
    }
    assert_int_equal(deepest, MAX_JSON_DEPTH);
    assert_int_equal(words, 1);
    assert_int_equal(scan->repair_count, 1);
    assert_false(scan->is_cut);
    json_scan_close(scan, NULL);
    arena_free(arena);
    free(text);
}

static char *text_of_length(size_t length, const char *before, const char *behind, size_t *size)
{
    *size = strlen(before) + length + strlen(behind);
    char *text = malloc(*size + 1);
    assert_non_null(text);
    memcpy(text, before, strlen(before));
    memset(text + strlen(before), 'x', length);
    memcpy(text + strlen(before) + length, behind, strlen(behind));
    return text;
}

static void test_long_texts(void **state)
{
    (void)state;
    static const struct {
        size_t length;
        bool is_kept;
    } cases[] = {
        {MAX_JSON_TEXT, true}, {MAX_JSON_TEXT + 1, false}, {4 * (size_t)MAX_JSON_TEXT, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size;
        char *text = text_of_length(cases[i].length, "{\"a\":\"", "\",\"b\":1}", &size);
        write_file("wT", text, size);
        free(text);
        struct arena *arena = arena_new(0);
        struct json_scan *scan = open_file(arena);
        assert_int_equal(json_scan_next(scan), JSON_OBJECT);
        assert_int_equal(json_scan_next(scan), JSON_KEY);
        assert_int_equal(json_scan_next(scan), JSON_STRING);
        assert_int_equal(scan->length, MAX_JSON_TEXT);
        assert_int_equal(scan->repair_count, !cases[i].is_kept);
        assert_int_equal(json_scan_next(scan), JSON_KEY);
        assert_int_equal(scan->text[0], 'b');
        assert_int_equal(json_scan_next(scan), JSON_NUMBER);
        assert_int_equal(json_scan_next(scan), JSON_CLOSE);
        assert_int_equal(json_scan_bytes(scan), size);
        assert_false(scan->is_cut);
        json_scan_close(scan, NULL);
        arena_free(arena);
    }
}

static void test_long_words_are_several(void **state)
{
    (void)state;
    size_t size;
    char *text = text_of_length(300000, "[", "]", &size);
    write_file("wb", text, size);
    free(text);
    struct arena *arena = arena_new(0);
    struct json_scan *scan = open_file(arena);
    size_t length = 0;
    enum json_token token;
    while ((token = json_scan_next(scan)) != JSON_END)
        length += token == JSON_WORD ? scan->length : 0;
    assert_int_equal(length, 300000);
    assert_false(scan->is_cut);
    json_scan_close(scan, NULL);
    arena_free(arena);
}

// Blanks are skipped only once, however many quotes follow.
static void test_many_blanks(void **state)
{
    (void)state;
    size_t size;
    char *text = text_of_length(3000000, "[\"a\"", ",\"b\"]", &size);
    memset(text + 4, ' ', 3000000);
    write_file("wb", text, size);
    free(text);
    struct arena *arena = arena_new(0);
    assert_string_equal(tokens_of_file(arena), "[ 'a' 'b' )");
    arena_free(arena);
}

// A value that exceeds the limit ends the file instead of using up memory.
static void test_too_much_held(void **state)
{
    (void)state;
    gzFile file = gzopen(path, "wb1");
    assert_non_null(file);
    char *row = malloc(1 << 20);
    assert_non_null(row);
    memset(row, ' ', 1 << 20);
    gzputs(file, "[{\"a\":1,\"b\":[");
    for (int i = 0; i < 140; i++)
        gzwrite(file, row, 1 << 20);
    gzputs(file, "]}]");
    gzclose(file);
    free(row);
    struct arena *arena = arena_new((size_t)3 * MAX_JSON_HELD);
    struct json_scan *scan = open_file(arena);
    json_scan_next(scan);
    assert_int_equal(json_scan_next(scan), JSON_OBJECT);
    json_scan_hold(scan);
    while (json_scan_next(scan) != JSON_END)
        ;
    assert_true(scan->is_cut);
    assert_true(scan->is_too_large);
    json_scan_close(scan, NULL);
    arena_free(arena);
}

// ---- skipped and raw values --------------------------------------------------------------------

static void test_skip(void **state)
{
    (void)state;
    static const char text[] = "{\"a\":{\"x\":[1,{\"y\":\"\\\"}\"}]},\"b\":\"t\",\"c\":[],\"d\":7}";
    write_file("wb", text, sizeof text - 1);
    for (int i = 0; i < WINDOWS; i++) {
        struct arena *arena = arena_new(0);
        json_scan_window(windows[i]);
        struct json_scan *scan = open_file(arena);
        struct bytes keys = {.arena = arena};
        assert_int_equal(json_scan_next(scan), JSON_OBJECT);
        enum json_token token;
        while ((token = json_scan_next(scan)) == JSON_KEY) {
            bytes_add(&keys, scan->text, scan->length);
            json_scan_skip(scan, token);
        }
        assert_int_equal(token, JSON_CLOSE);
        assert_int_equal(keys.count, 4);
        assert_memory_equal(keys.items, "abcd", 4);
        assert_int_equal(json_scan_next(scan), JSON_END);
        json_scan_close(scan, NULL);
        arena_free(arena);
    }
    json_scan_window(0);
}

static void test_raw(void **state)
{
    (void)state;
    static const char text[] = "[[[8, 16], \"a\\\"\\u0041]\"],{\"x\": [ ]},\"t\\\"\",5]";
    static const char *const parts[] = {"[[8, 16], \"a\\\"\\u0041]\"]", "{\"x\": [ ]}", "t\"", "5"};
    write_file("wb", text, sizeof text - 1);
    for (int i = 0; i < WINDOWS; i++)
        for (int holds = 0; holds < 2; holds++) {
            struct arena *arena = arena_new(0);
            json_scan_window(windows[i]);
            struct json_scan *scan = open_file(arena);
            size_t at[4], length[4];
            assert_int_equal(json_scan_next(scan), JSON_ARRAY);
            if (holds)
                json_scan_hold(scan);
            for (int part = 0; part < 4; part++) {
                enum json_token token = json_scan_next(scan);
                json_scan_raw(scan, token);
                assert_int_equal(scan->length, strlen(parts[part]));
                assert_memory_equal(scan->text, parts[part], scan->length);
                at[part] = scan->offset;
                length[part] = scan->length;
            }
            for (int part = 0; holds && part < 4; part++)
                assert_memory_equal(json_scan_held(scan) + at[part], parts[part], length[part]);
            json_scan_release(scan);
            assert_int_equal(json_scan_next(scan), JSON_CLOSE);
            json_scan_close(scan, NULL);
            arena_free(arena);
        }
    json_scan_window(0);
}

// ---- files -------------------------------------------------------------------------------------

static void test_packed_file_cut(void **state)
{
    (void)state;
    enum { ROWS = 20000 };
    struct arena *arena = arena_new(0);
    struct bytes text = {.arena = arena};
    bytes_text(&text, "[");
    for (int i = 0; i < ROWS; i++)
        bytes_format(&text, "{\"i\":%d},", i * 7919);
    write_file("wb", text.items, text.count);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fclose(file);
    assert_int_equal(truncate(path, size / 2), 0);
    struct json_scan *scan = open_file(arena);
    assert_int_equal(json_scan_size(scan), size / 2);
    int numbers = 0;
    enum json_token token;
    while ((token = json_scan_next(scan)) != JSON_END)
        numbers += token == JSON_NUMBER;
    assert_in_range(numbers, ROWS / 4, ROWS - 1);
    assert_true(scan->is_cut);
    assert_true(scan->is_damaged);
    assert_int_equal(json_scan_done(scan), size / 2);
    struct error error = {0};
    assert_true(json_scan_close(scan, &error));
    arena_free(arena);
}

static void test_packed_file_damaged(void **state)
{
    (void)state;
    char *text = malloc(100000);
    assert_non_null(text);
    struct random random = {1};
    for (int i = 0; i < 100000; i++)
        text[i] = (char)('a' + random_below(&random, 26));
    write_file("wb", text, 100000);
    free(text);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, 30000, SEEK_SET);
    for (int i = 0; i < 1000; i++)
        fputc(0xFF, file);
    fclose(file);
    struct arena *arena = arena_new(0);
    struct json_scan *scan = open_file(arena);
    while (json_scan_next(scan) != JSON_END)
        ;
    assert_true(scan->is_damaged);
    json_scan_close(scan, NULL);
    arena_free(arena);
}

static void test_files_that_cannot_be_read(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    struct error error = {0};
    assert_null(json_scan_open("/nowhere/at/all.json", arena, &error));
    assert_int_equal(error.kind, ERROR_IO);
    assert_non_null(strstr(error.message, "/nowhere/at/all.json"));
    error = (struct error){0};
    struct json_scan *scan = json_scan_open("/tmp", arena, &error); // opens, but cannot be read
    assert_non_null(scan);
    assert_int_equal(json_scan_next(scan), JSON_END);
    assert_false(json_scan_close(scan, &error));
    assert_int_equal(error.kind, ERROR_IO);
    assert_non_null(strstr(error.message, "/tmp"));
    arena_free(arena);
}

static void test_head_of_file(void **state)
{
    (void)state;
    static const char text[] = "{\"traceEvents\":[]}";
    unsigned char head[4096], out[1000];
    memcpy(head, text, sizeof text);
    assert_int_equal(json_scan_head(head, sizeof text - 1, out, sizeof out), sizeof text - 1);
    assert_memory_equal(out, text, sizeof text - 1);
    assert_int_equal(json_scan_head(head, sizeof text - 1, out, 4), 4);
    assert_int_equal(json_scan_head(head, 0, out, sizeof out), 0);
    write_file("wb", text, sizeof text - 1);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(head, 1, sizeof head, file);
    fclose(file);
    assert_int_equal(json_scan_head(head, size, out, sizeof out), sizeof text - 1);
    assert_memory_equal(out, text, sizeof text - 1);
    assert_int_equal(json_scan_head(head, 2, out, sizeof out), 0);
    memset(head + 2, 0xAA, 100); // has only the header of a compressed file
    assert_int_equal(json_scan_head(head, 100, out, sizeof out), 0);
}

// ---- random input ------------------------------------------------------------------------------

static void test_any_pieces(void **state)
{
    (void)state;
    static const char *const pieces[] = {"{", "}",     "[",  "]",       "\"",  ",",
                                         ":", "\"a\"", "\\", "\\u0041", "1.5", "N/A",
                                         " ", "\n",    "x",  "\"k\":",  "},{"};
    struct random random = {7};
    for (int round = 0; round < random_rounds(3000); round++) {
        char text[120];
        random_text(&random, pieces, sizeof pieces / sizeof *pieces, text, sizeof text);
        write_file("wT", text, strlen(text));
        struct arena *arena = arena_new(0);
        json_scan_window(0);
        const char *whole = tokens_of_file(arena);
        for (int i = 0; i < 3; i++) {
            json_scan_window(windows[random_below(&random, WINDOWS)]);
            const char *parts = tokens_of_file(arena);
            if (strcmp(parts, whole) != 0)
                fail_msg("%s is\n%s\nor\n%s", text, parts, whole);
        }
        json_scan_window(0);
        arena_free(arena);
    }
}

static bool scan_body(void *context, struct error *error)
{
    struct trial *trial = context;
    json_scan_window(16);
    struct json_scan *scan = json_scan_open(path, trial->arena, error);
    json_scan_window(0);
    assert_non_null(scan);
    (void)trial->data;
    while (json_scan_next(scan) != JSON_END)
        ;
    return json_scan_close(scan, error);
}

// Opening must not leak the file.
static void test_memory_ends_while_opening(void **state)
{
    (void)state;
    write_file("wT", "[1]", 3);
    for (unsigned n = 1; n <= 4; n++) {
        struct trial trial = {arena_new(0), NULL};
        struct error error = {0};
        arena_fail_at(n);
        bool done = arena_run(trial.arena, scan_body, &trial, &error);
        arena_fail_at(0);
        arena_free(trial.arena);
        assert_true(done || error.kind == ERROR_MEMORY);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_broken_texts),
        cmocka_unit_test(test_quotes_within_texts),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_commas_and_colons),
        cmocka_unit_test(test_brackets),
        cmocka_unit_test(test_fragments),
        cmocka_unit_test(test_deep_values_are_skipped),
        cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_long_words_are_several),
        cmocka_unit_test(test_many_blanks),
        cmocka_unit_test(test_too_much_held),
        cmocka_unit_test(test_skip),
        cmocka_unit_test(test_raw),
        cmocka_unit_test(test_packed_file_cut),
        cmocka_unit_test(test_packed_file_damaged),
        cmocka_unit_test(test_files_that_cannot_be_read),
        cmocka_unit_test(test_head_of_file),
        cmocka_unit_test(test_any_pieces),
        cmocka_unit_test(test_memory_ends_while_opening),
    };
    int file = mkstemp(path);
    if (file < 0)
        return 1;
    close(file);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
