// SPDX-License-Identifier: Apache-2.0
// What something is compared with: choosing side A of a comparison (compare.h).
#ifndef ANALYSIS_BASELINE_H
#define ANALYSIS_BASELINE_H

#include "analysis/compare/compare.h"

struct baseline_request {
    const struct profile *profile; // of side A
    const char *path;              // of its file, NULL: it is that of side B
    const char *beside;            // that of side B where names are to tell them apart, or NULL
    const struct split *split;     // of another file's steps; NULL: by `key`
    const char *key;               // what cuts them (split_by_name()), NULL: as found
    const char *iters;             // a set; NULL: selection_usual(), in one file those of B
    int64_t gpu, process;          // number and pid; UNKNOWN: as side B
};

// Fills `baseline` for a side B whose selection is `like`. False: there is no such step, GPU or
// process.
bool baseline_make(struct baseline *baseline, const struct baseline_request *request,
                   const struct selection *like, struct arena *arena, struct error *error);

// The steps of a profile without those that the capture cut and the warm-up. NULL: there is none.
const bool *selection_usual(const struct profile *profile, const struct selection *selection,
                            struct arena *arena);

#endif
