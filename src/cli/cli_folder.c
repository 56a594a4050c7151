// SPDX-License-Identifier: Apache-2.0
#include "cli/cli_folder.h"

#include <unistd.h>

#include "model/open/run_folder.h"

struct profile_paths {
    const char **items;
    size_t count, capacity;
};

static void path_add(struct profile_paths *paths, const char *path, struct arena *arena)
{
    ARENA_PUSH(arena, paths->items, paths->count, paths->capacity) = path;
}

// Adds the profiles of the folder, or of its only run, to `paths`; if it has several runs, sets
// cli->runs.
static bool take_folder(struct cli *cli, const char *path, struct profile_paths *paths,
                        struct arena *arena, struct error *error)
{
    struct run_folder folder;
    if (!run_folder_open(path, &folder, arena, error))
        return false;
    for (size_t p = 0; p < folder.count; p++)
        path_add(paths, folder.paths[p], arena);
    if (!folder.runs)
        return true;
    if (cli->path_count > 1 || cli->size || !cli_uses_screen(cli) || !isatty(STDIN_FILENO))
        return run_folder_report_several(folder.runs, arena, error);
    cli->runs = folder.runs;
    return true;
}

bool cli_expand_folders(struct cli *cli, struct arena *arena, struct error *error)
{
    struct profile_paths paths = {0};
    bool has_folder = false;
    for (size_t i = 0; i < cli->path_count; i++) {
        bool is_one = run_folder_is(cli->paths[i]);
        has_folder |= is_one;
        if (!is_one)
            path_add(&paths, cli->paths[i], arena);
        else if (!take_folder(cli, cli->paths[i], &paths, arena, error))
            return false;
    }
    if (!has_folder || cli->runs || !paths.count)
        return true;
    cli->paths = paths.items;
    cli->path_count = paths.count;
    cli->path = paths.items[0];
    return true;
}
