// SPDX-License-Identifier: Apache-2.0
// Parses what users type: filter terms and sets of numbers.
//
// A filter consists of terms separated by blanks, all of which must hold:
//     gemm            the row's text matches the pattern (PCRE2, smart case)
//     !gemm           ... does not match
//     gpu>1ms         the column whose key begins with `gpu` compares so (= != < <= > >=)
//     tc:no           the column's text matches the pattern
//     !tc:no
//     "two words"     quotes keep blanks
// A comparison needs a column name ([A-Za-z_][A-Za-z0-9_.]*) directly before its operator and
// something behind it; `!=` is an inverted FILTER_EQUAL. "at::native" is a name and `<` a pattern.
// A backslash is part of a pattern and protects a quote or blank: \" is a quote. The right side of
// a comparison is a plain text in which \" and \\ are a quote and a backslash. A term that is not a
// valid pattern is an error with its column, and the previous filter stays in effect.
#ifndef BASE_PARSE_EXPR_H
#define BASE_PARSE_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

enum filter_operator {
    FILTER_MATCH, // text matches the pattern
    FILTER_EQUAL,
    FILTER_LESS,
    FILTER_LESS_EQUAL,
    FILTER_GREATER,
    FILTER_GREATER_EQUAL,
};

struct filter_term {
    bool inverse;
    const char *column; // key or prefix of a key; NULL: any text of the row
    enum filter_operator operator;
    const char *text;        // the right side, without quotes
    struct pattern *pattern; // set for FILTER_MATCH
    const char *source;      // the term as typed
    size_t position;         // its column in the filter, 1-based
};

struct filter {
    size_t count;
    struct filter_term *terms;
};

// Parses into `arena`; filter_close() frees the patterns.
bool filter_parse(struct arena *arena, const char *text, struct filter *filter,
                  struct error *error);
void filter_close(struct filter *filter);

// Parses a set of integers such as "3-22,!7,25-" over the existing numbers 0 .. count - 1. Spans
// include both ends, an open end extends to the last number, `!` removes, "all" is everything.
// Later terms win. A set that begins with `!` starts from everything. Sets members[i] for each i. A
// number that does not exist is an error, which changes nothing.
//
// The numbers need not be 0 .. count - 1: numbers[i], ascending, is the number of member i (NULL: i
// itself). The ends of a span may be missing numbers between the first and the last.
bool set_parse(const char *text, const int64_t *numbers, size_t count, bool *members,
               struct error *error);

// A named set, which may be used as a term like a number: "3-20,!outliers".
struct set_word {
    const char *name;    // letters and dashes; no name is a prefix of another
    const bool *members; // [count]
};
bool set_parse_words(const char *text, const int64_t *numbers, size_t count,
                     const struct set_word *words, size_t word_count, bool *members,
                     struct error *error);
// Formats a set as text in numbers[i] (NULL: in i), in `arena`: "3-6,8-22", "all", or "!all" for
// none. Spans may include missing numbers.
char *set_format(struct arena *arena, const bool *members, const int64_t *numbers, size_t count);

#endif
