// SPDX-License-Identifier: Apache-2.0
// Reads a keymap file. A clash means that two actions have the same key in the same kind of view.
#include "ui/app/keymap.h"

#include <string.h>

#include "base/parse/yaml.h"
#include "base/text/text.h"
#include "ui/state/view_classes.h"
#include "ui/term/action.h"
#include "ui/term/key.h"

struct keymap_reading {
    struct arena *arena;
    struct keymap *keymap;
    // Per action: the node of the file with its keys; NULL: default keys.
    const struct yaml_node *nodes[MAX_ACTIONS];
};

static void note(struct keymap_reading *reading, const char *text)
{
    struct keymap *keymap = reading->keymap;
    ARENA_PUSH(reading->arena, keymap->notes, keymap->note_count, keymap->note_capacity) = text;
}

// Returns "keys.yaml:3:1", the position of the action.
static const char *place_of(const struct keymap_reading *reading, const struct yaml_node *node)
{
    return arena_format(reading->arena, "%s:%d:%d", text_file_name(node->file, NULL),
                        node->key_line, node->key_column);
}

// ---- the keys of one action ---------------------------------------------------------------------

// Adds the names in a scalar, separated by blanks. Returns false if one of them is no key.
static bool names_add(struct keymap_reading *reading, const struct yaml_node *node,
                      const char *text, const char **keys, size_t *count)
{
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        size_t length = strcspn(text, " ");
        const char *name = arena_copy(reading->arena, text, length);
        uint32_t key;
        text += length;
        if (length >= KEY_NAME_SIZE || !key_parse(name, &key)) {
            note(reading, arena_format(reading->arena,
                                       "%s: no key is named '%.20s' (j, C-d, F5, Esc, PgDn, Space, "
                                       "S-Tab): '%s' keeps its keys",
                                       place_of(reading, node), name, node->key));
            return false;
        }
        if (++*count > MAX_ACTION_KEYS) {
            note(reading, arena_format(reading->arena, "%s: more than %d keys for '%s'",
                                       place_of(reading, node), MAX_ACTION_KEYS, node->key));
            return false;
        }
        *keys = arena_format(reading->arena, "%s%s%s", *keys, **keys ? " " : "", name);
    }
    return true;
}

// Reads "down: j", "down: [j, Down]" or "down: []". Otherwise adds a note and returns false.
static bool keys_read(struct keymap_reading *reading, const struct yaml_node *node,
                      const char **keys)
{
    size_t count = 0;
    *keys = "";
    if (node->kind == YAML_SCALAR)
        return names_add(reading, node, node->text, keys, &count);
    for (size_t i = 0; i < node->child_count; i++) {
        const struct yaml_node *item = &node->children[i];
        if (node->kind != YAML_SEQUENCE || item->kind != YAML_SCALAR) {
            note(reading, arena_format(reading->arena, "%s: '%s' takes names of keys, or a list",
                                       place_of(reading, node), node->key));
            return false;
        }
        if (!names_add(reading, node, item->text, keys, &count))
            return false;
    }
    return true;
}

static void entry_read(struct keymap_reading *reading, const struct yaml_node *node)
{
    enum action action = action_find(node->key);
    const char *keys;
    if (action == ACTION_NONE) {
        note(reading,
             arena_format(reading->arena, "%s: no action is named '%.40s'; :help lists them",
                          place_of(reading, node), node->key));
    } else if (action == ACTION_VIEW) {
        note(reading, arena_format(reading->arena, "%s: the keys of 'view' are the views' numbers",
                                   place_of(reading, node)));
    } else if (keys_read(reading, node, &keys)) {
        if (action == ACTION_INTERRUPT && !key_list_has(keys, 3)) {
            note(reading, arena_format(reading->arena, "%s: C-c stays 'interrupt', the way out",
                                       place_of(reading, node)));
            return;
        }
        reading->keymap->keys[action] = keys;
        reading->nodes[action] = node;
    }
}

// ---- clashes -----------------------------------------------------------------------------------

static bool share_view_kind(enum action a, enum action b)
{
    return action_scope_kinds[actions[a].scope] & action_scope_kinds[actions[b].scope];
}

// Returns the first action that has one of the keys in a common kind of view; ACTION_NONE if none.
static enum action clash_find(const struct keymap *keymap, enum action action, uint32_t *key)
{
    for (size_t n = 0; key_list_at(keymap->keys[action], n, key); n++)
        for (enum action other = 0; (size_t)other < action_count; other++)
            if (other != action && share_view_kind(action, other) &&
                key_list_has(keymap->keys[other], *key))
                return other;
    return ACTION_NONE;
}

// Resolves clashes: the action whose keys are from the file gets its default keys again; if both
// are from the file, the later one does. Its default keys may clash with a third action, so this is
// repeated until there are no clashes.
static void clashes_settle(struct keymap_reading *reading)
{
    struct keymap *keymap = reading->keymap;
    for (bool is_settled = false; !is_settled;) {
        is_settled = true;
        for (enum action a = 0; (size_t)a < action_count; a++) {
            uint32_t key;
            enum action rival = reading->nodes[a] ? clash_find(keymap, a, &key) : ACTION_NONE;
            if (rival == ACTION_NONE)
                continue;
            const struct yaml_node *own_node = reading->nodes[a],
                                   *rival_node = reading->nodes[rival];
            enum action loser = a;
            if (rival_node && rival_node->key_line > own_node->key_line) {
                loser = rival;
                rival_node = own_node;
                own_node = reading->nodes[rival];
            }
            char name[KEY_NAME_SIZE];
            const char *rival_text =
                rival_node ? arena_format(reading->arena, "'%s' of line %d", rival_node->key,
                                          rival_node->key_line)
                           : arena_format(reading->arena, "'%s'", actions[rival].name);
            note(reading,
                 arena_format(reading->arena, "%s: %s is the key of %s, too: '%s' keeps %s",
                              place_of(reading, own_node), key_text(key, name), rival_text,
                              actions[loser].name, actions[loser].keys));
            keymap->keys[loser] = actions[loser].keys;
            reading->nodes[loser] = NULL;
            is_settled = false;
        }
    }
}

// ---- the file ----------------------------------------------------------------------------------

static bool root_read(struct arena *arena, const struct yaml_node *root, struct keymap *keymap,
                      struct error *error)
{
    struct keymap_reading reading = {.arena = arena, .keymap = keymap};
    if (root->kind != YAML_MAPPING)
        return yaml_fail(root, error, "a keymap is a mapping of actions to keys");
    for (enum action a = 0; (size_t)a < action_count; a++)
        keymap->keys[a] = actions[a].keys;
    for (size_t i = 0; i < root->child_count; i++)
        entry_read(&reading, &root->children[i]);
    clashes_settle(&reading);
    for (enum action a = 0; (size_t)a < action_count; a++)
        keymap->changed += reading.nodes[a] != NULL;
    return true;
}

bool keymap_parse(struct arena *arena, const char *file, const char *text, size_t length,
                  struct keymap *keymap, struct error *error)
{
    *keymap = (struct keymap){.file = file};
    const struct yaml_node *root = yaml_parse(arena, file, text, length, error);
    return root && root_read(arena, root, keymap, error);
}

bool keymap_read(struct arena *arena, const char *path, struct keymap *keymap, struct error *error)
{
    *keymap = (struct keymap){.file = path};
    const struct yaml_node *root = yaml_read(arena, path, error);
    return root && root_read(arena, root, keymap, error);
}

void keymap_use(const struct keymap *keymap)
{
    action_use_keys(keymap ? keymap->keys : NULL);
}
