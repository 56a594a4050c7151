// SPDX-License-Identifier: Apache-2.0
// What the host contributes to the sums over the op tree: calls and length of ranges, time in the
// API, and the gaps between the GPU work of a range. Part of tree_sums().
#ifndef ANALYSIS_TREE_HOST_H
#define ANALYSIS_TREE_HOST_H

#include "analysis/sums/tree_sums.h"

// Adds it to the nodes themselves: `sums` by node of selection_tree().
void tree_host_add(const struct profile *profile, const struct selection *selection,
                   struct tree_sum *sums, struct arena *arena);

// ---- shared with tree_cells.c, which adds the same up from figures that are kept ----------------

struct tree_host {
    const struct profile *profile;
    const struct selection *selection;
    const struct op_tree *tree;
    const uint32_t *roots; // of each range the outermost around it; NULL: nothing is adopted
};

struct tree_host tree_host_open(const struct profile *profile, const struct selection *selection,
                                struct arena *arena);

// Where the time in an API call counts: to the node of its range and, as it is no time of the
// thread that waits for an adopted range, less at `waits`. ROW_NONE: nowhere.
struct call_places {
    uint32_t node, waits;
};
struct call_places tree_host_call(const struct tree_host *host, uint32_t api);

// Each work climbs to the ranges around it: rows x depth steps. Real ranges nest some dozens deep;
// beyond the bound, which only a hostile file reaches, idle time is not known.
enum { CLIMB_MAX = 4096 };
// What a work lies in, and what that range lies in: the one around it or, of adopted root ranges,
// the one that adopts it. ROW_NONE: nothing.
uint32_t tree_host_range(const struct tree_host *host, uint32_t work);
uint32_t tree_host_above(const struct tree_host *host, uint32_t range);
void tree_host_idle(const struct tree_host *host, struct tree_sum *sums, struct arena *arena);

// Adds from what the memo keeps. False: there is none, or the selection is narrowed by more than
// iterations, process and GPU.
bool tree_cells_add(const struct profile *profile, const struct selection *selection,
                    struct tree_sum *sums, struct arena *arena);

#endif
