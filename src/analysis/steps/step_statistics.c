// SPDX-License-Identifier: Apache-2.0
// Lengths of steps on GPU and host, and robust statistics over them.
#include "analysis/steps/step_statistics.h"

#include <stdlib.h>

#include "analysis/breakdown/gpu_windows.h"
#include "base/sort.h"
#include "base/sums.h"
#include "base/text/format.h"

// An outlier differs from the median by more than 5 MADs and more than 1/20 of the median.
enum { OUTLIER_MADS = 5, OUTLIER_PART = 20 };

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

int64_t *step_lengths(const struct profile *profile, const struct selection *selection,
                      struct arena *arena)
{
    const struct split *split = selection->split;
    struct breakdown *periods = ARENA_ARRAY(arena, struct breakdown, (size_t)split->count + 1);
    int64_t *devices = ARENA_ARRAY(arena, int64_t, (size_t)split->count + 1);
    for (uint32_t d = 0; split->gpu_start && split->gpu_stop && d < profile->device_count; d++) {
        if (!gpu_counts(profile, selection, d))
            continue;
        for (uint32_t i = 0; i < split->count; i++) {
            int64_t from = split->gpu_start[(size_t)d * split->count + i];
            int64_t to = split->gpu_stop[(size_t)d * split->count + i];
            if (from == UNKNOWN || to == UNKNOWN || to <= from)
                continue;
            periods[i].window_ns = add_saturating(periods[i].window_ns, add_saturating(to, -from));
            devices[i]++;
        }
    }
    for (uint32_t i = 0; i < split->count; i++)
        periods[i].window_ns = devices[i] ? periods[i].window_ns / devices[i] : 0;
    return step_durations(split, periods, arena);
}

// Returns the period of step i: from its start to the start of the next or, without one, to its
// end. 0: unknown. A step that the process lacks is empty (split_fill_gaps()) and no next one.
static int64_t host_period(const struct profile *profile, const struct split *split,
                           const int64_t *start, const int64_t *stop, uint32_t i)
{
    if (start[i] == UNKNOWN || stop[i] == UNKNOWN || stop[i] <= start[i])
        return 0;
    bool has_next = i + 1 < split->count && start[i + 1] != UNKNOWN && start[i + 1] >= stop[i] &&
                    stop[i + 1] > start[i + 1] &&
                    !profile_has_pause(profile, start[i], start[i + 1]);
    return add_saturating(has_next ? start[i + 1] : stop[i], -start[i]);
}

int64_t *step_host_periods(const struct profile *profile, const struct selection *selection,
                           struct arena *arena)
{
    const struct split *split = selection->split;
    int64_t *mean = ARENA_ARRAY(arena, int64_t, (size_t)split->count + 1);
    uint32_t processes = split->process_start ? profile->process_count : 1;
    processes = profile->lacks_times ? 0 : processes;
    for (uint32_t i = 0; i < split->count; i++) {
        int64_t sum = 0, count = 0;
        for (uint32_t p = 0; p < processes; p++) {
            bool has_own_times = split->process_start != NULL;
            if (has_own_times && !process_is_selected(profile, selection->process, p))
                continue;
            size_t at = has_own_times ? (size_t)p * split->count : 0;
            int64_t period_ns = host_period(
                profile, split, (has_own_times ? split->process_start : split->start) + at,
                (has_own_times ? split->process_stop : split->stop) + at, i);
            sum = add_saturating(sum, period_ns);
            count += period_ns > 0;
        }
        mean[i] = count ? sum / count : UNKNOWN;
    }
    return mean;
}

static int64_t percentile(const int64_t *sorted, uint32_t count, uint64_t percent)
{
    return sorted[(count * percent + 99) / 100 - 1];
}

const char *step_statistics_text(const struct step_statistics *statistics,
                                 const struct split *split, bool ascii, struct arena *arena)
{
    char a[FORMAT_SIZE], b[FORMAT_SIZE], c[FORMAT_SIZE], d[FORMAT_SIZE];
    format_duration(a, statistics->median_ns, ascii);
    format_duration(d, statistics->max_ns, ascii);
    if (split->method == SPLIT_NONE || split_has_steps(split))
        return arena_format(arena, "median %s   MAD %s%%   p95 %s   max %s", a,
                            format_percent(b, step_spread(statistics)),
                            format_duration(c, statistics->p95_ns, ascii), d);
    return arena_format(arena, "p50 %s   p90 %s   p99 %s   max %s", a,
                        format_duration(b, statistics->p90_ns, ascii),
                        format_duration(c, statistics->p99_ns, ascii), d);
}

struct step_statistics step_statistics_of(const int64_t *duration_ns, const bool *members,
                                          uint32_t count, struct arena *arena)
{
    struct step_statistics statistics = {.worst = ROW_NONE, .median = ROW_NONE};
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
    sort_values(sorted, known);
    statistics.count = known;
    statistics.median_ns = sorted_median(sorted, known);
    for (uint32_t i = 0; i < count; i++)
        if ((!members || members[i]) && duration_ns[i] == sorted[known / 2])
            statistics.median = i;
    statistics.p90_ns = percentile(sorted, known, 90);
    statistics.p95_ns = percentile(sorted, known, 95);
    statistics.p99_ns = percentile(sorted, known, 99);
    statistics.min_ns = sorted[0];
    statistics.max_ns = sorted[known - 1];
    for (uint32_t i = 0; i < known; i++)
        sorted[i] = llabs(sorted[i] - statistics.median_ns);
    sort_values(sorted, known);
    statistics.mad_ns = sorted_median(sorted, known);
    return statistics;
}

bool step_host_differs(int64_t gpu_ns, int64_t host_ns)
{
    enum { MIN_DIFFERENCE_PART = 20 };
    return gpu_ns != UNKNOWN && host_ns != UNKNOWN && gpu_ns > 0 &&
           llabs(gpu_ns - host_ns) > gpu_ns / MIN_DIFFERENCE_PART;
}

bool step_is_outlier(const struct step_statistics *statistics, int64_t duration_ns)
{
    if (duration_ns == UNKNOWN || statistics->count == 0)
        return false;
    int64_t distance = llabs(duration_ns - statistics->median_ns);
    return (double)distance > OUTLIER_MADS * (double)statistics->mad_ns &&
           distance > statistics->median_ns / OUTLIER_PART;
}

struct step_norms step_norms_of(const struct split *split, const int64_t *duration_ns,
                                const bool *members, struct arena *arena)
{
    struct step_norms norms = {.split = split, .worst = ROW_NONE};
    uint32_t counts[STEP_KIND_COUNT];
    bool *of_kind = ARENA_ARRAY(arena, bool, (size_t)split->count + 1);
    int64_t most_ns = INT64_MIN;
    split_count_kinds(split, counts);
    for (enum step_kind kind = STEP_KIND_NONE; kind < STEP_KIND_COUNT; kind++) {
        norms.of_kind[kind].worst = norms.of_kind[kind].median = ROW_NONE;
        if (kind != STEP_KIND_NONE && !counts[kind])
            continue;
        for (uint32_t i = 0; i < split->count; i++)
            of_kind[i] = split_kind(split, i) == kind && (!members || members[i]);
        norms.of_kind[kind] = step_statistics_of(duration_ns, of_kind, split->count, arena);
        norms.count += norms.of_kind[kind].count;
    }
    for (uint32_t i = 0; i < split->count; i++) {
        if ((members && !members[i]) || duration_ns[i] == UNKNOWN)
            continue;
        const struct step_statistics *usual = step_norm(&norms, i);
        // The only one of its kind is above nothing.
        int64_t above_ns = usual->count > 1 ? duration_ns[i] - usual->median_ns : -1;
        if (above_ns >= most_ns) {
            most_ns = above_ns;
            norms.worst = i;
        }
    }
    return norms;
}
