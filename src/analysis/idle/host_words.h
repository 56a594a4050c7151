// SPDX-License-Identifier: Apache-2.0
// What names say of the thread that is in a call, a range or a row of overhead.
#ifndef ANALYSIS_HOST_WORDS_H
#define ANALYSIS_HOST_WORDS_H

#include <stdbool.h>

#include "model/profile/profile.h"

enum host_activity { // in the order in which they claim an instant
    HOST_PROFILER,   // the profiler's own work
    HOST_COMPILE,    // compiling or loading code for the GPU
    HOST_ALLOCATOR,  // allocating or freeing memory through the driver
    HOST_SYNC,       // waiting in a synchronising call, or at a barrier
    HOST_LOADER,     // in a range of a data loader
    HOST_COPY,       // waiting in a copy
    HOST_QUEUE_FULL, // a launch waits because the GPU's queue is full: the host is ahead
    HOST_BUSY,       // in a range, in a call or between calls in quick succession
    HOST_NOTHING,    // nothing that the file would tell
};

// What an API call of this name does to its thread: HOST_COMPILE, HOST_ALLOCATOR, HOST_SYNC,
// HOST_COPY (also those that need not wait), else HOST_BUSY. By name: the numbers of the
// synchronisation table changed their meaning between versions.
enum host_activity api_activity(const char *name);
// What a row of overheads is, by its name: HOST_PROFILER, HOST_COMPILE or HOST_QUEUE_FULL.
enum host_activity overhead_activity(const char *name);

// By marker: whether ranges of that text are a data loader's, or a barrier between processes.
bool *host_loader_markers(const struct profile *profile, struct arena *arena);
bool *host_barrier_markers(const struct profile *profile, struct arena *arena);

#endif
