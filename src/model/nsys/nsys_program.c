// SPDX-License-Identifier: Apache-2.0
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

// ---- what it says ------------------------------------------------------------------------------

// Reads until a line is whole (`is_line`), the end, or nothing comes for so long.
static void output_read(int fd, bool is_line, char *out, size_t size)
{
    enum { PATIENCE_MS = 10000 };
    size_t length = 0;
    while (length + 1 < size &&
           poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, PATIENCE_MS) > 0) {
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
        kill(child, SIGKILL); // it has said what it was asked
        waitpid(child, NULL, 0);
    }
    close(ends[0]);
    return *out;
}

bool nsys_version(const char *nsys, char *out, size_t size)
{
    bool is_told = nsys_ask((const char *const[]){nsys, "--version", NULL}, true, out, size);
    out[strcspn(out, "\n")] = 0;
    return is_told && *out;
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

// ---- running it --------------------------------------------------------------------------------

// A terminal sends what its keys mean to the child as well; the others are sent to this program alone.
static const int from_keys[] = {SIGINT, SIGQUIT}, handed_on[] = {SIGTERM, SIGHUP};
enum { PAIR = 2 };
static volatile sig_atomic_t running; // who it is handed on to, 0: nobody
static volatile sig_atomic_t has_handed_on;

static void hand_on(int number)
{
    if (running > 0)
        kill(running, number);
    has_handed_on = 1;
}

struct signals_kept {
    struct sigaction keys[PAIR], others[PAIR];
    sigset_t mask;
};

// Until the child is known the others wait. What this program was told to ignore it goes on ignoring.
static void signals_take(struct signals_kept *kept, sigset_t *usual)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, handler = {.sa_handler = hand_on};
    sigset_t others;
    sigemptyset(&others);
    sigemptyset(usual);
    sigaddset(usual, SIGPIPE);
    sigaddset(usual, SIGXFSZ);
    for (int i = 0; i < PAIR; i++)
        sigaddset(&others, handed_on[i]);
    sigprocmask(SIG_BLOCK, &others, &kept->mask);
    for (int i = 0; i < PAIR; i++) {
        sigaction(from_keys[i], &ignore, &kept->keys[i]);
        if (kept->keys[i].sa_handler != SIG_IGN)
            sigaddset(usual, from_keys[i]);
        sigaction(handed_on[i], NULL, &kept->others[i]);
        if (kept->others[i].sa_handler != SIG_IGN)
            sigaction(handed_on[i], &handler, NULL);
    }
}

static void signals_return(const struct signals_kept *kept)
{
    for (int i = 0; i < PAIR; i++) {
        sigaction(from_keys[i], &kept->keys[i], NULL);
        sigaction(handed_on[i], &kept->others[i], NULL);
    }
}

bool nsys_run(const char *nsys, const char *const arguments[], struct nsys_end *end,
              struct error *error)
{
    posix_spawnattr_t attributes;
    struct signals_kept kept;
    sigset_t usual;
    pid_t child = -1;
    int ended = 0;
    if (posix_spawnattr_init(&attributes) != 0)
        return error_set(error, ERROR_MEMORY, "out of memory");
    has_handed_on = 0;
    signals_take(&kept, &usual);
    posix_spawnattr_setsigmask(&attributes, &kept.mask);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int reason = posix_spawn(&child, nsys, NULL, &attributes, (char *const *)arguments, environ);
    posix_spawnattr_destroy(&attributes);
    running = reason == 0 ? child : 0;
    sigprocmask(SIG_SETMASK, &kept.mask, NULL);
    while (reason == 0 && waitpid(child, &ended, 0) < 0)
        reason = errno == EINTR ? 0 : errno;
    running = 0;
    signals_return(&kept);
    if (reason != 0)
        return error_set(error, ERROR_IO, "%s: %s", nsys, strerror(reason));
    end->status = WIFSIGNALED(ended) ? 128 + WTERMSIG(ended) : WEXITSTATUS(ended);
    end->is_handed_on = has_handed_on;
    return true;
}
