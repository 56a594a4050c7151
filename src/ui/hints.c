// SPDX-License-Identifier: Apache-2.0
#include "ui/hints.h"

#include <string.h>

#include "ui/app_state.h"
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

struct line {
    struct view *view;
    struct canvas *canvas;
    int x, y;
};

// Draws it if it fits whole before `right`; a click there is the first of its keys.
static void hint_draw(struct line *line, int right, enum action action, const char *keys,
                      const char *hint)
{
    int need = canvas_width(keys) + 1 + canvas_width(hint);
    uint32_t key;
    if (!action_key(action, 0, &key) || line->x + need > right)
        return;
    app_zone(line->view->app, line->x, line->y, need, key);
    line->x += canvas_text(line->canvas, line->x, line->y, STYLE_KEY, keys) + 1;
    line->x += canvas_text(line->canvas, line->x, line->y, STYLE_DIM, hint) + GAP;
}

void hints_draw(struct view *view, struct canvas *canvas, int y)
{
    struct arena *arena = canvas->frame;
    struct line line = {view, canvas, 1, y};
    const char *help = actions[ACTION_HELP].hint, *enters = NULL;
    char help_name[KEY_NAME_SIZE], enter_name[KEY_NAME_SIZE];
    const char *help_key = action_first_key(ACTION_HELP, help_name);
    int right = canvas->width - 1 - (canvas_width(help) + 1 + canvas_width(help_key) + GAP);
    if (view->class->enters && view_is_ready(view))
        enters = view->class->enters(view);
    if (enters)
        hint_draw(&line, right, ACTION_ENTER, action_first_key(ACTION_ENTER, enter_name), enters);
    for (unsigned width = 1; width <= KIND_COUNT; width++) {
        for (enum action a = 0; a < ACTION_COUNT; a++) {
            enum action last = a;
            if (width_of(a) != width || !applies(view, a))
                continue;
            hint_draw(&line, right, a, keys_text(a, &last, arena), actions[a].hint);
            a = last;
        }
    }
    hint_draw(&line, canvas->width, ACTION_HELP, help_key, help);
}
