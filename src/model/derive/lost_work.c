// SPDX-License-Identifier: Apache-2.0
// Counts the kernel launches whose GPU work is not in the file, by process. Idle time and
// utilisation are wrong where work is missing, so detectors that judge them ask
// work_is_missing() (model/profile/lost_work.h).
//
// A launch that rightly put nothing on a GPU does not count: a failed one, one inside another
// launch that has the work, one that a stream capture recorded as a node of a graph, and those at
// the end of the capture, whose work had not run yet.
#include "model/profile/lost_work.h"

#include <string.h>

#include "base/scratch.h"
#include "base/sort.h"
#include "base/text/format.h"
#include "model/derive/derive.h"

enum call_sort {
    SORT_UNKNOWN,
    SORT_OTHER,
    SORT_GRAPH,
    SORT_LAUNCH,
    SORT_BEGIN,
    SORT_END,
    SORT_WAIT
};

struct lost_call {
    int64_t start, end;
    uint32_t thread;
    int64_t next; // start of the work of the next launch of its thread that has some; UNKNOWN
    bool is_none; // it put nothing on a GPU, rightly
    bool is_last; // ... because the capture ended before its work did
};

struct capture_edge {
    int64_t time;
    uint32_t process;
    bool is_begin;
};

struct lost_search {
    struct profile *profile;
    struct arena *scratch;
    uint8_t *sorts; // by string id: enum call_sort
    struct lost_call *calls;
    size_t call_count, call_capacity;
    struct capture_edge *edges;
    size_t edge_count, edge_capacity;
    int64_t *process_linked; // by process: start of its last launch that has work; INT64_MIN
    int64_t *last_wait;      // by process: start of the last wait for all work of a GPU; INT64_MIN
    int64_t at_end;          // launches at the end of the capture
};

static enum call_sort sort_of_name(const char *name)
{
    static const struct {
        const char *part;
        enum call_sort sort;
    } parts[] = {
        {"LaunchKernel", SORT_LAUNCH},  {"LaunchCooperativeKernel", SORT_LAUNCH},
        {"KernelLaunch", SORT_LAUNCH},  {"StreamBeginCapture", SORT_BEGIN},
        {"StreamEndCapture", SORT_END}, {"DeviceSynchronize", SORT_WAIT},
        {"CtxSynchronize", SORT_WAIT},  {"GraphLaunch", SORT_GRAPH},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i].part))
            return parts[i].sort;
    bool is_old = strcmp(name, "cudaLaunch") == 0 || strncmp(name, "cudaLaunch_", 11) == 0;
    return is_old ? SORT_LAUNCH : SORT_OTHER;
}

static enum call_sort sort_of(struct lost_search *search, uint32_t call)
{
    string_id name = AT(search->profile->api.name, call);
    if (!search->sorts[name])
        search->sorts[name] = (uint8_t)sort_of_name(profile_text(search->profile, name));
    enum call_sort sort = (enum call_sort)search->sorts[name];
    // A call that ran a kernel launched it, whatever its name: nvprof's files have numbers.
    return sort == SORT_OTHER && search->profile->api.kind[call] == API_KERNEL ? SORT_LAUNCH : sort;
}

static bool has_work(const struct api_calls *api, uint32_t call)
{
    struct row_span span = api_work(api, call);
    return span.end > span.first;
}

static void add_edge(struct lost_search *search, uint32_t process, int64_t time, bool is_begin)
{
    ARENA_PUSH(search->scratch, search->edges, search->edge_count, search->edge_capacity) =
        (struct capture_edge){time, process, is_begin};
}

// Reads the calls of a thread. Launches nest where a driver's call is inside one of the runtime.
static void read_thread(struct lost_search *search, uint32_t thread)
{
    struct profile *profile = search->profile;
    const struct api_calls *api = &profile->api;
    uint32_t process = profile->threads[thread].process;
    int64_t covered = INT64_MIN; // the launches so far end by then
    int64_t last_linked = INT64_MIN;
    size_t first = search->call_count, told = first; // of the calls before `told` the next is known
    for (uint32_t i = profile->threads[thread].first_api; i < profile->threads[thread].end_api;
         i++) {
        enum call_sort sort = sort_of(search, i);
        if (sort == SORT_OTHER || sort == SORT_GRAPH)
            continue;
        int64_t start = AT(api->start, i), end = AT(api->end, i);
        if (sort == SORT_BEGIN || sort == SORT_END)
            add_edge(search, process, sort == SORT_BEGIN ? end : start, sort == SORT_BEGIN);
        if (sort == SORT_WAIT && end > start && start > search->last_wait[process])
            search->last_wait[process] = start;
        if (sort != SORT_LAUNCH)
            continue;
        bool is_inside = end <= covered;
        covered = end > covered ? end : covered;
        struct row_span span = api_work(api, i);
        if (span.first < span.end) {
            size_t last = search->call_count;
            if (is_inside && last > first && search->calls[last - 1].end >= end)
                search->calls[last - 1].is_none = true; // it has the work of the call inside it
            for (; told < last; told++)
                search->calls[told].next = AT(profile->work.start, AT(api->work_rows, span.first));
            last_linked = start;
            profile->processes[process].launches++;
        } else if (!is_inside && api_result(api, i) == 0) {
            ARENA_PUSH(search->scratch, search->calls, search->call_count, search->call_capacity) =
                (struct lost_call){.start = start, .end = end, .thread = thread, .next = UNKNOWN};
        }
    }
    if (last_linked > search->process_linked[process])
        search->process_linked[process] = last_linked;
}

// ---- launches that put nothing on a GPU ---------------------------------------------------------

static int compare_edges(const void *context, uint32_t a, uint32_t b)
{
    const struct capture_edge *x = (const struct capture_edge *)context + a;
    const struct capture_edge *y = (const struct capture_edge *)context + b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return x->time < y->time ? -1 : x->time > y->time;
}

static int compare_calls(const void *context, uint32_t a, uint32_t b)
{
    const struct lost_search *search = context;
    const struct lost_call *x = &search->calls[a], *y = &search->calls[b];
    uint32_t p = search->profile->threads[x->thread].process;
    uint32_t q = search->profile->threads[y->thread].process;
    if (p != q)
        return p < q ? -1 : 1;
    return x->start < y->start ? -1 : x->start > y->start;
}

static uint32_t *sorted_ids(struct lost_search *search, size_t count, sort_compare *compare,
                            const void *context)
{
    uint32_t *ids = ARENA_ARRAY(search->scratch, uint32_t, count + 1);
    for (size_t i = 0; i < count; i++)
        ids[i] = (uint32_t)i;
    sort_ids(ids, count, compare, context, search->scratch);
    return ids;
}

// A captured backward pass launches on a thread of its own, so that a capture counts for all
// threads of its process. A capture without a beginning lasts from the beginning of the file.
static void mark_captured(struct lost_search *search)
{
    const struct profile *profile = search->profile;
    if (!search->edge_count || !search->call_count)
        return;
    uint32_t *edges = sorted_ids(search, search->edge_count, compare_edges, search->edges);
    uint32_t *calls = sorted_ids(search, search->call_count, compare_calls, search);
    for (size_t e = 0, c = 0; c < search->call_count;) {
        uint32_t process = profile->threads[search->calls[calls[c]].thread].process;
        while (e < search->edge_count && search->edges[edges[e]].process < process)
            e++;
        bool is_first = true; // no edge of the process passed so far
        int open = 0;
        for (; c < search->call_count; c++) {
            struct lost_call *call = &search->calls[calls[c]];
            if (profile->threads[call->thread].process != process)
                break;
            for (; e < search->edge_count && search->edges[edges[e]].process == process &&
                   search->edges[edges[e]].time <= call->start;
                 e++) {
                open += search->edges[edges[e]].is_begin ? 1 : open > 0 ? -1 : 0;
                is_first = false;
            }
            bool ends_next = is_first && e < search->edge_count &&
                             search->edges[edges[e]].process == process &&
                             !search->edges[edges[e]].is_begin;
            call->is_none |= open > 0 || ends_next;
        }
    }
}

// nsys records when a node of a graph was created and on which thread: inside the launch.
static void mark_nodes(struct lost_search *search)
{
    const struct graph_nodes *nodes = &search->profile->graph_nodes;
    uint32_t threads = search->profile->thread_count;
    if (!nodes->count || !search->call_count)
        return;
    uint32_t *order = sort_by_time(search->scratch, nodes->start, NULL, nodes->count);
    uint32_t *first = ARENA_ARRAY(search->scratch, uint32_t, (size_t)threads + 2);
    int64_t *times = ARENA_ARRAY(search->scratch, int64_t, (size_t)nodes->count + 1);
    for (uint32_t i = 0; i < nodes->count; i++)
        if (nodes->thread[i] < threads)
            first[nodes->thread[i] + 2]++;
    for (uint32_t t = 2; t <= threads + 1; t++)
        first[t] += first[t - 1];
    for (uint32_t i = 0; i < nodes->count; i++)
        if (nodes->thread[order[i]] < threads)
            times[first[nodes->thread[order[i]] + 1]++] = nodes->start[order[i]];
    for (size_t c = 0; c < search->call_count; c++) {
        struct lost_call *call = &search->calls[c];
        uint32_t low = first[call->thread], end = first[call->thread + 1], high = end;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (times[middle] < call->start)
                low = middle + 1;
            else
                high = middle;
        }
        call->is_none |= low < end && times[low] <= call->end;
    }
}

// Returns the start of the first launch of a thread that may still have been in the queue of a GPU
// when the capture ended, by the number of launches with work from there on.
static int64_t queue_from(struct lost_search *search, uint32_t thread)
{
    enum { QUEUE = 1024 }; // launches that a queue of the driver holds
    const struct api_calls *api = &search->profile->api;
    const struct thread *row = &search->profile->threads[thread];
    int64_t from = INT64_MAX;
    uint32_t linked = 0;
    for (uint32_t i = row->end_api; i > row->first_api && linked < QUEUE; i--)
        if (sort_of(search, i - 1) == SORT_LAUNCH && has_work(api, i - 1)) {
            from = AT(api->start, i - 1);
            linked++;
        }
    return from;
}

struct work_end {    // of a process
    int64_t last;    // when its last GPU work ends
    int64_t longest; // time of its longest GPU work
};

static struct work_end *work_ends(struct lost_search *search)
{
    const struct profile *profile = search->profile;
    struct work_end *ends =
        ARENA_ARRAY(search->scratch, struct work_end, (size_t)profile->process_count + 1);
    for (uint32_t p = 0; p < profile->process_count; p++)
        ends[p].last = INT64_MIN;
    for (uint32_t w = 0; w < profile->work.count; w++) {
        struct work_end *end = &ends[work_process(profile, w)];
        int64_t time = AT(profile->work.end, w), ns = work_duration(profile, w);
        end->last = time > end->last ? time : end->last;
        end->longest = ns > end->longest ? ns : end->longest;
    }
    return ends;
}

// Returns whether rows of the file were left out, so that launches without work at its end do not
// tell that the capture ended before.
static bool has_rows_left_out(const struct profile *profile)
{
    static const char *const keys[] = {"work_timeless", "work_far", "work_disorder", "work_overrun",
                                       "rows_skipped"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (profile_find_note(profile, keys[i]))
            return true;
    return false;
}

// Marks launches whose work had not ended when the capture did: those behind the last one of their
// thread that has work, and those of another stream that were still running or waiting then, as far
// as the next launch of the thread tells. None of them if the program waited for it.
static void mark_end(struct lost_search *search)
{
    const struct profile *profile = search->profile;
    const struct work_end *ends = search->call_count ? work_ends(search) : NULL;
    uint32_t thread = ROW_NONE;
    int64_t from = 0;
    if (has_rows_left_out(profile))
        return;
    for (size_t c = 0; c < search->call_count; c++) { // by thread
        struct lost_call *call = &search->calls[c];
        uint32_t process = profile->threads[call->thread].process;
        if (call->is_none || search->process_linked[process] == INT64_MIN ||
            call->end <= search->last_wait[process])
            continue;
        if (call->thread != thread)
            from = queue_from(search, thread = call->thread);
        call->is_last =
            call->next == UNKNOWN
                ? from != INT64_MAX || call->start > search->process_linked[process]
                : call->start >= from && call->next > ends[process].last - ends[process].longest;
        call->is_none = call->is_last;
        search->at_end += call->is_last;
    }
}

// Returns the number of kernels whose rows are in the file and could not be used.
static int64_t kernels_unusable(const struct profile *profile)
{
    static const char *const keys[] = {"work_timeless", "work_far", "work_disorder"};
    int64_t count = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct note *note = profile_find_note(profile, keys[i]);
        count += note ? note->count : 0;
    }
    for (size_t i = 0; i < profile->table_count; i++)
        if (strcasestr(profile->tables[i].table, "kernel"))
            count += profile->tables[i].skipped;
    return count;
}

// The launches at the end are lost after all if as many kernels were unusable.
static void unmark_unusable(struct lost_search *search)
{
    if (search->at_end > kernels_unusable(search->profile))
        return;
    for (size_t c = 0; c < search->call_count; c++)
        if (search->calls[c].is_last)
            search->calls[c].is_none = false;
    search->at_end = 0;
}

// ---- the count ----------------------------------------------------------------------------------

static void note_lost(struct lost_search *search, int64_t lost, int64_t from, int64_t to)
{
    struct profile *profile = search->profile;
    uint32_t worst = 0, processes = 0;
    for (uint32_t p = 0; p < profile->process_count; p++) {
        processes += profile->processes[p].lost > 0;
        worst = profile->processes[p].lost > profile->processes[worst].lost ? p : worst;
    }
    char count[FORMAT_SIZE], all[FORMAT_SIZE], begins[FORMAT_SIZE], ends[FORMAT_SIZE];
    char others[FORMAT_SIZE];
    const char *more =
        processes > 1
            ? arena_format(search->scratch, " (and of %s, %lld in all)",
                           format_counted(others, processes - 1, "more process"), (long long)lost)
            : "";
    profile_note(
        profile, NOTE_WARNING, NOTE_LOST_WORK, lost, NULL,
        "%s of %s kernel launches of process %u%s have no GPU work in the file, between %s "
        "and %s: busy and idle time are not known there",
        format_count(count, profile->processes[worst].lost),
        format_count(all, profile->processes[worst].launches), profile->processes[worst].pid, more,
        format_time(begins, from), format_time(ends, to));
}

static void lost_body(void *context, struct arena *scratch)
{
    struct profile *profile = context;
    struct lost_search search = {
        .profile = profile,
        .scratch = scratch,
        .sorts = ARENA_ARRAY(scratch, uint8_t, strings_count(profile->strings)),
        .process_linked = ARENA_ARRAY(scratch, int64_t, (size_t)profile->process_count + 1),
        .last_wait = ARENA_ARRAY(scratch, int64_t, (size_t)profile->process_count + 1),
    };
    for (uint32_t p = 0; p < profile->process_count; p++) {
        search.process_linked[p] = search.last_wait[p] = INT64_MIN;
        profile->processes[p].launches = profile->processes[p].lost = 0;
    }
    for (uint32_t t = 0; t < profile->thread_count; t++)
        read_thread(&search, t);
    if (profile->work.count && !AT(profile->api.first_work, profile->api.count))
        return; // ids of calls and work do not match, which other notes tell
    mark_captured(&search);
    mark_nodes(&search);
    mark_end(&search);
    unmark_unusable(&search);
    int64_t lost = 0, from = INT64_MAX, to = INT64_MIN;
    char at_end[FORMAT_SIZE];
    for (size_t c = 0; c < search.call_count; c++) {
        const struct lost_call *call = &search.calls[c];
        if (call->is_none)
            continue;
        struct process *process = &profile->processes[profile->threads[call->thread].process];
        process->launches++;
        process->lost++;
        lost++;
        from = call->start < from ? call->start : from;
        to = call->end > to ? call->end : to;
    }
    if (lost)
        note_lost(&search, lost, from, to);
    if (search.at_end)
        profile_note(profile, NOTE_INFO, "launches_at_end", search.at_end, NULL,
                     "%s at the end without GPU work: the capture ended before it ran",
                     format_counted(at_end, (uint64_t)search.at_end, "kernel launch"));
}

void profile_count_lost_work(struct profile *profile)
{
    // Without any GPU work all launches lack it, unless a part of the file was read. Otherwise the
    // file must tell which process launched what.
    bool is_known = profile->work.count ? !profile_find_note(profile, "work_process_unknown")
                                        : !profile->file_window;
    if (is_known && profile->has_api && !profile->lacks_times && profile->api.count)
        scratch_run(profile->arena, lost_body, profile);
}
