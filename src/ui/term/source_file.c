// SPDX-License-Identifier: Apache-2.0
#include "ui/term/source_file.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text/text_file.h"

// Returns true if the path has a ".." component, so that it may lead out of its folder.
static bool has_parent_component(const char *path)
{
    for (const char *at = path; (at = strstr(at, "..")); at += 2)
        if ((at == path || at[-1] == '/') && (at[2] == '/' || at[2] == 0))
            return true;
    return false;
}

const char *source_file_find(const char *recorded, const char *root, struct arena *arena)
{
    if (!*recorded)
        return NULL;
    if (text_file_is_regular(recorded))
        return recorded;
    for (const char *end = recorded; end; end = strchr(end, '/')) {
        end += strspn(end, "/");
        const char *path = arena_format(arena, "%s/%s", root, end);
        if (*end && !has_parent_component(end) && text_file_is_regular(path))
            return path;
    }
    return NULL;
}

char **source_file_argv(const char *editor, const char *path, uint32_t line, struct arena *arena)
{
    size_t count = 0, capacity = 0;
    char **argv = NULL;
    for (const char *at = editor + strspn(editor, " "); *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        ARENA_PUSH(arena, argv, count, capacity) = arena_copy(arena, at, length);
        at += length;
    }
    if (count == 0)
        ARENA_PUSH(arena, argv, count, capacity) = arena_text(arena, "vi");
    if (line > 0)
        ARENA_PUSH(arena, argv, count, capacity) = arena_format(arena, "+%u", line);
    bool is_option = *path == '-' || *path == '+';
    ARENA_PUSH(arena, argv, count, capacity) =
        arena_format(arena, "%s%s", is_option ? "./" : "", path);
    ARENA_PUSH(arena, argv, count, capacity) = NULL;
    return argv;
}

// Exit status of a child whose program could not be started, as in shells.
enum { NOT_FOUND = 127 };

static _Noreturn void child_run(char *const argv[])
{
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t none;
    sigemptyset(&none);
    sigemptyset(&plain.sa_mask);
    sigaction(SIGINT, &plain, NULL);
    sigaction(SIGQUIT, &plain, NULL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execvp(argv[0], argv);
    _exit(NOT_FOUND);
}

bool program_run(char *const argv[], struct error *error)
{
    // While the editor runs, C-c and C-\ are for the editor only.
    struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupt, quit;
    int status = 0;
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    pid_t child = fork();
    if (child == 0)
        child_run(argv);
    bool is_done = child > 0;
    while (is_done && waitpid(child, &status, 0) < 0)
        is_done = errno == EINTR;
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    if (!is_done)
        return error_set(error, ERROR_IO, "%s could not be started: %s", argv[0], strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
        return error_set(error, ERROR_IO, "%s is no program that can be started", argv[0]);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return error_set(error, ERROR_IO, "%s ended with an error", argv[0]);
    return true;
}
