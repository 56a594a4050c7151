// SPDX-License-Identifier: Apache-2.0
// The roles that the plugin gives to ranges, by name; for plugin_steps.c and distributed.c.
#ifndef ANALYSIS_PLUGIN_PLUGIN_ROLES_H
#define ANALYSIS_PLUGIN_PLUGIN_ROLES_H

#include "model/profile/profile.h"

enum range_role {
    RANGE_HAS_NO_ROLE, // a module, or a range that only describes others
    RANGE_IS_STEP,     // "ProfilerStep#7"
    RANGE_IS_MARK,     // a numbered step of another kind
    RANGE_IS_LOADER,
    RANGE_IS_COMMUNICATION,
    RANGE_IS_CPU,
};

// Returns [label of ranges]: enum range_role.
const uint8_t *range_roles(const struct profile *profile, struct arena *arena);
// Returns the N of "ProfilerStep#N", or UNKNOWN.
int64_t profiler_step_number(const char *text);
// True if the process comes from a trace of the PyTorch Profiler.
bool process_is_traced(const struct profile *profile, uint32_t process);
// True if a kernel moves data between GPUs: by its name, or by the range that launches it.
bool work_communicates(const struct profile *profile, const uint8_t *roles, uint32_t work);

#endif
