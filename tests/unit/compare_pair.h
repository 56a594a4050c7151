// SPDX-License-Identifier: Apache-2.0
// Two profiles that the generator makes, side by side, for the tests of comparisons.
#ifndef UNIT_COMPARE_PAIR_H
#define UNIT_COMPARE_PAIR_H

#include "analysis/compare/compare_rows.h"
#include "scenario.h"

struct pair {
    struct profile *a, *b; // before, after: one profile where both are the same
    struct arena *arena;
    struct baseline baseline;
    struct selection selection; // of `b`, with `baseline`; both of their usual steps
};

// `after`: NULL: as before. Scenarios as of scenario_open().
void pair_open(struct pair *pair, const char *before, const char *after);
void pair_close(struct pair *pair);

// The rows of a report, compared.
const struct compare_row *row_at(const struct rows *rows, size_t i);
// The first so named on the side that has it; NULL: none.
const struct compare_row *row_named(const struct rows *rows, const char *name);
// A cell as text, by the key of its column in the comparison.
const char *cell_of(const struct compare_row *row, const char *key, struct arena *arena);

// A whole number of a row of the report itself, by the key of its column.
int64_t figure_of(const struct report *base, const char *key, const void *row);
// One of its sums, by the key of the column of the report; NAN: not known.
double sum_of(const struct compare_row *row, const char *key, int side);
double known(double x); // 0 for what is not

// Fails the test where the first row, which tells all of them, is not what the others add up to: the
// main sum on each side, and the difference, which is that of the steps.
void assert_adds_up(const struct pair *pair, const struct report *base, const char *what);

#endif
