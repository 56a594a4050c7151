// SPDX-License-Identifier: Apache-2.0
// A streaming JSON writer. Its output is always valid JSON: control characters are escaped, invalid
// UTF-8 becomes U+FFFD, and a number that is not finite is written as null.
//
// A copy of a writer continues where the original was, also into other bytes, so that the items of
// an array can be written separately (has_item says whether one precedes). Nesting deeper than
// JSON_DEPTH is a bug of the caller, independent of the data, and aborts.
#ifndef BASE_PARSE_JSON_H
#define BASE_PARSE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text/bytes.h"

enum { JSON_DEPTH = 32 };

struct json_writer {
    struct bytes *out;
    int depth;
    bool has_item[JSON_DEPTH];
    bool after_key;
    bool compact; // no line breaks
};

void json_open(struct json_writer *json, struct bytes *out, bool compact);
void json_begin_object(struct json_writer *json);
void json_begin_array(struct json_writer *json);
void json_end(struct json_writer *json, char bracket);    // '}' or ']', matching the begin call
void json_key(struct json_writer *json, const char *key); // the next value written belongs to it
void json_string(struct json_writer *json, const char *text); // NULL is written as null
void json_integer(struct json_writer *json, int64_t value);
void json_real(struct json_writer *json, double value); // the shortest text that reads back as the
                                                        // same value
void json_bool(struct json_writer *json, bool value);
void json_null(struct json_writer *json);

#endif
