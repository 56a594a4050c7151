// SPDX-License-Identifier: Apache-2.0
// The clipboard of a terminal, by OSC 52: who takes it, and the bytes to send.
//
// No terminal says for certain that it takes a text: environment variables tell of some, and over SSH
// of few. A terminal that does not know the sequence ignores it, so it is sent
// wherever nothing speaks against it, and what people are told is how sure it is.
#ifndef UI_CLIPBOARD_H
#define UI_CLIPBOARD_H

#include "base/arena.h"

struct clipboard {
    enum clipboard_sure {
        CLIPBOARD_NONE, // known to have none
        CLIPBOARD_MAYBE,
        CLIPBOARD_SURE,
    } sure;
    enum clipboard_wrap {
        WRAP_NONE,
        WRAP_TMUX,   // tmux takes it itself, or passes it on in a wrapping of its own
        WRAP_SCREEN, // GNU screen passes on what is wrapped, in pieces
    } wrap;
    const char *who;    // "kitty", "tmux"; constant
    const char *advice; // what must be set there, or NULL
};

// What clipboards take at most: 100,000 bytes with base64 around them.
enum { CLIPBOARD_MOST = 70000 };

// By the environment; `variable` is getenv(). Terminfo's Ms says nothing more: most terminals call
// themselves xterm-256color, whose entry has it, and GNU screen's lacks it.
struct clipboard clipboard_find(char *(*variable)(const char *name));

// The bytes that hand over a text of at most CLIPBOARD_MOST bytes; *size without a final NUL.
char *clipboard_bytes(struct arena *arena, enum clipboard_wrap wrap, const char *text,
                      size_t length, size_t *size);

#endif
