// SPDX-License-Identifier: Apache-2.0
// A profile from standard input: a redirected file is opened by its path, a pipe is copied to a
// temporary file first.
#include "cli/cli_input.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/bytes.h"
#include "base/text/text.h"

// Limits for the first byte of a pipe that was not named by "-".
enum { NOTICE_MS = 1000, WAIT_MS = 30000 };

static bool is_file(int number, struct stat *status)
{
    return fstat(number, status) == 0 && S_ISREG(status->st_mode);
}

// True for pipes; over ssh without a terminal standard input may be a socket.
static bool is_pipe(int number)
{
    struct stat status;
    return fstat(number, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

// Returns 1 if input or its end is available, 0 after the timeout, below 0 on an error.
static int wait_for_input(int milliseconds)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    int ready;
    do
        ready = poll(&input, 1, milliseconds);
    while (ready < 0 && errno == EINTR);
    return ready;
}

// Waits for input with a timeout. In a batch job or a remote shell, standard input may be a pipe
// that is never written or closed. A user who forgot to name a profile then gets an error instead
// of a hang.
static bool wait_for_unnamed(const struct cli *cli, void (*tell)(const char *line),
                             struct error *error)
{
    int ready = wait_for_input(NOTICE_MS);
    if (ready == 0) {
        if (cli->verbosity >= VERBOSITY_NORMAL)
            tell("no profile is named: waiting for one through standard input");
        ready = wait_for_input(WAIT_MS - NOTICE_MS);
    }
    return ready != 0 || error_set(error, ERROR_USAGE,
                                   "no profile given: nothing came through standard input for "
                                   "%d s; - waits for as long as it takes",
                                   WAIT_MS / 1000);
}

static bool is_same(const struct stat *a, const char *path)
{
    struct stat b;
    return stat(path, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

// Returns the path of an open file; NULL if it was removed.
static const char *name_of(int number, const struct stat *status, struct arena *arena)
{
    char path[PATH_MAX];
    const char *link = arena_format(arena, TEXT_OPEN_FILES "%d", number);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0)
        return NULL;
    path[length] = 0;
    return is_same(status, path) ? arena_text(arena, path) : NULL;
}

static bool copy_input(int number)
{
    char bytes[1 << 16];
    for (;;) {
        ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
        if (got == 0)
            return true;
        if ((got < 0 && errno != EINTR) || (got > 0 && !bytes_write_fd(number, bytes, (size_t)got)))
            return false;
    }
}

// Copies a pipe to an unlinked temporary file, which vanishes with the process.
static bool copy_pipe_to_file(int *number, struct arena *arena, struct error *error)
{
    const char *folder = getenv("TMPDIR");
    char *path = arena_format(arena, "%s/dlprof-tui.XXXXXX", folder && *folder ? folder : "/tmp");
    *number = mkostemp(path, O_CLOEXEC);
    if (*number < 0)
        return error_set(error, ERROR_IO, "%s: %s", path, strerror(errno));
    unlink(path);
    if (!copy_input(*number))
        return error_set(error, ERROR_IO, "standard input: %s", strerror(errno));
    return true;
}

static bool is_database(int number)
{
    static const char database[] = "SQLite format 3";
    char head[sizeof database - 1];
    return pread(number, head, sizeof head, 0) == (ssize_t)sizeof head &&
           memcmp(head, database, sizeof head) == 0;
}

// Makes the terminal, if any, standard input, for reading keys.
static void read_keys_from_terminal(void)
{
    int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);
    if (terminal < 0)
        return;
    dup2(terminal, STDIN_FILENO);
    close(terminal);
}

bool cli_read_stdin(struct cli *cli, void (*tell)(const char *line), struct arena *arena,
                    struct error *error)
{
    struct stat status;
    bool is_named = false, reads_script = cli->script && strcmp(cli->script, "-") == 0;
    for (size_t i = 0; i < cli->path_count; i++)
        is_named |= strcmp(cli->paths[i], "-") == 0;
    if (!is_named && (cli->path || cli->session || cli->application || reads_script ||
                      (!is_file(STDIN_FILENO, &status) && !is_pipe(STDIN_FILENO))))
        return true;
    if (cli->path_count > 1 || reads_script)
        return error_set(error, ERROR_USAGE,
                         "- is standard input: it is one profile, beside no other and no script");
    if (isatty(STDIN_FILENO))
        return error_set(error, ERROR_USAGE,
                         "- is standard input, and that is a terminal: dlprof-tui - < net.dict");
    int number = -1;
    if (is_file(STDIN_FILENO, &status))
        number = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
    else if ((!is_named && !wait_for_unnamed(cli, tell, error)) ||
             !copy_pipe_to_file(&number, arena, error))
        return false;
    if (number < 0 || fstat(number, &status) != 0)
        return error_set(error, ERROR_IO, "standard input: %s", strerror(errno));
    // An empty pipe, as cron provides.
    if (!is_named && is_pipe(STDIN_FILENO) && status.st_size == 0) {
        close(number);
        return true;
    }
    const char *name = name_of(number, &status, arena);
    if (!name && is_database(number)) // SQLite can open files by name only
        return error_set(
            error, ERROR_USAGE,
            "a database is not read through a pipe: name its file, or put it behind <");
    if (name)
        close(number);
    if (cli_uses_screen(cli))
        read_keys_from_terminal();
    const char **paths = ARENA_NEW(arena, const char *);
    *paths = name ? name : arena_format(arena, TEXT_OPEN_FILES "%d", number);
    cli->paths = paths;
    cli->path_count = 1;
    cli->path = *paths;
    return true;
}
