// SPDX-License-Identifier: Apache-2.0
// Writes the files of --reports: all of them, or none if one exists already.
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "analysis/export/export_shared.h"
#include "analysis/reports/report_list.h"
#include "base/parallel.h"
#include "base/text/atomic_file.h"

char *export_dlprof_name(const char *folder, const char *name, struct arena *arena)
{
    bool is_here = !folder || !*folder;
    char *path = arena_format(arena, "%s%s%s", is_here ? "." : folder,
                              is_here || folder[strlen(folder) - 1] != '/' ? "/" : "", name);
    for (char *at = path + strlen(path) - strlen(name); *at; at++)
        if (*at == ' ' || *at == '\t')
            *at = '_';
    return path;
}

size_t export_dlprof_count(const struct export_dlprof_request *request)
{
    return request->report_count * request->format_count + request->has_model +
           (request->dldb != NULL);
}

// The order is: report by report in all formats, the model, the database.
const char *export_dlprof_path(const struct export_dlprof_request *request, size_t i,
                               struct arena *arena)
{
    const char *what = "model_data", *extension = "json";
    if (request->dldb && i + 1 == export_dlprof_count(request))
        return request->dldb;
    if (i < request->report_count * request->format_count) {
        const struct report *report = request->reports[i / request->format_count];
        what = report->file ? report->file : report->name;
        extension = request->formats[i % request->format_count]->extension;
    }
    return export_dlprof_name(request->folder,
                              arena_format(arena, "%s_%s.%s", request->base_name, what, extension),
                              arena);
}

bool export_folder_make(const char *folder, struct arena *arena, struct error *error)
{
    if (!folder || !*folder)
        return true;
    char *path = arena_text(arena, folder);
    for (char *at = path + 1;; at++) {
        if (*at != '/' && *at != '\0')
            continue;
        char separator = *at;
        *at = '\0';
        struct stat status;
        if (mkdir(path, 0777) != 0 &&
            (errno != EEXIST || stat(path, &status) != 0 || !S_ISDIR(status.st_mode)))
            return error_set(error, ERROR_IO, "%s: cannot make this folder: %s", path,
                             errno == EEXIST ? "it is a file" : strerror(errno));
        *at = separator;
        if (separator == '\0')
            return true;
    }
}

bool export_dlprof_check(const struct export_dlprof_request *request, struct arena *arena,
                         struct error *error)
{
    struct stat status;
    if (strchr(request->base_name, '/') || !*request->base_name)
        return error_set(error, ERROR_USAGE, "base name '%s': must be a file name",
                         request->base_name);
    for (size_t i = 0; !request->force && i < export_dlprof_count(request); i++) {
        const char *path = export_dlprof_path(request, i, arena);
        if (lstat(path, &status) == 0)
            return error_set(error, ERROR_IO,
                             "%s: exists already; nothing was written (--force=true replaces)",
                             path);
    }
    return true;
}

// Writes the files of one report and frees it. Reports are independent, so that each thread builds
// one at a time.
struct file_job {
    const struct export_dlprof_request *request;
    size_t report; // index in request->reports
    struct export_table table;
    const struct arena *caller_arena; // the caller's arena, which may be stopped
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
    table->report = report_named(table->report, &table->rows);
    for (size_t f = 0; f < request->format_count; f++) {
        const struct export_format *format = request->formats[f];
        const char *path =
            export_dlprof_path(request, job->report * request->format_count + f, job->arena);
        if (!export_file(path, request->force, table, format, job->arena, error))
            return false;
    }
    return true;
}

static void file_job_run(void *context, size_t i)
{
    struct file_job *job = (struct file_job *)context + i;
    job->arena = arena_child(job->caller_arena);
    job->is_done = job->arena ? arena_run(job->arena, file_job_body, job, &job->error)
                              : error_set(&job->error, ERROR_MEMORY, "out of memory");
    arena_free(job->arena);
}

struct model_file {
    const struct export_dlprof_request *request;
    const struct profile *profile;
    const struct split *split;
    const struct arena *arena;
};

static bool model_write(void *context, FILE *file)
{
    const struct model_file *model = context;
    return export_model(model->profile, model->split, model->request->threads, file, model->arena);
}

static bool model_file_write(const struct export_dlprof_request *request,
                             const struct profile *profile, const struct selection *selection,
                             struct arena *arena, struct error *error)
{
    struct model_file model = {request, profile, selection->split, arena};
    const char *path =
        export_dlprof_path(request, request->report_count * request->format_count, arena);
    return atomic_file_write(path, request->force ? ATOMIC_FILE_REPLACE : ATOMIC_FILE_NEW,
                             model_write, &model, arena, error);
}

bool export_dlprof_files(const struct export_dlprof_request *request, const struct profile *profile,
                         const struct selection *selection, struct arena *arena,
                         struct error *error)
{
    if (!export_dlprof_check(request, arena, error) ||
        !export_folder_make(request->folder, arena, error))
        return false;
    struct file_job *jobs = ARENA_ARRAY(arena, struct file_job, request->report_count + 1);
    for (size_t r = 0; r < request->report_count; r++)
        jobs[r] = (struct file_job){.request = request,
                                    .report = r,
                                    .caller_arena = arena,
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
    if (request->has_model && !model_file_write(request, profile, selection, arena, error))
        return false;
    return !request->dldb ||
           export_dldb(request->dldb, request->force, profile, selection, arena, error);
}
