// SPDX-License-Identifier: Apache-2.0
// Finds the action of a key or a name in the table of actions (action.h).
#include <string.h>

#include "ui/term/action.h"

const char *const action_scope_names[SCOPE_COUNT] = {
    [SCOPE_EVERYWHERE] = "everywhere",
    [SCOPE_ROWS] = "rows",
    [SCOPE_TABLE] = "tables",
    [SCOPE_TREE] = "trees",
    [SCOPE_ITERATIONS] = "iterations",
    [SCOPE_TIMELINE] = "timeline",
    [SCOPE_CHARTS] = "charts",
    [SCOPE_MARKS] = "tables, iterations",
    [SCOPE_NAMES] = "rows, timeline",
    [SCOPE_FLAME] = "flame",
    [SCOPE_NESTED] = "trees, flame",
    [SCOPE_TEXTS] = "rows, findings",
    [SCOPE_MARKED] = "rows, iterations, findings",
};
const unsigned action_scope_kinds[SCOPE_COUNT] = {
    [SCOPE_EVERYWHERE] = ACTION_ALL_KINDS,
    [SCOPE_ROWS] = KIND_TABLE | KIND_HELP,
    [SCOPE_TABLE] = KIND_TABLE,
    [SCOPE_TREE] = KIND_TREE,
    [SCOPE_FLAME] = KIND_FLAME,
    [SCOPE_NESTED] = KIND_TREE | KIND_FLAME,
    [SCOPE_ITERATIONS] = KIND_ITERATIONS,
    [SCOPE_TIMELINE] = KIND_TIMELINE,
    [SCOPE_CHARTS] = KIND_ITERATIONS | KIND_TIMELINE,
    [SCOPE_MARKS] = KIND_TABLE | KIND_ITERATIONS,
    [SCOPE_MARKED] = KIND_TABLE | KIND_ITERATIONS | KIND_EXPERT,
    [SCOPE_NAMES] = KIND_TABLE | KIND_HELP | KIND_TIMELINE,
    [SCOPE_TEXTS] = KIND_TABLE | KIND_HELP | KIND_EXPERT,
};

const struct action_row *actions = NULL;
size_t action_count = 0;

static const char *const *keys_in_use = NULL; // per action, from the keymap; NULL: default keys

// Cache of the parsed keys of each action, because each key press and each frame searches all.
static struct {
    uint32_t keys[MAX_ACTION_KEYS];
    size_t count;
} parsed_keys[MAX_ACTIONS];
static bool keys_are_parsed = false;

void action_use_rows(const struct action_row *rows, size_t count)
{
    actions = rows;
    action_count = count;
    keys_are_parsed = false;
}

void action_use_keys(const char *const keys[MAX_ACTIONS])
{
    keys_in_use = keys;
    keys_are_parsed = false;
}

static void keys_parse(void)
{
    if (keys_are_parsed || !actions)
        return;
    for (enum action action = 0; (size_t)action < action_count; action++) {
        size_t n = 0;
        while (n < MAX_ACTION_KEYS &&
               key_list_at(action_keys(action), n, &parsed_keys[action].keys[n]))
            n++;
        parsed_keys[action].count = n;
    }
    keys_are_parsed = true;
}

const char *action_keys(enum action action)
{
    return keys_in_use ? keys_in_use[action] : actions[action].keys;
}

bool action_key(enum action action, size_t n, uint32_t *key)
{
    keys_parse();
    if (n >= parsed_keys[action].count)
        return false;
    *key = parsed_keys[action].keys[n];
    return true;
}

const char *action_first_key(enum action action, char out[KEY_NAME_SIZE])
{
    uint32_t key;
    return action_key(action, 0, &key) ? key_text(key, out) : "";
}

enum action action_of_key(uint32_t key, unsigned kinds)
{
    keys_parse();
    for (enum action action = 0; actions && (size_t)action < action_count; action++) {
        bool is_here = action_scope_kinds[actions[action].scope] & kinds;
        for (size_t n = 0; is_here && n < parsed_keys[action].count; n++)
            if (parsed_keys[action].keys[n] == key)
                return action;
    }
    return ACTION_NONE;
}

enum action action_find(const char *name)
{
    for (enum action action = 0; actions && (size_t)action < action_count; action++)
        if (strcmp(actions[action].name, name) == 0)
            return action;
    return ACTION_NONE;
}

// Returns the action of a command that vim users expect.
static enum action vim_action(const char *word)
{
    static const struct {
        const char *word;
        enum action action;
    } words[] = {
        {"q", ACTION_QUIT},      {"q!", ACTION_QUIT_NOW},  {"quit!", ACTION_QUIT_NOW},
        {"qa", ACTION_QUIT_NOW}, {"qa!", ACTION_QUIT_NOW}, {"w", ACTION_SAVE},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, word) == 0)
            return words[i].action;
    return ACTION_NONE;
}

enum action command_action(const char *word, size_t *fits)
{
    enum action action = action_find(word);
    action = action == ACTION_NONE ? vim_action(word) : action;
    size_t count = 0;
    if (fits)
        *fits = 0;
    if (action != ACTION_NONE)
        return action;
    for (enum action a = 0; (size_t)a < action_count; a++) {
        if (strncmp(actions[a].name, word, strlen(word)) == 0) {
            count++;
            action = a;
        }
    }
    if (fits)
        *fits = count;
    return count == 1 ? action : ACTION_NONE;
}
