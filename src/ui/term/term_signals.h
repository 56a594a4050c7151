// SPDX-License-Identifier: Apache-2.0
// Signals while a terminal is in full-screen mode. Part of term_curses.c.
//
// One that asks to end is noted and wakes the program, which ends as usual; a fatal one restores the
// terminal at once and goes on to whoever had it before. Changes of the size and the return from
// SIGSTOP are noted.
#ifndef UI_TERM_SIGNALS_H
#define UI_TERM_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#include "base/error.h"

extern struct term_notes {
    volatile sig_atomic_t ending; // number of the signal, 0: none
    volatile sig_atomic_t was_resized, was_continued;
} term_notes;

// Before anything changes the terminal, so that whoever ends us finds how it was.
bool term_signals_open(struct error *error);
void term_signals_restore(const char *text); // which send this, too: of terminfo, NULL: none
void term_signals_close(void);

int term_signals_fd(void); // readable once something is noted, until term_signals_drain()
void term_signals_drain(void);

#endif
