// SPDX-License-Identifier: Apache-2.0
// What can be done on the screen: ONE table gives key bindings, footer, help screen, `:` commands,
// --list=actions and the manual.
//
// The table is in ui/app/action_list.c, which hands it in: its rows name functions of all rooms
// above.
//
// To add an action: one row in action_list.c with the function that does it (`run`, anywhere). If code
// has to name it, as views that know it do, the row begins with [ACTION_X] =, from which the build makes
// its name in enum action.
#ifndef UI_TERM_ACTION_H
#define UI_TERM_ACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "ui/term/key.h"

struct app;
struct completion_source;
struct view;

// What a view is; and where an action means something. A key has one action per kind of view.
enum view_kind {
    KIND_TABLE = 1, // tables and trees
    KIND_TREE = 2,
    KIND_SUMMARY = 4,
    KIND_ITERATIONS = 8,
    KIND_EXPERT = 16,
    KIND_HELP = 32,
    KIND_TIMELINE = 64,
    KIND_FLAME = 128,
    KIND_COUNT = 8,
};
#define ACTION_ALL_KINDS                                                                 \
    (KIND_TABLE | KIND_TREE | KIND_SUMMARY | KIND_ITERATIONS | KIND_EXPERT | KIND_HELP | \
     KIND_TIMELINE | KIND_FLAME)

enum action_scope {
    SCOPE_EVERYWHERE,
    SCOPE_ROWS, // wherever there are rows with columns
    SCOPE_TABLE,
    SCOPE_TREE,
    SCOPE_FLAME,
    SCOPE_NESTED, // rows below each other, as a tree or as boxes
    SCOPE_ITERATIONS,
    SCOPE_TIMELINE,
    SCOPE_NAMES,  // wherever there is something with a name
    SCOPE_CHARTS, // steps or times beside each other
    SCOPE_MARKS,  // rows and steps: what can be marked in spans, and left out
    SCOPE_MARKED, // ... and findings: what can be marked one by one
    SCOPE_TEXTS,  // wherever a text may be longer than its place
    SCOPE_COUNT,
};
extern const char *const action_scope_names[SCOPE_COUNT];
extern const unsigned action_scope_kinds[SCOPE_COUNT]; // enum view_kind, joined

enum action {
    ACTION_NONE = -1,
#include "ui/term/action_ids.h" // a name for each row of the list, in its order
    // Rows at the end of the list that no code names follow here, up to MAX_ACTIONS.
    ACTION_UNNAMED,
};
enum { MAX_ACTIONS = ACTION_UNNAMED + 64 }; // action_list.c asserts it

// How far an action reaches. What a file asks for (sessions) stays on the screen.
enum action_reach {
    REACH_SCREEN,
    REACH_FILES, // writes some, or asks for one's name
    REACH_OUT,   // ends or suspends the program, or starts another one
};

struct action_row {
    const char *name; // of the command: ":sort-left"
    const char *keys; // by default, separated by blanks; "": it has none
    enum action_scope scope;
    const char *group;                        // "Moving": heading in the help
    const char *label;                        // in the footer, NULL: not there
    const char *argument;                     // what a command takes: "COLUMN", NULL: nothing
    const struct completion_source *complete; // what that is one of beside its own words, or NULL
    const char *doc;                          // for action_doc()
    // In the line over the footer: what it does in a word or two, in views of which kinds, and
    // whether it means something there (NULL: always). Neighbours that say the same share it.
    const char *hint;
    unsigned hint_kinds;
    bool (*applies)(struct view *view);
    bool applies_by_row; // it asks the row under the cursor
    enum action_reach reach;
    bool ignores_rows; // does the same whichever the view has: late ones are not waited for, ...
    unsigned waits_in; // ... but in these: enum view_kind
    // NULL: views do it, in act(). `argument` is "" when the key was pressed.
    void (*run)(struct app *app, const char *argument);
};

// The table, by enum action; NULL until action_use_rows(): then no key and no name means anything.
extern const struct action_row *actions;
extern size_t action_count;
void action_use_rows(const struct action_row *rows, size_t count); // which stay

// The action of a key in a view of these kinds, or ACTION_NONE.
enum action action_of_key(uint32_t key, unsigned kinds);
enum action action_find(const char *name); // by the name of its command, or ACTION_NONE
// The same of a command as typed: a name, a word of vim's (q) or a beginning that only one has
// (`fits`, unless NULL: how many have it).
enum action command_action(const char *word, size_t *fits);

// The keys of an action as they are: of the table, unless a keymap says otherwise (keymap.h).
// "": it has none.
const char *action_keys(enum action action);
bool action_key(enum action action, size_t n, uint32_t *key); // the n-th of them (0, 1, ...)
const char *action_first_key(enum action action, char out[KEY_NAME_SIZE]); // by its name, or ""
// A text in which "{undo}" stands for the first key of that action, or its command, ":undo", where
// it has none; what names no action stays as it is. For texts of the program: what comes from a
// profile is none. The second is of a printf format, cut to `size` bytes.
const char *action_text(const char *text, struct arena *arena);
const char *action_format(char *out, size_t size, const char *format);
enum { ACTION_DOC_SIZE = 400 };
const char *action_doc(enum action action, char out[ACTION_DOC_SIZE]); // what it does, such a text
// NULL: those of the table; else they must stay as they are.
void action_use_keys(const char *const keys[MAX_ACTIONS]);
enum { ACTION_KEYS_MOST = 12 }; // of one action

// Digits are keys of ACTION_VIEW and its argument at once: those that are a view's.
#define ACTION_VIEW_KEYS "1 2 3 4 5 6 7 8 9 0"

#endif
