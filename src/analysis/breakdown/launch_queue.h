// SPDX-License-Identifier: Apache-2.0
// How much work waits on a stream: what was launched and has not begun. CUDA holds about a thousand
// launches for a stream; when that many wait the next call stands until one begins. (Length of the queue
// and the bounds of what is out of line are those of HTA, queue_length and cuda_kernel_launch_stats.)
//
// Times are ns of the profile.
#ifndef ANALYSIS_LAUNCH_QUEUE_H
#define ANALYSIS_LAUNCH_QUEUE_H

#include "analysis/report/selection.h"

enum { QUEUE_FULL = 1024 };

// Of single launches, what is out of line: a call that takes longer than this, work that begins so much
// later than its call ended.
enum { LAUNCH_CALL_NS = 50000, LAUNCH_DELAY_NS = 100000 };

struct queue_change {
    int64_t time;     // ns
    uint32_t work;    // row of gpu_work
    bool begins;      // it leaves the queue; else its call began
    bool is_selected; // the work is
    uint32_t length;  // of the queue of its stream, from then on
};

// Whether it was launched by a call of its own that the file tells: a node of a graph was not.
bool work_is_launched(const struct profile *profile, uint32_t work);

// Calls add() for each change of all queues, in order of time; of changes at one instant those that shorten
// a queue come first. What waits is counted whether it is selected or not.
void queue_walk(const struct profile *profile, const struct selection *selection,
                void (*add)(void *context, const struct queue_change *change), void *context,
                struct arena *arena);

#endif
