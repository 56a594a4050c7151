// SPDX-License-Identifier: Apache-2.0
// Comparisons of the filter: a value against the text to the right of = < <= > >=.
//
// Equality compares displayed texts: gpu=1ms keeps the rows that show "1.00 ms", and `=` on a
// cell keeps exactly the rows with the same text. A number of ns or bytes without a unit, which is
// never displayed so, is compared exactly. The operators < <= > >= compare the exact numbers.
#ifndef UI_TABLE_TABLE_COMPARE_H
#define UI_TABLE_TABLE_COMPARE_H

#include "analysis/report/report.h"
#include "base/parse/expr.h"

struct filter_comparison {
    const struct column *column;
    const struct filter_term *term;
    bool has_bound; // the right side is a number in the unit of the column
    double bound;
    bool is_exact;     // a number of ns or bytes without a unit
    const char *text;  // the right side as value_key() would write it
    const char *shown; // value_key() of the bound
};

// Parses the right side in the unit of the column; returns false if it is not a number.
bool bound_parse(const struct column *column, const char *text, double *bound);
const char *state_text(const struct column *column, enum tristate state);

// Returns the text of a cell in ASCII without blanks and commas, as the filter writes it.
const char *value_key(const struct column *column, struct value value, struct arena *arena);

struct filter_comparison comparison_make(const struct column *column,
                                         const struct filter_term *term, struct arena *arena);
bool comparison_holds(const struct filter_comparison *comparison, struct value value,
                      struct arena *arena);

// The closed range outside of which a comparison is false; `is_all`: it is true for all values
// inside.
struct value_bounds {
    double least, most;
    bool is_all;
};
struct value_bounds comparison_bounds(const struct filter_comparison *comparison);

#endif
