// SPDX-License-Identifier: Apache-2.0
// Shortens rows whose total length would overflow sums over them.
#include "model/profile/time_limits.h"

void times_limit_total(struct profile *profile, unsigned parts, const int64_t *start, int64_t *end,
                       uint32_t count, const char *what)
{
    const int64_t limit = TOTAL_LIMIT / (parts ? parts : 1);
    int64_t total = 0, shortened = 0;
    for (uint32_t i = 0; i < count && total <= limit; i++)
        total += end[i] - start[i];
    if (total <= limit)
        return;
    for (uint32_t i = 0; i < count; i++) {
        if (end[i] - start[i] <= limit / count)
            continue;
        end[i] = start[i];
        shortened++;
    }
    profile_note(profile, NOTE_WARNING, "times_absurd", shortened, NULL,
                 "%lld %s last impossibly long; they are shown with no length",
                 (long long)shortened, what);
}
