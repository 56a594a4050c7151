// SPDX-License-Identifier: Apache-2.0
// Traces of the PyTorch Profiler of a few events, written by tests: what happens, one event a line.
#ifndef TESTS_TRACE_TEXT_H
#define TESTS_TRACE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "model/profile/loader.h"

struct trace_text {
    char text[1 << 16];
    size_t length;
    int process; // 0: 7
};

// Times in microseconds; `arguments` is what stands in "args", without its braces.
__attribute__((format(printf, 7, 8))) void trace_event(struct trace_text *trace,
                                                       const char *category, const char *name,
                                                       int tid, int start, int length,
                                                       const char *arguments, ...);

void trace_write(const struct trace_text *trace, const char *path);
// A profile of it, read by so many threads (0: as many as there are).
struct profile *trace_load(const struct trace_text *trace, unsigned threads);

#endif
