// SPDX-License-Identifier: Apache-2.0
// Regular expressions (PCRE2) with limits, for filters, searches and rules.
//
// Pattern length, compiled size, match steps, depth and heap are limited. A text on which matching
// exceeds a limit counts as no match. Invalid UTF-8 is matched as bytes. Threads may share a
// pattern.
#ifndef BASE_TEXT_PATTERN_H
#define BASE_TEXT_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct pattern;

enum pattern_case {
    PATTERN_SMART, // ignores case unless the pattern contains a capital letter
    PATTERN_EXACT,
    PATTERN_IGNORE_CASE,
};

// Returns NULL and an error, with the column of the fault, if the text is not a valid pattern.
struct pattern *pattern_new(const char *text, enum pattern_case mode, struct error *error);
void pattern_free(struct pattern *pattern); // NULL is allowed

bool pattern_match(const struct pattern *pattern, const char *text, size_t length);

// Finds the first match at or after `offset`: its bounds, and up to `max_groups` capture groups as
// (start, end) pairs, {SIZE_MAX, SIZE_MAX} for a group that did not participate. Returns false if
// there is none.
struct pattern_span {
    size_t start, end;
};
bool pattern_find(const struct pattern *pattern, const char *text, size_t length, size_t offset,
                  struct pattern_span *match, struct pattern_span *groups, size_t max_groups);

// Expands a replacement such as "elementwise $1<$2>" with the groups of a match into `out`,
// truncated to fit and NUL-terminated. $1 to $9 are groups[0] to groups[8], "" for a group that did
// not participate; $$ is a dollar sign. Returns the length written.
size_t pattern_expand(const char *replacement, const char *text, const struct pattern_span *groups,
                      size_t group_count, char *out, size_t size);

#endif
