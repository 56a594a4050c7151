// SPDX-License-Identifier: Apache-2.0
// A pull reader for values written as JSON or as Python literals: str() of dicts, lists, tuples,
// numbers, strings, True/False/None. It builds no tree and evaluates nothing.
//
// NVTX ranges of DLProf, PyProf and vLLM contain Python dicts, model_config ranges contain JSON.
// Both dialects are accepted everywhere: single or double quotes, tuples with a trailing comma,
// nan, inf, true/false/null and True/False/None. There is no recursion; the depth is limited.
//
//     struct literal_reader reader;
//     literal_open(&reader, text, length);
//     while ((kind = literal_next(&reader)) != LITERAL_END) ...
#ifndef BASE_PARSE_LITERAL_H
#define BASE_PARSE_LITERAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LITERAL_DEPTH = 64 };

enum literal_kind {
    LITERAL_END,   // only white space is left, or the text is empty
    LITERAL_ERROR, // not a literal from byte reader.offset on
    LITERAL_DICT,  // opens with {
    LITERAL_LIST,  // opens with [
    LITERAL_TUPLE, // opens with (
    LITERAL_CLOSE, // closes the innermost container
    LITERAL_KEY,   // a key of a dict; its text is in reader.text
    LITERAL_STRING,
    LITERAL_INTEGER, // reader.integer (saturated), reader.real
    LITERAL_REAL,    // reader.real
    LITERAL_BOOL,    // reader.integer is 0 or 1
    LITERAL_NULL,
};

struct literal_reader {
    // For KEY and STRING the raw bytes between the quotes (see literal_unescape()); for numbers the
    // digits as written.
    const char *text;
    size_t length;
    int64_t integer;
    double real;
    size_t offset; // number of bytes read
    int depth;
    // Private:
    const char *start, *end;
    char stack[LITERAL_DEPTH];
    int state;
};

void literal_open(struct literal_reader *reader, const char *text, size_t length);
enum literal_kind literal_next(struct literal_reader *reader);
// Skips the value that `kind` began: a container to its CLOSE, a KEY its value. Returns false on
// error, and if `kind` begins no value.
bool literal_skip(struct literal_reader *reader, enum literal_kind kind);
// Compares the text of a KEY or STRING.
bool literal_is(const struct literal_reader *reader, const char *text);
// Resolves \n, \t, \', \", \\, \xNN, \uNNNN into `out`, truncated to fit and NUL-terminated.
// Returns the length.
size_t literal_unescape(const char *text, size_t length, char *out, size_t size);

#endif
