// SPDX-License-Identifier: Apache-2.0
// What asks the user for something: a line to type, a list to choose from, a text to read.
#ifndef UI_STATE_PROMPT_H
#define UI_STATE_PROMPT_H

#include "ui/term/action.h"
#include "ui/term/canvas.h"

struct app;

enum { PROMPT_SIZE = 4096, HISTORY_MAX = 50, MENU_MAX = 400 };

enum prompt_kind {
    PROMPT_NONE,
    PROMPT_COMMAND,
    PROMPT_FILTER, // applied while typing; Esc brings the former one back
    PROMPT_SEARCH,
    PROMPT_SET,
    PROMPT_STEP, // the number of one
    PROMPT_ROW,
    PROMPT_SAVE,
    PROMPT_PAGE,
    PROMPT_SESSION,
    PROMPT_OVERWRITE, // y or n
    PROMPT_BOOKMARK,  // the letter of one
    PROMPT_JUMP,
    PROMPT_NOTHING, // FILTER or SEARCH (asked_by) where there are no rows: swallows what is typed
    PROMPT_KIND_COUNT,
};

struct prompt {
    enum prompt_kind kind;
    enum prompt_kind asked_by; // OVERWRITE: SAVE, PAGE, SESSION or COMMAND (`:copy`); NOTHING:
                               // FILTER or SEARCH
    char text[PROMPT_SIZE];    // UTF-8
    size_t length, at;         // bytes
    char before[PROMPT_SIZE];  // to restore; OVERWRITE of a COMMAND: what it was given
    char problem[400];         // what is wrong with the text as it stands
    uint64_t place;            // row id before a search moved the cursor
    char history[HISTORY_MAX][PROMPT_SIZE]; // of commands
    size_t history_count, history_at;
};

void prompt_open(struct app *app, enum prompt_kind kind, const char *text);
void prompt_open_nothing(struct app *app, enum prompt_kind asked_by);
void prompt_remember(struct prompt *prompt, const char *command); // for the arrows
void prompt_type(struct app *app, const char *text);              // as if typed
enum action prompt_action(const struct prompt *prompt);           // whose argument it asks for
void prompt_insert(struct prompt *prompt, const char *bytes, size_t count); // at the cursor

struct menu {
    bool is_open;
    const char *title;
    size_t count, cursor, top;
    struct {
        char label[100], argument[120];
        bool is_current;
    } items[MENU_MAX];
    void (*choose)(struct app *app, const char *argument);
    // Of a key that means something on the entry under the cursor, before the menu's own keys;
    // NULL: none does. False: it does not.
    bool (*key)(struct app *app, uint32_t key, const char *argument);
    bool stays;       // choosing does not close it
    struct area area; // of the entries, as last drawn
};

void menu_open(struct app *app, const char *title,
               void (*choose)(struct app *app, const char *argument));
void menu_add(struct app *app, const char *argument, bool is_current, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void menu_key(struct app *app, uint32_t key);
void menu_click(struct app *app, int x, int y); // an entry; beside them: closes
void menu_draw(struct app *app, struct canvas *canvas);

enum box_form {
    BOX_MIDDLE, // as wide as its text needs
    BOX_BELOW,  // a note: over the lower lines, as wide as the screen
    BOX_ABOVE,
    BOX_HINT, // the first time: a key that means something does it at once
};

struct box { // a text over the screen; keys scroll it, others close it
    bool is_open;
    enum box_form form;
    char title[100];
    char text[4000];
    int top;         // first line shown
    int page, lines; // shown at once, and in all
};

void box_key(struct app *app, uint32_t key);
void box_draw(struct app *app, struct canvas *canvas);

#endif
