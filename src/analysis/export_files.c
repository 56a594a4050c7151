// SPDX-License-Identifier: Apache-2.0
// The files of --reports: all of them or, where one exists already, none.
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "analysis/export_list.h"

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
    for (size_t r = 0; r < request->report_count; r++) {
        struct export_table table = {
            .report = request->reports[r], .profile = profile, .selection = selection};
        if (!report_build(table.report, profile, selection, arena, &table.rows, error))
            return false;
        for (size_t f = 0; f < request->format_count; f++) {
            const struct export_format *format = request->formats[f];
            const char *path = file_path(request, table.report, format, arena);
            if (!export_file(path, request->force, &table, format, arena, error))
                return false;
        }
    }
    return true;
}
