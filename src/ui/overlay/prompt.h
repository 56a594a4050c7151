// SPDX-License-Identifier: Apache-2.0
// Prompts, menus and boxes: a line to type, a list to choose from, a text to read.
#ifndef UI_OVERLAY_PROMPT_H
#define UI_OVERLAY_PROMPT_H

#include "ui/term/action.h"
#include "ui/term/canvas.h"

struct app;

enum { PROMPT_SIZE = 4096, MAX_HISTORY = 50, MAX_MENU_ITEMS = 400 };

enum prompt_kind {
    PROMPT_NONE,
    PROMPT_COMMAND,
    PROMPT_FILTER, // applied while typing; Esc restores the former filter
    PROMPT_SEARCH,
    PROMPT_SET,
    PROMPT_STEP, // the number of a step
    PROMPT_ROW,
    PROMPT_SAVE,
    PROMPT_PAGE,
    PROMPT_SESSION,
    PROMPT_OVERWRITE, // y or n
    PROMPT_BOOKMARK,  // the letter of a bookmark
    PROMPT_JUMP,
    PROMPT_NOTHING, // FILTER or SEARCH (asked_by) in a view without rows: ignores input
    PROMPT_KIND_COUNT,
};

struct prompt {
    enum prompt_kind kind;
    // For OVERWRITE: SAVE, PAGE, SESSION or COMMAND (`:copy`); for NOTHING: FILTER or SEARCH.
    enum prompt_kind asked_by;
    char text[PROMPT_SIZE];                 // UTF-8
    size_t length, at;                      // bytes
    char before[PROMPT_SIZE];               // text to restore; OVERWRITE of a COMMAND: its argument
    char problem[400];                      // error message for the current text; "": none
    uint64_t place;                         // row under the cursor when the prompt was opened
    char history[MAX_HISTORY][PROMPT_SIZE]; // former commands
    size_t history_count, history_at;
};

void prompt_open(struct app *app, enum prompt_kind kind, const char *text);
void prompt_open_nothing(struct app *app, enum prompt_kind asked_by);
void prompt_remember(struct prompt *prompt, const char *command); // for the arrow keys
void prompt_type(struct app *app, const char *text);              // as if typed

struct menu {
    bool is_open;
    const char *title;
    size_t count, cursor, top;
    struct {
        char label[100], argument[120];
        bool is_current;
    } items[MAX_MENU_ITEMS];
    void (*choose)(struct app *app, const char *argument);
    // Handles a key on the entry under the cursor before the menu's own keys do. Returns false if
    // the key has no meaning there. May be NULL.
    bool (*key)(struct app *app, uint32_t key, const char *argument);
    bool stays;       // choosing does not close the menu
    struct area area; // area of the entries, as last drawn
};

void menu_open(struct app *app, const char *title,
               void (*choose)(struct app *app, const char *argument));
void menu_add(struct app *app, const char *argument, bool is_current, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void menu_key(struct app *app, uint32_t key);
void menu_click(struct app *app, int x, int y); // chooses an entry; outside of them: closes
void menu_draw(struct app *app, struct canvas *canvas);

enum box_form {
    BOX_MIDDLE, // in the middle of the screen
    BOX_BELOW,  // a note: over the lower lines, as wide as the screen
    BOX_ABOVE,
    BOX_HINT, // shown once; keys close it and also have their usual effect
};

struct box { // a text over the screen; scroll keys scroll it, others close it
    bool is_open;
    enum box_form form;
    char title[100];
    char text[4000];
    int top;         // first line shown
    int page, lines; // lines shown at once; lines in all
};

void box_key(struct app *app, uint32_t key);
void box_draw(struct app *app, struct canvas *canvas);

#endif
