// SPDX-License-Identifier: Apache-2.0
// Time of a GPU by the set of active kinds of work, see kind_times.h.
#include "analysis/breakdown/kind_times.h"

#include "analysis/breakdown/cover.h"
#include "analysis/breakdown/gpu_windows.h"
#include "analysis/report/memo.h"
#include "base/scratch.h"

// ---- activity lines -----------------------------------------------------------------------------

// Activity line of a GPU. Entry i: from starts[i] to starts[i + 1] the kinds in set[i] are active.
// In the last entry no kind is.
struct kind_line {
    size_t count;
    int64_t *starts;
    uint8_t *set; // a bit per enum work_class
};

struct kind_intervals { // disjoint intervals of one kind, in order
    size_t count;
    int64_t *start, *end;
    size_t next;    // first interval that has not ended yet
    bool is_inside; // interval `next` has begun
};

static void interval_add(struct kind_intervals *intervals, int64_t start, int64_t end)
{
    if (end <= start)
        return;
    if (intervals->count && start <= intervals->end[intervals->count - 1]) {
        if (end > intervals->end[intervals->count - 1])
            intervals->end[intervals->count - 1] = end;
        return;
    }
    intervals->start[intervals->count] = start;
    intervals->end[intervals->count++] = end;
}

// Returns when the current interval begins or ends next, or INT64_MAX.
static int64_t next_change_of(const struct kind_intervals *intervals)
{
    if (intervals->next == intervals->count)
        return INT64_MAX;
    return intervals->is_inside ? intervals->end[intervals->next]
                                : intervals->start[intervals->next];
}

static void pass_change(struct kind_intervals *intervals)
{
    intervals->next += intervals->is_inside;
    intervals->is_inside = !intervals->is_inside;
}

struct kind_line_build {
    struct kind_line *lines; // by device
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena;
};

// Makes the activity line of a GPU from the intervals of each kind.
static struct kind_line sweep(struct kind_intervals *intervals_of, size_t capacity,
                              struct arena *arena)
{
    struct kind_line line = {0, ARENA_ARRAY(arena, int64_t, capacity),
                             ARENA_ARRAY(arena, uint8_t, capacity)};
    unsigned set = 0;
    for (;;) {
        int64_t change = INT64_MAX;
        for (int kind = 0; kind < CLASS_COUNT; kind++)
            change = next_change_of(&intervals_of[kind]) < change
                         ? next_change_of(&intervals_of[kind])
                         : change;
        if (change == INT64_MAX)
            return line;
        for (int kind = 0; kind < CLASS_COUNT; kind++) {
            if (next_change_of(&intervals_of[kind]) != change)
                continue;
            pass_change(&intervals_of[kind]);
            set ^= 1u << kind;
        }
        line.starts[line.count] = change;
        line.set[line.count++] = (uint8_t)set;
    }
}

static void build_line(const struct kind_line_build *build, uint32_t d, struct arena *scratch)
{
    const struct profile *profile = build->profile;
    const struct gpu_work *work = &profile->work;
    const struct device *device = &profile->devices[d];
    size_t counts[CLASS_COUNT] = {0}, capacity = 1;
    struct kind_intervals intervals_of[CLASS_COUNT];
    for (uint32_t w = device->first_work; w < device->end_work; w++)
        counts[profile->functions[AT(work->function, w)].class]++;
    for (int kind = 0; kind < CLASS_COUNT; kind++)
        intervals_of[kind] =
            (struct kind_intervals){.start = ARENA_ARRAY(scratch, int64_t, counts[kind] + 1),
                                    .end = ARENA_ARRAY(scratch, int64_t, counts[kind] + 1)};
    for (uint32_t w = device->first_work; w < device->end_work; w++)
        if (work_in_scope(profile, build->selection, w))
            interval_add(&intervals_of[profile->functions[AT(work->function, w)].class],
                         AT(work->start, w), AT(work->end, w));
    for (int kind = 0; kind < CLASS_COUNT; kind++)
        capacity += 2 * intervals_of[kind].count;
    build->lines[d] = sweep(intervals_of, capacity, build->arena);
}

static void build_lines(void *context, struct arena *scratch)
{
    struct kind_line_build *build = context;
    for (uint32_t d = 0; d < build->profile->device_count; d++)
        build_line(build, d, scratch);
}

static void *make_lines(const struct profile *profile, const struct selection *selection,
                        struct arena *arena)
{
    struct kind_line_build build = {
        ARENA_ARRAY(arena, struct kind_line, (size_t)profile->device_count + 1), profile, selection,
        arena};
    scratch_run(arena, build_lines, &build);
    return build.lines;
}

// ---- sums --------------------------------------------------------------------------------------

struct kind_summing {
    const struct kind_line *line;
    struct kind_times *times;
};

// Adds the time of each set of kinds within a window.
static void add_window(void *context, uint32_t iteration, struct window window)
{
    const struct kind_summing *summing = context;
    const struct kind_line *line = summing->line;
    struct kind_times *times = summing->times;
    size_t low = 0, high = line->count;
    (void)iteration;
    while (low < high) { // finds the first entry that begins after the window's start
        size_t middle = low + (high - low) / 2;
        if (line->starts[middle] <= window.from)
            low = middle + 1;
        else
            high = middle;
    }
    int64_t from = window.from;
    unsigned set = low ? line->set[low - 1] : 0;
    for (; low < line->count && line->starts[low] < window.to; low++) {
        times->ns[set] += line->starts[low] - from;
        from = line->starts[low];
        set = line->set[low];
    }
    times->ns[set] += window.to - from;
    times->window_ns += window.to - window.from;
}

struct kind_times *kind_times_devices(const struct profile *profile,
                                      const struct selection *selection, struct arena *arena)
{
    static const struct memo_kind kind = {.fields = MEMO_PROCESS, .make = make_lines};
    const struct kind_line *lines = memo_require(&kind, profile, selection, arena);
    struct kind_times *times =
        ARENA_ARRAY(arena, struct kind_times, (size_t)profile->device_count + 1);
    for (uint32_t d = 0; d < profile->device_count; d++)
        if (gpu_counts(profile, selection, d))
            gpu_windows(profile, selection, d, add_window,
                        &(struct kind_summing){&lines[d], &times[d]});
    return times;
}

int64_t kind_times_sum(const struct kind_times *times, unsigned kinds, unsigned concurrent)
{
    int64_t sum = 0;
    for (unsigned set = 1; set < KIND_SETS; set++)
        if (set & kinds && (set & concurrent) == concurrent)
            sum += times->ns[set];
    return sum;
}
