// SPDX-License-Identifier: Apache-2.0
// Time of a GPU by the set of active kinds of work, see kind_times.h.
#include "analysis/breakdown/kind_times.h"

#include "analysis/breakdown/cover.h"
#include "analysis/breakdown/gpu_windows.h"
#include "analysis/report/memo.h"
#include "base/scratch.h"

// ---- activity lines -----------------------------------------------------------------------------

struct kind_line { // activity line of a GPU: stretches, each reaches to the next, the last is empty
    size_t count;
    int64_t *at;
    uint8_t *set;
};

struct kind_intervals { // disjoint intervals of one kind, in order
    size_t count;
    int64_t *start, *end;
    size_t next;    // first interval that has not ended yet
    bool is_inside; // interval `next` has begun
};

static void pile_add(struct kind_intervals *intervals, int64_t start, int64_t end)
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
static int64_t pile_turn(const struct kind_intervals *intervals)
{
    if (intervals->next == intervals->count)
        return INT64_MAX;
    return intervals->is_inside ? intervals->end[intervals->next]
                                : intervals->start[intervals->next];
}

static void pile_pass(struct kind_intervals *intervals)
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

static struct kind_line line_of(struct kind_intervals *intervals_of, size_t room,
                                struct arena *arena)
{
    struct kind_line line = {0, ARENA_ARRAY(arena, int64_t, room),
                             ARENA_ARRAY(arena, uint8_t, room)};
    unsigned set = 0;
    for (;;) {
        int64_t turn = INT64_MAX;
        for (int kind = 0; kind < CLASS_COUNT; kind++)
            turn = pile_turn(&intervals_of[kind]) < turn ? pile_turn(&intervals_of[kind]) : turn;
        if (turn == INT64_MAX)
            return line;
        for (int kind = 0; kind < CLASS_COUNT; kind++) {
            if (pile_turn(&intervals_of[kind]) != turn)
                continue;
            pile_pass(&intervals_of[kind]);
            set ^= 1u << kind;
        }
        line.at[line.count] = turn;
        line.set[line.count++] = (uint8_t)set;
    }
}

static void make_line(const struct kind_line_build *build, uint32_t d, struct arena *scratch)
{
    const struct profile *profile = build->profile;
    const struct gpu_work *work = &profile->work;
    const struct device *device = &profile->devices[d];
    size_t counts[CLASS_COUNT] = {0}, room = 1;
    struct kind_intervals intervals_of[CLASS_COUNT];
    for (uint32_t w = device->first_work; w < device->end_work; w++)
        counts[profile->functions[AT(work->function, w)].class]++;
    for (int kind = 0; kind < CLASS_COUNT; kind++)
        intervals_of[kind] =
            (struct kind_intervals){.start = ARENA_ARRAY(scratch, int64_t, counts[kind] + 1),
                                    .end = ARENA_ARRAY(scratch, int64_t, counts[kind] + 1)};
    for (uint32_t w = device->first_work; w < device->end_work; w++)
        if (work_in_scope(profile, build->selection, w))
            pile_add(&intervals_of[profile->functions[AT(work->function, w)].class],
                     AT(work->start, w), AT(work->end, w));
    for (int kind = 0; kind < CLASS_COUNT; kind++)
        room += 2 * intervals_of[kind].count;
    build->lines[d] = line_of(intervals_of, room, build->arena);
}

static void make_body(void *context, struct arena *scratch)
{
    struct kind_line_build *build = context;
    for (uint32_t d = 0; d < build->profile->device_count; d++)
        make_line(build, d, scratch);
}

static void *make_lines(const struct profile *profile, const struct selection *selection,
                        struct arena *arena)
{
    struct kind_line_build build = {
        ARENA_ARRAY(arena, struct kind_line, (size_t)profile->device_count + 1), profile, selection,
        arena};
    scratch_run(arena, make_body, &build);
    return build.lines;
}

// ---- sums --------------------------------------------------------------------------------------

struct kind_summing {
    const struct kind_line *line;
    struct kind_times *times;
};

static void add_window(void *context, uint32_t iteration, struct window window)
{
    const struct kind_summing *summing = context;
    const struct kind_line *line = summing->line;
    struct kind_times *times = summing->times;
    size_t low = 0, high = line->count;
    (void)iteration;
    while (low < high) { // finds the first stretch that begins after the window's start
        size_t middle = low + (high - low) / 2;
        if (line->at[middle] <= window.from)
            low = middle + 1;
        else
            high = middle;
    }
    int64_t from = window.from;
    unsigned set = low ? line->set[low - 1] : 0;
    for (; low < line->count && line->at[low] < window.to; low++) {
        times->ns[set] += line->at[low] - from;
        from = line->at[low];
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

int64_t kind_times_sum(const struct kind_times *times, unsigned kinds, unsigned with)
{
    int64_t sum = 0;
    for (unsigned set = 1; set < KIND_SETS; set++)
        if (set & kinds && (set & with) == with)
            sum += times->ns[set];
    return sum;
}
