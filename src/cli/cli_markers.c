// SPDX-License-Identifier: Apache-2.0
#include "cli/cli_markers.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_python(const char *word)
{
    const char *slash = strrchr(word, '/');
    const char *name = slash ? slash + 1 : word;
    if (strncmp(name, "python", 6) != 0)
        return false;
    return !name[6 + strspn(name + 6, "0123456789.")];
}

bool cli_markers_place(char *const *words, int count, int *place, struct error *error)
{
    if (!is_python(words[0]))
        return error_set(
            error, ERROR_USAGE,
            "--markers: %s is no interpreter of Python; where another program starts it, "
            "as torchrun does, let that run `python -m dlprof_tui_markers train.py`",
            words[0]);
    int i = 1;
    while (i < count && words[i][0] == '-' && words[i][1] && !strchr("mc", words[i][1]))
        i += strcmp(words[i], "-X") == 0 || strcmp(words[i], "-W") == 0 ? 2 : 1;
    if (i >= count || strcmp(words[i], "-") == 0 || strncmp(words[i], "-c", 2) == 0)
        return error_set(error, ERROR_USAGE, "--markers: %s is given no script and no module",
                         words[0]);
    *place = i;
    return true;
}

bool cli_markers_find(const char **file, struct arena *arena, struct error *error)
{
    // Relative to the program: where an installation was moved to; the source tree of a build.
    static const char *const places[] = {"../share/dlprof-tui/python", "../../python"};
    static const char name[] = "dlprof_tui_markers.py";
    *file = arena_format(arena, "%s/python/%s", DLPROF_TUI_DATADIR, name);
    if (access(*file, R_OK) == 0)
        return true;
    char program[PATH_MAX], path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash = length > 0 ? memrchr(program, '/', (size_t)length) : NULL;
    if (slash)
        *slash = '\0';
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++)
        if (realpath(arena_format(arena, "%s/%s/%s", program, places[i], name), path)) {
            *file = arena_format(arena, "%s", path);
            return true;
        }
    return error_set(error, ERROR_IO,
                     "--markers: %s is not there; it is installed with the program", *file);
}
