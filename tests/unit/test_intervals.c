// SPDX-License-Identifier: Apache-2.0
// Compares queries of the interval tree with a search through all rows.
#include "property.h"

#include <string.h>

#include "base/intervals.h"

enum { MAX_ROWS = 600 };

struct rows {
    int64_t start[MAX_ROWS], end[MAX_ROWS];
    uint32_t count;
};

static int compare_starts(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// Makes mostly short intervals, some of length 0, some longer than the others together.
static void random_rows(struct rows *rows, struct random *random, uint32_t count, int64_t span)
{
    rows->count = count;
    for (uint32_t i = 0; i < count; i++)
        rows->start[i] = (int64_t)random_below(random, (size_t)span) - span / 2;
    qsort(rows->start, count, sizeof *rows->start, compare_starts);
    for (uint32_t i = 0; i < count; i++) {
        size_t kind = random_below(random, 10);
        int64_t length = kind == 0   ? 0
                         : kind == 1 ? (int64_t)random_below(random, (size_t)span * 2)
                                     : (int64_t)random_below(random, 8);
        rows->end[i] = rows->start[i] + length;
    }
}

static void check_query(const struct rows *rows, const struct intervals *tree, int64_t from,
                        int64_t to)
{
    uint32_t innermost = UINT32_MAX;
    for (uint32_t i = 0; i < rows->count; i++)
        if (rows->start[i] <= from && rows->end[i] >= to)
            innermost = i;
    assert_int_equal(intervals_innermost(tree, from, to), innermost);
}

static void same_as_brute_force(void **state)
{
    (void)state;
    struct random random = {7};
    struct arena *arena = arena_new(0);
    static struct rows rows;
    for (int round = 0; round < random_rounds(400); round++) {
        arena_reset(arena);
        uint32_t count = round < 70 ? (uint32_t)round : (uint32_t)random_below(&random, MAX_ROWS);
        int64_t span = 1 + (int64_t)random_below(&random, 2000);
        random_rows(&rows, &random, count, span);
        struct intervals tree;
        intervals_build(&tree, arena, rows.start, rows.end, rows.count);
        for (int query = 0; query < 30; query++) {
            int64_t from = (int64_t)random_below(&random, (size_t)span * 3) - span;
            int64_t to = from + (int64_t)random_below(&random, query % 2 ? 5 : (size_t)span);
            check_query(&rows, &tree, from, to);
        }
    }
    arena_free(arena);
}

static void ends_of_the_number_line(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    int64_t start[] = {INT64_MIN, 0}, end[] = {INT64_MAX, 0};
    struct intervals tree;
    intervals_build(&tree, arena, start, end, 2);
    assert_int_equal(intervals_innermost(&tree, 5, 9), 0);
    assert_int_equal(intervals_innermost(&tree, 0, 0), 1);
    intervals_build(&tree, arena, start, end, 0);
    assert_int_equal(intervals_innermost(&tree, 5, 9), UINT32_MAX);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_brute_force),
        cmocka_unit_test(ends_of_the_number_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
