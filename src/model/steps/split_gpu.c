// SPDX-License-Identifier: Apache-2.0
// Computes the windows of a split on the GPUs' clocks.
//
// A window begins with its first work, or with the wait for it: from the end of the work before or
// from where the step begins on the host, whichever is later. So the windows of steps that follow
// each other abut, and each has its own wait. The last window ends with its last work or where the
// step ends on the host, whichever is later. The host's times count only where the clocks agree.
#include "base/scratch.h"
#include "base/sort.h"
#include "base/sums.h"
#include "model/profile/launch_index.h"
#include "model/steps/split_build.h"

enum {
    // A window ends with its own work if the work between it and the next one is more than twice
    // the usual plus 1/BETWEEN_PART of the window's length.
    BETWEEN_PART = 20,
    // Clocks agree if they are as close as the launch of a kernel, or as 1/CLOCK_PART of the step.
    LAUNCH_NS = 30000,
    CLOCK_PART = 20,
};

// The work outside all windows that runs between a window and the next one.
struct between_work {
    int64_t start, ns; // `ns`: its exclusive time
};

struct gpu_job { // the windows of all devices
    const struct profile *profile;
    struct split *split;
    bool has_own_ends;
};

struct gpu_windows { // of one device; arrays by window
    const struct profile *profile;
    const struct split *split;
    const struct device *device;
    struct device_clock clock;
    int64_t *first, *last; // extent of the work; UNKNOWN without
    int64_t *before;       // end of other work that begins before `first`; INT64_MIN: none
    uint32_t *process;     // that launched the first work
    struct between_work *between;
    int64_t usual_between_ns;
};

// Copies on streams without kernels run as early as the host launches them, so the first work is
// that of a compute stream if there is any.
static void find_extents(struct gpu_windows *windows, struct arena *scratch)
{
    const struct profile *profile = windows->profile;
    const struct gpu_work *work = &profile->work;
    bool *is_main = ARENA_ARRAY(scratch, bool, (size_t)windows->split->count + 1);
    for (uint32_t w = windows->device->first_work; w < windows->device->end_work; w++) {
        uint32_t i = windows->split->of_work[w];
        if (i == ROW_NONE)
            continue;
        int64_t start = AT(work->start, w), end = AT(work->end, w);
        bool is_of_main = profile->streams[AT(work->stream, w)].role == ROLE_COMPUTE;
        if (windows->first[i] == UNKNOWN || is_of_main > is_main[i] ||
            (is_of_main == is_main[i] && start < windows->first[i])) {
            windows->first[i] = start;
            windows->process[i] = work_process(profile, w);
        }
        is_main[i] |= is_of_main;
        if (windows->last[i] == UNKNOWN || end > windows->last[i])
            windows->last[i] = end;
    }
}

struct latest_ends { // the latest end of a window's work, and the latest of all other work
    uint32_t window;
    int64_t end, other_end;
};

static void latest_add(struct latest_ends *latest, uint32_t window, int64_t end)
{
    if (window == latest->window) {
        latest->end = end > latest->end ? end : latest->end;
    } else if (end > latest->end) {
        *latest = (struct latest_ends){window, end, latest->end};
    } else {
        latest->other_end = end > latest->other_end ? end : latest->other_end;
    }
}

static void find_before(struct gpu_windows *windows, struct arena *scratch)
{
    const struct gpu_work *work = &windows->profile->work;
    bool *is_found = ARENA_ARRAY(scratch, bool, (size_t)windows->split->count + 1);
    struct latest_ends latest = {ROW_NONE, INT64_MIN, INT64_MIN};
    for (uint32_t w = windows->device->first_work; w < windows->device->end_work; w++) {
        uint32_t i = windows->split->of_work[w];
        if (i != ROW_NONE && !is_found[i] && AT(work->start, w) == windows->first[i]) {
            windows->before[i] = latest.window == i ? latest.other_end : latest.end;
            is_found[i] = true;
        }
        latest_add(&latest, i, AT(work->end, w));
    }
}

// Finds the work between the windows, and the median of its exclusive time, which is large if the
// windows are only a part of each step, such as `forward`.
static void find_between(struct gpu_windows *windows, struct arena *scratch)
{
    const struct gpu_work *work = &windows->profile->work;
    struct between_work *between = windows->between;
    uint32_t count = windows->split->count, last = ROW_NONE;
    int64_t *sorted = ARENA_ARRAY(scratch, int64_t, count);
    for (uint32_t i = 0; i < count; i++)
        between[i] = (struct between_work){UNKNOWN, 0};
    for (uint32_t w = windows->device->first_work; w < windows->device->end_work; w++) {
        if (windows->split->of_work[w] != ROW_NONE) {
            last = windows->split->of_work[w];
            between[last] = (struct between_work){UNKNOWN, 0};
        } else if (last != ROW_NONE) {
            if (between[last].start == UNKNOWN)
                between[last].start = AT(work->start, w);
            between[last].ns += HAS(work->exclusive) ? AT(work->exclusive, w) : 0;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = between[i].ns;
    sort_values(sorted, count);
    windows->usual_between_ns = sorted[count / 2];
}

struct window_span { // of a window, on the GPU's clock; UNKNOWN: not known
    int64_t start, stop;
};

// Of a key op's windows the first has no beginning and the last has no end.
static struct window_span host_span_of(const struct gpu_windows *windows, uint32_t i)
{
    const struct split *split = windows->split;
    const struct window_span unknown = {UNKNOWN, UNKNOWN};
    size_t own = (size_t)windows->process[i] * split->count + i;
    int64_t start = split->process_start ? split->process_start[own] : split->start[i];
    int64_t stop = split->process_stop ? split->process_stop[own] : split->stop[i];
    if (split->method == SPLIT_NONE || start == UNKNOWN || stop <= start || stop == INT64_MAX)
        return unknown;
    int64_t length = add_saturating(stop, -start), skew = windows->clock.skew_ns;
    int64_t close = length / CLOCK_PART > LAUNCH_NS ? length / CLOCK_PART : LAUNCH_NS;
    if (windows->clock.quickest_ns > close)
        return unknown;
    bool is_by_key = split->method == SPLIT_KEY;
    return (struct window_span){
        .start = is_by_key && i == 0 ? UNKNOWN : add_saturating(start, -skew),
        .stop = is_by_key && i + 1 == split->count ? UNKNOWN : add_saturating(stop, -skew),
    };
}

static int64_t start_of(const struct gpu_windows *windows, uint32_t i)
{
    int64_t wait = host_span_of(windows, i).start;
    if (wait == UNKNOWN)
        return windows->first[i];
    wait = windows->before[i] > wait ? windows->before[i] : wait;
    bool is_wait =
        wait < windows->first[i] && !profile_has_pause(windows->profile, wait, windows->first[i]);
    return is_wait ? wait : windows->first[i];
}

// Returns the end of a window that does not last until `next`, the start of the next one with work
// or INT64_MAX: the end of its work or of the step on the host, but not later than other work
// begins.
static int64_t own_end(const struct gpu_windows *windows, uint32_t i, int64_t next)
{
    int64_t end = windows->last[i] < next ? windows->last[i] : next;
    int64_t other = windows->between[i].start, until = host_span_of(windows, i).stop;
    bool has_other = other != UNKNOWN && other > end && other < next;
    if (until == UNKNOWN)
        until = has_other && next != INT64_MAX ? other : end;
    if (has_other && until > other)
        until = other;
    until = until < next ? until : next;
    return until > end ? until : end;
}

// Returns whether a window lasts until the next one begins. It does not if other work follows it.
static bool lasts_until_next(const struct gpu_windows *windows, const int64_t *start, uint32_t i)
{
    if (i + 1 == windows->split->count || start[i + 1] == UNKNOWN)
        return false;
    int64_t length = windows->last[i] - start[i], between_ns = windows->between[i].ns;
    return between_ns <= 2 * windows->usual_between_ns + length / BETWEEN_PART &&
           !profile_has_pause(windows->profile, start[i], start[i + 1]);
}

static void fill_device(void *context, size_t row, struct arena *scratch)
{
    const struct gpu_job *job = context;
    const struct split *split = job->split;
    size_t count = split->count;
    struct gpu_windows windows = {
        .profile = job->profile,
        .split = split,
        .device = &job->profile->devices[row],
        .clock = device_clock_of(job->profile, &job->profile->devices[row], scratch),
        .first = ARENA_ARRAY(scratch, int64_t, count),
        .last = ARENA_ARRAY(scratch, int64_t, count),
        .before = ARENA_ARRAY(scratch, int64_t, count),
        .process = ARENA_ARRAY(scratch, uint32_t, count),
        .between = ARENA_ARRAY(scratch, struct between_work, count),
    };
    for (uint32_t i = 0; i < count; i++)
        windows.first[i] = windows.last[i] = UNKNOWN;
    find_extents(&windows, scratch);
    find_before(&windows, scratch);
    find_between(&windows, scratch);
    int64_t *start = split->gpu_start + row * count, *stop = split->gpu_stop + row * count;
    for (uint32_t i = 0; i < count; i++) {
        bool is_own = job->has_own_ends || windows.first[i] == UNKNOWN;
        start[i] = is_own ? windows.first[i] : start_of(&windows, i);
    }
    int64_t next = INT64_MAX; // start of the next window with work
    for (size_t i = count; i-- > 0;) {
        stop[i] = windows.last[i];
        if (job->has_own_ends || start[i] == UNKNOWN)
            continue;
        if (next > start[i])
            stop[i] = lasts_until_next(&windows, start, (uint32_t)i)
                          ? next
                          : own_end(&windows, (uint32_t)i, next);
        next = start[i];
    }
}

void split_fill_outside(const struct profile *profile, struct split *split)
{
    const struct gpu_work *work = &profile->work;
    split->outside_count = 0;
    split->outside_ns = split->inside_ns = 0;
    for (uint32_t i = 0; i < work->count; i++) {
        bool is_outside = split->of_work[i] == ROW_NONE;
        split->outside_count += is_outside;
        *(is_outside ? &split->outside_ns : &split->inside_ns) +=
            HAS(work->exclusive) ? AT(work->exclusive, i) : 0;
    }
}

void split_fill_gpu(const struct profile *profile, struct split *split, bool has_own_ends,
                    struct arena *arena)
{
    size_t cells = (size_t)profile->device_count * split->count;
    struct gpu_job job = {profile, split, has_own_ends};
    split->gpu_start = ARENA_ARRAY(arena, int64_t, cells);
    split->gpu_stop = ARENA_ARRAY(arena, int64_t, cells);
    scratch_jobs(arena, profile->workers, profile->device_count, fill_device, &job);
}

void split_settle(const struct profile *profile, struct split *split, bool has_own_ends,
                  struct arena *arena)
{
    split_fill_unlaunched(profile, split, arena);
    split_find_cut(profile, split, arena);
    split_fill_gpu(profile, split, has_own_ends, arena);
    split_fill_outside(profile, split);
}
