// SPDX-License-Identifier: Apache-2.0
// Texts for the evidence of idle time.
#ifndef ANALYSIS_IDLE_IDLE_TEXT_H
#define ANALYSIS_IDLE_IDLE_TEXT_H

#include "analysis/idle/idle_sums.h"

// Returns the name of the row that shows the cause of a part: of an API call, a range, an OS call,
// a kind of overhead or a kernel. STRING_NONE if there is none.
string_id idle_evidence_name(const struct profile *profile, const struct selection *selection,
                             const struct idle_part *part);

// Returns that name as displayed: API calls without the version suffix of CUPTI.
const char *idle_evidence_text(const struct profile *profile, enum evidence_kind kind,
                               string_id name, struct arena *arena);

// "data 52%, sync 17% ...": the `max_causes` largest causes as shares of the idle time; dots if
// there are more. "" if nothing is idle.
const char *idle_causes_text(const struct idle_sum *sum, size_t max_causes, struct arena *arena);

// Returns the text shown instead of idle time if all GPU work is outside of the steps
// (gpu_outside_steps_text()), or NULL.
const char *idle_outside_text(const struct profile *profile, const struct selection *selection,
                              struct arena *arena);

#endif
