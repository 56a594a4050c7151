// SPDX-License-Identifier: Apache-2.0
// All keys, as a table made from the action table: it is filtered, searched and saved like others.
#include <string.h>

#include "ui/app_state.h"
#include "ui/key.h"

struct help_row {
    const char *group, *keys, *command, *scope, *doc;
};

static struct value get_group(const void *row)
{
    return value_text(((const struct help_row *)row)->group);
}

static struct value get_keys(const void *row)
{
    return value_text(((const struct help_row *)row)->keys);
}

static struct value get_command(const void *row)
{
    return value_text(((const struct help_row *)row)->command);
}

static struct value get_scope(const void *row)
{
    return value_text(((const struct help_row *)row)->scope);
}

static struct value get_doc(const void *row)
{
    return value_text(((const struct help_row *)row)->doc);
}

static const struct column columns[] = {
    {"keys", "Keys", "keys", UNIT_TEXT, get_keys, "Keys that do it.", 0},
    {"what", "What It Does", "what it does", UNIT_TEXT, get_doc, "What the keys do.", COLUMN_NAME},
    {"command", "Command", "command", UNIT_TEXT, get_command,
     "The same on the command line that : opens; a unique beginning is enough.", 0},
    {"group", "Group", "group", UNIT_TEXT, get_group, "What kind of action it is.", COLUMN_WIDE},
    {"scope", "Where", "where", UNIT_TEXT, get_scope, "In which views it means something.",
     COLUMN_WIDE},
};

// Without the wheel, which needs no telling.
static const char *keys_text(const char *keys, struct arena *arena)
{
    const char *wheel = strstr(keys, " Wheel");
    return wheel ? arena_copy(arena, keys, (size_t)(wheel - keys)) : keys;
}

// "1-5 7-9 0": the digits of views, in the order of the keyboard.
static const char *digits_text(struct arena *arena)
{
    static const char digits[] = "1234567890";
    const char *text = "";
    for (size_t i = 0, last; digits[i]; i = last + 1) {
        last = i;
        if (!view_class_find((char[]){digits[i], 0}))
            continue;
        while (digits[last + 1] > '0' && view_class_find((char[]){digits[last + 1], 0}))
            last++;
        text = arena_format(arena, "%s%s%c", text, *text ? " " : "", digits[i]);
        if (last > i)
            text = arena_format(arena, "%s-%c", text, digits[last]);
    }
    return text;
}

// Those, and the key that lists all views.
static const char *view_keys_text(struct arena *arena)
{
    const char *keys = keys_text(action_keys(ACTION_VIEW), arena), *other = strrchr(keys, ' ');
    return arena_format(arena, "%s%s", digits_text(arena),
                        other && !strchr("0123456789", other[1]) ? other : "");
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    (void)profile, (void)selection;
    struct help_row *rows = ARENA_ARRAY(arena, struct help_row, ACTION_COUNT);
    for (size_t i = 0; i < ACTION_COUNT; i++)
        rows[i] = (struct help_row){
            .group = actions[i].group,
            // One form of each is enough here; digits are a row of their own.
            .keys = i == ACTION_VIEW ? view_keys_text(arena)
                                     : keys_text(action_keys((enum action)i), arena),
            .command = actions[i].argument
                           ? arena_format(arena, ":%s %s", actions[i].name, actions[i].argument)
                           : arena_format(arena, ":%s", actions[i].name),
            .scope = action_scope_names[actions[i].scope],
            .doc = actions[i].doc,
        };
    return (struct rows){.items = rows, .count = ACTION_COUNT, .caption = "Keys and commands"};
}

const struct report help_report = {
    .name = "help",
    .title = "Keys and commands",
    .doc = "Every action of the screen.",
    .row_size = sizeof(struct help_row),
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
    .build = build,
};

static bool act(struct view *view, enum action action)
{
    if (action != ACTION_ENTER)
        return table_view_act(view, action);
    // Enter does what the row says, in the view one came from.
    const struct help_row *row = table_row(&view->table);
    struct app *app = view->app;
    if (!row)
        return false;
    char command[64];
    snprintf(command, sizeof command, "%.*s", (int)strcspn(row->command + 1, " "),
             row->command + 1);
    app_back(app, "");
    app_run_command(app, command);
    return true;
}

static const char *enters(struct view *view)
{
    return table_row(&view->table) ? "does it" : NULL;
}

const struct view_class view_help = {
    .name = "help",
    .title = "Help",
    .doc = "all keys and commands",
    .kinds = KIND_HELP,
    .own_report = &help_report,
    .name_share = 62,
    .draw = table_view_draw,
    .act = act,
    .enters = enters,
};
