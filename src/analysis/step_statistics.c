// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_statistics.h"

#include <stdlib.h>

enum { OUTLIER_MADS = 5, OUTLIER_PART = 20 }; // a twentieth of the median

int64_t *step_durations(const struct split *split, const struct breakdown *parts,
                        struct arena *arena)
{
    int64_t *duration_ns = ARENA_ARRAY(arena, int64_t, (size_t)split->count + 1);
    for (uint32_t i = 0; i < split->count; i++)
        duration_ns[i] = parts[i].window_ns > 0             ? parts[i].window_ns
                         : split->stop[i] > split->start[i] ? split->stop[i] - split->start[i]
                                                            : UNKNOWN;
    return duration_ns;
}

static int compare_durations(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

struct step_statistics step_statistics_of(const int64_t *duration_ns, const bool *members,
                                          uint32_t count, struct arena *arena)
{
    struct step_statistics statistics = {.worst = ROW_NONE};
    int64_t *sorted = ARENA_ARRAY(arena, int64_t, (size_t)count + 1);
    uint32_t known = 0;
    for (uint32_t i = 0; i < count; i++) {
        if ((members && !members[i]) || duration_ns[i] == UNKNOWN)
            continue;
        sorted[known++] = duration_ns[i];
        if (statistics.worst == ROW_NONE || duration_ns[i] >= duration_ns[statistics.worst])
            statistics.worst = i;
    }
    if (known == 0)
        return statistics;
    qsort(sorted, known, sizeof *sorted, compare_durations);
    statistics.count = known;
    statistics.median_ns = sorted[known / 2];
    statistics.p95_ns = sorted[((uint64_t)known * 95 + 99) / 100 - 1];
    statistics.min_ns = sorted[0];
    statistics.max_ns = sorted[known - 1];
    for (uint32_t i = 0; i < known; i++)
        sorted[i] = llabs(sorted[i] - statistics.median_ns);
    qsort(sorted, known, sizeof *sorted, compare_durations);
    statistics.mad_ns = sorted[known / 2];
    return statistics;
}

bool step_is_outlier(const struct step_statistics *statistics, int64_t duration_ns)
{
    if (duration_ns == UNKNOWN || statistics->count == 0)
        return false;
    int64_t away = llabs(duration_ns - statistics->median_ns);
    return (double)away > OUTLIER_MADS * (double)statistics->mad_ns &&
           away > statistics->median_ns / OUTLIER_PART;
}

uint32_t steps_steady(const struct split *split, const int64_t *duration_ns, bool *members,
                      struct arena *arena)
{
    for (uint32_t i = 0; i < split->count; i++)
        members[i] = !(split->is_cut && split->is_cut[i]);
    struct step_statistics usual = step_statistics_of(duration_ns, members, split->count, arena);
    uint32_t warm = 0;
    while (warm + 1 < split->count && duration_ns[warm] > usual.median_ns &&
           step_is_outlier(&usual, duration_ns[warm]))
        members[warm++] = false;
    return warm;
}
