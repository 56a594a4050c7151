// SPDX-License-Identifier: Apache-2.0
// Hints are ordered by specificity: first those shown in few kinds of views. Hints that apply to
// another visible row reserve their room, so that the others do not move with the cursor.
#include "ui/app/hints.h"

#include <string.h>

#include "ui/app/input.h"
#include "ui/state/app_state.h"
#include "ui/state/view.h"
#include "ui/table/table.h"
#include "ui/term/action.h"
#include "ui/term/canvas.h"
#include "ui/term/key.h"
#include "ui/term/style.h"

// Blanks between two hints.
enum { GAP = 3 };

// Returns in how many kinds of views the hint is shown.
static unsigned kinds_shown(enum action action)
{
    return (unsigned)__builtin_popcount(actions[action].hint_kinds);
}

static bool applies(struct view *view, enum action action)
{
    const struct action_row *row = &actions[action];
    unsigned kinds = view_kinds(view);
    bool is_empty = view->report ? !table_row(&view->table)
                                 : (kinds & KIND_TIMELINE) && view->app->profile->lacks_times;
    bool has_nothing = is_empty && row->scope != SCOPE_EVERYWHERE;
    return row->hint && action != ACTION_HELP && !has_nothing &&
           (action_scope_kinds[row->scope] & kinds) && (row->hint_kinds & kinds) &&
           (!row->applies || row->applies(view));
}

// Returns "h l" for neighbouring actions with the same hint; sets `last` to the last of them.
static const char *keys_text(enum action first, enum action *last, struct arena *arena)
{
    const char *text = "";
    for (enum action a = first; (size_t)a < action_count && actions[a].hint &&
                                strcmp(actions[a].hint, actions[first].hint) == 0;
         a++) {
        char name[KEY_NAME_SIZE];
        const char *key = action_first_key(a, name);
        text = arena_format(arena, "%s%s%s", text, *text && *key ? " " : "", key);
        *last = a;
    }
    return text;
}

// Iterates over the visible rows of a table, to find whether an action applies to any of them and
// the widest text for Enter. On lines of LONG_LINE columns or more that width is reserved, so that
// hints do not shift as the cursor moves. Shorter lines need the space.
enum { LONG_LINE = 120 };
struct row_iterator { // moves the table's cursor, which rows_next() restores at the end
    struct view *view;
    size_t cursor, line; // cursor to restore; next line to visit
};

static struct row_iterator rows_begin(struct view *view)
{
    return (struct row_iterator){view, view->table.cursor, view->table.top};
}

// Moves the cursor to the next row; at the end restores it and returns false.
static bool rows_next(struct row_iterator *iterator)
{
    struct table *table = &iterator->view->table;
    bool is_long = iterator->view->app->canvas->width >= LONG_LINE;
    bool has_row = is_long && iterator->view->report && !table->stale &&
                   iterator->line < table->shown_count &&
                   iterator->line < table->top + (size_t)table->page;
    table->cursor = has_row ? iterator->line++ : iterator->cursor;
    return has_row;
}

static bool applies_on_screen(struct view *view, enum action action)
{
    struct row_iterator iterator = rows_begin(view);
    bool is_any = applies(view, action);
    if (is_any || !view->report || !actions[action].applies_by_row)
        return is_any;
    while (rows_next(&iterator))
        is_any |= applies(view, action);
    return is_any;
}

static int enters_width(struct view *view)
{
    struct row_iterator iterator = rows_begin(view);
    const char *enters = view->class->enters(view);
    int max_width = enters ? canvas_width(enters) : 0;
    while (rows_next(&iterator)) {
        enters = view->class->enters(view);
        int width = enters ? canvas_width(enters) : 0;
        max_width = width > max_width ? width : max_width;
    }
    return max_width;
}

struct line {
    struct view *view;
    struct canvas *canvas;
    int x, y;
};

// Draws a hint if it fits before `right`, and reserves `width` columns for its text. If it does not
// apply (`applies_now`), only reserves them. A click on the hint acts as its first key.
static void hint_draw(struct line *line, int right, enum action action, const char *keys,
                      const char *hint, int width, bool applies_now)
{
    int text_offset = canvas_width(keys) + 1, need = text_offset + width;
    uint32_t key;
    if (!action_key(action, 0, &key) || line->x + need > right)
        return;
    if (applies_now) {
        app_add_zone(line->view->app, line->x, line->y, text_offset + canvas_width(hint), key);
        canvas_text(line->canvas, line->x, line->y, STYLE_KEY, keys);
        canvas_text(line->canvas, line->x + text_offset, line->y, STYLE_DIM, hint);
    }
    line->x += need + GAP;
}

void hints_draw(struct view *view, struct canvas *canvas, int y)
{
    struct arena *arena = canvas->frame;
    struct line line = {view, canvas, 1, y};
    const char *help = actions[ACTION_HELP].hint;
    char help_name[KEY_NAME_SIZE], enter_name[KEY_NAME_SIZE];
    const char *help_key = action_first_key(ACTION_HELP, help_name);
    int right = canvas->width - 1 - (canvas_width(help) + 1 + canvas_width(help_key) + GAP);
    bool has_enter = view->class->enters && view_is_ready(view);
    int enter_width = has_enter ? enters_width(view) : 0;
    const char *enters = has_enter ? view->class->enters(view) : NULL;
    if (enter_width > 0)
        hint_draw(&line, right, ACTION_ENTER, action_first_key(ACTION_ENTER, enter_name),
                  enters ? enters : "", enter_width, enters != NULL);
    for (unsigned kinds = 1; kinds <= KIND_COUNT; kinds++) {
        for (enum action a = 0; (size_t)a < action_count; a++) {
            enum action last = a;
            if (kinds_shown(a) != kinds || !applies_on_screen(view, a))
                continue;
            const char *keys = keys_text(a, &last, arena), *hint = actions[a].hint;
            hint_draw(&line, right, a, keys, hint, canvas_width(hint), applies(view, a));
            a = last;
        }
    }
    hint_draw(&line, canvas->width, ACTION_HELP, help_key, help, canvas_width(help), true);
}
