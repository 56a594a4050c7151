// SPDX-License-Identifier: Apache-2.0
// Digests in the cache: --cache=fill makes those of the given files, and after the screen has
// loaded large files, a process in the background makes the missing ones.
#include "cli/cli_cache.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/spawn.h"
#include "base/text/atomic_file.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "base/xdg.h"
#include "cli/cli_compare.h"
#include "model/digest/digest.h"
#include "model/open/digest_cache.h"
#include "model/open/open.h"

// Sizes in bytes of files that get a digest automatically. Smaller files open in a fraction of a
// second; reading larger ones in a second process would disturb the user.
#define MIN_WORTH INT64_C(64000000)
#define MAX_WORTH INT64_C(8000000000)

enum { LOWEST_PRIORITY = 19 };

static size_t file_count(const struct load_request *request)
{
    return request->path_count ? request->path_count : 1;
}

static const char *file_path(const struct load_request *request, size_t i)
{
    return request->path_count ? request->paths[i] : request->path;
}

// ---- making digests ----------------------------------------------------------------------------

// True if a digest can be stored; checked before the file is read for it.
static bool has_folder(const char *cached_path, struct arena *arena)
{
    return xdg_make_folder_of(arena, cached_path) &&
           access(xdg_path(arena, XDG_CACHE, ""), W_OK | X_OK) == 0;
}

struct digest_save {
    const char *path, *cached_path;
    const struct profile *part;
    struct bytes digest;
    int64_t bytes; // size of the digest
    struct arena *arena;
};

static bool digest_write_body(void *context, struct error *error)
{
    struct digest_save *save = context;
    digest_encode(save->part, save->part->workers, &save->digest, save->arena);
    save->bytes = (int64_t)save->digest.count; // writing empties the buffer
    const char *path_now = digest_cache_path(save->path, NULL, save->arena);
    if (!path_now || strcmp(path_now, save->cached_path) != 0)
        return error_set(error, ERROR_DATA, "%s changed while it was read: no digest is kept",
                         save->path);
    return atomic_file_write(save->cached_path, ATOMIC_FILE_PRIVATE, atomic_file_bytes,
                             &save->digest, save->arena, error);
}

// Makes one digest; all memory is freed before the next file.
static bool digest_write(const struct load_request *request, const char *cached_path,
                         int64_t *bytes, struct error *error)
{
    struct load_request table_request = *request;
    table_request.uses_cache = false;
    table_request.domain = NULL; // warnings about the option do not belong into the digest
    table_request.part_of = 1;
    const struct profile *part = cli_load(&table_request, error);
    struct digest_save save = {.path = request->path, .cached_path = cached_path, .part = part};
    save.arena = part ? arena_new(0) : NULL;
    if (save.arena)
        arena_set_stop_flag(save.arena, &request->progress->cancel);
    bool done = save.arena ? arena_run(save.arena, digest_write_body, &save, error)
                           : part && error_set(error, ERROR_MEMORY, "out of memory");
    *bytes = save.bytes;
    arena_free(save.arena);
    profile_free(part);
    return done;
}

static bool fill_one(const struct cli *cli, const struct load_request *request,
                     void (*tell)(const char *line), struct arena *arena, struct error *error)
{
    const char *name = text_safe(arena, request->path, strlen(request->path), true);
    const char *why, *cached_path = digest_cache_path(request->path, &why, arena), *line;
    char size[FORMAT_SIZE];
    int64_t bytes;
    if (!profile_has_loader(request->path)) {
        profile_free(cli_load(request, error)); // reports why
        return false;
    }
    const char *why_none = profile_no_digest(request->path);
    if (why_none || !cached_path) {
        line =
            arena_format(arena, "%s: no digest is kept of it: %s", name, why_none ? why_none : why);
    } else if (access(cached_path, F_OK) == 0) {
        xdg_cache_mark_used(cached_path);
        line = arena_format(arena, "%s: its digest is there already", name);
    } else {
        if (!has_folder(cached_path, arena))
            return error_set(error, ERROR_IO, "%s: %s", xdg_path(arena, XDG_CACHE, ""),
                             strerror(errno));
        if (!digest_write(request, cached_path, &bytes, error))
            return false;
        line = arena_format(arena, "%s: its digest is kept, %s", name, format_bytes(size, bytes));
    }
    if (cli->verbosity >= VERBOSITY_NORMAL)
        tell(line);
    return true;
}

// Runs at the lowest priority. Linux also weighs processes by session; a process that was started
// for this has a session of its own (sched(7), the autogroup feature).
static void lower_priority(void)
{
    setpriority(PRIO_PROCESS, 0, LOWEST_PRIORITY);
    if (getsid(0) != getpid())
        return;
    FILE *group = fopen("/proc/self/autogroup", "w");
    if (!group)
        return; // no autogroups on this kernel
    fprintf(group, "%d", LOWEST_PRIORITY);
    fclose(group);
}

bool cli_fill_cache(const struct cli *cli, const struct load_request *request,
                    void (*tell)(const char *line), struct arena *arena, struct error *error)
{
    if (!xdg_path(arena, XDG_CACHE, ""))
        return error_set(error, ERROR_IO, "no folder for digests: set XDG_CACHE_HOME or HOME");
    lower_priority();
    for (size_t i = 0; i < file_count(request); i++) {
        struct load_request one = load_request_of(request, file_path(request, i));
        if (!fill_one(cli, &one, tell, arena, error))
            return false;
    }
    xdg_cache_trim(arena, MAX_XDG_CACHE_BYTES);
    return true;
}

// ---- in the background -------------------------------------------------------------------------

static bool is_worth_it(const char *path, struct arena *arena)
{
    struct stat status;
    if (stat(path, &status) != 0 || status.st_size < MIN_WORTH || status.st_size > MAX_WORTH ||
        profile_no_digest(path))
        return false;
    const char *cached_path = digest_cache_path(path, NULL, arena);
    return cached_path && access(cached_path, F_OK) != 0 && has_folder(cached_path, arena);
}

struct fill_later_context {
    const struct load_request *request;
    struct arena *arena;
};

static bool later_body(void *context, struct error *error)
{
    static const char *const words[] = {"--cache=fill", "--threads=1", "--verbosity=quiet"};
    enum { WORDS = sizeof words / sizeof *words };
    const struct fill_later_context *later = context;
    struct arena *arena = later->arena;
    char program[PATH_MAX], full_path[PATH_MAX];
    size_t files = 0, count = file_count(later->request);
    const char **line = ARENA_ARRAY(arena, const char *, 1 + WORDS + count + 1);
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    (void)error;
    for (size_t i = 0; i < count; i++) // absolute paths cannot begin with a dash
        if (realpath(file_path(later->request, i), full_path) && is_worth_it(full_path, arena))
            line[1 + WORDS + files++] = arena_text(arena, full_path);
    if (length <= 0 || !files)
        return true;
    program[length] = 0;
    line[0] = program;
    memcpy(line + 1, words, sizeof words);
    pid_t child; // not waited for: it may outlive this process
    return spawn_quiet(line, "/dev/null", true, &child) == 0;
}

void cli_fill_cache_later(const struct load_request *request)
{
    struct fill_later_context later = {request, arena_new(0)};
    struct error error;
    if (later.arena && !request->no_subprocess && digest_cache_applies(request))
        arena_run(later.arena, later_body, &later, &error);
    arena_free(later.arena);
}
