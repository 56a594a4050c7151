// SPDX-License-Identifier: Apache-2.0
// Signals while a terminal is in full-screen mode. Part of term_curses.c.
//
// A signal that asks the program to end sets a flag and wakes the program, which ends normally. On
// a fatal signal the terminal is restored at once, then the previous handler is called. Changes of
// the window size and the return from SIGSTOP set flags too.
#ifndef UI_TERM_TERM_SIGNALS_H
#define UI_TERM_TERM_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#include "base/error.h"

extern struct term_signal_flags {
    volatile sig_atomic_t ending; // signal number, 0: none
    volatile sig_atomic_t was_resized, was_continued;
} term_signal_flags;

// Must be called before the terminal is changed, because it saves the modes to restore.
bool term_signals_open(struct error *error);
// Adds a terminfo string to send on a fatal signal; NULL: none.
void term_signals_restore(const char *text);
void term_signals_close(void);

int term_signals_fd(void); // readable after a signal until term_signals_drain()
void term_signals_drain(void);

#endif
