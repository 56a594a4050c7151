// SPDX-License-Identifier: Apache-2.0
// One side of the filter: a value against what is typed to the right of = < <= > >=.
//
// Equal is what shows the same text: gpu=1ms keeps the rows that show "1.00 ms", and what `=` takes
// from a cell keeps just the rows that look like it. A bare number of ns or bytes, which no cell
// shows, is meant exactly. Less and more compare the figures behind the texts.
#ifndef UI_TABLE_COMPARE_H
#define UI_TABLE_COMPARE_H

#include "analysis/report/report.h"
#include "base/parse/expr.h"

struct comparison {
    const struct column *column;
    const struct filter_term *term;
    bool has_bound; // the right side is a number in the unit of the column
    double bound;
    bool is_exact;     // a bare number of ns or bytes
    const char *text;  // the right side as a cell's key, see value_key()
    const char *shown; // the key of a cell that holds the bound
};

// The right side of a comparison in the unit of the column; false: it is none.
bool bound_parse(const struct column *column, const char *text, double *bound);
const char *state_text(const struct column *column, enum tristate state);

// The text of a cell without blanks and commas, in ASCII: what the filter takes for its value.
const char *value_key(const struct column *column, struct value value, struct arena *arena);

struct comparison comparison_make(const struct column *column, const struct filter_term *term,
                                  struct arena *arena);
bool comparison_holds(const struct comparison *comparison, struct value value, struct arena *arena);

// The numbers, both ends included, beyond which a comparison does not hold; whether it does for all
// between them.
struct bounds {
    double least, most;
    bool is_all;
};
struct bounds comparison_bounds(const struct comparison *comparison);

#endif
