// SPDX-License-Identifier: Apache-2.0
// Checks parsing and matching of filters and of sets of steps.
#include "property.h"

#include <stdio.h>
#include <string.h>

#include "base/parse/expr.h"
#include "base/text/pattern.h"

// Returns a filter as text: "[!][column]op{text}" for each term.
static const char *filter_as_text(const char *text)
{
    static char out[2100];
    static const char *const operators[] = {"~", "=", "<", "<=", ">", ">="};
    struct arena *arena = arena_new(0);
    struct filter filter;
    struct error error = {0};
    if (!filter_parse(arena, text, &filter, &error)) {
        snprintf(out, sizeof out, "%s", error.message);
    } else {
        out[0] = '\0';
        for (size_t i = 0; i < filter.count; i++) {
            const struct filter_term *term = &filter.terms[i];
            size_t used = strlen(out);
            snprintf(out + used, sizeof out - used, "%s%s%s%s{%s}", i ? " " : "",
                     term->inverse ? "!" : "", term->column ? term->column : "",
                     operators[term->operator], term->text);
            assert_int_equal(term->pattern != NULL, term->operator== FILTER_MATCH);
        }
        filter_close(&filter);
    }
    arena_free(arena);
    return out;
}

static void test_terms(void **state)
{
    (void)state;
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {"", ""},
        {"  ", ""},
        {"gemm", "~{gemm}"},
        {"!gemm", "!~{gemm}"},
        {" gemm  relu\t", "~{gemm} ~{relu}"},
        {"gpu>1ms", "gpu>{1ms}"},
        {"gpu>=1ms n<=3 n<4 n=5 n==6", "gpu>={1ms} n<={3} n<{4} n={5} n={6}"},
        {"n!=5", "!n={5}"},
        {"!n!=5", "n={5}"},
        {"!n>5", "!n>{5}"},
        {"tc:no", "tc~{no}"},
        {"!tc:no", "!tc~{no}"},
        {"gpu.total_2:x", "gpu.total_2~{x}"},
        {"aten::mm", "~{aten::mm}"},
        {"at::native", "~{at::native}"},
        {"!at::native", "!~{at::native}"},
        {"tc:", "tc~{}"},
        {"<", "~{<}"},
        {">1ms", "~{>1ms}"},
        {"!", "~{!}"},
        {":x", "~{:x}"},
        {"2x>3", "~{2x>3}"},
        {"a-b>3", "~{a-b>3}"},
        {"\"two words\"", "~{two words}"},
        {"!\"two words\" x", "!~{two words} ~{x}"},
        {"\"!x\"", "~{!x}"},
        {"name:\"two words\"", "name~{two words}"},
        {"name=\"two words\"", "name={two words}"},
        {"\"gpu>1\"", "~{gpu>1}"},
        {"gpu\">1\"", "~{gpu>1}"},
        {"a\\ b", "~{a\\ b}"},
        {"a\\\"b", "~{a\\\"b}"},
        {"x y\\", "filter, column 3: pattern \"y\\\", column 3: \\ at end of pattern"},
        {"ab gpu>", "filter, column 8: nothing to compare \"gpu\" with"},
        {"ab \"cd", "filter, column 4: the quote is not closed"},
        {"ab=\"c d\"!e", "filter, column 9: a blank is missing after the quote"},
        {"!ab=\"c\"\"d\"e f", "filter, column 11: a blank is missing after the quote"},
        {"\xC3\xA9 ab(c", "filter, column 3: pattern \"ab(c\", column 5: "
                          "missing closing parenthesis"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(filter_as_text(rows[i].text), rows[i].wanted);
}

static void test_patterns_match(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    struct filter filter;
    assert_true(filter_parse(arena, "x name:\"a b\"", &filter, NULL));
    assert_int_equal(filter.count, 2);
    assert_true(pattern_match(filter.terms[1].pattern, "A B", 3));
    assert_false(pattern_match(filter.terms[1].pattern, "ab", 2));
    assert_string_equal(filter.terms[1].source, "name:\"a b\"");
    assert_int_equal(filter.terms[1].position, 3);
    // After an error the previous filter is unchanged.
    assert_false(filter_parse(arena, "x (", &filter, NULL));
    assert_int_equal(filter.count, 2);
    filter_close(&filter);
    assert_int_equal(filter.count, 0);
    filter_close(&filter);
    arena_free(arena);
}

static void test_filter_is_bound(void **state)
{
    (void)state;
    static char text[5000];
    for (size_t i = 0; i < 64; i++)
        strcat(text, "a ");
    assert_int_equal(strlen(filter_as_text(text)), 64 * 5 - 1);
    strcat(text, "a");
    assert_string_equal(filter_as_text(text), "filter, column 129: more than 64 terms");
    memset(text, ' ', 4001);
    text[4001] = '\0';
    assert_string_equal(filter_as_text(text), "filter, column 4001: longer than 4000 bytes");
}

static bool filter_body(void *context, struct error *error)
{
    struct trial *trial = context;
    struct filter filter;
    if (!filter_parse(trial->arena, trial->data, &filter, error))
        return false;
    filter_close(&filter);
    bool members[20] = {[3] = true, [7] = true};
    set_format(trial->arena, members, NULL, 20);
    set_format(trial->arena, members, NULL, 3);
    return true;
}

static void test_allocation_failures(void **state)
{
    (void)state;
    assert_int_equal(trial_allocations(filter_body, "gemm !relu gpu>1ms"), 9);
}

static const char *members_of(const char *text, size_t count)
{
    static char out[100];
    bool members[64] = {false};
    struct error error = {0};
    if (!set_parse(text, NULL, count, members, &error)) {
        snprintf(out, sizeof out, "%s", strstr(error.message, "column"));
        return out;
    }
    for (size_t i = 0; i < count; i++)
        out[i] = members[i] ? 'x' : '.';
    out[count] = '\0';
    return out;
}

static void test_sets(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t count;
        const char *wanted;
    } rows[] = {
        {"3", 6, "...x.."},
        {"1-3", 6, ".xxx.."},
        {"3-", 6, "...xxx"},
        {"3-,!4", 6, "...x.x"},
        {"1-4,!2-3,2", 6, ".xx.x."},
        {"!2", 6, "xx.xxx"},
        {"!2-", 6, "xx...."},
        {"all", 6, "xxxxxx"},
        {"!all", 6, "......"},
        {"!all, 2", 6, "..x..."},
        {"all,!0", 6, ".xxxxx"},
        {" 1 , 2 ", 6, ".xx..."},
        {"0", 1, "x"},
        {"all", 0, ""},
        {"6", 6, "column 1: beyond the last, which is 5"},
        {"1-99999999999999999999999", 6, "column 3: beyond the last, which is 5"},
        {"0", 0, "column 1: there are none"},
        {"", 6, "column 1: a number expected"},
        {"1,", 6, "column 3: a number expected"},
        {"-3", 6, "column 1: a number expected"},
        {"1 2", 6, "column 3: a comma expected"},
        {"allx", 6, "column 4: a comma expected"},
        {"1;2", 6, "column 2: a comma expected"},
        {"x", 6, "column 1: a number expected"},
        {"3-1", 6, "column 1: the span ends before it begins"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(members_of(rows[i].text, rows[i].count), rows[i].wanted);
    bool members[3] = {true, false, true};
    assert_false(set_parse("1,9", NULL, 3, members, NULL));
    assert_true(members[0] && !members[1] && members[2]);
}

// Step numbers start at 100, with gaps.
static void test_sets_of_numbers(void **state)
{
    (void)state;
    static const int64_t numbers[] = {100, 101, 102, 105, 106, 1000000};
    static const struct {
        const char *text, *wanted, *back;
    } rows[] = {
        {"101", ".x....", "101"},
        {"101-105", ".xxx..", "101-105"},
        {"103-", "...xxx", "105-1000000"},
        {"102-104,!102", "......", "!all"},
        {"!105-1000000", "xxx...", "100-102"},
        {"all", "xxxxxx", "all"},
        {"104", "column 1: there is no such number", NULL},
        {"103-104", "column 1: there is no such number", NULL},
        {"5", "column 1: before the first, which is 100", NULL},
        {"1000001", "column 1: beyond the last, which is 1000000", NULL},
        {"99999999999999999999", "column 1: beyond the last, which is 1000000", NULL},
        {"105-101", "column 1: the span ends before it begins", NULL},
    };
    struct arena *arena = arena_new(0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool members[6] = {false};
        char out[7] = "";
        struct error error = {0};
        if (!set_parse(rows[i].text, numbers, 6, members, &error)) {
            assert_string_equal(strstr(error.message, "column"), rows[i].wanted);
            continue;
        }
        for (size_t k = 0; k < 6; k++)
            out[k] = members[k] ? 'x' : '.';
        assert_string_equal(out, rows[i].wanted);
        assert_string_equal(set_format(arena, members, numbers, 6), rows[i].back);
    }
    arena_free(arena);
}

static void test_any_set_reads_back(void **state)
{
    (void)state;
    struct random random = {17};
    struct arena *arena = arena_new(0);
    for (int i = 0; i < random_rounds(20000); i++) {
        bool members[60], back[60];
        size_t count = random_below(&random, 60);
        size_t rate = 1 + random_below(&random, 12);
        bool member = random_below(&random, 2);
        for (size_t k = 0; k < count; k++) {
            member ^= random_below(&random, rate) == 0;
            members[k] = member;
            back[k] = random_below(&random, 2);
        }
        const char *text = set_format(arena, members, NULL, count);
        assert_true(set_parse(text, NULL, count, back, NULL));
        assert_memory_equal(members, back, count);
        arena_reset(arena);
    }
    bool members[23] = {false};
    assert_true(set_parse("3-6,8-22", NULL, 23, members, NULL));
    assert_string_equal(set_format(arena, members, NULL, 23), "3-6,8-22");
    arena_free(arena);
}

// Any mixture of characters is a filter or a reported error, and is freed without a leak.
static void test_any_filter(void **state)
{
    (void)state;
    static const char *const pieces[] = {"a",  "gpu", " ", "!", "<", ">", "=", ":",        "::",
                                         "\"", "\\",  "(", ")", "[", "*", "1", "\xC3\xA9", "\xFF"};
    struct random random = {18};
    for (int i = 0; i < random_rounds(20000); i++) {
        char text[30];
        random_text(&random, pieces, sizeof pieces / sizeof *pieces, text, sizeof text);
        filter_as_text(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terms),
        cmocka_unit_test(test_patterns_match),
        cmocka_unit_test(test_filter_is_bound),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_sets_of_numbers),
        cmocka_unit_test(test_any_set_reads_back),
        cmocka_unit_test(test_any_filter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
