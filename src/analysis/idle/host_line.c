// SPDX-License-Identifier: Apache-2.0
#include "analysis/idle/host_line.h"

#include <string.h>

#include "analysis/report/memo.h"
#include "base/scratch.h"
#include "base/sort.h"
#include "model/markers/markers.h"
#include "model/profile/copy_kinds.h"

enum {
    CLOCKS_NS = 1000,   // agreement between the host's clock and the GPU's
    SYNC_NS = 20000,    // a shorter synchronising call did not wait
    APART_NS = 1000000, // calls less than this apart count as continuous launching
};

// ---- hidden graphs -----------------------------------------------------------------------------

bool host_has_hidden_graphs(const struct profile *profile, struct arena *scratch)
{
    const struct api_calls *api = &profile->api;
    const struct strings *strings = profile->strings;
    bool *is_graph = ARENA_ARRAY(scratch, bool, (size_t)strings_count(strings) + 1);
    bool any = false;
    for (uint32_t i = 0; i < api->count; i++)
        if (strstr(strings_text(strings, AT(api->name, i)), "GraphLaunch"))
            any = is_graph[AT(api->name, i)] = true;
    uint32_t launched = 0, hidden = 0;
    for (uint32_t i = 0; any && i < api->count; i++)
        if (is_graph[AT(api->name, i)]) {
            launched++;
            hidden += AT(api->first_work, i) == AT(api->first_work, i + 1);
        }
    return 2 * hidden > launched;
}

// ---- spans of one thread -----------------------------------------------------------------------

struct host_span { // one interval of an activity
    int64_t start, end;
    uint32_t row;
    uint8_t kind;
};

struct host_pile { // the spans of one activity; sorted by start once the thread is collected
    size_t count, capacity, next;
    struct host_span *spans;
};

enum host_range_flag {
    WRAPS = 1, // a step or something around steps: no evidence of work
    IN_LOADER = 2,
    IN_BARRIER = 4,
    IN_BUSY = 8,
    IN_ANY = IN_LOADER | IN_BARRIER | IN_BUSY,
};

struct host_lines_build {
    const struct profile *profile;
    struct arena *arena, *scratch;
    struct host_line *all;
    bool *launches;       // [thread]
    uint8_t *of_name;     // [string id]: enum host_activity of API calls with that name
    bool *is_loader;      // [marker]
    bool *is_barrier;     // [marker]
    uint8_t *range_flags; // [range]: enum host_range_flag
    struct host_pile piles[HOST_NOTHING];
    size_t interval_capacity, wait_capacity;
};

static void pile_add(struct host_lines_build *build, enum host_activity activity, int64_t start,
                     int64_t end, enum evidence_kind kind, uint32_t row)
{
    struct host_pile *pile = &build->piles[activity];
    if (end > start)
        ARENA_PUSH(build->scratch, pile->spans, pile->count, pile->capacity) =
            (struct host_span){start, end, row, (uint8_t)kind};
}

static void collect_overheads(struct host_lines_build *build, const struct thread *thread)
{
    const struct overheads *rows = &build->profile->overheads;
    for (uint32_t i = thread->first_overhead; i < thread->end_overhead; i++)
        pile_add(build, overhead_activity(profile_text(build->profile, rows->name[i])),
                 AT(rows->start, i), AT(rows->end, i), EVIDENCE_OVERHEAD, i);
}

// Returns what a copy does to its thread: an asynchronous copy waits if the host memory is
// pageable, and only copies to the host are certain to wait for earlier work.
static enum host_activity copy_activity(const struct profile *profile, uint32_t call)
{
    const struct api_calls *api = &profile->api;
    struct row_span span = api_work(api, call);
    for (uint32_t i = span.first; i < span.end; i++) {
        uint32_t work = AT(api->work_rows, i);
        const struct copy *copy = work_copy(profile, work);
        if (copy && AT(profile->work.end, work) <= AT(api->end, call) + CLOCKS_NS)
            return copy->copy_kind == COPY_DTOH ? HOST_SYNC : HOST_COPY;
    }
    return HOST_BUSY;
}

// Calls may nest (a runtime call over a driver call); the outer call counts.
static void collect_calls(struct host_lines_build *build, const struct thread *thread,
                          struct host_line *line)
{
    const struct profile *profile = build->profile;
    const struct api_calls *api = &profile->api;
    // A burst is calls in quick succession, starting with call `first`.
    int64_t burst = 0, covered = INT64_MIN;
    int64_t waited = INT64_MIN;
    uint32_t first = ROW_NONE;
    for (uint32_t call = thread->first_api; call < thread->end_api; call++) {
        int64_t start = AT(api->start, call), end = AT(api->end, call);
        enum host_activity activity = build->of_name[AT(api->name, call)];
        if (first == ROW_NONE || start > covered + APART_NS) {
            if (first != ROW_NONE)
                pile_add(build, HOST_BUSY, burst, covered, EVIDENCE_API, first);
            first = call;
            burst = start;
            covered = end;
        }
        covered = end > covered ? end : covered;
        if (activity == HOST_COPY)
            activity = copy_activity(profile, call);
        if (activity == HOST_BUSY)
            continue;
        if (activity != HOST_SYNC || end - start > SYNC_NS)
            pile_add(build, activity, start, end, EVIDENCE_API, call);
        if (start < waited)
            continue;
        waited = end;
        ARENA_PUSH(build->arena, line->waits, line->wait_count, build->wait_capacity) =
            (struct host_wait){start, end, call, (uint8_t)activity};
    }
    if (first != ROW_NONE)
        pile_add(build, HOST_BUSY, burst, covered, EVIDENCE_API, first);
}

// Collects the outermost ranges of each kind.
static void collect_ranges(struct host_lines_build *build, const struct thread *thread)
{
    const struct ranges *ranges = &build->profile->ranges;
    for (uint32_t r = thread->first_range; r < thread->end_range; r++) {
        uint32_t marker = range_label(ranges, r)->marker, parent = AT(ranges->parent, r);
        const struct {
            bool matches;
            uint8_t lies_in;
            enum host_activity activity;
        } kinds[] = {
            {build->is_loader[marker], IN_LOADER, HOST_LOADER},
            {build->is_barrier[marker], IN_BARRIER, HOST_SYNC},
            {!(build->range_flags[r] & WRAPS), IN_BUSY, HOST_BUSY},
        };
        if (parent != ROW_NONE)
            build->range_flags[r] |= build->range_flags[parent] & IN_ANY;
        if (range_label(ranges, r)->ending != RANGE_CLOSED)
            continue;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            if (!kinds[k].matches || (build->range_flags[r] & kinds[k].lies_in))
                continue;
            build->range_flags[r] |= kinds[k].lies_in;
            pile_add(build, kinds[k].activity, AT(ranges->start, r), AT(ranges->end, r),
                     EVIDENCE_RANGE, r);
        }
    }
}

// Marks steps and the ranges around them: being in one says nothing about a thread's activity.
static uint8_t *find_wraps(const struct profile *profile, struct arena *arena)
{
    const struct ranges *ranges = &profile->ranges;
    uint8_t *range_flags = ARENA_ARRAY(arena, uint8_t, (size_t)ranges->count + 1);
    for (uint32_t r = ranges->count; r-- > 0;) { // children come after their parents
        enum marker_kind kind = range_marker(profile, r)->kind;
        bool holds_step = range_flags[r] || kind == MARKER_STEP;
        if (holds_step && AT(ranges->parent, r) != ROW_NONE)
            range_flags[AT(ranges->parent, r)] = WRAPS;
        if (holds_step || !marker_is_place(kind))
            range_flags[r] = WRAPS;
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
static void pile_sort(struct host_pile *pile, struct arena *scratch)
{
    bool is_sorted = true;
    for (size_t i = 1; i < pile->count && is_sorted; i++)
        is_sorted = pile->spans[i - 1].start <= pile->spans[i].start;
    if (is_sorted)
        return;
    uint32_t *order = ARENA_ARRAY(scratch, uint32_t, pile->count);
    for (size_t i = 0; i < pile->count; i++)
        order[i] = (uint32_t)i;
    sort_ids(order, pile->count, compare_spans, pile->spans, scratch);
    struct host_span *sorted = ARENA_ARRAY(scratch, struct host_span, pile->count);
    for (size_t i = 0; i < pile->count; i++)
        sorted[i] = pile->spans[order[i]];
    pile->spans = sorted;
}

static void interval_add(struct host_lines_build *build, struct host_line *line,
                         struct host_interval interval)
{
    const struct host_interval *last = line->count ? &line->intervals[line->count - 1] : NULL;
    if (last && last->activity == interval.activity && last->row == interval.row)
        return;
    ARENA_PUSH(build->arena, line->intervals, line->count, build->interval_capacity) = interval;
}

// Within an activity, the span that begins first owns each instant until it ends.
static void sweep(struct host_lines_build *build, struct host_line *line)
{
    int64_t now = INT64_MIN;
    for (;;) {
        struct host_interval owner = {now, ROW_NONE, HOST_NOTHING, EVIDENCE_NONE};
        int64_t until = INT64_MAX;
        for (int a = 0; a < HOST_NOTHING && owner.activity == HOST_NOTHING; a++) {
            struct host_pile *pile = &build->piles[a];
            while (pile->next < pile->count && pile->spans[pile->next].end <= now)
                pile->next++;
            if (pile->next == pile->count)
                continue;
            const struct host_span *span = &pile->spans[pile->next];
            int64_t change = span->start <= now ? span->end : span->start;
            until = change < until ? change : until;
            if (span->start <= now)
                owner = (struct host_interval){now, span->row, (uint8_t)a, span->kind};
        }
        if (now != INT64_MIN)
            interval_add(build, line, owner);
        if (until == INT64_MAX)
            return;
        now = until;
    }
}

static void make_line(struct host_lines_build *build, uint32_t row)
{
    const struct thread *thread = &build->profile->threads[row];
    struct host_line *line = &build->all[row];
    memset(build->piles, 0, sizeof build->piles);
    build->interval_capacity = build->wait_capacity = 0;
    collect_overheads(build, thread);
    collect_calls(build, thread, line);
    collect_ranges(build, thread);
    for (int a = 0; a < HOST_NOTHING; a++)
        pile_sort(&build->piles[a], build->scratch);
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
    build->of_name = ARENA_ARRAY(scratch, uint8_t, names + 1);
    for (uint32_t i = 0; i < profile->api.count; i++)
        build->of_name[AT(profile->api.name, i)] = 1; // mark the names that occur
    for (string_id id = 0; id < names; id++)
        if (build->of_name[id])
            build->of_name[id] = (uint8_t)api_activity(profile_text(profile, id));
    build->is_loader = host_loader_markers(profile, scratch);
    build->is_barrier = host_barrier_markers(profile, scratch);
    build->range_flags = find_wraps(profile, scratch);
    for (uint32_t t = 0; t < profile->thread_count; t++)
        if (build->launches[t])
            make_line(build, t);
}

struct host_line *host_lines(const struct profile *profile, struct arena *arena)
{
    struct host_lines_build build = {.profile = profile, .arena = arena};
    build.all = ARENA_ARRAY(arena, struct host_line, (size_t)profile->thread_count + 1);
    scratch_run(arena, lines_body, &build);
    return build.all;
}

// ---- queries -----------------------------------------------------------------------------------

size_t host_line_at(const struct host_line *line, size_t from, int64_t time)
{
    // The result is mostly near the previous one: double the step, then halve the interval.
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
        if (line->waits[middle].start <= time + CLOCKS_NS)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || line->waits[low - 1].end < time - CLOCKS_NS)
        return NULL;
    return &line->waits[low - 1];
}

static void *keep(const struct profile *profile, const struct selection *selection,
                  struct arena *arena)
{
    (void)selection;
    return host_lines(profile, arena);
}

static const struct memo_kind kept_lines = {.make = keep};

const struct host_line *host_lines_of(const struct profile *profile,
                                      const struct selection *selection, struct arena *arena)
{
    return memo_require(&kept_lines, profile, selection, arena);
}
