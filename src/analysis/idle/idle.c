// SPDX-License-Identifier: Apache-2.0
// Finds the gaps of each GPU and their causes, see idle.h. sweep_gaps() reads the work of a GPU in
// order and passes each gap to idle_gap.c, which cuts it into parts. Overlays are intervals that
// have a cause of their own wherever they overlap a gap: work of other processes, and the
// profiler's own overhead.
#include "analysis/idle/idle.h"

#include <string.h>

#include "analysis/idle/idle_gap.h"
#include "analysis/report/memo.h"
#include "base/scratch.h"
#include "base/sort.h"
#include "model/profile/copy_kinds.h"
#include "model/profile/launch_index.h"

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
                   "call stood, but for its time in a data loader. Also while it is in such a call "
                   "or at a barrier.",
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
                      "launch that starts late without a reason. Ranges and calls of the operating "
                      "system, where they were not captured, would tell more.",
                      '?'},
};

enum { PARTS_PER_BLOCK = 64 };

// ---- gaps of one device ------------------------------------------------------------------------

static bool work_is_of_process(const struct idle_sweep *sweep, uint32_t work)
{
    return process_is_selected(sweep->profile, sweep->finder->process,
                               work_process(sweep->profile, work));
}

// Returns [source]: true if one of its processes ran work on the GPU.
static const bool *sources_on_device(const struct profile *profile, uint32_t device,
                                     struct arena *scratch)
{
    bool *runs = ARENA_ARRAY(scratch, bool, (size_t)profile->source_count + 1);
    for (uint32_t s = 0; s < profile->stream_count; s++)
        if (profile->streams[s].device == device)
            runs[profile->processes[profile->streams[s].process].source] = true;
    return runs;
}

// Makes the overlay of the profiler's overhead: rows without a thread, from sources that ran work
// on this GPU (a profiler only delays the processes that it watches).
static void overlay_profiler(struct idle_sweep *sweep, uint32_t device, struct arena *scratch)
{
    const struct profile *profile = sweep->profile;
    const struct overheads *overheads = &profile->overheads;
    uint32_t row = overheads->first_without_thread, count = 0;
    uint32_t *rows = ARENA_ARRAY(scratch, uint32_t, (size_t)(overheads->count - row) + 1);
    bool is_single_source = profile->source_count < 2;
    const bool *runs = sources_on_device(profile, device, scratch);
    for (uint32_t s = 0; row < overheads->count && (is_single_source || s < profile->source_count);
         s++) {
        uint32_t end = is_single_source ? overheads->count : profile->sources[s].end_without_thread;
        bool is_watched = is_single_source || runs[s];
        for (; row < end; row++)
            if (is_watched &&
                overhead_activity(profile_text(profile, overheads->name[row])) == HOST_PROFILER)
                rows[count++] = row;
    }
    int64_t *start = ARENA_ARRAY(scratch, int64_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        start[i] = AT(overheads->start, rows[i]);
    // Rows of several captures are not in order of time.
    const uint32_t *order = sort_by_time(scratch, start, NULL, count);
    sweep->profiler = idle_overlay_new(count, scratch);
    for (uint32_t i = 0; i < count; i++) {
        row = rows[order[i]];
        idle_overlay_add(&sweep->profiler, AT(overheads->start, row) - sweep->skew,
                         AT(overheads->end, row) - sweep->skew, row);
    }
}

// Makes the overlay of the work of other processes than the selected one.
static void overlay_elsewhere(struct idle_sweep *sweep, const struct device *device,
                              struct arena *scratch)
{
    const struct profile *profile = sweep->profile;
    if (sweep->finder->process == ROW_NONE)
        return;
    sweep->elsewhere = idle_overlay_new(device->end_work - device->first_work, scratch);
    for (uint32_t w = device->first_work; w < device->end_work; w++)
        if (!work_is_of_process(sweep, w))
            idle_overlay_add(&sweep->elsewhere, AT(profile->work.start, w),
                             AT(profile->work.end, w), w);
}

static void find_first_runs(const struct idle_sweep *sweep, const struct device *device)
{
    const struct profile *profile = sweep->profile;
    for (uint32_t w = device->end_work; w-- > device->first_work;)
        if (profile->functions[AT(profile->work.function, w)].kind == WORK_KERNEL)
            sweep->finder->first_run[AT(profile->work.function, w)] = w;
}

// Reads the work of a GPU in order and adds each gap between it, and those before and after it: a
// step may begin on the host before its first work, and end after its last.
static void sweep_gaps(struct idle_sweep *sweep, const struct device *device)
{
    const struct profile *profile = sweep->profile;
    const struct gpu_work *work = &profile->work;
    int64_t covered_to = AT(work->start, device->first_work), last_end = covered_to;
    int64_t begin = profile->lacks_times ? covered_to : profile->first_ns - sweep->skew;
    int64_t end = profile->lacks_times ? last_end : profile->last_ns - sweep->skew;
    covered_to = begin < covered_to ? begin : covered_to;
    bool has_run_kernel = true; // since the last copy to the GPU
    sweep->previous = ROW_NONE;
    for (uint32_t w = device->first_work; w < device->end_work; w++) {
        last_end = AT(work->end, w) > last_end ? AT(work->end, w) : last_end;
        if (!work_is_of_process(sweep, w))
            continue;
        const struct copy *copy = work_copy(profile, w);
        bool is_copy_in = copy && copy->copy_kind == COPY_HTOD;
        sweep->begins_batch = is_copy_in && has_run_kernel;
        has_run_kernel = (has_run_kernel && !is_copy_in) ||
                         profile->functions[AT(work->function, w)].kind == WORK_KERNEL;
        if (AT(work->start, w) > covered_to)
            idle_gap_add(sweep, covered_to, AT(work->start, w), w);
        if (AT(work->end, w) > covered_to || sweep->previous == ROW_NONE) {
            covered_to = AT(work->end, w) > covered_to ? AT(work->end, w) : covered_to;
            sweep->previous = w;
        }
        if (HAS(work->launch) && AT(work->launch, w) != ROW_NONE)
            sweep->finder->launched[AT(work->stream, w)] =
                AT(profile->api.start, AT(work->launch, w));
    }
    last_end = end > last_end ? end : last_end;
    if (last_end > covered_to)
        idle_gap_add(sweep, covered_to, last_end, ROW_NONE);
}

static void sum_parts(struct idle *idle, struct arena *arena)
{
    int64_t running[IDLE_CAUSES] = {0};
    idle->sums = ARENA_ARRAY(arena, int64_t, (idle->count / PARTS_PER_BLOCK + 1) * IDLE_CAUSES);
    for (size_t i = 0; i <= idle->count; i++) {
        if (i % PARTS_PER_BLOCK == 0)
            memcpy(idle->sums + i / PARTS_PER_BLOCK * IDLE_CAUSES, running, sizeof running);
        if (i < idle->count)
            running[idle_part_cause(idle, i)] += AT(idle->ns, i);
    }
}

static void find_device(struct idle_finder *finder, uint32_t row)
{
    const struct profile *profile = finder->profile;
    const struct device *device = &profile->devices[row];
    struct idle *idle = &finder->all[row];
    struct idle_sweep sweep = {.finder = finder, .profile = profile, .idle = idle};
    if (device->end_work == device->first_work)
        return;
    struct column_writer **writers[] = {&sweep.from, &sweep.ns, &sweep.next_work, &sweep.row,
                                        &sweep.flags};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        *writers[i] = column_begin(finder->scratch);
    sweep.skew = idle->skew_ns = device_clock_of(profile, device, finder->scratch).skew_ns;
    overlay_elsewhere(&sweep, device, finder->scratch);
    overlay_profiler(&sweep, row, finder->scratch);
    find_first_runs(&sweep, device);
    sweep_gaps(&sweep, device);
    idle_gap_end(&sweep);
    idle->from = column64_end(sweep.from, finder->arena);
    idle->ns = column64_end(sweep.ns, finder->arena);
    idle->next_work = column32_end(sweep.next_work, finder->arena);
    idle->row = column32_end(sweep.row, finder->arena);
    idle->flags = column32_end(sweep.flags, finder->arena);
    sum_parts(idle, finder->arena);
}

// ---- all devices -------------------------------------------------------------------------------

// Lists the waits for events by stream, each list in order of time.
static void list_event_waits(struct idle_finder *finder)
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

static void list_os_waits(struct idle_finder *finder)
{
    static const char *const waits[] = {
        "read",    "pread",      "fread",       "recv",          "poll", "ppoll", "select",
        "pselect", "epoll_wait", "epoll_pwait", "pthread_cond_", "sem_", "futex"};
    const struct profile *profile = finder->profile;
    finder->is_os_wait =
        ARENA_ARRAY(finder->scratch, bool, (size_t)strings_count(profile->strings) + 1);
    for (uint32_t i = 0; i < profile->osrt.count; i++) {
        bool *is_wait = &finder->is_os_wait[AT(profile->osrt.name, i)];
        const char *name = profile_text(profile, AT(profile->osrt.name, i));
        for (size_t n = 0; !*is_wait && n < sizeof waits / sizeof *waits; n++)
            *is_wait = strncmp(name, waits[n], strlen(waits[n])) == 0;
    }
}

// Allocates the tables that all devices share.
static void alloc_tables(struct idle_finder *finder)
{
    const struct profile *profile = finder->profile;
    uint32_t functions = profile->function_count, streams = profile->stream_count;
    finder->cursor = ARENA_ARRAY(finder->scratch, size_t, (size_t)profile->thread_count + 1);
    finder->first_run = ARENA_ARRAY(finder->scratch, uint32_t, (size_t)functions + 1);
    finder->launched = ARENA_ARRAY(finder->scratch, int64_t, (size_t)streams + 1);
    for (uint32_t f = 0; f < functions; f++)
        finder->first_run[f] = ROW_NONE;
    for (uint32_t s = 0; s < streams; s++)
        finder->launched[s] = INT64_MIN;
}

static void find_devices(void *context, struct arena *scratch)
{
    struct idle_finder *finder = context;
    const struct profile *profile = finder->profile;
    finder->scratch = scratch;
    finder->hosts = host_lines(profile, scratch);
    finder->has_untraced_graphs = host_has_untraced_graphs(profile, scratch);
    list_event_waits(finder);
    list_os_waits(finder);
    alloc_tables(finder);
    for (uint32_t d = 0; d < profile->device_count; d++)
        if (finder->device == ROW_NONE || finder->device == d)
            find_device(finder, d);
}

struct idle *idle_find(const struct profile *profile, uint32_t device, uint32_t process,
                       struct arena *arena)
{
    struct idle_finder finder = {
        .profile = profile, .device = device, .process = process, .arena = arena};
    finder.all = ARENA_ARRAY(arena, struct idle, (size_t)profile->device_count + 1);
    if (profile->stage == STAGE_READY)
        scratch_run(arena, find_devices, &finder);
    return finder.all;
}

static void *make_idle(const struct profile *profile, const struct selection *selection,
                       struct arena *arena)
{
    return idle_find(profile, ROW_NONE, selection->process, arena);
}

static const struct memo_kind idle_memo = {.fields = MEMO_PROCESS, .make = make_idle};

const struct idle *idle_of(const struct profile *profile, const struct selection *selection,
                           struct arena *arena)
{
    if (!selection->memo)
        return idle_find(profile, selection->device, selection->process, arena);
    return memo_require(&idle_memo, profile, selection, arena);
}

// ---- queries -----------------------------------------------------------------------------------

size_t idle_at(const struct idle *idle, int64_t time)
{
    size_t low = 0, high = idle->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (idle_part_to(idle, middle) <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Adds `sign` times the idle time of each cause before `time`.
static void add_before_time(const struct idle *idle, int64_t time, int64_t sign, int64_t *ns)
{
    size_t part = idle_at(idle, time);
    const int64_t *sums = idle->sums + part / PARTS_PER_BLOCK * IDLE_CAUSES;
    for (int c = 0; c < IDLE_CAUSES; c++)
        ns[c] += sign * sums[c];
    for (size_t i = part / PARTS_PER_BLOCK * PARTS_PER_BLOCK; i <= part && i < idle->count; i++) {
        int64_t from = idle_part_from(idle, i), to = idle_part_to(idle, i);
        to = to < time ? to : time;
        ns[idle_part_cause(idle, i)] += to > from ? sign * (to - from) : 0;
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
    return part->next_work != ROW_NONE ? AT(profile->work.launch, part->next_work) : ROW_NONE;
}

uint32_t idle_node(const struct profile *profile, const struct selection *selection,
                   const struct idle_part *part)
{
    uint32_t node = ROW_NONE;
    if (part->kind == EVIDENCE_RANGE)
        node = selection_range_node(profile, selection, range_tree_owner(profile, part->row));
    else if (part->kind == EVIDENCE_API && part->row != part_launch(profile, part))
        node = selection_api_node(profile, selection, part->row);
    // A call outside of all ranges has no node of its own.
    if (node != ROW_NONE && selection_tree(profile, selection)->kind[node] == NODE_OUTSIDE)
        node = ROW_NONE;
    if (node == ROW_NONE && part->next_work != ROW_NONE)
        node = selection_work_node(profile, selection, part->next_work);
    if (node == ROW_NONE && part->kind == EVIDENCE_WORK) // after the last work
        node = selection_work_node(profile, selection, part->row);
    return node != ROW_NONE ? node : 0;
}
