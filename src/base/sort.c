// SPDX-License-Identifier: Apache-2.0
// Three algorithms. sort_ids() is a merge sort on top of insertion sort. sort_ids_by_time() first
// tries insertion for nearly sorted rows, then merges if there are few sorted runs, and else uses a
// radix sort on the differences to the least key.
#include "base/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    INSERTION_RUN = 16, // runs of this length are sorted by insertion before merging
    DIGIT_BITS = 11,
    DIGIT_COUNT = 1 << DIGIT_BITS,
    MAX_SHIFT = 32,        // rows by which a row of nearly sorted input may be misplaced
    MAX_RUNS = 64,         // up to this many sorted runs are merged
    MAX_STACK_ROWS = 1024, // up to this many rows are sorted without allocating
};

static void insertion_sort(uint32_t *ids, size_t count, sort_compare *compare, const void *context)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t id = ids[i];
        size_t at = i;
        for (; at > 0 && compare(context, ids[at - 1], id) > 0; at--)
            ids[at] = ids[at - 1];
        ids[at] = id;
    }
}

static void merge(const uint32_t *left, size_t left_count, const uint32_t *right,
                  size_t right_count, uint32_t *out, sort_compare *compare, const void *context)
{
    while (left_count && right_count) {
        // On a tie the left row precedes, which makes the sort stable.
        if (compare(context, *left, *right) <= 0) {
            *out++ = *left++;
            left_count--;
        } else {
            *out++ = *right++;
            right_count--;
        }
    }
    memcpy(out, left_count ? left : right, (left_count + right_count) * sizeof *out);
}

void sort_ids(uint32_t *ids, size_t count, sort_compare *compare, const void *context,
              struct arena *scratch)
{
    if (count < 2)
        return;
    for (size_t at = 0; at < count; at += INSERTION_RUN) {
        size_t length = count - at < INSERTION_RUN ? count - at : INSERTION_RUN;
        insertion_sort(ids + at, length, compare, context);
    }
    if (count <= INSERTION_RUN)
        return;
    uint32_t *source = ids, *target = ARENA_ARRAY(scratch, uint32_t, count);
    for (size_t length = INSERTION_RUN; length < count; length *= 2) {
        for (size_t at = 0; at < count; at += 2 * length) {
            size_t left = count - at < length ? count - at : length;
            size_t right = count - at - left < length ? count - at - left : length;
            if (!right || compare(context, source[at + left - 1], source[at + left]) <= 0)
                memcpy(target + at, source + at, (left + right) * sizeof *target);
            else
                merge(source + at, left, source + at + left, right, target + at, compare, context);
        }
        uint32_t *swap = source;
        source = target;
        target = swap;
    }
    if (source != ids)
        memcpy(ids, source, count * sizeof *ids);
}

struct time_sort {
    const int64_t *keys, *second;
    uint32_t *ids, *buffer;
    size_t count;
    size_t starts[MAX_RUNS + 1], runs; // sorted runs, see find_runs()
};

static int compare_keys(const void *context, uint32_t a, uint32_t b)
{
    const struct time_sort *sort = context;
    int order = (sort->keys[a] > sort->keys[b]) - (sort->keys[a] < sort->keys[b]);
    if (order || !sort->second)
        return order;
    return (sort->second[a] > sort->second[b]) - (sort->second[a] < sort->second[b]);
}

// Sorts by insertion if each row is at most MAX_SHIFT rows away from its position, as in files
// where rows are written when they end. Returns false if a row is farther away or if there are too
// many moves; the rows are then partly sorted.
static bool sort_nearly_sorted(const struct time_sort *sort)
{
    uint32_t *ids = sort->ids;
    size_t moves = sort->count;
    for (size_t i = 1; i < sort->count; i++) {
        uint32_t id = ids[i];
        size_t at = i;
        while (at > 0 && i - at <= MAX_SHIFT && compare_keys(sort, ids[at - 1], id) > 0)
            at--;
        if (at == i)
            continue;
        if (i - at > MAX_SHIFT || i - at > moves)
            return false;
        moves -= i - at;
        memmove(ids + at + 1, ids + at, (i - at) * sizeof *ids);
        ids[at] = id;
    }
    return true;
}

// Finds the sorted runs: run r is rows starts[r] .. starts[r + 1] - 1. Returns the number of runs,
// or 0 if there are more than MAX_RUNS.
static size_t find_runs(const struct time_sort *sort, size_t *starts)
{
    size_t runs = 1;
    starts[0] = 0;
    for (size_t i = 1; i < sort->count; i++) {
        if (compare_keys(sort, sort->ids[i - 1], sort->ids[i]) <= 0)
            continue;
        if (runs == MAX_RUNS)
            return 0;
        starts[runs++] = i;
    }
    starts[runs] = sort->count;
    return runs;
}

// Sorts `ids` by keys[id] with a stable least-significant-digit radix sort. `buffer` is a second
// buffer of the same size; returns the one of the two buffers that has the result. Stops after the
// highest digit of the largest difference to the least key.
static uint32_t *radix_sort(const int64_t *keys, uint32_t *ids, uint32_t *buffer, size_t count)
{
    int64_t least = keys[ids[0]], greatest = least;
    for (size_t i = 1; i < count; i++) {
        least = keys[ids[i]] < least ? keys[ids[i]] : least;
        greatest = keys[ids[i]] > greatest ? keys[ids[i]] : greatest;
    }
    uint64_t base = (uint64_t)least, span = (uint64_t)greatest - base;
    for (unsigned shift = 0; shift < 64 && span >> shift; shift += DIGIT_BITS) {
        size_t positions[DIGIT_COUNT] = {0};
        for (size_t i = 0; i < count; i++)
            positions[((uint64_t)keys[ids[i]] - base) >> shift & (DIGIT_COUNT - 1)]++;
        size_t position = 0;
        for (size_t digit = 0; digit < DIGIT_COUNT; digit++) {
            size_t digit_rows = positions[digit];
            positions[digit] = position;
            position += digit_rows;
        }
        for (size_t i = 0; i < count; i++) {
            uint64_t key = (uint64_t)keys[ids[i]] - base;
            buffer[positions[key >> shift & (DIGIT_COUNT - 1)]++] = ids[i];
        }
        uint32_t *swap = ids;
        ids = buffer;
        buffer = swap;
    }
    return ids;
}

// Merges neighbouring runs in pairs until one is left. Returns the one of the two buffers that has
// the result.
static uint32_t *merge_runs(const struct time_sort *sort, uint32_t *ids, uint32_t *buffer,
                            size_t *starts, size_t runs)
{
    for (size_t merged; runs > 1; runs = merged) {
        merged = 0;
        for (size_t r = 0; r < runs; r += 2) {
            size_t start = starts[r], middle = starts[r + 1];
            size_t end = r + 1 < runs ? starts[r + 2] : middle;
            merge(ids + start, middle - start, ids + middle, end - middle, buffer + start,
                  compare_keys, sort);
            starts[merged++] = start;
        }
        starts[merged] = sort->count;
        uint32_t *swap = ids;
        ids = buffer;
        buffer = swap;
    }
    return ids;
}

static void sort_by_runs_or_radix(struct time_sort *sort)
{
    uint32_t *sorted = sort->ids, *buffer = sort->buffer;
    if (sort->runs) {
        sorted = merge_runs(sort, sorted, buffer, sort->starts, sort->runs);
    } else {
        if (sort->second) {
            sorted = radix_sort(sort->second, sorted, buffer, sort->count);
            buffer = sorted == sort->buffer ? sort->ids : sort->buffer;
        }
        sorted = radix_sort(sort->keys, sorted, buffer, sort->count);
    }
    if (sorted != sort->ids)
        memcpy(sort->ids, sorted, sort->count * sizeof *sorted);
}

void sort_ids_by_time(uint32_t *ids, size_t count, const int64_t *keys, const int64_t *second,
                      struct arena *scratch)
{
    struct time_sort sort = {.keys = keys, .second = second, .ids = ids, .count = count};
    uint32_t stack_buffer[MAX_STACK_ROWS];
    if (sort_nearly_sorted(&sort))
        return;
    sort.runs = find_runs(&sort, sort.starts);
    sort.buffer = count <= MAX_STACK_ROWS ? stack_buffer : ARENA_ARRAY(scratch, uint32_t, count);
    sort_by_runs_or_radix(&sort);
    if (count > MAX_STACK_ROWS)
        ARENA_RELEASE(scratch, sort.buffer, count);
}

uint32_t *sort_by_time(struct arena *arena, const int64_t *keys, const int64_t *second,
                       size_t count)
{
    uint32_t *ids = ARENA_ARRAY(arena, uint32_t, count);
    for (size_t i = 0; i < count; i++)
        ids[i] = (uint32_t)i;
    sort_ids_by_time(ids, count, keys, second, arena);
    return ids;
}

static int compare_values(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void sort_values(int64_t *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_values);
}
