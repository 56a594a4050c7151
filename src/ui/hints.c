// SPDX-License-Identifier: Apache-2.0
#include "ui/hints.h"

#include <string.h>

#include "ui/key.h"

enum { GAP = 3 };

// In how many kinds of views it is said: what few have tells most about this one.
static unsigned width_of(enum action action)
{
    return (unsigned)__builtin_popcount(actions[action].hint_kinds);
}

static bool applies(struct view *view, enum action action)
{
    const struct action_row *row = &actions[action];
    unsigned kinds = view_kinds(view);
    bool has_nothing = view->report && !table_row(&view->table) && row->scope != SCOPE_EVERYWHERE;
    return row->hint && action != ACTION_HELP && !has_nothing &&
           (action_scope_kinds[row->scope] & kinds) && (row->hint_kinds & kinds) &&
           (!row->applies || row->applies(view));
}

// "h l" of neighbours that say the same; `last` is the last of them.
static const char *keys_text(enum action first, enum action *last, struct arena *arena)
{
    const char *text = "";
    for (enum action a = first;
         a < ACTION_COUNT && actions[a].hint && strcmp(actions[a].hint, actions[first].hint) == 0;
         a++) {
        char name[KEY_NAME_SIZE];
        const char *key = action_first_key(a, name);
        text = arena_format(arena, "%s%s%s", text, *text && *key ? " " : "", key);
        *last = a;
    }
    return text;
}

// Draws it if it fits whole before `right`; returns where the next begins.
static int hint_draw(struct canvas *canvas, int x, int right, int y, const char *keys,
                     const char *hint)
{
    int need = canvas_width(keys) + 1 + canvas_width(hint);
    if (!*keys || x + need > right)
        return x;
    x += canvas_text(canvas, x, y, STYLE_KEY, keys) + 1;
    return x + canvas_text(canvas, x, y, STYLE_DIM, hint) + GAP;
}

void hints_draw(struct view *view, struct canvas *canvas, int y)
{
    struct arena *arena = canvas->frame;
    const char *help = actions[ACTION_HELP].hint, *enters = NULL;
    char help_name[KEY_NAME_SIZE], enter_name[KEY_NAME_SIZE];
    const char *help_key = action_first_key(ACTION_HELP, help_name);
    int x = 1, right = canvas->width - 1 - (canvas_width(help) + 1 + canvas_width(help_key) + GAP);
    if (view->class->enters && view_is_ready(view))
        enters = view->class->enters(view);
    if (enters)
        x = hint_draw(canvas, x, right, y, action_first_key(ACTION_ENTER, enter_name), enters);
    for (unsigned width = 1; width <= KIND_COUNT; width++) {
        for (enum action a = 0; a < ACTION_COUNT; a++) {
            enum action last = a;
            if (width_of(a) != width || !applies(view, a))
                continue;
            const char *keys = keys_text(a, &last, arena);
            x = hint_draw(canvas, x, right, y, keys, actions[a].hint);
            a = last;
        }
    }
    hint_draw(canvas, x, canvas->width, y, help_key, help);
}
