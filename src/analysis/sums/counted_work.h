// SPDX-License-Identifier: Apache-2.0
// GPU work as DLProf's summary counts it: kernels by short name, copies and memsets by the name of
// the call that launched them.
#ifndef ANALYSIS_SUMS_COUNTED_WORK_H
#define ANALYSIS_SUMS_COUNTED_WORK_H

#include "analysis/report/selection.h"

enum counted_kind { COUNTED_TC, COUNTED_MEMORY, COUNTED_OTHER, COUNTED_KINDS };

struct counted { // of the selected work
    int64_t gpu_ns, api_ns;
    int64_t names; // number of distinct names
};

// Adds to the sums of each enum counted_kind.
void counted_work(const struct profile *profile, const struct selection *selection,
                  struct counted counted[COUNTED_KINDS], struct arena *arena);

#endif
