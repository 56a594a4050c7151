// SPDX-License-Identifier: Apache-2.0
// File names written by tensorboard_trace_handler(), such as
// host_4711.1623212756351.pt.trace.json.gz: a worker (host and process) and, for each profiled
// window, the time of writing. The files of one worker are its spans.
#ifndef MODEL_PROFILE_SPAN_NAME_H
#define MODEL_PROFILE_SPAN_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct span_name {
    const char *worker; // points into the path, after the folders
    size_t length;
    const char *stamp; // digits; "" if the name has none
    size_t digits;
};

// Returns false if the file is not named in this way.
bool span_name_parse(const char *path, struct span_name *name);
bool span_name_is_same_worker(const struct span_name *a, const struct span_name *b);
// True if two files are spans of one worker and in the same folder.
bool span_name_is_continued(const char *path, const char *other);
// Returns the number of workers among files; a file with another kind of name counts as a worker.
size_t span_name_workers(const char *const *paths, size_t count, struct arena *scratch);

#endif
