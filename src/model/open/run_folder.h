// SPDX-License-Identifier: Apache-2.0
// Folders named as profiles: the files in one are one run with a worker each; a folder of such folders
// holds several runs, of which nobody but the user knows which is meant.
#ifndef MODEL_RUN_FOLDER_H
#define MODEL_RUN_FOLDER_H

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

struct run_file {
    const char *path, *format; // name of its loader
    int64_t bytes, modified;   // seconds since 1970; UNKNOWN: nobody tells
};

struct folder_run {
    const char *name;         // its folder, below the one that holds the runs
    const char *const *paths; // of the files, as they are opened
    const struct run_file *files;
    size_t count, workers;
    const char *formats; // "kineto", "kineto, nsys"
    int64_t bytes;
    const char *newest; // "2026-11-25 14:42", NULL: nobody tells
};

struct run_list {
    const char *folder; // as it was named
    const struct folder_run *items;
    size_t count;
    const char *lacks; // what of it could not be looked at, "": nothing
};

struct run_folder {
    const char *const *paths; // of the run, in the order of their names
    size_t count;
    const struct run_list *runs; // several: one is to be chosen; NULL: `paths` are the run
};

bool run_folder_is(const char *path);
// All in `arena`, inside arena_run() of it. False: it cannot be read, or no profile lies in it.
bool run_folder_open(const char *path, struct run_folder *found, struct arena *arena,
                     struct error *error);
// The message that names them all; returns false.
bool run_folder_fail_several(const struct run_list *runs, struct arena *arena, struct error *error);

#endif
