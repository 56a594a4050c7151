// SPDX-License-Identifier: Apache-2.0
// The terminal. term_curses.c is the only file that knows curses.
//
// Drawing sends only what differs from the screen as it is. The terminal is restored by
// term_close(), by every signal that ends the program, and while the program is suspended.
#ifndef UI_TERM_H
#define UI_TERM_H

#include "ui/term/canvas.h"
#include "ui/term/theme.h"

bool term_open(bool mouse, struct error *error); // false: no terminal, or one that is not known
void term_close(void);
bool term_has_colours(void);
void term_size(int *width, int *height);
void term_draw(const struct canvas *canvas, const struct theme *theme, unsigned theme_serial);
void term_redraw(void);  // what the terminal shows is not to be trusted
void term_suspend(void); // returns when the program is continued

bool term_send(const char *bytes, size_t length); // as they are; false: no terminal, or it failed
// Runs a program in the terminal as it was before, and takes that back; see program_run().
bool term_run(char *const argv[], struct error *error);

void term_mouse(bool is_on); // to the program, or to the terminal's own selection

// What terminfo says of $TERM, without touching the terminal. False: it knows no such terminal.
struct term_facts {
    int colours; // 0: none
    bool has_mouse;
    bool has_places; // the cursor can be put anywhere
};
bool term_describe(struct term_facts *facts);

// The next key without waiting, KEY_NONE_PRESSED: none. What the mouse does sets the place.
uint32_t term_key(int *x, int *y);

// Waits until there is a key, a byte on `fd` (-1: none) or `timeout_ms` passed (-1: for ever).
// False: a signal asks to end; its number is in *signal.
bool term_wait(int fd, int timeout_ms, int *signal);

#endif
