// SPDX-License-Identifier: Apache-2.0
// Checks what a terminal shows: the program runs on a pseudo terminal and libvterm interprets its
// output. The tests never sleep; each step waits for the output it expects.
#include <fcntl.h>
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
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <vterm.h>
#include <cmocka.h>

#include "property.h"
#include "ui/actions/table_view.h"
#include "ui/app/lists.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"

enum { PATIENCE_MS = 60000, ROWS_MAX = 60, TEXT_MAX = 1024 };

struct terminal {
    VTerm *vterm;
    VTermScreen *screen;
    pid_t child;
    int master;
    int rows, columns;
    size_t bytes;          // number of bytes received
    bool is_alternate;     // the alternate screen is shown
    int mouse;             // VTERM_PROP_MOUSE_...: the current mouse mode
    int titles, bells;     // a profile must never cause either
    struct termios before; // state of the child's terminal
    char *raw;             // all output, `bytes` long
    size_t raw_capacity;
};

static int on_property(VTermProp property, VTermValue *value, void *user)
{
    struct terminal *terminal = user;
    if (property == VTERM_PROP_ALTSCREEN)
        terminal->is_alternate = value->boolean;
    if (property == VTERM_PROP_MOUSE)
        terminal->mouse = value->number;
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
static bool has_no_signals; // the terminal is not the controlling one, so that it sends no signals

// Generates the profile of a scenario anew. Tests run one after the other and share its path.
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

// Opens a terminal with additional environment variables, "NAME=value" and NULL at the end, which
// override those that every test sets.
static struct terminal *terminal_open_in(char *const *environment, int columns, int rows,
                                         const char *view)
{
    struct terminal *terminal = calloc(1, sizeof *terminal);
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    terminal->rows = rows;
    terminal->columns = columns;
    terminal->vterm = vterm_new(rows, columns);
    vterm_set_utf8(terminal->vterm, 1);
    terminal->screen = vterm_obtain_screen(terminal->vterm);
    vterm_screen_set_callbacks(terminal->screen, &callbacks, terminal);
    vterm_screen_enable_altscreen(terminal->screen, 1);
    vterm_screen_reset(terminal->screen, 1);
    terminal->titles = 0;
    int started[2]; // closed by exec in the child
    assert_int_equal(pipe2(started, O_CLOEXEC), 0);
    terminal->child = forkpty(&terminal->master, NULL, NULL, &size);
    assert_true(terminal->child >= 0);
    if (terminal->child > 0)
        assert_int_equal(tcgetattr(terminal->master, &terminal->before), 0);
    if (terminal->child == 0) {
        setenv("TERM", "xterm-256color", 1);
        setenv("LC_ALL", "C.UTF-8", 1);
        static const char *const none[] = {"NO_COLOR", "TMUX", "STY", "TERM_PROGRAM", "ESCDELAY"};
        for (size_t i = 0; i < sizeof none / sizeof *none; i++)
            unsetenv(none[i]);
        setenv("XDG_CONFIG_HOME", "/dev/null/x", 1);
        setenv("XDG_STATE_HOME", "/dev/null/x", 1);
        for (size_t i = 0; environment && environment[i]; i++)
            putenv(environment[i]);
        if (has_no_signals) { // TIOCNOTTY sends SIGHUP
            signal(SIGHUP, SIG_IGN);
            assert_int_equal(ioctl(STDIN_FILENO, TIOCNOTTY), 0);
        }
        execl(getenv("DLPROF_TUI"), "dlprof-tui", "--view", view, profile_path, (char *)NULL);
        _exit(127);
    }
    // Waits until the program is started: valgrind, under which the test may run, loses signals
    // that are pending at exec.
    char none;
    close(started[1]);
    assert_int_equal(read(started[0], &none, 1), 0);
    close(started[0]);
    return terminal;
}

static struct terminal *terminal_open(int columns, int rows, const char *view)
{
    return terminal_open_in(NULL, columns, rows, view);
}

// Reads the output that has arrived, waiting up to `timeout_ms` for some. Returns false if the
// child is gone.
static bool terminal_read(struct terminal *terminal, int timeout_ms)
{
    struct pollfd polled = {.fd = terminal->master, .events = POLLIN};
    if (poll(&polled, 1, timeout_ms) <= 0)
        return true;
    char bytes[4096];
    ssize_t count = read(terminal->master, bytes, sizeof bytes);
    if (count <= 0)
        return false;
    if (terminal->bytes + (size_t)count > terminal->raw_capacity) {
        terminal->raw_capacity = 2 * (terminal->bytes + (size_t)count);
        terminal->raw = realloc(terminal->raw, terminal->raw_capacity);
        assert_non_null(terminal->raw);
    }
    memcpy(terminal->raw + terminal->bytes, bytes, (size_t)count);
    terminal->bytes += (size_t)count;
    vterm_input_write(terminal->vterm, bytes, (size_t)count);
    return true;
}

// Returns the cursor visibility that the terminal was last set to. (Some versions of libvterm count
// it as part of the state saved by DECSC, which curses may send, and hide the cursor again on
// leaving the alternate screen.)
static bool cursor_is_visible(const struct terminal *terminal)
{
    static const char cursor_mode[] = "\033[?25";
    bool is_visible = true;
    if (!terminal->raw)
        return is_visible;
    const char *at = terminal->raw, *end = at + terminal->bytes;
    while ((at = memmem(at, (size_t)(end - at), cursor_mode, strlen(cursor_mode))) != NULL) {
        at += strlen(cursor_mode);
        is_visible = at == end || *at == 'h';
    }
    return is_visible;
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

// Reads until the child is gone and returns its wait status.
static int terminal_end(struct terminal *terminal)
{
    int status = 0;
    for (size_t before = 0; terminal_read(terminal, PATIENCE_MS); before = terminal->bytes)
        if (terminal->bytes == before)
            fail_msg("it does not end");
    assert_int_equal(waitpid(terminal->child, &status, 0), terminal->child);
    return status;
}

static void terminal_close(struct terminal *terminal)
{
    close(terminal->master);
    vterm_free(terminal->vterm);
    free(terminal->raw);
    free(terminal);
}

static bool is_picture(const struct terminal *terminal, char expected[][TEXT_MAX])
{
    char row[TEXT_MAX];
    bool is_same = true;
    for (int r = 0; r < terminal->rows && is_same; r++) {
        row_text(terminal, r, row);
        is_same = strcmp(row, expected[r]) == 0;
    }
    return is_same;
}

// Waits until the screen equals `--dump`, as background results arrive at any time.
static void check_same_picture(struct terminal *terminal, const char *view)
{
    char command[512], expected[ROWS_MAX][TEXT_MAX] = {""}, row[TEXT_MAX];
    snprintf(command, sizeof command, "LC_ALL=C.UTF-8 '%s' --view=%s --dump --size=%dx%d '%s'",
             getenv("DLPROF_TUI"), view, terminal->columns, terminal->rows, profile_path);
    FILE *dump = popen(command, "r");
    assert_non_null(dump);
    for (int r = 0; r < terminal->rows && fgets(expected[r], TEXT_MAX, dump); r++)
        expected[r][strcspn(expected[r], "\n")] = 0;
    assert_int_equal(pclose(dump), 0);
    for (int waited = 0; !is_picture(terminal, expected) && waited < PATIENCE_MS; waited += 50)
        if (!terminal_read(terminal, 50))
            break;
    for (int r = 0; r < terminal->rows; r++) {
        row_text(terminal, r, row);
        assert_string_equal(row, expected[r]);
    }
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
        assert_false(cursor_is_visible(terminal));
        check_same_picture(terminal, cases[i].view);
        terminal_type(terminal, "Q");
        int status = terminal_end(terminal);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        assert_false(terminal->is_alternate);
        assert_true(cursor_is_visible(terminal));
        terminal_close(terminal);
    }
}

// Counts the rows of the screen that are not blank.
static int rows_filled(const struct terminal *terminal)
{
    char row[TEXT_MAX];
    int count = 0;
    for (int r = 0; r < terminal->rows; r++) {
        row_text(terminal, r, row);
        count += *row != 0;
    }
    return count;
}

// Counts the context switches of all threads of the process plus its ticks of CPU time.
static long wakeup_count(const struct terminal *terminal)
{
    char path[64], line[256];
    long voluntary = -1;
    snprintf(path, sizeof path, "/proc/%d/status", (int)terminal->child);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        sscanf(line, "voluntary_ctxt_switches: %ld", &voluntary);
    fclose(file);
    assert_true(voluntary >= 0);
    return voluntary;
}

static long cpu_ticks(const struct terminal *terminal)
{
    char path[64];
    long user = -1, system_time = -1;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)terminal->child);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file,
                            "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld",
                            &user, &system_time),
                     2);
    fclose(file);
    return user + system_time;
}

// Sends keys and returns the number of bytes output until the program is quiet for a moment. 0: no
// output, as at the end of a table.
static size_t move_bytes(struct terminal *terminal, const char *keys)
{
    enum { SOON_MS = 500, QUIET_MS = 10 };
    size_t before = terminal->bytes;
    terminal_type(terminal, keys);
    assert_true(terminal_read(terminal, SOON_MS));
    while (poll(&(struct pollfd){.fd = terminal->master, .events = POLLIN}, 1, QUIET_MS) > 0)
        assert_true(terminal_read(terminal, 0));
    return terminal->bytes - before;
}

static void view_expect(struct terminal *terminal, const struct view_class *class)
{
    char title[100];
    if (class->digit)
        snprintf(title, sizeof title, "[%c %s", class->digit, class->title);
    else
        snprintf(title, sizeof title, "› %s", class->title);
    terminal_expect(terminal, title);
}

// At 200x50 a move of the cursor sends the two changed rows and no others, in every table view.
// This includes moves between rows on which Enter acts differently. A key without effect causes no
// output.
static void test_a_cursor_move_sends_two_rows(void **state)
{
    enum { MOVES = 6, TOO_MANY_BYTES = 1000 };
    (void)state;
    profile_make("plain");
    struct terminal *terminal = terminal_open(200, 50, "summary");
    size_t tables = 0, full = 0;
    terminal_expect(terminal, "[1 Summary]");
    for (size_t i = 0; i < view_name_count(); i++) {
        char command[100];
        size_t down = 0, bytes = 1;
        const struct view_class *class = view_class_find(view_name(i));
        size_t first = 0; // a view is also known by the name of its report
        while (view_class_find(view_name(first)) != class)
            first++;
        if (first < i || class->draw != table_view_draw)
            continue;
        snprintf(command, sizeof command, ":view %s\r:split off\rg", view_name(i));
        terminal_type(terminal, command);
        view_expect(terminal, class);
        bool is_full = rows_filled(terminal) >= 48;
        for (int move = 0; move < MOVES && bytes > 0; move++) {
            bytes = move_bytes(terminal, "j");
            if (bytes >= TOO_MANY_BYTES) { // background results arrived in between: try again
                terminal_type(terminal, "k");
                terminal_expect(terminal, "F10");
                bytes = move_bytes(terminal, "j");
            }
            down = bytes > down ? bytes : down;
        }
        size_t up = down ? move_bytes(terminal, "k") : 0;
        size_t wheel = up ? move_bytes(terminal, "\033[<65;20;20M") : 0;
        tables += wheel > 0;
        print_message("%s: down %zu, up %zu, wheel %zu bytes\n", view_name(i), down, up, wheel);
        if (down >= TOO_MANY_BYTES || up >= TOO_MANY_BYTES || wheel >= TOO_MANY_BYTES)
            fail_msg("%s: a move of the cursor sends too much", view_name(i));
        terminal_type(terminal, "g");
        terminal_expect(terminal, "F10");
        if (is_full && full++ == 0) // the cursor is already on the first row
            assert_int_equal(move_bytes(terminal, "k\033[<64;20;20Mg"), 0);
    }
    assert_true(tables > 20 && full > 0);
    terminal_type(terminal, "Q");
    terminal_end(terminal);
    terminal_close(terminal);
}

// Without input the process sleeps and does not poll.
static void test_idle_program_sleeps(void **state)
{
    (void)state;
    profile_make("plain");
    struct terminal *terminal = terminal_open(200, 50, "summary");
    terminal_expect(terminal, "F10");
    // Waits until the threads of findings and prefetching have ended.
    for (long seen = -1; seen != wakeup_count(terminal);) {
        seen = wakeup_count(terminal);
        while (poll(&(struct pollfd){.fd = terminal->master, .events = POLLIN}, 1, 500) > 0)
            assert_true(terminal_read(terminal, 0));
    }
    long before = wakeup_count(terminal), ticks = cpu_ticks(terminal);
    size_t bytes = terminal->bytes;
    assert_true(terminal_read(terminal, 2000));
    assert_int_equal(wakeup_count(terminal), before);
    assert_int_equal(cpu_ticks(terminal), ticks);
    assert_int_equal(terminal->bytes, bytes);
    terminal_type(terminal, "Q");
    terminal_end(terminal);
    terminal_close(terminal);
}

// Column layouts are saved in the state folder and nowhere else. If it is not writable, the program
// shows no error.
static void test_columns_are_remembered(void **state)
{
    (void)state;
    // the only files allowed there
    static const char *const allowed_files[] = {"columns", "seen", "history"};
    char folder[] = "/tmp/dlprof-state-XXXXXX", variable[96], path[96], line[256] = "";
    static char nowhere_variable[] = "XDG_STATE_HOME=/dev/null/x";
    assert_non_null(mkdtemp(folder));
    snprintf(variable, sizeof variable, "XDG_STATE_HOME=%s", folder);
    snprintf(path, sizeof path, "%s/dlprof-tui", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    // suppresses the hint of the first run
    snprintf(path, sizeof path, "%s/dlprof-tui/seen", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
    profile_make("tiny");
    char *environment[] = {variable, NULL}, *nowhere[] = {nowhere_variable, NULL};
    for (int round = 0; round < 3; round++) {
        struct terminal *terminal =
            terminal_open_in(round == 1 ? nowhere : environment, 100, 30, "kernels");
        terminal_expect(terminal, "F10");
        assert_true(terminal_shows(terminal, " calls ") == (round < 2));
        if (round < 2) {
            terminal_type(terminal, ":columns calls hide\r");
            for (int waited = 0; terminal_shows(terminal, " calls "); waited += 20)
                if (waited > PATIENCE_MS || !terminal_read(terminal, 20))
                    fail_msg("the column stays");
        }
        terminal_type(terminal, "Q");
        int status = terminal_end(terminal);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        terminal_close(terminal);
    }
    snprintf(path, sizeof path, "%s/dlprof-tui/columns", folder);
    file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    assert_memory_equal(line, "kernels: ", 9);
    for (size_t i = 0; i < sizeof allowed_files / sizeof *allowed_files; i++) {
        snprintf(path, sizeof path, "%s/dlprof-tui/%s", folder, allowed_files[i]);
        unlink(path);
    }
    *strrchr(path, '/') = 0;
    assert_int_equal(rmdir(path), 0);
    rmdir(folder);
}

// Sends a click at a cell, 1-based, as a terminal reports it: in xterm's SGR encoding, or in the
// old one that tmux uses for programs whose terminfo has no other.
static void mouse_send(struct terminal *terminal, bool is_old, int button, int x, int y,
                       bool is_release)
{
    char bytes[64];
    if (is_old)
        snprintf(bytes, sizeof bytes, "\033[M%c%c%c", 32 + (is_release ? 3 : button), 32 + x,
                 32 + y);
    else
        snprintf(bytes, sizeof bytes, "\033[<%d;%d;%d%c", button, x, y, is_release ? 'm' : 'M');
    terminal_type(terminal, bytes);
}

static void test_mouse_encodings(void **state)
{
    (void)state;
    static char tmux[] = "TERM=tmux-256color", xterm[] = "TERM=xterm-256color";
    profile_make("plain");
    for (int is_old = 0; is_old < 2; is_old++) {
        char *environment[] = {is_old ? tmux : xterm, NULL};
        struct terminal *terminal = terminal_open_in(environment, 100, 30, "summary");
        terminal_expect(terminal, "[1 Sum]");
        assert_int_equal(terminal->mouse, VTERM_PROP_MOUSE_DRAG);
        mouse_send(terminal, is_old, 0, 18, 2, false);
        mouse_send(terminal, is_old, 0, 18, 2, true);
        terminal_expect(terminal, "[3 Kern]");
        mouse_send(terminal, is_old, 0, 5, 8, false); // double click on a row
        mouse_send(terminal, is_old, 0, 5, 8, true);
        mouse_send(terminal, is_old, 0, 5, 8, false);
        mouse_send(terminal, is_old, 0, 5, 8, true);
        terminal_expect(terminal, "Single launches");
        terminal_type(terminal, "4");
        terminal_expect(terminal, "[4 Iter]");
        terminal_type(terminal, "a");
        mouse_send(terminal, is_old, 0, 11, 12, false);
        mouse_send(terminal, is_old, 32, 13, 12, false); // moves with the button pressed
        terminal_expect(terminal, "let go: the set 0-");
        mouse_send(terminal, is_old, 32, 11, 12, false);
        mouse_send(terminal, is_old, 0, 11, 12, true);
        terminal_expect(terminal, "set 0 = 1 of");
        terminal_type(terminal, "a6");
        terminal_expect(terminal, "165 ms of 165 ms");
        mouse_send(terminal, is_old, 64 + 16, 58, 8, false); // the wheel with Control
        terminal_expect(terminal, "82.4 ms of 165 ms");
        mouse_send(terminal, is_old, 65 + 8, 58, 8, false); // ... with Alt
        terminal_expect(terminal, "165 ms of 165 ms");
        mouse_send(terminal, is_old, 0, 38, 16, false);
        mouse_send(terminal, is_old, 32, 58, 16, false);
        terminal_expect(terminal, "let go: ");
        mouse_send(terminal, is_old, 0, 58, 16, true);
        terminal_expect(terminal, "41.7 ms of 165 ms");
        terminal_type(terminal, "\033");
        terminal_expect(terminal, "165 ms of 165 ms");
        terminal_type(terminal, "M");
        terminal_expect(terminal, "the mouse is the terminal's");
        assert_int_equal(terminal->mouse, VTERM_PROP_MOUSE_NONE);
        terminal_type(terminal, "M");
        terminal_expect(terminal, "the mouse is the program's");
        assert_int_equal(terminal->mouse, VTERM_PROP_MOUSE_DRAG);
        terminal_type(terminal, "Q");
        terminal_end(terminal);
        assert_int_equal(terminal->mouse, VTERM_PROP_MOUSE_NONE);
        terminal_close(terminal);
    }
}

// Terminals send sequences that TERM's terminfo lacks: Home in tmux under TERM=xterm-256color,
// unsupported keys, answers. An unknown sequence is ignored as a whole and not taken for several
// keys.
static void test_unknown_sequences_are_ignored(void **state)
{
    (void)state;
    enum { SET_LINE = 2 };
    static char xterm[] = "TERM=xterm-256color";
    char *environment[] = {xterm, NULL};
    char before[TEXT_MAX], after[TEXT_MAX];
    profile_make("plain");
    struct terminal *terminal = terminal_open_in(environment, 100, 30, "kernels");
    terminal_expect(terminal, "[3 Kern]");
    row_text(terminal, SET_LINE, before);
    terminal_type(terminal, "\033[4~d");
    terminal_expect(terminal, "── [memcpy DtoH");
    terminal_type(terminal, "\033[1~");
    terminal_expect(terminal, "── multi_tensor binary");
    terminal_type(terminal, "\033[57361u\033[?62;4c\033[1;5H\033Oy");
    terminal_type(terminal, "\0334"); // Escape and a key in one piece are two keys
    terminal_expect(terminal, "[4 Iter]");
    row_text(terminal, SET_LINE, after);
    assert_string_equal(after, before);
    terminal_type(terminal, "Q");
    terminal_end(terminal);
    terminal_close(terminal);
}

static bool has_received(const struct terminal *terminal, const char *bytes)
{
    return memmem(terminal->raw, terminal->bytes, bytes, strlen(bytes)) != NULL;
}

// `y` sends OSC 52, plain or wrapped for tmux or screen.
static void test_copying_sends_osc52(void **state)
{
    (void)state;
    static char tmux[] = "TMUX=/tmp/tmux-0/default,1,0", screen[] = "STY=1.pts-0.host";
    static char kitty[] = "TERM_PROGRAM=WezTerm";
    static const struct {
        char *variable;
        const char *begins, *ends, *says;
    } cases[] = {
        {NULL, "\033]52;c;", "=\a",
         "sent to the clipboard (OSC 52, the terminal). Paste fails? :copy FILE"},
        {kitty, "\033]52;c;", "=\a", "copied to the clipboard of WezTerm (OSC 52)"},
        {tmux, "\033Ptmux;\033\033]52;c;", "=\a\033\\", "sent to the clipboard (OSC 52, tmux)"},
        {screen, "\033P\033]52;c;", "=\a\033\\", "(OSC 52, the terminal around screen)"},
    };
    profile_make("tiny");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *environment[] = {cases[i].variable, NULL};
        struct terminal *terminal = terminal_open_in(environment, 120, 30, "trust");
        terminal_expect(terminal, "F10");
        terminal_type(terminal, "y");
        terminal_expect(terminal, cases[i].says);
        assert_true(has_received(terminal, cases[i].begins));
        terminal_type(terminal, "Q");
        terminal_end(terminal);
        terminal_close(terminal);
    }
}

// Terminal variables in the environment do not change the screen.
static void test_hostile_environment(void **state)
{
    (void)state;
    static char columns[] = "COLUMNS=1000000", lines[] = "LINES=1000000";
    static char delay[] = "ESCDELAY=3600000", term[] = "TERM=xterm-256color";
    static char locale[] = "LANGUAGE=\033]0;x\a";
    char *environment[] = {columns, lines, delay, term, locale, NULL};
    profile_make("tiny");
    struct terminal *terminal = terminal_open_in(environment, 80, 24, "kernels");
    terminal_expect(terminal, "F10");
    check_same_picture(terminal, "kernels");
    terminal_type(terminal, "?");
    terminal_expect(terminal, "keys, commands");
    terminal_type(terminal, "\033"); // a lone Escape is known after 25 ms, whatever ESCDELAY says
    terminal_expect(terminal, "kernels by");
    assert_int_equal(terminal->titles, 0);
    terminal_type(terminal, "Q");
    terminal_end(terminal);
    terminal_close(terminal);
}

// Returns true if one of the eight colours was received. \033[39;49m restores the terminal's own.
static bool has_received_eight(const struct terminal *terminal)
{
    for (size_t i = 0; i + 4 < terminal->bytes; i++) {
        const char *at = terminal->raw + i;
        if (memcmp(at, "\033[3", 3) == 0 && at[3] >= '0' && at[3] <= '7' && at[4] == 'm')
            return true;
    }
    return false;
}

// Checks that empty cells have the terminal's own background, except in the cursor's row and the
// heads.
static void assert_background_is_left(const struct terminal *terminal)
{
    int blank = 0, painted = 0;
    for (int r = 4; r < terminal->rows - 2; r++) {
        VTermScreenCell cell;
        VTermPos last = {r, terminal->columns - 1};
        assert_true(vterm_screen_get_cell(terminal->screen, last, &cell));
        bool is_blank = cell.chars[0] == 0 || cell.chars[0] == ' ';
        blank += is_blank;
        painted += is_blank && !VTERM_COLOR_IS_DEFAULT_BG(&cell.bg);
    }
    assert_in_range(painted, 0, 2);
    assert_true(blank - painted >= 5);
}

// With 8 colours, none or 256 the text is the same.
static void test_colours_change_no_text(void **state)
{
    (void)state;
    static char vt100[] = "TERM=vt100", eight[] = "TERM=xterm", many[] = "TERM=xterm-256color";
    static char no_color[] = "NO_COLOR=1";
    char *const environments[][3] = {{vt100}, {eight}, {many}, {many, no_color}};
    static const char *const names[] = {"summary", "iterations", "expert", "devices"};
    profile_make("plain");
    for (size_t i = 0; i < 4; i++)
        for (size_t v = 0; v < sizeof names / sizeof *names; v++) {
            struct terminal *terminal = terminal_open_in(environments[i], 100, 30, names[v]);
            terminal_expect(terminal, "F10");
            check_same_picture(terminal, names[v]);
            assert_int_equal(has_received(terminal, "\033[38;5;"), i == 2);
            assert_int_equal(has_received_eight(terminal), i == 1);
            assert_background_is_left(terminal);
            terminal_type(terminal, "Q");
            terminal_end(terminal);
            terminal_close(terminal);
        }
}

static void assert_terminal_as_before(const struct terminal *terminal)
{
    struct termios modes;
    assert_int_equal(tcgetattr(terminal->master, &modes), 0);
    assert_int_equal(modes.c_iflag, terminal->before.c_iflag);
    assert_int_equal(modes.c_oflag, terminal->before.c_oflag);
    assert_int_equal(modes.c_lflag, terminal->before.c_lflag);
    assert_false(terminal->is_alternate);
    assert_true(cursor_is_visible(terminal));
    assert_int_equal(terminal->mouse, VTERM_PROP_MOUSE_NONE);
}

static void test_signals_restore_the_terminal(void **state)
{
    (void)state;
    static const int signals[] = {SIGTERM,   SIGHUP,  SIGINT,  SIGQUIT, SIGALRM,   SIGUSR1, SIGUSR2,
                                  SIGVTALRM, SIGPROF, SIGPOLL, SIGPWR,  SIGSTKFLT, SIGSEGV, SIGBUS,
                                  SIGFPE,    SIGILL,  SIGABRT, SIGSYS,  SIGTRAP,   SIGXCPU};
    profile_make("tiny");
    setenv("ASAN_OPTIONS",
           "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:"
           "handle_sigtrap=0:handle_abort=0",
           1); // otherwise the sanitizer handles the signal first
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct terminal *terminal = terminal_open(80, 24, "summary");
        terminal_expect(terminal, "F10");
        kill(terminal->child, signals[i]);
        int status = terminal_end(terminal);
        // The exit status names the signal; shells and job managers check it.
        assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == signals[i]
                                        : signals[i] == SIGINT && WEXITSTATUS(status) == 130);
        assert_terminal_as_before(terminal);
        terminal_close(terminal);
    }
}

// A closed terminal ends the program with or without a signal: while it loads, while it waits, and
// during input.
static void test_closed_terminal(void **state)
{
    (void)state;
    static const char *const awaited[] = {NULL, "F10", "F10"}, *const typed[] = {"", "", ":view k"};
    profile_make("plain");
    for (int i = 0; i < 6; i++) {
        has_no_signals = i % 2;
        struct terminal *terminal = terminal_open(80, 24, "summary");
        if (awaited[i / 2])
            terminal_expect(terminal, awaited[i / 2]);
        else
            assert_true(terminal_read(terminal, PATIENCE_MS));
        terminal_type(terminal, typed[i / 2]);
        close(terminal->master);
        terminal->master = -1;
        int status = 0, waited = 0;
        while (waitpid(terminal->child, &status, WNOHANG) == 0 && waited++ < PATIENCE_MS / 10)
            poll(NULL, 0, 10);
        if (waited >= PATIENCE_MS / 10) {
            kill(terminal->child, SIGKILL);
            fail_msg("it goes on without a terminal");
        }
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGHUP);
        terminal_close(terminal);
    }
    has_no_signals = false;
}

// A signal at any moment, before the screen is set up, during loading or between keys, restores the
// terminal and ends the program with the signal's status. Harmless signals in between do not end
// it.
static void test_signals_at_any_moment(void **state)
{
    (void)state;
    enum { TURNS = 40, MOMENTS_MS = 250 };
    static const int harmless[] = {SIGWINCH, SIGCONT, SIGPIPE, SIGXFSZ},
                     endings[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};
    struct random random = {.state = 5};
    profile_make("plain");
    for (int turn = random_rounds(TURNS); turn > 0; turn--) {
        struct terminal *terminal = terminal_open(100, 30, "kernels");
        int left_ms = (int)random_below(&random, MOMENTS_MS), ending = endings[turn % 4];
        while (left_ms > 0) {
            int pause = 1 + (int)random_below(&random, 20);
            assert_true(terminal_read(terminal, pause));
            left_ms -= pause;
            if (turn % 2)
                terminal_type(terminal, "j");
            // earlier the handlers are not yet installed
            if (turn % 3 == 0 && terminal->is_alternate)
                kill(terminal->child, harmless[random_below(&random, 4)]);
        }
        kill(terminal->child, ending);
        int status = terminal_end(terminal);
        if (WIFSIGNALED(status) ? WTERMSIG(status) != ending
                                : ending != SIGINT || WEXITSTATUS(status) != 130)
            fail_msg("turn %d, signal %d: status %x", turn, ending, (unsigned)status);
        assert_terminal_as_before(terminal);
        terminal_close(terminal);
    }
}

// Resizes faster than frames are drawn, as when a window is dragged by its corner.
static void test_rapid_resizing(void **state)
{
    (void)state;
    static const char *const names[] = {"summary", "kernels", "tree"};
    profile_make("plain");
    for (size_t v = 0; v < sizeof names / sizeof *names; v++) {
        struct terminal *terminal = terminal_open(80, 24, names[v]);
        terminal_expect(terminal, "F10");
        for (int i = 0; i < 200; i++) {
            struct winsize size = {.ws_col = (unsigned short)(1 + i * 37 % 220),
                                   .ws_row = (unsigned short)(1 + i * 23 % 60)};
            if (i == 199)
                size = (struct winsize){.ws_col = 100, .ws_row = 30};
            terminal->columns = size.ws_col;
            terminal->rows = size.ws_row;
            vterm_set_size(terminal->vterm, terminal->rows, terminal->columns);
            assert_int_equal(ioctl(terminal->master, TIOCSWINSZ, &size), 0);
            if (i % 8 == 0 && v > 0)
                terminal_type(terminal, i % 16 ? "j" : "\033OB");
            assert_true(terminal_read(terminal, i % 5 == 0 ? 5 : 0));
        }
        terminal_type(terminal, v > 0 ? "g" : "");
        terminal_expect(terminal, "F10");
        terminal_type(terminal, "\014"); // redraws like a user who sees a broken screen
        terminal_expect(terminal, "F10");
        check_same_picture(terminal, names[v]);
        terminal_type(terminal, "Q");
        int status = terminal_end(terminal);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        assert_terminal_as_before(terminal);
        terminal_close(terminal);
    }
}

static void test_hostile_profile(void **state)
{
    (void)state;
    static const char *const names[] = {"kernels", "ranges", "tree", "api", "trust"};
    profile_make("hostile");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct terminal *terminal = terminal_open(100, 40, names[i]);
        terminal_expect(terminal, "F10");
        assert_int_equal(terminal->titles, 0);
        assert_int_equal(terminal->bells, 0);
        check_same_picture(terminal, names[i]);
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

// SIGSTOP cannot be caught; on SIGCONT the program must restore terminal modes that others changed.
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
    if (!lists_use(NULL))
        return 1;
    snprintf(profile_path, sizeof profile_path, "/tmp/dlprof-terminal-%d.sqlite", (int)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terminal_shows_what_is_dumped),
        cmocka_unit_test(test_a_cursor_move_sends_two_rows),
        cmocka_unit_test(test_idle_program_sleeps),
        cmocka_unit_test(test_columns_are_remembered),
        cmocka_unit_test(test_mouse_encodings),
        cmocka_unit_test(test_unknown_sequences_are_ignored),
        cmocka_unit_test(test_copying_sends_osc52),
        cmocka_unit_test(test_hostile_environment),
        cmocka_unit_test(test_colours_change_no_text),
        cmocka_unit_test(test_signals_restore_the_terminal),
        cmocka_unit_test(test_closed_terminal),
        cmocka_unit_test(test_signals_at_any_moment),
        cmocka_unit_test(test_rapid_resizing),
        cmocka_unit_test(test_hostile_profile),
        cmocka_unit_test(test_resizing),
        cmocka_unit_test(test_continued_after_a_stop),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(profile_path);
    return failed;
}
