// SPDX-License-Identifier: Apache-2.0
// Delays of collectives, see collective_delay.h. A round is the time from when the collectives of
// the previous step were over, which is when all GPUs continued, to the current collective.
#include "analysis/detect/collective_delay.h"

#include "analysis/detect/line_collectives.h"
#include "analysis/report/stats.h"
#include "base/sums.h"

struct delay_search {
    struct step_line *line;
    const struct line_collectives *collectives;
    struct cover *busy; // [device]; built on first use
    uint32_t next;      // next work of the line's GPU to visit
    uint32_t window;    // of the previous work
    // start of the current round
    int64_t round_start;
    int64_t end;           // end of its communication so far
    int64_t late_ns;       // how much later than necessary that communication ended
    int64_t other_work_ns; // ns of other work since the last exposed communication
    int64_t hidden_until;  // end of the last long work that could hide communication
    double by_host;
};

// Returns the time in [from, to) in which a GPU has no work except communication.
static int64_t idle_within(struct delay_search *search, uint32_t device, int64_t from, int64_t to)
{
    struct cover *busy = &search->busy[device];
    int64_t ns = 0;
    if (!busy->classes)
        *busy = device_activity_cover(search->line, device, ~(1U << CLASS_COMM));
    cover_add(busy, from, to, &ns);
    return to > from ? to - from - ns : 0;
}

// The line's GPU waits `ns` in a collective. Returns the share (0..1) that is due to the host of
// the last GPU: because it launched the collective late, or because its GPU was idle for longer in
// this round than the line's GPU. `work` is the run of the line's GPU.
static double share_by_host(struct delay_search *search, const struct line_collective *collective,
                            uint32_t work, int64_t ns)
{
    const struct profile *profile = search->line->profile;
    uint32_t launch = AT(profile->work.launch, collective->last_work);
    // Members leave together, so their ends show how far the last GPU's clock is ahead.
    int64_t ahead = 0;
    if (collective->by_durations &&
        __builtin_sub_overflow(AT(profile->work.end, collective->last_work),
                               AT(profile->work.end, work), &ahead))
        return 0;
    int64_t from = add_saturating(search->round_start, ahead), to = collective->latest_start;
    int64_t skew = search->line->idle->skew_ns;
    if (launch != ROW_NONE && to + skew - AT(profile->api.start, launch) <= EMPTY_QUEUE_NS)
        return 1;
    if (to <= from || !search->line->has_steps)
        return 0; // without steps the beginning of the round is unknown
    int64_t more = idle_within(search, collective->last_device, from, to) -
                   idle_within(search, search->line->device, from - ahead, to - ahead - ns);
    return more <= 0 ? 0 : more >= ns ? 1 : (double)more / (double)ns;
}

// Adds the waiting in a collective to late_ns. Communication that directly follows it is as late.
static void account_for_collective(struct delay_search *search, uint32_t work,
                                   const struct line_collective *collective)
{
    const struct gpu_work *rows = &search->line->profile->work;
    int64_t start = AT(rows->start, work), end = AT(rows->end, work);
    int64_t arrived = line_collective_arrival(search->line->profile, collective, work);
    if (collective->window == ROW_NONE)
        return;
    if (search->window != collective->window) {
        bool is_first = search->window == ROW_NONE;
        search->round_start =
            is_first ? search->line->windows[collective->window].from : search->end;
        search->end = is_first ? start : search->end;
        search->window = collective->window;
    }
    if (start - search->end > QUEUE_GAP_NS)
        search->late_ns = 0; // it did not wait for the previous one
    search->end = end > search->end ? end : search->end;
    if (arrived <= start)
        return;
    search->by_host = share_by_host(search, collective, work, arrived - start);
    sum_add(&search->late_ns, arrived - start);
}

// Returns the delay of an interval of exposed communication.
static struct collective_delay delay_of(struct delay_search *search,
                                        const struct line_interval *interval, int64_t launched)
{
    const struct line_collectives *collectives = search->collectives;
    struct collective_delay delay = {.arrived = interval->from};
    for (; search->next <= interval->work; search->next++) {
        uint32_t row = AT(collectives->of_work, search->next);
        if (row != ROW_NONE)
            account_for_collective(search, search->next, &collectives->items[row]);
    }
    uint32_t row = AT(collectives->of_work, interval->work);
    if (row != ROW_NONE) {
        int64_t arrived = line_collective_arrival(search->line->profile, &collectives->items[row],
                                                  interval->work);
        if (arrived > interval->from)
            delay.arrived = arrived < interval->to ? arrived : interval->to;
    }
    // A launch after the end may have waited for the communication itself.
    delay.from = launched > delay.arrived && launched < interval->to ? launched : delay.arrived;
    // Without the delay the transfer would be late_ns earlier; the part that would then be before
    // hidden_until would be hidden.
    int64_t hidden_ns = search->late_ns - (delay.from - search->hidden_until),
            remaining_ns = interval->to - delay.from;
    delay.pushed = hidden_ns <= 0 ? 0 : remaining_ns < hidden_ns ? remaining_ns : hidden_ns;
    delay.by_host = search->by_host;
    return delay;
}

static struct collective_delay *find_delays(struct step_line *line)
{
    const struct line_collectives *collectives = collectives_of_line(line);
    struct collective_delay *delays =
        ARENA_ARRAY(line->scratch, struct collective_delay, line->count + 1);
    struct delay_search search = {.line = line,
                                  .collectives = collectives,
                                  .next = line->profile->devices[line->device].first_work,
                                  .window = ROW_NONE,
                                  .hidden_until = line->count ? line->intervals[0].from : 0};
    const int64_t *launches = line_late_launches(line);
    search.busy = ARENA_ARRAY(line->scratch, struct cover, (size_t)line->profile->device_count + 1);
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        if (interval->class == CLASS_COMM) {
            delays[s] = delay_of(&search, interval, launches[s]);
            search.other_work_ns = 0;
        } else if (interval->work != ROW_NONE) {
            search.other_work_ns += interval->to - interval->from;
            search.hidden_until =
                search.other_work_ns > HIDE_NS ? interval->to : search.hidden_until;
        }
    }
    return delays;
}

const struct collective_delay *line_collective_delays(struct step_line *line)
{
    if (!line->delays)
        line->delays = find_delays(line);
    return line->delays;
}

// ---- waiting for other hosts ------------------------------------------------------------------

struct idle_share { // requested part of a window's idle time, in gaps longer than a launch takes
    uint32_t group;
    double ns;
};

struct idle_shares {
    size_t count, capacity;
    struct idle_share *items; // one per group with requests in it
    double idle_ns;           // total
    uint32_t *at;             // [group]: row of items + 1; 0: none
};

// Fills `shares` for the intervals [first, end) of one window; *request is the next request to
// read.
static void fill_shares(const struct scan *scan, struct idle_shares *shares, size_t first,
                        size_t end, size_t *request)
{
    const struct step_line *line = scan->line;
    const struct interval_requests *requests = &scan->requests;
    for (size_t i = 0; i < shares->count; i++)
        shares->at[shares->items[i].group] = 0;
    shares->count = 0;
    shares->idle_ns = 0;
    for (size_t s = first; s < end; s++) {
        const struct line_interval *idle = &line->intervals[s];
        if (idle->work != ROW_NONE || idle->to - idle->from < EMPTY_QUEUE_NS)
            continue;
        shares->idle_ns += (double)(idle->to - idle->from);
        while (*request < requests->count && requests->items[*request].to <= idle->from)
            ++*request;
        for (; *request < requests->count && requests->items[*request].from < idle->to;
             ++*request) {
            const struct interval_request *requested = &requests->items[*request];
            uint32_t *at = &shares->at[requested->group];
            if (!*at) {
                ARENA_PUSH(line->scratch, shares->items, shares->count, shares->capacity) =
                    (struct idle_share){requested->group, 0};
                *at = (uint32_t)shares->count;
            }
            shares->items[*at - 1].ns += (double)(requested->to - requested->from);
        }
    }
}

static void request_by_shares(struct scan *scan, struct interval_requests *delayed,
                              const struct idle_shares *shares, uint32_t window, int64_t from,
                              int64_t to)
{
    double length = (double)(to - from), done = 0;
    for (size_t i = 0; i < shares->count && to > from; i++) {
        double part = shares->items[i].ns / shares->idle_ns * length;
        requests_add(delayed, scan->line->scratch, from + (int64_t)done,
                     from + (int64_t)(done + part), shares->items[i].group, window);
        done += part;
    }
}

static void merge_requests(struct interval_requests *all, const struct interval_requests *more,
                           struct arena *scratch)
{
    struct interval_requests previous = *all;
    *all = (struct interval_requests){0};
    for (size_t o = 0, m = 0; o < previous.count || m < more->count;) {
        bool is_more = o == previous.count ||
                       (m < more->count && more->items[m].from < previous.items[o].from);
        const struct interval_request *request = is_more ? &more->items[m++] : &previous.items[o++];
        requests_add(all, scratch, request->from, request->to, request->group, request->window);
    }
    requests_drop(&previous, scratch);
}

void request_collective_delays(struct scan *scan)
{
    struct step_line *line = scan->line;
    struct interval_requests delayed = {0};
    if (scan->requests.count == 0)
        return;
    const struct collective_delay *delays = line_collective_delays(line);
    struct idle_shares shares = {
        .at = ARENA_ARRAY(line->scratch, uint32_t, (size_t)scan->requests.groups + 1)};
    for (size_t s = 0, end, request = 0; s < line->count; s = end) {
        uint32_t window = line->intervals[s].window;
        for (end = s + 1; end < line->count && line->intervals[end].window == window;)
            end++;
        fill_shares(scan, &shares, s, end, &request);
        for (size_t c = s; c < end && shares.count; c++) {
            const struct line_interval *interval = &line->intervals[c];
            if (interval->class != CLASS_COMM || delays[c].by_host <= 0)
                continue;
            double part = delays[c].by_host;
            int64_t waiting_ns = (int64_t)(part * (double)(delays[c].arrived - interval->from));
            int64_t pushed_ns = (int64_t)(part * (double)delays[c].pushed);
            request_by_shares(scan, &delayed, &shares, window, interval->from,
                              interval->from + waiting_ns);
            request_by_shares(scan, &delayed, &shares, window, interval->to - pushed_ns,
                              interval->to);
        }
    }
    if (delayed.count)
        merge_requests(&scan->requests, &delayed, line->scratch);
    requests_drop(&delayed, line->scratch);
}
