// SPDX-License-Identifier: Apache-2.0
#include "analysis/detect/host_slack.h"

#include <string.h>

#include "analysis/detect/collective_delay.h"
#include "analysis/detect/line_collectives.h"
#include "base/sort.h"

enum {
    NO_GROUP = UINT32_MAX,
    LATENCY_NS = 20000, // of a launch
    WAIT_NS = 20000,    // a shorter synchronising call did not wait
    MAX_CREDITS = 64,   // kept; older ones are dropped
    // A thread with less than 1/50 of the busiest one's launches does not drive the GPU.
    MIN_LAUNCHES_PART = 50,
};

// ---- host state, once per line ----------------------------------------------------------------

struct host_sync { // a call in which the host cannot be ahead of the GPU
    int64_t from, to;
};

struct slack_host {
    const struct host_line *lines; // [thread]
    bool *drives;                  // [thread]
    size_t count;
    struct host_sync *waits; // by end
    double *hidden;          // [window]: the part of late communication that computing could hide
};

static int compare_waits(const void *context, uint32_t a, uint32_t b)
{
    const struct host_sync *waits = context;
    return (waits[a].to > waits[b].to) - (waits[a].to < waits[b].to);
}

static void find_drivers(struct slack_host *host, const struct step_line *line)
{
    const struct profile *profile = line->profile;
    const struct device *device = &profile->devices[line->device];
    uint32_t *launches = ARENA_ARRAY(line->scratch, uint32_t, (size_t)profile->thread_count + 1);
    uint32_t max_launches = 0;
    for (uint32_t w = device->first_work; w < device->end_work; w++) {
        if (AT(profile->work.launch, w) == ROW_NONE)
            continue;
        uint32_t count = ++launches[AT(profile->api.thread, AT(profile->work.launch, w))];
        max_launches = count > max_launches ? count : max_launches;
    }
    for (uint32_t t = 0; t < profile->thread_count; t++)
        host->drives[t] = line->launches[t] && launches[t] > max_launches / MIN_LAUNCHES_PART;
}

static void find_waits(struct slack_host *host, const struct step_line *line)
{
    size_t count = 0, capacity = 0;
    struct host_sync *found = NULL;
    for (uint32_t t = 0; t < line->profile->thread_count; t++) {
        const struct host_line *thread = &host->lines[t];
        for (size_t i = 0; host->drives[t] && i < thread->wait_count; i++) {
            const struct host_wait *wait = &thread->waits[i];
            if (wait->activity == HOST_SYNC || wait->activity == HOST_COPY)
                ARENA_PUSH(line->scratch, found, count, capacity) =
                    (struct host_sync){wait->start, wait->end};
        }
        for (size_t i = 0; host->drives[t] && i + 1 < thread->count; i++)
            if (thread->intervals[i].activity == HOST_QUEUE_FULL)
                ARENA_PUSH(line->scratch, found, count, capacity) =
                    (struct host_sync){thread->intervals[i].at, thread->intervals[i + 1].at};
    }
    uint32_t *order = ARENA_ARRAY(line->scratch, uint32_t, count + 1);
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    sort_ids(order, count, compare_waits, found, line->scratch);
    host->waits = ARENA_ARRAY(line->scratch, struct host_sync, count + 1);
    for (size_t i = 0; i < count; i++)
        host->waits[host->count++] = found[order[i]];
}

// Returns until when exposed communication is due to the host, which launched the next computing
// late.
static int64_t alone_until(const struct line_interval *interval, int64_t launched)
{
    return launched < interval->to ? launched : interval->to;
}

// Late communication could be hidden behind computing that hides no communication yet. If a window
// has less of that, every late communication counts in part.
static void find_hidden(struct slack_host *host, struct step_line *line)
{
    const int64_t *launches = line_late_launches(line);
    int64_t *late = ARENA_ARRAY(line->scratch, int64_t, (size_t)line->window_count + 1);
    int64_t *alone = ARENA_ARRAY(line->scratch, int64_t, (size_t)line->window_count + 1);
    struct cover comm = {0};
    host->hidden = ARENA_ARRAY(line->scratch, double, (size_t)line->window_count + 1);
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        if (interval->class != CLASS_COMM)
            continue;
        alone[interval->window] += interval->to - interval->from;
        if (launches[s] > interval->from)
            late[interval->window] += alone_until(interval, launches[s]) - interval->from;
    }
    for (uint32_t w = 0; w < line->window_count; w++) {
        const struct line_window *window = &line->windows[w];
        int64_t all = 0;
        if (late[w] == 0)
            continue;
        if (!comm.classes)
            comm = cover_device(line, line->device, 1U << CLASS_COMM);
        cover_add(&comm, window->from, window->to, &all);
        // Opaque graphs count once, as they are part of `all`.
        int64_t room = window->compute_ns + 2 * window->opaque_ns;
        room -= all > alone[w] ? all - alone[w] : 0;
        double part = (double)room / (double)late[w];
        host->hidden[w] = part < 0 ? 0 : part < 1 ? part : 1;
    }
}

static const struct slack_host *slack_host(struct step_line *line)
{
    if (line->slack_host)
        return line->slack_host;
    struct slack_host *host = ARENA_NEW(line->scratch, struct slack_host);
    host->lines = host_lines_of(line->profile, line->selection, line->scratch);
    host->drives = ARENA_ARRAY(line->scratch, bool, (size_t)line->profile->thread_count + 1);
    find_drivers(host, line);
    find_waits(host, line);
    find_hidden(host, line);
    return line->slack_host = host;
}

const struct host_line *driving_line(struct step_line *line, uint32_t thread)
{
    const struct slack_host *host = slack_host(line);
    return host->drives[thread] ? &host->lines[thread] : NULL;
}

// ---- time spent -------------------------------------------------------------------------------

void slack_add(struct host_slack *slack, int64_t from, int64_t to, uint32_t group)
{
    if (to > from)
        ARENA_PUSH(slack->scan->line->scratch, slack->spans, slack->count, slack->capacity) =
            (struct slack_span){from, to, group};
}

void slack_add_activity(struct host_slack *slack, enum host_activity activity, int64_t from,
                        int64_t to, uint32_t group)
{
    for (uint32_t t = 0; t < slack->scan->line->profile->thread_count; t++) {
        const struct host_line *line = driving_line(slack->scan->line, t);
        for (size_t i = 0; line && i + 1 < line->count; i++)
            if (line->intervals[i].activity == activity && line->intervals[i].at >= from &&
                line->intervals[i].at < to)
                slack_add(slack, line->intervals[i].at, line->intervals[i + 1].at, group);
    }
}

static int compare_spans(const void *context, uint32_t a, uint32_t b)
{
    const struct slack_span *spans = context;
    return (spans[a].from > spans[b].from) - (spans[a].from < spans[b].from);
}

// Sorts the spans and makes them disjoint: what two threads spend at once counts for the first.
static void sort_spans(struct host_slack *slack)
{
    struct arena *scratch = slack->scan->line->scratch;
    uint32_t *order = ARENA_ARRAY(scratch, uint32_t, slack->count + 1);
    for (size_t i = 0; i < slack->count; i++)
        order[i] = (uint32_t)i;
    sort_ids(order, slack->count, compare_spans, slack->spans, scratch);
    struct slack_span *sorted = ARENA_ARRAY(scratch, struct slack_span, slack->count + 1);
    int64_t covered = INT64_MIN;
    size_t count = 0;
    for (size_t i = 0; i < slack->count; i++) {
        struct slack_span span = slack->spans[order[i]];
        span.from = span.from > covered ? span.from : covered;
        if (span.to <= span.from)
            continue;
        covered = span.to;
        sorted[count++] = span;
    }
    ARENA_RELEASE(scratch, order, slack->count + 1);
    ARENA_RELEASE(scratch, slack->spans, slack->capacity);
    slack->spans = sorted;
    slack->capacity = slack->count + 1;
    slack->count = count;
}

// ---- gain -------------------------------------------------------------------------------------

struct slack_credit { // saved host time that no idle time was requested for yet
    int64_t ns;
    uint32_t group;
};

struct slack_walk {
    struct host_slack *slack;
    const struct slack_host *host;
    size_t span, wait; // next rows of slack->spans and host->waits
    int64_t spent;     // the current span is done up to here
    size_t count;
    struct slack_credit credits[MAX_CREDITS]; // the latest is used first
    uint32_t window;
    int64_t dry; // since when the GPU is idle
    int64_t skew;
    bool is_direct; // only time spent in the interval itself counts
};

// Converts from the host's clock to the GPU's.
static void walk_request(struct slack_walk *walk, int64_t from, int64_t to, uint32_t group)
{
    scan_request(walk->slack->scan, from - walk->skew, to - walk->skew, group, walk->window);
}

static void walk_add_credit(struct slack_walk *walk, int64_t ns, uint32_t group)
{
    if (ns <= 0)
        return;
    if (walk->count && walk->credits[walk->count - 1].group == group) {
        walk->credits[walk->count - 1].ns += ns;
        return;
    }
    if (walk->count == MAX_CREDITS)
        memmove(walk->credits, walk->credits + 1, --walk->count * sizeof *walk->credits);
    walk->credits[walk->count++] = (struct slack_credit){ns, group};
}

static void walk_use_credit(struct slack_walk *walk, int64_t from, int64_t to)
{
    while (from < to && walk->count && !walk->is_direct) {
        struct slack_credit *credit = &walk->credits[walk->count - 1];
        int64_t part = credit->ns < to - from ? credit->ns : to - from;
        walk_request(walk, from, from + part, credit->group);
        credit->ns -= part;
        from += part;
        walk->count -= credit->ns == 0;
    }
}

// Returns the group that would remove the call, or NO_GROUP.
static uint32_t spent_group(const struct slack_walk *walk, const struct host_sync *wait)
{
    const struct host_slack *slack = walk->slack;
    // Spans that contain it are near the current one.
    for (size_t i = walk->span ? walk->span - 1 : 0;
         i < slack->count && slack->spans[i].from <= wait->from; i++)
        if (slack->spans[i].to >= wait->to)
            return slack->spans[i].group;
    return NO_GROUP;
}

// Limits the total credit to `ns`, except for the group's own credit.
static void walk_limit(struct slack_walk *walk, int64_t ns, uint32_t group)
{
    for (size_t i = walk->count; i-- > 0;) {
        struct slack_credit *credit = &walk->credits[i];
        if (credit->group == group)
            continue;
        credit->ns = credit->ns < ns ? credit->ns : ns;
        ns -= credit->ns;
    }
    while (walk->count && walk->credits[walk->count - 1].ns == 0)
        walk->count--;
}

// Passes calls in which the host waits for the GPU: however early it makes them, it leaves them no
// earlier than the GPU is done. A group that removes the call is not limited by it.
static void walk_waits(struct slack_walk *walk, int64_t until)
{
    for (; walk->wait < walk->host->count && walk->host->waits[walk->wait].to <= until;
         walk->wait++) {
        const struct host_sync *wait = &walk->host->waits[walk->wait];
        uint32_t group = spent_group(walk, wait);
        if (wait->to - wait->from > WAIT_NS)
            walk_limit(walk, 0, group);
        else if (wait->from >= walk->dry)
            walk_limit(walk, wait->from - walk->dry, group);
    }
}

// Handles GPU idle time [from, to) on the host's clock, up to a launch at `to`.
static void walk_idle(struct slack_walk *walk, int64_t from, int64_t to)
{
    const struct host_slack *slack = walk->slack;
    int64_t done = from;
    walk->dry = from;
    while (walk->span < slack->count && slack->spans[walk->span].from < to) {
        const struct slack_span *span = &slack->spans[walk->span];
        int64_t start = span->from > walk->spent ? span->from : walk->spent;
        int64_t end = span->to < to ? span->to : to;
        walk_waits(walk, start);
        walk_add_credit(walk, (end < from ? end : from) - start, span->group);
        if (end > from) {
            start = start > from ? start : from;
            walk_use_credit(walk, done, start);
            walk_request(walk, start, end, span->group);
            done = end;
        }
        walk->spent = end;
        if (span->to > to)
            return; // the span continues after the launch, on another thread
        walk->span++;
    }
    walk_waits(walk, to);
    walk_use_credit(walk, done, to);
}

void slack_sum(struct host_slack *slack, unsigned sum)
{
    const struct step_line *line = slack->scan->line;
    uint32_t w = 0;
    sort_spans(slack);
    for (size_t i = 0; i < slack->count; i++) {
        int64_t from = slack->spans[i].from - line->idle->skew_ns;
        int64_t to = slack->spans[i].to - line->idle->skew_ns;
        while (w < line->window_count && line->windows[w].to <= from)
            w++;
        for (uint32_t at = w; at < line->window_count && line->windows[at].from < to; at++) {
            const struct line_window *window = &line->windows[at];
            scan_add(slack->scan, sum, at,
                     (window->to < to ? window->to : to) -
                         (window->from > from ? window->from : from));
        }
    }
}

// Handles exposed communication: requests what alone_until() and find_hidden() allow. A launch
// after its end may have waited for the communication; then only time spent during it counts.
static void walk_alone(struct slack_walk *walk, const struct line_interval *interval,
                       int64_t launched)
{
    double part = walk->host->hidden[interval->window];
    int64_t late = (int64_t)(part * (double)(alone_until(interval, launched) - interval->from));
    bool is_after = launched >= interval->to;
    if (is_after && walk->slack->is_waiting)
        return; // probably for this very communication
    walk->is_direct = is_after;
    walk_idle(walk, interval->from + walk->skew, interval->from + late + walk->skew);
    walk->is_direct = false;
}

// True for a copy on a stream of its own that began at its launch, with nothing beside it: launched
// earlier it would have run beside the work before.
static bool is_late_copy(const struct slack_walk *walk, const struct line_interval *interval)
{
    const struct profile *profile = walk->slack->scan->line->profile;
    const struct gpu_work *work = &profile->work;
    uint32_t launch = AT(work->launch, interval->work);
    return interval->class == CLASS_COPY && launch != ROW_NONE &&
           profile->streams[AT(work->stream, interval->work)].role != ROLE_COMPUTE &&
           walk->host->drives[AT(profile->api.thread, launch)] &&
           AT(work->start, interval->work) + walk->skew - AT(profile->api.start, launch) <
               LATENCY_NS;
}

// Returns until when, in idle time that ends at `to`, the host is late with a launch. Time after
// the start of the call goes away with the gap, unless the work waits for other work; time spent in
// the call itself does not.
static int64_t late_until(const struct slack_walk *walk, uint32_t launch, int64_t to)
{
    const struct host_slack *slack = walk->slack;
    const struct api_calls *api = &slack->scan->line->profile->api;
    int64_t start = AT(api->start, launch), end = AT(api->end, launch);
    if (start >= to - LATENCY_NS)
        return to;
    int64_t until = start;
    for (size_t i = walk->span; i < slack->count && slack->spans[i].from < end; i++)
        if (slack->spans[i].from >= start)
            until = slack->spans[i].to < end ? slack->spans[i].to : end;
    return until < to ? until : to;
}

void slack_request(struct host_slack *slack)
{
    struct step_line *line = slack->scan->line;
    const struct profile *profile = line->profile;
    struct slack_walk walk = {
        .slack = slack, .host = slack_host(line), .spent = INT64_MIN, .skew = line->idle->skew_ns};
    int64_t covered = INT64_MIN;
    sort_spans(slack);
    const int64_t *launches = slack->count ? line_late_launches(line) : NULL;
    for (size_t s = 0; s < line->count && slack->count; s++) {
        const struct line_interval *idle = &line->intervals[s];
        if (idle->from > covered) {
            walk_idle(&walk, idle->from + walk.skew, idle->from + walk.skew);
            walk.count = 0; // time before and between windows is ignored
        }
        walk.window = idle->window;
        covered = idle->to;
        if (idle->class == CLASS_COMM && launches[s] > idle->from)
            walk_alone(&walk, idle, launches[s]);
        else if (idle->work != ROW_NONE && is_late_copy(&walk, idle))
            walk_use_credit(&walk, idle->from + walk.skew, idle->to + walk.skew);
        if (idle->work != ROW_NONE)
            continue;
        uint32_t launch = AT(profile->work.launch, idle->next);
        if (launch == ROW_NONE || !walk.host->drives[AT(profile->api.thread, launch)])
            continue;
        int64_t from = idle->from + walk.skew, to = idle->to + walk.skew;
        to = late_until(&walk, launch, to);
        // A call in progress when the queue ran dry was also too late.
        if (to - from > QUEUE_GAP_NS && AT(profile->api.end, launch) > from)
            walk_idle(&walk, from, to);
    }
    request_collective_delays(slack->scan);
    ARENA_RELEASE(line->scratch, slack->spans, slack->capacity);
    *slack = (struct host_slack){.scan = slack->scan};
}
