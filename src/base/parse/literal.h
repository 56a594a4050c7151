// SPDX-License-Identifier: Apache-2.0
// A pull reader for values written as JSON or as Python literals (str() of dicts, lists, tuples,
// numbers, strings, True/False/None). It reads, it never evaluates, and it keeps no tree.
//
// NVTX ranges of DLProf, PyProf and vLLM hold Python dicts; model_config ranges hold JSON. Both
// dialects are accepted everywhere: single or double quotes, tuples with a trailing comma, nan,
// inf, the JSON words true/false/null and Python's True/False/None. No recursion; depth is bound.
//
//     struct literal_reader reader;
//     literal_open(&reader, text, length);
//     while ((kind = literal_next(&reader)) != LITERAL_END) ...
#ifndef BASE_LITERAL_H
#define BASE_LITERAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LITERAL_DEPTH = 64 };

enum literal_kind {
    LITERAL_END,   // the text is finished (only white space was left, or is all of it)
    LITERAL_ERROR, // not a literal from byte reader.offset on
    LITERAL_DICT,  // { opened
    LITERAL_LIST,  // [ opened
    LITERAL_TUPLE, // ( opened
    LITERAL_CLOSE, // the innermost opened one is closed
    LITERAL_KEY,   // a dict key; its text in reader.text
    LITERAL_STRING,
    LITERAL_INTEGER, // reader.integer (saturated), reader.real
    LITERAL_REAL,    // reader.real
    LITERAL_BOOL,    // reader.integer is 0 or 1
    LITERAL_NULL,
};

struct literal_reader {
    // For KEY and STRING: the raw bytes between the quotes, escapes not resolved (see
    // literal_unescape); for numbers the digits as written.
    const char *text;
    size_t length;
    int64_t integer;
    double real;
    size_t offset; // bytes read
    int depth;
    // private
    const char *start, *end;
    char stack[LITERAL_DEPTH];
    int state;
};

void literal_open(struct literal_reader *reader, const char *text, size_t length);
enum literal_kind literal_next(struct literal_reader *reader);
// Skips the value that `kind` began (to its CLOSE where it is a container; after a KEY, its value).
// False on error, and when `kind` began none.
bool literal_skip(struct literal_reader *reader, enum literal_kind kind);
bool literal_is(const struct literal_reader *reader, const char *text); // KEY/STRING equals
// Resolves \n, \t, \', \", \\, \xNN, \uNNNN into `out` (cut to fit, NUL-terminated);
// returns the length.
size_t literal_unescape(const char *text, size_t length, char *out, size_t size);

#endif
