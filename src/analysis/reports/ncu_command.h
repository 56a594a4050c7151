// SPDX-License-Identifier: Apache-2.0
// Builds the Nsight Compute command that profiles one launch of a capture in another run of the
// program.
#ifndef ANALYSIS_REPORTS_NCU_COMMAND_H
#define ANALYSIS_REPORTS_NCU_COMMAND_H

#include "analysis/report/selection.h"

struct ncu_command {
    const char *command; // for example "ncu --kernel-name 'regex:^sgemm$' --launch-skip 12 ..."
    const char *text;    // a sentence that says which launch it is
};

// Returns the command for `work`, which must be a kernel. ncu numbers the launches of a name in
// each process by the order of the launching calls; the ordinal in the command is counted the same
// way.
struct ncu_command ncu_command_of(const struct profile *profile, uint32_t work,
                                  struct arena *arena);

// Returns the selected kernel of median duration (the shorter of the middle two for an even
// number), or ROW_NONE if no kernel is selected.
uint32_t ncu_median_launch(const struct profile *profile, const struct selection *selection,
                           struct arena *arena);

#endif
