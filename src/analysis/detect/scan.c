// SPDX-License-Identifier: Apache-2.0
// Results of a detector's scan, see scan.h.
#include "analysis/detect/scan.h"

#include <string.h>

#include "analysis/report/stats.h"

void scan_add(struct scan *scan, unsigned sum, uint32_t window, int64_t value)
{
    if (window == ROW_NONE)
        return;
    if (!scan->sums[sum])
        scan->sums[sum] = ARENA_ARRAY(scan->arena, int64_t, (size_t)scan->line->window_count + 1);
    sum_add(&scan->sums[sum][window], value);
}

// ---- sums by id --------------------------------------------------------------------------------

struct scan_open {          // a list's sums of the current window; all zero between windows
    struct scan_open *next; // next in line.spare
    uint32_t window;
    size_t capacity, touched_count, touched_capacity;
    int64_t *ns; // [id]
    uint32_t *counts, *touched;
};

static void flush_window(struct scan *scan, struct scan_list *list)
{
    struct scan_open *open = list->open;
    for (size_t i = 0; i < open->touched_count; i++) {
        uint32_t id = open->touched[i];
        ARENA_PUSH(scan->line->scratch, list->items, list->count, list->capacity) =
            (struct scan_entry){open->window, id, open->counts[id], open->ns[id]};
        open->ns[id] = open->counts[id] = 0;
    }
    open->touched_count = 0;
}

static void open_grow(struct scan_open *open, uint32_t id, struct arena *scratch)
{
    size_t capacity = 2 * (size_t)id + 64;
    int64_t *ns = ARENA_ARRAY(scratch, int64_t, capacity);
    uint32_t *counts = ARENA_ARRAY(scratch, uint32_t, capacity);
    if (open->capacity) {
        memcpy(ns, open->ns, open->capacity * sizeof *ns);
        memcpy(counts, open->counts, open->capacity * sizeof *counts);
    }
    open->ns = ns;
    open->counts = counts;
    open->capacity = capacity;
}

void scan_list_add(struct scan *scan, struct scan_list *list, uint32_t window, uint32_t id,
                   int64_t ns)
{
    struct arena *scratch = scan->line->scratch;
    if (window == ROW_NONE)
        return;
    if (!list->open) {
        list->open = scan->line->spare ? scan->line->spare : ARENA_NEW(scratch, struct scan_open);
        scan->line->spare = list->open->next;
    }
    struct scan_open *open = list->open;
    if (window != open->window)
        flush_window(scan, list);
    open->window = window;
    if (id >= open->capacity)
        open_grow(open, id, scratch);
    if (open->counts[id]++ == 0)
        ARENA_PUSH(scratch, open->touched, open->touched_count, open->touched_capacity) = id;
    sum_add(&open->ns[id], ns);
    list->ids = id >= list->ids ? id + 1 : list->ids;
}

// Groups the entries by window, in stable order.
static void end_list(struct scan *scan, struct scan_list *list)
{
    uint32_t windows = scan->line->window_count;
    if (!list->open)
        return;
    flush_window(scan, list);
    list->open->next = scan->line->spare;
    scan->line->spare = list->open;
    list->open = NULL;
    list->first = ARENA_ARRAY(scan->arena, size_t, (size_t)windows + 2);
    struct scan_entry *items = ARENA_ARRAY(scan->arena, struct scan_entry, list->count);
    for (size_t i = 0; i < list->count; i++)
        list->first[list->items[i].window + 2]++;
    for (uint32_t w = 0; w < windows; w++)
        list->first[w + 2] += list->first[w + 1];
    for (size_t i = 0; i < list->count; i++)
        items[list->first[list->items[i].window + 1]++] = list->items[i];
    ARENA_RELEASE(scan->line->scratch, list->items, list->capacity);
    list->items = items;
    list->capacity = 0;
}

void scan_call(struct scan *scan, uint32_t window, uint32_t call, int64_t ns)
{
    const struct api_calls *api = &scan->line->profile->api;
    if (HAS(api->route))
        scan_list_add(scan, &scan->lines, window, api_route(api, call).place, ns);
}

static void scan_launch(struct scan *scan, uint32_t window, uint32_t work, int64_t ns)
{
    struct column32 launch = scan->line->profile->work.launch;
    scan_call(scan, window, HAS(launch) ? AT(launch, work) : ROW_NONE, ns);
}

void scan_layer(struct scan *scan, uint32_t window, uint32_t work, int64_t ns)
{
    const struct step_line *line = scan->line;
    scan_list_add(scan, &scan->places, window,
                  selection_layer_node(line->profile, line->selection, work), ns);
    scan_launch(scan, window, work, ns);
}

void scan_node(struct scan *scan, uint32_t window, uint32_t work, int64_t ns)
{
    const struct step_line *line = scan->line;
    scan_list_add(scan, &scan->places, window,
                  selection_work_node(line->profile, line->selection, work), ns);
    scan_launch(scan, window, work, ns);
}

void scan_function(struct scan *scan, uint32_t window, uint32_t work, int64_t ns)
{
    scan_list_add(scan, &scan->names, window, AT(scan->line->profile->work.function, work), ns);
}

void scan_request(struct scan *scan, int64_t from, int64_t to, uint32_t group, uint32_t window)
{
    requests_add(&scan->requests, scan->line->scratch, from, to, group, window);
}

void scan_request_removed(struct scan *scan, const struct line_interval *interval, uint32_t group)
{
    const struct step_line *line = scan->line;
    const struct line_interval *next = interval + 1;
    bool has_gap = next < line->intervals + line->count && next->work == ROW_NONE &&
                   next->from == interval->to && next->window == interval->window &&
                   next->to - next->from <= QUEUE_GAP_NS;
    scan_request(scan, interval->from, has_gap ? next->to : interval->to, group, interval->window);
}

void scan_slow(struct scan *scan, unsigned sum, const struct line_interval *interval, double kept)
{
    int64_t length = interval->to - interval->from;
    scan_add(scan, sum, interval->window, length);
    scan_function(scan, interval->window, interval->work, length);
    scan_layer(scan, interval->window, interval->work, length);
    if (kept > 0)
        scan_request(scan, interval->from, interval->to - (int64_t)((double)length * kept), 0,
                     interval->window);
    else
        scan_request_removed(scan, interval, 0);
}

void scan_idle(struct scan *scan, enum idle_cause cause)
{
    const struct step_line *line = scan->line;
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        for (size_t i = interval->first_part; i < interval->end_part; i++) {
            int64_t from, to;
            if (idle_part_cause(line->idle, i) != cause ||
                !interval_part(line, interval, i, &from, &to))
                continue;
            struct idle_part part = idle_part_at(line->idle, i);
            uint32_t node = idle_node(line->profile, line->selection, &part);
            scan_list_add(scan, &scan->places, interval->window, node == ROW_NONE ? 0 : node,
                          to - from);
            scan_call(scan, interval->window, part.kind == EVIDENCE_API ? part.row : ROW_NONE,
                      to - from);
            scan_add(scan, SUM_IDLE, interval->window, to - from);
            scan_add(scan, SUM_WAITS, interval->window, 1);
        }
    }
}

// Returns the kinds of time that the requests contain; all kinds if a part is in no interval.
static unsigned time_classes_of(const struct step_line *line,
                                const struct interval_requests *requests)
{
    unsigned classes = 0;
    size_t s = 0;
    const struct line_interval *intervals = line->intervals;
    for (uint32_t w = 0; requests->first && w < line->window_count; w++)
        for (size_t i = requests->first[w]; i < requests->first[w + 1]; i++) {
            int64_t from = requests->spans[i].from, to = requests->spans[i].to;
            while (s < line->count && (intervals[s].window < w ||
                                       (intervals[s].window == w && intervals[s].to <= from)))
                s++;
            for (size_t t = s; t < line->count && intervals[t].window == w &&
                               intervals[t].from <= from && from < to;
                 t++) {
                classes |= 1u << intervals[t].class;
                from = intervals[t].to;
            }
            if (from < to)
                return ~0u;
        }
    return classes;
}

void scan_end(struct scan *scan)
{
    end_list(scan, &scan->places);
    end_list(scan, &scan->names);
    end_list(scan, &scan->lines);
    requests_end(&scan->requests, scan->line->scratch, scan->arena, scan->line->window_count);
    requests_end(&scan->more, scan->line->scratch, scan->arena, scan->line->window_count);
    scan->requests.classes = time_classes_of(scan->line, &scan->requests);
    scan->more.classes = time_classes_of(scan->line, &scan->more);
}
