// SPDX-License-Identifier: Apache-2.0
// Idle time of the same cause, place and evidence: what each such group has in each iteration is
// kept, so that another set of iterations adds up without looking at the gaps again.
#ifndef ANALYSIS_IDLE_GROUPS_H
#define ANALYSIS_IDLE_GROUPS_H

#include "analysis/idle/idle_sums.h"

enum { IDLE_NS, IDLE_INFERRED_NS, IDLE_PARTS, IDLE_COLUMNS };

struct idle_group {
    uint32_t node;  // idle_node()
    string_id name; // idle_evidence_name()
    uint8_t cause, kind;
    int64_t figures[IDLE_COLUMNS]; // of what is selected
};

struct idle_groups {
    uint32_t count;
    struct idle_group *items;        // with anything in the selection
    int64_t longest_ns[IDLE_CAUSES]; // stretch in the selection
};

struct idle_groups idle_groups_of(const struct profile *profile, const struct selection *selection,
                                  struct arena *arena);

// Of each node of selection_tree() and all below it, whatever node and cause are selected.
struct idle_sum *idle_by_node(const struct profile *profile, const struct selection *selection,
                              struct arena *arena);

#endif
