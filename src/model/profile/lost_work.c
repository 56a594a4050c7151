// SPDX-License-Identifier: Apache-2.0
#include "model/profile/lost_work.h"

#include "base/text/format.h"

bool work_is_missing(const struct profile *profile, uint32_t chosen, int64_t *lost,
                     int64_t *launches)
{
    enum { LEAST_PART = 100 };
    bool is_missing = profile_find_note(profile, NOTE_LOST_EVENTS) != NULL;
    *lost = *launches = 0;
    for (uint32_t p = 0; p < profile->process_count; p++) {
        const struct process *process = &profile->processes[p];
        if (!process_is_selected(profile, chosen, p))
            continue;
        *lost += process->lost;
        *launches += process->launches;
        is_missing |= process->lost && (int64_t)process->lost * LEAST_PART >= process->launches;
    }
    return is_missing;
}

const char *work_missing_text(const struct profile *profile, uint32_t chosen, struct arena *arena)
{
    int64_t lost, launches;
    char count[FORMAT_SIZE], all[FORMAT_SIZE];
    if (!work_is_missing(profile, chosen, &lost, &launches))
        return NULL;
    return lost ? arena_format(arena, "%s of %s launches have no GPU work in the file",
                               format_count(count, lost), format_count(all, launches))
                : "the profiler lost GPU work";
}
