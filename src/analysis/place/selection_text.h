// SPDX-License-Identifier: Apache-2.0
// A selection in words.
#ifndef ANALYSIS_PLACE_SELECTION_TEXT_H
#define ANALYSIS_PLACE_SELECTION_TEXT_H

#include "analysis/report/selection.h"

// Returns the selection in words, for the breadcrumb and exports: "steps 3-22 of 24 by range "step
// N", GPU 0".
const char *selection_text(const struct profile *profile, const struct selection *selection,
                           struct arena *arena);

#endif
