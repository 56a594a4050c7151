// SPDX-License-Identifier: Apache-2.0
#include "analysis/detect/hold.h"

#include "analysis/detect/meetings.h"
#include "analysis/report/stats.h"

struct delay_search {
    struct step_line *line;
    const struct meetings *meetings;
    struct cover *busy; // [device]; built on first use
    uint32_t next;      // next work of the line's GPU to visit
    uint32_t window;    // of the previous work
    // When the collectives of earlier windows were over; all GPUs continued from there.
    int64_t round_start;
    int64_t end;           // end of its communication so far
    int64_t late_ns;       // how much later than necessary that communication ended
    int64_t other_work_ns; // ns of other work since the last exposed communication
    int64_t alone_since;   // since when no work is left to hide communication behind
    double by_host;
};

// Returns the time without any work except communication.
static int64_t idle_within(struct delay_search *search, uint32_t device, int64_t from, int64_t to)
{
    struct cover *busy = &search->busy[device];
    int64_t ns = 0;
    if (!busy->classes)
        *busy = cover_device(search->line, device, ~(1U << CLASS_COMM));
    cover_add(busy, from, to, &ns);
    return to > from ? to - from - ns : 0;
}

// Returns which part of the `ns` that the line's GPU waits in a collective is due to the host of
// the last GPU: it launched that late, or left its GPU idle longer than the line's GPU was when it
// arrived.
static double part_by_host(struct delay_search *search, const struct meeting *meeting, int64_t ns)
{
    const struct profile *profile = search->line->profile;
    uint32_t launch = AT(profile->work.launch, meeting->last_work);
    int64_t from = search->round_start, to = meeting->latest_start;
    int64_t skew = search->line->idle->skew_ns;
    if (launch != ROW_NONE && to + skew - AT(profile->api.start, launch) <= EMPTY_QUEUE_NS)
        return 1;
    if (to <= from || !search->line->has_steps)
        return 0; // without steps the beginning of the round is unknown
    int64_t more = idle_within(search, meeting->last_device, from, to) -
                   idle_within(search, search->line->device, from, to - ns);
    return more <= 0 ? 0 : more >= ns ? 1 : (double)more / (double)ns;
}

// Accounts for a collective that has begun; work that directly follows it is equally late.
static void add_late(struct delay_search *search, uint32_t work, const struct meeting *meeting)
{
    const struct gpu_work *rows = &search->line->profile->work;
    int64_t start = AT(rows->start, work), end = AT(rows->end, work);
    int64_t arrived = meeting->latest_start < end ? meeting->latest_start : end;
    if (meeting->window == ROW_NONE)
        return;
    if (search->window != meeting->window) {
        bool is_first = search->window == ROW_NONE;
        search->round_start = is_first ? search->line->windows[meeting->window].from : search->end;
        search->end = is_first ? start : search->end;
        search->window = meeting->window;
    }
    if (start - search->end > QUEUE_GAP_NS)
        search->late_ns = 0; // it did not wait for the previous one
    search->end = end > search->end ? end : search->end;
    if (arrived <= start)
        return;
    search->by_host = part_by_host(search, meeting, arrived - start);
    sum_add(&search->late_ns, arrived - start);
}

static struct hold hold_of(struct delay_search *search, const struct stretch *stretch,
                           int64_t launched)
{
    const struct meetings *meetings = search->meetings;
    struct hold hold = {.arrived = stretch->from};
    for (; search->next <= stretch->work; search->next++) {
        uint32_t row = AT(meetings->of_work, search->next);
        if (row != ROW_NONE)
            add_late(search, search->next, &meetings->items[row]);
    }
    uint32_t row = AT(meetings->of_work, stretch->work);
    if (row != ROW_NONE && meetings->items[row].latest_start > stretch->from) {
        int64_t arrived = meetings->items[row].latest_start;
        hold.arrived = arrived < stretch->to ? arrived : stretch->to;
    }
    // A launch after the end may have waited for the communication itself.
    hold.from = launched > hold.arrived && launched < stretch->to ? launched : hold.arrived;
    // The transfer would have started before its exposed time, unless that time is longer than the
    // delay.
    int64_t hidden = search->late_ns - (hold.from - search->alone_since),
            left = stretch->to - hold.from;
    hold.pushed = hidden <= 0 ? 0 : left < hidden ? left : hidden;
    hold.by_host = search->by_host;
    return hold;
}

static struct hold *holds_find(struct step_line *line)
{
    const struct meetings *meetings = line_meetings(line);
    struct hold *holds = ARENA_ARRAY(line->scratch, struct hold, line->count + 1);
    struct delay_search search = {.line = line,
                                  .meetings = meetings,
                                  .next = line->profile->devices[line->device].first_work,
                                  .window = ROW_NONE,
                                  .alone_since = line->count ? line->stretches[0].from : 0};
    const int64_t *launches = line_late_launches(line);
    search.busy = ARENA_ARRAY(line->scratch, struct cover, (size_t)line->profile->device_count + 1);
    for (size_t s = 0; s < line->count; s++) {
        const struct stretch *stretch = &line->stretches[s];
        if (stretch->class == CLASS_COMM) {
            holds[s] = hold_of(&search, stretch, launches[s]);
            search.other_work_ns = 0;
        } else if (stretch->work != ROW_NONE) {
            search.other_work_ns += stretch->to - stretch->from;
            search.alone_since = search.other_work_ns > HIDE_NS ? stretch->to : search.alone_since;
        }
    }
    return holds;
}

const struct hold *line_holds(struct step_line *line)
{
    if (!line->holds)
        line->holds = holds_find(line);
    return line->holds;
}

// ---- waiting for other hosts ------------------------------------------------------------------

struct idle_share { // of the idle time of a window, in gaps longer than a launch takes
    uint32_t group;
    double ns;
};

struct idle_shares {
    size_t count, capacity;
    struct idle_share *items; // one per group with requests in it
    double idle_ns;           // total
    uint32_t *at;             // [group]: row of items + 1; 0: none
};

// Fills `shares` for the intervals [first, end) of one window; *want is the next request to visit.
static void shares_fill(const struct scan *scan, struct idle_shares *shares, size_t first,
                        size_t end, size_t *want)
{
    const struct step_line *line = scan->line;
    const struct wants *wants = &scan->wants;
    for (size_t i = 0; i < shares->count; i++)
        shares->at[shares->items[i].group] = 0;
    shares->count = 0;
    shares->idle_ns = 0;
    for (size_t s = first; s < end; s++) {
        const struct stretch *idle = &line->stretches[s];
        if (idle->work != ROW_NONE || idle->to - idle->from < EMPTY_QUEUE_NS)
            continue;
        shares->idle_ns += (double)(idle->to - idle->from);
        while (*want < wants->count && wants->items[*want].to <= idle->from)
            ++*want;
        for (; *want < wants->count && wants->items[*want].from < idle->to; ++*want) {
            const struct want *wanted = &wants->items[*want];
            uint32_t *at = &shares->at[wanted->group];
            if (!*at) {
                ARENA_PUSH(line->scratch, shares->items, shares->count, shares->capacity) =
                    (struct idle_share){wanted->group, 0};
                *at = (uint32_t)shares->count;
            }
            shares->items[*at - 1].ns += (double)(wanted->to - wanted->from);
        }
    }
}

static void want_parts(struct scan *scan, struct wants *held, const struct idle_shares *shares,
                       uint32_t window, int64_t from, int64_t to)
{
    double length = (double)(to - from), done = 0;
    for (size_t i = 0; i < shares->count && to > from; i++) {
        double part = shares->items[i].ns / shares->idle_ns * length;
        wants_add(held, scan->line->scratch, from + (int64_t)done, from + (int64_t)(done + part),
                  shares->items[i].group, window);
        done += part;
    }
}

static void wants_merge(struct wants *all, const struct wants *more, struct arena *scratch)
{
    struct wants own = *all;
    *all = (struct wants){0};
    for (size_t o = 0, m = 0; o < own.count || m < more->count;) {
        bool is_more =
            o == own.count || (m < more->count && more->items[m].from < own.items[o].from);
        const struct want *want = is_more ? &more->items[m++] : &own.items[o++];
        wants_add(all, scratch, want->from, want->to, want->group, want->window);
    }
    wants_drop(&own, scratch);
}

void want_holds(struct scan *scan)
{
    struct step_line *line = scan->line;
    struct wants held = {0};
    if (scan->wants.count == 0)
        return;
    const struct hold *holds = line_holds(line);
    struct idle_shares shares = {
        .at = ARENA_ARRAY(line->scratch, uint32_t, (size_t)scan->wants.groups + 1)};
    for (size_t s = 0, end, want = 0; s < line->count; s = end) {
        uint32_t window = line->stretches[s].window;
        for (end = s + 1; end < line->count && line->stretches[end].window == window;)
            end++;
        shares_fill(scan, &shares, s, end, &want);
        for (size_t c = s; c < end && shares.count; c++) {
            const struct stretch *stretch = &line->stretches[c];
            if (stretch->class != CLASS_COMM || holds[c].by_host <= 0)
                continue;
            double part = holds[c].by_host;
            int64_t waits = (int64_t)(part * (double)(holds[c].arrived - stretch->from));
            int64_t pushed = (int64_t)(part * (double)holds[c].pushed);
            want_parts(scan, &held, &shares, window, stretch->from, stretch->from + waits);
            want_parts(scan, &held, &shares, window, stretch->to - pushed, stretch->to);
        }
    }
    if (held.count)
        wants_merge(&scan->wants, &held, line->scratch);
    wants_drop(&held, line->scratch);
}
