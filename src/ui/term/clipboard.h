// SPDX-License-Identifier: Apache-2.0
// The clipboard of a terminal, by OSC 52: which terminals support it, and the bytes to send.
//
// Terminals do not confirm that they accepted a text. Environment variables identify some
// terminals, but few of them over SSH. Terminals that do not know the sequence ignore it. Therefore
// it is sent unless the terminal is known to have no clipboard, and the message says how certain
// success is.
#ifndef UI_TERM_CLIPBOARD_H
#define UI_TERM_CLIPBOARD_H

#include "base/arena.h"

struct clipboard {
    enum clipboard_sure {
        CLIPBOARD_NONE, // known to have no clipboard
        CLIPBOARD_MAYBE,
        CLIPBOARD_SURE,
    } sure;
    enum clipboard_wrap {
        WRAP_NONE,
        WRAP_TMUX,   // tmux stores the text itself, or passes on a wrapped sequence
        WRAP_SCREEN, // GNU screen passes on wrapped pieces
    } wrap;
    const char *who;    // "kitty", "tmux"; constant
    const char *advice; // the setting that must be enabled there, or NULL
};

// Limit of common clipboards: 100,000 bytes of base64.
enum { MAX_CLIPBOARD_BYTES = 70000 };

// Identifies the clipboard by environment variables, read with variable(), normally getenv(). The
// terminfo capability Ms is of no use: most terminals set TERM=xterm-256color, whose entry has it,
// whether or not they support it.
struct clipboard clipboard_find(char *(*variable)(const char *name));

// Returns the bytes that set the clipboard to a text of at most MAX_CLIPBOARD_BYTES bytes; *size
// excludes the final NUL.
char *clipboard_bytes(struct arena *arena, enum clipboard_wrap wrap, const char *text,
                      size_t length, size_t *size);

#endif
