// SPDX-License-Identifier: Apache-2.0
// The files of --reports: all of them or, where one exists already, none.
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "analysis/export_list.h"
#include "base/parallel.h"

static char *file_path(const struct export_dlprof_request *request, const struct report *report,
                       const struct export_format *format, struct arena *arena)
{
    char *base = arena_text(arena, request->base_name);
    for (char *at = base; *at; at++)
        if (*at == ' ' || *at == '\t')
            *at = '_';
    const char *folder = request->folder && *request->folder ? request->folder : ".";
    return arena_format(arena, "%s%s%s_%s.%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/",
                        base, report->file ? report->file : report->name, format->extension);
}

// Makes the folder and those above it, as far as they are missing.
static bool folder_make(const char *folder, struct arena *arena, struct error *error)
{
    if (!folder || !*folder)
        return true;
    char *path = arena_text(arena, folder);
    for (char *at = path + 1;; at++) {
        if (*at != '/' && *at != '\0')
            continue;
        char kept = *at;
        *at = '\0';
        struct stat status;
        if (mkdir(path, 0777) != 0 &&
            (errno != EEXIST || stat(path, &status) != 0 || !S_ISDIR(status.st_mode)))
            return error_set(error, ERROR_IO, "%s: cannot make this folder: %s", path,
                             errno == EEXIST ? "it is a file" : strerror(errno));
        *at = kept;
        if (kept == '\0')
            return true;
    }
}

static bool files_are_new(const struct export_dlprof_request *request, struct arena *arena,
                          struct error *error)
{
    struct stat status;
    for (size_t r = 0; r < request->report_count; r++)
        for (size_t f = 0; f < request->format_count; f++) {
            const char *path = file_path(request, request->reports[r], request->formats[f], arena);
            if (lstat(path, &status) == 0)
                return error_set(error, ERROR_IO,
                                 "%s: exists already; nothing was written (--force=true replaces)",
                                 path);
        }
    return true;
}

// The files of one report, which is gone when they are written. Reports know nothing of each other:
// as many are made at once as there are threads.
struct file_job {
    const struct export_dlprof_request *request;
    struct export_table table;
    const struct arena *beside; // the caller's, which may be stopped
    struct arena *arena;
    bool is_done;
    struct error error;
};

static bool file_job_body(void *context, struct error *error)
{
    struct file_job *job = context;
    struct export_table *table = &job->table;
    const struct export_dlprof_request *request = job->request;
    if (!report_build(table->report, table->profile, table->selection, job->arena, &table->rows,
                      error))
        return false;
    for (size_t f = 0; f < request->format_count; f++) {
        const struct export_format *format = request->formats[f];
        const char *path = file_path(request, table->report, format, job->arena);
        if (!export_file(path, request->force, table, format, job->arena, error))
            return false;
    }
    return true;
}

static void file_job_run(void *context, size_t i)
{
    struct file_job *job = (struct file_job *)context + i;
    job->arena = arena_beside(job->beside);
    job->is_done = job->arena ? arena_run(job->arena, file_job_body, job, &job->error)
                              : error_set(&job->error, ERROR_MEMORY, "out of memory");
    arena_free(job->arena);
}

bool export_dlprof_files(const struct export_dlprof_request *request, const struct profile *profile,
                         const struct selection *selection, struct arena *arena,
                         struct error *error)
{
    if (strchr(request->base_name, '/') || !*request->base_name)
        return error_set(error, ERROR_USAGE, "base name '%s': must be a file name",
                         request->base_name);
    if (!request->force && !files_are_new(request, arena, error))
        return false;
    if (!folder_make(request->folder, arena, error))
        return false;
    struct file_job *jobs = ARENA_ARRAY(arena, struct file_job, request->report_count + 1);
    for (size_t r = 0; r < request->report_count; r++)
        jobs[r] = (struct file_job){.request = request,
                                    .beside = arena,
                                    .table = {.report = request->reports[r],
                                              .profile = profile,
                                              .selection = selection,
                                              .threads = request->threads}};
    parallel_run(request->threads ? request->threads : parallel_cores(), request->report_count,
                 file_job_run, jobs);
    for (size_t r = 0; r < request->report_count; r++)
        if (!jobs[r].is_done) {
            *error = jobs[r].error;
            return false;
        }
    return true;
}
