// SPDX-License-Identifier: Apache-2.0
// GPU work grouped by function and node: a million launches form a few hundred groups, each with
// partial sums per step.
#ifndef ANALYSIS_SUMS_WORK_GROUPS_H
#define ANALYSIS_SUMS_WORK_GROUPS_H

#include "analysis/report/memo.h"
#include "analysis/report/partial_sums.h"

enum { GROUP_COUNT, GROUP_EXCLUSIVE_NS, GROUP_SUM_NS, GROUP_COLUMNS };

struct work_group {
    uint32_t node;    // of selection_tree(), with adoption applied
    uint32_t forward; // node of the forward op that the work is the backward of, or ROW_NONE
    uint32_t function;
    int64_t figures[GROUP_COLUMNS]; // of the selected work; figures[GROUP_COUNT] is above 0
};

struct work_groups {
    uint32_t count;
    struct work_group *items;
};

// Returns the groups with selected work. `items` is NULL if the selection has no memo or more than
// iterations, process and GPU narrow it; the caller then reads the rows.
struct work_groups work_groups_of(const struct profile *profile, const struct selection *selection,
                                  struct arena *arena);

#endif
