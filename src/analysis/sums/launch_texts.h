// SPDX-License-Identifier: Apache-2.0
// Texts of single launches. Each text is made once, since there are many launches but few streams,
// launch shapes and nodes.
#ifndef ANALYSIS_SUMS_LAUNCH_TEXTS_H
#define ANALYSIS_SUMS_LAUNCH_TEXTS_H

#include "analysis/report/selection.h"

struct launch_texts { // a NULL text belongs to no launch that was added
    const struct profile *profile;
    const struct selection *selection; // a copy
    const char **streams;              // by stream
    const char **grids, **blocks;      // by row of shapes
    const char **places; // by node of the selection's tree; NULL: there is no tree yet
};

struct launch_texts *launch_texts_new(const struct profile *profile,
                                      const struct selection *selection, struct arena *arena);

// Makes the texts of one piece of work that do not exist yet.
void launch_texts_add(struct launch_texts *texts, uint32_t work, struct arena *arena);

#endif
