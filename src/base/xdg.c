// SPDX-License-Identifier: Apache-2.0
#include "base/xdg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
    const char *variable, *in_home;
} folders[XDG_FOLDER_COUNT] = {
    [XDG_CONFIG] = {"XDG_CONFIG_HOME", ".config"},
    [XDG_STATE] = {"XDG_STATE_HOME", ".local/state"},
    [XDG_CACHE] = {"XDG_CACHE_HOME", ".cache"},
};

const char *xdg_path(struct arena *arena, enum xdg_folder folder, const char *name)
{
    const char *base = getenv(folders[folder].variable), *home = getenv("HOME");
    const char *slash = *name ? "/" : "";
    if (base && *base == '/')
        return arena_format(arena, "%s/dlprof-tui%s%s", base, slash, name);
    if (home && *home == '/')
        return arena_format(arena, "%s/%s/dlprof-tui%s%s", home, folders[folder].in_home, slash,
                            name);
    return NULL;
}

bool xdg_make_folder_of(struct arena *arena, const char *path)
{
    const char *end = strrchr(path, '/');
    char *folder = arena_copy(arena, path, end ? (size_t)(end - path) : 0);
    for (char *slash = folder; *folder && (slash = strchr(slash + 1, '/'));) {
        *slash = 0;
        mkdir(folder, 0700); // one that fails shows at the end
        *slash = '/';
    }
    return !*folder || mkdir(folder, 0700) == 0 || errno == EEXIST;
}
