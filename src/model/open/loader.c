// SPDX-License-Identifier: Apache-2.0
// Opens a profile: finds the loader by the file's content, uses a cached digest, and loads folders.
#include "model/open/open.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/text.h"
#include "base/xdg.h"
#include "model/open/digest_cache.h"
#include "model/open/load_many.h"
#include "model/open/run_folder.h"
#include "model/rules/rules.h"

// A new loader needs one line here.
// clang-format off
#define LOADER_LIST(X) \
    X(nsys_loader) \
    X(nvprof_loader) \
    X(nsys_rep_loader) \
    X(dldb_loader) \
    X(digest_loader) \
    X(dict_loader) \
    X(kineto_loader)
// clang-format on

#define LOADER_DECLARE(name) extern const struct loader name;
LOADER_LIST(LOADER_DECLARE)
#define LOADER_ENTRY(name) &name,
static const struct loader *const loaders[] = {LOADER_LIST(LOADER_ENTRY)};
enum { LOADER_COUNT = sizeof loaders / sizeof loaders[0] };

enum { HEAD_BYTES = 4096 };

#define HOW_TO_CAPTURE                                                       \
    "Needed is an export of Nsight Systems:\n"                               \
    "  " HOW_TO_PROFILE "\nor, of a report that is there,\n  " HOW_TO_EXPORT \
    "\nor a trace of the PyTorch Profiler:\n  " HOW_TO_TRACE                 \
    "\nor a database of DLProf, dlprof_dldb.sqlite, or what PyProf's parser prints."

static const char *kind_of_file(mode_t mode)
{
    if (S_ISDIR(mode))
        return "a directory";
    if (S_ISFIFO(mode))
        return "a pipe";
    if (S_ISSOCK(mode))
        return "a socket";
    if (S_ISCHR(mode) || S_ISBLK(mode))
        return "a device";
    return "no file";
}

// Reads the beginning of a file. Only regular files are opened, since a pipe could block.
static bool read_head(const char *path, unsigned char head[HEAD_BYTES], size_t *size,
                      struct error *error)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return error_set(error, ERROR_IO, "%s: %s", text_display_path(path), strerror(errno));
    if (!S_ISREG(status.st_mode))
        return error_set(error, ERROR_DATA, "%s is %s, not a profile.\n" HOW_TO_CAPTURE,
                         text_display_path(path), kind_of_file(status.st_mode));
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (file < 0)
        return error_set(error, ERROR_IO, "%s: %s", text_display_path(path), strerror(errno));
    *size = 0;
    ssize_t got = 1;
    while (*size < HEAD_BYTES && got > 0) {
        got = read(file, head + *size, HEAD_BYTES - *size);
        if (got > 0)
            *size += (size_t)got;
        else if (got < 0 && errno == EINTR)
            got = 1;
    }
    int reason = errno;
    close(file);
    return got >= 0 ||
           error_set(error, ERROR_IO, "%s: %s", text_display_path(path), strerror(reason));
}

static bool is_text(const unsigned char *head, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (head[i] < 9 || (head[i] > 13 && head[i] < 32 && head[i] != 27))
            return false;
    return true;
}

static bool refuse(const char *path, const unsigned char *head, size_t size, struct error *error)
{
    const char *what = "a file of another kind";
    size_t zeros = 0;
    while (zeros < size && !head[zeros])
        zeros++;
    if (size == 0)
        what = "empty";
    else if (zeros >= 16 || zeros == size)
        what = "no whole file: it begins with zeros, as an export leaves it that was interrupted";
    else if (size >= 2 && head[0] == 0x1F && head[1] == 0x8B)
        what = "compressed (gzip), and what is in it is no trace of PyTorch; unpack it first";
    else if (is_text(head, size))
        what = "a text file";
    return error_set(error, ERROR_DATA, "%s is no profile: it is %s.\n" HOW_TO_CAPTURE,
                     text_display_path(path), what);
}

// Returns NULL when no loader has a score above `min_score`, or on a failure, which is in *error.
static const struct loader *loader_find(const char *path, const unsigned char *head, size_t size,
                                        int min_score, struct error *error)
{
    const struct loader *best = NULL;
    int best_score = min_score;
    for (size_t i = 0; i < LOADER_COUNT; i++) {
        int score = loaders[i]->probe(path, head, size, error);
        if (error->kind != ERROR_NONE)
            return NULL;
        if (score > best_score) {
            best_score = score;
            best = loaders[i];
        }
    }
    return best;
}

static const struct loader *loader_of(const char *path, int min_score)
{
    unsigned char head[HEAD_BYTES];
    size_t size = 0;
    struct error failure = {0};
    return read_head(path, head, &size, NULL) ? loader_find(path, head, size, min_score, &failure)
                                              : NULL;
}

bool profile_has_loader(const char *path)
{
    return loader_of(path, 0) != NULL;
}

const char *profile_format(const char *path)
{
    enum { SURE = 40 }; // an SQLite database scores 50
    const struct loader *loader = loader_of(path, SURE);
    return loader ? loader->name : NULL;
}

const char *profile_no_digest(const char *path)
{
    const struct loader *loader = loader_of(path, 0);
    return loader ? loader->no_digest_reason : "it is no profile";
}

struct load_job {
    const struct load_request *request;
    const struct loader *loader;
    struct arena *arena;
    struct profile *profile;
};

static bool load_body(void *context, struct error *error)
{
    struct load_job *job = context;
    job->profile = profile_empty(job->request, job->arena);
    if (job->request->domain && !job->loader->has_domains)
        profile_note(job->profile, NOTE_WARNING, "domain_ignored", 1, NULL,
                     "--domain chooses one of a DLProf database; in this file all are read");
    if (job->request->file_window && !job->loader->can_read_window)
        return error_set(
            error, ERROR_USAGE,
            "%s: --window and --steps read a part of an export or a report of Nsight "
            "Systems; of this format (%s) all is read: leave them out, and choose steps "
            "by --iters",
            job->request->path, job->loader->name);
    return job->loader->load(job->request, job->profile, error);
}

static struct profile *load_by(const struct loader *loader, const struct load_request *request,
                               struct error *error)
{
    struct load_job job = {.request = request, .loader = loader, .arena = arena_new(0)};
    if (!job.arena) {
        error_set(error, ERROR_MEMORY, "out of memory");
        return NULL;
    }
    if (arena_run(job.arena, load_body, &job, error))
        return job.profile;
    bool was_shown = request->progress && atomic_load(&request->progress->stage);
    if (!was_shown)
        arena_free(job.arena); // if it was shown, another thread may be reading it
    return NULL;
}

struct cache_job {
    const struct load_request *request;
    struct profile *profile;
    struct arena *arena;
};

// Returns whether a file belongs to the user: others may be able to write to the folder.
static bool is_own_file(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
}

// Loads from the cached digest of the file. A damaged digest is deleted and ignored.
static bool load_cached(void *context, struct error *error)
{
    struct cache_job *cache = context;
    struct load_request request = *cache->request;
    request.digest = digest_cache_path(request.path, NULL, cache->arena);
    if (!request.digest || !is_own_file(request.digest))
        return true;
    xdg_cache_mark_used(request.digest);
    cache->profile = load_by(&digest_loader, &request, error);
    if (cache->profile || error->kind == ERROR_CANCELLED || error->kind == ERROR_MEMORY)
        return cache->profile;
    if (error->kind == ERROR_DATA)
        unlink(request.digest);
    error->kind = ERROR_NONE;
    return true;
}

static struct profile *load_file(const struct load_request *request, struct error *error)
{
    unsigned char head[HEAD_BYTES];
    size_t size = 0;
    if (!read_head(request->path, head, &size, error))
        return NULL;
    struct error failure = {0};
    const struct loader *best = loader_find(request->path, head, size, 0, &failure);
    if (failure.kind != ERROR_NONE) {
        *error = failure;
        return NULL;
    }
    if (!best) {
        refuse(request->path, head, size, error);
        return NULL;
    }
    struct cache_job cache = {.request = request};
    if (!best->no_digest_reason && digest_cache_applies(request) && (cache.arena = arena_new(0))) {
        bool done = arena_run(cache.arena, load_cached, &cache, error);
        arena_free(cache.arena);
        if (cache.profile || !done)
            return cache.profile;
    }
    return load_by(best, request, error);
}

struct folder_load {
    const struct load_request *request;
    struct arena *arena;
    struct profile *profile;
};

static bool load_folder_body(void *context, struct error *error)
{
    struct folder_load *load = context;
    struct load_request request = *load->request;
    struct run_folder found;
    if (!run_folder_open(request.path, &found, load->arena, error))
        return false;
    if (found.runs)
        return run_folder_report_several(found.runs, load->arena, error);
    request.path = found.paths[0];
    request.paths = found.paths;
    request.path_count = found.count;
    load->profile =
        found.count > 1 ? load_many(&request, load_file, error) : load_file(&request, error);
    return load->profile;
}

static struct profile *load_folder(const struct load_request *request, struct error *error)
{
    struct folder_load load = {.request = request, .arena = arena_new(0)};
    if (!load.arena) {
        error_set(error, ERROR_MEMORY, "out of memory");
        return NULL;
    }
    arena_run(load.arena, load_folder_body, &load, error);
    arena_free(load.arena);
    return load.profile;
}

struct profile *profile_load(const struct load_request *request, struct error *error)
{
    if (!rules_ready(error))
        return NULL;
    if (request->path_count > 1)
        return load_many(request, load_file, error);
    return run_folder_is(request->path) ? load_folder(request, error) : load_file(request, error);
}
