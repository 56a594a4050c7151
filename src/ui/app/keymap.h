// SPDX-License-Identifier: Apache-2.0
// The user's own keys: a YAML file of `action: keys`, which override the keys of the list of
// actions.
//
//     down: j Down          # these keys and no others
//     theme: []             # no key at all; `:theme` still works
//
// Entries that cannot be used are skipped with one note each, and their actions keep the default
// keys: unknown actions and keys, and a key that another action uses in the same kind of view. So a
// faulty keymap never prevents the user from quitting.
#ifndef UI_APP_KEYMAP_H
#define UI_APP_KEYMAP_H

#include "base/arena.h"
#include "base/error.h"
#include "ui/term/action.h"

struct keymap {
    const char *file;              // NULL: there is no file
    const char *keys[MAX_ACTIONS]; // from the file, or the defaults; in the arena
    size_t changed;                // number of actions with keys from the file
    const char **notes;            // "keys.yaml:3:1: 'theme': no key is named Foo", in file order
    size_t note_count, note_capacity;
};

// Returns false if the file cannot be read or is no mapping of actions to keys; the error is
// "file:line:column: why".
bool keymap_parse(struct arena *arena, const char *file, const char *text, size_t length,
                  struct keymap *keymap, struct error *error);
bool keymap_read(struct arena *arena, const char *path, struct keymap *keymap, struct error *error);

// Makes this keymap current; NULL restores the defaults. The keymap must outlive its use.
void keymap_use(const struct keymap *keymap);

#endif
