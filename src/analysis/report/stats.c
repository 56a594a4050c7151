// SPDX-License-Identifier: Apache-2.0
// Order statistics, deviation and binomial tail.
#include "analysis/report/stats.h"

#include <math.h>

static void swap(int64_t *a, int64_t *b)
{
    int64_t c = *a;
    *a = *b;
    *b = c;
}

static int64_t middle_of(int64_t a, int64_t b, int64_t c)
{
    if (a > b)
        swap(&a, &b);
    if (b > c)
        b = c;
    return a > b ? a : b;
}

// Reorders so that values[k] is the k-th smallest, no earlier value is greater and no later one
// smaller.
static void select_kth(int64_t *values, size_t count, size_t k)
{
    size_t low = 0, high = count - 1;
    while (low < high) {
        int64_t pivot = middle_of(values[low], values[low + (high - low) / 2], values[high]);
        // Partitions into less, equal and greater: equal figures are common and must not cost
        // quadratic time.
        size_t less = low, position = low, more = high + 1;
        while (position < more) {
            if (values[position] < pivot)
                swap(&values[position++], &values[less++]);
            else if (values[position] > pivot)
                swap(&values[position], &values[--more]);
            else
                position++;
        }
        if (k < less)
            high = less - 1;
        else if (k >= more)
            low = more;
        else
            return;
    }
}

int64_t stats_kth_smallest(int64_t *values, size_t count, size_t k)
{
    select_kth(values, count, k);
    return values[k];
}

static double median_of(int64_t *values, size_t count)
{
    size_t half = count / 2;
    select_kth(values, count, half);
    if (count % 2 == 1)
        return (double)values[half];
    int64_t below = values[0];
    for (size_t i = 1; i < half; i++)
        below = values[i] > below ? values[i] : below;
    return ((double)below + (double)values[half]) / 2;
}

double stats_deviation(size_t count, int64_t total, struct squares squares)
{
    if (count < 2)
        return 0;
    // exact: n times the sum of squared differences from the mean
    unsigned __int128 size = (unsigned __int128)(total < 0 ? -(__int128)total : (__int128)total);
    unsigned __int128 whole, n = count;
    if (__builtin_mul_overflow(squares.sum, n, &whole)) { // overflows only for sums of centuries
        double mean = (double)total / (double)count;
        return sqrt(((double)squares.sum - mean * (double)total) / (double)(count - 1));
    }
    return sqrt((double)(whole - size * size) / (double)count / (double)(count - 1));
}

struct stats stats_of(int64_t *values, size_t count)
{
    struct stats stats = {.count = count};
    if (count == 0)
        return stats;
    struct squares squares = {0};
    stats.min = stats.max = values[0];
    for (size_t i = 0; i < count; i++) {
        sum_add(&stats.total, values[i]);
        squares_add(&squares, values[i]);
        stats.min = values[i] < stats.min ? values[i] : stats.min;
        stats.max = values[i] > stats.max ? values[i] : stats.max;
    }
    stats.mean = (double)stats.total / (double)count;
    stats.deviation = stats_deviation(count, stats.total, squares);
    stats.median = median_of(values, count);
    return stats;
}

struct figure_groups groups_begin(const uint32_t *counts, size_t count, struct arena *arena)
{
    struct figure_groups groups = {.count = count};
    groups.first = ARENA_ARRAY(arena, size_t, count + 1);
    groups.filled = ARENA_ARRAY(arena, size_t, count + 1);
    for (size_t i = 0; i < count; i++)
        groups.first[i + 1] = groups.first[i] + counts[i];
    groups.values = ARENA_ARRAY(arena, int64_t, groups.first[count] + 1);
    return groups;
}

void groups_add(struct figure_groups *groups, size_t group, int64_t value)
{
    groups->values[groups->first[group] + groups->filled[group]++] = value;
}

struct stats groups_stats(const struct figure_groups *groups, size_t group)
{
    return stats_of(groups->values + groups->first[group], groups->filled[group]);
}

double stats_binomial_tail(uint32_t count, uint32_t hits, double chance)
{
    double tail = 0, term = count * log1p(-chance); // log of the term for k = 0
    for (uint32_t k = 0; k <= count; k++) {
        tail += k >= hits ? exp(term) : 0;
        term += log((double)(count - k) / (k + 1.0)) + log(chance) - log1p(-chance);
    }
    return tail;
}
