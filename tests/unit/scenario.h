// SPDX-License-Identifier: Apache-2.0
// Profiles that the generator makes.
#ifndef UNIT_SCENARIO_H
#define UNIT_SCENARIO_H

#include "model/profile/profile.h"

// Opens the profile of a scenario, given with generator options: "ddp --steps=3". The calling test
// is skipped if there is no generator, and fails if the profile cannot be made. The caller frees it
// with profile_free().
struct profile *scenario_open(const char *scenario);

// A step as the generator knows it, in ns: its time on the host, then on the GPU from its first
// work to its last.
struct scenario_step {
    int rank, step;
    int64_t start, end, first, last, kernels;
};

// Also stores the steps in order of rank and step, at most `max_steps`, and their number in *count.
struct profile *scenario_open_steps(const char *scenario, struct scenario_step *steps,
                                    size_t max_steps, size_t *count);

#endif
