// SPDX-License-Identifier: Apache-2.0
#include "model/nsys_program.h"

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

bool nsys_find(char found[NSYS_PATH_BYTES])
{
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t length = strcspn(path, ":");
        struct stat status;
        if (length && length < PATH_MAX) {
            snprintf(found, NSYS_PATH_BYTES, "%.*s/nsys", (int)length, path);
            if (access(found, X_OK) == 0 && stat(found, &status) == 0 && S_ISREG(status.st_mode))
                return true;
        }
        path += length + (path[length] == ':');
    }
    return false;
}

// Reads until a line is whole, the end, or nothing comes for so long.
static void line_read(int fd, char *out, size_t size)
{
    enum { PATIENCE_MS = 10000 };
    size_t length = 0;
    while (length + 1 < size &&
           poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, PATIENCE_MS) > 0) {
        ssize_t got = read(fd, out + length, size - 1 - length);
        if (got <= 0)
            break;
        length += (size_t)got;
        if (memchr(out, '\n', length))
            break;
    }
    out[length] = 0;
    out[strcspn(out, "\n")] = 0;
}

bool nsys_version(const char *nsys, char *out, size_t size)
{
    const char *const arguments[] = {nsys, "--version", NULL};
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
    bool is_begun = posix_spawn(&child, nsys, &files, NULL, (char *const *)arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    if (is_begun) {
        line_read(ends[0], out, size);
        kill(child, SIGKILL); // it has said what it was asked
        waitpid(child, NULL, 0);
    }
    close(ends[0]);
    return *out;
}
