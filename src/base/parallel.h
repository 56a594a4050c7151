// SPDX-License-Identifier: Apache-2.0
// Running independent jobs on the cores that this process may use.
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

// Cores by affinity and by the cgroup's quota, at least 1.
unsigned parallel_cores(void);

enum { PARALLEL_THREADS = 256 };

struct parallel { // jobs under way; the struct stays where it is until they are done
    atomic_size_t next;
    size_t count;
    void (*job)(void *context, size_t i);
    void *context;
    pthread_t others[PARALLEL_THREADS];
    size_t started;
};

// Begins on all but one of `threads` threads, so that the calling one can do something else; with
// one thread nothing is done before parallel_end(), in which the calling thread does its part.
void parallel_begin(struct parallel *run, unsigned threads, size_t count,
                    void (*job)(void *context, size_t i), void *context);
void parallel_end(struct parallel *run);

// This thread, and those that it begins, give way to others from now on, where there are more of them than
// cores: for work without which the next frame is as good. Whoever waits for it leaves it the core.
void parallel_give_way(void);

// How many parts of so many rows threads look at, rows * i / parts on: 1 of few, whatever the cores.
size_t parallel_parts(size_t rows);

// The first of `count` rows that is of a part; of `parts` itself: `count`.
static inline size_t parallel_first(size_t count, size_t part, size_t parts)
{
    return (size_t)((uint64_t)count * part / parts);
}

// Runs job(context, i) for every i below `count`, on at most `threads` threads (the calling one
// included), and returns when all are done. Jobs must not depend on each other's order.
void parallel_run(unsigned threads, size_t count, void (*job)(void *context, size_t i),
                  void *context);

#endif
