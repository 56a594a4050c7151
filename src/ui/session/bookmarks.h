// SPDX-License-Identifier: Apache-2.0
// Bookmarks: places that the user returns to by a letter or digit. A bookmark is stored as session
// commands (session_writer.h) that lead to the place from anywhere, so that in another profile it
// finds the same row or none.
#ifndef UI_SESSION_BOOKMARKS_H
#define UI_SESSION_BOOKMARKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct app;

enum { MAX_BOOKMARKS = 62 };
extern const char bookmark_names[MAX_BOOKMARKS + 1]; // each character is a name

struct bookmark {
    char *text; // its first line is the title: "# Kernels"; NULL: not set
    size_t capacity;
};

// Reads the bookmarks of a session: the lines that begin with ' and a name.
void bookmarks_read(struct app *app, const char *session);

// Handle the key that follows `m` and `'`. bookmarks_hint() is the hint in the prompt line.
void bookmark_key(struct app *app, uint32_t key);
void jump_key(struct app *app, uint32_t key);
const char *bookmarks_hint(struct app *app, struct arena *arena);

#endif
