// SPDX-License-Identifier: Apache-2.0
#include "base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>

extern char **environ;

static void reset_signals(posix_spawnattr_t *attributes)
{
    static const int signals[] = {SIGINT,  SIGTERM,  SIGPIPE, SIGXFSZ,
                                  SIGTSTP, SIGWINCH, SIGHUP,  SIGCHLD};
    sigset_t none, default_signals;
    sigemptyset(&none);
    sigemptyset(&default_signals);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaddset(&default_signals, signals[i]);
    posix_spawnattr_setsigmask(attributes, &none);
    posix_spawnattr_setsigdefault(attributes, &default_signals);
}

int spawn_quiet(const char *const arguments[], const char *log, bool has_own_ends, pid_t *child)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&files) != 0)
        return ENOMEM;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return ENOMEM;
    }
    reset_signals(&attributes);
    posix_spawnattr_setpgroup(&attributes, 0);
    int group_flag = has_own_ends ? POSIX_SPAWN_SETSID : POSIX_SPAWN_SETPGROUP;
    posix_spawnattr_setflags(&attributes,
                             (short)(group_flag | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
    int reason = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    if (reason == 0)
        reason =
            posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (reason == 0)
        reason = posix_spawn_file_actions_adddup2(&files, 1, 2);
    if (reason == 0)
        reason = posix_spawn(child, arguments[0], &files, &attributes, (char *const *)arguments,
                             environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return reason;
}
