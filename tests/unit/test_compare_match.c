// SPDX-License-Identifier: Apache-2.0
// Checks which rows of the two sides of a comparison are matched.
#include <string.h>

#include "property.h"

#include "analysis/compare/compare_match.h"

struct plant { // a row of a tree
    const char *name;
    unsigned depth;
};

static struct value plant_name(const void *row)
{
    return value_text(((const struct plant *)row)->name);
}

static unsigned plant_depth(const void *row)
{
    return ((const struct plant *)row)->depth;
}

static const struct column plant_columns[] = {
    {"name", "Name", "name", UNIT_TEXT, plant_name, "", COLUMN_NAME},
};
static const struct report plants = {
    .row_size = sizeof(struct plant),
    .column_count = 1,
    .columns = plant_columns,
    .depth = plant_depth,
};

#define PLANTS(...)                                              \
    ((struct rows){.items = (const struct plant[]){__VA_ARGS__}, \
                   .count = sizeof((const struct plant[]){__VA_ARGS__}) / sizeof(struct plant)})

// Checks the matches as text: "=a" is on both sides, "+b" is new, "-c" is gone; two spaces of
// indent per level.
static void assert_matches(struct rows a, struct rows b, const char *expected)
{
    struct arena *arena = arena_new(0);
    struct side_rows sides[SIDES] = {side_rows_build(&plants, a, arena),
                                     side_rows_build(&plants, b, arena)};
    size_t count;
    struct row_pair *pairs = match_rows(&plants, sides, &count, arena);
    const char *text = "";
    for (size_t i = 0; i < count; i++) {
        bool is_b = pairs[i].row[SIDE_B] != ROW_NONE, is_a = pairs[i].row[SIDE_A] != ROW_NONE;
        const struct plant *row =
            report_row(&plants, &sides[is_b].rows, pairs[i].row[is_b ? SIDE_B : SIDE_A]);
        text = arena_format(arena, "%s%*s%c%s\n", text, 2 * (int)row->depth, "",
                            is_a && is_b ? '='
                            : is_b       ? '+'
                                         : '-',
                            row->name);
    }
    assert_string_equal(text, expected);
    arena_free(arena);
}

static void test_match(void **state)
{
    (void)state;
    assert_matches(PLANTS({"a", 0}, {"b", 0}), PLANTS({"b", 0}, {"c", 0}), "=b\n+c\n-a\n");
    // One name at several places is several rows.
    assert_matches(PLANTS({"x", 0}, {"mm", 1}, {"y", 0}, {"mm", 1}),
                   PLANTS({"y", 0}, {"mm", 1}, {"x", 0}, {"add", 1}),
                   "=y\n  =mm\n=x\n  +add\n  -mm\n");
    // Everything below a new row is new, below a gone row gone.
    assert_matches(PLANTS({"f", 0}, {"old", 1}, {"mm", 2}, {"z", 0}),
                   PLANTS({"f", 0}, {"new", 1}, {"mm", 2}, {"z", 0}),
                   "=f\n  +new\n    +mm\n  -old\n    -mm\n=z\n");
    // Among rows with equal names the first matches the first.
    assert_matches(PLANTS({"k", 0}, {"k", 0}), PLANTS({"k", 0}, {"k", 0}, {"k", 0}),
                   "=k\n=k\n+k\n");
    assert_matches((struct rows){0}, PLANTS({"k", 0}), "+k\n");
    assert_matches(PLANTS({"k", 0}, {"l", 1}), (struct rows){0}, "-k\n  -l\n");
}

struct sized { // a row of a table, with its name, size and family
    const char *name, *size, *family;
};

static struct value sized_name(const void *row)
{
    return value_text(((const struct sized *)row)->name);
}

static struct row_match sized_match(const void *row)
{
    const struct sized *r = row;
    return (struct row_match){{r->name, r->size}};
}

static struct row_match sized_family(const void *row)
{
    const struct sized *r = row;
    return (struct row_match){{r->family, r->size}};
}

static struct row_match sized_name_match(const void *row)
{
    return (struct row_match){{((const struct sized *)row)->name}};
}

static struct row_match (*const sized_matches[])(const void *row) = {sized_family, sized_name_match,
                                                                     NULL};
static const struct column sized_columns[] = {
    {"name", "Name", "name", UNIT_TEXT, sized_name, "", COLUMN_NAME},
};
static const struct report sizes = {
    .row_size = sizeof(struct sized),
    .column_count = 1,
    .columns = sized_columns,
    .match = sized_match,
    .fallback_matches = sized_matches,
};

#define SIZES(...)                                               \
    ((struct rows){.items = (const struct sized[]){__VA_ARGS__}, \
                   .count = sizeof((const struct sized[]){__VA_ARGS__}) / sizeof(struct sized)})

// Checks the second pass as text: "a1=b1" equal, "a1~a2" matched despite a difference, "+b1" new,
// "-a1" gone.
static void assert_loose_matches(struct rows a, struct rows b, const char *expected)
{
    struct arena *arena = arena_new(0);
    struct side_rows sides[SIDES] = {side_rows_build(&sizes, a, arena),
                                     side_rows_build(&sizes, b, arena)};
    size_t count;
    struct row_pair *pairs = match_rows(&sizes, sides, &count, arena);
    const char *text = "";
    for (size_t i = 0; i < count; i++) {
        const struct sized *row[SIDES] = {NULL, NULL};
        for (int s = 0; s < SIDES; s++)
            if (pairs[i].row[s] != ROW_NONE)
                row[s] = report_row(&sizes, &sides[s].rows, pairs[i].row[s]);
        const char *before =
            row[SIDE_A] ? arena_format(arena, "%s%s", row[SIDE_A]->name, row[SIDE_A]->size) : "";
        const char *after =
            row[SIDE_B] ? arena_format(arena, "%s%s", row[SIDE_B]->name, row[SIDE_B]->size) : "";
        const char *sign = !*before ? "+" : !*after ? "-" : pairs[i].is_loose ? "~" : "=";
        if (!*after)
            text = arena_format(arena, "%s-%s ", text, before);
        else
            text = arena_format(arena, "%s%s%s%s ", text, before, sign, after);
    }
    assert_string_equal(text, expected);
    arena_free(arena);
}

static void test_loose_match(void **state)
{
    (void)state;
    // A different size matches if only one row has that name; equal rows are matched first.
    assert_loose_matches(SIZES({"a", "1", "f"}, {"b", "1", "g"}),
                         SIZES({"a", "2", "f"}, {"b", "1", "g"}), "a1~a2 b1=b1 ");
    assert_loose_matches(SIZES({"a", "1", "f"}, {"a", "2", "f"}),
                         SIZES({"a", "2", "f"}, {"a", "3", "f"}), "a2=a2 a1~a3 ");
    // Several remaining candidates are not matched.
    assert_loose_matches(SIZES({"a", "1", "f"}, {"a", "2", "f"}),
                         SIZES({"a", "3", "f"}, {"a", "4", "f"}), "+a3 +a4 -a1 -a2 ");
    assert_loose_matches(SIZES({"a", "1", "f"}), SIZES({"a", "3", "f"}, {"a", "4", "f"}),
                         "+a3 +a4 -a1 ");
    // A different name with the same family and size is preferred to a different size.
    assert_loose_matches(SIZES({"a", "1", "f"}, {"a", "2", "f"}),
                         SIZES({"z", "2", "f"}, {"a", "9", "f"}), "a2~z2 a1~a9 ");
    // Without a family there is no such match.
    assert_loose_matches(SIZES({"a", "1", NULL}), SIZES({"z", "1", NULL}), "+z1 -a1 ");
    assert_loose_matches(SIZES({"a", "1", "f"}), (struct rows){0}, "-a1 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_match),
        cmocka_unit_test(test_loose_match),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
