// SPDX-License-Identifier: Apache-2.0
// Running independent jobs on the cores that this process may use.
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stddef.h>

// Cores by affinity and by the cgroup's quota, at least 1.
unsigned parallel_cores(void);

// Runs job(context, i) for every i below `count`, on at most `threads` threads (the calling one
// included), and returns when all are done. Jobs must not depend on each other's order.
void parallel_run(unsigned threads, size_t count, void (*job)(void *context, size_t i),
                  void *context);

#endif
