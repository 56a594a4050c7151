// SPDX-License-Identifier: Apache-2.0
// What is in a stretch of a lane: binary search and sums, never a walk over its items.
#include <string.h>

#include "analysis/timeline.h"
#include "analysis/timeline_lanes.h"

// Items of a cell that are looked at one by one, to tell which of them fills most of it.
enum { CELL_ITEMS = 8 };

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

static int64_t latest_of(const struct lane *lane, uint32_t item)
{
    int64_t end = lane_end(lane, item);
    return HAS(lane->lags) ? (int64_t)((uint64_t)end + (uint64_t)AT(lane->lags, item)) : end;
}

int64_t lane_seen_from(const struct lane *lane, uint32_t item)
{
    int64_t start = lane_start(lane, item);
    int64_t before = HAS(lane->lags) && item > 0 ? latest_of(lane, item - 1) : INT64_MIN;
    return start > before ? start : before;
}

int64_t lane_seen_to(const struct lane *lane, uint32_t item)
{
    return latest_of(lane, item);
}

typedef int64_t item_time(const struct lane *lane, uint32_t item); // ascends

// The first item of these whose time is after `time`, or `high`.
static inline uint32_t first_above(const struct lane *lane, item_time *of, int64_t time,
                                   uint32_t low, uint32_t high)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (of(lane, middle) <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The same of the first `count`, in steps that grow from an item that is likely to be near it.
static inline uint32_t first_above_near(const struct lane *lane, item_time *of, uint32_t count,
                                        int64_t time, uint32_t near)
{
    uint32_t low = near, high = near;
    for (uint32_t step = 1; low > 0 && of(lane, low - 1) > time; step *= 2) {
        high = low - 1;
        low = high > step ? high - step : 0;
    }
    for (uint32_t step = 1; high < count && of(lane, high) <= time; step *= 2) {
        low = high + 1;
        high = count - low > step ? low + step : count;
    }
    return first_above(lane, of, time, low, high);
}

static int64_t just_before(int64_t time)
{
    return time > INT64_MIN ? time - 1 : time; // nothing begins there
}

static int64_t start_of(const struct lane *lane, uint32_t item)
{
    return lane_start(lane, item);
}

static int64_t block_start(const struct lane *lane, uint32_t block)
{
    return lane->starts[block];
}

// The first item that begins at or after `time`. Starts of rows lie far apart in memory, those of blocks
// next to each other.
static uint32_t after_near(const struct lane *lane, int64_t time, uint32_t near)
{
    uint32_t blocks = lane->count / LANE_BLOCK + (lane->count % LANE_BLOCK != 0);
    uint32_t block =
        first_above_near(lane, block_start, blocks, just_before(time), near / LANE_BLOCK);
    if (block == 0)
        return 0;
    uint32_t low = (block - 1) * LANE_BLOCK + 1;
    uint32_t high = block < blocks ? block * LANE_BLOCK : lane->count;
    return first_above(lane, start_of, just_before(time), low, high);
}

uint32_t lane_after(const struct lane *lane, int64_t time)
{
    return after_near(lane, time, lane->count / 2);
}

uint32_t lane_before(const struct lane *lane, int64_t time)
{
    uint32_t after = time == INT64_MAX ? lane->count : lane_after(lane, time + 1);
    return after > 0 ? after - 1 : ROW_NONE;
}

uint32_t lane_at(const struct lane *lane, int64_t time)
{
    uint32_t item = first_above(lane, latest_of, time, 0, lane->count);
    return item < lane->count && lane_seen_from(lane, item) <= time ? item : ROW_NONE;
}

int64_t lane_level(const struct lane *lane, int64_t from, int64_t to)
{
    uint32_t first = lane_before(lane, from), last = lane_before(lane, to - 1);
    int64_t most = 0;
    for (uint32_t i = first == ROW_NONE ? 0 : first; last != ROW_NONE && i <= last;) {
        bool is_block = i % LANE_BLOCK == 0 && last - i >= LANE_BLOCK;
        int64_t level = is_block ? lane->most[i / LANE_BLOCK] : lane->live[lane_row(lane, i)];
        most = level > most ? level : most;
        i += is_block ? LANE_BLOCK : 1;
    }
    return most;
}

uint32_t lane_begins(const struct lane *lane, int64_t from, int64_t to)
{
    return to > from ? lane_after(lane, to) - lane_after(lane, from) : 0;
}

// ---- sums --------------------------------------------------------------------------------------

struct edge {       // the beginning of a cell
    uint32_t seen;  // first item that is seen after it
    uint32_t after; // first item that begins at or after it
    int64_t ns[LANE_CATEGORIES];
};

static void edge_sum(const struct timeline *timeline, const struct lane *lane, int64_t time,
                     struct edge *edge)
{
    uint32_t block = edge->seen / LANE_BLOCK;
    memset(edge->ns, 0, sizeof edge->ns);
    memcpy(edge->ns, lane->sums + (size_t)block * lane->categories,
           lane->categories * sizeof *edge->ns);
    for (uint32_t i = block * LANE_BLOCK; i < edge->seen; i++) {
        int64_t from = lane_seen_from(lane, i), to = lane_seen_to(lane, i);
        int64_t *sum = &edge->ns[lane_category(timeline, lane, i)];
        *sum = lane_sum_weighed(lane, i, *sum, from, to);
    }
    if (edge->seen < lane->count) {
        int64_t from = lane_seen_from(lane, edge->seen);
        int64_t *sum = &edge->ns[lane_category(timeline, lane, edge->seen)];
        *sum = lane_sum_weighed(lane, edge->seen, *sum, from, time);
    }
}

// `near`: an item that is likely to begin there. What is seen then began just before it, mostly.
static struct edge edge_at(const struct timeline *timeline, const struct lane *lane, int64_t time,
                           uint32_t near)
{
    struct edge edge = {.after = after_near(lane, time, near)};
    edge.seen = first_above_near(lane, latest_of, lane->count, time, edge.after);
    if (!lane->cover.classes)
        edge_sum(timeline, lane, time, &edge);
    return edge;
}

void lane_add(const struct timeline *timeline, const struct lane *lane, int64_t from, int64_t to,
              int64_t *ns)
{
    if (to <= from)
        return;
    if (lane->cover.classes) {
        cover_add(&lane->cover, from, to, ns);
        return;
    }
    struct edge a = edge_at(timeline, lane, from, lane->count / 2),
                b = edge_at(timeline, lane, to, a.after);
    for (int c = 0; c < LANE_CATEGORIES; c++)
        ns[c] += lane_sum_between(a.ns[c], b.ns[c]);
}

// The item that is seen longest, of few.
static void cell_find_item(const struct lane *lane, const struct edge *a, const struct edge *b,
                           int64_t from, int64_t to, struct lane_cell *cell)
{
    uint32_t end =
        b->seen < lane->count && lane_seen_from(lane, b->seen) < to ? b->seen + 1 : b->seen;
    if (end - a->seen > CELL_ITEMS)
        return;
    for (uint32_t i = a->seen; i < end; i++) {
        int64_t first = lane_seen_from(lane, i), last = lane_seen_to(lane, i);
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

static void cell_sum(const struct timeline *timeline, const struct lane *lane, const struct edge *a,
                     const struct edge *b, int64_t from, int64_t to, struct lane_cell *cell)
{
    int64_t ns[LANE_CATEGORIES] = {0}, most = 0;
    if (lane->cover.classes)
        cover_add(&lane->cover, from, to, ns);
    for (int c = 0; c < LANE_CATEGORIES; c++)
        ns[c] = lane->cover.classes ? ns[c] : lane_sum_between(a->ns[c], b->ns[c]);
    cell->category = cell->begins ? lane_category(timeline, lane, a->after) : 0;
    for (uint32_t c = 0; c < LANE_CATEGORIES; c++) {
        cell->busy_ns += ns[c];
        cell->category = ns[c] > most ? c : cell->category;
        most = ns[c] > most ? ns[c] : most;
    }
    if (!lane_is_share(lane))
        return;
    cell->share = lane_mean(cell->busy_ns, from, to);
    cell->busy_ns = (int64_t)((uint64_t)cell->busy_ns / LANE_FULL);
}

void lane_cells(const struct timeline *timeline, const struct lane *lane, int64_t from, int64_t to,
                uint32_t count, struct lane_cell *cells)
{
    struct edge a = edge_at(timeline, lane, from, lane->count / 2);
    uint32_t near = a.after;
    for (uint32_t i = 0; i < count; i++) {
        int64_t begin = timeline_cell_from(from, to, count, i);
        int64_t end = timeline_cell_from(from, to, count, i + 1);
        struct edge b = edge_at(timeline, lane, end, near < lane->count ? near : lane->count);
        near = b.after + (b.after - a.after);
        cells[i] = (struct lane_cell){.begins = b.after - a.after, .item = ROW_NONE};
        if (end > begin) {
            cell_sum(timeline, lane, &a, &b, begin, end, &cells[i]);
            cell_find_item(lane, &a, &b, begin, end, &cells[i]);
        }
        a = b;
    }
}
