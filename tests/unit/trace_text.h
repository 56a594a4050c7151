// SPDX-License-Identifier: Apache-2.0
// Writes small PyTorch Profiler traces for tests, one event per line.
#ifndef TESTS_TRACE_TEXT_H
#define TESTS_TRACE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "model/profile/loader.h"

struct trace_text {
    char text[1 << 16];
    size_t length;
    int process; // 0 means 7
};

// Times are microseconds; `arguments` is the content of "args" without its braces.
__attribute__((format(printf, 7, 8))) void trace_event(struct trace_text *trace,
                                                       const char *category, const char *name,
                                                       int tid, int start, int length,
                                                       const char *arguments, ...);

void trace_write(const struct trace_text *trace, const char *path);
// Loads it into a profile with this many threads (0: one per CPU).
struct profile *trace_load(const struct trace_text *trace, unsigned threads);

#endif
