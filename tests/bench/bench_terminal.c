// SPDX-License-Identifier: Apache-2.0
// Runs the program on a pseudo terminal. Its output is collected with the time of arrival, and
// libvterm interprets it only when nothing is being measured.
#include "bench_terminal.h"

#include <dirent.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vterm.h>

enum { COLUMNS = 200, ROWS = 50 };

struct terminal {
    VTerm *vterm;
    VTermScreen *screen;
    pid_t child;
    int master;
    double received_at; // when the last bytes arrived
    // Received but not yet on `screen`: parsing must not count as time of the program.
    char unread[400000];
    size_t unread_size;
};

double terminal_time(const struct terminal *terminal)
{
    return terminal->received_at;
}

struct terminal *terminal_start(const struct subject *subject)
{
    static struct terminal terminal; // one at a time
    struct winsize size = {.ws_row = ROWS, .ws_col = COLUMNS};
    const char *tui = getenv("DLPROF_TUI");
    if (!tui)
        die("DLPROF_TUI does not say where the program is");
    terminal = (struct terminal){.vterm = vterm_new(ROWS, COLUMNS)};
    vterm_set_utf8(terminal.vterm, 1);
    terminal.screen = vterm_obtain_screen(terminal.vterm);
    vterm_screen_enable_altscreen(terminal.screen, 1);
    vterm_screen_reset(terminal.screen, 1);
    terminal.child = forkpty(&terminal.master, NULL, NULL, &size);
    if (terminal.child == 0) {
        setenv("TERM", "xterm-256color", 1);
        setenv("LC_ALL", "C.UTF-8", 1);
        setenv("XDG_CONFIG_HOME", "/dev/null/x", 1);
        setenv("XDG_STATE_HOME", "/dev/null/x", 1);
        execl(tui, tui, subject->path, (char *)NULL);
        _exit(127);
    }
    if (terminal.child < 0)
        die("no pseudo terminal");
    return &terminal;
}

static void terminal_draw(struct terminal *terminal)
{
    vterm_input_write(terminal->vterm, terminal->unread, terminal->unread_size);
    terminal->unread_size = 0;
}

bool terminal_read(struct terminal *terminal, int timeout_ms)
{
    struct pollfd polled = {.fd = terminal->master, .events = POLLIN};
    if (poll(&polled, 1, timeout_ms) <= 0)
        return false;
    if (sizeof terminal->unread - terminal->unread_size < 4096)
        terminal_draw(terminal);
    ssize_t count = read(terminal->master, terminal->unread + terminal->unread_size,
                         sizeof terminal->unread - terminal->unread_size);
    if (count <= 0)
        die("the program has ended");
    terminal->received_at = now();
    terminal->unread_size += (size_t)count;
    return true;
}

bool terminal_frame(struct terminal *terminal, int timeout_ms)
{
    if (!terminal_read(terminal, timeout_ms))
        return false;
    while (terminal_read(terminal, FRAME_GAP_MS))
        ;
    return true;
}

bool terminal_shows(struct terminal *terminal, const char *words)
{
    char text[COLUMNS * 6 + 1];
    terminal_draw(terminal);
    for (int row = 0; row < ROWS; row++) {
        VTermRect rect = {row, row + 1, 0, COLUMNS};
        size_t length = vterm_screen_get_text(terminal->screen, text, sizeof text - 1, rect);
        text[length] = 0;
        if (strstr(text, words))
            return true;
    }
    return false;
}

// True if no thread of the program runs or is runnable.
static bool program_sleeps(const struct terminal *terminal)
{
    char path[300], line[300];
    bool sleeps = true;
    snprintf(path, sizeof path, "/proc/%d/task", (int)terminal->child);
    DIR *tasks = opendir(path);
    for (struct dirent *task; tasks && (task = readdir(tasks));) {
        if (task->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%.20s/stat", (int)terminal->child, task->d_name);
        FILE *file = fopen(path, "re");
        const char *state = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
        sleeps &= !state || state[2] == 'S';
        if (file)
            fclose(file);
    }
    if (tasks)
        closedir(tasks);
    return sleeps;
}

bool terminal_wait(struct terminal *terminal)
{
    for (int quiet = 0; quiet < 2; quiet = program_sleeps(terminal) ? quiet + 1 : 0)
        if (terminal_read(terminal, 10))
            return true;
    return false;
}

void terminal_rest(struct terminal *terminal)
{
    while (terminal_wait(terminal))
        ;
}

void terminal_end(struct terminal *terminal)
{
    kill(terminal->child, SIGKILL);
    waitpid(terminal->child, NULL, 0);
    close(terminal->master);
    vterm_free(terminal->vterm);
}

double terminal_peak(const struct terminal *terminal)
{
    char path[64], line[128];
    double peak = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)terminal->child);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "VmHWM:", 6) == 0)
            peak = strtod(line + 6, NULL) * 1024 / 1e6;
    if (file)
        fclose(file);
    return peak;
}

double terminal_send(struct terminal *terminal, const char *keys)
{
    terminal_draw(terminal); // while nothing is being measured
    double at = now();
    if (write(terminal->master, keys, strlen(keys)) < 0)
        die("the program takes no keys");
    return at;
}
