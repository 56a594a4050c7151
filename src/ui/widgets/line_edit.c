// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/line_edit.h"

#include <string.h>

#include "base/text/text.h"
#include "ui/term/key.h"

static size_t step_back(const char *text, size_t at)
{
    while (at > 0 && ((unsigned char)text[--at] & 0xc0) == 0x80)
        ;
    return at;
}

static size_t step_on(struct line_edit line, size_t at)
{
    at += at < *line.length;
    while (at < *line.length && ((unsigned char)line.text[at] & 0xc0) == 0x80)
        at++;
    return at;
}

static void erase(struct line_edit line, size_t from, size_t to)
{
    memmove(line.text + from, line.text + to, *line.length - to + 1);
    *line.length -= to - from;
    *line.at = from;
}

void line_insert(struct line_edit line, const char *bytes, size_t count)
{
    if (*line.length + count >= line.size)
        return;
    memmove(line.text + *line.at + count, line.text + *line.at, *line.length - *line.at + 1);
    memcpy(line.text + *line.at, bytes, count);
    *line.length += count;
    *line.at += count;
}

bool line_move_cursor(struct line_edit line, uint32_t key)
{
    switch (key) {
    case KEY_CURSOR_LEFT:
        *line.at = step_back(line.text, *line.at);
        return true;
    case KEY_CURSOR_RIGHT:
        *line.at = step_on(line, *line.at);
        return true;
    case KEY_FIRST:
    case CONTROL_A:
        *line.at = 0;
        return true;
    case KEY_LAST:
    case CONTROL_E:
        *line.at = *line.length;
        return true;
    default:
        return false;
    }
}

bool line_edit_key(struct line_edit line, uint32_t key)
{
    size_t from = *line.at;
    char bytes[4] = {0};
    switch (key) {
    case KEY_ERASE:
    case CONTROL_H:
        erase(line, step_back(line.text, *line.at), *line.at);
        return true;
    case KEY_DELETE:
        erase(line, *line.at, step_on(line, *line.at));
        return true;
    case CONTROL_U:
        erase(line, 0, *line.at);
        return true;
    case CONTROL_K:
        erase(line, *line.at, *line.length);
        return true;
    case CONTROL_W:
        while (from > 0 && line.text[from - 1] == ' ')
            from--;
        while (from > 0 && line.text[from - 1] != ' ')
            from--;
        erase(line, from, *line.at);
        return true;
    default:
        if (key >= KEY_SPECIAL || text_is_unsafe(key))
            return false;
        line_insert(line, bytes, text_encode(key, bytes));
        return true;
    }
}
