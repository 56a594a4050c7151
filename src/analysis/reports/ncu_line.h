// SPDX-License-Identifier: Apache-2.0
// The line of Nsight Compute that profiles one launch of a capture in another run of the program.
#ifndef ANALYSIS_NCU_LINE_H
#define ANALYSIS_NCU_LINE_H

#include "analysis/report/selection.h"

struct ncu_line {
    const char *command; // "ncu --kernel-name 'regex:^sgemm$' --launch-skip 12 ..."
    const char *text;    // which launch that is, in words
};

// Of a kernel. ncu numbers the launches of a name in each process: so does this, by the time of the
// launching calls.
struct ncu_line ncu_line_of(const struct profile *profile, uint32_t work, struct arena *arena);

// Of the kernels of a selection the one of median length (of an even number the shorter one);
// ROW_NONE: there are none.
uint32_t ncu_typical(const struct profile *profile, const struct selection *selection,
                     struct arena *arena);

#endif
