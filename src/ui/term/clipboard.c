// SPDX-License-Identifier: Apache-2.0
// Terminal multiplexers (tmux, GNU screen) run inside another terminal, the outer one. They pass a
// sequence on to it only if it is wrapped in a sequence of their own.
#include "ui/term/clipboard.h"

#include <string.h>

#include "base/text/base64.h"

// Clipboards by environment variable; the first row that matches is used. Multiplexers are listed
// first, because the variables of the outer terminal may be set inside them too. Sources: the
// manuals of these programs on OSC 52.
static const struct clipboard_row {
    const char *variable, *begins; // begins: prefix of the value; "": any value
    struct clipboard clipboard;
} rows[] = {
    {"TMUX", "", {CLIPBOARD_MAYBE, WRAP_TMUX, "tmux", "set -g set-clipboard on"}},
    {"TERM", "tmux", {CLIPBOARD_MAYBE, WRAP_TMUX, "tmux", "set -g set-clipboard on"}},
    {"STY", "", {CLIPBOARD_MAYBE, WRAP_SCREEN, "the terminal around screen", NULL}},
    {"TERM", "screen", {CLIPBOARD_MAYBE, WRAP_SCREEN, "the terminal around screen", NULL}},
    {"TERM", "linux", {CLIPBOARD_NONE, WRAP_NONE, "the console", NULL}},
    {"TERM", "dumb", {CLIPBOARD_NONE, WRAP_NONE, "a dumb terminal", NULL}},
    {"TERM", "vt", {CLIPBOARD_NONE, WRAP_NONE, "a vt terminal", NULL}},
    {"TERM_PROGRAM", "Apple_Terminal", {CLIPBOARD_NONE, WRAP_NONE, "Terminal.app", NULL}},
    {"TERM_PROGRAM",
     "iTerm",
     {CLIPBOARD_MAYBE, WRAP_NONE, "iTerm2",
      "Settings, General, Selection: applications may access clipboard"}},
    {"TERM_PROGRAM", "WezTerm", {CLIPBOARD_SURE, WRAP_NONE, "WezTerm", NULL}},
    {"TERM", "wezterm", {CLIPBOARD_SURE, WRAP_NONE, "WezTerm", NULL}},
    {"TERM", "xterm-kitty", {CLIPBOARD_SURE, WRAP_NONE, "kitty", NULL}},
    {"KITTY_WINDOW_ID", "", {CLIPBOARD_SURE, WRAP_NONE, "kitty", NULL}},
    {"TERM", "alacritty", {CLIPBOARD_SURE, WRAP_NONE, "alacritty", NULL}},
    {"ALACRITTY_WINDOW_ID", "", {CLIPBOARD_SURE, WRAP_NONE, "alacritty", NULL}},
    {"TERM", "foot", {CLIPBOARD_SURE, WRAP_NONE, "foot", NULL}},
    {"TERM", "xterm-ghostty", {CLIPBOARD_SURE, WRAP_NONE, "ghostty", NULL}},
    {"WT_SESSION", "", {CLIPBOARD_SURE, WRAP_NONE, "Windows Terminal", NULL}},
    {"XTERM_VERSION",
     "",
     {CLIPBOARD_MAYBE, WRAP_NONE, "xterm", "XTerm*disallowedWindowOps without SetSelection"}},
};

struct clipboard clipboard_find(char *(*variable)(const char *name))
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *value = variable(rows[i].variable);
        if (value && *value && strncmp(value, rows[i].begins, strlen(rows[i].begins)) == 0)
            return rows[i].clipboard;
    }
    return (struct clipboard){CLIPBOARD_MAYBE, WRAP_NONE, "the terminal", NULL};
}

struct byte_buffer {
    char *items;
    size_t count;
};

static void add(struct byte_buffer *bytes, const char *text, size_t length)
{
    memcpy(bytes->items + bytes->count, text, length);
    bytes->count += length;
}

static void add_text(struct byte_buffer *bytes, const char *text)
{
    add(bytes, text, strlen(text));
}

char *clipboard_bytes(struct arena *arena, enum clipboard_wrap wrap, const char *text,
                      size_t length, size_t *size)
{
    enum { MAX_PIECE = 240 }; // older versions of screen accept at most 256 bytes at once
    size_t code_length = BASE64_SIZE(length) - 1;
    char *code = base64(ARENA_ARRAY(arena, char, code_length + 1), text, length);
    struct byte_buffer bytes = {
        ARENA_ARRAY(arena, char, 2 * code_length + (code_length / MAX_PIECE + 2) * 8 + 64), 0};
    if (wrap == WRAP_SCREEN) {
        add_text(&bytes, "\033P\033]52;c;");
        for (size_t at = 0; at < code_length; at += MAX_PIECE) {
            if (at > 0)
                add_text(&bytes, "\033\\\033P");
            add(&bytes, code + at, code_length - at < MAX_PIECE ? code_length - at : MAX_PIECE);
        }
        add_text(&bytes, "\a\033\\");
    } else {
        add_text(&bytes, "\033]52;c;");
        add(&bytes, code, code_length);
        add_text(&bytes, "\a");
    }
    // With the option set-clipboard tmux handles the plain sequence itself; with allow-passthrough
    // it passes the wrapped one to the outer terminal. The options cannot be queried, so both
    // sequences are sent, with the same text.
    if (wrap == WRAP_TMUX) {
        add_text(&bytes, "\033Ptmux;\033\033]52;c;");
        add(&bytes, code, code_length);
        add_text(&bytes, "\a\033\\");
    }
    *size = bytes.count;
    return bytes.items;
}
