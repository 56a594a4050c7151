// SPDX-License-Identifier: Apache-2.0
// DLProf's rules, see dlprof_rules.h.
#include "analysis/report/dlprof_rules.h"

bool work_is_kernel(const struct profile *profile, uint32_t work)
{
    return function_is_kernel(&profile->functions[AT(profile->work.function, work)]);
}

bool work_uses_tc(const struct profile *profile, uint32_t work)
{
    return profile->functions[AT(profile->work.function, work)].dlprof_tensor_core;
}

int64_t iteration_stop(const struct split *split, uint32_t iteration)
{
    bool abuts = split->method == SPLIT_KEY && iteration + 1 < split->count;
    return abuts && split->stop[iteration] > split->start[iteration] ? split->stop[iteration] - 1
                                                                     : split->stop[iteration];
}

int64_t iteration_length(const struct split *split, uint32_t iteration)
{
    int64_t length = iteration_stop(split, iteration) - split->start[iteration];
    return length > 0 ? length : 0;
}
