// SPDX-License-Identifier: Apache-2.0
// Checks search patterns: case, UTF-8, limits of matching, and equality with strstr() for plain
// texts.
#include "property.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/parallel.h"
#include "base/text/pattern.h"

static bool matches(const char *text, enum pattern_case mode, const char *subject)
{
    struct error error = {0};
    struct pattern *pattern = pattern_new(text, mode, &error);
    assert_non_null(pattern);
    bool found = pattern_match(pattern, subject, strlen(subject));
    pattern_free(pattern);
    return found;
}

static void test_case(void **state)
{
    (void)state;
    assert_true(matches("gemm", PATTERN_SMART, "volta_SGEMM_nn"));
    assert_false(matches("Gemm", PATTERN_SMART, "volta_sgemm_nn"));
    assert_true(matches("Gemm", PATTERN_IGNORE_CASE, "volta_sgemm_nn"));
    assert_false(matches("gemm", PATTERN_EXACT, "SGEMM"));
    // Letters that name a class do not count as capitals.
    assert_true(matches("\\Sgemm\\W", PATTERN_SMART, "XGEMM("));
    assert_true(matches("\\p{Lu}gemm", PATTERN_SMART, "SGEMM"));
    assert_true(matches("\xC3\xA9", PATTERN_SMART, "\xC3\x89")); // é, É
    assert_true(matches("", PATTERN_SMART, ""));
}

static void test_faults_have_a_column(void **state)
{
    (void)state;
    struct error error = {0};
    assert_null(pattern_new("ab(c", PATTERN_SMART, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_non_null(strstr(error.message, "column 5"));
    assert_non_null(strstr(error.message, "parenthesis"));
    assert_null(pattern_new("\xC3\xA9*?+*", PATTERN_SMART, &error));
    assert_non_null(strstr(error.message, "column"));
    char large[1200];
    memset(large, 'a', sizeof large);
    large[1001] = '\0';
    assert_null(pattern_new(large, PATTERN_SMART, &error));
    large[1000] = '\0';
    struct pattern *pattern = pattern_new(large, PATTERN_SMART, &error);
    assert_non_null(pattern);
    pattern_free(pattern);
    memset(large, '(', 500);
    assert_null(pattern_new(large, PATTERN_SMART, &error));
    assert_null(pattern_new("(((((a{1,999}){1,999}){1,999}){1,999})", PATTERN_SMART, &error));
    assert_null(pattern_new("a\\C", PATTERN_SMART, &error));
    assert_null(pattern_new("(", PATTERN_SMART, NULL));
    pattern_free(NULL);
}

static void test_invalid_utf8_is_bytes(void **state)
{
    (void)state;
    assert_true(matches("gemm", PATTERN_SMART, "\xFFsgemm\xC3"));
    assert_true(matches("a.b", PATTERN_SMART,
                        "a\xFF"
                        "b"));
    assert_true(matches("a.b", PATTERN_SMART,
                        "a\xC3\xA9"
                        "b")); // é is one character
    assert_true(matches("\xFF", PATTERN_EXACT, "x\xFF"));
    assert_false(matches("\xFF", PATTERN_EXACT, "\xC3\xBF")); // U+00FF is not the byte 0xFF
    struct error error = {0};
    struct pattern *pattern = pattern_new("\xC3\xA9", PATTERN_EXACT, &error);
    struct pattern_span match;
    assert_true(pattern_find(pattern, "\xC3\xA9\xC3\xA9", 4, 1, &match, NULL, 0));
    assert_int_equal(match.start, 2);
    pattern_free(pattern);
}

static void test_find_and_groups(void **state)
{
    (void)state;
    struct error error = {0};
    struct pattern *pattern = pattern_new("(\\w+)<(\\d+)(, x)?>", PATTERN_EXACT, &error);
    const char *text = "a reduce<12> b<3, x>";
    struct pattern_span match, groups[5];
    assert_true(pattern_find(pattern, text, strlen(text), 0, &match, groups, 5));
    assert_int_equal(match.start, 2);
    assert_int_equal(match.end, 12);
    assert_int_equal(groups[0].start, 2);
    assert_int_equal(groups[1].end, 11);
    assert_true(groups[2].start == SIZE_MAX && groups[2].end == SIZE_MAX);
    assert_true(groups[4].start == SIZE_MAX);
    char out[40];
    pattern_expand("$1: $2$3 $$9 $7", text, groups, 5, out, sizeof out);
    assert_string_equal(out, "reduce: 12 $9 ");
    assert_int_equal(pattern_expand("$1: $2", text, groups, 5, out, 5), 4);
    assert_string_equal(out, "redu");
    assert_int_equal(pattern_expand("$1", text, groups, 5, out, 0), 0);
    assert_true(pattern_find(pattern, text, strlen(text), match.end, &match, groups, 1));
    assert_int_equal(match.start, 13);
    assert_false(pattern_find(pattern, text, strlen(text), match.end, &match, groups, 1));
    assert_false(pattern_find(pattern, text, strlen(text), 1000, &match, groups, 1));
    pattern_free(pattern);
    pattern = pattern_new("ab\\K", PATTERN_EXACT, &error);
    assert_true(pattern_find(pattern, "ab", 2, 0, &match, NULL, 0));
    assert_true(match.start <= match.end);
    pattern_free(pattern);
}

// Matching with exponential backtracking gives up soon, on short texts and on the longest.
static void test_bounds_of_matching(void **state)
{
    (void)state;
    static const char *const evil[] = {
        "(a+)+$",    "(a|aa)+$", "(.*)(.*)(.*)(.*)(.*)x", "(a*)*b", "(?:(?:a?){50}){50}x",
        "a.*a.*a.*b"};
    size_t length = 273000;
    char *text = malloc(length);
    memset(text, 'a', length);
    text[length - 1] = '!';
    clock_t start = clock();
    for (size_t i = 0; i < sizeof evil / sizeof *evil; i++) {
        struct pattern *pattern = pattern_new(evil[i], PATTERN_SMART, NULL);
        assert_non_null(pattern);
        assert_false(pattern_match(pattern, text, length));
        assert_false(pattern_match(pattern, text + length - 100, 100));
        pattern_free(pattern);
    }
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    print_message("%.2f s for %zu patterns\n", seconds, sizeof evil / sizeof *evil);
    // even with sanitizers on slow machines; without the limit it would be years
    assert_true(seconds < 60);
    // A text that is merely long still matches.
    memcpy(text, "gemm", 4);
    memcpy(text + length - 4, "half", 4);
    struct pattern *pattern = pattern_new("gemm.*half", PATTERN_SMART, NULL);
    assert_true(pattern_match(pattern, text, length));
    pattern_free(pattern);
    free(text);
}

// A pattern without special characters matches where strstr() finds it.
static void test_like_strstr(void **state)
{
    (void)state;
    static const char *const pieces[] = {"a", "b", "ab", "_", "1"};
    struct random random = {5};
    for (int i = 0; i < random_rounds(2000); i++) {
        char needle[6], text[60];
        random_text(&random, pieces, 5, needle, sizeof needle);
        random_text(&random, pieces, 5, text, sizeof text);
        struct pattern *pattern = pattern_new(needle, PATTERN_EXACT, NULL);
        struct pattern_span match = {0, 0};
        const char *wanted = strstr(text, needle);
        bool found = pattern_find(pattern, text, strlen(text), 0, &match, NULL, 0);
        assert_int_equal(found, wanted != NULL);
        if (wanted)
            assert_int_equal(match.start, wanted - text);
        pattern_free(pattern);
    }
}

static bool right[64];

static void match_job(void *context, size_t i)
{
    const struct pattern *pattern = context;
    char text[40];
    struct pattern_span match, group;
    bool good = true;
    for (int round = 0; round < random_rounds(200); round++) {
        int length = snprintf(text, sizeof text, "%*s%zu", (int)(i % 10), "", i);
        good = good && pattern_find(pattern, text, (size_t)length, 0, &match, &group, 1) &&
               strtoul(text + group.start, NULL, 10) == i;
    }
    right[i] = good;
}

static void test_threads_share_a_pattern(void **state)
{
    (void)state;
    struct pattern *pattern = pattern_new("(\\d+)", PATTERN_SMART, NULL);
    parallel_run(4, 64, match_job, pattern);
    for (size_t i = 0; i < 64; i++)
        assert_true(right[i]);
    pattern_free(pattern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_case),
        cmocka_unit_test(test_faults_have_a_column),
        cmocka_unit_test(test_invalid_utf8_is_bytes),
        cmocka_unit_test(test_find_and_groups),
        cmocka_unit_test(test_bounds_of_matching),
        cmocka_unit_test(test_like_strstr),
        cmocka_unit_test(test_threads_share_a_pattern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
