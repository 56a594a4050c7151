// SPDX-License-Identifier: Apache-2.0
// Idle time grouped by cause, node of the op tree and evidence. The figures of each group in each
// step are stored, so that another set of steps is summed up without reading the gaps again.
#ifndef ANALYSIS_IDLE_IDLE_GROUPS_H
#define ANALYSIS_IDLE_IDLE_GROUPS_H

#include "analysis/idle/idle_sums.h"

enum { IDLE_NS, IDLE_INFERRED_NS, IDLE_PARTS, IDLE_COLUMNS };

struct idle_group {
    uint32_t node;  // idle_node()
    string_id name; // idle_evidence_name()
    uint8_t cause, kind;
    int64_t figures[IDLE_COLUMNS]; // sums over the selection
};

struct idle_groups {
    uint32_t count;
    struct idle_group *items;        // groups with idle time in the selection
    int64_t longest_ns[IDLE_CAUSES]; // longest piece in the selection
};

struct idle_groups idle_groups_of(const struct profile *profile, const struct selection *selection,
                                  struct arena *arena);

// Returns, for each node of selection_tree() including everything below it, the idle time by cause;
// the selected node and cause are ignored.
struct idle_sum *idle_by_node(const struct profile *profile, const struct selection *selection,
                              struct arena *arena);

#endif
