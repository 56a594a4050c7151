// SPDX-License-Identifier: Apache-2.0
// A column in four bytes a row gives back what it was given, wherever its values lie.
#include "base/narrow.h"
#include "property.h"

enum { ROWS = 200 };

static int64_t value_of(struct random *random, int64_t middle)
{
    static const int64_t extremes[] = {INT64_MIN, INT64_MAX, 0, -1, 1, INT64_MIN + 1};
    switch (random_below(random, 4)) {
    case 0:
        return extremes[random_below(random, 6)];
    case 1: // around both ends of what a cell holds
        return (int64_t)((uint64_t)middle +
                         (random_below(random, 2) ? UINT64_C(1) << 31 : -(UINT64_C(1) << 31)) +
                         random_below(random, 6) - 3);
    default:
        return (int64_t)((uint64_t)middle + random_below(random, 1000) - 500);
    }
}

static void test_gives_back_what_it_was_given(void **state)
{
    (void)state;
    struct random random = {11};
    for (int round = 0; round < random_rounds(500); round++) {
        struct arena *arena = arena_new(0);
        struct narrow narrow;
        int64_t values[ROWS], middle = value_of(&random, 0);
        bool is_set[ROWS];
        narrow_open(&narrow, arena, ROWS, middle);
        for (uint32_t i = 0; i < ROWS; i++) {
            values[i] = value_of(&random, middle);
            is_set[i] = random_below(&random, 5) > 0;
            if (is_set[i])
                narrow_set(&narrow, i, values[i]);
        }
        for (uint32_t i = 0; i < ROWS; i++)
            if (is_set[i])
                assert_int_equal(narrow_at(&narrow, i), values[i]);
        arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gives_back_what_it_was_given)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
