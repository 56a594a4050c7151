// SPDX-License-Identifier: Apache-2.0
// The user's own keys: a YAML file of `action: keys`, over the keys of the action table.
//
//     down: j Down          # these and no others
//     theme: []             # no key at all; `:theme` still works
//
// What cannot be taken is left out, one note each, and that action keeps the keys of the table: an
// action or a key that does not exist, and a key that something else has where both mean something.
// So a keymap never leaves somebody without a way out.
#ifndef UI_APP_KEYMAP_H
#define UI_APP_KEYMAP_H

#include "base/arena.h"
#include "base/error.h"
#include "ui/term/action.h"

struct keymap {
    const char *file;               // NULL: there is none
    const char *keys[ACTION_COUNT]; // of the file, else of the table; texts of the arena
    size_t changed;                 // actions that have keys of the file
    const char **notes;             // "keys.yaml:3:1: 'theme': no key is named Foo", in file order
    size_t note_count, note_capacity;
};

// False: the file is no mapping of actions to keys, or cannot be read ("file:line:column: why").
bool keymap_parse(struct arena *arena, const char *file, const char *text, size_t length,
                  struct keymap *keymap, struct error *error);
bool keymap_read(struct arena *arena, const char *path, struct keymap *keymap, struct error *error);

// From then on these are the keys; NULL: those of the table. The keymap must stay.
void keymap_use(const struct keymap *keymap);

#endif
