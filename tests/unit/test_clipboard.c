// SPDX-License-Identifier: Apache-2.0
// OSC 52: checks what the environment variables say about a clipboard, and the bytes that are sent.
#include <string.h>

#include "base/text/base64.h"
#include "property.h"
#include "ui/term/clipboard.h"

static const char *const (*environment)[2];

static char *variable(const char *name)
{
    for (size_t i = 0; environment[i][0]; i++)
        if (strcmp(environment[i][0], name) == 0)
            return (char *)(uintptr_t)environment[i][1];
    return NULL;
}

static void test_which_terminals_have_one(void **state)
{
    (void)state;
    static const struct {
        const char *environment[4][2];
        enum clipboard_sure sure;
        enum clipboard_wrap wrap;
        const char *who;
    } cases[] = {
        // Over SSH only TERM is passed on.
        {{{"TERM", "xterm-256color"}}, CLIPBOARD_MAYBE, WRAP_NONE, "the terminal"},
        {{{"TERM", "xterm-kitty"}}, CLIPBOARD_SURE, WRAP_NONE, "kitty"},
        {{{"TERM", "alacritty"}}, CLIPBOARD_SURE, WRAP_NONE, "alacritty"},
        {{{"TERM", "foot"}}, CLIPBOARD_SURE, WRAP_NONE, "foot"},
        {{{"TERM", "foot-extra"}}, CLIPBOARD_SURE, WRAP_NONE, "foot"},
        {{{"TERM", "wezterm"}}, CLIPBOARD_SURE, WRAP_NONE, "WezTerm"},
        {{{"TERM", "xterm-256color"}, {"TERM_PROGRAM", "WezTerm"}},
         CLIPBOARD_SURE,
         WRAP_NONE,
         "WezTerm"},
        {{{"TERM", "xterm-256color"}, {"TERM_PROGRAM", "iTerm.app"}},
         CLIPBOARD_MAYBE,
         WRAP_NONE,
         "iTerm2"},
        {{{"TERM", "xterm-256color"}, {"TERM_PROGRAM", "Apple_Terminal"}},
         CLIPBOARD_NONE,
         WRAP_NONE,
         "Terminal.app"},
        // Multiplexers hide the outer terminal and inherit its variables.
        {{{"TERM", "tmux-256color"}, {"TMUX", "/tmp/x"}, {"KITTY_WINDOW_ID", "1"}},
         CLIPBOARD_MAYBE,
         WRAP_TMUX,
         "tmux"},
        {{{"TERM", "screen-256color"}, {"TMUX", "/tmp/x"}}, CLIPBOARD_MAYBE, WRAP_TMUX, "tmux"},
        {{{"TERM", "screen.xterm-256color"}, {"STY", "1.pts"}},
         CLIPBOARD_MAYBE,
         WRAP_SCREEN,
         "the terminal around screen"},
        {{{"TERM", "screen-256color"}}, CLIPBOARD_MAYBE, WRAP_SCREEN, "the terminal around screen"},
        {{{"TERM", "linux"}}, CLIPBOARD_NONE, WRAP_NONE, "the console"},
        {{{"TMUX", ""}, {"TERM", "dumb"}}, CLIPBOARD_NONE, WRAP_NONE, "a dumb terminal"},
        {{{NULL, NULL}}, CLIPBOARD_MAYBE, WRAP_NONE, "the terminal"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        environment = cases[i].environment;
        struct clipboard clipboard = clipboard_find(variable);
        if (strcmp(clipboard.who, cases[i].who) != 0)
            fail_msg("case %zu: %s instead of %s", i, clipboard.who, cases[i].who);
        assert_int_equal(clipboard.sure, cases[i].sure);
        assert_int_equal(clipboard.wrap, cases[i].wrap);
    }
}

static void check(struct arena *arena, enum clipboard_wrap wrap, const char *text,
                  const char *expected)
{
    size_t size;
    const char *bytes = clipboard_bytes(arena, wrap, text, strlen(text), &size);
    assert_int_equal(size, strlen(expected));
    assert_memory_equal(bytes, expected, size);
}

static void test_bytes(void **state)
{
    (void)state;
    struct arena *arena = arena_new(0);
    check(arena, WRAP_NONE, "hello", "\033]52;c;aGVsbG8=\a");
    check(arena, WRAP_NONE, "", "\033]52;c;\a");
    check(arena, WRAP_TMUX, "hello",
          "\033]52;c;aGVsbG8=\a\033Ptmux;\033\033]52;c;aGVsbG8=\a\033\\");
    check(arena, WRAP_SCREEN, "hello", "\033P\033]52;c;aGVsbG8=\a\033\\");
    arena_free(arena);
}

// The pieces sent through screen, joined, are the sequence; no piece exceeds screen's limit.
static void test_screen_gets_pieces(void **state)
{
    (void)state;
    enum { LENGTH = MAX_CLIPBOARD_BYTES };
    struct arena *arena = arena_new(0);
    char *text = ARENA_ARRAY(arena, char, LENGTH), *joined, *code;
    for (size_t i = 0; i < LENGTH; i++)
        text[i] = (char)(i * 7 % 251);
    size_t size, count = 0, piece = 0;
    const char *bytes = clipboard_bytes(arena, WRAP_SCREEN, text, LENGTH, &size);
    joined = ARENA_ARRAY(arena, char, size);
    for (size_t i = 0; i < size; i++) {
        bool is_begin = bytes[i] == '\033' && i + 1 < size && bytes[i + 1] == 'P';
        bool is_end = bytes[i] == '\033' && i + 1 < size && bytes[i + 1] == '\\';
        piece = is_begin || is_end ? 0 : piece + 1;
        assert_true(piece < 256);
        if (is_begin || is_end)
            i++;
        else
            joined[count++] = bytes[i];
    }
    code = ARENA_ARRAY(arena, char, BASE64_SIZE(LENGTH));
    base64(code, text, LENGTH);
    assert_int_equal(count, strlen(code) + 8);
    assert_memory_equal(joined, "\033]52;c;", 7);
    assert_memory_equal(joined + 7, code, strlen(code));
    assert_int_equal(joined[count - 1], '\a');
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which_terminals_have_one),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_screen_gets_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
