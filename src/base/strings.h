// SPDX-License-Identifier: Apache-2.0
// The string table of a profile: each text is stored once and has a small number.
//
// Names are compared by id, and a pattern is matched once per text instead of once per row. Ids are
// dense and assigned in order of first appearance. Id 0 (STRING_NONE) means that there is no text,
// which differs from the empty text.
#ifndef BASE_STRINGS_H
#define BASE_STRINGS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

typedef uint32_t string_id;
enum { STRING_NONE = 0 };

struct strings; // allocated in its arena

struct strings *strings_new(struct arena *arena);

// Returns the id of a text, adding it if it is new. Bytes are kept unchanged: they may contain
// control characters or invalid UTF-8. A text ends at its first NUL.
string_id strings_intern(struct strings *strings, const char *text, size_t length);
// The same for a NUL-terminated text; STRING_NONE for NULL.
string_id strings_intern_text(struct strings *strings, const char *text);

string_id strings_find(const struct strings *strings, const char *text); // STRING_NONE if unknown

// Returns the NUL-terminated text, which lives as long as the arena; "" for STRING_NONE.
const char *strings_text(const struct strings *strings, string_id id);
size_t strings_length(const struct strings *strings, string_id id);
uint32_t strings_count(const struct strings *strings); // all ids are below it

// Returns a snapshot of the table for a reader on another thread while this table grows. It lives
// in the same arena; nothing may be interned into it.
struct strings *strings_share(const struct strings *strings);

#endif
