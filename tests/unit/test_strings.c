// SPDX-License-Identifier: Apache-2.0
// Checks the string table against the simplest model, a list that is searched from its beginning.
#include "property.h"

#include <stdio.h>
#include <string.h>

#include "base/strings.h"

static void test_examples(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    struct strings *strings = strings_new(arena);
    assert_int_equal(strings_count(strings), 1);
    assert_string_equal(strings_text(strings, STRING_NONE), "");
    assert_int_equal(strings_intern_text(strings, NULL), STRING_NONE);
    string_id a = strings_intern(strings, "gemm kernel", 4);
    string_id b = strings_intern_text(strings, "gemm kernel");
    assert_int_equal(a, 1);
    assert_int_equal(b, 2);
    assert_int_equal(strings_intern_text(strings, "gemm"), a);
    assert_string_equal(strings_text(strings, a), "gemm");
    assert_int_equal(strings_length(strings, b), 11);
    assert_int_equal(strings_find(strings, "gemm"), a);
    assert_int_equal(strings_find(strings, "relu"), STRING_NONE);
    string_id empty = strings_intern_text(strings, "");
    assert_int_not_equal(empty, STRING_NONE);
    assert_int_equal(strings_intern(strings, NULL, 0), empty);
    assert_int_equal(strings_intern(strings, "ab\0cd", 5), strings_intern_text(strings, "ab"));
    assert_string_equal(strings_text(strings, 9999), "");
    assert_int_equal(strings_length(strings, 9999), 0);
    arena_free(arena);
}

// Compares the table with a list that is searched from its beginning.
static void test_like_a_list(void **state)
{
    (void)state;
    static char list[700][24];
    size_t known = 0;
    struct random random = {2};
    struct arena *arena = arena_new(0);
    struct strings *strings = strings_new(arena);
    for (int i = 0; i < random_rounds(20000); i++) {
        char text[24];
        int length = snprintf(text, sizeof text, "%.*s%u", (int)random_below(&random, 12),
                              "layer.block.", (unsigned)random_below(&random, 50));
        size_t at = 0;
        while (at < known && strcmp(list[at], text) != 0)
            at++;
        assert_int_equal(strings_find(strings, text), at < known ? at + 1 : STRING_NONE);
        if (at == known)
            strcpy(list[known++], text);
        assert_int_equal(strings_intern(strings, text, (size_t)length), at + 1);
    }
    assert_int_equal(strings_count(strings), known + 1);
    for (size_t i = 0; i < known; i++)
        assert_string_equal(strings_text(strings, (string_id)i + 1), list[i]);
    arena_free(arena);
}

static void test_many(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    struct strings *strings = strings_new(arena);
    char text[32];
    for (unsigned i = 0; i < 200000; i++) {
        snprintf(text, sizeof text, "name %u", i);
        assert_int_equal(strings_intern_text(strings, text), i + 1);
    }
    for (unsigned i = 0; i < 200000; i += 77) {
        snprintf(text, sizeof text, "name %u", i);
        assert_int_equal(strings_find(strings, text), i + 1);
    }
    arena_free(arena);
}

static bool intern_body(void *context, struct error *error)
{
    (void)error;
    struct trial *trial = context;
    struct strings *strings = strings_new(trial->arena);
    char text[32];
    for (unsigned i = 0; i < 600; i += 5) {
        snprintf(text, sizeof text, "name %u", i);
        strings_intern_text(strings, text);
    }
    return true;
}

static void test_allocation_failures(void **state)
{
    (void)state;
    assert_true(trial_allocations(intern_body, NULL) > 120);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_like_a_list),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
