// SPDX-License-Identifier: Apache-2.0
// Folders that are named as profiles. The files in one folder are one run, with a file per worker.
// A folder of such folders contains several runs, among which only the user can choose.
#ifndef MODEL_OPEN_RUN_FOLDER_H
#define MODEL_OPEN_RUN_FOLDER_H

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

struct run_file {
    const char *path, *format; // `format`: name of the loader
    int64_t bytes, modified;   // modified: seconds since 1970; UNKNOWN: cannot be read
};

struct folder_run {
    const char *name;         // its folder, relative to the one that contains the runs
    const char *const *paths; // of the files, as they are opened
    const struct run_file *files;
    size_t count, workers;
    const char *formats; // "kineto", "kineto, nsys"
    int64_t bytes;
    const char *newest; // "2026-11-25 14:42"; NULL: unknown
};

struct run_list {
    const char *folder; // as the user gave it
    const struct folder_run *items;
    size_t count;
    const char *lacks; // what could not be searched; "": nothing
};

struct run_folder {
    const char *const *paths; // of the run, sorted by name
    size_t count;
    // Several runs, one of which must be chosen; NULL: `paths` is the run.
    const struct run_list *runs;
};

bool run_folder_is(const char *path);
// All memory is in `arena`; must be called inside arena_run() of it. Returns false when the folder
// cannot be read, or contains no profile.
bool run_folder_open(const char *path, struct run_folder *found, struct arena *arena,
                     struct error *error);
// Sets an error that lists all runs; returns false.
bool run_folder_report_several(const struct run_list *runs, struct arena *arena,
                               struct error *error);

#endif
