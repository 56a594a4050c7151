// SPDX-License-Identifier: Apache-2.0
// Searches folders for runs and lists their files. The profiles in one folder are one run.
#include "model/open/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/sums.h"
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "model/open/open.h"
#include "model/profile/span_name.h"

enum {
    MAX_ENTRIES = 1 << 16, // in a folder
    MAX_FOLDERS = 1 << 12, // folders searched for runs, ...
    MAX_DEPTH = 8,         // ... and their maximum depth
    MAX_LISTED_RUNS = 30,
};

struct path_list {
    struct arena *arena;
    const char **items;
    size_t count, capacity;
};

static void path_add(struct path_list *names, const char *name)
{
    ARENA_PUSH(names->arena, names->items, names->count, names->capacity) = name;
}

static int compare_names(const void *a, const void *b)
{
    return text_compare_natural(*(const char *const *)a, *(const char *const *)b);
}

bool run_folder_is(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), needs = strlen(end);
    return length > needs && strcmp(text + length - needs, end) == 0;
}

// Lists the entries of a folder without hidden ones, sorted by name. More than MAX_ENTRIES entries
// mean that there are too many. Returns false when the folder cannot be read.
static bool entries_of(const char *folder, struct path_list *names)
{
    DIR *entries = opendir(folder);
    if (!entries)
        return false;
    const char *gap = strcmp(folder, "/") == 0 ? "" : "/";
    for (struct dirent *entry; names->count <= MAX_ENTRIES && (entry = readdir(entries));)
        if (entry->d_name[0] != '.')
            path_add(names, arena_format(names->arena, "%s%s%s", folder, gap, entry->d_name));
    closedir(entries);
    if (names->count)
        qsort(names->items, names->count, sizeof *names->items, compare_names);
    return true;
}

// ---- the profiles of a run ---------------------------------------------------------------------

// Returns whether another file in the folder, which is read, has the same content: a report of nsys
// next to its export, or a compressed trace next to the trace.
static bool has_copy(const char *path, struct arena *arena)
{
    static const struct {
        const char *end, *of_other;
    } endings[] = {{".nsys-rep", ".sqlite"}, {".qdrep", ".sqlite"}, {".json.gz", ".json"}};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t rest = strlen(path) - strlen(endings[i].end);
        if (!ends_with(path, endings[i].end))
            continue;
        const char *other = arena_format(arena, "%.*s%s", (int)rest, path, endings[i].of_other);
        if (profile_format(other))
            return true;
    }
    return false;
}

// Returns whether a file is a profile by its name but not readable. It is part of the run, so that
// opening it fails: a run without it would be incomplete.
static bool is_unreadable(const char *path)
{
    static const char *const endings[] = {".json", ".json.gz", ".sqlite", ".nsys-rep", ".dlp"};
    struct stat status;
    bool is_named = false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        is_named |= ends_with(path, endings[i]);
    return is_named && stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           access(path, R_OK) != 0;
}

// Returns the profiles of one run among the entries. DLProf's output repeats the content of a
// capture and is used only if there is no capture.
static struct path_list profiles_among(const struct path_list *all)
{
    struct arena *arena = all->arena;
    struct path_list captures = {.arena = arena}, dlprof_outputs = {.arena = arena};
    for (size_t i = 0; i < all->count; i++) {
        const char *path = all->items[i], *format = profile_format(path);
        if ((!format && !is_unreadable(path)) || has_copy(path, arena))
            continue;
        bool is_output = format && (strcmp(format, "dldb") == 0 || strcmp(format, "pyprof") == 0);
        path_add(is_output ? &dlprof_outputs : &captures, path);
    }
    if (!captures.count && dlprof_outputs.count)
        dlprof_outputs.count = 1;
    return captures.count ? captures : dlprof_outputs;
}

// ---- the runs of a folder ----------------------------------------------------------------------

struct folder_search {
    struct arena *arena;
    const char *folder;
    struct folder_run *runs;
    size_t run_count, run_capacity;
    struct visited_folder {
        dev_t device;
        ino_t file;
    } * seen; // folders visited; links may lead to them again
    size_t seen_count, seen_capacity;
    size_t unreadable_count; // folders that cannot be read
    bool is_cut;             // there are more folders
};

// Returns false when the folder has been visited, or there are too many.
static bool folder_is_new(struct folder_search *search, const char *folder)
{
    struct stat status;
    if (stat(folder, &status) != 0)
        return false;
    for (size_t i = 0; i < search->seen_count; i++)
        if (search->seen[i].device == status.st_dev && search->seen[i].file == status.st_ino)
            return false;
    if (search->seen_count == MAX_FOLDERS) {
        search->is_cut = true;
        return false;
    }
    ARENA_PUSH(search->arena, search->seen, search->seen_count, search->seen_capacity) =
        (struct visited_folder){status.st_dev, status.st_ino};
    return true;
}

static struct run_file file_of(const char *path)
{
    struct stat status;
    struct run_file file = {path, profile_format(path), UNKNOWN, UNKNOWN};
    if (stat(path, &status) == 0) {
        file.bytes = status.st_size;
        file.modified = status.st_mtime;
    }
    return file;
}

static const char *time_text(int64_t seconds, struct arena *arena)
{
    char text[32];
    time_t when = (time_t)seconds;
    struct tm parts;
    return seconds != UNKNOWN && localtime_r(&when, &parts) &&
                   strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts)
               ? arena_text(arena, text)
               : NULL;
}

// "kineto, nsys": each format once.
static const char *formats_text(const struct folder_run *run, struct arena *arena)
{
    const char *text = "";
    for (size_t i = 0; i < run->count; i++) {
        const char *format = run->files[i].format;
        bool is_new = format != NULL;
        for (size_t j = 0; j < i && is_new; j++)
            is_new = !run->files[j].format || strcmp(format, run->files[j].format) != 0;
        if (is_new)
            text = arena_format(arena, "%s%s%s", text, *text ? ", " : "", format);
    }
    return *text ? text : NULL;
}

static void run_add(struct folder_search *search, const char *folder,
                    const struct path_list *profiles)
{
    struct arena *arena = search->arena;
    struct run_file *files = ARENA_ARRAY(arena, struct run_file, profiles->count);
    struct folder_run run = {.paths = profiles->items, .files = files, .count = profiles->count};
    int64_t newest = UNKNOWN;
    for (size_t i = 0; i < run.count; i++) {
        files[i] = file_of(profiles->items[i]);
        run.bytes = add_saturating(run.bytes, files[i].bytes == UNKNOWN ? 0 : files[i].bytes);
        newest = files[i].modified > newest ? files[i].modified : newest;
    }
    run.name = folder + strlen(search->folder);
    run.name += strspn(run.name, "/");
    run.workers = span_name_workers(run.paths, run.count, arena);
    run.formats = formats_text(&run, arena);
    run.newest = time_text(newest, arena);
    ARENA_PUSH(arena, search->runs, search->run_count, search->run_capacity) = run;
}

struct pending_folder { // a folder to be searched
    const char *folder;
    unsigned depth;
};
struct pending_folders {
    struct pending_folder *items;
    size_t count, capacity;
};

static bool is_link(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

static void search_folder(struct folder_search *search, struct pending_folder pending,
                          struct pending_folders *inside, struct pending_folders *linked)
{
    struct arena *arena = search->arena;
    struct path_list all = {.arena = arena};
    if (!folder_is_new(search, pending.folder))
        return;
    if (!entries_of(pending.folder, &all)) {
        search->unreadable_count++;
        return;
    }
    if (all.count > MAX_ENTRIES) {
        search->is_cut = true;
        return;
    }
    struct path_list profiles = profiles_among(&all);
    if (profiles.count)
        run_add(search, pending.folder, &profiles);
    for (size_t i = 0; i < all.count && pending.depth < MAX_DEPTH; i++) {
        if (!run_folder_is(all.items[i]))
            continue;
        struct pending_folders *to = is_link(all.items[i]) ? linked : inside;
        ARENA_PUSH(arena, to->items, to->count, to->capacity) =
            (struct pending_folder){all.items[i], pending.depth + 1};
    }
}

static int compare_runs(const void *left, const void *right)
{
    const struct folder_run *a = left, *b = right;
    return text_compare_natural(a->name, b->name);
}

// Searches the folder and the folders in it. Links are followed last, so that a run that is found
// twice has the name of its own folder.
static void search_folders(struct folder_search *search)
{
    struct pending_folders inside = {0}, linked = {0};
    search_folder(search, (struct pending_folder){search->folder, 0}, &inside, &linked);
    while (inside.count + linked.count > 0) {
        struct pending_folders *from = inside.count ? &inside : &linked;
        search_folder(search, from->items[--from->count], &inside, &linked);
    }
    if (search->run_count)
        qsort(search->runs, search->run_count, sizeof *search->runs, compare_runs);
}

static const struct run_list *list_of(const struct folder_search *search)
{
    char count[FORMAT_SIZE];
    struct run_list *list = ARENA_NEW(search->arena, struct run_list);
    *list = (struct run_list){search->folder, search->runs, search->run_count, ""};
    if (search->unreadable_count)
        list->lacks = arena_format(search->arena, "%s cannot be read",
                                   format_counted(count, search->unreadable_count, "folder"));
    if (search->is_cut)
        list->lacks = arena_format(search->arena, "%s%smore than is looked into", list->lacks,
                                   *list->lacks ? ", " : "");
    return list;
}

// ---- choice of a run ---------------------------------------------------------------------------

static const char *list_text(const struct run_list *runs, struct arena *arena)
{
    struct bytes text = {.arena = arena};
    char count[FORMAT_SIZE];
    for (size_t i = 0; i < runs->count && i < MAX_LISTED_RUNS; i++)
        bytes_format(&text, "\n%4zu  %s%s%s  (%s)", i + 1, text_display_path(runs->folder),
                     strcmp(runs->folder, "/") == 0 ? "" : "/",
                     text_safe(arena, runs->items[i].name, strlen(runs->items[i].name), true),
                     format_counted(count, runs->items[i].count, "file"));
    if (runs->count > MAX_LISTED_RUNS)
        bytes_format(&text, "\n      and %zu more", runs->count - MAX_LISTED_RUNS);
    return arena_copy(arena, text.items, text.count);
}

static bool fail_empty(const struct run_list *runs, struct error *error)
{
    return error_set(
        error, ERROR_DATA,
        "%s is a directory, and neither it nor one in it holds a profile%s%s.\nOpened are "
        "traces of the PyTorch Profiler (*.pt.trace.json, also .gz), exports of Nsight "
        "Systems (" HOW_TO_EXPORT ") and what else is a profile, all of one run together.",
        text_display_path(runs->folder), *runs->lacks ? "; " : "", runs->lacks);
}

// Returns the path without trailing slashes, which a shell may append.
static const char *folder_name(const char *path, struct arena *arena)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return arena_copy(arena, path, length);
}

bool run_folder_open(const char *path, struct run_folder *found, struct arena *arena,
                     struct error *error)
{
    struct path_list all = {.arena = arena};
    struct folder_search search = {.arena = arena, .folder = folder_name(path, arena)};
    *found = (struct run_folder){0};
    if (!entries_of(search.folder, &all))
        return error_set(error, ERROR_IO, "%s: %s", text_display_path(path), strerror(errno));
    if (all.count > MAX_ENTRIES)
        return error_set(error, ERROR_DATA, "%s holds more than %d files: name those of one run",
                         text_display_path(path), MAX_ENTRIES);
    struct path_list profiles = profiles_among(&all);
    if (profiles.count) {
        *found = (struct run_folder){.paths = profiles.items, .count = profiles.count};
        return true;
    }
    search_folders(&search);
    const struct run_list *runs = list_of(&search);
    if (!runs->count)
        return fail_empty(runs, error);
    if (runs->count > 1)
        found->runs = runs;
    else
        *found = (struct run_folder){.paths = runs->items[0].paths, .count = runs->items[0].count};
    return true;
}

bool run_folder_report_several(const struct run_list *runs, struct arena *arena,
                               struct error *error)
{
    return error_set(error, ERROR_USAGE, "%s holds %zu runs; name the one to be opened:%s",
                     text_display_path(runs->folder), runs->count, list_text(runs, arena));
}
