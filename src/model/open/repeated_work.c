// SPDX-License-Identifier: Apache-2.0
// Compares what files hold of one process (repeated_work.h).
//
// Two processes may be one if their numbers are equal and their files do not state different ranks.
// They are if most kernels of one, in the time that both files cover, are in the other: with the
// same name, grid, start and length. A trace without kernels is compared by its ranges. Merged
// files may have other numbers of GPUs and rounded times, but not another clock.
#include "model/open/repeated_work.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/scratch.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "model/profile/recorder.h"

enum {
    START_NS = 250,       // rounding of times since 1970 that were a double
    LENGTH_NS = 50,       // rounding of converted times
    MICROSECOND = 1000,   // ns; PyTorch before 2.3 rounds to it
    MAX_AT_ONCE = 64,     // rows looked at for one that starts at the same time
    MAX_PROCESSES = 512,  // per file; others are not compared
    MAX_LISTED = 4,       // files named in a note
    SAME_PERCENT = 98,    // of the rows of a process: all are in the other file
    OVERLAP_PERCENT = 50, // of those in the common time: the windows overlap
    FEW_ROWS = 8,         // fewer may be equal by chance
    SAMPLES = 512,        // rows that tell whether a full comparison can find anything
    LEAST_SAMPLES = 64,   // ... of those in the common time
};

struct repeated_row {
    int64_t start, length; // `start` by the wall clock
    uint64_t identity;
};

struct repeated_rows { // of one process in one file, by start
    struct repeated_row *items;
    uint32_t count;
    bool is_read, is_rough; // `is_rough`: lengths are whole microseconds
};

struct repeated_part {
    struct repeated_rows *rows; // by process
    uint32_t working;           // number of processes with rows
    const uint32_t *row_counts; // by process
};

struct repeated_search {
    struct arena *scratch;
    struct profile *merged;
    const struct profile *const *profiles;
    struct repeated_part *parts;
    uint32_t count;
    bool *is_left_out;
};

// ---- rows --------------------------------------------------------------------------------------

static bool uses_ranges(const struct profile *profile)
{
    return profile->work.count == 0;
}

static uint32_t row_process(const struct profile *profile, uint32_t row)
{
    return uses_ranges(profile)
               ? profile->threads[range_label(&profile->ranges, row)->thread].process
               : work_process(profile, row);
}

static uint32_t row_count(const struct profile *profile)
{
    return uses_ranges(profile) ? profile->ranges.count : profile->work.count;
}

static uint64_t row_identity(const struct profile *profile, uint32_t row)
{
    const struct launch_shape *shape;
    if (uses_ranges(profile))
        return hash_text(HASH_SEED, profile_text(profile, range_name(&profile->ranges, row)));
    uint64_t identity = hash_text(
        HASH_SEED, profile_text(profile, profile->functions[AT(profile->work.function, row)].full));
    shape = work_launch_shape(profile, row);
    for (int axis = 0; shape && axis < 3; axis++)
        identity = hash_number(hash_number(identity, (uint32_t)shape->grid[axis]),
                               (uint32_t)shape->block[axis]);
    return identity;
}

static int64_t wall_offset(const struct profile *profile)
{
    int64_t epoch = profile->capture.utc_epoch_ns; // as the file says: any number
    return epoch > 0 && epoch < INT64_MAX / 2 ? epoch : 0;
}

static int compare_rows(const void *left, const void *right)
{
    const struct repeated_row *a = left, *b = right;
    return (a->start > b->start) - (a->start < b->start);
}

static const struct repeated_rows *rows_of(struct repeated_search *search, uint32_t part,
                                           uint32_t process)
{
    struct repeated_part *in = &search->parts[part];
    const struct profile *profile = search->profiles[part];
    struct repeated_rows *rows = &in->rows[process];
    const struct column64 *start =
        uses_ranges(profile) ? &profile->ranges.start : &profile->work.start;
    const struct column64 *end = uses_ranges(profile) ? &profile->ranges.end : &profile->work.end;
    if (rows->is_read)
        return rows;
    rows->is_read = rows->is_rough = true;
    rows->items =
        ARENA_ARRAY(search->scratch, struct repeated_row, (size_t)in->row_counts[process] + 1);
    for (uint32_t row = 0; row < row_count(profile); row++) {
        if (row_process(profile, row) != process)
            continue;
        int64_t from = AT(*start, row);
        rows->items[rows->count++] = (struct repeated_row){
            from + wall_offset(profile), AT(*end, row) - from, row_identity(profile, row)};
        rows->is_rough &= (AT(*end, row) - from) % MICROSECOND == 0;
    }
    qsort(rows->items, rows->count, sizeof *rows->items, compare_rows);
    return rows;
}

// ---- comparison --------------------------------------------------------------------------------

struct repeated_match {
    uint32_t equal; // rows of the one that are in the other
    uint32_t near;  // rows of the one in the time that both cover
};

struct repeated_tolerance {
    int64_t start, length;
};

// Times are equal where both files have whole microseconds, as copies have.
static struct repeated_tolerance tolerance_of(const struct repeated_rows *one,
                                              const struct repeated_rows *other)
{
    if (one->is_rough != other->is_rough)
        return (struct repeated_tolerance){MICROSECOND, MICROSECOND};
    return one->is_rough ? (struct repeated_tolerance){0, 0}
                         : (struct repeated_tolerance){START_NS, LENGTH_NS};
}

static bool is_in(const struct repeated_rows *rows, uint32_t first, const struct repeated_row *row,
                  struct repeated_tolerance tolerance)
{
    for (uint32_t i = first; i < rows->count && i - first < MAX_AT_ONCE; i++) {
        if (rows->items[i].start > row->start + tolerance.start)
            return false;
        if (rows->items[i].identity == row->identity &&
            llabs(rows->items[i].length - row->length) <= tolerance.length)
            return true;
    }
    return false;
}

static uint32_t first_from(const struct repeated_rows *rows, int64_t start)
{
    uint32_t low = 0, high = rows->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (rows->items[middle].start < start)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_near(const struct repeated_rows *other, const struct repeated_row *row,
                    struct repeated_tolerance tolerance)
{
    return row->start >= other->items[0].start - tolerance.start &&
           row->start <= other->items[other->count - 1].start + tolerance.start;
}

// Returns false if a sample of the rows shows that few of them are in the other file. Every file of
// a job is compared with every other one.
static bool may_match(const struct repeated_rows *one, const struct repeated_rows *other,
                      struct repeated_tolerance tolerance)
{
    uint32_t near = 0, equal = 0, step = one->count / SAMPLES;
    for (uint32_t i = 0; step && i < one->count; i += step) {
        const struct repeated_row *row = &one->items[i];
        if (!is_near(other, row, tolerance))
            continue;
        near++;
        equal += is_in(other, first_from(other, row->start - tolerance.start), row, tolerance);
    }
    return near < LEAST_SAMPLES || (uint64_t)equal * 100 >= (uint64_t)near * OVERLAP_PERCENT / 2;
}

static struct repeated_match match_rows(const struct repeated_rows *one,
                                        const struct repeated_rows *other)
{
    struct repeated_match match = {0};
    struct repeated_tolerance tolerance = tolerance_of(one, other);
    if (!other->count || !may_match(one, other, tolerance))
        return match;
    for (uint32_t i = 0, at = 0; i < one->count; i++) {
        const struct repeated_row *row = &one->items[i];
        while (at < other->count && other->items[at].start < row->start - tolerance.start)
            at++;
        match.near += is_near(other, row, tolerance);
        match.equal += is_in(other, at, row, tolerance);
    }
    return match;
}

// Returns whether two files may hold one process: same tool, clock and rank, at the same time.
static bool are_alike(const struct profile *a, const struct profile *b)
{
    int64_t a_rank = a->sources[0].rank, b_rank = b->sources[0].rank;
    bool a_has_epoch = a->capture.utc_epoch_ns != UNKNOWN;
    bool b_has_epoch = b->capture.utc_epoch_ns != UNKNOWN;
    if (profile_is_trace(a) != profile_is_trace(b) || a_has_epoch != b_has_epoch ||
        uses_ranges(a) != uses_ranges(b) ||
        (a_rank != UNKNOWN && b_rank != UNKNOWN && a_rank != b_rank) ||
        a->process_count > MAX_PROCESSES || b->process_count > MAX_PROCESSES ||
        a->first_ns + wall_offset(a) > b->last_ns + wall_offset(b) ||
        b->first_ns + wall_offset(b) > a->last_ns + wall_offset(a))
        return false;
    for (uint32_t p = 0; p < a->process_count; p++)
        for (uint32_t q = 0; q < b->process_count; q++)
            if (a->processes[p].pid == b->processes[q].pid)
                return true;
    return false;
}

static bool may_repeat(const struct repeated_search *search, uint32_t a, uint32_t b)
{
    return a != b && !search->is_left_out[a] && !search->is_left_out[b] &&
           are_alike(search->profiles[a], search->profiles[b]);
}

// Compares a process of part `a` with the same process in part `b`.
static struct repeated_match match_process(struct repeated_search *search, uint32_t a,
                                           uint32_t process, uint32_t b)
{
    const struct profile *one = search->profiles[a], *other = search->profiles[b];
    struct repeated_match best = {0};
    for (uint32_t p = 0; p < other->process_count; p++) {
        if (!search->parts[b].row_counts[p] ||
            other->processes[p].pid != one->processes[process].pid)
            continue;
        struct repeated_match match =
            match_rows(rows_of(search, a, process), rows_of(search, b, p));
        best = match.equal > best.equal ? match : best;
    }
    return best;
}

// ---- choice ------------------------------------------------------------------------------------

static const char *file_name(const struct repeated_search *search, uint32_t part)
{
    return text_file_name(search->profiles[part]->sources[0].path, NULL);
}

// Leaves out a part all of whose processes are in others: a copy, or a file merged of these.
static void leave_out_covered(struct repeated_search *search, uint32_t part)
{
    const struct profile *profile = search->profiles[part];
    bool *holds = ARENA_ARRAY(search->scratch, bool, search->count);
    for (uint32_t p = 0; p < profile->process_count; p++) {
        bool is_covered = !search->parts[part].row_counts[p];
        for (uint32_t other = 0; other < search->count && !is_covered; other++) {
            if (!may_repeat(search, part, other))
                continue;
            uint32_t equal = match_process(search, part, p, other).equal;
            uint64_t rows = search->parts[part].row_counts[p];
            is_covered = (equal >= FEW_ROWS || !uses_ranges(profile)) &&
                         (uint64_t)equal * 100 >= rows * SAME_PERCENT;
            holds[other] |= is_covered;
        }
        if (!is_covered)
            return;
    }
    const char *others = "";
    uint32_t found = 0;
    for (uint32_t other = 0; other < search->count; other++) {
        if (holds[other] && found < MAX_LISTED)
            others = arena_format(search->scratch, "%s%s%s", others, found ? ", " : "",
                                  file_name(search, other));
        found += holds[other];
    }
    if (!found)
        return;
    if (found > MAX_LISTED)
        others = arena_format(search->scratch, "%s and %u more", others, found - MAX_LISTED);
    search->is_left_out[part] = true;
    profile_note(search->merged, NOTE_WARNING, "repeated_file", profile->work.count, NULL,
                 "%s is left out: what it holds is in %s as well and would count twice",
                 file_name(search, part), others);
}

// Leaves out the smaller of two parts that hold a part of the same time of one process.
static void leave_out_overlapping(struct repeated_search *search, uint32_t a, uint32_t b)
{
    const struct profile *one = search->profiles[a];
    for (uint32_t p = 0; p < one->process_count && may_repeat(search, a, b); p++) {
        if (!search->parts[a].row_counts[p])
            continue;
        struct repeated_match match = match_process(search, a, p, b);
        if (match.equal < FEW_ROWS ||
            match.equal * UINT64_C(100) < match.near * (uint64_t)OVERLAP_PERCENT)
            continue;
        bool is_less = one->work.count < search->profiles[b]->work.count;
        uint32_t left = is_less ? a : b;
        char count[FORMAT_SIZE];
        search->is_left_out[left] = true;
        profile_note(search->merged, NOTE_WARNING, "overlapping_file", match.equal, NULL,
                     "%s is left out, with all that only it holds: %s rows of process %u are in %s "
                     "as well and would count twice. Open it alone to see the rest",
                     file_name(search, left), format_count(count, match.equal),
                     one->processes[p].pid, file_name(search, is_less ? b : a));
    }
}

static void read_parts(struct repeated_search *search)
{
    search->parts = ARENA_ARRAY(search->scratch, struct repeated_part, search->count);
    for (uint32_t i = 0; i < search->count; i++) {
        const struct profile *profile = search->profiles[i];
        uint32_t processes = profile->process_count, working = 0;
        uint32_t *counts = ARENA_ARRAY(search->scratch, uint32_t, (size_t)processes + 1);
        for (uint32_t row = 0; row < row_count(profile); row++)
            counts[row_process(profile, row)]++;
        for (uint32_t p = 0; p < processes; p++)
            working += counts[p] > 0;
        search->parts[i] = (struct repeated_part){
            .rows = ARENA_ARRAY(search->scratch, struct repeated_rows, (size_t)processes + 1),
            .row_counts = counts,
            .working = working};
    }
}

static void find_body(void *context, struct arena *scratch)
{
    struct repeated_search *search = context;
    uint32_t most = 0;
    bool is_any = false;
    for (uint32_t i = 0; i < search->count; i++)
        for (uint32_t j = i + 1; j < search->count && !is_any; j++)
            is_any = may_repeat(search, i, j);
    if (!is_any)
        return;
    search->scratch = scratch;
    read_parts(search);
    for (uint32_t i = 0; i < search->count; i++)
        most = search->parts[i].working > most ? search->parts[i].working : most;
    // A file merged of others has most processes; of copies the last one goes.
    for (uint32_t working = most; working > 0; working--)
        for (uint32_t i = search->count; i-- > 0;)
            if (search->parts[i].working == working)
                leave_out_covered(search, i);
    for (uint32_t i = 0; i < search->count; i++)
        for (uint32_t j = i + 1; j < search->count; j++)
            leave_out_overlapping(search, i, j);
}

void repeated_work_find(const struct profile *const *parts, uint32_t count, bool *is_left_out,
                        struct profile *merged)
{
    struct repeated_search search = {
        .merged = merged, .profiles = parts, .count = count, .is_left_out = is_left_out};
    scratch_run(merged->arena, find_body, &search);
}
