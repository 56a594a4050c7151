// SPDX-License-Identifier: Apache-2.0
// Runs nsys as a child process: asks for its version and help, or runs a capture on the terminal.
#include "model/nsys/nsys_program.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool program_find(const char *name, char found[NSYS_PATH_BYTES])
{
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t length = strcspn(path, ":");
        struct stat status;
        if (length && length + strlen(name) + 2 <= NSYS_PATH_BYTES) {
            snprintf(found, NSYS_PATH_BYTES, "%.*s/%s", (int)length, path, name);
            if (access(found, X_OK) == 0 && stat(found, &status) == 0 && S_ISREG(status.st_mode))
                return true;
        }
        path += length + (path[length] == ':');
    }
    return false;
}

bool nsys_find(char found[NSYS_PATH_BYTES])
{
    return program_find("nsys", found);
}

// ---- output of nsys -----------------------------------------------------------------------------

// Reads until a line is complete (if `is_line`), the output ends, or nothing arrives for
// READ_TIMEOUT_MS.
static void output_read(int fd, bool is_line, char *out, size_t size)
{
    enum { READ_TIMEOUT_MS = 10000 };
    size_t length = 0;
    while (length + 1 < size &&
           poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, READ_TIMEOUT_MS) > 0) {
        ssize_t got = read(fd, out + length, size - 1 - length);
        if (got <= 0)
            break;
        length += (size_t)got;
        if (is_line && memchr(out, '\n', length))
            break;
    }
    out[length] = 0;
}

static bool nsys_ask(const char *const arguments[], bool is_line, char *out, size_t size)
{
    posix_spawn_file_actions_t files;
    int ends[2];
    pid_t child = -1;
    *out = 0;
    if (posix_spawn_file_actions_init(&files) != 0)
        return false;
    if (pipe(ends) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return false;
    }
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, ends[1], 1);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    bool is_begun =
        posix_spawn(&child, arguments[0], &files, NULL, (char *const *)arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    if (is_begun) {
        output_read(ends[0], is_line, out, size);
        kill(child, SIGKILL); // its answer is complete
        waitpid(child, NULL, 0);
    }
    close(ends[0]);
    return *out;
}

bool nsys_version(const char *nsys, char *out, size_t size)
{
    bool has_output = nsys_ask((const char *const[]){nsys, "--version", NULL}, true, out, size);
    out[strcspn(out, "\n")] = 0;
    return has_output && *out;
}

const char *nsys_help(const char *nsys, const char *command, struct arena *arena)
{
    enum { HELP_BYTES = 1 << 18 };
    char *text = ARENA_ARRAY(arena, char, HELP_BYTES);
    nsys_ask((const char *const[]){nsys, command, "--help", NULL}, false, text, HELP_BYTES);
    return text;
}

bool nsys_help_has(const char *help, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = help; (at = strstr(at, word)); at += length)
        if (!isalnum((unsigned char)at[length]) && at[length] != '-')
            return true;
    return false;
}

// ---- running nsys -------------------------------------------------------------------------------

// The terminal sends keyboard signals to the child, too; others reach this program only.
static const int keyboard_signals[] = {SIGINT, SIGQUIT}, forwarded_signals[] = {SIGTERM, SIGHUP};
enum { SIGNAL_PAIR = 2 };
static volatile sig_atomic_t child_pid; // process that signals are forwarded to; 0: none
static volatile sig_atomic_t has_forwarded;

static void forward_signal(int number)
{
    if (child_pid > 0)
        kill(child_pid, number);
    has_forwarded = 1;
}

struct saved_signals {
    struct sigaction keys[SIGNAL_PAIR], others[SIGNAL_PAIR];
    sigset_t mask;
};

// Installs the handlers. Forwarded signals stay blocked until the child's pid is known. A signal
// that this program was started to ignore stays ignored.
static void signals_take(struct saved_signals *kept, sigset_t *default_signals)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, handler = {.sa_handler = forward_signal};
    sigset_t others;
    sigemptyset(&others);
    sigemptyset(default_signals);
    sigaddset(default_signals, SIGPIPE);
    sigaddset(default_signals, SIGXFSZ);
    for (int i = 0; i < SIGNAL_PAIR; i++)
        sigaddset(&others, forwarded_signals[i]);
    sigprocmask(SIG_BLOCK, &others, &kept->mask);
    for (int i = 0; i < SIGNAL_PAIR; i++) {
        sigaction(keyboard_signals[i], &ignore, &kept->keys[i]);
        if (kept->keys[i].sa_handler != SIG_IGN)
            sigaddset(default_signals, keyboard_signals[i]);
        sigaction(forwarded_signals[i], NULL, &kept->others[i]);
        if (kept->others[i].sa_handler != SIG_IGN)
            sigaction(forwarded_signals[i], &handler, NULL);
    }
}

static void signals_return(const struct saved_signals *kept)
{
    for (int i = 0; i < SIGNAL_PAIR; i++) {
        sigaction(keyboard_signals[i], &kept->keys[i], NULL);
        sigaction(forwarded_signals[i], &kept->others[i], NULL);
    }
}

bool nsys_run(const char *nsys, const char *const arguments[], struct nsys_exit_state *end,
              struct error *error)
{
    posix_spawnattr_t attributes;
    struct saved_signals kept;
    sigset_t default_signals;
    pid_t child = -1;
    int ended = 0;
    if (posix_spawnattr_init(&attributes) != 0)
        return error_set(error, ERROR_MEMORY, "out of memory");
    has_forwarded = 0;
    signals_take(&kept, &default_signals);
    posix_spawnattr_setsigmask(&attributes, &kept.mask);
    posix_spawnattr_setsigdefault(&attributes, &default_signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int reason = posix_spawn(&child, nsys, NULL, &attributes, (char *const *)arguments, environ);
    posix_spawnattr_destroy(&attributes);
    child_pid = reason == 0 ? child : 0;
    sigprocmask(SIG_SETMASK, &kept.mask, NULL);
    while (reason == 0 && waitpid(child, &ended, 0) < 0)
        reason = errno == EINTR ? 0 : errno;
    child_pid = 0;
    signals_return(&kept);
    if (reason != 0)
        return error_set(error, ERROR_IO, "%s: %s", nsys, strerror(reason));
    end->status = WIFSIGNALED(ended) ? 128 + WTERMSIG(ended) : WEXITSTATUS(ended);
    end->is_signal_forwarded = has_forwarded;
    return true;
}
