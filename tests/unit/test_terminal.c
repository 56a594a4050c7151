// SPDX-License-Identifier: Apache-2.0
// What a terminal makes of the bytes: the program runs on a pseudo terminal, libvterm reads it. No
// sleeping: each step waits for what it expects to see.
#include <poll.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <vterm.h>
#include <cmocka.h>

enum { PATIENCE_MS = 60000, ROWS_MAX = 60, TEXT_MAX = 1024 };

struct terminal {
    VTerm *vterm;
    VTermScreen *screen;
    pid_t child;
    int master;
    int rows, columns;
    size_t bytes;      // received in all
    bool is_alternate; // the other screen is shown
    bool is_visible;   // the cursor
    int titles, bells; // neither must ever come from a profile
};

static int on_property(VTermProp property, VTermValue *value, void *user)
{
    struct terminal *terminal = user;
    if (property == VTERM_PROP_ALTSCREEN)
        terminal->is_alternate = value->boolean;
    if (property == VTERM_PROP_CURSORVISIBLE)
        terminal->is_visible = value->boolean;
    terminal->titles += property == VTERM_PROP_TITLE || property == VTERM_PROP_ICONNAME;
    return 1;
}

static int on_bell(void *user)
{
    ((struct terminal *)user)->bells++;
    return 1;
}

static const VTermScreenCallbacks callbacks = {.settermprop = on_property, .bell = on_bell};

static char profile_path[64];

// A profile of a scenario, made anew; the tests follow each other.
static void profile_make(const char *scenario)
{
    const char *generator = getenv("DLPROF_GEN");
    char command[512];
    if (!generator || !getenv("DLPROF_TUI"))
        skip();
    snprintf(command, sizeof command, "'%s' %s '%s' --force > /dev/null", generator, scenario,
             profile_path);
    assert_int_equal(system(command), 0);
}

static struct terminal *terminal_open(int columns, int rows, const char *view)
{
    struct terminal *terminal = calloc(1, sizeof *terminal);
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    terminal->rows = rows;
    terminal->columns = columns;
    terminal->is_visible = true;
    terminal->vterm = vterm_new(rows, columns);
    vterm_set_utf8(terminal->vterm, 1);
    terminal->screen = vterm_obtain_screen(terminal->vterm);
    vterm_screen_set_callbacks(terminal->screen, &callbacks, terminal);
    vterm_screen_enable_altscreen(terminal->screen, 1);
    vterm_screen_reset(terminal->screen, 1);
    terminal->titles = 0;
    terminal->child = forkpty(&terminal->master, NULL, NULL, &size);
    assert_true(terminal->child >= 0);
    if (terminal->child == 0) {
        setenv("TERM", "xterm-256color", 1);
        setenv("LC_ALL", "C.UTF-8", 1);
        unsetenv("NO_COLOR");
        execl(getenv("DLPROF_TUI"), "dlprof-tui", "--view", view, profile_path, (char *)NULL);
        _exit(127);
    }
    return terminal;
}

// Reads what has come, waiting up to `timeout_ms` for something. False: the child is gone.
static bool terminal_read(struct terminal *terminal, int timeout_ms)
{
    struct pollfd polled = {.fd = terminal->master, .events = POLLIN};
    if (poll(&polled, 1, timeout_ms) <= 0)
        return true;
    char bytes[4096];
    ssize_t count = read(terminal->master, bytes, sizeof bytes);
    if (count <= 0)
        return false;
    terminal->bytes += (size_t)count;
    vterm_input_write(terminal->vterm, bytes, (size_t)count);
    return true;
}

static void row_text(const struct terminal *terminal, int row, char out[TEXT_MAX])
{
    VTermRect rect = {.start_row = row, .end_row = row + 1, .end_col = terminal->columns};
    size_t length = vterm_screen_get_text(terminal->screen, out, TEXT_MAX - 1, rect);
    while (length > 0 && out[length - 1] == ' ')
        length--;
    out[length] = 0;
}

static bool terminal_shows(const struct terminal *terminal, const char *text)
{
    char row[TEXT_MAX];
    for (int r = 0; r < terminal->rows; r++) {
        row_text(terminal, r, row);
        if (strstr(row, text))
            return true;
    }
    return false;
}

static void terminal_expect(struct terminal *terminal, const char *text)
{
    for (int waited = 0; !terminal_shows(terminal, text); waited += 20)
        if (waited > PATIENCE_MS || !terminal_read(terminal, 20))
            fail_msg("the screen never shows '%s'", text);
    while (poll(&(struct pollfd){.fd = terminal->master, .events = POLLIN}, 1, 100) > 0)
        if (!terminal_read(terminal, 0))
            break;
}

static void terminal_type(struct terminal *terminal, const char *keys)
{
    assert_int_equal(write(terminal->master, keys, strlen(keys)), (ssize_t)strlen(keys));
}

// Reads until the child is gone; returns its wait status.
static int terminal_end(struct terminal *terminal)
{
    int status = 0;
    while (terminal_read(terminal, PATIENCE_MS))
        ;
    assert_int_equal(waitpid(terminal->child, &status, 0), terminal->child);
    return status;
}

static void terminal_close(struct terminal *terminal)
{
    close(terminal->master);
    vterm_free(terminal->vterm);
    free(terminal);
}

static void check_same_picture(const struct terminal *terminal, const char *view)
{
    char command[512], expected[TEXT_MAX], row[TEXT_MAX];
    snprintf(command, sizeof command, "LC_ALL=C.UTF-8 '%s' --view=%s --dump --size=%dx%d '%s'",
             getenv("DLPROF_TUI"), view, terminal->columns, terminal->rows, profile_path);
    FILE *dump = popen(command, "r");
    assert_non_null(dump);
    for (int r = 0; r < terminal->rows && fgets(expected, sizeof expected, dump); r++) {
        expected[strcspn(expected, "\n")] = 0;
        row_text(terminal, r, row);
        assert_string_equal(row, expected);
    }
    assert_int_equal(pclose(dump), 0);
}

static void test_terminal_shows_what_is_dumped(void **state)
{
    (void)state;
    static const struct {
        const char *view;
        int columns, rows;
    } cases[] = {{"summary", 80, 24}, {"tree", 80, 24}, {"kernels", 200, 50}, {"trust", 100, 30}};
    profile_make("tiny");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct terminal *terminal = terminal_open(cases[i].columns, cases[i].rows, cases[i].view);
        terminal_expect(terminal, "F10");
        assert_true(terminal->is_alternate);
        assert_false(terminal->is_visible);
        check_same_picture(terminal, cases[i].view);
        terminal_type(terminal, "Q");
        int status = terminal_end(terminal);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        assert_false(terminal->is_alternate);
        assert_true(terminal->is_visible);
        terminal_close(terminal);
    }
}

static void test_a_cursor_move_sends_two_rows(void **state)
{
    (void)state;
    profile_make("tiny");
    struct terminal *terminal = terminal_open(200, 50, "launches");
    terminal_expect(terminal, "F10");
    size_t before = terminal->bytes;
    terminal_type(terminal, "j");
    while (terminal->bytes == before)
        assert_true(terminal_read(terminal, PATIENCE_MS));
    terminal_expect(terminal, "F10");
    assert_in_range(terminal->bytes - before, 1, 1000);
    // And when nothing changes, nothing is sent.
    before = terminal->bytes;
    terminal_read(terminal, 300);
    assert_int_equal(terminal->bytes, before);
    terminal_type(terminal, "Q");
    terminal_end(terminal);
    terminal_close(terminal);
}

static void test_signals_restore_the_terminal(void **state)
{
    (void)state;
    static const int signals[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGSEGV, SIGABRT};
    profile_make("tiny");
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct terminal *terminal = terminal_open(80, 24, "summary");
        terminal_expect(terminal, "F10");
        kill(terminal->child, signals[i]);
        int status = terminal_end(terminal);
        assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        assert_false(terminal->is_alternate);
        assert_true(terminal->is_visible);
        terminal_close(terminal);
    }
}

static void test_a_hostile_profile_commands_nothing(void **state)
{
    (void)state;
    static const char *const views[] = {"kernels", "ranges", "tree", "api", "trust"};
    profile_make("hostile");
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        struct terminal *terminal = terminal_open(100, 40, views[i]);
        terminal_expect(terminal, "F10");
        assert_int_equal(terminal->titles, 0);
        assert_int_equal(terminal->bells, 0);
        check_same_picture(terminal, views[i]);
        terminal_type(terminal, "Q");
        terminal_end(terminal);
        terminal_close(terminal);
    }
}

static void test_resizing(void **state)
{
    (void)state;
    static const struct winsize sizes[] = {{.ws_col = 200, .ws_row = 50},
                                           {.ws_col = 5, .ws_row = 2},
                                           {.ws_col = 1, .ws_row = 1},
                                           {.ws_col = 80, .ws_row = 24}};
    profile_make("tiny");
    struct terminal *terminal = terminal_open(80, 24, "kernels");
    terminal_expect(terminal, "F10");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        terminal->columns = sizes[i].ws_col;
        terminal->rows = sizes[i].ws_row;
        vterm_set_size(terminal->vterm, terminal->rows, terminal->columns);
        size_t before = terminal->bytes;
        assert_int_equal(ioctl(terminal->master, TIOCSWINSZ, &sizes[i]), 0);
        while (terminal->bytes == before)
            assert_true(terminal_read(terminal, PATIENCE_MS));
        if (terminal->columns >= 80) {
            terminal_expect(terminal, "F10");
            check_same_picture(terminal, "kernels");
        }
    }
    terminal_type(terminal, "Q");
    terminal_end(terminal);
    terminal_close(terminal);
}

// SIGSTOP gives no warning: whoever has the terminal then leaves it in modes of its own.
static void test_continued_after_a_stop(void **state)
{
    (void)state;
    profile_make("tiny");
    struct terminal *terminal = terminal_open(80, 24, "kernels");
    struct termios modes;
    terminal_expect(terminal, "F10");
    kill(terminal->child, SIGSTOP);
    int status;
    assert_int_equal(waitpid(terminal->child, &status, WUNTRACED), terminal->child);
    assert_true(WIFSTOPPED(status));
    assert_int_equal(tcgetattr(terminal->master, &modes), 0);
    modes.c_lflag |= ICANON | ECHO | ISIG;
    modes.c_iflag |= ICRNL;
    assert_int_equal(tcsetattr(terminal->master, TCSANOW, &modes), 0);
    static const char shell[] = "\033[?1049l\033[H\033[Jprompt";
    vterm_input_write(terminal->vterm, shell, sizeof shell - 1);
    kill(terminal->child, SIGCONT);
    terminal_expect(terminal, "F10");
    assert_true(terminal->is_alternate);
    check_same_picture(terminal, "kernels");
    assert_int_equal(tcgetattr(terminal->master, &modes), 0);
    assert_int_equal(modes.c_lflag & (ICANON | ECHO | ISIG), 0);
    terminal_type(terminal, "2");
    terminal_expect(terminal, "[2 Tree]");
    terminal_type(terminal, "Q");
    status = terminal_end(terminal);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    terminal_close(terminal);
}

int main(void)
{
    snprintf(profile_path, sizeof profile_path, "/tmp/dlprof-terminal-%d.sqlite", (int)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terminal_shows_what_is_dumped),
        cmocka_unit_test(test_a_cursor_move_sends_two_rows),
        cmocka_unit_test(test_signals_restore_the_terminal),
        cmocka_unit_test(test_a_hostile_profile_commands_nothing),
        cmocka_unit_test(test_resizing),
        cmocka_unit_test(test_continued_after_a_stop),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(profile_path);
    return failed;
}
