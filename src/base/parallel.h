// SPDX-License-Identifier: Apache-2.0
// Runs independent jobs on the cores that this process may use.
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

// Returns the number of cores that the CPU affinity and the cgroup quota allow, at least 1.
unsigned parallel_cores(void);

enum { PARALLEL_THREADS = 256 };

// A running set of jobs; the struct must stay in place until parallel_end().
struct parallel {
    atomic_size_t next;
    size_t count;
    void (*job)(void *context, size_t i);
    void *context;
    pthread_t others[PARALLEL_THREADS];
    size_t started;
};

// Starts the jobs on all but one of `threads` threads, so that the calling thread can do other
// work. With one thread no job starts before parallel_end(), in which the calling thread runs its
// share of the jobs.
void parallel_begin(struct parallel *run, unsigned threads, size_t count,
                    void (*job)(void *context, size_t i), void *context);
void parallel_end(struct parallel *run);

// Lowers the priority of this thread and of the threads it starts, for background work that the
// next frame does not depend on. A thread that waits for such work leaves it the core.
void parallel_lower_priority(void);

// Returns into how many parts to divide `rows` rows for threads: 1 for few rows. The result does
// not depend on the number of cores, so that results are the same on every machine.
size_t parallel_parts(size_t rows);

// Returns the first of `count` rows that belongs to `part`; `count` if part == parts.
static inline size_t parallel_first(size_t count, size_t part, size_t parts)
{
    return (size_t)((uint64_t)count * part / parts);
}

// Calls job(context, i) for every i < count on at most `threads` threads, the calling one included,
// and returns when all are done. Jobs must not depend on each other's order.
void parallel_run(unsigned threads, size_t count, void (*job)(void *context, size_t i),
                  void *context);

#endif
