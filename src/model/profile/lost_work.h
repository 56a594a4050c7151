// SPDX-License-Identifier: Apache-2.0
// Whether a profile lacks GPU work that ran: then its idle time and utilisation cannot be judged.
#ifndef MODEL_PROFILE_LOST_WORK_H
#define MODEL_PROFILE_LOST_WORK_H

#include "model/profile/profile.h"

#define NOTE_LOST_WORK   "launches_without_work" // kernel launches whose work is not in the file
#define NOTE_LOST_EVENTS "lost_gpu_events"       // the profiler says that it lost GPU work
#define NOTE_MIGRATIONS  "unified_memory"        // copies of the driver, which no call launches

// Returns true if the file lacks GPU work of a selected process (process_is_selected()): a
// hundredth of its launches or more, since detectors tell problems from one percent of a step on;
// or if the profiler says so. *lost and *launches are sums over the selected processes, 0 if not
// counted.
bool work_is_missing(const struct profile *profile, uint32_t chosen, int64_t *lost,
                     int64_t *launches);
// Returns "15 of 40 launches have no GPU work in the file"; NULL if work_is_missing() is false.
const char *work_missing_text(const struct profile *profile, uint32_t chosen, struct arena *arena);

#endif
