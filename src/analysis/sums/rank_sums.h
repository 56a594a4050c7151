// SPDX-License-Identifier: Apache-2.0
// GPU time of each node of the op tree on each GPU, for tables that compare GPUs.
#ifndef ANALYSIS_SUMS_RANK_SUMS_H
#define ANALYSIS_SUMS_RANK_SUMS_H

#include "analysis/report/selection.h"

enum rank_kind { RANK_OWN, RANK_COMM, RANK_KINDS }; // without communication; communication

struct rank_sums {
    uint32_t count;    // number of GPUs that ran work of the profile and are selected
    uint32_t *devices; // their device rows
    int64_t steps;     // number of steps that figures are the mean of; 1 for the whole run
    int64_t *ns;       // see rank_sums_at(); NULL: too many nodes and GPUs
};

// Computes the exclusive GPU time of all nodes of selection_tree(), including their subtrees. The
// result lives in `scratch`.
struct rank_sums rank_sums_make(const struct profile *profile, const struct selection *selection,
                                struct arena *scratch);

// Returns the time per GPU, [count], summed over all steps, ns.
static inline int64_t *rank_sums_at(const struct rank_sums *sums, uint32_t node,
                                    enum rank_kind kind)
{
    return sums->ns + ((size_t)node * RANK_KINDS + kind) * sums->count;
}

// Returns the meaning of the figures per GPU, like "mean of 12 steps".
const char *rank_sums_each(const struct rank_sums *sums, const struct selection *selection,
                           struct arena *arena);
// Returns a caption like "8 GPUs, mean of 12 steps".
const char *rank_sums_caption(const struct rank_sums *sums, const struct selection *selection,
                              struct arena *arena);

// Reasons why such a table has no rows.
#define RANKS_SINGLE_TEXT                                                                   \
    "What is looked at ran on one GPU: there is none to compare it with. Files of several " \
    "ranks are opened together."
#define RANKS_TOO_MANY_TEXT \
    "There are too many places and GPUs for this table: look at one GPU at a time."

#endif
