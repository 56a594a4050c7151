// SPDX-License-Identifier: Apache-2.0
// Actions: everything the user can do, by a key or a `:` command. ONE table defines key bindings,
// footer, help screen, commands, --list=actions and the manual.
//
// The table is in ui/app/action_list.c, because its rows refer to functions of all folders of ui/.
// It is passed to action_use_rows() when the program starts.
//
// To add an action, add one row to action_list.c with the function that performs it (`run`). If
// other code must name the action, begin the row with [ACTION_X] =; from this the build generates
// the constant of enum action.
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

// Kinds of views. They decide which actions apply: a key has at most one action per kind.
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

// The kinds of views in which an action applies (action_scope_kinds).
enum action_scope {
    SCOPE_EVERYWHERE,
    SCOPE_ROWS, // views of rows with columns
    SCOPE_TABLE,
    SCOPE_TREE,
    SCOPE_FLAME,
    SCOPE_NESTED, // rows nested in each other, as a tree or as boxes
    SCOPE_ITERATIONS,
    SCOPE_TIMELINE,
    SCOPE_NAMES,  // views that show names
    SCOPE_CHARTS, // charts with a horizontal axis of steps or time
    SCOPE_MARKS,  // rows and steps, which can be marked in spans and left out
    SCOPE_MARKED, // rows, steps and findings, which can be marked one by one
    SCOPE_TEXTS,  // views whose texts may be longer than the room for them
    SCOPE_COUNT,
};
extern const char *const action_scope_names[SCOPE_COUNT];
extern const unsigned action_scope_kinds[SCOPE_COUNT]; // bits of enum view_kind

enum action {
    ACTION_NONE = -1,
#include "ui/term/action_ids.h" // constants of the rows [ACTION_X], in the order of the table
    // Rows without a constant come last in the table: from here to MAX_ACTIONS.
    ACTION_UNNAMED,
};
enum { MAX_ACTIONS = ACTION_UNNAMED + 64 }; // action_list.c asserts it

// What an action may affect. Commands in session files are limited to REACH_SCREEN.
enum action_reach {
    REACH_SCREEN,
    REACH_FILES, // writes files, or asks for the name of a file
    REACH_OUT,   // ends or suspends the program, or starts another one
};

struct action_row {
    const char *name; // of the command, without the colon: "sort-left"
    const char *keys; // default keys, separated by blanks; "": none
    enum action_scope scope;
    const char *group;                        // heading in the help: "Moving"
    const char *label;                        // in the footer; NULL: not shown there
    const char *argument;                     // argument of the command: "COLUMN"; NULL: none
    const struct completion_source *complete; // values that Tab completes, or NULL
    const char *doc;                          // text for action_doc()
    // Hint in the line above the footer: a word or two, the kinds of views that show it, and a
    // function that tells whether it applies now (NULL: always). Consecutive actions with the same
    // hint share one entry.
    const char *hint;
    unsigned hint_kinds;
    bool (*applies)(struct view *view);
    bool applies_by_row; // applies() depends on the row under the cursor
    enum action_reach reach;
    bool ignores_rows; // does not depend on the rows, so it does not wait for late rows, ...
    unsigned waits_in; // ... except in these views (enum view_kind)
    // Performs the action; NULL: the view does, in act(). `argument` is "" if a key was pressed.
    void (*run)(struct app *app, const char *argument);
};

// The table, indexed by enum action; NULL before action_use_rows(), when no action is found.
extern const struct action_row *actions;
extern size_t action_count;
void action_use_rows(const struct action_row *rows, size_t count); // keeps the pointer

// Returns the action of a key in a view of these kinds, or ACTION_NONE.
enum action action_of_key(uint32_t key, unsigned kinds);
enum action action_find(const char *name); // by name; ACTION_NONE: not found
// Finds the action of a typed command: its name, a command of vim such as "q", or an unambiguous
// prefix. If `fits` is not NULL, sets it to the number of names with that prefix.
enum action command_action(const char *word, size_t *fits);

// Returns the current keys of an action: its default keys, or those of the keymap (keymap.h); "" if
// it has none.
const char *action_keys(enum action action);
bool action_key(enum action action, size_t n, uint32_t *key);              // the n-th key, from 0
const char *action_first_key(enum action action, char out[KEY_NAME_SIZE]); // name of the key, or ""
// Replaces "{undo}" in a text by the first key of the action named undo, or by its command ":undo"
// if it has no key. Other text in braces stays unchanged. Only for texts of this program, not for
// texts from a profile. action_format() does the same for a printf format, cut to `size` bytes.
const char *action_text(const char *text, struct arena *arena);
const char *action_format(char *out, size_t size, const char *format);
enum { ACTION_DOC_SIZE = 400 };
const char *action_doc(enum action action, char out[ACTION_DOC_SIZE]); // what it does, for the help
// Sets the keys of all actions; NULL: the default keys. Keeps the pointer.
void action_use_keys(const char *const keys[MAX_ACTIONS]);
enum { MAX_ACTION_KEYS = 12 }; // maximum keys of one action

// The keys of ACTION_VIEW. The digit pressed is also its argument, so only digits of views work.
#define ACTION_VIEW_KEYS "1 2 3 4 5 6 7 8 9 0"

#endif
