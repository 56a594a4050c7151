// SPDX-License-Identifier: Apache-2.0
// The activity of a thread, derived from the name of its call, range or overhead row.
#ifndef ANALYSIS_IDLE_HOST_ACTIVITY_H
#define ANALYSIS_IDLE_HOST_ACTIVITY_H

#include <stdbool.h>

#include "model/profile/profile.h"

enum host_activity { // in order of precedence
    HOST_PROFILER,   // the profiler's own work
    HOST_COMPILE,    // compiling or loading GPU code
    HOST_ALLOCATOR,  // allocating or freeing memory through the driver
    HOST_SYNC,       // waiting in a synchronising call or at a barrier
    HOST_LOADER,     // in a range of a data loader
    HOST_COPY,       // waiting in a copy
    HOST_QUEUE_FULL, // a launch waits because the GPU's queue is full: the host is ahead
    HOST_BUSY,       // in a range, in a call or between calls in quick succession
    HOST_NOTHING,    // no activity is recorded
};

// Returns what an API call does to its thread: HOST_COMPILE, HOST_ALLOCATOR, HOST_SYNC, HOST_COPY
// (even if the copy need not wait), else HOST_BUSY. Decides by the name, because the numbers in the
// synchronisation table changed their meaning between versions.
enum host_activity api_activity(const char *name);
// Returns the kind of an overhead row by its name: HOST_PROFILER, HOST_COMPILE or HOST_QUEUE_FULL.
enum host_activity overhead_activity(const char *name);

// Returns [marker]: true if its ranges are a data loader's, or a barrier between processes.
bool *host_loader_markers(const struct profile *profile, struct arena *arena);
bool *host_barrier_markers(const struct profile *profile, struct arena *arena);

#endif
