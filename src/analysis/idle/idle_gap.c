// SPDX-License-Identifier: Apache-2.0
// Cuts one gap into parts, see idle_gap.h. Up to the launch of the work that ends the gap, the
// cause is the activity of the launching thread; after it, whatever delays the launch. Each
// interval then passes two filters, in this order: what other processes' work overlaps is
// IDLE_ELSEWHERE, and what the profiler's overhead overlaps is IDLE_PROFILER (part_add,
// split_by_profiler, part_push).
#include "analysis/idle/idle_gap.h"

#include <string.h>

#include "base/search.h"
#include "model/profile/launch_index.h"

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

// Adds a part, or extends the previous one if it has the same cause.
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

// Calls add() with the intervals of [from, to) that the overlay covers, with the cause
// `overlay_cause` (the evidence is the row of the overlay), and with the rest, with the cause
// `rest`.
static void split_by_overlay(struct idle_sweep *sweep, struct idle_overlay *overlay, int64_t from,
                             int64_t to, struct gap_cause overlay_cause, struct gap_cause rest,
                             void (*add)(struct idle_sweep *sweep, int64_t from, int64_t to,
                                         struct gap_cause cause))
{
    while (overlay->next < overlay->count && overlay->end[overlay->next] <= from)
        overlay->next++;
    for (size_t i = overlay->next; i < overlay->count && overlay->start[i] < to; i++) {
        int64_t start = overlay->start[i] > from ? overlay->start[i] : from;
        int64_t end = overlay->end[i] < to ? overlay->end[i] : to;
        add(sweep, from, start, rest);
        overlay_cause.row = overlay->row[i];
        add(sweep, start, end, overlay_cause);
        from = end;
    }
    add(sweep, from, to, rest);
}

static void split_by_profiler(struct idle_sweep *sweep, int64_t from, int64_t to,
                              struct gap_cause cause)
{
    static const struct gap_cause overlay_cause = {IDLE_PROFILER, EVIDENCE_OVERHEAD, ROW_NONE,
                                                   false};
    if (to <= from)
        return;
    if (cause.cause == IDLE_ELSEWHERE || sweep->profiler.count == 0)
        part_push(sweep, from, to, cause);
    else
        split_by_overlay(sweep, &sweep->profiler, from, to, overlay_cause, cause, part_push);
}

// Adds a part given on the host's clock.
static void part_add(struct idle_sweep *sweep, int64_t from, int64_t to, struct gap_cause cause)
{
    static const struct gap_cause overlay_cause = {IDLE_ELSEWHERE, EVIDENCE_WORK, ROW_NONE, false};
    if (to <= from)
        return;
    from -= sweep->skew;
    to -= sweep->skew;
    if (sweep->elsewhere.count == 0)
        split_by_profiler(sweep, from, to, cause);
    else
        split_by_overlay(sweep, &sweep->elsewhere, from, to, overlay_cause, cause,
                         split_by_profiler);
}

// ---- before the launch ----------------------------------------------------------------------

static const struct gap_cause cause_unknown = {IDLE_UNKNOWN, EVIDENCE_NONE, ROW_NONE, false};

// Returns the cause that an activity of the launching thread is.
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

// Adds [from, to), which ends with the first copy of a batch: while the thread waits in an OS call
// it is assumed to wait for data; the rest has the cause `cause`.
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

// Adds [from, to), in which the thread has no activity. If a range of another thread adopted the
// call, the time inside that range is host-bound; the rest is unknown.
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

// Adds [from, to) before the launch; a vague cause is refined by other evidence.
static void add_activity(struct idle_sweep *sweep, int64_t from, int64_t to, struct gap_cause cause)
{
    // the activity of the thread does not explain the delay
    bool is_vague = cause.cause == IDLE_HOST || cause.cause == IDLE_UNKNOWN;
    if (to <= from)
        return;
    if (is_vague && sweep->load != ROW_NONE && AT(sweep->profile->api.start, sweep->load) > from) {
        int64_t load = AT(sweep->profile->api.start, sweep->load);
        int64_t end = load < to ? load : to;
        part_add(sweep, from, end,
                 (struct gap_cause){IDLE_COMPILE, EVIDENCE_API, sweep->load, true});
        from = end;
    }
    if (to <= from)
        return;
    if (is_vague && sweep->begins_batch && sweep->profile->osrt.count)
        add_os_waits(sweep, from, to, cause);
    else if (cause.cause == IDLE_UNKNOWN && cause.kind == EVIDENCE_NONE)
        add_unobserved(sweep, from, to);
    else
        part_add(sweep, from, to, cause);
}

// Adds the part [from, to) of a gap that is before the launch.
static void add_host_parts(struct idle_sweep *sweep, int64_t from, int64_t to)
{
    const struct host_line *line = &sweep->finder->hosts[sweep->thread];
    const struct host_wait *wait = host_line_wait(line, from);
    int64_t wait_end = wait ? from + (wait->end - wait->start) : from;
    size_t i = host_line_at(line, sweep->finder->cursor[sweep->thread], from);
    sweep->load = find_load(sweep, from);
    if (i == SIZE_MAX) { // before everything that the thread shows
        int64_t begin = line->count ? line->intervals[0].at : to;
        begin = begin < to ? begin : to;
        add_activity(sweep, from, begin, cause_unknown);
        from = begin;
        i = 0;
    }
    for (; from < to && i < line->count; i++) {
        sweep->finder->cursor[sweep->thread] = i;
        struct host_interval interval = line->intervals[i];
        int64_t end = i + 1 < line->count ? line->intervals[i + 1].at : to;
        end = end < to ? end : to;
        // A thread in a data loader waits for data, whatever it waited for before.
        bool is_own = interval.activity == HOST_LOADER;
        if (wait && from < wait_end && wait->activity < interval.activity && !is_own) {
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

// Returns the last wait for an event that was put into the stream after the launch of its previous
// work and before this launch, or ROW_NONE.
static uint32_t find_event_wait(const struct idle_sweep *sweep)
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
    if (sweep->call == ROW_NONE) // the capture began after its launch
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

// Returns why launched work does not run yet: the delay is `length` ns long, within the call or
// after it.
static struct gap_cause launch_delay_cause(const struct idle_sweep *sweep, int64_t from,
                                           int64_t length, bool is_in_call)
{
    const struct profile *profile = sweep->profile;
    const struct gap_cause call = {IDLE_UNKNOWN, EVIDENCE_API, sweep->call, false};
    struct gap_cause cause = call;
    bool is_short = length <= LATENCY_NS;
    bool is_node = AT(profile->work.flags, sweep->next) & WORK_IN_GRAPH;
    // While the GPU is idle no event of this GPU is pending, so a launch made during the gap does
    // not wait for one, unless the delay is long (an event of another GPU).
    bool was_queued = AT(profile->api.start, sweep->call) < from;
    if ((was_queued || !is_short) && find_event_wait(sweep) != ROW_NONE)
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

// Splits the launch call itself: overhead rows inside it (of the profiler or of compiling) have a
// cause of their own. The rest has the cause `rest`. Returns the length of the rest. If `rest` is
// NULL, only that length is computed.
static int64_t split_call(struct idle_sweep *sweep, int64_t from, int64_t to,
                          const struct gap_cause *rest)
{
    const struct host_line *line = &sweep->finder->hosts[sweep->thread];
    size_t i = host_line_at(line, sweep->finder->cursor[sweep->thread], from);
    int64_t unexplained_ns = 0;
    for (i = i == SIZE_MAX ? line->count : i; from < to && i < line->count; i++) {
        const struct host_interval *interval = &line->intervals[i];
        int64_t end = i + 1 < line->count ? line->intervals[i + 1].at : to;
        end = end < to ? end : to;
        bool has_own_cause = interval->kind == EVIDENCE_OVERHEAD;
        unexplained_ns += has_own_cause ? 0 : end - from;
        if (rest)
            part_add(sweep, from, end, has_own_cause ? cause_of(sweep, interval) : *rest);
        from = end;
    }
    if (rest)
        part_add(sweep, from, to, *rest);
    return unexplained_ns + (to > from ? to - from : 0);
}

static void add_launch_parts(struct idle_sweep *sweep, int64_t from, int64_t to)
{
    int64_t end = AT(sweep->profile->api.end, sweep->call);
    end = end < from ? from : end < to ? end : to;
    int64_t unexplained_ns = split_call(sweep, from, end, NULL);
    struct gap_cause inside = launch_delay_cause(sweep, from, unexplained_ns + to - end, true);
    split_call(sweep, from, end, &inside);
    // A long call passes the launch to the GPU at its end, so latency is counted from there.
    int64_t length =
        end > from && inside.cause != IDLE_LATENCY ? to - end : unexplained_ns + to - end;
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
    if (sweep->finder->has_untraced_graphs || sweep->call == ROW_NONE) {
        struct gap_cause cause = cause_unknown;
        if (next != ROW_NONE && is_inside_replay(sweep))
            cause.cause = IDLE_GRAPH;
        if (next == ROW_NONE && sweep->previous != ROW_NONE)
            cause = (struct gap_cause){IDLE_UNKNOWN, EVIDENCE_WORK, sweep->previous, false};
        part_add(sweep, from, to, cause);
        return;
    }
    sweep->thread = AT(profile->api.thread, sweep->call);
    int64_t launch = AT(profile->api.start, sweep->call);
    if (launch > to + CLOCKS_AGREE_NS) {
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
