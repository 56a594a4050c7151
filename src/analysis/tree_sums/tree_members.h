// SPDX-License-Identifier: Apache-2.0
// Members that a row of the folded op tree merges: for `layers.* x24` the median layer and the
// worst.
#ifndef ANALYSIS_TREE_SUMS_TREE_MEMBERS_H
#define ANALYSIS_TREE_SUMS_TREE_MEMBERS_H

#include "analysis/report/selection.h"

struct tree_members;

// Ranks members by their exclusive GPU time; members without selected work or ranges do not count.
struct tree_members *tree_members_of(const struct profile *profile,
                                     const struct selection *selection, struct arena *arena);

struct tree_member_figures {
    int64_t median_ns, worst_ns; // exclusive GPU time
    const char *worst; // name of the member with the highest time; NULL: no member has any
};

struct tree_member_figures tree_members_figures(const struct profile *profile,
                                                const struct tree_members *members,
                                                uint32_t folded_node);

#endif
