// SPDX-License-Identifier: Apache-2.0
// The events of a PyTorch Profiler trace, for tests that need fields the model does not keep.
#ifndef TESTS_TRACE_EVENTS_H
#define TESTS_TRACE_EVENTS_H

#include "model/kineto/load_kineto.h"

// Calls `each` for all events. Returns baseTimeNanoseconds, or 0 if it is missing.
int64_t trace_events_walk(const char *path,
                          void (*each)(void *context, const struct kineto_event *event),
                          void *context);

// Returns a time as JSON readers see it: the double nearest to ns / 1000.
double us_of_ns(int64_t ns);

#endif
