// SPDX-License-Identifier: Apache-2.0
// The host's contribution to the sums over the op tree: number and length of ranges, API time, and
// gaps between the GPU work of a range. Part of tree_sums().
#ifndef ANALYSIS_TREE_SUMS_TREE_HOST_H
#define ANALYSIS_TREE_SUMS_TREE_HOST_H

#include "analysis/tree_sums/tree_sums.h"

// Adds the contribution to each node itself; `sums` is by node of selection_tree().
void tree_host_add(const struct profile *profile, const struct selection *selection,
                   struct tree_sum *sums, struct arena *arena);

// ---- shared with tree_host_sums.c, which computes the same from partial sums ------------------

struct tree_host {
    const struct profile *profile;
    const struct selection *selection;
    const struct op_tree *tree;
    const uint32_t
        *roots; // by range: the outermost range that encloses it; NULL: no range is adopted
};

struct tree_host tree_host_open(const struct profile *profile, const struct selection *selection,
                                struct arena *arena);

// Nodes that the time of an API call counts for: added to the node of its range and, because it is
// not time of the thread that waits for an adopted range, subtracted at `waits`. ROW_NONE: none.
struct call_places {
    uint32_t node, waits;
};
struct call_places tree_host_call(const struct tree_host *host, uint32_t api);

// For each piece of work the enclosing ranges are visited, which costs (work x depth) steps. Real
// ranges nest some dozens deep. At more levels than this, only in hostile files, idle time is
// unknown.
enum { MAX_CLIMB = 4096 };
// tree_host_range() returns the range of a piece of work, tree_host_parent() the range that
// encloses a range or, for an adopted root range, its adopter. ROW_NONE: none.
uint32_t tree_host_range(const struct tree_host *host, uint32_t work);
uint32_t tree_host_parent(const struct tree_host *host, uint32_t range);
void tree_host_idle(const struct tree_host *host, struct tree_sum *sums, struct arena *arena);

// Adds the contribution from partial sums. Returns false if the selection has no memo or more than
// iterations, process and GPU narrow it.
bool tree_host_sums_add(const struct profile *profile, const struct selection *selection,
                        struct tree_sum *sums, struct arena *arena);

#endif
