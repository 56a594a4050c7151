// SPDX-License-Identifier: Apache-2.0
#include "analysis/idle.h"

#include <string.h>

#include "analysis/breakdown_scheme.h"
#include "analysis/memo.h"
#include "base/search.h"
#include "base/sort.h"
#include "model/copy_kinds.h"
#include "model/scratch.h"

const struct idle_cause_info idle_causes[IDLE_CAUSES] = {
    [IDLE_ELSEWHERE] = {"other_process", "other process", "other",
                        "Of one process alone: the GPU runs work of another.", 'o'},
    [IDLE_PROFILER] = {"profiler", "profiler", "profiler",
                       "The thread that launches next is in a row of the profiler's overhead.",
                       'p'},
    [IDLE_COMPILE] =
        {"compile", "compile/load", "compile",
         "That thread compiles or loads code for the GPU: module and library calls, "
         "overhead rows of compiling, loading and dlopen, building a graph. Inferred: "
         "the first run of a kernel, whose launch call takes long; and what the thread "
         "does before the code of such a kernel is loaded.",
         'c'},
    [IDLE_ALLOCATOR] = {"allocator", "allocator", "alloc",
                        "That thread is in cudaMalloc, cudaFree and the like; or it was when the "
                        "GPU ran dry, for as long as it stood in the call.",
                        'a'},
    [IDLE_SYNC] = {"sync", "synchronisation", "sync",
                   "That thread was in a synchronising call (or a copy to the host that waits) "
                   "when the GPU ran dry: from there to its next launch, at most as long as the "
                   "call stood. Also while it is in such a call or at a barrier.",
                   's'},
    [IDLE_DATA] = {"data_loading", "data loading", "data",
                   "That thread is in a range of a data loader. Inferred: it waits in an OS call "
                   "for the launch of the first copy to the GPU after other work.",
                   'd'},
    [IDLE_COPY] = {"copy", "blocking copy", "copy",
                   "That thread waits in a copy to the GPU, or did when the GPU ran dry.", 'm'},
    [IDLE_HOST] = {"host", "host-bound", "host",
                   "That thread is in a range (of no step), in an API call, or between calls less "
                   "than 1 ms apart: it comes late with the launch.",
                   'h'},
    [IDLE_DEPENDENCY] = {"dependency", "dependency", "dep",
                         "Launched, and its stream waits for an event.", 'e'},
    [IDLE_GRAPH] = {"graph", "inside graph", "graph",
                    "Launched, in a replay of a CUDA graph: between its nodes, or before the "
                    "first.",
                    'g'},
    [IDLE_LATENCY] = {"launch_latency", "launch latency", "latency",
                      "Launched and not started, for at most 20 us.", 'l'},
    [IDLE_UNKNOWN] = {"unknown", "unknown", "unknown",
                      "Nothing in the file tells: no launch row, a thread that shows nothing, a "
                      "launch that starts late without a reason.",
                      '?'},
};

enum {
    BLOCK = 64,
    LATENCY_NS = 20000,  // of a launch
    CLOCKS_NS = 20000,   // a kernel that begins so long before its launch: the clocks disagree
    OS_WAIT_NS = 100000, // a shorter call to the system did not wait
};

// ---- sorted intervals that a part is cut by ----------------------------------------------------

struct overlay {
    size_t count, next;
    int64_t *start, *end; // apart from each other
    uint32_t *row;
};

static void overlay_add(struct overlay *overlay, int64_t start, int64_t end, uint32_t row)
{
    if (overlay->count && start < overlay->end[overlay->count - 1])
        start = overlay->end[overlay->count - 1];
    if (end <= start)
        return;
    overlay->start[overlay->count] = start;
    overlay->end[overlay->count] = end;
    overlay->row[overlay->count++] = row;
}

static struct overlay overlay_new(size_t capacity, struct arena *arena)
{
    return (struct overlay){.start = ARENA_ARRAY(arena, int64_t, capacity + 1),
                            .end = ARENA_ARRAY(arena, int64_t, capacity + 1),
                            .row = ARENA_ARRAY(arena, uint32_t, capacity + 1)};
}

// ---- the sweep over one device -----------------------------------------------------------------

struct cause { // of a stretch of time, with its evidence
    enum idle_cause cause;
    enum evidence_kind kind;
    uint32_t row;
    bool is_inferred;
};

struct finder { // shared by all devices
    const struct profile *profile;
    uint32_t device, process;
    struct arena *arena, *scratch;
    struct idle *all;
    struct host_line *hosts;
    uint32_t *first_wait, *waits; // event waits of each stream, rows of syncs by start
    bool *is_os_wait;             // by string id
    bool hides_graphs;
};

struct sweep {
    const struct finder *finder;
    const struct profile *profile;
    struct idle *idle;
    size_t capacity;
    struct overlay elsewhere, profiler; // on the GPU's clock
    size_t *cursor;                     // by thread: where in its line the sweep is
    uint32_t *first_run;                // by function: its first work on the device
    int64_t *launched;                  // by stream: when its latest work was launched
    int64_t skew;                       // added to the GPU's time gives the host's
    // The gap at hand.
    uint32_t next, previous; // work
    uint32_t call, thread;   // that launches `next`, or ROW_NONE
    bool begins_batch;       // `next` is the first copy to the GPU after other work
    uint32_t load; // `next` is the first run of a kernel: the call that loaded its code in
                   // this gap; else ROW_NONE
};

static void part_push(struct sweep *sweep, int64_t from, int64_t to, struct cause cause)
{
    struct idle *idle = sweep->idle;
    struct idle_part *last = idle->count ? &idle->parts[idle->count - 1] : NULL;
    if (to <= from)
        return;
    if (last && last->to == from && last->cause == cause.cause && last->row == cause.row &&
        last->kind == cause.kind && last->next_work == sweep->next &&
        last->is_inferred == cause.is_inferred) {
        last->to = to;
        return;
    }
    ARENA_PUSH(sweep->finder->scratch, idle->parts, idle->count, sweep->capacity) =
        (struct idle_part){from,
                           to,
                           sweep->next,
                           cause.row,
                           (uint8_t)cause.cause,
                           (uint8_t)cause.kind,
                           cause.is_inferred};
}

// Gives the intervals of an overlay their own cause, the rest to what follows.
static void part_cut(struct sweep *sweep, struct overlay *overlay, int64_t from, int64_t to,
                     struct cause own, struct cause rest,
                     void (*follow)(struct sweep *sweep, int64_t from, int64_t to,
                                    struct cause cause))
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

static void part_cut_profiler(struct sweep *sweep, int64_t from, int64_t to, struct cause cause)
{
    static const struct cause own = {IDLE_PROFILER, EVIDENCE_OVERHEAD, ROW_NONE, false};
    if (to <= from)
        return;
    if (cause.cause == IDLE_ELSEWHERE || sweep->profiler.count == 0)
        part_push(sweep, from, to, cause);
    else
        part_cut(sweep, &sweep->profiler, from, to, own, cause, part_push);
}

// A part on the host's clock.
static void part_add(struct sweep *sweep, int64_t from, int64_t to, struct cause cause)
{
    static const struct cause own = {IDLE_ELSEWHERE, EVIDENCE_WORK, ROW_NONE, false};
    if (to <= from)
        return;
    from -= sweep->skew;
    to -= sweep->skew;
    if (sweep->elsewhere.count == 0)
        part_cut_profiler(sweep, from, to, cause);
    else
        part_cut(sweep, &sweep->elsewhere, from, to, own, cause, part_cut_profiler);
}

// ---- before the launch -------------------------------------------------------------------------

static const struct cause cause_unknown = {IDLE_UNKNOWN, EVIDENCE_NONE, ROW_NONE, false};

static struct cause cause_of(const struct sweep *sweep, const struct host_stretch *stretch)
{
    static const enum idle_cause causes[] = {
        [HOST_PROFILER] = IDLE_PROFILER,   [HOST_COMPILE] = IDLE_COMPILE,
        [HOST_ALLOCATOR] = IDLE_ALLOCATOR, [HOST_SYNC] = IDLE_SYNC,
        [HOST_LOADER] = IDLE_DATA,         [HOST_COPY] = IDLE_COPY,
        [HOST_QUEUE_FULL] = IDLE_UNKNOWN,  [HOST_BUSY] = IDLE_HOST,
        [HOST_NOTHING] = IDLE_UNKNOWN,
    };
    struct cause cause = {causes[stretch->activity], (enum evidence_kind)stretch->kind,
                          stretch->row, false};
    if (cause.cause == IDLE_HOST) { // what counts is which launch comes late
        cause.kind = EVIDENCE_API;
        cause.row = sweep->call;
    }
    return cause;
}

// Where a thread waits for data without saying so, before the first copy of a batch: in the OS.
static void add_os_waits(struct sweep *sweep, int64_t from, int64_t to, struct cause cause)
{
    enum { LOOK_BACK = 8 }; // calls to the system hardly nest
    const struct os_calls *osrt = &sweep->profile->osrt;
    const struct thread *thread = &sweep->profile->threads[sweep->thread];
    uint32_t first = search_from(osrt->start, thread->first_osrt, thread->end_osrt, from);
    first = first - thread->first_osrt > LOOK_BACK ? first - LOOK_BACK : thread->first_osrt;
    for (uint32_t i = first; i < thread->end_osrt && osrt->start[i] < to; i++) {
        int64_t start = osrt->start[i], end = osrt->end[i];
        if (!sweep->finder->is_os_wait[osrt->name[i]] || end - start < OS_WAIT_NS || end <= from)
            continue;
        start = start > from ? start : from;
        end = end < to ? end : to;
        part_add(sweep, from, start, cause);
        part_add(sweep, start, end, (struct cause){IDLE_DATA, EVIDENCE_OSRT, i, true});
        from = end;
    }
    part_add(sweep, from, to, cause);
}

// Nothing is known of the thread itself; but who waits for it may be, or who had the word before.
static void add_silence(struct sweep *sweep, int64_t from, int64_t to)
{
    const struct profile *profile = sweep->profile;
    const struct cause host = {IDLE_HOST, EVIDENCE_API, sweep->call, false};
    uint32_t adopter = profile->api.adopter ? profile->api.adopter[sweep->call] : ROW_NONE;
    int64_t start = adopter != ROW_NONE ? profile->ranges.start[adopter] : INT64_MAX;
    int64_t end = adopter != ROW_NONE ? profile->ranges.end[adopter] : INT64_MAX;
    start = start < from ? from : start < to ? start : to;
    end = end < start ? start : end < to ? end : to;
    part_add(sweep, from, start, cause_unknown);
    part_add(sweep, start, end, host);
    part_add(sweep, end, to, cause_unknown);
}

// The last call before the launch that loads code, if the kernel never ran before: it was made, or
// at least fetched, in this gap.
static uint32_t find_load(const struct sweep *sweep, int64_t from)
{
    const struct profile *profile = sweep->profile;
    const struct api_calls *api = &profile->api;
    const struct thread *thread = &profile->threads[sweep->thread];
    if (sweep->first_run[profile->work.function[sweep->next]] != sweep->next)
        return ROW_NONE;
    for (uint32_t call = sweep->call; call-- > thread->first_api && api->start[call] >= from;)
        if (api_activity(profile_text(profile, api->name[call])) == HOST_COMPILE)
            return call;
    return ROW_NONE;
}

static void add_activity(struct sweep *sweep, int64_t from, int64_t to, struct cause cause)
{
    bool is_open = cause.cause == IDLE_HOST || cause.cause == IDLE_UNKNOWN;
    if (to <= from)
        return;
    if (is_open && sweep->load != ROW_NONE && sweep->profile->api.start[sweep->load] > from) {
        int64_t load = sweep->profile->api.start[sweep->load];
        int64_t end = load < to ? load : to;
        part_add(sweep, from, end, (struct cause){IDLE_COMPILE, EVIDENCE_API, sweep->load, true});
        from = end;
    }
    if (to <= from)
        return;
    if (is_open && sweep->begins_batch && sweep->profile->osrt.count)
        add_os_waits(sweep, from, to, cause);
    else if (cause.cause == IDLE_UNKNOWN && cause.kind == EVIDENCE_NONE)
        add_silence(sweep, from, to);
    else
        part_add(sweep, from, to, cause);
}

// [from, to) ends at the launch at the latest.
static void add_before(struct sweep *sweep, int64_t from, int64_t to)
{
    const struct host_line *line = &sweep->finder->hosts[sweep->thread];
    const struct host_wait *wait = host_line_wait(line, from);
    int64_t wait_end = wait ? from + (wait->end - wait->start) : from;
    size_t at = host_line_at(line, sweep->cursor[sweep->thread], from);
    sweep->load = find_load(sweep, from);
    if (at == SIZE_MAX) { // before all that the thread shows
        int64_t begin = line->count ? line->stretches[0].at : to;
        begin = begin < to ? begin : to;
        add_activity(sweep, from, begin, cause_unknown);
        from = begin;
        at = 0;
    }
    for (; from < to && at < line->count; at++) {
        sweep->cursor[sweep->thread] = at;
        struct host_stretch stretch = line->stretches[at];
        int64_t end = at + 1 < line->count ? line->stretches[at + 1].at : to;
        end = end < to ? end : to;
        if (from < wait_end && wait->activity < stretch.activity) {
            int64_t until = wait_end < end ? wait_end : end;
            struct host_stretch waits = {from, wait->call, wait->activity, EVIDENCE_API};
            add_activity(sweep, from, until, cause_of(sweep, &waits));
            from = until;
        }
        add_activity(sweep, from, end, cause_of(sweep, &stretch));
        from = end > from ? end : from;
    }
}

// ---- after it ----------------------------------------------------------------------------------

// The wait for an event that the stream met between its last work and this one, or ROW_NONE.
static uint32_t event_wait(const struct sweep *sweep)
{
    const struct finder *finder = sweep->finder;
    const struct syncs *syncs = &sweep->profile->syncs;
    uint32_t stream = sweep->profile->work.stream[sweep->next];
    int64_t launch = sweep->profile->api.start[sweep->call];
    uint32_t low = finder->first_wait[stream], high = finder->first_wait[stream + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (syncs->start[finder->waits[middle]] <= launch)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == finder->first_wait[stream] ||
        syncs->start[finder->waits[low - 1]] <= sweep->launched[stream])
        return ROW_NONE;
    return finder->waits[low - 1];
}

// Whether an earlier node of the same replay ran on this device.
static bool is_inside_replay(const struct sweep *sweep)
{
    const struct gpu_work *work = &sweep->profile->work;
    const struct api_calls *api = &sweep->profile->api;
    if (!(work->flags[sweep->next] & WORK_IN_GRAPH))
        return false;
    if (sweep->call == ROW_NONE) // its launch was before the capture
        return sweep->previous != ROW_NONE && work->flags[sweep->previous] & WORK_IN_GRAPH &&
               work->graph && work->graph[sweep->previous] == work->graph[sweep->next];
    uint32_t device = work_device(sweep->profile, sweep->next);
    uint32_t first = sweep->profile->devices[device].first_work;
    uint32_t low = api->first_work[sweep->call], high = api->first_work[sweep->call + 1];
    while (low < high) { // rows come in order
        uint32_t middle = low + (high - low) / 2;
        if (api->work_rows[middle] < first)
            low = middle + 1;
        else
            high = middle;
    }
    return low < api->first_work[sweep->call + 1] && api->work_rows[low] < sweep->next;
}

static bool is_copy_call(const struct sweep *sweep)
{
    const struct profile *profile = sweep->profile;
    return api_activity(profile_text(profile, profile->api.name[sweep->call])) == HOST_COPY;
}

// What keeps a launch from starting for `length` ns, in its call or after it.
static struct cause cause_after(const struct sweep *sweep, int64_t from, int64_t length,
                                bool is_in_call)
{
    const struct profile *profile = sweep->profile;
    const struct cause call = {IDLE_UNKNOWN, EVIDENCE_API, sweep->call, false};
    struct cause cause = call;
    bool is_short = length <= LATENCY_NS;
    bool is_node = profile->work.flags[sweep->next] & WORK_IN_GRAPH;
    // An event of this GPU had come when the GPU ran dry: later launches do not wait for it.
    bool was_queued = profile->api.start[sweep->call] < from;
    if ((was_queued || !is_short) && event_wait(sweep) != ROW_NONE)
        return (struct cause){IDLE_DEPENDENCY, EVIDENCE_WORK, sweep->previous, false};
    if (is_inside_replay(sweep))
        cause.cause = IDLE_GRAPH;
    else if (is_short)
        cause.cause = IDLE_LATENCY;
    else if (is_in_call && is_copy_call(sweep))
        cause.cause = IDLE_COPY;
    else if (is_in_call && sweep->first_run[profile->work.function[sweep->next]] == sweep->next)
        cause = (struct cause){IDLE_COMPILE, EVIDENCE_API, sweep->call, true};
    else if (is_node)
        cause.cause = IDLE_GRAPH;
    else if (is_in_call)
        cause.cause = IDLE_HOST;
    return cause;
}

// The stretch of the launch call itself: the profiler's work and compiling in it have their own
// cause. Returns the length of the rest; adds parts where that has a cause too.
static int64_t walk_call(struct sweep *sweep, int64_t from, int64_t to, const struct cause *rest)
{
    const struct host_line *line = &sweep->finder->hosts[sweep->thread];
    size_t at = host_line_at(line, sweep->cursor[sweep->thread], from);
    int64_t left = 0;
    for (at = at == SIZE_MAX ? line->count : at; from < to && at < line->count; at++) {
        const struct host_stretch *stretch = &line->stretches[at];
        int64_t end = at + 1 < line->count ? line->stretches[at + 1].at : to;
        end = end < to ? end : to;
        bool is_own = stretch->kind == EVIDENCE_OVERHEAD;
        left += is_own ? 0 : end - from;
        if (rest)
            part_add(sweep, from, end, is_own ? cause_of(sweep, stretch) : *rest);
        from = end;
    }
    if (rest)
        part_add(sweep, from, to, *rest);
    return left + (to > from ? to - from : 0);
}

static void add_after(struct sweep *sweep, int64_t from, int64_t to)
{
    int64_t end = sweep->profile->api.end[sweep->call];
    end = end < from ? from : end < to ? end : to;
    int64_t left = walk_call(sweep, from, end, NULL);
    struct cause inside = cause_after(sweep, from, left + to - end, true);
    walk_call(sweep, from, end, &inside);
    // A call that took long has passed on its launch at its end: from there it is latency again.
    int64_t length = end > from && inside.cause != IDLE_LATENCY ? to - end : left + to - end;
    part_add(sweep, end, to, cause_after(sweep, from, length, false));
}

// ---- gaps --------------------------------------------------------------------------------------

static void gap_add(struct sweep *sweep, int64_t from, int64_t to, uint32_t next)
{
    const struct profile *profile = sweep->profile;
    sweep->next = next;
    sweep->call = next != ROW_NONE && profile->work.launch ? profile->work.launch[next] : ROW_NONE;
    from += sweep->skew;
    to += sweep->skew;
    if (sweep->finder->hides_graphs || sweep->call == ROW_NONE) {
        struct cause cause = cause_unknown;
        if (next != ROW_NONE && is_inside_replay(sweep))
            cause.cause = IDLE_GRAPH;
        part_add(sweep, from, to, cause);
        return;
    }
    sweep->thread = profile->api.thread[sweep->call];
    int64_t launch = profile->api.start[sweep->call];
    if (launch > to + CLOCKS_NS) {
        part_add(sweep, from, to, cause_unknown);
        return;
    }
    launch = launch < from ? from : launch < to ? launch : to;
    if (is_inside_replay(sweep)) // whatever the host does: the GPU has the whole graph
        launch = from;
    if (launch > from)
        add_before(sweep, from, launch);
    if (to > launch)
        add_after(sweep, launch, to);
}

static bool is_in_scope(const struct sweep *sweep, uint32_t work)
{
    return sweep->finder->process == ROW_NONE ||
           work_process(sweep->profile, work) == sweep->finder->process;
}

// By how much the host's clock is ahead of the GPU's. Where they agree hardly a kernel begins
// before its launch; where they do not, one that found an empty queue tells the difference. The
// thousandth part that differs most is not believed.
static int64_t find_skew(const struct profile *profile, const struct device *device,
                         struct arena *scratch)
{
    const struct gpu_work *work = &profile->work;
    int64_t *leads = ARENA_ARRAY(scratch, int64_t, (size_t)(device->end_work - device->first_work));
    size_t launched = 0, early = 0;
    for (uint32_t w = device->first_work; work->launch && w < device->end_work; w++) {
        if (work->launch[w] == ROW_NONE)
            continue;
        int64_t lead = profile->api.start[work->launch[w]] - work->start[w];
        launched++;
        if (lead > CLOCKS_NS)
            leads[early++] = lead;
    }
    if (early * 100 <= launched)
        return 0;
    const uint32_t *order = sort_by_time(scratch, leads, NULL, early);
    size_t doubted = launched / 1000;
    return leads[order[early - 1 - doubted]];
}

// Work that is not the process's own, as a union; and the profiler's rows that name no thread.
static void make_overlays(struct sweep *sweep, const struct device *device, struct arena *scratch)
{
    const struct profile *profile = sweep->profile;
    const struct overheads *overheads = &profile->overheads;
    if (sweep->finder->process != ROW_NONE) {
        sweep->elsewhere = overlay_new(device->end_work - device->first_work, scratch);
        for (uint32_t w = device->first_work; w < device->end_work; w++)
            if (!is_in_scope(sweep, w))
                overlay_add(&sweep->elsewhere, profile->work.start[w], profile->work.end[w], w);
    }
    sweep->profiler = overlay_new(overheads->count - overheads->first_unowned, scratch);
    for (uint32_t i = overheads->first_unowned; i < overheads->count; i++)
        if (overhead_activity(profile_text(profile, overheads->name[i])) == HOST_PROFILER)
            overlay_add(&sweep->profiler, overheads->start[i] - sweep->skew,
                        overheads->end[i] - sweep->skew, i);
}

static void find_first_runs(struct sweep *sweep, const struct device *device, struct arena *scratch)
{
    const struct profile *profile = sweep->profile;
    sweep->first_run = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->function_count + 1);
    for (uint32_t f = 0; f < profile->function_count; f++)
        sweep->first_run[f] = ROW_NONE;
    for (uint32_t w = device->end_work; w-- > device->first_work;)
        if (profile->functions[profile->work.function[w]].kind == WORK_KERNEL)
            sweep->first_run[profile->work.function[w]] = w;
}

static void sweep_gaps(struct sweep *sweep, const struct device *device)
{
    const struct profile *profile = sweep->profile;
    const struct gpu_work *work = &profile->work;
    int64_t covered = work->start[device->first_work], last = covered;
    bool computed = true; // since the last copy to the GPU
    sweep->previous = ROW_NONE;
    for (uint32_t w = device->first_work; w < device->end_work; w++) {
        last = work->end[w] > last ? work->end[w] : last;
        if (!is_in_scope(sweep, w))
            continue;
        const struct copy *copy = work_copy(profile, w);
        bool is_copy_in = copy && copy->copy_kind == COPY_HTOD;
        sweep->begins_batch = is_copy_in && computed;
        computed =
            (computed && !is_copy_in) || profile->functions[work->function[w]].kind == WORK_KERNEL;
        if (work->start[w] > covered)
            gap_add(sweep, covered, work->start[w], w);
        if (work->end[w] > covered || sweep->previous == ROW_NONE) {
            covered = work->end[w] > covered ? work->end[w] : covered;
            sweep->previous = w;
        }
        if (work->launch && work->launch[w] != ROW_NONE)
            sweep->launched[work->stream[w]] = profile->api.start[work->launch[w]];
    }
    if (last > covered)
        gap_add(sweep, covered, last, ROW_NONE);
}

static void sum_parts(struct idle *idle, struct arena *arena)
{
    int64_t running[IDLE_CAUSES] = {0};
    idle->sums = ARENA_ARRAY(arena, int64_t, (idle->count / BLOCK + 1) * IDLE_CAUSES);
    for (size_t i = 0; i <= idle->count; i++) {
        if (i % BLOCK == 0)
            memcpy(idle->sums + i / BLOCK * IDLE_CAUSES, running, sizeof running);
        if (i < idle->count)
            running[idle->parts[i].cause] += idle->parts[i].to - idle->parts[i].from;
    }
}

static void find_device(struct finder *finder, uint32_t row)
{
    const struct profile *profile = finder->profile;
    const struct device *device = &profile->devices[row];
    struct idle *idle = &finder->all[row];
    struct sweep sweep = {.finder = finder, .profile = profile, .idle = idle};
    if (device->end_work == device->first_work)
        return;
    sweep.cursor = ARENA_ARRAY(finder->scratch, size_t, (size_t)profile->thread_count + 1);
    sweep.launched = ARENA_ARRAY(finder->scratch, int64_t, (size_t)profile->stream_count + 1);
    for (uint32_t s = 0; s < profile->stream_count; s++)
        sweep.launched[s] = INT64_MIN;
    sweep.skew = idle->skew_ns = find_skew(profile, device, finder->scratch);
    make_overlays(&sweep, device, finder->scratch);
    find_first_runs(&sweep, device, finder->scratch);
    sweep_gaps(&sweep, device);
    const struct idle_part *parts = idle->parts; // as long as it is, in the caller's arena
    idle->parts = ARENA_ARRAY(finder->arena, struct idle_part, idle->count + 1);
    if (idle->count)
        memcpy(idle->parts, parts, idle->count * sizeof *parts);
    sum_parts(idle, finder->arena);
}

// ---- all of them -------------------------------------------------------------------------------

static void list_event_waits(struct finder *finder)
{
    enum { WAIT_EVENT = 2 };
    const struct profile *profile = finder->profile;
    const struct syncs *syncs = &profile->syncs;
    const uint32_t *order = sort_by_time(finder->scratch, syncs->start, NULL, syncs->count);
    uint32_t streams = profile->stream_count;
    uint32_t *next = ARENA_ARRAY(finder->scratch, uint32_t, (size_t)streams + 2);
    finder->first_wait = ARENA_ARRAY(finder->scratch, uint32_t, (size_t)streams + 2);
    finder->waits = ARENA_ARRAY(finder->scratch, uint32_t, (size_t)syncs->count + 1);
    for (uint32_t i = 0; i < syncs->count; i++)
        if (syncs->type[i] == WAIT_EVENT && syncs->stream[i] != ROW_NONE)
            finder->first_wait[syncs->stream[i] + 1]++;
    for (uint32_t s = 0; s < streams; s++) {
        finder->first_wait[s + 1] += finder->first_wait[s];
        next[s] = finder->first_wait[s];
    }
    for (uint32_t i = 0; i < syncs->count; i++) {
        uint32_t row = order[i], stream = syncs->stream[row];
        if (syncs->type[row] == WAIT_EVENT && stream != ROW_NONE)
            finder->waits[next[stream]++] = row;
    }
}

static void list_os_waits(struct finder *finder)
{
    static const char *const waits[] = {
        "read",    "pread",      "fread",       "recv",          "poll", "ppoll", "select",
        "pselect", "epoll_wait", "epoll_pwait", "pthread_cond_", "sem_", "futex"};
    const struct profile *profile = finder->profile;
    finder->is_os_wait =
        ARENA_ARRAY(finder->scratch, bool, (size_t)strings_count(profile->strings) + 1);
    for (uint32_t i = 0; i < profile->osrt.count; i++) {
        bool *is_wait = &finder->is_os_wait[profile->osrt.name[i]];
        const char *name = profile_text(profile, profile->osrt.name[i]);
        for (size_t n = 0; !*is_wait && n < sizeof waits / sizeof *waits; n++)
            *is_wait = strncmp(name, waits[n], strlen(waits[n])) == 0;
    }
}

static void find_body(void *context, struct arena *scratch)
{
    struct finder *finder = context;
    const struct profile *profile = finder->profile;
    finder->scratch = scratch;
    finder->hosts = host_lines(profile, scratch);
    finder->hides_graphs = host_hides_graphs(profile, scratch);
    list_event_waits(finder);
    list_os_waits(finder);
    for (uint32_t d = 0; d < profile->device_count; d++)
        if (finder->device == ROW_NONE || finder->device == d)
            find_device(finder, d);
}

struct idle *idle_find(const struct profile *profile, uint32_t device, uint32_t process,
                       struct arena *arena)
{
    struct finder finder = {
        .profile = profile, .device = device, .process = process, .arena = arena};
    finder.all = ARENA_ARRAY(arena, struct idle, (size_t)profile->device_count + 1);
    if (profile->stage == STAGE_READY)
        scratch_run(arena, find_body, &finder);
    return finder.all;
}

static void *keep(const struct profile *profile, const struct selection *selection,
                  struct arena *arena)
{
    return idle_find(profile, selection->device, selection->process, arena);
}

static const struct memo_kind kept_idle = {.fields = MEMO_PROCESS | MEMO_DEVICE, .make = keep};

const struct idle *idle_of(const struct profile *profile, const struct selection *selection,
                           struct arena *arena)
{
    return memo_make(&kept_idle, profile, selection, arena);
}

// ---- asking ------------------------------------------------------------------------------------

size_t idle_at(const struct idle *idle, int64_t time)
{
    size_t low = 0, high = idle->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (idle->parts[middle].to <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Adds sign times the idle time of each cause before `time`.
static void add_before_time(const struct idle *idle, int64_t time, int64_t sign, int64_t *ns)
{
    size_t at = idle_at(idle, time);
    const int64_t *sums = idle->sums + at / BLOCK * IDLE_CAUSES;
    for (int c = 0; c < IDLE_CAUSES; c++)
        ns[c] += sign * sums[c];
    for (size_t i = at / BLOCK * BLOCK; i <= at && i < idle->count; i++) {
        const struct idle_part *part = &idle->parts[i];
        int64_t to = part->to < time ? part->to : time;
        ns[part->cause] += to > part->from ? sign * (to - part->from) : 0;
    }
}

void idle_add(const struct idle *idle, int64_t from, int64_t to, int64_t *ns)
{
    if (to <= from || idle->count == 0)
        return;
    add_before_time(idle, to, 1, ns);
    add_before_time(idle, from, -1, ns);
}

static uint32_t part_launch(const struct profile *profile, const struct idle_part *part)
{
    return part->next_work != ROW_NONE ? profile->work.launch[part->next_work] : ROW_NONE;
}

uint32_t idle_range(const struct profile *profile, const struct selection *selection,
                    const struct idle_part *part)
{
    uint32_t call = part->kind == EVIDENCE_API ? part->row : part_launch(profile, part);
    if (part->kind == EVIDENCE_RANGE)
        return part->row;
    if (call == ROW_NONE)
        return ROW_NONE;
    uint32_t range = profile->api.range[call];
    bool is_adopted = range == ROW_NONE && selection->adoption && profile->api.adopter;
    return is_adopted ? profile->api.adopter[call] : range;
}

uint32_t idle_node(const struct profile *profile, const struct selection *selection,
                   const struct idle_part *part)
{
    uint32_t node = ROW_NONE;
    if (part->kind == EVIDENCE_RANGE)
        node = selection_range_node(profile, selection, range_host(profile, part->row));
    else if (part->kind == EVIDENCE_API && part->row != part_launch(profile, part))
        node = selection_api_node(profile, selection, part->row);
    // A call outside all ranges is no place where anything is.
    if (node != ROW_NONE && selection_tree(profile, selection)->kind[node] == NODE_OUTSIDE)
        node = ROW_NONE;
    if (node == ROW_NONE && part->next_work != ROW_NONE)
        node = selection_work_node(profile, selection, part->next_work);
    return node != ROW_NONE ? node : 0;
}
