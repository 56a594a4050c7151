// SPDX-License-Identifier: Apache-2.0
// Checks the YAML reader: values, errors with their place, linear time with many keys, and random
// documents.
#include "property.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/parse/yaml.h"

static struct arena *arena;
static struct error error;

static int open_arena(void **state)
{
    (void)state;
    arena = arena_new(0);
    error = (struct error){0};
    return arena ? 0 : -1;
}

static int close_arena(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static const struct yaml_node *parsed(const char *text)
{
    return yaml_parse(arena, "f", text, strlen(text), &error);
}

static const char sample[] = "# rules\n"
                             "name: dark\n"
                             "limits: {low: 0.5, on: yes}\n"
                             "rules:\n"
                             "  - match: gemm\n"
                             "    class: \"matrix: multiply\"\n"
                             "  - plain\n";

static void test_tree(void **state)
{
    (void)state;
    const struct yaml_node *root = parsed(sample);
    assert_non_null(root);
    assert_int_equal(root->kind, YAML_MAPPING);
    assert_int_equal(root->child_count, 3);
    assert_string_equal(root->file, "f");
    assert_null(root->key);
    assert_string_equal(yaml_get(root, "name")->text, "dark");
    const struct yaml_node *rules = yaml_get(root, "rules");
    assert_int_equal(rules->kind, YAML_SEQUENCE);
    assert_int_equal(rules->key_line, 4);
    assert_int_equal(rules->child_count, 2);
    const struct yaml_node *class = yaml_get(&rules->children[0], "class");
    assert_string_equal(class->text, "matrix: multiply");
    assert_string_equal(class->key, "class");
    assert_int_equal(class->line, 6);
    assert_int_equal(class->column, 12);
    assert_int_equal(class->key_column, 5);
    assert_string_equal(rules->children[1].text, "plain");
    assert_null(yaml_get(root, "nothing"));
    assert_null(yaml_get(rules, "match"));
    assert_null(yaml_get(NULL, "match"));
}

static void test_empty_documents(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "# only a comment\n", "---\n", "\n\n", "---\n...\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct yaml_node *root = parsed(texts[i]);
        assert_non_null(root);
        assert_int_equal(root->kind, YAML_MAPPING);
        assert_int_equal(root->child_count, 0);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message; // how the message begins
    } rows[] = {
        {"a: &x 1\n", "f:1:4: anchors"},
        {"a: *x\n", "f:1:4: aliases"},
        {"a: !!int 1\n", "f:1:4: tags"},
        {"a: ! 1\n", "f:1:4: tags"},
        {"&x [1]\n", "f:1:1: anchors"},
        {"a: !t {}\n", "f:1:4: tags"},
        {"a: 1\nb: 2\na: 3\n", "f:3:1: key \"a\" stands twice (line 1)"},
        {"a: 1\n---\nb: 2\n", "f:2:1: a second document"},
        {"[1]: 2\n", "f:1:1: a key"},
        {"? {a: b}\n: 2\n", "f:1:3: a key"},
        {"a: [1\n", "f:2:1: "},
        {"a: \"x\\0y\"\n", "f:1:4: a NUL"},
        {"a: 1\nb:\xFF\n", "f:2:3: "},
        {"a: b: c\n", "f:1:5: "},
        {"\ta: 1\n", "f:1:1: "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_null(parsed(rows[i].text));
        assert_int_equal(error.kind, ERROR_USAGE);
        char beginning[100];
        snprintf(beginning, sizeof beginning, "%.*s", (int)strlen(rows[i].message), error.message);
        assert_string_equal(beginning, rows[i].message);
    }
}

static void test_bounds(void **state)
{
    (void)state;
    char deep[60];
    for (size_t depth = 19; depth <= 22; depth++) {
        memset(deep, '[', depth);
        memset(deep + depth, ']', depth);
        const struct yaml_node *root = yaml_parse(arena, "f", deep, 2 * depth, &error);
        assert_int_equal(root != NULL, depth <= 20);
    }
    static char large[1000001];
    memset(large, ' ', sizeof large);
    assert_non_null(yaml_parse(arena, "f", large, 1000000, &error));
    assert_null(yaml_parse(arena, "f", large, 1000001, &error));
    large[0] = '[';
    for (size_t i = 1; i + 2 < sizeof large; i += 2)
        memcpy(large + i, "a,", 2);
    large[999999] = ']';
    assert_null(yaml_parse(arena, "f", large, 1000000, &error));
    assert_non_null(strstr(error.message, "too many values"));
    memset(large, '[', sizeof large);
    assert_null(yaml_parse(arena, "f", large, 1000000, &error));
    // Many distinct keys, then one twice: the search for duplicates must not be quadratic.
    size_t length = 0;
    for (unsigned i = 0; i < 90000; i++)
        length += (size_t)sprintf(large + length, "k%u:\n", i);
    assert_non_null(yaml_parse(arena, "f", large, length, &error));
    length += (size_t)sprintf(large + length, "k777: x\n");
    assert_null(yaml_parse(arena, "f", large, length, &error));
    assert_non_null(strstr(error.message, "f:90001:1: key \"k777\" stands twice (line 778)"));
}

static void test_scalars(void **state)
{
    (void)state;
    const struct yaml_node *root =
        parsed("[1, -2.5, 1e3, +4, .5, x, 0x1, nan, \"\", 1e999, true, off, TRUE, [], 1 2]");
    assert_non_null(root);
    static const double numbers[] = {1, -2.5, 1000, 4, 0.5};
    double value = 0;
    for (size_t i = 0; i < root->child_count; i++) {
        bool is_number = yaml_number(&root->children[i], &value, &error);
        assert_int_equal(is_number, i < 5);
        if (is_number)
            assert_true(value == numbers[i]);
    }
    assert_false(yaml_number(&root->children[5], &value, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    assert_string_equal(error.message, "f:1:24: a number expected, not \"x\"");
}

static void test_only(void **state)
{
    (void)state;
    const struct yaml_node *root = parsed("a: 1\nc: 2\n");
    assert_true(yaml_only(root, (const char *[]){"a", "b", "c", NULL}, &error));
    assert_false(yaml_only(root, (const char *[]){"a", "b", NULL}, &error));
    assert_string_equal(error.message, "f:2:1: unknown key \"c\" (known: a, b)");
    assert_false(yaml_only(yaml_get(root, "a"), (const char *[]){NULL}, &error));
    assert_string_equal(error.message, "f:1:4: a mapping expected");
    assert_false(yaml_fail(root, &error, "why %d", 3));
    assert_string_equal(error.message, "f:1:1: why 3");
}

static void test_files(void **state)
{
    (void)state;
    char path[] = "/tmp/test_yaml_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, sample, strlen(sample)), (ssize_t)strlen(sample));
    const struct yaml_node *root = yaml_read(arena, path, &error);
    assert_non_null(root);
    assert_string_equal(root->file, path);
    assert_int_equal(ftruncate(fd, 1000001), 0);
    assert_null(yaml_read(arena, path, &error));
    assert_non_null(strstr(error.message, "larger"));
    close(fd);
    unlink(path);
    assert_null(yaml_read(arena, path, &error));
    assert_int_equal(error.kind, ERROR_IO);
    assert_null(yaml_read(arena, "/tmp", &error));
    assert_int_equal(error.kind, ERROR_IO);
}

static bool parse_body(void *context, struct error *why)
{
    struct trial *trial = context;
    return yaml_parse(trial->arena, "f", sample, strlen(sample), why) != NULL;
}

static void test_allocation_failures(void **state)
{
    (void)state;
    assert_true(trial_allocations(parse_body, NULL) > 10);
}

// Any mixture of YAML's characters gives a tree or an error with its place.
static void test_random_documents(void **state)
{
    (void)state;
    static const char *const pieces[] = {"a",  "b: ", "- ", "\n", "\n  ", "[",  "]",   "{", "}",
                                         ", ", "'",   "\"", "#",  "1",    ": ", "|\n", "? "};
    struct random random = {9};
    for (int i = 0; i < random_rounds(20000); i++) {
        char text[60];
        random_text(&random, pieces, sizeof pieces / sizeof *pieces, text, sizeof text);
        error = (struct error){0};
        if (!parsed(text)) {
            assert_int_equal(error.kind, ERROR_USAGE);
            assert_memory_equal(error.message, "f:", 2);
        }
        if (i % 100 == 0)
            arena_reset(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_tree, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_empty_documents, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_refusals, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_bounds, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_scalars, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_only, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_files, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(test_random_documents, open_arena, close_arena),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
