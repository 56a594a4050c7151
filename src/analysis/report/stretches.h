// SPDX-License-Identifier: Apache-2.0
// Time intervals of the selected iterations on the host's clock, ns.
#ifndef ANALYSIS_STRETCHES_H
#define ANALYSIS_STRETCHES_H

#include "analysis/report/selection.h"

struct stretches { // in order of start; with all iterations selected, one interval without ends
    uint32_t count;
    int64_t *start; // [count], in the arena that is given
    int64_t *stop;  // [count], the latest stop up to this interval
};

struct stretches stretches_of(const struct selection *selection, struct arena *arena);
// Returns the first time in [from, to] inside an interval, or INT64_MAX.
int64_t stretches_meet(const struct stretches *stretches, int64_t from, int64_t to);

#endif
