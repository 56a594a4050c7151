// SPDX-License-Identifier: Apache-2.0
// The terminal by ncurses: full-screen mode, drawing of a canvas, keys and mouse.
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <term.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

// KEY_RESIZE and KEY_F1 are defined by curses and, differently, by key.h: the latter are used here.
#undef KEY_RESIZE
#define CURSES_RESIZE 0632
#undef KEY_F1
#include "base/text/bytes.h"
#include "ui/term/key.h"
#include "ui/term/source_file.h"
#include "ui/term/term.h"
#include "ui/term/term_signals.h"

static SCREEN *screen;
static FILE *curses_out;    // the terminal, written by curses only
static int frame_file = -1; // memory file that collects a frame; -1: not available

// ---- opening and closing -----------------------------------------------------------------------

static void modes_set(void)
{
    raw(); // C-c, C-z and C-s are ordinary keys
    noecho();
    nonl();
    intrflush(stdscr, FALSE);
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    typeahead(-1); // always draw whole frames; typed keys are read before the next one
    leaveok(stdscr, TRUE);
    curs_set(0);
}

bool term_send(const char *bytes, size_t length)
{
    return screen && bytes_write_fd(STDOUT_FILENO, bytes, length);
}

// Draws the frame with few writes. Curses itself calls write() for each move of the cursor; over
// SSH each write is a packet, and the terminal shows half-drawn frames. Therefore curses is
// redirected to a memory file, which is then copied to the terminal.
static void frame_send(void)
{
    bool is_redirected = frame_file >= 0 && dup3(frame_file, fileno(curses_out), O_CLOEXEC) >= 0;
    refresh();
    if (!is_redirected)
        return;
    while (dup3(STDOUT_FILENO, fileno(curses_out), O_CLOEXEC) < 0 && errno == EINTR)
        ;
    char bytes[1 << 14];
    off_t size = lseek(frame_file, 0, SEEK_CUR), at = 0; // curses shares this file offset
    while (at < size) {
        ssize_t count = pread(frame_file, bytes, sizeof bytes, at);
        count = count < size - at ? count : (ssize_t)(size - at);
        if (count <= 0 || !bytes_write_fd(STDOUT_FILENO, bytes, (size_t)count))
            break; // the terminal was closed; term_wait() reports it
        at += count;
    }
    lseek(frame_file, 0, SEEK_SET);
}

// Mouse reports are parsed here and not by curses: curses merges events that arrive together, such
// as a press, a move and a release over a slow connection, and knows only the encoding in terminfo.
// The sequences request reports of presses and of moves while pressed, in the SGR encoding, which
// has no limit of 223 columns.
#define MOUSE_ON  "\033[?1000h\033[?1002h\033[?1006h"
#define MOUSE_OFF "\033[?1006l\033[?1002l\033[?1000l"
enum { CODE_MOUSE = 0x1000, CODE_MOUSE_OLD }; // beyond the key codes of curses
static bool mouse_is_on;

static bool knows_mouse(void)
{
    const char *begins = tigetstr("kmous"); // prefix of a mouse report
    return begins && begins != (char *)-1;
}

void term_mouse(bool is_on)
{
    if (is_on == mouse_is_on || !knows_mouse())
        return;
    mouse_is_on = is_on;
    term_send(is_on ? MOUSE_ON : MOUSE_OFF, strlen(is_on ? MOUSE_ON : MOUSE_OFF));
}

// Defines the sequences that terminals send for these keys in addition to those of terminfo: over
// SSH and in tmux, TERM often names a different terminal.
static void keys_define(void)
{
    static const struct {
        const char *bytes; // after an Escape
        int key;
    } keys[] = {
        {"[H", KEY_HOME},   {"OH", KEY_HOME},       {"[1~", KEY_HOME},     {"[7~", KEY_HOME},
        {"[F", KEY_END},    {"OF", KEY_END},        {"[4~", KEY_END},      {"[8~", KEY_END},
        {"[A", KEY_UP},     {"OA", KEY_UP},         {"[B", KEY_DOWN},      {"OB", KEY_DOWN},
        {"[C", KEY_RIGHT},  {"OC", KEY_RIGHT},      {"[D", KEY_LEFT},      {"OD", KEY_LEFT},
        {"[1;2A", KEY_SR},  {"[1;2B", KEY_SF},      {"[1;2C", KEY_SRIGHT}, {"[1;2D", KEY_SLEFT},
        {"[5~", KEY_PPAGE}, {"[6~", KEY_NPAGE},     {"[3~", KEY_DC},       {"[Z", KEY_BTAB},
        {"[<", CODE_MOUSE}, {"[M", CODE_MOUSE_OLD},
    };
    char text[8] = "\033";
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        strcpy(text + 1, keys[i].bytes);
        define_key(text, keys[i].key);
    }
}

static bool out_open(struct error *error)
{
    int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    curses_out = out < 0 ? NULL : fdopen(out, "w");
    if (!curses_out) {
        error_set(error, ERROR_IO, "the terminal: %s", strerror(errno));
        if (out >= 0)
            close(out);
        return false;
    }
    frame_file = memfd_create("dlprof-tui frame", MFD_CLOEXEC);
    return true;
}

static void out_close(void)
{
    fclose(curses_out);
    if (frame_file >= 0)
        close(frame_file);
    curses_out = NULL;
    frame_file = -1;
}

bool term_open(bool mouse, struct error *error)
{
    const char *name = getenv("TERM");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return error_set(error, ERROR_USAGE,
                         "standard input and output are no terminal; "
                         "see --print and --script");
    if (!term_signals_open(error))
        return false;
    use_env(FALSE); // ignore LINES and COLUMNS, which a shell set once, and ask the terminal
    use_tioctl(TRUE);
    if (!out_open(error)) {
        term_signals_close();
        return false;
    }
    screen = newterm(NULL, curses_out, stdin);
    if (!screen) {
        out_close();
        term_signals_close();
        return error_set(error, ERROR_USAGE,
                         "the terminal '%s' is not known here; try TERM=xterm-256color",
                         name ? name : "");
    }
    set_escdelay(25);
    modes_set();
    if (has_colors()) {
        start_color();
        use_default_colors();
    }
    keys_define();
    mouse_is_on = false;
    term_mouse(mouse);
    if (knows_mouse()) // the mouse may be switched on later
        term_signals_restore(MOUSE_OFF);
    static const char *const leaving[] = {"sgr0", "cnorm", "rmkx", "rmcup"};
    for (size_t i = 0; i < sizeof leaving / sizeof *leaving; i++) {
        const char *text = tigetstr(leaving[i]);
        term_signals_restore(text == (char *)-1 ? NULL : text);
    }
    return true;
}

void term_close(void)
{
    if (!screen)
        return;
    term_mouse(false);
    endwin();
    delscreen(screen);
    screen = NULL;
    out_close();
    term_signals_close();
}

void term_size(int *width, int *height)
{
    getmaxyx(stdscr, *height, *width);
}

bool term_has_colours(void)
{
    return has_colors() && COLORS >= 8;
}

bool term_describe(struct term_facts *facts)
{
    int problem;
    *facts = (struct term_facts){0};
    if (setupterm(NULL, STDOUT_FILENO, &problem) != OK)
        return false;
    const char *mouse = tigetstr("kmous"), *cup = tigetstr("cup");
    int colours = tigetnum("colors");
    facts->colours = colours > 0 ? colours : 0;
    facts->has_mouse = mouse && mouse != (char *)-1;
    facts->can_move_cursor = cup && cup != (char *)-1;
    del_curterm(cur_term);
    return true;
}

void term_redraw(void)
{
    clearok(stdscr, TRUE);
}

// Enters full-screen mode after endwin(), whatever another program did to the terminal.
static void term_enter(void)
{
    term_signal_flags.was_resized = 1; // the size may have changed meanwhile
    modes_set();
    refresh();
    clearok(stdscr, TRUE);
    if (mouse_is_on)
        term_send(MOUSE_ON, strlen(MOUSE_ON));
}

void term_suspend(void)
{
    if (mouse_is_on)
        term_send(MOUSE_OFF, strlen(MOUSE_OFF));
    endwin();
    // Stops the whole process group, as the terminal would do, including a wrapper script that
    // started this program.
    struct sigaction plain = {.sa_handler = SIG_DFL}, before;
    sigemptyset(&plain.sa_mask);
    sigaction(SIGTSTP, &plain, &before);
    kill(0, SIGTSTP);
    sigaction(SIGTSTP, &before, NULL);
    term_enter();
    term_signal_flags.was_continued = 0;
}

bool term_run(char *const argv[], struct error *error)
{
    endwin();
    bool is_done = program_run(argv, error);
    term_enter();
    term_signal_flags.was_continued = 0;
    return is_done;
}

// ---- drawing -----------------------------------------------------------------------------------

// Colour pairs are created on demand: terminals of 8 colours have only 64.
enum { PAIRS_MAX = 250 };
static struct colour_pair {
    short fg, bg;
} pairs[PAIRS_MAX];
static short pair_count;
static unsigned pairs_serial;

static short pair_of(short fg, short bg)
{
    if (!has_colors() || (fg == -1 && bg == -1))
        return 0;
    for (short i = 0; i < pair_count; i++)
        if (pairs[i].fg == fg && pairs[i].bg == bg)
            return (short)(i + 1);
    if (pair_count == PAIRS_MAX || pair_count + 1 >= COLOR_PAIRS ||
        init_pair((short)(pair_count + 1), fg, bg) == ERR)
        return 0;
    pairs[pair_count++] = (struct colour_pair){fg, bg};
    return pair_count;
}

static attr_t attributes_of(unsigned attributes)
{
    return (attributes & ATTRIBUTE_BOLD ? A_BOLD : 0) | (attributes & ATTRIBUTE_DIM ? A_DIM : 0) |
           (attributes & ATTRIBUTE_UNDERLINE ? A_UNDERLINE : 0) |
           (attributes & ATTRIBUTE_REVERSE ? A_REVERSE : 0) |
           (attributes & ATTRIBUTE_ITALIC ? A_ITALIC : 0);
}

struct curses_style { // colours in the numbering of curses; -1: the default of the terminal
    attr_t attributes;
    short fg, bg;
};

static struct curses_style style_of_cell(const struct cell *cell, const struct theme *theme)
{
    const struct theme_style *style = &theme->styles[cell->style];
    if (cell->flags & CELL_MATCH)
        style = &theme->styles[STYLE_MATCH];
    else if (cell->flags & CELL_MARK && cell->style == STYLE_TEXT)
        style = &theme->styles[STYLE_MARK];
    bool is_rich = COLORS >= 256;
    struct curses_style drawn = {attributes_of(style->attributes), is_rich ? style->fg : style->fg8,
                                 is_rich ? style->bg : style->bg8};
    if (cell->flags & CELL_CURSOR && !(cell->flags & CELL_MATCH)) {
        const struct theme_style *cursor = &theme->styles[STYLE_CURSOR];
        short cursor_bg = is_rich ? cursor->bg : cursor->bg8;
        drawn.attributes |= attributes_of(cursor->attributes);
        if (cursor_bg != -1)
            drawn.bg = cursor_bg;
        if (drawn.fg == drawn.bg) // a blue bar on a blue cursor would vanish
            drawn.fg = -1;
        drawn.attributes &= ~(attr_t)A_DIM;
    }
    return drawn;
}

// Returns true if a blank can be sent in the style of the text to its left without a visible
// difference, because only the background of a blank is visible. This avoids sequences that switch
// attributes off and on again, a third of the bytes of a row of dim figures.
static bool can_keep_style(const struct cell *cell, struct curses_style wanted,
                           struct curses_style current)
{
    const attr_t visible_on_blanks = A_UNDERLINE | A_REVERSE;
    return cell->code == ' ' && cell->mark == 0 && wanted.bg == current.bg &&
           !((wanted.attributes | current.attributes) & visible_on_blanks);
}

static void row_draw(const struct cell *cells, int y, int width, const struct theme *theme)
{
    struct curses_style current = {0, -1, -1};
    // End of the last text. Blanks after it keep their style, so that curses can erase them all.
    int text_end = width;
    while (text_end > 0 && cells[text_end - 1].code == ' ')
        text_end--;
    for (int x = 0; x < width; x++) {
        const struct cell *cell = &cells[x];
        if (cell->code == 0)
            continue; // right half of a wide character
        struct curses_style style = style_of_cell(cell, theme);
        if (x > 0 && x < text_end && can_keep_style(cell, style, current))
            style = current;
        current = style;
        wchar_t text[3] = {(wchar_t)cell->code, (wchar_t)cell->mark, 0};
        cchar_t out;
        setcchar(&out, text, style.attributes, pair_of(style.fg, style.bg), NULL);
        mvadd_wch(y, x, &out); // curses finds the differences
    }
}

void term_draw(const struct canvas *canvas, const struct theme *theme, unsigned theme_serial)
{
    if (theme_serial != pairs_serial) {
        pairs_serial = theme_serial;
        pair_count = 0;
        clearok(stdscr, TRUE);
    }
    int width, height;
    term_size(&width, &height);
    width = width < canvas->width ? width : canvas->width;
    for (int y = 0; y < canvas->height && y < height; y++)
        row_draw(&canvas->cells[(size_t)y * (size_t)canvas->width], y, width, theme);
    frame_send();
}

// ---- input -------------------------------------------------------------------------------------

static const struct {
    int curses;
    uint32_t key;
} curses_keys[] = {
    {KEY_UP, KEY_CURSOR_UP},      {KEY_DOWN, KEY_CURSOR_DOWN},
    {KEY_LEFT, KEY_CURSOR_LEFT},  {KEY_RIGHT, KEY_CURSOR_RIGHT},
    {KEY_SLEFT, KEY_SHIFT_LEFT},  {KEY_SRIGHT, KEY_SHIFT_RIGHT},
    {KEY_SR, KEY_SHIFT_UP},       {KEY_SF, KEY_SHIFT_DOWN},
    {KEY_HOME, KEY_FIRST},        {KEY_END, KEY_LAST},
    {KEY_PPAGE, KEY_PAGE_UP},     {KEY_NPAGE, KEY_PAGE_DOWN},
    {KEY_BACKSPACE, KEY_ERASE},   {KEY_DC, KEY_DELETE},
    {KEY_BTAB, KEY_BACK_TAB},     {KEY_ENTER, KEY_ENTER_PRESSED},
    {CURSES_RESIZE, KEY_RESIZED},
};

// Returns true if this press follows another one on the same cell within DOUBLE_MS.
static bool is_double(int x, int y)
{
    enum { DOUBLE_MS = 400 };
    static struct {
        int x, y;
        int64_t ms;
    } previous = {-1, -1, 0};
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    bool is_second = previous.x == x && previous.y == y && ms - previous.ms < DOUBLE_MS;
    previous.x = is_second ? -1 : x; // a third press does not count as another double click
    previous.y = y;
    previous.ms = ms;
    return is_second;
}

// Returns the next byte of a report, or -1 if none arrives before the timeout.
static int report_byte(void)
{
    wint_t code;
    return get_wch(&code) == OK && code < 0x110000 ? (int)code : -1;
}

// Parses "0;18;2M" after ESC [ <, or three bytes after ESC [ M. Returns false if the bytes are
// malformed.
static bool report_read(bool is_old, int numbers[3], bool *is_release)
{
    // A larger number is not a report of a mouse.
    enum { NUMBER_MAX = 9999 };
    int byte = 0;
    for (int i = 0; i < 3; i++) {
        numbers[i] = 0;
        if (is_old) {
            byte = report_byte();
            numbers[i] = byte - ' ';
            if (byte < ' ')
                return false;
            continue;
        }
        while ((byte = report_byte()) >= '0' && byte <= '9')
            if ((numbers[i] = numbers[i] * 10 + byte - '0') > NUMBER_MAX)
                return false;
        if (i < 2 ? byte != ';' : byte != 'M' && byte != 'm')
            return false;
    }
    *is_release = is_old ? (numbers[0] & 3) == 3 && !(numbers[0] & 64) : byte == 'm';
    return true;
}

// Bits of the button number in a mouse report.
enum { SHIFT = 4, ALT = 8, CONTROL = 16, WHEEL = 64 };

// Maps a wheel movement; `direction` is 0 up, 1 down, 2 left, 3 right.
static uint32_t key_of_wheel(int direction, int modifiers)
{
    static const uint32_t keys[] = {KEY_WHEEL_UP, KEY_WHEEL_DOWN, KEY_WHEEL_LEFT, KEY_WHEEL_RIGHT},
                          zooming[] = {KEY_ZOOM_IN_WHEEL, KEY_ZOOM_OUT_WHEEL};
    if (direction < 2 && modifiers & (CONTROL | ALT))
        return zooming[direction];
    return keys[direction < 2 && modifiers & SHIFT ? direction + 2 : direction];
}

static uint32_t key_of_mouse(bool is_old, int *x, int *y)
{
    // SOON_MS: longest wait for the rest of a report.
    enum { MODIFIERS = SHIFT | ALT | CONTROL, MOVED = 32, SOON_MS = 50 };
    static bool is_pressed, is_dragged;
    int numbers[3];
    bool is_release;
    timeout(SOON_MS);
    bool is_whole = report_read(is_old, numbers, &is_release);
    nodelay(stdscr, TRUE);
    if (!is_whole)
        return KEY_NOTHING;
    *x = numbers[1] - 1;
    *y = numbers[2] - 1;
    int button = numbers[0] & ~MODIFIERS;
    if (is_release) {
        bool is_drop = is_dragged;
        is_pressed = is_dragged = false;
        return is_drop ? KEY_DROP : KEY_NOTHING;
    }
    if (button >= WHEEL && button < WHEEL + 4)
        return key_of_wheel(button - WHEEL, numbers[0]);
    if (button == MOVED && is_pressed) {
        is_dragged = true;
        return KEY_DRAG;
    }
    if (button != 0) // only the left button is used
        return KEY_NOTHING;
    is_pressed = true;
    is_dragged = false;
    return is_double(*x, *y) ? KEY_DOUBLE_CLICK : KEY_CLICK;
}

// Skips the rest of an unknown sequence after an Escape, such as "[57~", which would otherwise be
// read as single keys. Returns false if it is the Escape key itself.
static bool sequence_skip(void)
{
    // Maximum bytes of a sequence that are skipped.
    enum { LONGEST = 32 };
    int byte = report_byte();
    if (byte < 0)
        return false;
    int next = byte == '[' || byte == 'O' ? report_byte() : -1;
    if (next < 0) { // Escape, followed by another key at once
        unget_wch((wchar_t)byte);
        return false;
    }
    for (int i = 0; i < LONGEST && next >= ' ' && next < '@'; i++)
        next = report_byte();
    return true;
}

uint32_t term_key(int *x, int *y)
{
    wint_t code;
    if (term_signal_flags.was_continued) {
        term_signal_flags.was_continued = 0;
        endwin(); // makes refresh() send all that full-screen mode needs
        term_enter();
    }
    if (term_signal_flags.was_resized) {
        term_signal_flags.was_resized = 0;
        struct winsize size;
        if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
            resizeterm(size.ws_row, size.ws_col);
        return KEY_RESIZED;
    }
    int kind = get_wch(&code);
    if (kind == ERR)
        return KEY_NONE_PRESSED;
    if (kind == OK && code == KEY_ESCAPE && sequence_skip())
        return KEY_NOTHING;
    if (kind == OK)
        return code == 127 || code == 8 ? KEY_ERASE : code == '\n' ? KEY_ENTER_PRESSED : code;
    if (code == CODE_MOUSE || code == CODE_MOUSE_OLD)
        return key_of_mouse(code == CODE_MOUSE_OLD, x, y);
    for (size_t i = 0; i < sizeof curses_keys / sizeof *curses_keys; i++)
        if ((wint_t)curses_keys[i].curses == code)
            return curses_keys[i].key;
    if (code > (wint_t)KEY_F0 && code <= (wint_t)KEY_F0 + 12)
        return KEY_F1 + (uint32_t)code - (uint32_t)KEY_F0 - 1;
    return KEY_NOTHING;
}

bool term_wait(int fd, int timeout_ms, int *number)
{
    enum { CLOSED = POLLHUP | POLLERR | POLLNVAL };
    struct pollfd polled[4] = {
        {.fd = STDIN_FILENO, .events = POLLIN},
        {.fd = STDOUT_FILENO},
        {.fd = term_signals_fd(), .events = POLLIN},
        {.fd = fd, .events = POLLIN},
    };
    int ready = poll(polled, fd >= 0 ? 4 : 3, timeout_ms);
    term_signals_drain();
    // A closed terminal does not always cause a signal, but poll() reports it.
    if (ready > 0 && (polled[0].revents | polled[1].revents) & CLOSED)
        term_signal_flags.ending = SIGHUP;
    *number = term_signal_flags.ending;
    return term_signal_flags.ending == 0;
}
