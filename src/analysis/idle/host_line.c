// SPDX-License-Identifier: Apache-2.0
// Activity lines of threads, see host_line.h. For each thread, the rows of all tables are collected
// as spans, one list per activity. A sweep over the lists then picks, at each instant, the activity
// that comes first in enum host_activity.
#include "analysis/idle/host_line.h"

#include <string.h>

#include "analysis/report/memo.h"
#include "base/scratch.h"
#include "base/sort.h"
#include "model/markers/markers.h"
#include "model/profile/copy_kinds.h"

enum {
    CLOCK_ERROR_NS = 1000,  // clocks of host and GPU may differ by this
    MIN_SYNC_NS = 20000,    // a shorter synchronising call did not wait
    MAX_PAUSE_NS = 1000000, // calls with shorter pauses between them are one burst of launching
};

// ---- graphs whose work is not in the file -------------------------------------------------------

bool host_has_untraced_graphs(const struct profile *profile, struct arena *scratch)
{
    const struct api_calls *api = &profile->api;
    const struct strings *strings = profile->strings;
    bool *is_graph = ARENA_ARRAY(scratch, bool, (size_t)strings_count(strings) + 1);
    bool any = false;
    for (uint32_t i = 0; i < api->count; i++)
        if (strstr(strings_text(strings, AT(api->name, i)), "GraphLaunch"))
            any = is_graph[AT(api->name, i)] = true;
    uint32_t launched = 0, without_work = 0;
    for (uint32_t i = 0; any && i < api->count; i++)
        if (is_graph[AT(api->name, i)]) {
            launched++;
            without_work += AT(api->first_work, i) == AT(api->first_work, i + 1);
        }
    return 2 * without_work > launched;
}

// ---- spans of one thread -----------------------------------------------------------------------

struct host_span { // one interval of an activity
    int64_t start, end;
    uint32_t row;
    uint8_t kind;
};

struct activity_spans { // the spans of one activity; sorted by start before the sweep
    size_t count, capacity, next;
    struct host_span *spans;
};

enum host_range_flag {
    ENCLOSES_STEP = 1, // a step, or encloses one, or is no place: no evidence that the thread works
    IN_LOADER = 2,
    IN_BARRIER = 4,
    IN_BUSY = 8,
    IN_ANY = IN_LOADER | IN_BARRIER | IN_BUSY,
};

struct host_lines_build {
    const struct profile *profile;
    struct arena *arena, *scratch;
    struct host_line *lines;
    bool *launches;            // [thread]
    uint8_t *activity_of_name; // [string id]: enum host_activity of API calls with that name
    bool *is_loader;           // [marker]
    bool *is_barrier;          // [marker]
    uint8_t *range_flags;      // [range]: enum host_range_flag
    struct activity_spans lists[HOST_NOTHING];
    size_t interval_capacity, wait_capacity;
};

static void span_add(struct host_lines_build *build, enum host_activity activity, int64_t start,
                     int64_t end, enum evidence_kind kind, uint32_t row)
{
    struct activity_spans *list = &build->lists[activity];
    if (end > start)
        ARENA_PUSH(build->scratch, list->spans, list->count, list->capacity) =
            (struct host_span){start, end, row, (uint8_t)kind};
}

static void collect_overheads(struct host_lines_build *build, const struct thread *thread)
{
    const struct overheads *rows = &build->profile->overheads;
    for (uint32_t i = thread->first_overhead; i < thread->end_overhead; i++)
        span_add(build, overhead_activity(profile_text(build->profile, rows->name[i])),
                 AT(rows->start, i), AT(rows->end, i), EVIDENCE_OVERHEAD, i);
}

// Returns the activity of a thread in a copy call. The call waits for the copy if the copy ends
// before the call does (as with pageable memory); only copies to the host are certain to wait for
// earlier work, too.
static enum host_activity copy_activity(const struct profile *profile, uint32_t call)
{
    const struct api_calls *api = &profile->api;
    struct row_span span = api_work(api, call);
    for (uint32_t i = span.first; i < span.end; i++) {
        uint32_t work = AT(api->work_rows, i);
        const struct copy *copy = work_copy(profile, work);
        if (copy && AT(profile->work.end, work) <= AT(api->end, call) + CLOCK_ERROR_NS)
            return copy->copy_kind == COPY_DTOH ? HOST_SYNC : HOST_COPY;
    }
    return HOST_BUSY;
}

// Collects bursts of calls, calls with an activity of their own, and the waits. Calls may nest (a
// runtime call makes a driver call); then the outer call is the wait.
static void collect_calls(struct host_lines_build *build, const struct thread *thread,
                          struct host_line *line)
{
    const struct profile *profile = build->profile;
    const struct api_calls *api = &profile->api;
    // The current burst (calls with short pauses between them) starts with call `first`.
    int64_t burst_start = 0, burst_end = INT64_MIN;
    int64_t last_wait_end = INT64_MIN;
    uint32_t first = ROW_NONE;
    for (uint32_t call = thread->first_api; call < thread->end_api; call++) {
        int64_t start = AT(api->start, call), end = AT(api->end, call);
        enum host_activity activity = build->activity_of_name[AT(api->name, call)];
        if (first == ROW_NONE || start > burst_end + MAX_PAUSE_NS) {
            if (first != ROW_NONE)
                span_add(build, HOST_BUSY, burst_start, burst_end, EVIDENCE_API, first);
            first = call;
            burst_start = start;
            burst_end = end;
        }
        burst_end = end > burst_end ? end : burst_end;
        if (activity == HOST_COPY)
            activity = copy_activity(profile, call);
        if (activity == HOST_BUSY)
            continue;
        if (activity != HOST_SYNC || end - start > MIN_SYNC_NS)
            span_add(build, activity, start, end, EVIDENCE_API, call);
        if (start < last_wait_end)
            continue;
        last_wait_end = end;
        ARENA_PUSH(build->arena, line->waits, line->wait_count, build->wait_capacity) =
            (struct host_wait){start, end, call, (uint8_t)activity};
    }
    if (first != ROW_NONE)
        span_add(build, HOST_BUSY, burst_start, burst_end, EVIDENCE_API, first);
}

// Collects the outermost ranges of each kind.
static void collect_ranges(struct host_lines_build *build, const struct thread *thread)
{
    const struct ranges *ranges = &build->profile->ranges;
    for (uint32_t r = thread->first_range; r < thread->end_range; r++) {
        uint32_t marker = range_label(ranges, r)->marker, parent = AT(ranges->parent, r);
        const struct {
            bool matches;
            uint8_t flag;
            enum host_activity activity;
        } kinds[] = {
            {build->is_loader[marker], IN_LOADER, HOST_LOADER},
            {build->is_barrier[marker], IN_BARRIER, HOST_SYNC},
            {!(build->range_flags[r] & ENCLOSES_STEP), IN_BUSY, HOST_BUSY},
        };
        if (parent != ROW_NONE)
            build->range_flags[r] |= build->range_flags[parent] & IN_ANY;
        if (range_label(ranges, r)->ending != RANGE_CLOSED)
            continue;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            if (!kinds[k].matches || (build->range_flags[r] & kinds[k].flag))
                continue;
            build->range_flags[r] |= kinds[k].flag;
            span_add(build, kinds[k].activity, AT(ranges->start, r), AT(ranges->end, r),
                     EVIDENCE_RANGE, r);
        }
    }
}

// Returns range flags with ENCLOSES_STEP set for steps, ranges that enclose steps, and ranges that
// are no places: a thread inside one need not be busy.
static uint8_t *mark_enclosing_ranges(const struct profile *profile, struct arena *arena)
{
    const struct ranges *ranges = &profile->ranges;
    uint8_t *range_flags = ARENA_ARRAY(arena, uint8_t, (size_t)ranges->count + 1);
    for (uint32_t r = ranges->count; r-- > 0;) { // children come after their parents
        enum marker_kind kind = range_marker(profile, r)->kind;
        bool encloses_step = range_flags[r] || kind == MARKER_STEP;
        if (encloses_step && AT(ranges->parent, r) != ROW_NONE)
            range_flags[AT(ranges->parent, r)] = ENCLOSES_STEP;
        if (encloses_step || !marker_is_place(kind))
            range_flags[r] = ENCLOSES_STEP;
    }
    return range_flags;
}

// ---- one line -------------------------------------------------------------------------------

static int compare_spans(const void *context, uint32_t a, uint32_t b)
{
    const struct host_span *spans = context;
    return (spans[a].start > spans[b].start) - (spans[a].start < spans[b].start);
}

// Spans come from several tables, each of them sorted.
static void spans_sort(struct activity_spans *list, struct arena *scratch)
{
    bool is_sorted = true;
    for (size_t i = 1; i < list->count && is_sorted; i++)
        is_sorted = list->spans[i - 1].start <= list->spans[i].start;
    if (is_sorted)
        return;
    uint32_t *order = ARENA_ARRAY(scratch, uint32_t, list->count);
    for (size_t i = 0; i < list->count; i++)
        order[i] = (uint32_t)i;
    sort_ids(order, list->count, compare_spans, list->spans, scratch);
    struct host_span *sorted = ARENA_ARRAY(scratch, struct host_span, list->count);
    for (size_t i = 0; i < list->count; i++)
        sorted[i] = list->spans[order[i]];
    list->spans = sorted;
}

static void interval_add(struct host_lines_build *build, struct host_line *line,
                         struct host_interval interval)
{
    const struct host_interval *last = line->count ? &line->intervals[line->count - 1] : NULL;
    if (last && last->activity == interval.activity && last->row == interval.row)
        return;
    ARENA_PUSH(build->arena, line->intervals, line->count, build->interval_capacity) = interval;
}

// Makes the intervals of a line. Where spans of one activity overlap, the one that begins first
// counts.
static void sweep(struct host_lines_build *build, struct host_line *line)
{
    int64_t now = INT64_MIN;
    for (;;) {
        struct host_interval current = {now, ROW_NONE, HOST_NOTHING, EVIDENCE_NONE};
        int64_t next_change = INT64_MAX;
        for (int a = 0; a < HOST_NOTHING && current.activity == HOST_NOTHING; a++) {
            struct activity_spans *list = &build->lists[a];
            while (list->next < list->count && list->spans[list->next].end <= now)
                list->next++;
            if (list->next == list->count)
                continue;
            const struct host_span *span = &list->spans[list->next];
            int64_t change = span->start <= now ? span->end : span->start;
            next_change = change < next_change ? change : next_change;
            if (span->start <= now)
                current = (struct host_interval){now, span->row, (uint8_t)a, span->kind};
        }
        if (now != INT64_MIN)
            interval_add(build, line, current);
        if (next_change == INT64_MAX)
            return;
        now = next_change;
    }
}

static void make_line(struct host_lines_build *build, uint32_t row)
{
    const struct thread *thread = &build->profile->threads[row];
    struct host_line *line = &build->lines[row];
    memset(build->lists, 0, sizeof build->lists);
    build->interval_capacity = build->wait_capacity = 0;
    collect_overheads(build, thread);
    collect_calls(build, thread, line);
    collect_ranges(build, thread);
    for (int a = 0; a < HOST_NOTHING; a++)
        spans_sort(&build->lists[a], build->scratch);
    sweep(build, line);
}

static void lines_body(void *context, struct arena *scratch)
{
    struct host_lines_build *build = context;
    const struct profile *profile = build->profile;
    size_t names = strings_count(profile->strings);
    build->scratch = scratch;
    build->launches = ARENA_ARRAY(scratch, bool, (size_t)profile->thread_count + 1);
    for (uint32_t w = 0; HAS(profile->work.launch) && w < profile->work.count; w++)
        if (AT(profile->work.launch, w) != ROW_NONE)
            build->launches[AT(profile->api.thread, AT(profile->work.launch, w))] = true;
    build->activity_of_name = ARENA_ARRAY(scratch, uint8_t, names + 1);
    for (uint32_t i = 0; i < profile->api.count; i++)
        build->activity_of_name[AT(profile->api.name, i)] = 1; // mark the names that occur
    for (string_id id = 0; id < names; id++)
        if (build->activity_of_name[id])
            build->activity_of_name[id] = (uint8_t)api_activity(profile_text(profile, id));
    build->is_loader = host_loader_markers(profile, scratch);
    build->is_barrier = host_barrier_markers(profile, scratch);
    build->range_flags = mark_enclosing_ranges(profile, scratch);
    for (uint32_t t = 0; t < profile->thread_count; t++)
        if (build->launches[t])
            make_line(build, t);
}

struct host_line *host_lines(const struct profile *profile, struct arena *arena)
{
    struct host_lines_build build = {.profile = profile, .arena = arena};
    build.lines = ARENA_ARRAY(arena, struct host_line, (size_t)profile->thread_count + 1);
    scratch_run(arena, lines_body, &build);
    return build.lines;
}

// ---- queries -----------------------------------------------------------------------------------

size_t host_line_at(const struct host_line *line, size_t from, int64_t time)
{
    // The result is mostly near `from`: double the step until past `time`, then bisect.
    size_t low = from < line->count ? from : 0, step = 1;
    if (line->count == 0 || line->intervals[0].at > time)
        return SIZE_MAX;
    if (line->intervals[low].at > time)
        low = 0;
    while (low + step < line->count && line->intervals[low + step].at <= time) {
        low += step;
        step *= 2;
    }
    size_t high = low + step < line->count ? low + step : line->count; // begins after `time`
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (line->intervals[middle].at <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

const struct host_wait *host_line_wait(const struct host_line *line, int64_t time)
{
    size_t low = 0, high = line->wait_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (line->waits[middle].start <= time + CLOCK_ERROR_NS)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || line->waits[low - 1].end < time - CLOCK_ERROR_NS)
        return NULL;
    return &line->waits[low - 1];
}

static void *make_lines(const struct profile *profile, const struct selection *selection,
                        struct arena *arena)
{
    (void)selection;
    return host_lines(profile, arena);
}

static const struct memo_kind lines_memo = {.make = make_lines};

const struct host_line *host_lines_of(const struct profile *profile,
                                      const struct selection *selection, struct arena *arena)
{
    return memo_require(&lines_memo, profile, selection, arena);
}
