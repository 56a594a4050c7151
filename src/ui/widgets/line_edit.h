// SPDX-License-Identifier: Apache-2.0
// Editing keys of a one-line text input.
#ifndef UI_WIDGETS_LINE_EDIT_H
#define UI_WIDGETS_LINE_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { // control characters of keys that have no name in key.h
    CONTROL_A = 1,
    CONTROL_C = 3,
    CONTROL_E = 5,
    CONTROL_H = 8,
    CONTROL_K = 11,
    CONTROL_U = 21,
    CONTROL_W = 23
};

struct line_edit { // refers to a NUL-terminated UTF-8 text of the caller; lengths are in bytes
    char *text;
    size_t size, *length, *at;
};

// Moves the cursor; returns false if the key is not a cursor key.
bool line_move_cursor(struct line_edit line, uint32_t key);
// Inserts or erases; returns false if the key does neither.
bool line_edit_key(struct line_edit line, uint32_t key);
// Inserts bytes at the cursor; has no effect if there is no room.
void line_insert(struct line_edit line, const char *bytes, size_t count);

#endif
