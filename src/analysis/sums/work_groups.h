// SPDX-License-Identifier: Apache-2.0
// GPU work of the same function and place: some hundred groups of a million launches, and what each
// has in each iteration.
#ifndef ANALYSIS_WORK_GROUPS_H
#define ANALYSIS_WORK_GROUPS_H

#include "analysis/report/cells.h"
#include "analysis/report/memo.h"

enum { GROUP_COUNT, GROUP_EXCLUSIVE_NS, GROUP_SUM_NS, GROUP_COLUMNS };

struct work_group {
    uint32_t node;    // of selection_tree(), adoption applied
    uint32_t forward; // of the forward op whose backward it is, or ROW_NONE
    uint32_t function;
    int64_t figures[GROUP_COLUMNS]; // of what is selected; figures[GROUP_COUNT] is above 0
};

struct work_groups {
    uint32_t count;
    struct work_group *items;
};

// All groups with anything in the selection; NULL items: it has no memo, or is narrowed by more
// than iterations, process and GPU, and its rows have to be looked at.
struct work_groups work_groups_of(const struct profile *profile, const struct selection *selection,
                                  struct arena *arena);

#endif
