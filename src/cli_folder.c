// SPDX-License-Identifier: Apache-2.0
#include "cli_folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/format.h"
#include "base/text.h"
#include "model/loader.h"

enum {
    ENTRIES_MOST = 1 << 16, // of a folder
    RUNS_SHOWN = 30,
};

struct names {
    struct arena *arena;
    const char **items;
    size_t count, capacity;
};

static void name_add(struct names *names, const char *name)
{
    ARENA_PUSH(names->arena, names->items, names->count, names->capacity) = name;
}

static int compare_names(const void *a, const void *b)
{
    return text_compare_natural(*(const char *const *)a, *(const char *const *)b);
}

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

// What lies in a folder, without what is hidden, in order of the names.
static struct names entries_of(const char *folder, struct arena *arena)
{
    struct names names = {.arena = arena};
    DIR *entries = opendir(folder);
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    for (struct dirent *entry; entries && names.count < ENTRIES_MOST && (entry = readdir(entries));)
        if (entry->d_name[0] != '.')
            name_add(&names, arena_format(arena, "%.*s/%s", (int)length, folder, entry->d_name));
    if (entries)
        closedir(entries);
    if (names.count)
        qsort(names.items, names.count, sizeof *names.items, compare_names);
    return names;
}

// Whether a report of nsys lies beside its own export, which is read.
static bool is_exported(const char *path, const struct names *names, struct arena *arena)
{
    const char *dot = strrchr(path, '.');
    if (!dot || (strcmp(dot, ".nsys-rep") != 0 && strcmp(dot, ".qdrep") != 0))
        return false;
    const char *export = arena_format(arena, "%.*s.sqlite", (int)(dot - path), path);
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], export) == 0)
            return true;
    return false;
}

// The profiles in a folder that are of one run. What DLProf made of a capture says the same once more, and is
// one only where nothing else is.
static struct names profiles_of(const char *folder, struct arena *arena)
{
    struct names all = entries_of(folder, arena), captures = {.arena = arena},
                 made = {.arena = arena};
    for (size_t i = 0; i < all.count; i++) {
        const char *format = is_folder(all.items[i]) ? NULL : profile_format(all.items[i]);
        if (!format || is_exported(all.items[i], &all, arena))
            continue;
        bool is_made = strcmp(format, "dldb") == 0 || strcmp(format, "pyprof") == 0;
        name_add(is_made ? &made : &captures, all.items[i]);
    }
    if (!captures.count && made.count)
        made.count = 1;
    return captures.count ? captures : made;
}

// The folders in a folder that hold profiles.
static struct names runs_of(const char *folder, struct arena *arena)
{
    struct names all = entries_of(folder, arena), runs = {.arena = arena};
    for (size_t i = 0; i < all.count; i++)
        if (is_folder(all.items[i]) && profiles_of(all.items[i], arena).count)
            name_add(&runs, all.items[i]);
    return runs;
}

static const char *list_text(const struct names *runs, struct arena *arena)
{
    struct bytes text = {.arena = arena};
    char count[FORMAT_SIZE];
    for (size_t i = 0; i < runs->count && i < RUNS_SHOWN; i++)
        bytes_format(&text, "\n%4zu  %s  (%s)", i + 1, text_path_shown(runs->items[i]),
                     format_counted(count, profiles_of(runs->items[i], arena).count, "file"));
    if (runs->count > RUNS_SHOWN)
        bytes_format(&text, "\n      and %zu more", runs->count - RUNS_SHOWN);
    return arena_copy(arena, text.items, text.count);
}

// NULL: none was chosen.
static const char *ask_run(const char *folder, const struct names *runs, struct arena *arena)
{
    char line[64];
    fprintf(stderr, "%s holds %zu runs:%s\nWhich one? [1] ", text_path_shown(folder), runs->count,
            list_text(runs, arena));
    fflush(stderr);
    if (!fgets(line, sizeof line, stdin))
        return NULL;
    char *end;
    unsigned long number = line[0] == '\n' ? 1 : strtoul(line, &end, 10);
    return number >= 1 && number <= runs->count ? runs->items[number - 1] : NULL;
}

// The folder that the profiles lie in: itself, or the run in it that is chosen. NULL: error.
static const char *run_of(const struct cli *cli, const char *folder, struct arena *arena,
                          struct error *error)
{
    if (profiles_of(folder, arena).count)
        return folder;
    struct names runs = runs_of(folder, arena);
    if (runs.count == 1)
        return runs.items[0];
    if (!runs.count) {
        error_set(error, ERROR_DATA,
                  "%s is a directory, and neither it nor one in it holds a profile.\nOpened are "
                  "traces of the PyTorch Profiler (*.pt.trace.json, also .gz), exports of Nsight "
                  "Systems (" HOW_TO_EXPORT
                  ") and what else is a profile, all of one run together.",
                  text_path_shown(folder));
        return NULL;
    }
    bool asks = cli_is_screen(cli) && isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
    const char *chosen = asks ? ask_run(folder, &runs, arena) : NULL;
    if (!chosen)
        error_set(error, ERROR_USAGE, "%s holds %zu runs; name the one to be opened:%s",
                  text_path_shown(folder), runs.count, list_text(&runs, arena));
    return chosen;
}

bool cli_take_folders(struct cli *cli, struct arena *arena, struct error *error)
{
    struct names paths = {.arena = arena};
    bool has_folder = false;
    for (size_t i = 0; i < cli->path_count; i++) {
        if (!is_folder(cli->paths[i])) {
            name_add(&paths, cli->paths[i]);
            continue;
        }
        has_folder = true;
        const char *run = run_of(cli, cli->paths[i], arena, error);
        if (!run)
            return false;
        struct names profiles = profiles_of(run, arena);
        for (size_t p = 0; p < profiles.count; p++)
            name_add(&paths, profiles.items[p]);
    }
    if (!has_folder)
        return true;
    cli->paths = paths.items;
    cli->path_count = paths.count;
    cli->path = paths.items[0];
    return true;
}
