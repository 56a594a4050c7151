// SPDX-License-Identifier: Apache-2.0
// Handlers of signals in full-screen mode (term_signals.h). A handler only sets a flag and writes
// to a pipe, which wakes the main loop; handlers of fatal signals restore the terminal.
#include "ui/term/term_signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

struct term_signal_flags term_signal_flags;

static struct termios modes_before;
static bool has_modes;
static int wake_pipe[2] = {-1, -1};
static char restore_text[256]; // sequences that leave full-screen mode
static size_t restore_length;

// Signals that end a program by default. SIGPIPE and SIGXFSZ are not among them: here they are
// errors of write().
static const int ending_signals[] = {SIGTERM, SIGHUP,    SIGINT,  SIGQUIT, SIGALRM, SIGUSR1,
                                     SIGUSR2, SIGVTALRM, SIGPROF, SIGPOLL, SIGPWR,  SIGSTKFLT};
static const int fatal_signals[] = {SIGSEGV, SIGBUS, SIGFPE,  SIGILL,
                                    SIGABRT, SIGSYS, SIGTRAP, SIGXCPU};
enum {
    ENDING = sizeof ending_signals / sizeof *ending_signals,
    FATAL = sizeof fatal_signals / sizeof *fatal_signals,
};
static struct sigaction ending_before[ENDING], fatal_before[FATAL], resize_before, continue_before;

static void wake(void)
{
    int saved_errno = errno;
    char byte = 0;
    ssize_t written = write(wake_pipe[1], &byte, 1);
    (void)written; // pipe is full: a wake-up is pending already
    errno = saved_errno;
}

static void on_ending(int number)
{
    term_signal_flags.ending = number;
    wake();
}

static void on_resize(int number)
{
    (void)number;
    term_signal_flags.was_resized = 1;
    wake();
}

// SIGSTOP cannot be caught. When the program continues, the shell has used the terminal meanwhile,
// so full-screen mode must be entered again.
static void on_continue(int number)
{
    (void)number;
    term_signal_flags.was_continued = 1;
    wake();
}

// Restores the terminal with functions that are safe in a handler only: write() and tcsetattr().
static void on_fatal(int number)
{
    ssize_t written = write(STDOUT_FILENO, restore_text, restore_length);
    (void)written;
    if (has_modes)
        tcsetattr(STDIN_FILENO, TCSANOW, &modes_before);
    for (int i = 0; i < FATAL; i++)
        if (fatal_signals[i] == number)
            sigaction(number, &fatal_before[i], NULL);
    raise(number);
}

static void signals_install(void)
{
    struct sigaction action = {.sa_handler = on_ending};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < ENDING; i++)
        sigaction(ending_signals[i], &action, &ending_before[i]);
    action.sa_handler = on_fatal;
    action.sa_flags = (int)SA_NODEFER;
    for (int i = 0; i < FATAL; i++)
        sigaction(fatal_signals[i], &action, &fatal_before[i]);
    action.sa_handler = on_resize;
    action.sa_flags = SA_RESTART;
    sigaction(SIGWINCH, &action, &resize_before);
    action.sa_handler = on_continue;
    sigaction(SIGCONT, &action, &continue_before);
}

static void signals_uninstall(void)
{
    for (int i = 0; i < ENDING; i++)
        sigaction(ending_signals[i], &ending_before[i], NULL);
    for (int i = 0; i < FATAL; i++)
        sigaction(fatal_signals[i], &fatal_before[i], NULL);
    sigaction(SIGWINCH, &resize_before, NULL);
    sigaction(SIGCONT, &continue_before, NULL);
}

bool term_signals_open(struct error *error)
{
    if (pipe(wake_pipe) != 0)
        return error_set(error, ERROR_IO, "no pipe: %s", strerror(errno));
    for (int i = 0; i < 2; i++) {
        fcntl(wake_pipe[i], F_SETFL, O_NONBLOCK);
        fcntl(wake_pipe[i], F_SETFD, FD_CLOEXEC);
    }
    has_modes = tcgetattr(STDIN_FILENO, &modes_before) == 0;
    restore_length = 0;
    signals_install();
    return true;
}

void term_signals_restore(const char *text)
{
    // Skips padding such as $<5>, which old terminals need and which must not be sent literally.
    for (; text && *text && restore_length < sizeof restore_text - 1; text++) {
        if (text[0] == '$' && text[1] == '<') {
            text += strcspn(text, ">");
            if (!*text)
                break;
            continue;
        }
        restore_text[restore_length++] = *text;
    }
}

void term_signals_close(void)
{
    signals_uninstall();
    close(wake_pipe[0]);
    close(wake_pipe[1]);
}

int term_signals_fd(void)
{
    return wake_pipe[0];
}

void term_signals_drain(void)
{
    char bytes[64];
    while (read(wake_pipe[0], bytes, sizeof bytes) > 0)
        ;
}
