// SPDX-License-Identifier: Apache-2.0
#include "base/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    INSERTION_RUN = 16, // runs of this length are sorted by insertion before merging
    DIGIT_BITS = 11,
    DIGIT_COUNT = 1 << DIGIT_BITS,
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
        // On a tie the left one goes first: that is what makes the sort stable.
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
        size_t run = count - at < INSERTION_RUN ? count - at : INSERTION_RUN;
        insertion_sort(ids + at, run, compare, context);
    }
    if (count <= INSERTION_RUN)
        return;
    uint32_t *from = ids, *to = ARENA_ARRAY(scratch, uint32_t, count);
    for (size_t run = INSERTION_RUN; run < count; run *= 2) {
        for (size_t at = 0; at < count; at += 2 * run) {
            size_t left = count - at < run ? count - at : run;
            size_t right = count - at - left < run ? count - at - left : run;
            if (!right || compare(context, from[at + left - 1], from[at + left]) <= 0)
                memcpy(to + at, from + at, (left + right) * sizeof *to);
            else
                merge(from + at, left, from + at + left, right, to + at, compare, context);
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != ids)
        memcpy(ids, from, count * sizeof *ids);
}

struct radix {
    struct arena *scratch;
    const int64_t *keys, *second;
    uint32_t *ids;
    size_t count;
};

static bool keys_in_order(const int64_t *keys, const int64_t *second, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (keys[i - 1] > keys[i])
            return false;
        if (second && keys[i - 1] == keys[i] && second[i - 1] > second[i])
            return false;
    }
    return true;
}

// One stable least-digit-first sort of `ids` by keys[id]; `other` is the second buffer. Returns
// the buffer that holds the result. Digits above the largest difference are never looked at.
static uint32_t *radix_by(const int64_t *keys, uint32_t *ids, uint32_t *other, size_t count)
{
    int64_t least = keys[0], most = keys[0];
    for (size_t i = 1; i < count; i++) {
        least = keys[i] < least ? keys[i] : least;
        most = keys[i] > most ? keys[i] : most;
    }
    uint64_t base = (uint64_t)least, span = (uint64_t)most - base;
    for (unsigned shift = 0; shift < 64 && span >> shift; shift += DIGIT_BITS) {
        size_t places[DIGIT_COUNT] = {0};
        for (size_t i = 0; i < count; i++)
            places[((uint64_t)keys[i] - base) >> shift & (DIGIT_COUNT - 1)]++;
        size_t place = 0;
        for (size_t digit = 0; digit < DIGIT_COUNT; digit++) {
            size_t here = places[digit];
            places[digit] = place;
            place += here;
        }
        for (size_t i = 0; i < count; i++) {
            uint64_t key = (uint64_t)keys[ids[i]] - base;
            other[places[key >> shift & (DIGIT_COUNT - 1)]++] = ids[i];
        }
        uint32_t *swap = ids;
        ids = other;
        other = swap;
    }
    return ids;
}

static bool radix_body(void *context, struct error *error)
{
    (void)error;
    struct radix *radix = context;
    uint32_t *buffer = ARENA_ARRAY(radix->scratch, uint32_t, radix->count);
    uint32_t *sorted = radix->ids, *other = buffer;
    if (radix->second) {
        sorted = radix_by(radix->second, sorted, other, radix->count);
        other = sorted == buffer ? radix->ids : buffer;
    }
    sorted = radix_by(radix->keys, sorted, other, radix->count);
    if (sorted != radix->ids)
        memcpy(radix->ids, sorted, radix->count * sizeof *sorted);
    return true;
}

uint32_t *sort_by_time(struct arena *arena, const int64_t *keys, const int64_t *second,
                       size_t count)
{
    uint32_t *ids = ARENA_ARRAY(arena, uint32_t, count);
    for (size_t i = 0; i < count; i++)
        ids[i] = (uint32_t)i;
    if (keys_in_order(keys, second, count))
        return ids;
    // The second buffer goes back at once: `arena` usually lives as long as the profile.
    struct radix radix = {arena_new(0), keys, second, ids, count};
    bool done = radix.scratch && arena_run(radix.scratch, radix_body, &radix, NULL);
    arena_free(radix.scratch);
    if (!done)
        arena_alloc(arena, SIZE_MAX, SIZE_MAX); // out of memory: leaves through the caller's run
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
