// SPDX-License-Identifier: Apache-2.0
// Computes how much idle time of a GPU would disappear if the host did not spend certain time, see
// host_slack.h.
//
// Detectors add spans: host time that would be saved. slack_request() then walks the line of a GPU
// in order of time:
//   - idle time during a span is requested, since it would disappear;
//   - a span during which the GPU is busy becomes a credit: launches after it would come that much
//     earlier, so an equal amount of later idle time is requested;
//   - when the host waits for the GPU it is no longer ahead, so the credits are dropped.
#include "analysis/detect/host_slack.h"

#include <string.h>

#include "analysis/detect/collective_delay.h"
#include "analysis/detect/line_collectives.h"
#include "base/sort.h"

enum {
    NO_GROUP = UINT32_MAX,
    LATENCY_NS = 20000, // maximum from a launch to the start of its work, if nothing delays it
    WAIT_NS = 20000,    // a synchronising call that is shorter did not wait
    MAX_CREDITS = 64,   // if there are more, the oldest is dropped
    // a thread drives the GPU if it has more than 1/50 of the launches of the thread with most
    MIN_LAUNCHES_PART = 50,
};

// ---- host state, once per line ----------------------------------------------------------------

struct host_sync { // a call in which the host waits for the GPU, so it is not ahead afterwards
    int64_t from, to;
};

struct slack_host {
    const struct host_line *lines; // [thread]
    bool *drives;                  // [thread] has a notable share of the launches
    size_t count;                  // of `waits`
    struct host_sync *waits;       // sorted by end
    double *overlap_share;         // [window]: see find_overlap_shares()
};

static int compare_waits(const void *context, uint32_t a, uint32_t b)
{
    const struct host_sync *waits = context;
    return (waits[a].to > waits[b].to) - (waits[a].to < waits[b].to);
}

static void find_driving_threads(struct slack_host *host, const struct step_line *line)
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

// Collects the calls in which driving threads wait for the GPU, or for room in its queue.
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

// Returns the end of the late part of exposed communication: until the next compute kernel was
// launched, at `launched`, it could not overlap with it.
static int64_t late_comm_end(const struct line_interval *interval, int64_t launched)
{
    return launched < interval->to ? launched : interval->to;
}

// Had the host launched the next compute kernel in time, the late part of exposed communication
// would overlap with it. The room for this in a window is its compute time that does not overlap
// with communication yet. If that is less than the late communication, only a share of each late
// part counts.
static void find_overlap_shares(struct slack_host *host, struct step_line *line)
{
    const int64_t *launches = line_late_launches(line);
    int64_t *late = ARENA_ARRAY(line->scratch, int64_t, (size_t)line->window_count + 1);
    int64_t *exposed = ARENA_ARRAY(line->scratch, int64_t, (size_t)line->window_count + 1);
    struct cover comm = {0};
    host->overlap_share = ARENA_ARRAY(line->scratch, double, (size_t)line->window_count + 1);
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        if (interval->class != CLASS_COMM)
            continue;
        exposed[interval->window] += interval->to - interval->from;
        if (launches[s] > interval->from)
            late[interval->window] += late_comm_end(interval, launches[s]) - interval->from;
    }
    for (uint32_t w = 0; w < line->window_count; w++) {
        const struct line_window *window = &line->windows[w];
        int64_t all = 0;
        if (late[w] == 0)
            continue;
        if (!comm.classes)
            comm = device_activity_cover(line, line->device, 1U << CLASS_COMM);
        cover_add(&comm, window->from, window->to, &all);
        // Twice: opaque graphs are also part of `all`, which is subtracted, so they count once.
        int64_t free_compute_ns = window->compute_ns + 2 * window->opaque_ns;
        free_compute_ns -= all > exposed[w] ? all - exposed[w] : 0;
        double part = (double)free_compute_ns / (double)late[w];
        host->overlap_share[w] = part < 0 ? 0 : part < 1 ? part : 1;
    }
}

static const struct slack_host *slack_host(struct step_line *line)
{
    if (line->slack_host)
        return line->slack_host;
    struct slack_host *host = ARENA_NEW(line->scratch, struct slack_host);
    host->lines = host_lines_of(line->profile, line->selection, line->scratch);
    host->drives = ARENA_ARRAY(line->scratch, bool, (size_t)line->profile->thread_count + 1);
    find_driving_threads(host, line);
    find_waits(host, line);
    find_overlap_shares(host, line);
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

// Sorts the spans and makes them disjoint: time that two threads spend at once counts for the span
// that begins first.
static void sort_spans(struct host_slack *slack)
{
    struct arena *scratch = slack->scan->line->scratch;
    uint32_t *order = ARENA_ARRAY(scratch, uint32_t, slack->count + 1);
    for (size_t i = 0; i < slack->count; i++)
        order[i] = (uint32_t)i;
    sort_ids(order, slack->count, compare_spans, slack->spans, scratch);
    struct slack_span *sorted = ARENA_ARRAY(scratch, struct slack_span, slack->count + 1);
    int64_t covered_to = INT64_MIN;
    size_t count = 0;
    for (size_t i = 0; i < slack->count; i++) {
        struct slack_span span = slack->spans[order[i]];
        span.from = span.from > covered_to ? span.from : covered_to;
        if (span.to <= span.from)
            continue;
        covered_to = span.to;
        sorted[count++] = span;
    }
    ARENA_RELEASE(scratch, order, slack->count + 1);
    ARENA_RELEASE(scratch, slack->spans, slack->capacity);
    slack->spans = sorted;
    slack->capacity = slack->count + 1;
    slack->count = count;
}

// ---- gain -------------------------------------------------------------------------------------

struct slack_credit { // saved host time that has not removed any idle time yet
    int64_t ns;
    uint32_t group;
};

struct slack_walk {
    struct host_slack *slack;
    const struct slack_host *host;
    size_t span, wait;     // indexes of the next of slack->spans and host->waits
    int64_t handled_until; // the current span was handled up to this time
    size_t count;
    struct slack_credit credits[MAX_CREDITS]; // the latest is used first
    uint32_t window;
    int64_t idle_since;   // start of the current idle time, host clock
    int64_t skew;         // host clock minus GPU clock
    bool ignores_credits; // credits are not used: only spans in the interval itself count
};

// Requests idle time that is given on the host's clock; scan_request() takes the GPU's.
static void request_idle(struct slack_walk *walk, int64_t from, int64_t to, uint32_t group)
{
    scan_request(walk->slack->scan, from - walk->skew, to - walk->skew, group, walk->window);
}

static void add_credit(struct slack_walk *walk, int64_t ns, uint32_t group)
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

static void use_credits(struct slack_walk *walk, int64_t from, int64_t to)
{
    while (from < to && walk->count && !walk->ignores_credits) {
        struct slack_credit *credit = &walk->credits[walk->count - 1];
        int64_t part = credit->ns < to - from ? credit->ns : to - from;
        request_idle(walk, from, from + part, credit->group);
        credit->ns -= part;
        from += part;
        walk->count -= credit->ns == 0;
    }
}

// Returns the group of a span that contains the whole call, which would thus disappear, or
// NO_GROUP.
static uint32_t group_containing_call(const struct slack_walk *walk, const struct host_sync *wait)
{
    const struct host_slack *slack = walk->slack;
    // A span that contains the call is the previous one or one from the current one on.
    for (size_t i = walk->span ? walk->span - 1 : 0;
         i < slack->count && slack->spans[i].from <= wait->from; i++)
        if (slack->spans[i].to >= wait->to)
            return slack->spans[i].group;
    return NO_GROUP;
}

// Reduces the credits of all groups except `group` to `ns` in total, oldest first.
static void limit_credits(struct slack_walk *walk, int64_t ns, uint32_t group)
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

// Handles the calls up to `until` in which the host waits for the GPU. Even if the host makes such
// a call earlier, the call returns only when the GPU is done, so host time saved before it does not
// help afterwards. If the call did not wait, credits are limited to the time for which the GPU had
// been idle. Credits of a group that contains the call are not limited.
static void handle_waits(struct slack_walk *walk, int64_t until)
{
    for (; walk->wait < walk->host->count && walk->host->waits[walk->wait].to <= until;
         walk->wait++) {
        const struct host_sync *wait = &walk->host->waits[walk->wait];
        uint32_t group = group_containing_call(walk, wait);
        if (wait->to - wait->from > WAIT_NS)
            limit_credits(walk, 0, group);
        else if (wait->from >= walk->idle_since)
            limit_credits(walk, wait->from - walk->idle_since, group);
    }
}

// Handles idle time [from, to) of the GPU (host clock), which a launch at `to` ends: makes credits
// of the spans before it, then requests the time during spans and, for the rest, uses credits.
static void handle_idle(struct slack_walk *walk, int64_t from, int64_t to)
{
    const struct host_slack *slack = walk->slack;
    int64_t handled_to = from;
    walk->idle_since = from;
    while (walk->span < slack->count && slack->spans[walk->span].from < to) {
        const struct slack_span *span = &slack->spans[walk->span];
        int64_t start = span->from > walk->handled_until ? span->from : walk->handled_until;
        int64_t end = span->to < to ? span->to : to;
        handle_waits(walk, start);
        add_credit(walk, (end < from ? end : from) - start, span->group);
        if (end > from) {
            start = start > from ? start : from;
            use_credits(walk, handled_to, start);
            request_idle(walk, start, end, span->group);
            handled_to = end;
        }
        walk->handled_until = end;
        if (span->to > to)
            return; // the span continues after the launch, on another thread
        walk->span++;
    }
    handle_waits(walk, to);
    use_credits(walk, handled_to, to);
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

// Handles the late part of exposed communication like idle time, reduced by overlap_share. If the
// next compute kernel was launched only after the communication, the host may have waited for it;
// then only spans during the communication count.
static void handle_exposed_comm(struct slack_walk *walk, const struct line_interval *interval,
                                int64_t launched)
{
    double part = walk->host->overlap_share[interval->window];
    int64_t late = (int64_t)(part * (double)(late_comm_end(interval, launched) - interval->from));
    bool is_after = launched >= interval->to;
    if (is_after && walk->slack->is_waiting)
        return; // probably waits for this very communication
    walk->ignores_credits = is_after;
    handle_idle(walk, interval->from + walk->skew, interval->from + late + walk->skew);
    walk->ignores_credits = false;
}

// Returns true for an exposed copy outside the compute streams that began as soon as it was
// launched: launched earlier, it would have overlapped with the work before.
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

// Idle time that ends at `to` is due to a late launch up to the returned time. If the launch call
// began just before `to`, that is `to`. Otherwise the work also waited for other work: then it is
// the start of the call, or the end of the last span inside the call.
static int64_t late_launch_end(const struct slack_walk *walk, uint32_t launch, int64_t to)
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
    struct slack_walk walk = {.slack = slack,
                              .host = slack_host(line),
                              .handled_until = INT64_MIN,
                              .skew = line->idle->skew_ns};
    int64_t covered_to = INT64_MIN;
    sort_spans(slack);
    const int64_t *launches = slack->count ? line_late_launches(line) : NULL;
    for (size_t s = 0; s < line->count && slack->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        if (interval->from > covered_to) {
            handle_idle(&walk, interval->from + walk.skew, interval->from + walk.skew);
            walk.count = 0; // credits do not last over time outside of all windows
        }
        walk.window = interval->window;
        covered_to = interval->to;
        if (interval->class == CLASS_COMM && launches[s] > interval->from)
            handle_exposed_comm(&walk, interval, launches[s]);
        else if (interval->work != ROW_NONE && is_late_copy(&walk, interval))
            use_credits(&walk, interval->from + walk.skew, interval->to + walk.skew);
        if (interval->work != ROW_NONE)
            continue;
        uint32_t launch = line_next_launch(line, interval);
        if (launch == ROW_NONE || !walk.host->drives[AT(profile->api.thread, launch)])
            continue;
        int64_t from = interval->from + walk.skew, to = interval->to + walk.skew;
        to = late_launch_end(&walk, launch, to);
        // A call that was in progress when the GPU became idle was also too late.
        if (to - from > QUEUE_GAP_NS && AT(profile->api.end, launch) > from)
            handle_idle(&walk, from, to);
    }
    request_collective_delays(slack->scan);
    ARENA_RELEASE(line->scratch, slack->spans, slack->capacity);
    *slack = (struct host_slack){.scan = slack->scan};
}
