// SPDX-License-Identifier: Apache-2.0
#include "analysis/idle/idle_gap.h"

#include <string.h>

#include "base/search.h"

enum {
    LATENCY_NS = 20000,  // of a launch
    OS_WAIT_NS = 100000, // a shorter OS call did not wait
};

void idle_overlay_add(struct idle_overlay *overlay, int64_t start, int64_t end, uint32_t row)
{
    if (overlay->count && start < overlay->end[overlay->count - 1])
        start = overlay->end[overlay->count - 1];
    if (end <= start)
        return;
    overlay->start[overlay->count] = start;
    overlay->end[overlay->count] = end;
    overlay->row[overlay->count++] = row;
}

struct idle_overlay idle_overlay_new(size_t capacity, struct arena *arena)
{
    return (struct idle_overlay){.start = ARENA_ARRAY(arena, int64_t, capacity + 1),
                                 .end = ARENA_ARRAY(arena, int64_t, capacity + 1),
                                 .row = ARENA_ARRAY(arena, uint32_t, capacity + 1)};
}

// ---- parts ----------------------------------------------------------------------------------

struct gap_cause { // of an interval, with its evidence
    enum idle_cause cause;
    enum evidence_kind kind;
    uint32_t row;
    bool is_inferred;
};

void idle_gap_end(struct idle_sweep *sweep)
{
    const struct idle_part *part = &sweep->last;
    if (!sweep->has_last)
        return;
    column64_put(sweep->from, part->from);
    column64_put(sweep->ns, (int64_t)((uint64_t)part->to - (uint64_t)part->from));
    column32_put(sweep->next_work, part->next_work);
    column32_put(sweep->row, part->row);
    column32_put(sweep->flags, (unsigned)part->cause + (unsigned)part->kind * IDLE_FLAG_KIND +
                                   (part->is_inferred ? IDLE_FLAG_INFERRED : 0u));
    sweep->idle->count++;
    sweep->has_last = false;
}

static void part_push(struct idle_sweep *sweep, int64_t from, int64_t to, struct gap_cause cause)
{
    struct idle_part *last = &sweep->last;
    if (to <= from)
        return;
    if (sweep->has_last && last->to == from && last->cause == cause.cause &&
        last->row == cause.row && last->kind == cause.kind && last->next_work == sweep->next &&
        last->is_inferred == cause.is_inferred) {
        last->to = to;
        return;
    }
    idle_gap_end(sweep);
    sweep->has_last = true;
    *last = (struct idle_part){from,
                               to,
                               sweep->next,
                               cause.row,
                               (uint8_t)cause.cause,
                               (uint8_t)cause.kind,
                               cause.is_inferred};
}

// Gives the intervals of an overlay the cause `own` and the rest the cause `rest`, through
// `follow`.
static void cut_by_overlay(struct idle_sweep *sweep, struct idle_overlay *overlay, int64_t from,
                           int64_t to, struct gap_cause own, struct gap_cause rest,
                           void (*follow)(struct idle_sweep *sweep, int64_t from, int64_t to,
                                          struct gap_cause cause))
{
    while (overlay->next < overlay->count && overlay->end[overlay->next] <= from)
        overlay->next++;
    for (size_t i = overlay->next; i < overlay->count && overlay->start[i] < to; i++) {
        int64_t start = overlay->start[i] > from ? overlay->start[i] : from;
        int64_t end = overlay->end[i] < to ? overlay->end[i] : to;
        follow(sweep, from, start, rest);
        own.row = overlay->row[i];
        follow(sweep, start, end, own);
        from = end;
    }
    follow(sweep, from, to, rest);
}

static void cut_by_profiler(struct idle_sweep *sweep, int64_t from, int64_t to,
                            struct gap_cause cause)
{
    static const struct gap_cause own = {IDLE_PROFILER, EVIDENCE_OVERHEAD, ROW_NONE, false};
    if (to <= from)
        return;
    if (cause.cause == IDLE_ELSEWHERE || sweep->profiler.count == 0)
        part_push(sweep, from, to, cause);
    else
        cut_by_overlay(sweep, &sweep->profiler, from, to, own, cause, part_push);
}

// Adds a part given on the host's clock.
static void part_add(struct idle_sweep *sweep, int64_t from, int64_t to, struct gap_cause cause)
{
    static const struct gap_cause own = {IDLE_ELSEWHERE, EVIDENCE_WORK, ROW_NONE, false};
    if (to <= from)
        return;
    from -= sweep->skew;
    to -= sweep->skew;
    if (sweep->elsewhere.count == 0)
        cut_by_profiler(sweep, from, to, cause);
    else
        cut_by_overlay(sweep, &sweep->elsewhere, from, to, own, cause, cut_by_profiler);
}

// ---- before the launch ----------------------------------------------------------------------

static const struct gap_cause cause_unknown = {IDLE_UNKNOWN, EVIDENCE_NONE, ROW_NONE, false};

static struct gap_cause cause_of(const struct idle_sweep *sweep,
                                 const struct host_interval *interval)
{
    static const enum idle_cause causes[] = {
        [HOST_PROFILER] = IDLE_PROFILER,   [HOST_COMPILE] = IDLE_COMPILE,
        [HOST_ALLOCATOR] = IDLE_ALLOCATOR, [HOST_SYNC] = IDLE_SYNC,
        [HOST_LOADER] = IDLE_DATA,         [HOST_COPY] = IDLE_COPY,
        [HOST_QUEUE_FULL] = IDLE_UNKNOWN,  [HOST_BUSY] = IDLE_HOST,
        [HOST_NOTHING] = IDLE_UNKNOWN,
    };
    struct gap_cause cause = {causes[interval->activity], (enum evidence_kind)interval->kind,
                              interval->row, false};
    if (cause.cause == IDLE_HOST) { // the evidence is the launch that comes late
        cause.kind = EVIDENCE_API;
        cause.row = sweep->call;
    }
    return cause;
}

// Before the first copy of a batch, a thread that waits in the OS is assumed to wait for data.
static void add_os_waits(struct idle_sweep *sweep, int64_t from, int64_t to, struct gap_cause cause)
{
    enum { LOOK_BACK = 8 }; // OS calls hardly nest
    const struct os_calls *osrt = &sweep->profile->osrt;
    const struct thread *thread = &sweep->profile->threads[sweep->thread];
    uint32_t first = column_from(osrt->start, thread->first_osrt, thread->end_osrt, from);
    first = first - thread->first_osrt > LOOK_BACK ? first - LOOK_BACK : thread->first_osrt;
    for (uint32_t i = first; i < thread->end_osrt && AT(osrt->start, i) < to; i++) {
        int64_t start = AT(osrt->start, i), end = AT(osrt->end, i);
        if (!sweep->finder->is_os_wait[AT(osrt->name, i)] || end - start < OS_WAIT_NS ||
            end <= from)
            continue;
        start = start > from ? start : from;
        end = end < to ? end : to;
        part_add(sweep, from, start, cause);
        part_add(sweep, start, end, (struct gap_cause){IDLE_DATA, EVIDENCE_OSRT, i, true});
        from = end;
    }
    part_add(sweep, from, to, cause);
}

// The thread shows nothing. If another thread's range adopted the call, that range's time is
// host-bound; the rest is unknown.
static void add_unobserved(struct idle_sweep *sweep, int64_t from, int64_t to)
{
    const struct profile *profile = sweep->profile;
    const struct gap_cause host = {IDLE_HOST, EVIDENCE_API, sweep->call, false};
    uint32_t adopter = api_adopter(&profile->api, sweep->call);
    int64_t start = adopter != ROW_NONE ? AT(profile->ranges.start, adopter) : INT64_MAX;
    int64_t end = adopter != ROW_NONE ? AT(profile->ranges.end, adopter) : INT64_MAX;
    start = start < from ? from : start < to ? start : to;
    end = end < start ? start : end < to ? end : to;
    part_add(sweep, from, start, cause_unknown);
    part_add(sweep, start, end, host);
    part_add(sweep, end, to, cause_unknown);
}

// If `next` is the first run of its kernel, returns the last call before the launch that loads
// code: the code was compiled or at least loaded in this gap. Else ROW_NONE.
static uint32_t find_load(const struct idle_sweep *sweep, int64_t from)
{
    const struct profile *profile = sweep->profile;
    const struct api_calls *api = &profile->api;
    const struct thread *thread = &profile->threads[sweep->thread];
    if (sweep->finder->first_run[AT(profile->work.function, sweep->next)] != sweep->next)
        return ROW_NONE;
    for (uint32_t call = sweep->call; call-- > thread->first_api && AT(api->start, call) >= from;)
        if (api_activity(profile_text(profile, AT(api->name, call))) == HOST_COMPILE)
            return call;
    return ROW_NONE;
}

static void add_activity(struct idle_sweep *sweep, int64_t from, int64_t to, struct gap_cause cause)
{
    bool is_open = cause.cause == IDLE_HOST || cause.cause == IDLE_UNKNOWN;
    if (to <= from)
        return;
    if (is_open && sweep->load != ROW_NONE && AT(sweep->profile->api.start, sweep->load) > from) {
        int64_t load = AT(sweep->profile->api.start, sweep->load);
        int64_t end = load < to ? load : to;
        part_add(sweep, from, end,
                 (struct gap_cause){IDLE_COMPILE, EVIDENCE_API, sweep->load, true});
        from = end;
    }
    if (to <= from)
        return;
    if (is_open && sweep->begins_batch && sweep->profile->osrt.count)
        add_os_waits(sweep, from, to, cause);
    else if (cause.cause == IDLE_UNKNOWN && cause.kind == EVIDENCE_NONE)
        add_unobserved(sweep, from, to);
    else
        part_add(sweep, from, to, cause);
}

// [from, to) ends no later than the launch.
static void add_host_parts(struct idle_sweep *sweep, int64_t from, int64_t to)
{
    const struct host_line *line = &sweep->finder->hosts[sweep->thread];
    const struct host_wait *wait = host_line_wait(line, from);
    int64_t wait_end = wait ? from + (wait->end - wait->start) : from;
    size_t at = host_line_at(line, sweep->finder->cursor[sweep->thread], from);
    sweep->load = find_load(sweep, from);
    if (at == SIZE_MAX) { // before everything that the thread shows
        int64_t begin = line->count ? line->intervals[0].at : to;
        begin = begin < to ? begin : to;
        add_activity(sweep, from, begin, cause_unknown);
        from = begin;
        at = 0;
    }
    for (; from < to && at < line->count; at++) {
        sweep->finder->cursor[sweep->thread] = at;
        struct host_interval interval = line->intervals[at];
        int64_t end = at + 1 < line->count ? line->intervals[at + 1].at : to;
        end = end < to ? end : to;
        if (wait && from < wait_end && wait->activity < interval.activity) {
            int64_t until = wait_end < end ? wait_end : end;
            struct host_interval waits = {from, wait->call, wait->activity, EVIDENCE_API};
            add_activity(sweep, from, until, cause_of(sweep, &waits));
            from = until;
        }
        add_activity(sweep, from, end, cause_of(sweep, &interval));
        from = end > from ? end : from;
    }
}

// ---- after the launch --------------------------------------------------------------------------

// Returns the wait for an event that the stream met between its previous work and this one, or
// ROW_NONE.
static uint32_t event_wait(const struct idle_sweep *sweep)
{
    const struct idle_finder *finder = sweep->finder;
    const struct syncs *syncs = &sweep->profile->syncs;
    uint32_t stream = AT(sweep->profile->work.stream, sweep->next);
    int64_t launch = AT(sweep->profile->api.start, sweep->call);
    uint32_t low = finder->first_wait[stream], high = finder->first_wait[stream + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (syncs->start[finder->waits[middle]] <= launch)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == finder->first_wait[stream] ||
        syncs->start[finder->waits[low - 1]] <= sweep->finder->launched[stream])
        return ROW_NONE;
    return finder->waits[low - 1];
}

// True if an earlier node of the same replay ran on this device.
static bool is_inside_replay(const struct idle_sweep *sweep)
{
    const struct gpu_work *work = &sweep->profile->work;
    const struct api_calls *api = &sweep->profile->api;
    if (!(AT(work->flags, sweep->next) & WORK_IN_GRAPH))
        return false;
    if (sweep->call == ROW_NONE) // its launch was before the capture
        return sweep->previous != ROW_NONE && AT(work->flags, sweep->previous) & WORK_IN_GRAPH &&
               HAS(work->graph) && AT(work->graph, sweep->previous) == AT(work->graph, sweep->next);
    uint32_t device = work_device(sweep->profile, sweep->next);
    uint32_t first = sweep->profile->devices[device].first_work;
    uint32_t low = AT(api->first_work, sweep->call), high = AT(api->first_work, sweep->call + 1);
    while (low < high) { // rows are in order
        uint32_t middle = low + (high - low) / 2;
        if (AT(api->work_rows, middle) < first)
            low = middle + 1;
        else
            high = middle;
    }
    return low < AT(api->first_work, sweep->call + 1) && AT(api->work_rows, low) < sweep->next;
}

static bool is_copy_call(const struct idle_sweep *sweep)
{
    const struct profile *profile = sweep->profile;
    return api_activity(profile_text(profile, AT(profile->api.name, sweep->call))) == HOST_COPY;
}

// Returns what delays a launch for `length` ns, within its call or after it.
static struct gap_cause launch_delay_cause(const struct idle_sweep *sweep, int64_t from,
                                           int64_t length, bool is_in_call)
{
    const struct profile *profile = sweep->profile;
    const struct gap_cause call = {IDLE_UNKNOWN, EVIDENCE_API, sweep->call, false};
    struct gap_cause cause = call;
    bool is_short = length <= LATENCY_NS;
    bool is_node = AT(profile->work.flags, sweep->next) & WORK_IN_GRAPH;
    // When the GPU runs dry, events of this GPU have occurred: later launches do not wait for them.
    bool was_queued = AT(profile->api.start, sweep->call) < from;
    if ((was_queued || !is_short) && event_wait(sweep) != ROW_NONE)
        return (struct gap_cause){IDLE_DEPENDENCY, EVIDENCE_WORK, sweep->previous, false};
    if (is_inside_replay(sweep))
        cause.cause = IDLE_GRAPH;
    else if (is_short)
        cause.cause = IDLE_LATENCY;
    else if (is_in_call && is_copy_call(sweep))
        cause.cause = IDLE_COPY;
    else if (is_in_call &&
             sweep->finder->first_run[AT(profile->work.function, sweep->next)] == sweep->next)
        cause = (struct gap_cause){IDLE_COMPILE, EVIDENCE_API, sweep->call, true};
    else
        cause.cause = is_node ? IDLE_GRAPH : is_in_call ? IDLE_HOST : IDLE_UNKNOWN;
    return cause;
}

// Splits the launch call itself: the profiler's work and compiling inside it have their own cause.
// Returns the length of the rest, to which it gives the cause `rest` unless that is NULL.
static int64_t split_call(struct idle_sweep *sweep, int64_t from, int64_t to,
                          const struct gap_cause *rest)
{
    const struct host_line *line = &sweep->finder->hosts[sweep->thread];
    size_t at = host_line_at(line, sweep->finder->cursor[sweep->thread], from);
    int64_t left = 0;
    for (at = at == SIZE_MAX ? line->count : at; from < to && at < line->count; at++) {
        const struct host_interval *interval = &line->intervals[at];
        int64_t end = at + 1 < line->count ? line->intervals[at + 1].at : to;
        end = end < to ? end : to;
        bool is_own = interval->kind == EVIDENCE_OVERHEAD;
        left += is_own ? 0 : end - from;
        if (rest)
            part_add(sweep, from, end, is_own ? cause_of(sweep, interval) : *rest);
        from = end;
    }
    if (rest)
        part_add(sweep, from, to, *rest);
    return left + (to > from ? to - from : 0);
}

static void add_launch_parts(struct idle_sweep *sweep, int64_t from, int64_t to)
{
    int64_t end = AT(sweep->profile->api.end, sweep->call);
    end = end < from ? from : end < to ? end : to;
    int64_t left = split_call(sweep, from, end, NULL);
    struct gap_cause inside = launch_delay_cause(sweep, from, left + to - end, true);
    split_call(sweep, from, end, &inside);
    // A long call hands over its launch at its end: latency counts from there.
    int64_t length = end > from && inside.cause != IDLE_LATENCY ? to - end : left + to - end;
    part_add(sweep, end, to, launch_delay_cause(sweep, from, length, false));
}

// ---- gaps -----------------------------------------------------------------------------------

void idle_gap_add(struct idle_sweep *sweep, int64_t from, int64_t to, uint32_t next)
{
    const struct profile *profile = sweep->profile;
    sweep->next = next;
    sweep->call =
        next != ROW_NONE && HAS(profile->work.launch) ? AT(profile->work.launch, next) : ROW_NONE;
    from += sweep->skew;
    to += sweep->skew;
    if (sweep->finder->has_hidden_graphs || sweep->call == ROW_NONE) {
        struct gap_cause cause = cause_unknown;
        if (next != ROW_NONE && is_inside_replay(sweep))
            cause.cause = IDLE_GRAPH;
        part_add(sweep, from, to, cause);
        return;
    }
    sweep->thread = AT(profile->api.thread, sweep->call);
    int64_t launch = AT(profile->api.start, sweep->call);
    if (launch > to + IDLE_CLOCKS_NS) {
        part_add(sweep, from, to, cause_unknown);
        return;
    }
    launch = launch < from ? from : launch < to ? launch : to;
    if (is_inside_replay(sweep)) // the GPU has the whole graph, so the host does not matter
        launch = from;
    if (launch > from)
        add_host_parts(sweep, from, launch);
    if (to > launch)
        add_launch_parts(sweep, launch, to);
}
