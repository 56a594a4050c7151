// SPDX-License-Identifier: Apache-2.0
#include "analysis/detect/compile_time.h"
#include "model/rules/thresholds.h"

// Returns [window]: idle time with that cause, attributed to the window of the work that ends it.
// What is compiled before the first kernel of a step lies in the window before.
static int64_t *ns_by_step(const struct step_line *line)
{
    int64_t *ns = ARENA_ARRAY(line->scratch, int64_t, (size_t)line->window_count + 1);
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        for (size_t i = interval->first_part; i < interval->end_part; i++) {
            int64_t from, to;
            if (idle_part_cause(line->idle, i) != IDLE_COMPILE)
                continue;
            uint32_t work = AT(line->idle->next_work, i);
            uint32_t window = work == ROW_NONE ? ROW_NONE : line_window_of(line, work);
            if (window != ROW_NONE && interval_part(line, interval, i, &from, &to))
                ns[window] += to - from;
        }
    }
    return ns;
}

struct compile_time compile_scan(struct scan *scan)
{
    enum { MAX_HOLES = 1 }; // a window without compiling between two with some is still warm-up
    const struct step_line *line = scan->line;
    struct compile_time time = {.begun_ns = INT64_MIN};
    scan_idle(scan, IDLE_COMPILE);
    const int64_t *ns = ns_by_step(line);
    for (uint32_t w = 0; w < line->window_count && w <= time.leading + MAX_HOLES; w++)
        if (ns[w] >= MIN_REPORTED_NS)
            time.leading = w + 1;
    if (time.leading)
        time.begun_ns = time.leading < line->window_count
                            ? line->windows[time.leading].from + line->idle->skew_ns
                            : INT64_MAX;
    time.warms_up = time.leading <= expert_threshold("compile_warmup.steps") * line->window_count;
    return time;
}

static bool launches_between(const struct profile *profile, uint32_t first, uint32_t end)
{
    return first < end && AT(profile->api.first_work, first) < AT(profile->api.first_work, end);
}

static void add_thread(struct host_slack *slack, uint32_t thread, int64_t from, int64_t to)
{
    enum { MAX_BETWEEN_NS = 20000000 }; // from one load to the next
    const struct host_line *line = driving_line(slack->scan->line, thread);
    const struct host_interval *last = NULL;
    int64_t last_end = 0;
    for (size_t i = 0; line && i + 1 < line->count; i++) {
        const struct host_interval *interval = &line->intervals[i];
        if (interval->activity != HOST_COMPILE || interval->at < from || interval->at >= to)
            continue;
        bool is_continued =
            last && interval->at - last_end < MAX_BETWEEN_NS && interval->kind == EVIDENCE_API &&
            last->kind == EVIDENCE_API &&
            !launches_between(slack->scan->line->profile, last->row + 1, interval->row);
        if (is_continued)
            slack_add_plain(slack, thread, last_end, interval->at, 0);
        last_end = line->intervals[i + 1].at;
        last = interval;
        slack_add(slack, interval->at, last_end, 0);
    }
}

// Adds first launches of a kernel that load code although no call says so: for as long as the GPU
// is idle.
static void add_first_launches(struct host_slack *slack, int64_t from, int64_t to)
{
    const struct step_line *line = slack->scan->line;
    const struct profile *profile = line->profile;
    for (size_t s = 0; HAS(profile->work.launch) && s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        for (size_t i = interval->first_part; i < interval->end_part; i++) {
            int64_t start, end;
            struct idle_part part = idle_part_at(line->idle, i);
            if (part.cause != IDLE_COMPILE || part.kind != EVIDENCE_API ||
                part.next_work == ROW_NONE ||
                part.row != AT(profile->work.launch, part.next_work) ||
                !interval_part(line, interval, i, &start, &end))
                continue;
            start += line->idle->skew_ns;
            if (start >= from && start < to)
                slack_add(slack, start, end + line->idle->skew_ns, 0);
        }
    }
}

void compile_spend(struct host_slack *slack, int64_t from, int64_t to)
{
    add_first_launches(slack, from, to);
    for (uint32_t t = 0; t < slack->scan->line->profile->thread_count; t++)
        add_thread(slack, t, from, to);
}
