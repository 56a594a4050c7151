// SPDX-License-Identifier: Apache-2.0
// Length of the launch queue of a stream: the number of pieces of work that were launched and have
// not begun. CUDA queues about a thousand launches per stream; if the queue is full, the next call
// blocks until one begins. The definition of the length and the limits for outliers are from HTA
// (queue_length, cuda_kernel_launch_stats).
//
// Times are in ns of the profile.
#ifndef ANALYSIS_BREAKDOWN_LAUNCH_QUEUE_H
#define ANALYSIS_BREAKDOWN_LAUNCH_QUEUE_H

#include "analysis/report/selection.h"

enum { MAX_QUEUED_LAUNCHES = 1024 };

// Limits for outliers of single launches: duration of the call, and delay from its end to the begin
// of its work.
enum { LAUNCH_CALL_NS = 50000, LAUNCH_DELAY_NS = 100000 };

struct queue_change {
    int64_t time;     // ns
    uint32_t work;    // row of gpu_work
    bool begins;      // true: the work begins and leaves the queue; false: its call begins
    bool is_selected; // of the work
    uint32_t length;  // of the stream's queue after the change
};

// Returns true if the work was launched by a call of its own that is in the file; a node of a graph
// was not.
bool work_is_launched(const struct profile *profile, uint32_t work);

// Calls add() for each change of all queues in order of time; at one instant, changes that shorten
// a queue come first. Work counts in the length whether it is selected or not.
void launch_queue_walk(const struct profile *profile, const struct selection *selection,
                       void (*add)(void *context, const struct queue_change *change), void *context,
                       struct arena *arena);

#endif
