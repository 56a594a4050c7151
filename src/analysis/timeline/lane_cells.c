// SPDX-License-Identifier: Apache-2.0
// Queries of a lane, by binary search and block sums, without reading all items of an interval.
//
// An edge is the boundary between two cells. It has the sums of everything visible before it, so a
// cell is the difference of two edges. An exact edge reads a few items near it. An approximate edge
// reads none: it is the state at a nearby block of items, used if the difference is below the
// tolerance.
#include <string.h>

#include "analysis/timeline/timeline.h"
#include "analysis/timeline/timeline_lanes.h"
#include "base/search.h"

enum {
    MAX_CELL_ITEMS = 8, // up to this many items are compared to find which one fills most of a cell
    CELL_PARTS = 256    // times are exact to this fraction of a cell's width
};

int64_t timeline_cell_from(int64_t from, int64_t to, uint32_t count, uint32_t i)
{
    uint64_t span = (uint64_t)to - (uint64_t)from;
    uint64_t offset = span / count * i + span % count * i / count;
    return (int64_t)((uint64_t)from + offset);
}

uint32_t timeline_cell_of(int64_t from, int64_t to, uint32_t count, int64_t time)
{
    uint32_t low = 0, high = count; // the first cell that begins after `time`
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (timeline_cell_from(from, to, count, middle) <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? low - 1 : 0;
}

// Returns the latest end of the items up to `item`.
static inline int64_t latest_end(const struct lane *lane, uint32_t item)
{
    int64_t end = lane_end(lane, item);
    return HAS(lane->lags) ? (int64_t)((uint64_t)end + (uint64_t)AT(lane->lags, item)) : end;
}

// Returns the latest end of the items before `item`, from which on it may be visible.
static inline int64_t latest_end_before(const struct lane *lane, uint32_t item)
{
    return HAS(lane->lags) && item > 0 ? latest_end(lane, item - 1) : INT64_MIN;
}

int64_t lane_visible_from(const struct lane *lane, uint32_t item)
{
    int64_t start = lane_start(lane, item), before = latest_end_before(lane, item);
    return start > before ? start : before;
}

int64_t lane_visible_to(const struct lane *lane, uint32_t item)
{
    return latest_end(lane, item);
}

DEFINE_SEARCH_FROM(start_from, const struct lane *, lane_start)
DEFINE_SEARCH_FROM(latest_end_from, const struct lane *, latest_end)

uint32_t lane_after(const struct lane *lane, int64_t time)
{
    struct bins_bounds place = bins_find(&lane->bins, time);
    return start_from(lane, (uint32_t)place.low, (uint32_t)place.high, time);
}

// Returns the first item that is visible after `time`, or lane->count. The search starts at
// `after`, the first item that begins at or after `time`.
static uint32_t first_visible_after(const struct lane *lane, int64_t time, uint32_t after)
{
    uint32_t low = after, high = after;
    for (uint32_t step = 1; low > 0 && latest_end(lane, low - 1) > time; step *= 2) {
        high = low - 1;
        low = high > step ? high - step : 0;
    }
    for (uint32_t step = 1; high < lane->count && latest_end(lane, high) <= time; step *= 2) {
        low = high + 1;
        high = lane->count - low > step ? low + step : lane->count;
    }
    return time < INT64_MAX ? latest_end_from(lane, low, high, time + 1) : high;
}

uint32_t lane_before(const struct lane *lane, int64_t time)
{
    uint32_t after = time == INT64_MAX ? lane->count : lane_after(lane, time + 1);
    return after > 0 ? after - 1 : ROW_NONE;
}

uint32_t lane_at(const struct lane *lane, int64_t time)
{
    uint32_t item = first_visible_after(lane, time, lane_after(lane, time));
    return item < lane->count && lane_visible_from(lane, item) <= time ? item : ROW_NONE;
}

int64_t lane_level(const struct lane *lane, int64_t from, int64_t to)
{
    uint32_t first = lane_before(lane, from), last = lane_before(lane, to - 1);
    int64_t highest = 0;
    for (uint32_t i = first == ROW_NONE ? 0 : first; last != ROW_NONE && i <= last;) {
        bool is_block = i % LANE_BLOCK == 0 && last - i >= LANE_BLOCK;
        int64_t level = is_block ? lane->most[i / LANE_BLOCK] : lane->live[lane_row(lane, i)];
        highest = level > highest ? level : highest;
        i += is_block ? LANE_BLOCK : 1;
    }
    return highest;
}

uint32_t lane_begins(const struct lane *lane, int64_t from, int64_t to)
{
    return to > from ? lane_after(lane, to) - lane_after(lane, from) : 0;
}

// ---- sums -----------------------------------------------------------------------------------

struct cell_edge {               // see the head of the file
    uint32_t first_visible;      // first item that is visible after it
    uint32_t after;              // first item that begins at or after it ...
    uint32_t max_after;          // ... or, if is_approximate, one of `after` to this
    int64_t ns[LANE_CATEGORIES]; // visible before it
    bool is_approximate;         // made without reading items
};

// Fills edge->ns: starts from the nearest block sum, and adds or subtracts the items in between.
static void edge_sum(const struct timeline *timeline, const struct lane *lane, int64_t time,
                     struct cell_edge *edge)
{
    uint32_t block = (uint32_t)(((uint64_t)edge->first_visible + LANE_BLOCK / 2) / LANE_BLOCK);
    block = block < lane->count / LANE_BLOCK ? block : lane->count / LANE_BLOCK;
    uint32_t nearest = block * LANE_BLOCK;
    bool is_ahead = nearest > edge->first_visible;
    uint32_t first = is_ahead ? edge->first_visible : nearest,
             end = is_ahead ? nearest : edge->first_visible + 1;
    int64_t latest = latest_end_before(lane, first);
    memcpy(edge->ns, lane->sums + (size_t)block * lane->categories,
           lane->categories * sizeof *edge->ns);
    for (uint32_t i = first; i < end && i < lane->count; i++) {
        int64_t start = lane_start(lane, i), from = start > latest ? start : latest;
        int64_t to = latest_end(lane, i);
        int64_t *sum = &edge->ns[lane_category(timeline, lane, i)];
        latest = HAS(lane->lags) ? to : latest;
        uint64_t added = lane_weighted_ns(lane, i, from, to < time ? to : time);
        uint64_t removed = lane_weighted_ns(lane, i, from > time ? from : time, to);
        *sum = lane_sum_add(*sum, is_ahead ? -removed : added);
    }
}

static struct cell_edge exact_edge(const struct timeline *timeline, const struct lane *lane,
                                   int64_t time)
{
    uint32_t after = lane_after(lane, time);
    struct cell_edge edge = {.after = after,
                             .max_after = after,
                             .first_visible = first_visible_after(lane, time, after)};
    if (lane->cover.classes)
        cover_until(&lane->cover, time, edge.ns);
    else
        edge_sum(timeline, lane, time, &edge);
    return edge;
}

// Returns an approximate edge if the items that may be at `time` are visible for less than
// `tolerance_ns` in total; else an exact one. (Reading items is slow: each is in another cache
// line.)
static struct cell_edge approximate_edge(const struct timeline *timeline, const struct lane *lane,
                                         int64_t time, uint64_t tolerance_ns)
{
    struct bins_bounds place = bins_find(&lane->bins, time);
    size_t low = place.low > 0 ? (place.low - 1) / LANE_BLOCK : 0;
    size_t high = place.high / LANE_BLOCK + 1;
    struct cell_edge edge = {.after = (uint32_t)place.low,
                             .max_after = (uint32_t)place.high,
                             .first_visible = (uint32_t)place.low,
                             .is_approximate = true};
    if (HAS(lane->lags) || lane->cover.classes || high > lane->count / LANE_BLOCK)
        return exact_edge(timeline, lane, time);
    uint64_t between_ns = 0;
    for (size_t c = 0; c < lane->categories; c++) {
        edge.ns[c] = lane->sums[low * lane->categories + c];
        between_ns +=
            (uint64_t)lane_sum_between(edge.ns[c], lane->sums[high * lane->categories + c]);
    }
    bool is_within_tolerance = between_ns / (lane_is_share(lane) ? LANE_FULL : 1) < tolerance_ns;
    return is_within_tolerance ? edge : exact_edge(timeline, lane, time);
}

void lane_add(const struct timeline *timeline, const struct lane *lane, int64_t from, int64_t to,
              int64_t *ns)
{
    if (to <= from)
        return;
    struct cell_edge a = exact_edge(timeline, lane, from), b = exact_edge(timeline, lane, to);
    for (int c = 0; c < LANE_CATEGORIES; c++)
        ns[c] += lane_sum_between(a.ns[c], b.ns[c]);
}

// Finds the item that is visible longest in a cell, if there are few.
static void cell_find_item(const struct lane *lane, const struct cell_edge *a,
                           const struct cell_edge *b, int64_t from, int64_t to,
                           struct lane_cell *cell)
{
    if (a->is_approximate || b->is_approximate) // not few
        return;
    uint32_t end = b->first_visible < lane->count && lane_visible_from(lane, b->first_visible) < to
                       ? b->first_visible + 1
                       : b->first_visible;
    if (end - a->first_visible > MAX_CELL_ITEMS)
        return;
    for (uint32_t i = a->first_visible; i < end; i++) {
        int64_t first = lane_visible_from(lane, i), last = lane_visible_to(lane, i);
        first = first > from ? first : from;
        last = last < to ? last : to;
        if (last - first > cell->item_ns) {
            cell->item_ns = last - first;
            cell->item = i;
        }
    }
    if (cell->item == ROW_NONE && b->after == a->after + 1)
        cell->item = a->after; // without length
}

// Sets the time, category and share of the cell between two edges.
static void cell_sum(const struct timeline *timeline, const struct lane *lane,
                     const struct cell_edge *a, const struct cell_edge *b, int64_t from, int64_t to,
                     struct lane_cell *cell)
{
    int64_t highest = 0;
    for (uint32_t c = 0; c < LANE_CATEGORIES; c++) {
        int64_t ns = lane_sum_between(a->ns[c], b->ns[c]);
        cell->busy_ns += ns;
        cell->category = ns > highest ? c : cell->category;
        highest = ns > highest ? ns : highest;
    }
    if (highest == 0 && cell->begins > 0)
        cell->category = lane_category(timeline, lane, a->after);
    if (!lane_is_share(lane))
        return;
    cell->share = lane_mean(cell->busy_ns, from, to);
    cell->busy_ns = (int64_t)((uint64_t)cell->busy_ns / LANE_FULL);
}

// True if there may be few enough items between two edges that their exact positions matter.
static bool may_be_few(const struct cell_edge *a, const struct cell_edge *b)
{
    return b->after <= (uint64_t)a->max_after + MAX_CELL_ITEMS + 1;
}

void lane_cells(const struct timeline *timeline, const struct lane *lane, int64_t from, int64_t to,
                uint32_t count, struct lane_cell *cells)
{
    uint64_t tolerance_ns = ((uint64_t)to - (uint64_t)from) / count / CELL_PARTS;
    int64_t begin = from, end = timeline_cell_from(from, to, count, 1);
    struct cell_edge a = approximate_edge(timeline, lane, begin, tolerance_ns);
    struct cell_edge b = approximate_edge(timeline, lane, end, tolerance_ns);
    if (a.is_approximate && may_be_few(&a, &b))
        a = exact_edge(timeline, lane, begin);
    for (uint32_t i = 0; i < count; i++) {
        int64_t next = i + 1 < count ? timeline_cell_from(from, to, count, i + 2) : end;
        struct cell_edge c =
            i + 1 < count ? approximate_edge(timeline, lane, next, tolerance_ns) : b;
        // One edge ends a cell and begins the next, so no time is lost between them.
        if (b.is_approximate && (may_be_few(&a, &b) || (i + 1 < count && may_be_few(&b, &c))))
            b = exact_edge(timeline, lane, end);
        cells[i] = (struct lane_cell){.begins = b.after - a.after, .item = ROW_NONE};
        if (end > begin) {
            cell_sum(timeline, lane, &a, &b, begin, end, &cells[i]);
            cell_find_item(lane, &a, &b, begin, end, &cells[i]);
        }
        a = b;
        b = c;
        begin = end;
        end = next;
    }
}
