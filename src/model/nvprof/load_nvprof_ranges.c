// SPDX-License-Identifier: Apache-2.0
// Reads NVTX ranges of nvprof: a row where a range begins, with its name, and a row where it ends,
// with the same id. The rows may be in any order and in different slices.
#include "model/nsys/load_nsys_ranges.h"
#include "model/nvprof/load_nvprof.h"

#include <string.h>

enum { MARK_BEGINS = 2, MARK_ENDS = 4 }; // bits of `flags`

struct range_side {
    int64_t thread, id, time;
};

struct marker_local {
    struct range_side *ends;
    size_t count, capacity;
};

enum { MARKER_TIME, MARKER_FLAGS, MARKER_ID, MARKER_THREAD, MARKER_NAME, MARKER_DOMAIN };
static const char *const marker_columns[] = {"start", "flags",  "id", "objectId",
                                             "name",  "domain", NULL};

static void markers_begin(struct table_slice *slice)
{
    ranges_begin(slice);
    ((struct ranges_local *)slice->local)->own = ARENA_NEW(slice->arena, struct marker_local);
}

static bool side_read(struct table_slice *slice, sqlite3_value **row, struct range_side *side)
{
    if (!cell_integer(row, MARKER_TIME, &side->time)) {
        slice->skipped[SKIP_TIME]++;
        return false;
    }
    if (!nsys_is_plausible_time(slice->nsys, side->time)) {
        slice->skipped[SKIP_IMPLAUSIBLE]++;
        return false;
    }
    if (!cell_thread(slice->nsys, row[MARKER_THREAD], &side->thread)) {
        slice->skipped[SKIP_THREAD]++;
        return false;
    }
    side->id = cell_integer_or(row, MARKER_ID, 0);
    return true;
}

static bool is_text(struct table_slice *slice, string_id text)
{
    return text && strcmp(strings_text(slice->strings, text), NVPROF_NO_TEXT) != 0;
}

// Adds a range at its beginning. The file does not distinguish push/pop from start/end ranges; most
// are pushed.
static void range_begins(struct table_slice *slice, sqlite3_value **row,
                         const struct range_side *side)
{
    struct raw_ranges *raw = slice->target;
    struct parsed_range seen = {
        .start = side->time,
        .end = INT64_MAX,
        .thread = side->thread,
        .domain = cell_integer_or(row, MARKER_DOMAIN, 0),
        .text = range_text_by_id(slice, row, MARKER_NAME),
        .style = RANGE_PUSH_POP,
        .ending = RANGE_OPEN,
    };
    uint32_t at;
    if (!is_text(slice, seen.text.name))
        seen.text.name = STRING_NONE;
    string_id domain = slice_text_by_id(slice, row, MARKER_DOMAIN);
    if (is_text(slice, domain))
        range_name_domain(slice, seen.thread, seen.domain, domain);
    if (range_record(slice, &seen, &at))
        raw->id[at] = side->id;
}

static void marker_row(struct table_slice *slice, sqlite3_value **row)
{
    struct marker_local *local = ((struct ranges_local *)slice->local)->own;
    struct range_side side;
    int64_t flags = cell_integer_or(row, MARKER_FLAGS, 0) & (MARK_BEGINS | MARK_ENDS);
    if (!flags || !side_read(slice, row, &side))
        return; // instant markers
    if (flags & MARK_ENDS)
        ARENA_PUSH(slice->arena, local->ends, local->count, local->capacity) = side;
    else
        range_begins(slice, row, &side);
}

const struct table_reader nvprof_range_reader = {"NVTX_EVENTS", marker_columns, markers_begin,
                                                 marker_row, EXTENT_ALL};

// ---- matching begins and ends -------------------------------------------------------------------

struct range_matching {
    struct nsys *nsys;
    struct table_slices *slices;
    struct table_slice *slice; // slice of the row found last
    struct tuples ids;         // (process, id) -> index in `row`
    size_t capacity;
    uint32_t *row; // raw row where the range begins
    int64_t lost, backwards;
};

static void begins_put(struct range_matching *matching, const struct table_slice *slice)
{
    const struct raw_ranges *raw = slice->target;
    for (uint32_t at = slice->base; at < slice->base + slice->count; at++) {
        int64_t key[2] = {nsys_pid(matching->nsys, range_tid(slice, at)), raw->id[at]};
        size_t count = matching->ids.count;
        // Only the first range of an id can be matched to an end.
        if (tuples_put(&matching->ids, key) == count)
            ARENA_PUSH(matching->nsys->scratch, matching->row, count, matching->capacity) = at;
    }
}

static bool slice_has(const struct table_slice *slice, uint32_t at)
{
    return at >= slice->base && at - slice->base < slice->count;
}

static struct table_slice *slice_of(struct range_matching *matching, uint32_t at)
{
    if (!slice_has(matching->slice, at)) // consecutive rows are mostly in one slice
        for (matching->slice = matching->slices->items; !slice_has(matching->slice, at);)
            matching->slice++;
    return matching->slice;
}

static void side_end(struct range_matching *matching, const struct range_side *end)
{
    const int64_t key[2] = {nsys_pid(matching->nsys, end->thread), end->id};
    uint32_t index = tuples_find(&matching->ids, key);
    uint32_t at = index == UINT32_MAX ? ROW_NONE : matching->row[index];
    struct table_slice *slice = at == ROW_NONE ? NULL : slice_of(matching, at);
    struct raw_ranges *raw = slice ? slice->target : NULL;
    if (!raw || raw->end[at] != INT64_MAX) {
        matching->lost++;
        return;
    }
    if (end->time < raw->start[at] || end->time - raw->start[at] > DURATION_LIMIT) {
        matching->backwards++;
        return;
    }
    struct ranges_local *local = slice->local;
    raw->end[at] = end->time;
    if (end->time > local->latest)
        local->latest = end->time;
    range_set_ending(slice, at,
                     end->thread == range_tid(slice, at) ? RANGE_CLOSED : RANGE_CROSS_THREAD);
}

void nvprof_end_ranges(struct nsys *nsys, struct table_slices *slices)
{
    struct range_matching matching = {.nsys = nsys, .slices = slices, .slice = slices->items};
    tuples_open(&matching.ids, nsys->scratch, 2);
    for (size_t i = 0; i < slices->count; i++)
        begins_put(&matching, &slices->items[i]);
    for (size_t i = 0; i < slices->count; i++) {
        const struct marker_local *local = ((struct ranges_local *)slices->items[i].local)->own;
        for (size_t end = 0; end < local->count; end++)
            side_end(&matching, &local->ends[end]);
    }
    if (matching.lost)
        profile_note(nsys->profile, NOTE_INFO, "ranges_without_start", matching.lost, NULL,
                     "%lld ends of ranges have no beginning in the file: they are left out",
                     (long long)matching.lost);
    if (matching.backwards)
        profile_note(nsys->profile, NOTE_WARNING, "ranges_backwards", matching.backwards, NULL,
                     "%lld ranges end before they begin, or impossibly late: they count as open",
                     (long long)matching.backwards);
}
