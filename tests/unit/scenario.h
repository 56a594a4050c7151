// SPDX-License-Identifier: Apache-2.0
// Profiles that the generator makes.
#ifndef UNIT_SCENARIO_H
#define UNIT_SCENARIO_H

#include "model/profile/profile.h"

// "ddp --steps=3": a scenario and its options as the generator takes them. The calling test is
// skipped where there is no generator, and fails where the profile cannot be made. The caller
// frees it with profile_free().
struct profile *scenario_open(const char *scenario);

// What the generator knows of the steps: times in ns, on the GPU of its first and last work.
struct scenario_step {
    int rank, step;
    int64_t start, end, first, last, kernels;
};

// With at most `most` steps, in order of rank and step; *count: how many there are.
struct profile *scenario_open_steps(const char *scenario, struct scenario_step *steps, size_t most,
                                    size_t *count);

#endif
