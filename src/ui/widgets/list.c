// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/list.h"

#include "base/text/format.h"

bool list_move(enum action action, size_t *at, size_t last, size_t page)
{
    switch (action) {
    case ACTION_DOWN:
        *at = *at < last ? *at + 1 : last;
        return true;
    case ACTION_UP:
        *at -= *at > 0;
        return true;
    case ACTION_FIRST:
        *at = 0;
        return true;
    case ACTION_LAST:
        *at = last;
        return true;
    case ACTION_PAGE_DOWN:
    case ACTION_HALF_DOWN:
        *at = *at + page < last ? *at + page : last;
        return true;
    case ACTION_PAGE_UP:
    case ACTION_HALF_UP:
        *at = *at > page ? *at - page : 0;
        return true;
    default:
        return false;
    }
}

size_t list_top(size_t top, size_t cursor, int rows, size_t count)
{
    size_t page = rows > 0 ? (size_t)rows : 1;
    top = cursor < top ? cursor : top;
    top = cursor >= top + page ? cursor - page + 1 : top;
    size_t last = count > page ? count - page : 0;
    return top < last ? top : last;
}

void scroll_thumb_draw(struct canvas *canvas, int x, int y, int rows, size_t top, size_t count)
{
    if (rows <= 2 || count <= (size_t)rows)
        return;
    int at = (int)(top * (size_t)(rows - 1) / (count - (size_t)rows));
    canvas_put(canvas, x, y + at, STYLE_TREE, 0x2502);
}

const char *scroll_hint_text(bool is_above, int below, struct arena *arena)
{
    char down[KEY_NAME_SIZE], up[KEY_NAME_SIZE], lines[FORMAT_SIZE];
    const char *back =
        is_above ? arena_format(arena, "%s back", action_first_key(ACTION_DETAIL_UP, up)) : "";
    if (below <= 0)
        return back;
    return arena_format(arena, "%s %s%s%s", action_first_key(ACTION_DETAIL_DOWN, down),
                        format_counted(lines, (uint64_t)below, "more line"), is_above ? ", " : "",
                        back);
}

void scroll_hint_draw(struct canvas *canvas, struct area rule, const char *text)
{
    int width = canvas_width(text);
    if (width > 0 && width + 8 < rule.width)
        canvas_format(canvas, rule.x + rule.width - width - 4, rule.y, width + 2, STYLE_KEY, " %s ",
                      text);
}
