// SPDX-License-Identifier: Apache-2.0
// Finds the idle time in which launching threads compile or load code, and the host time that they
// spend on it.
#include "analysis/detect/compile_time.h"
#include "model/rules/thresholds.h"

// Returns, by window, the idle time caused by compiling. It counts for the window of the work that
// ends it, since the code for the first kernel of a step is compiled in the window before.
static int64_t *compile_ns_by_window(const struct step_line *line)
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
    // Number of windows without compiling that may be between windows of warm-up.
    enum { MAX_GAPS = 1 };
    const struct step_line *line = scan->line;
    struct compile_time time = {.begun_ns = INT64_MIN};
    scan_idle(scan, IDLE_COMPILE);
    const int64_t *ns = compile_ns_by_window(line);
    for (uint32_t w = 0; w < line->window_count && w <= time.leading + MAX_GAPS; w++)
        if (ns[w] >= MIN_REPORTED_NS)
            time.leading = w + 1;
    if (time.leading)
        time.begun_ns = time.leading < line->window_count
                            ? line->windows[time.leading].from + line->idle->skew_ns
                            : INT64_MAX;
    time.warms_up = time.leading <= expert_threshold("compile_warmup.steps") * line->window_count;
    return time;
}

// Returns true if the API calls [first, end) launched work.
static bool calls_launched_work(const struct profile *profile, uint32_t first, uint32_t end)
{
    return first < end && AT(profile->api.first_work, first) < AT(profile->api.first_work, end);
}

// Adds the intervals in which a thread compiles. A short time between two of them without launches
// is included: Python prepares the next load.
static void add_compile_intervals(struct host_slack *slack, uint32_t thread, int64_t from,
                                  int64_t to)
{
    enum { MAX_GAP_NS = 20000000 }; // maximum time between two loads that is included
    const struct host_line *line = driving_line(slack->scan->line, thread);
    const struct host_interval *last = NULL;
    int64_t last_end = 0;
    for (size_t i = 0; line && i + 1 < line->count; i++) {
        const struct host_interval *interval = &line->intervals[i];
        if (interval->activity != HOST_COMPILE || interval->at < from || interval->at >= to)
            continue;
        bool is_continued =
            last && interval->at - last_end < MAX_GAP_NS && interval->kind == EVIDENCE_API &&
            last->kind == EVIDENCE_API &&
            !calls_launched_work(slack->scan->line->profile, last->row + 1, interval->row);
        if (is_continued)
            slack_add_unclassified(slack, thread, last_end, interval->at, 0);
        last_end = line->intervals[i + 1].at;
        last = interval;
        slack_add(slack, interval->at, last_end, 0);
    }
}

// Adds the idle time caused by the first launch of a kernel if the launch itself loads the code,
// without a call of its own for loading.
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
        add_compile_intervals(slack, t, from, to);
}
