// SPDX-License-Identifier: Apache-2.0
#include "base/xdg.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

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
        mkdir(folder, 0700); // a failure shows in the last mkdir()
        *slash = '/';
    }
    return !*folder || mkdir(folder, 0700) == 0 || errno == EEXIST;
}

// ---- the cache ----------------------------------------------------------------------------------

enum { RECENT_S = 3600 }; // another process may be reading or writing such a file

static bool is_before(struct timespec a, struct timespec b)
{
    return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

// Removes the least recently used file if the cache is too large. Returns true if there may be more
// to remove. Scans the folder each time, as a cache has few files.
static bool remove_oldest(const char *folder, int64_t max_bytes)
{
    char oldest[NAME_MAX + 1] = "";
    struct timespec oldest_time = {0};
    int64_t total_bytes = 0;
    DIR *entries = opendir(folder);
    if (!entries)
        return false;
    for (struct dirent *entry; (entry = readdir(entries));) {
        struct stat status;
        if (fstatat(dirfd(entries), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(status.st_mode))
            continue;
        total_bytes += status.st_size;
        if (status.st_mtim.tv_sec > time(NULL) - RECENT_S ||
            (*oldest && !is_before(status.st_mtim, oldest_time)))
            continue;
        snprintf(oldest, sizeof oldest, "%s", entry->d_name);
        oldest_time = status.st_mtim;
    }
    bool is_removed =
        total_bytes > max_bytes && *oldest && unlinkat(dirfd(entries), oldest, 0) == 0;
    closedir(entries);
    return is_removed;
}

void xdg_cache_trim(struct arena *arena, int64_t max_bytes)
{
    const char *folder = xdg_path(arena, XDG_CACHE, "");
    while (folder && remove_oldest(folder, max_bytes))
        ;
}

void xdg_cache_mark_used(const char *path)
{
    utimensat(AT_FDCWD, path, NULL, 0);
}
