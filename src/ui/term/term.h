// SPDX-License-Identifier: Apache-2.0
// The terminal. term_curses.c is the only file that uses curses.
//
// Drawing sends only the differences to the current screen. The terminal is restored by
// term_close(), by every signal that ends the program, and while the program is suspended.
#ifndef UI_TERM_TERM_H
#define UI_TERM_TERM_H

#include "ui/term/canvas.h"
#include "ui/term/theme.h"

bool term_open(bool mouse, struct error *error); // false: no terminal, or of unknown type
void term_close(void);
bool term_has_colours(void);
void term_size(int *width, int *height);
void term_draw(const struct canvas *canvas, const struct theme *theme, unsigned theme_serial);
void term_redraw(void);  // the next term_draw() repaints the whole screen
void term_suspend(void); // returns when the program is continued

// Sends bytes unchanged. Returns false if there is no terminal or on an error.
bool term_send(const char *bytes, size_t length);
// Runs a program in the terminal's original mode, then returns to full-screen mode; see
// program_run().
bool term_run(char *const argv[], struct error *error);

// Directs mouse events to the program, or to the terminal's own selection.
void term_mouse(bool is_on);

// Reads what terminfo knows of $TERM, without touching the terminal. Returns false for an unknown
// terminal.
struct term_facts {
    int colours; // 0: none
    bool has_mouse;
    bool can_move_cursor; // the cursor can be put anywhere
};
bool term_describe(struct term_facts *facts);

// Returns the next key without waiting, KEY_NONE_PRESSED if there is none. Mouse keys set the
// place.
uint32_t term_key(int *x, int *y);

// Waits for a key, a byte on `fd` (-1: none) or until `timeout_ms` passed (-1: no limit). Returns
// false if a signal asks the program to end; *signal is its number.
bool term_wait(int fd, int timeout_ms, int *signal);

#endif
