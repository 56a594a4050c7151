// SPDX-License-Identifier: Apache-2.0
// The one reader of the small languages that people type: filter terms and sets of numbers.
//
// A filter is terms separated by blanks, all of which must hold:
//     gemm            the row's text matches the pattern (PCRE2, smart case)
//     !gemm           ... does not match
//     gpu>1ms         the column whose key begins with `gpu` compares so (= != < <= > >=)
//     tc:no           the column's text matches the pattern
//     !tc:no
//     "two words"     quotes keep blanks
// A comparison needs a column's name ([A-Za-z_][A-Za-z0-9_.]*) directly before its operator and
// something after it; `!=` is FILTER_EQUAL turned round. "at::native" is a name and `<` a pattern.
// A backslash belongs to the pattern and keeps a quote or blank: \" is a quote. Right of a
// comparison stands no pattern: there \" and \\ are a quote and a backslash.
// A term that is no valid pattern is an error with its column, and the filter before it stays.
#ifndef BASE_EXPR_H
#define BASE_EXPR_H

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
    const char *column; // key or beginning of one; NULL: any text of the row
    enum filter_operator operator;
    const char *text;        // the right side, without quotes
    struct pattern *pattern; // FILTER_MATCH
    const char *source;      // the whole term as typed
    size_t position;         // its column in the filter, from 1
};

struct filter {
    size_t count;
    struct filter_term *terms;
};

// Parses into `arena`. filter_close() releases the patterns.
bool filter_parse(struct arena *arena, const char *text, struct filter *filter,
                  struct error *error);
void filter_close(struct filter *filter);

// A set of whole numbers: "3-22,!7,25-" is parsed against the numbers 0..count-1 that exist;
// spans include both ends, an open end reaches the last, `!` takes out, "all" is everything.
// Later terms win. A set that begins with `!` begins from everything. members[i] says whether i is
// in it. A number that does not exist is an error, which changes nothing.
//
// The numbers need not begin at 0 nor follow each other: numbers[i], growing, is what the text
// calls i (NULL: i itself). The ends of a span may be numbers that are left out between the first
// and the last.
bool set_parse(const char *text, const int64_t *numbers, size_t count, bool *members,
               struct error *error);

// Sets that have names, which a term may be as well as a number: "3-20,!outliers".
struct set_word {
    const char *name;    // letters and dashes; none is the beginning of another one
    const bool *members; // [count]
};
bool set_parse_words(const char *text, const int64_t *numbers, size_t count,
                     const struct set_word *words, size_t word_count, bool *members,
                     struct error *error);
// A text that gives the set in numbers[i] (NULL: in i): "3-6,8-22", "all", or "!all" for none.
// Spans go over numbers that are left out. In `arena`.
char *set_format(struct arena *arena, const bool *members, const int64_t *numbers, size_t count);

#endif
