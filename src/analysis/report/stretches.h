// SPDX-License-Identifier: Apache-2.0
// The time of the iterations that are selected, by the host's clock: ns of the profile.
#ifndef ANALYSIS_STRETCHES_H
#define ANALYSIS_STRETCHES_H

#include "analysis/report/selection.h"

struct stretches { // in order; of everything one without ends
    uint32_t count;
    int64_t *start; // [count], in the arena that is given
    int64_t *stop;  // the latest of all up to here
};

struct stretches stretches_of(const struct selection *selection, struct arena *arena);
// The first time of [from, to] that is in any of them; INT64_MAX: none is.
int64_t stretches_meet(const struct stretches *stretches, int64_t from, int64_t to);

#endif
