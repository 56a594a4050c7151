// SPDX-License-Identifier: Apache-2.0
// Keys as numbers and as names: "j", "C-d", "F5", "Esc", "PgDn", "S-Tab".
#ifndef UI_TERM_KEY_H
#define UI_TERM_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEY_NAME_SIZE = 16 };

// A key is the code point it types, a control character (C-a is 1), or one of these.
enum key_special {
    KEY_NONE_PRESSED = 0,
    KEY_SPECIAL = 0x110000, // beyond Unicode
    KEY_CURSOR_UP,
    KEY_CURSOR_DOWN,
    KEY_CURSOR_LEFT,
    KEY_CURSOR_RIGHT,
    KEY_SHIFT_LEFT,
    KEY_SHIFT_RIGHT,
    KEY_SHIFT_UP,
    KEY_SHIFT_DOWN,
    KEY_FIRST,
    KEY_LAST,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_ERASE, // Backspace
    KEY_DELETE,
    KEY_BACK_TAB,
    KEY_WHEEL_UP, // mouse keys have a position; these are the wheel without a modifier
    KEY_WHEEL_DOWN,
    KEY_WHEEL_LEFT, // wheel sideways, or up and down with Shift
    KEY_WHEEL_RIGHT,
    KEY_ZOOM_IN_WHEEL, // wheel up and down with Control, or Alt where the terminal uses Control
    KEY_ZOOM_OUT_WHEEL,
    KEY_CLICK, // pressed once; pressed twice in quick succession at one place
    KEY_DOUBLE_CLICK,
    KEY_DRAG, // moved while pressed; released after that
    KEY_DROP,
    KEY_RESIZED,
    KEY_NOTHING, // input without a meaning
    KEY_F1,      // KEY_F1 + n - 1 is Fn
    KEY_F12 = KEY_F1 + 11,
};
enum { KEY_ENTER_PRESSED = '\r', KEY_TABULATOR = '\t', KEY_ESCAPE = 0x1b };

static inline bool key_is_wheel(uint32_t key)
{
    return key >= KEY_WHEEL_UP && key <= KEY_ZOOM_OUT_WHEEL;
}
static inline bool key_is_mouse(uint32_t key) // such a key has a position on the screen
{
    return key >= KEY_WHEEL_UP && key <= KEY_DROP;
}

bool key_parse(const char *name, uint32_t *key);
const char *key_text(uint32_t key, char out[KEY_NAME_SIZE]);

// Returns the n-th key (from 0) of names separated by blanks; false if there are fewer.
bool key_list_at(const char *names, size_t n, uint32_t *key);
bool key_list_has(const char *names, uint32_t key);

#endif
