// SPDX-License-Identifier: Apache-2.0
// Pairs of generated profiles, set up for the tests of comparisons.
#ifndef UNIT_COMPARE_PAIR_H
#define UNIT_COMPARE_PAIR_H

#include "analysis/compare/compare_rows.h"
#include "scenario.h"

struct pair {
    struct profile *a, *b; // before and after; the same profile when both are equal
    struct arena *arena;
    struct baseline baseline;
    struct selection selection; // a selection of `b` with `baseline`; both use their default steps
};

// Generates and opens both profiles. `after` NULL means the same as `before`; both are scenarios as
// for scenario_open().
void pair_open(struct pair *pair, const char *before, const char *after);
void pair_close(struct pair *pair);

// Returns the row of a comparison report at index `i`.
const struct compare_row *row_at(const struct rows *rows, size_t i);
// Returns the first row with this name, on side B or else on side A; NULL if there is none.
const struct compare_row *row_named(const struct rows *rows, const char *name);
// Returns a cell as text; `key` names a column of the comparison.
const char *cell_of(const struct compare_row *row, const char *key, struct arena *arena);

// Returns an integer cell of a row of the underlying report; `key` names its column.
int64_t figure_of(const struct report *base, const char *key, const void *row);
// Returns one sum of a row; `key` names the report's column. NAN if unknown.
double sum_of(const struct compare_row *row, const char *key, int side);
double zero_if_unknown(double x); // 0 for an unknown value

// Fails the test unless the first row, which is the total, equals the sum of the others: in the
// main sum of each side and in the difference, which must equal the difference of the steps.
void assert_adds_up(const struct pair *pair, const struct report *base, const char *what);

#endif
