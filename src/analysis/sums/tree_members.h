// SPDX-License-Identifier: Apache-2.0
// What a row of the folded op tree merges: of `layers.* x24` the median layer and the worst.
#ifndef ANALYSIS_TREE_MEMBERS_H
#define ANALYSIS_TREE_MEMBERS_H

#include "analysis/report/selection.h"

struct tree_members;

// By their exclusive GPU time; captured nodes with nothing in the selection do not count.
struct tree_members *tree_members_of(const struct profile *profile,
                                     const struct selection *selection, struct arena *arena);

struct tree_member_figures {
    int64_t median_ns, worst_ns; // exclusive GPU time
    const char *worst;           // name of the member with the most; NULL: none has anything
};

struct tree_member_figures tree_members_figures(const struct profile *profile,
                                                const struct tree_members *members,
                                                uint32_t folded_node);

#endif
