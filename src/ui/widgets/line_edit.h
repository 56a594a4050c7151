// SPDX-License-Identifier: Apache-2.0
// Keys in a line that is typed.
#ifndef UI_LINE_EDIT_H
#define UI_LINE_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { // what terminals send for keys that have no name in key.h
    CONTROL_A = 1,
    CONTROL_C = 3,
    CONTROL_E = 5,
    CONTROL_H = 8,
    CONTROL_K = 11,
    CONTROL_U = 21,
    CONTROL_W = 23
};

struct line_edit { // somebody's UTF-8 text, ended by 0, its length and the cursor in it, in bytes
    char *text;
    size_t size, *length, *at;
};

// Moves the cursor; false: the key does something else.
bool line_walk(struct line_edit line, uint32_t key);
// Types or erases; false: the key does something else.
bool line_change(struct line_edit line, uint32_t key);
// At the cursor, where there is room.
void line_insert(struct line_edit line, const char *bytes, size_t count);

#endif
