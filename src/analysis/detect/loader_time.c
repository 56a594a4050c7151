// SPDX-License-Identifier: Apache-2.0
// Finds idle time caused by data loading, and the host time spent on it.
#include "analysis/detect/loader_time.h"

// Adds the OS calls that idle time was attributed to.
static void add_os_calls(struct host_slack *slack)
{
    const struct step_line *line = slack->scan->line;
    const struct os_calls *osrt = &line->profile->osrt;
    uint32_t last = ROW_NONE;
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        for (size_t i = interval->first_part; i < interval->end_part; i++) {
            struct idle_part part = idle_part_at(line->idle, i);
            if (part.cause != IDLE_DATA || part.kind != EVIDENCE_OSRT)
                continue;
            scan_add(slack->scan, SUM_INFERRED, interval->window, 1);
            if (part.row != last)
                slack_add(slack, AT(osrt->start, part.row), AT(osrt->end, part.row), 0);
            last = part.row;
        }
    }
}

void loader_scan(struct scan *scan)
{
    struct host_slack slack = {.scan = scan};
    if (scan->line->has_untraced_work)
        return;
    scan_idle(scan, IDLE_DATA);
    slack_add_activity(&slack, HOST_LOADER, INT64_MIN, INT64_MAX, 0);
    add_os_calls(&slack);
    slack_sum(&slack, SUM_LOADING);
    slack_request(&slack);
}
