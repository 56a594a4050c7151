// SPDX-License-Identifier: Apache-2.0
// Builds the line of a GPU, see step_line.h: a sweep over its work finds, for each interval, the
// piece of work that counts (by `priority`), and cuts the intervals at the windows. Then every
// detector scans the line once; only the results of the scans remain.
#include "analysis/detect/step_line.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "analysis/breakdown/breakdown_scheme.h"
#include "analysis/detect/finding.h"
#include "analysis/detect/scan.h"
#include "analysis/op_runs/run_limits.h"
#include "analysis/report/memo.h"
#include "analysis/report/partial_sums.h"
#include "base/scratch.h"

// Which class of work an interval belongs to if several run. The order is that of work.exclusive,
// except for opaque graphs: they may compute all the time, so they hide communication and copies.
static const enum work_class priority[CLASS_COUNT] = {CLASS_COMPUTE, CLASS_GRAPH, CLASS_COMM,
                                                      CLASS_COPY};

struct step_line_build { // the sweep is that of model/derive/derive_exclusive.c
    struct step_line *line;
    struct arena *arena; // owns the result
    uint32_t *rows[CLASS_COUNT];
    size_t count[CLASS_COUNT], next[CLASS_COUNT];
    size_t capacity; // of the intervals
    uint32_t window; // earlier windows end before the current interval
    size_t part;     // earlier idle parts end before it, too
};

static uint8_t class_of(const struct profile *profile, uint32_t work)
{
    return work == ROW_NONE ? CLASS_COUNT
                            : (uint8_t)profile->functions[AT(profile->work.function, work)].class;
}

// ---- windows --------------------------------------------------------------------------------

// Makes the windows of all steps, disjoint: an overlap counts for the earlier step.
static void make_windows(struct step_line_build *build)
{
    struct step_line *line = build->line;
    const struct split *split = line->selection->split;
    line->windows = ARENA_ARRAY(build->arena, struct line_window, (size_t)split->count + 1);
    if (!line->has_steps) {
        struct window all =
            breakdown_gpu_rules.window(line->profile, line->selection, line->device, ROW_NONE);
        if (all.to > all.from)
            line->windows[line->window_count++] =
                (struct line_window){.from = all.from, .to = all.to, .iteration = ROW_NONE};
        return;
    }
    line->of_iteration = ARENA_ARRAY(build->arena, uint32_t, (size_t)split->count + 1);
    int64_t covered_to = INT64_MIN;
    for (uint32_t i = 0; i < split->count; i++) {
        struct window window =
            breakdown_gpu_rules.window(line->profile, line->selection, line->device, i);
        window.from = window.from > covered_to ? window.from : covered_to;
        line->of_iteration[i] = ROW_NONE;
        if (window.to <= window.from)
            continue;
        covered_to = window.to;
        line->of_iteration[i] = line->window_count;
        line->windows[line->window_count++] =
            (struct line_window){.from = window.from, .to = window.to, .iteration = i};
    }
}

uint32_t line_window_of(const struct step_line *line, uint32_t work)
{
    if (!work_in_scope(line->profile, line->selection, work))
        return ROW_NONE;
    if (!line->has_steps)
        return line->window_count ? 0 : ROW_NONE;
    uint32_t iteration = line->selection->split->of_work[work];
    return iteration < line->selection->split->count ? line->of_iteration[iteration] : ROW_NONE;
}

uint32_t line_window_at(const struct step_line *line, int64_t time)
{
    uint32_t low = 0, high = line->window_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (line->windows[middle].to <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low < line->window_count && line->windows[low].from <= time ? low : ROW_NONE;
}

// ---- intervals ------------------------------------------------------------------------------

// Finds the idle parts of an interval; parts before `at` end before it.
static size_t find_parts(const struct step_line *line, struct line_interval *interval, size_t at)
{
    const struct idle *idle = line->idle;
    while (at < idle->count && idle_part_to(idle, at) <= interval->from)
        at++;
    interval->first_part = interval->end_part = (uint32_t)at;
    while (interval->end_part < idle->count &&
           idle_part_from(idle, interval->end_part) < interval->to)
        interval->end_part++;
    return at;
}

static void add_to_window(struct step_line *line, const struct line_interval *interval)
{
    struct line_window *window = &line->windows[interval->window];
    window->compute_ns += interval->class == CLASS_COMPUTE ? interval->to - interval->from : 0;
    window->opaque_ns += interval->class == CLASS_GRAPH ? interval->to - interval->from : 0;
    window->idle_ns += interval->class == CLASS_COUNT ? interval->to - interval->from : 0;
    for (size_t i = interval->first_part; i < interval->end_part; i++) {
        int64_t from, to;
        if (idle_part_cause(line->idle, i) == IDLE_PROFILER &&
            interval_part(line, interval, i, &from, &to))
            window->overhead_ns += to - from;
    }
}

// Cuts an interval at the windows and adds the pieces inside them.
static void interval_add(struct step_line_build *build, int64_t from, int64_t to, uint32_t work,
                         uint32_t next)
{
    struct step_line *line = build->line;
    const struct line_interval whole = {
        .work = work, .next = next, .class = class_of(line->profile, work)};
    while (build->window < line->window_count && line->windows[build->window].to <= from)
        build->window++;
    for (uint32_t w = build->window; w < line->window_count && line->windows[w].from < to; w++) {
        struct line_interval piece = whole;
        piece.from = from > line->windows[w].from ? from : line->windows[w].from;
        piece.to = to < line->windows[w].to ? to : line->windows[w].to;
        piece.window = w;
        if (piece.to <= piece.from)
            continue;
        if (work == ROW_NONE)
            build->part = find_parts(line, &piece, build->part);
        add_to_window(line, &piece);
        ARENA_PUSH(line->scratch, line->intervals, line->count, build->capacity) = piece;
    }
}

// Adds the interval that begins at *now, and moves *now to its end. Returns false at the end. Idle
// time before the first work and after the last counts where it is inside a window.
static bool sweep_step(struct step_line_build *build, int64_t *now)
{
    const struct gpu_work *work = &build->line->profile->work;
    int64_t next_change = INT64_MAX;
    uint32_t next = ROW_NONE;
    for (int p = 0; p < CLASS_COUNT; p++) {
        enum work_class class = priority[p];
        const uint32_t *rows = build->rows[class];
        while (build->next[class] < build->count[class] &&
               AT(work->end, rows[build->next[class]]) <= *now)
            build->next[class]++;
        if (build->next[class] == build->count[class])
            continue;
        uint32_t row = rows[build->next[class]];
        if (AT(work->start, row) > *now) {
            if (AT(work->start, row) < next_change) {
                next_change = AT(work->start, row);
                next = row;
            }
            continue;
        }
        next_change = AT(work->end, row) < next_change ? AT(work->end, row) : next_change;
        interval_add(build, *now, next_change, row, ROW_NONE);
        *now = next_change;
        return true;
    }
    if (next == ROW_NONE) {
        interval_add(build, *now, INT64_MAX, ROW_NONE, ROW_NONE);
        return false;
    }
    interval_add(build, *now, next_change, ROW_NONE, next);
    *now = next_change;
    return true;
}

static void make_intervals(struct step_line_build *build)
{
    struct step_line *line = build->line;
    const struct profile *profile = line->profile;
    const struct device *device = &profile->devices[line->device];
    size_t capacity = (size_t)(device->end_work - device->first_work) + 1;
    uint32_t *rows = ARENA_ARRAY(line->scratch, uint32_t, capacity);
    line->launches = ARENA_ARRAY(line->scratch, bool, (size_t)profile->thread_count + 1);
    for (int class = 0; class < CLASS_COUNT; class ++) {
        build->rows[class] = rows;
        for (uint32_t w = device->first_work; w < device->end_work; w++) {
            if (profile->functions[AT(profile->work.function, w)].class != (enum work_class) class
                || !work_in_scope(profile, line->selection, w))
                continue;
            rows[build->count[class]++] = w;
            if (AT(profile->work.launch, w) != ROW_NONE)
                line->launches[AT(profile->api.thread, AT(profile->work.launch, w))] = true;
        }
        rows += build->count[class];
    }
    int64_t now = INT64_MIN;
    while (sweep_step(build, &now))
        continue;
    ARENA_RELEASE(line->scratch, build->rows[0], capacity);
}

const int64_t *line_late_launches(struct step_line *line)
{
    const struct profile *profile = line->profile;
    int64_t next = INT64_MIN;
    if (line->late_launches)
        return line->late_launches;
    line->late_launches = ARENA_ARRAY(line->scratch, int64_t, line->count + 1);
    for (size_t s = line->count; s-- > 0;) {
        line->late_launches[s] = next;
        uint32_t work = line->intervals[s].work;
        if (work == ROW_NONE || line->intervals[s].class != CLASS_COMPUTE)
            continue;
        uint32_t launch = AT(profile->work.launch, work);
        int64_t skew = line->idle->skew_ns;
        int64_t launched = launch == ROW_NONE ? INT64_MIN : AT(profile->api.start, launch) - skew;
        bool is_late =
            launch != ROW_NONE && AT(profile->work.start, work) - launched <= EMPTY_QUEUE_NS;
        next = is_late ? launched : INT64_MIN;
    }
    return line->late_launches;
}

// ---- result ------------------------------------------------------------------------------------

static void request_exposed(struct step_line *line, struct arena *arena)
{
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        if (interval->class == CLASS_COMM || interval->class == CLASS_COPY)
            requests_add(&line->alone, line->scratch, interval->from, interval->to,
                         interval->class == CLASS_COMM ? ALONE_COMM : ALONE_COPY, interval->window);
    }
    requests_end(&line->alone, line->scratch, arena, line->window_count);
    line->alone.classes = 1u << CLASS_COMM | 1u << CLASS_COPY;
}

static _Atomic(const struct detector_list *) used_detectors;

void step_line_use(const struct detector_list *list)
{
    atomic_store(&used_detectors, list);
}

static void build_line(void *context, struct arena *scratch)
{
    struct step_line_build *build = context;
    struct step_line *line = build->line;
    line->scratch = scratch;
    line->limits = run_limits_find(line->profile, line->selection, build->arena);
    line->has_untraced_work = host_has_untraced_graphs(line->profile, scratch);
    make_windows(build);
    make_intervals(build);
    request_exposed(line, build->arena);
    const struct detector_list *list = atomic_load(&used_detectors);
    if (!list)
        abort(); // step_line_use() comes first
    const struct detector *const *detectors = list->items;
    struct scan *scans = ARENA_ARRAY(build->arena, struct scan, list->count);
    for (size_t i = 0; i < list->count; i++) {
        size_t first = 0; // detectors may share one scan
        while (detectors[first]->scan != detectors[i]->scan)
            first++;
        if (first < i) {
            scans[i] = scans[first];
            continue;
        }
        scans[i] = (struct scan){.line = line, .arena = build->arena};
        if (detectors[i]->scan)
            detectors[i]->scan(&scans[i]);
        scan_end(&scans[i]);
    }
    line->scans = scans;
    line->scratch = NULL;
    line->intervals = NULL;
    line->count = 0;
    line->launches = NULL;
    line->slack_host = NULL;
    line->collectives = NULL;
    line->delays = NULL;
    line->late_launches = NULL;
    line->spare = NULL;
}

static void *make_line(const struct profile *profile, const struct selection *selection,
                       struct arena *arena)
{
    struct step_line *line = ARENA_NEW(arena, struct step_line);
    struct selection *line_selection = ARENA_NEW(arena, struct selection);
    *line_selection = *selection;
    *line = (struct step_line){
        .profile = profile,
        .selection = line_selection,
        .device = selection->device,
        .has_steps = selection->split->method != SPLIT_NONE,
        .idle = &idle_of(profile, selection, arena)[selection->device],
    };
    line_selection->device = ROW_NONE;
    struct step_line_build build = {.line = line, .arena = arena};
    scratch_run(arena, build_line, &build);
    return line;
}

static const struct memo_kind line_memo = {
    .fields = MEMO_PROCESS | MEMO_DEVICE | MEMO_FOLDED | MEMO_ADOPTION, .make = make_line};

const struct step_line *step_line_of(const struct profile *profile,
                                     const struct selection *selection, uint32_t device,
                                     struct arena *arena)
{
    struct selection line_selection = *selection;
    line_selection.device = device;
    const struct step_line *line = memo_require(&line_memo, profile, &line_selection, arena);
    // For another set of steps the critical GPU may be a different one, so prefetch all.
    for (uint32_t d = 0; selection->device == ROW_NONE && d < profile->device_count; d++) {
        line_selection.device = d;
        if (profile->devices[d].has_work)
            memo_prefetch(&line_memo, profile, &line_selection);
    }
    return line;
}

static void *make_loads(const struct profile *profile, const struct selection *selection,
                        struct arena *arena)
{
    const struct split *split = selection->split;
    size_t steps_per_device = (size_t)split->count + 1;
    struct device_load *loads =
        ARENA_ARRAY(arena, struct device_load, steps_per_device * profile->device_count + 1);
    for (uint32_t w = 0; w < profile->work.count; w++) {
        if (!work_in_scope(profile, selection, w))
            continue;
        uint32_t line = partial_sums_step_of(split, split->of_work ? split->of_work[w] : ROW_NONE);
        struct device_load *load = &loads[work_device(profile, w) * steps_per_device + line];
        bool is_comm = profile->functions[AT(profile->work.function, w)].class == CLASS_COMM;
        load->comm_ns += is_comm ? AT(profile->work.exclusive, w) : 0;
        load->busy_ns += is_comm ? 0 : AT(profile->work.exclusive, w);
    }
    return loads;
}

static const struct memo_kind loads_memo = {.fields = MEMO_PROCESS, .make = make_loads};

const struct device_load *device_loads_of(const struct profile *profile,
                                          const struct selection *selection, struct arena *arena)
{
    return memo_require(&loads_memo, profile, selection, arena);
}
