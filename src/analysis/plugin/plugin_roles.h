// SPDX-License-Identifier: Apache-2.0
// What the plugin takes for what, by name: for plugin_steps.c and distributed.c.
#ifndef ANALYSIS_PLUGIN_ROLES_H
#define ANALYSIS_PLUGIN_ROLES_H

#include "model/profile/profile.h"

enum range_role {
    RANGE_IS_NOTHING, // a module, or what only says something about others
    RANGE_IS_STEP,    // "ProfilerStep#7"
    RANGE_IS_MARK,    // a numbered step of another kind
    RANGE_IS_LOADER,
    RANGE_IS_COMMUNICATION,
    RANGE_IS_CPU,
};

// By label of ranges: uint8_t[profile->ranges.label_count].
const uint8_t *range_roles(const struct profile *profile, struct arena *arena);
// The N of "ProfilerStep#N"; UNKNOWN: it is none.
int64_t profiler_step_number(const char *text);
// Whether the file that a process comes from is a trace of the PyTorch Profiler.
bool process_is_traced(const struct profile *profile, uint32_t process);
// Whether a kernel moves data between GPUs: by its name, or by the range that launches it.
bool work_communicates(const struct profile *profile, const uint8_t *roles, uint32_t work);

#endif
