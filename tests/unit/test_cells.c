// SPDX-License-Identifier: Apache-2.0
// Compares sums of figures by group and step, for any set of steps and any number of threads, with
// adding the figures one by one.
#include <string.h>

#include "property.h"

#include "analysis/report/partial_sums.h"

enum { LINES = 900, GROUPS = 200, SUMS = 2, COLUMNS = SUMS + 2 };

// Mostly small values, sometimes wider than 32 bits or negative; the second column is constant.
static int64_t figure_at(uint32_t line, uint32_t group, uint32_t column)
{
    if (column == 1)
        return 3;
    struct random random = {(uint64_t)line * GROUPS + group};
    int64_t figure = (int64_t)random_below(&random, 100000);
    return random_below(&random, 5000) ? figure : (figure - 50000) * (INT64_C(1) << 32);
}

// Two thirds of the lines have all groups, the others only the first few.
static uint32_t groups_of(uint32_t line)
{
    return line % 3 ? GROUPS : 7 + line % 2;
}

static void test_cells(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    struct partial_sums partial = {.groups = GROUPS,
                                   .columns = COLUMNS,
                                   .sums = SUMS,
                                   .minimum_count = 1,
                                   .step_count = LINES + 1};
    struct partial_sums_builder builder = partial_sums_begin(&partial, arena, arena);
    for (uint32_t l = 0; l <= LINES; l++) {
        for (uint32_t g = 0; g < groups_of(l); g++)
            for (uint32_t c = 0; c < COLUMNS; c++)
                partial_sums_add(&builder, g, c, figure_at(l, g, c));
        partial_sums_step(&builder, l);
    }
    partial_sums_end(&builder);
    struct split split = {.count = LINES};
    struct selection selection = selection_all(&split);
    struct random random = {1};
    for (int round = 0; round < 6; round++) {
        bool members[LINES];
        int64_t wanted[GROUPS * COLUMNS], sums[GROUPS * COLUMNS];
        for (uint32_t l = 0; l < LINES; l++)
            members[l] = random_below(&random, 5) >= (size_t)round; // the last round selects none
        selection.iterations = round ? members : NULL;
        for (uint32_t g = 0; g < GROUPS; g++) {
            int64_t *group_wanted = &wanted[g * COLUMNS];
            memcpy(group_wanted, (int64_t[COLUMNS]){0, 0, INT64_MAX, INT64_MIN},
                   COLUMNS * sizeof *group_wanted);
            for (uint32_t l = 0; l <= LINES; l++) {
                if (g >= groups_of(l) || (round && (l == LINES || !members[l])))
                    continue;
                for (uint32_t c = 0; c < COLUMNS; c++) {
                    int64_t figure = figure_at(l, g, c);
                    group_wanted[c] = c < SUMS ? group_wanted[c] + figure
                                      : c == SUMS && figure < group_wanted[c]     ? figure
                                      : c == SUMS + 1 && figure > group_wanted[c] ? figure
                                                                                  : group_wanted[c];
                }
            }
        }
        for (partial.threads = 0; partial.threads < 5; partial.threads++) {
            memset(sums, 1, sizeof sums);
            partial_sums_total(&partial, &selection, sums, arena);
            assert_memory_equal(sums, wanted, sizeof sums);
        }
    }
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
