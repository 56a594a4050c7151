// SPDX-License-Identifier: Apache-2.0
// The lanes of a profile on one time axis, and the contents of each cell of a lane at any zoom
// level.
//
//      process 4711 train.py
//        thread     ranges, outermost        step 3 .......................
//                   ranges, one deeper       forward ....... backward .....
//                   calls of the CUDA API     l l l sync l l
//        GPU 0      all work                 #### %% ##### .... ###
//                   stream 7                  #### %% #####
//                   stream 13                                    ###
//                   memory     live memory, a curve    _/^\_/^\__
//                   tensors    memory handed out by the framework's allocator, a curve
//                   util       share of the time in which some kernel runs, a curve
//                   SM eff     how much of the GPU kernels fill, a curve
//
// A lane is a list of items (rows of profile.ranges, profile.api or profile.work) by start. Where
// items overlap, each instant belongs to the one that began first (on a GPU, to a category by the
// rules of breakdown_gpu), and only there it is visible. So the visible parts of items do not
// overlap, and sums stored for every LANE_BLOCK items give the contents of a cell in O(log n).
//
// The view gets the lanes once (they depend on the profile only), then cells.
#ifndef ANALYSIS_TIMELINE_TIMELINE_H
#define ANALYSIS_TIMELINE_TIMELINE_H

#include "analysis/breakdown/breakdown.h"
#include "analysis/breakdown/cover.h"
#include "base/bins.h"

enum lane_kind {
    LANE_PROCESS, // headings without items
    LANE_GPU,
    LANE_RANGES,      // profile.ranges of a thread at depth `level`
    LANE_CALLS,       // profile.api of a thread
    LANE_DEVICE,      // profile.work of a GPU with several streams
    LANE_STREAM,      // profile.work of a stream
    LANE_MEMORY,      // changes of a GPU's own memory; each lasts until the next
    LANE_TENSORS,     // profile.allocations of a GPU; each lasts until the next
    LANE_UTILIZATION, // kernels in profile.work of a GPU; a share of time
    // Kernels whose blocks are known, summed where they overlap; a share of the GPU.
    LANE_EFFICIENCY,
};

// Categories of items: work has the categories of breakdown_gpu, calls have these. Ranges have 0.
enum { CALL_LAUNCH, CALL_COPY, CALL_SYNC, CALL_OTHER, CALL_CATEGORIES };
enum { LANE_CATEGORIES = GPU_IDLE, LANE_LEVELS = 24 };
enum { LANE_FULL = 1000000 }; // a share of 1, in millionths

struct lane_name { // number of items of a lane with the same name
    uint32_t key;  // see lane_key()
    uint32_t count;
};

struct lane {
    enum lane_kind kind;
    uint32_t process, thread, device, stream; // ROW_NONE: none or several
    uint32_t level;       // of ranges: 0 is outermost; the last level also has all deeper ranges
    uint32_t count;       // number of items
    uint32_t first;       // row of the first item, if there are no `rows`
    struct column32 rows; // rows of the items, ascending; absent: consecutive rows
    struct column64 start,
        end;              // [row], columns of the profile (for memory, `end` is the next start)
    struct bins bins;     // index of starts
    struct column64 lags; // [item]: latest end up to it, less its own end; absent: no overlaps
    uint32_t categories;  // number of possible categories
    // [block * categories + category]: visible ns before item block * LANE_BLOCK, times the weight
    // for shares
    int64_t *sums;
    struct cover cover;      // of LANE_DEVICE, instead of sums
    struct column32 weight;  // [row], of LANE_EFFICIENCY: a row of `weights`
    const uint32_t *weights; // shares; NULL: `weight` itself is the share
    const int64_t *live;     // [row], for levels: live bytes from its start on
    const int64_t *most;     // [block]: highest level of its LANE_BLOCK items
    int64_t peak;            // highest level; 0: there is never live memory
    struct lane_name *names; // each name once; for LANE_RANGES, LANE_CALLS and LANE_STREAM
    uint32_t name_count;
};

struct timeline {
    const struct profile *profile;
    int64_t from, to; // of all items; to > from
    size_t count;
    struct lane *lanes;         // headings come before their lanes
    uint8_t *function_category; // [function]: category of breakdown_gpu
};

// Returns all lanes with content, stored in the memo of the selection. Needs STAGE_READY.
const struct timeline *timeline_of(const struct profile *profile, const struct selection *selection,
                                   struct arena *arena);
// True if a lane belongs to the selected process and GPU. Lanes of threads belong to all GPUs that
// their process uses.
bool lane_is_selected(const struct timeline *timeline, const struct selection *selection,
                      size_t lane);

static inline bool lane_has_items(const struct lane *lane)
{
    return lane->kind != LANE_PROCESS && lane->kind != LANE_GPU;
}
static inline bool lane_is_work(const struct lane *lane)
{
    return lane->kind == LANE_DEVICE || lane->kind == LANE_STREAM;
}
// True if items are changes of a level.
static inline bool lane_is_level(const struct lane *lane)
{
    return lane->kind == LANE_MEMORY || lane->kind == LANE_TENSORS;
}
// True if items are shares of a whole: of time, or of a GPU's capacity.
static inline bool lane_is_share(const struct lane *lane)
{
    return lane->kind == LANE_UTILIZATION || lane->kind == LANE_EFFICIENCY;
}
// True if items are drawn with a height.
static inline bool lane_is_curve(const struct lane *lane)
{
    return lane_is_level(lane) || lane_is_share(lane);
}
static inline uint32_t lane_row(const struct lane *lane, uint32_t item)
{
    return HAS(lane->rows) ? AT(lane->rows, item) : lane->first + item;
}
static inline int64_t lane_start(const struct lane *lane, uint32_t item)
{
    return AT(lane->start, lane_row(lane, item));
}
static inline int64_t lane_end(const struct lane *lane, uint32_t item)
{
    return AT(lane->end, lane_row(lane, item));
}
// Returns a key that equal names share: for ranges and calls the string, for work the function,
// which has a name in each display form.
uint32_t lane_key(const struct profile *profile, const struct lane *lane, uint32_t item);
string_id lane_key_name(const struct profile *profile, const struct selection *selection,
                        const struct lane *lane, uint32_t key);
uint32_t lane_category(const struct timeline *timeline, const struct lane *lane, uint32_t item);
// Returns the weight of each nanosecond of an item: millionths for shares, else 1.
uint32_t lane_weight(const struct lane *lane, uint32_t item);

// Finds the lane and item of a row of a table; for work, in the lane of its stream. Returns false
// if the row is in no lane.
struct lane_item {
    size_t lane;
    uint32_t item;
};
enum lane_table {
    TABLE_RANGES,
    TABLE_CALLS,
    TABLE_WORK,
    TABLE_MEMORY,
    TABLE_TENSORS,
    TABLE_SHARES
};
static inline enum lane_table lane_table(const struct lane *lane)
{
    return lane->kind == LANE_RANGES    ? TABLE_RANGES
           : lane->kind == LANE_CALLS   ? TABLE_CALLS
           : lane->kind == LANE_MEMORY  ? TABLE_MEMORY
           : lane->kind == LANE_TENSORS ? TABLE_TENSORS
           : lane_is_share(lane)        ? TABLE_SHARES // no table: rows are local to the lane
                                        : TABLE_WORK;
}
bool timeline_find(const struct timeline *timeline, enum lane_table table, uint32_t row,
                   struct lane_item *found);
// Returns the item of a row in this lane, or ROW_NONE.
uint32_t lane_find(const struct lane *lane, uint32_t row);

// ---- queries of an interval (lane_cells.c) -----------------------------------------------

// Returns where cell i of `count` equal cells of [from, to) begins; widths differ by at most 1 ns.
int64_t timeline_cell_from(int64_t from, int64_t to, uint32_t count, uint32_t i);
// Returns the cell that contains `time`: the inverse.
uint32_t timeline_cell_of(int64_t from, int64_t to, uint32_t count, int64_t time);

struct lane_cell {
    int64_t busy_ns; // time covered by items; for shares, weighted
    uint32_t begins; // number of items that begin in it
    uint32_t item;   // the item that is visible longest; ROW_NONE: none, or too many to compare
    int64_t item_ns; // how long it is visible in the cell
    // the one with the largest part of busy_ns; if busy_ns is 0, of the item that begins in the
    // cell
    uint32_t category;
    double share; // for lane_is_share(): mean over the cell, 0..1
};

// Fills the cells, in O(log n) each. If items are so dense that there are several in 1/256 of a
// cell's width, the times of the cell are exact to 1/128 of its width, and `begins` is exact to the
// items that begin in that time. lane_add() and lane_begins() are always exact.
void lane_cells(const struct timeline *timeline, const struct lane *lane, int64_t from, int64_t to,
                uint32_t count, struct lane_cell *cells);
// Adds to ns[LANE_CATEGORIES] the visible time within [from, to); for shares, adds to ns[0] only,
// in millionths of ns.
void lane_add(const struct timeline *timeline, const struct lane *lane, int64_t from, int64_t to,
              int64_t *ns);
// For levels: returns the maximum within [from, to); from < to.
int64_t lane_level(const struct lane *lane, int64_t from, int64_t to);
// For lane_is_share(): returns the mean over [from, to), 0..1.
double lane_share(const struct timeline *timeline, const struct lane *lane, int64_t from,
                  int64_t to);
// Returns how many items begin within [from, to).
uint32_t lane_begins(const struct lane *lane, int64_t from, int64_t to);
// lane_at() returns the item that is visible at `time`, or ROW_NONE; lane_before() the last item
// that begins at or before it, or ROW_NONE; lane_after() the first that begins at or after it, or
// lane->count.
uint32_t lane_at(const struct lane *lane, int64_t time);
uint32_t lane_before(const struct lane *lane, int64_t time);
uint32_t lane_after(const struct lane *lane, int64_t time);

#endif
