// SPDX-License-Identifier: Apache-2.0
// Loads reports of Nsight Systems (.nsys-rep, .qdrep). Only nsys can read them, so it is run to
// export the report into the user's cache folder, and the export is loaded.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/spawn.h"
#include "base/text/text.h"
#include "base/xdg.h"
#include "model/nsys/nsys_program.h"
#include "model/nsys/nsys_tables.h"
#include "model/profile/file_key.h"

enum {
    PATH_BYTES = PATH_MAX + 128,
    POLL_NS = 50000000,
    KILL_POLLS = 40, // polls between SIGTERM and SIGKILL
};

#define HOW_TO_EXPORT_THIS "nsys export --type=sqlite -o profile.sqlite \"%s\""

struct export_cache {
    char final[PATH_BYTES], draft[PATH_BYTES], log[PATH_BYTES];
};

static int probe(const char *path, const unsigned char *head, size_t head_size, struct error *error)
{
    static const char magic[] = "NVIDIA Tegra Profiler Report";
    (void)path, (void)error;
    size_t window = head_size < 64 ? head_size : 64;
    return memmem(head, window, magic, sizeof magic - 1) ? 100 : 0;
}

// ---- the cache ---------------------------------------------------------------------------------

static bool cache_open(struct export_cache *cache, const char *key, struct arena *arena,
                       struct error *error)
{
    long process_id = (long)getpid();
    const char *folder = xdg_path(arena, XDG_CACHE, "");
    if (!folder)
        return error_set(error, ERROR_IO,
                         "no folder for the exported report: set XDG_CACHE_HOME or HOME");
    if (strlen(folder) >= PATH_MAX ||
        snprintf(cache->final, PATH_BYTES, "%s/%s.sqlite", folder, key) >= PATH_BYTES ||
        snprintf(cache->draft, PATH_BYTES, "%s/%s.%ld.sqlite", folder, key, process_id) >=
            PATH_BYTES ||
        snprintf(cache->log, PATH_BYTES, "%s/%s.%ld.log", folder, key, process_id) >= PATH_BYTES)
        return error_set(error, ERROR_IO, "the path of the cache folder is too long");
    return xdg_make_folder_of(arena, cache->final) ||
           error_set(error, ERROR_IO, "%s: %s", folder, strerror(errno));
}

static bool is_filled(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
}

// ---- running nsys ------------------------------------------------------------------------------

static int wait_for(pid_t child, struct load_progress *progress, bool *cancelled)
{
    const struct timespec pause = {0, POLL_NS};
    int status = 0, polls_left = -1;
    *cancelled = false;
    for (;;) {
        pid_t got = waitpid(child, &status, WNOHANG);
        if (got == child)
            return status;
        if (got < 0 && errno != EINTR)
            return -1;
        if (!*cancelled && progress && atomic_load(&progress->cancel)) {
            *cancelled = true;
            polls_left = KILL_POLLS;
            kill(-child, SIGTERM);
        }
        if (*cancelled && polls_left-- == 0)
            kill(-child, SIGKILL);
        nanosleep(&pause, NULL);
    }
}

// Runs a program in a process group of its own; its output goes to the file `log`.
static bool run(const char *const arguments[], const char *log, struct load_progress *progress,
                bool *succeeded, struct error *error)
{
    pid_t child;
    bool cancelled = false;
    *succeeded = false;
    int reason = spawn_quiet(arguments, log, false, &child);
    if (reason != 0)
        return error_set(error, ERROR_IO, "%s: %s", arguments[0], strerror(reason));
    int status = wait_for(child, progress, &cancelled);
    if (cancelled)
        return error_set(error, ERROR_CANCELLED, "cancelled");
    *succeeded = status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return true;
}

// Reads the last bytes of the program's output into `out`, without trailing line breaks. Returns
// their number.
static size_t read_tail(const char *path, char *out, size_t size)
{
    FILE *file = fopen(path, "rbe");
    *out = '\0';
    if (!file)
        return 0;
    if (fseek(file, -(long)size + 1, SEEK_END) != 0)
        rewind(file);
    size_t got = fread(out, 1, size - 1, file);
    while (got && (out[got - 1] == '\n' || out[got - 1] == '\r'))
        got--;
    out[got] = '\0';
    fclose(file);
    return got;
}

static void remove_drafts(const struct export_cache *cache)
{
    char journal[PATH_BYTES + 16];
    unlink(cache->draft);
    snprintf(journal, sizeof journal, "%s-journal", cache->draft);
    unlink(journal);
    unlink(cache->log);
}

static bool export_report(const char *nsys, const char *report, const struct export_cache *cache,
                          struct load_progress *progress, struct arena *arena, struct error *error)
{
    bool succeeded = false;
    const char *arguments[] = {nsys,   "export", "--type",     "sqlite", "--force-overwrite",
                               "true", "-o",     cache->draft, report,   NULL,
                               NULL};
    if (nsys_help_has(nsys_help(nsys, "export", arena),
                      "--include-json")) { // payloads of NCCL and others
        arguments[8] = "--include-json=true";
        arguments[9] = report;
    }
    if (!run(arguments, cache->log, progress, &succeeded, error))
        return false;
    char said[600];
    if (!succeeded || !is_filled(cache->draft)) {
        read_tail(cache->log, said, sizeof said);
        return error_set(error, ERROR_DATA, "%s could not be exported by %s:\n%s", report, nsys,
                         *said ? said : "it said nothing");
    }
    // Another process may have made the same file meanwhile and be reading it; it is not replaced.
    if (!is_filled(cache->final) && rename(cache->draft, cache->final) != 0)
        return error_set(error, ERROR_IO, "%s: %s", cache->final, strerror(errno));
    return true;
}

static bool load(const struct load_request *request, struct profile *profile, struct error *error)
{
    char nsys[NSYS_PATH_BYTES], report[PATH_MAX];
    struct file_key key;
    struct export_cache cache;
    if (!realpath(request->path, report))
        return error_set(error, ERROR_IO, "%s: nsys finds a report by its name only: %s",
                         text_display_path(request->path), strerror(errno));
    if (!file_key(report, &key, error))
        return false;
    bool has_nsys = nsys_find(nsys);
    if (!cache_open(&cache, key.text, profile->arena, error))
        return false;
    if (!is_filled(cache.final)) {
        if (request->no_subprocess)
            return error_set(error, ERROR_DATA,
                             "%s is a report that nsys would have to export, and a session runs no "
                             "program: open the report once, or its export",
                             request->path);
        if (!has_nsys)
            return error_set(error, ERROR_DATA,
                             "%s is a report of Nsight Systems that only nsys can read, and nsys "
                             "is not on the PATH.\nWhere it is, run\n  " HOW_TO_EXPORT_THIS
                             "\nand open profile.sqlite.",
                             request->path, request->path);
        if (request->progress)
            atomic_store(&request->progress->doing, "exporting the report with nsys");
        bool done = export_report(nsys, report, &cache, request->progress, profile->arena, error);
        remove_drafts(&cache);
        if (!done)
            return false;
    }
    xdg_cache_mark_used(cache.final);
    xdg_cache_trim(profile->arena, MAX_XDG_CACHE_BYTES);
    struct load_request exported = *request;
    exported.path = cache.final;
    return nsys_load(&nsys_dialect, &exported, request->path, profile, error);
}

const struct loader nsys_rep_loader = {
    .name = "nsys-rep",
    .doc = "Nsight Systems report (.nsys-rep, .qdrep), exported with nsys when that is there",
    .probe = probe,
    .load = load,
    .can_read_window = true,
};
