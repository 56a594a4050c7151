// SPDX-License-Identifier: Apache-2.0
// Places that one comes back to by a letter. A bookmark is what a session says of a place
// (session_writer.h): the commands that lead there from anywhere, so that it means the same row or
// none in another profile.
#ifndef UI_SESSION_BOOKMARKS_H
#define UI_SESSION_BOOKMARKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct app;

enum { BOOKMARK_MAX = 62 };
extern const char bookmark_names[BOOKMARK_MAX + 1]; // one character each

struct bookmark {
    char *text; // its first line says what it is: "# Kernels"; NULL: not set
    size_t capacity;
};

// Those that a session has: lines that begin with ' and the name of one.
void bookmarks_read(struct app *app, const char *session);

// The key that follows `m` and `'`, and what the line of the prompt says of it.
void bookmark_key(struct app *app, uint32_t key);
void jump_key(struct app *app, uint32_t key);
const char *bookmarks_hint(struct app *app, struct arena *arena);

#endif
