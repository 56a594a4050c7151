// SPDX-License-Identifier: Apache-2.0
// Profiles that the generator makes.
#ifndef UNIT_SCENARIO_H
#define UNIT_SCENARIO_H

#include "model/profile.h"

// "ddp --steps=3": a scenario and its options as the generator takes them. The calling test is
// skipped where there is no generator, and fails where the profile cannot be made. The caller
// frees it with profile_free().
struct profile *scenario_open(const char *scenario);

#endif
