// SPDX-License-Identifier: Apache-2.0
// Every text of a profile once, known by a small number.
//
// Names compare by id; a pattern is matched once per text and not once per row. Ids are dense and
// given in order of first appearance. Id 0 (STRING_NONE) means that there is no text, which is not
// the same as the empty text.
#ifndef BASE_STRINGS_H
#define BASE_STRINGS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef uint32_t string_id;
enum { STRING_NONE = 0 };

struct strings; // lives in its arena

struct strings *strings_new(struct arena *arena);

// The id of a text, given at its first appearance. Bytes are kept as they are: they may hold
// control characters or invalid UTF-8, but no NUL (the text is cut there).
string_id strings_intern(struct strings *strings, const char *text, size_t length);
string_id strings_intern_text(struct strings *strings, const char *text); // NUL-terminated, or NULL

string_id strings_find(const struct strings *strings, const char *text); // STRING_NONE if unknown

// The text, NUL-terminated, valid as long as the arena; "" for STRING_NONE.
const char *strings_text(const struct strings *strings, string_id id);
size_t strings_length(const struct strings *strings, string_id id);
uint32_t strings_count(const struct strings *strings); // ids are below it

// The table as it is now, for a reader on another thread while this one goes on growing. In the
// same arena; nothing may be interned into it.
struct strings *strings_share(const struct strings *strings);

#endif
