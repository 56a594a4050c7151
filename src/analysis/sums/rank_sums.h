// SPDX-License-Identifier: Apache-2.0
// What each place of the op tree takes on each GPU, for tables that set GPUs beside each other.
#ifndef ANALYSIS_RANK_SUMS_H
#define ANALYSIS_RANK_SUMS_H

#include "analysis/report/selection.h"

enum rank_kind { RANK_OWN, RANK_COMM, RANK_KINDS }; // what a GPU does by itself; communication

struct rank_sums {
    uint32_t count;    // GPUs that ran any work of the profile, and are selected
    uint32_t *devices; // which
    int64_t steps;     // that figures are the mean of; 1: of the whole run
    int64_t *ns;       // see rank_sums_at(); NULL: too many places and GPUs to count
};

// Of all nodes of selection_tree(), what lies below included: exclusive GPU time. `ns` and what else is
// needed on the way lives in `scratch`.
struct rank_sums rank_sums_make(const struct profile *profile, const struct selection *selection,
                                struct arena *scratch);

// The time of all steps together of each GPU, [count].
static inline int64_t *rank_sums_at(const struct rank_sums *sums, uint32_t node,
                                    enum rank_kind kind)
{
    return sums->ns + ((size_t)node * RANK_KINDS + kind) * sums->count;
}

// What the figures of each GPU are: "mean of 12 steps".
const char *rank_sums_each(const struct rank_sums *sums, const struct selection *selection,
                           struct arena *arena);
// "8 GPUs, mean of 12 steps"
const char *rank_sums_caption(const struct rank_sums *sums, const struct selection *selection,
                              struct arena *arena);

// Why such a table has no rows.
#define RANKS_ALONE                                                                         \
    "What is looked at ran on one GPU: there is none to compare it with. Files of several " \
    "ranks are opened together."
#define RANKS_CROWDED \
    "There are too many places and GPUs for this table: look at one GPU at a time."

#endif
