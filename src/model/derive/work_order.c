// SPDX-License-Identifier: Apache-2.0
// Finds GPU work whose start cannot be right: it begins out of the order of launches.
//
// The work that one thread launches into one stream begins in that order, whatever the clocks of
// GPU and host are. Of a lane, which is such a thread and stream, the longest sequence in order is
// right, and what begins away from its place in it is wrong. Both the order of the calls and that
// of their ids must say so, because a call may have a wrong time and ids may come round. Nothing is
// said of a lane where that is frequent, of graphs, whose branches are free, and of vendors whose
// queues are.
#include "base/sort.h"
#include "base/tuples.h"
#include "model/derive/derive.h"
#include "model/profile/vendor.h"

enum {
    AWAY_NS = 1000000, // clocks are set right in smaller steps
    MAX_SHARE = 4,     // one wrong row in so many of a lane
};

struct order_lane {
    int64_t start;   // of the row launched last, of those so far
    uint32_t launch; // of that row
    bool is_broken;
};

struct order_search {
    const struct profile *profile;
    struct arena *scratch;
    const uint32_t *launch;
    const uint8_t *is_passed_over;
    struct tuples keys; // (stream, thread) -> index in `lanes`
    struct order_lane *lanes;
    size_t lane_capacity;
    uint32_t *lane; // by row of work; ROW_NONE: of none
    bool is_broken; // one of the lanes
};

static bool is_judged(const struct order_search *search, uint32_t row)
{
    const struct gpu_work *work = &search->profile->work;
    return !search->is_passed_over[row] && search->launch[row] != ROW_NONE &&
           !(HAS(work->flags) && AT(work->flags, row) & WORK_IN_GRAPH);
}

static void read_lanes(struct order_search *search)
{
    const struct profile *profile = search->profile;
    size_t count = 0;
    for (uint32_t row = 0; row < profile->work.count; row++) {
        uint32_t launch = search->launch[row];
        int64_t start = AT(profile->work.start, row);
        search->lane[row] = ROW_NONE;
        if (!is_judged(search, row))
            continue;
        int64_t key[2] = {AT(profile->work.stream, row), AT(profile->api.thread, launch)};
        uint32_t at = search->lane[row] = tuples_put(&search->keys, key);
        if (at == count)
            ARENA_PUSH(search->scratch, search->lanes, count, search->lane_capacity) =
                (struct order_lane){.launch = launch, .start = start};
        struct order_lane *lane = &search->lanes[at];
        lane->is_broken |= launch < lane->launch && start - lane->start > AWAY_NS;
        search->is_broken |= lane->is_broken;
        if (launch >= lane->launch) {
            lane->launch = launch;
            lane->start = start;
        }
    }
}

// Sets in_order[i] for the longest sequence of ascending starts among `count` rows.
static void find_longest(const int64_t *starts, uint32_t count, bool *in_order,
                         struct arena *scratch)
{
    uint32_t *tails = ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1); // by length - 1
    uint32_t *before = ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1);
    uint32_t length = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t low = 0, high = length;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (starts[tails[middle]] <= starts[i])
                low = middle + 1;
            else
                high = middle;
        }
        before[i] = low ? tails[low - 1] : ROW_NONE;
        tails[low] = i;
        length = low == length ? length + 1 : length;
    }
    for (uint32_t i = length ? tails[length - 1] : ROW_NONE; i != ROW_NONE; i = before[i])
        in_order[i] = true;
}

// Sets a bit in marks[] of the wrong ones of the rows of a lane, which are in order of launches.
static void mark_lane(const struct order_search *search, const uint32_t *rows, uint32_t count,
                      unsigned bit, uint8_t *marks)
{
    struct arena *scratch = search->scratch;
    int64_t *starts = ARENA_ARRAY(scratch, int64_t, (size_t)count + 1);
    int64_t *next = ARENA_ARRAY(scratch, int64_t, (size_t)count + 1); // start in the sequence
    bool *in_order = ARENA_ARRAY(scratch, bool, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        starts[i] = AT(search->profile->work.start, rows[i]);
    uint32_t away = 0;
    find_longest(starts, count, in_order, scratch);
    int64_t last = INT64_MAX, previous = INT64_MIN;
    for (uint32_t i = count; i-- > 0;) {
        next[i] = last;
        last = in_order[i] ? starts[i] : last;
    }
    for (uint32_t i = 0; i < count; i++) {
        bool is_early = previous != INT64_MIN && starts[i] < previous - AWAY_NS;
        bool is_late = next[i] != INT64_MAX && starts[i] > next[i] + AWAY_NS;
        if (in_order[i]) {
            previous = starts[i];
        } else if (is_early || is_late) {
            marks[rows[i]] |= (uint8_t)bit;
            away++;
        }
    }
    for (uint32_t i = 0; i < count && (uint64_t)away * MAX_SHARE > count; i++)
        marks[rows[i]] &= (uint8_t)~bit;
}

// Returns the rows of broken lanes by lane and launch, of which `ids` are the numbers.
static uint32_t *sort_broken(const struct order_search *search, const uint32_t *ids,
                             uint32_t *count)
{
    uint32_t rows = search->profile->work.count;
    uint32_t *broken = ARENA_ARRAY(search->scratch, uint32_t, (size_t)rows + 1);
    int64_t *keys = ARENA_ARRAY(search->scratch, int64_t, (size_t)rows + 1);
    *count = 0;
    for (uint32_t row = 0; row < rows; row++) {
        if (search->lane[row] == ROW_NONE || !search->lanes[search->lane[row]].is_broken)
            continue;
        keys[row] = (int64_t)((uint64_t)search->lane[row] << 32 | ids[row]);
        broken[(*count)++] = row; // those of one launch stay in order of their starts
    }
    sort_ids_by_time(broken, *count, keys, NULL, search->scratch);
    return broken;
}

static void mark_by(const struct order_search *search, const uint32_t *ids, unsigned bit,
                    uint8_t *marks)
{
    uint32_t count, first = 0;
    const uint32_t *rows = sort_broken(search, ids, &count);
    for (uint32_t i = 1; i <= count; i++) {
        if (i < count && search->lane[rows[i]] == search->lane[rows[first]])
            continue;
        mark_lane(search, rows + first, i - first, bit, marks);
        first = i;
    }
}

bool profile_find_disorder(const struct profile *profile, const uint32_t *launch,
                           const uint8_t *is_passed_over, uint8_t *is_marked, struct arena *scratch)
{
    struct order_search search = {.profile = profile,
                                  .scratch = scratch,
                                  .launch = launch,
                                  .is_passed_over = is_passed_over,
                                  .lane = ARENA_ARRAY(scratch, uint32_t, profile->work.count)};
    bool is_any = false;
    if (profile_vendor(profile) != VENDOR_NVIDIA)
        return false;
    tuples_open(&search.keys, scratch, 2);
    read_lanes(&search);
    if (!search.is_broken)
        return false;
    const uint32_t *orders[] = {
        launch, column32_unpack(scratch, profile->work.correlation, profile->work.count)};
    for (unsigned order = 0; order < 2; order++)
        mark_by(&search, orders[order], 1U << order, is_marked);
    for (uint32_t row = 0; row < profile->work.count; row++) {
        is_marked[row] = is_marked[row] == 3;
        is_any |= is_marked[row];
    }
    return is_any;
}
