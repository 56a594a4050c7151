// SPDX-License-Identifier: Apache-2.0
// The lanes of a profile on one axis of time, and what is in each cell of a lane however far one
// has zoomed out.
//
//      process 4711 train.py
//        thread     ranges, outermost        step 3 .......................
//                   ranges, one deeper       forward ....... backward .....
//                   calls of the CUDA API     l l l sync l l
//        GPU 0      everything that runs      #### %% ##### .... ###
//                   stream 7                  #### %% #####
//                   stream 13                                    ###
//                   memory     what is live, a curve   _/^\_/^\__
//                   tensors    what the framework's allocator has handed out, the same
//                   util       in how much of the time any kernel runs, the same
//                   SM eff     how full kernels make it, the same
//
// A lane is items (rows of profile.ranges, profile.api or profile.work) in order of their start.
// Where items of a lane overlap, the one that began first has the instant (of a GPU: the category
// that breakdown_gpu gives it to); so what is seen of items lies end to end, and sums before every
// 16th item tell what a cell holds in O(log n), however many items that are.
//
// The view asks for the lanes once (they depend on the profile alone), then for cells.
#ifndef ANALYSIS_TIMELINE_H
#define ANALYSIS_TIMELINE_H

#include "analysis/breakdown/breakdown.h"
#include "analysis/breakdown/cover.h"
#include "base/bins.h"

enum lane_kind {
    LANE_PROCESS, // headings, without items
    LANE_GPU,
    LANE_RANGES,      // profile.ranges of a thread that lie `level` deep
    LANE_CALLS,       // profile.api of a thread
    LANE_DEVICE,      // profile.work of a GPU that has several streams
    LANE_STREAM,      // profile.work of a stream
    LANE_MEMORY,      // profile.memory of a GPU's own memory; each up to the next
    LANE_TENSORS,     // profile.allocations of a GPU, the same
    LANE_UTILIZATION, // profile.work of a GPU that are kernels; a share of time
    LANE_EFFICIENCY,  // the same, whose blocks are known; where they overlap what they are together
};

// What items are: of a GPU's by breakdown_gpu, of calls these. Ranges are all of category 0.
enum { CALL_LAUNCH, CALL_COPY, CALL_SYNC, CALL_OTHER, CALL_CATEGORIES };
enum { LANE_CATEGORIES = GPU_IDLE, LANE_LEVELS = 24 };
enum { LANE_FULL = 1000000 }; // shares are in millionths

struct lane_name { // how many items of a lane are called so
    uint32_t key;  // see lane_key()
    uint32_t count;
};

struct lane {
    enum lane_kind kind;
    uint32_t process, thread, device, stream; // ROW_NONE: of none, or of several
    uint32_t level;                           // of ranges: 0 are the outermost; the last has all
                                              // that lie deeper, too
    uint32_t count;                           // of items
    uint32_t first;                           // row of the first item, where there are no `rows`
    struct column32 rows;                     // of the items, ascending; not there: in succession
    struct column64 start, end;               // by row, of the profile (of memory: up to the next)
    struct bins bins;                         // of starts
    struct column64 lags;                     // by item: how far the latest end so far lies behind
                                              // its own; not there: nothing overlaps
    uint32_t categories;                      // that its items can be of
    int64_t *sums;           // [block * categories + category]: ns seen before item block * 16,
                             // of shares by their weight
    struct cover cover;      // of LANE_DEVICE, instead of sums
    struct column32 weight;  // of LANE_EFFICIENCY, by row: ...
    const uint32_t *weights; // ... which of these it is; not there: it itself, the share
    const int64_t *live;     // of levels, by row: bytes that are live from its start on
    const int64_t *most;     // of items 16 i to 16 i + 15 the highest level
    int64_t peak;            // of all; 0: nothing is ever live
    struct lane_name *names; // each once; of LANE_RANGES, LANE_CALLS and LANE_STREAM
    uint32_t name_count;
};

struct timeline {
    const struct profile *profile;
    int64_t from, to; // of all items; to > from
    size_t count;
    struct lane *lanes;         // headings before what they are of
    uint8_t *function_category; // by function: enum of breakdown_gpu
};

// All lanes that have anything; kept where the selection has a memo. Needs STAGE_READY.
const struct timeline *timeline_of(const struct profile *profile, const struct selection *selection,
                                   struct arena *arena);
// Whether a selection looks at a lane: by its process and its GPU. Threads of a process are there
// with each GPU that it used.
bool lane_is_in(const struct timeline *timeline, const struct selection *selection, size_t lane);

static inline bool lane_has_items(const struct lane *lane)
{
    return lane->kind != LANE_PROCESS && lane->kind != LANE_GPU;
}
static inline bool lane_is_work(const struct lane *lane)
{
    return lane->kind == LANE_DEVICE || lane->kind == LANE_STREAM;
}
// Items are changes of a level, and named and measured by it.
static inline bool lane_is_level(const struct lane *lane)
{
    return lane->kind == LANE_MEMORY || lane->kind == LANE_TENSORS;
}
// Items are a share of a whole, of time or of what a GPU has.
static inline bool lane_is_share(const struct lane *lane)
{
    return lane->kind == LANE_UTILIZATION || lane->kind == LANE_EFFICIENCY;
}
// Drawn as high as it is.
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
// Who is called the same has the same key: of ranges and calls the string, of work the function, which
// has a name for each form that names are shown in.
uint32_t lane_key(const struct profile *profile, const struct lane *lane, uint32_t item);
string_id lane_key_name(const struct profile *profile, const struct selection *selection,
                        const struct lane *lane, uint32_t key);
uint32_t lane_category(const struct timeline *timeline, const struct lane *lane, uint32_t item);
// What each nanosecond of an item counts: millionths of shares, else 1.
uint32_t lane_weight(const struct lane *lane, uint32_t item);

// The lane that a row of a table is in and its place there; false: in none. Of work: the stream's.
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
           : lane_is_share(lane)        ? TABLE_SHARES // no table: rows are only the lane's own
                                        : TABLE_WORK;
}
bool timeline_find(const struct timeline *timeline, enum lane_table table, uint32_t row,
                   struct lane_item *found);
// The place of a row in this lane, or ROW_NONE.
uint32_t lane_find(const struct lane *lane, uint32_t row);

// ---- looking at a stretch of time (lane_cells.c) -----------------------------------------------

// Where the i-th of `count` cells of [from, to) begins; cells differ by 1 ns at most.
int64_t timeline_cell_from(int64_t from, int64_t to, uint32_t count, uint32_t i);
// The cell that holds a time of [from, to): the inverse.
uint32_t timeline_cell_of(int64_t from, int64_t to, uint32_t count, int64_t time);

struct lane_cell {
    int64_t busy_ns;   // in which there is an item; of shares as much of it as they are
    uint32_t begins;   // items that begin in it
    uint32_t item;     // the one seen longest; ROW_NONE: none, or more than can be told apart
    int64_t item_ns;   // how long
    uint32_t category; // that has the most of busy_ns, or of what begins where that is 0
    double share;      // of lane_is_share(): the mean over its time, 0..1
};

// What is in each of the cells. O(log n) a cell. Where a 256th of its width holds several items, the time of
// a cell is told to a 128th of its width, and how many begin in it to those of that time; lane_add() and
// lane_begins() are exact.
void lane_cells(const struct timeline *timeline, const struct lane *lane, int64_t from, int64_t to,
                uint32_t count, struct lane_cell *cells);
// Adds to ns[LANE_CATEGORIES] what is seen within [from, to); of shares ns[0] is in millionths.
void lane_add(const struct timeline *timeline, const struct lane *lane, int64_t from, int64_t to,
              int64_t *ns);
// Of LANE_MEMORY the most that is live within [from, to); from < to.
int64_t lane_level(const struct lane *lane, int64_t from, int64_t to);
// Of lane_is_share() the mean over [from, to), 0..1.
double lane_share(const struct timeline *timeline, const struct lane *lane, int64_t from,
                  int64_t to);
// How many items begin within [from, to).
uint32_t lane_begins(const struct lane *lane, int64_t from, int64_t to);
// The item that is seen at `time`, or ROW_NONE; the last that began at or before it, or ROW_NONE;
// the first that begins at or after it, or lane->count.
uint32_t lane_at(const struct lane *lane, int64_t time);
uint32_t lane_before(const struct lane *lane, int64_t time);
uint32_t lane_after(const struct lane *lane, int64_t time);

#endif
