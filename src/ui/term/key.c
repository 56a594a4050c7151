// SPDX-License-Identifier: Apache-2.0
#include "ui/term/key.h"

#include <stdio.h>
#include <string.h>

#include "base/text/text.h"

static const struct {
    uint32_t key;
    const char *name;
} names[] = {
    {KEY_ENTER_PRESSED, "Enter"},
    {KEY_TABULATOR, "Tab"},
    {KEY_ESCAPE, "Esc"},
    {' ', "Space"},
    {KEY_CURSOR_UP, "Up"},
    {KEY_CURSOR_DOWN, "Down"},
    {KEY_CURSOR_LEFT, "Left"},
    {KEY_CURSOR_RIGHT, "Right"},
    {KEY_SHIFT_LEFT, "S-Left"},
    {KEY_SHIFT_RIGHT, "S-Right"},
    {KEY_SHIFT_UP, "S-Up"},
    {KEY_SHIFT_DOWN, "S-Down"},
    {KEY_FIRST, "Home"},
    {KEY_LAST, "End"},
    {KEY_PAGE_UP, "PgUp"},
    {KEY_PAGE_DOWN, "PgDn"},
    {KEY_ERASE, "Backspace"},
    {KEY_DELETE, "Del"},
    {KEY_BACK_TAB, "S-Tab"},
    {KEY_WHEEL_UP, "WheelUp"},
    {KEY_WHEEL_DOWN, "WheelDown"},
    {KEY_CLICK, "Click"},
    {KEY_WHEEL_LEFT, "WheelLeft"},
    {KEY_WHEEL_RIGHT, "WheelRight"},
    {KEY_ZOOM_IN_WHEEL, "C-WheelUp"},
    {KEY_ZOOM_OUT_WHEEL, "C-WheelDown"},
};

// Parses the number of a function key, 1 to 12.
static bool function_parse(const char *digits, uint32_t *key)
{
    unsigned number = 0;
    size_t length = strspn(digits, "0123456789");
    for (size_t i = 0; i < length && i < 2; i++)
        number = number * 10 + (unsigned)(digits[i] - '0');
    if (length > 2 || digits[length] || number < 1 || number > 12)
        return false;
    *key = KEY_F1 + number - 1;
    return true;
}

bool key_parse(const char *name, uint32_t *key)
{
    if (name[0] > ' ' && name[0] < 0x7f && !name[1]) { // fast path for most keys
        *key = (uint32_t)name[0];
        return true;
    }
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (name[0] == names[i].name[0] && strcmp(name, names[i].name) == 0) {
            *key = names[i].key;
            return true;
        }
    }
    if (name[0] == 'F' && function_parse(name + 1, key))
        return true;
    if (length == 3 && name[0] == 'C' && name[1] == '-') {
        char letter = name[2];
        if (letter >= 'a' && letter <= 'z') {
            *key = (uint32_t)(letter - 'a' + 1);
            return true;
        }
        if (letter >= '@' && letter <= '_') {
            *key = (uint32_t)(letter - '@');
            return true;
        }
    }
    uint32_t code;
    if (length > 0 && text_decode(name, length, &code) == length && !text_is_unsafe(code)) {
        *key = code;
        return true;
    }
    return false;
}

const char *key_text(uint32_t key, char out[KEY_NAME_SIZE])
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].key == key)
            return names[i].name;
    if (key >= KEY_F1 && key <= KEY_F12) {
        snprintf(out, KEY_NAME_SIZE, "F%u", (unsigned)(key - KEY_F1 + 1));
    } else if (key < 0x20) {
        snprintf(out, KEY_NAME_SIZE, "C-%c", (char)(key + (key >= 1 && key <= 26 ? 0x60 : 0x40)));
    } else {
        char bytes[4];
        size_t length = text_encode(key < KEY_SPECIAL ? key : '?', bytes);
        snprintf(out, KEY_NAME_SIZE, "%.*s", (int)length, bytes);
    }
    return out;
}

// Takes the first key off a list and advances `list` past it; returns false at the end of the
// list or for an unknown key.
static bool list_next(const char **list, uint32_t *key)
{
    while (**list == ' ')
        ++*list;
    char name[KEY_NAME_SIZE];
    size_t length = 0;
    for (; **list && **list != ' '; ++*list) {
        if (length + 1 == sizeof name)
            return false;
        name[length++] = **list;
    }
    name[length] = 0;
    return length > 0 && key_parse(name, key);
}

bool key_list_at(const char *list, size_t n, uint32_t *key)
{
    do
        if (!list_next(&list, key))
            return false;
    while (n-- > 0);
    return true;
}

bool key_list_has(const char *list, uint32_t key)
{
    uint32_t one;
    while (list_next(&list, &one))
        if (one == key)
            return true;
    return false;
}
