// SPDX-License-Identifier: Apache-2.0
// The events of a trace of the PyTorch Profiler, for tests that ask what the model does not keep.
#ifndef TESTS_TRACE_EVENTS_H
#define TESTS_TRACE_EVENTS_H

#include "model/kineto/load_kineto.h"

// Returns baseTimeNanoseconds, 0: it is not there.
int64_t trace_events_walk(const char *path,
                          void (*each)(void *context, const struct kineto_event *event),
                          void *context);

// A time as readers of JSON have it: the double next to ns / 1000.
double us_of_ns(int64_t ns);

#endif
