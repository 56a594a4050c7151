// SPDX-License-Identifier: Apache-2.0
// What runs at once on a GPU: its time by the set of kinds of work that are active. Where breakdowns give
// each instant to one kind, this says what overlaps: computing that hides communication, copies beside
// kernels.
#ifndef ANALYSIS_KIND_TIMES_H
#define ANALYSIS_KIND_TIMES_H

#include "analysis/report/selection.h"

enum { KIND_SETS = 1 << CLASS_COUNT }; // a bit for each enum work_class; set 0: nothing runs

struct kind_times {
    int64_t window_ns;     // all sets together
    int64_t ns[KIND_SETS]; // by set
};

// One per device: profile->device_count entries, of the windows of the selected iterations (a GPU that is
// not selected has none).
struct kind_times *kind_times_devices(const struct profile *profile,
                                      const struct selection *selection, struct arena *arena);

// Of the time in which any of the kinds of `kinds` runs, that in which all of `beside` do as well; 0 for
// `beside`: all of it.
int64_t kind_times_of(const struct kind_times *times, unsigned kinds, unsigned beside);

#endif
