// SPDX-License-Identifier: Apache-2.0
// The evidence of idle time in words.
#ifndef ANALYSIS_IDLE_TEXT_H
#define ANALYSIS_IDLE_TEXT_H

#include "analysis/idle/idle_sums.h"

// The name of the row that shows the cause of a part: of an API call, a range, an OS call, a kind
// of overhead, a kernel. STRING_NONE: there is none.
string_id idle_evidence_name(const struct profile *profile, const struct selection *selection,
                             const struct idle_part *part);

// That name as it is shown: API calls without the version that CUPTI adds.
const char *idle_evidence_text(const struct profile *profile, enum evidence_kind kind,
                               string_id name, struct arena *arena);

// "data 52%, sync 17% ...": the largest causes, `most` of them, as shares of the idle time; the dots
// stand for more. "" when nothing is idle.
const char *idle_causes_text(const struct idle_sum *sum, size_t most, struct arena *arena);

// What stands for idle time where all GPU work lies outside of the steps (gpu_outside_text()), or NULL.
const char *idle_outside_text(const struct profile *profile, const struct selection *selection,
                              struct arena *arena);

#endif
