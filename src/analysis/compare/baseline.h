// SPDX-License-Identifier: Apache-2.0
// Chooses the baseline: side A of a comparison (compare.h).
#ifndef ANALYSIS_COMPARE_BASELINE_H
#define ANALYSIS_COMPARE_BASELINE_H

#include "analysis/compare/compare.h"

struct baseline_request {
    const struct profile *profile; // profile of side A
    const char *path;              // path of its file; NULL if it is side B's file
    const char *beside;            // path of side B's file, if names must differ; or NULL
    const struct split *split;     // steps of another file; NULL to find them by `key`
    const char *key;               // key of the split (split_by_name()); NULL for the default split
    // set of steps; NULL for default_baseline_steps(), or for B's steps in the same file
    const char *iters;
    int64_t gpu, process; // GPU number and pid; UNKNOWN to follow side B
};

// Fills `baseline` for a side B with the selection `like`. Returns false if the step, GPU or
// process does not exist.
bool baseline_init(struct baseline *baseline, const struct baseline_request *request,
                   const struct selection *like, struct arena *arena, struct error *error);

// Returns the steps that are neither cut by the capture nor warm-up, or NULL if there are none.
const bool *default_baseline_steps(const struct profile *profile, const struct selection *selection,
                                   struct arena *arena);

#endif
