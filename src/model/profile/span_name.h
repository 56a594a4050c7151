// SPDX-License-Identifier: Apache-2.0
// Names of files that tensorboard_trace_handler() writes, host_4711.1623212756351.pt.trace.json.gz: a
// worker (host and process) and, for each window that was profiled, when it was written. The files of one
// worker are its spans.
#ifndef MODEL_SPAN_NAME_H
#define MODEL_SPAN_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct span_name {
    const char *worker; // in the path, without the folders
    size_t length;
    const char *stamp; // digits, "" where the name has none
    size_t digits;
};

// False: it is not named so.
bool span_name_parse(const char *path, struct span_name *name);
bool span_name_is_same_worker(const struct span_name *a, const struct span_name *b);
// Whether two files are spans of one worker: they lie in the same folder, too.
bool span_name_is_continued(const char *path, const char *other);
// How many workers there are among files: one that is not named so is one of its own.
size_t span_name_workers(const char *const *paths, size_t count, struct arena *scratch);

#endif
