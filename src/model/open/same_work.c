// SPDX-License-Identifier: Apache-2.0
// Compares the kernels of two files (same_work.h).
//
// A stretch is a list of STRETCH consecutive kernels. Up to STRETCHES of them are chosen from the
// file with fewer kernels and searched in the other file: first by a hash of the kernels' names and
// launch shapes, which is updated from each kernel of that file to the next (rolling hash), then by
// the times between the kernels' starts.
#include "model/open/same_work.h"

#include <stdlib.h>

enum {
    STRETCH = 32,       // kernels per stretch
    STRETCHES = 64,     // number of stretches, evenly distributed over the file
    FEW_KERNELS = 8,    // minimum; fewer kernels may be equal by chance
    SHARE = 4,          // the files have the same work if 1/SHARE of the stretches is found
    MICROSECOND = 1000, // ns; PyTorch before 2.3 rounds to it
    ROUGH_NS = 2 * MICROSECOND,
    FINE_NS = 50,     // rounding of converted clocks
    DRIFT = 100000,   // clocks drift by at most 1/DRIFT
    HASH_ENDS = 4096, // size of a table of hash remainders, which rejects most positions
};

struct kernel_list { // by GPU, then by start
    uint32_t count;
    int64_t *start;
    uint64_t *identity; // hash of name, grid and block
    bool is_rough;      // times are whole microseconds
};

struct kernel_stretch {
    uint64_t hash;
    uint32_t first;
    bool is_found;
};

static const uint64_t hash_factor = UINT64_C(0x100000001b3);

static uint64_t hash_of(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * hash_factor;
    return hash;
}

static uint64_t kernel_identity(const struct profile *profile, uint32_t work, const uint64_t *names)
{
    const struct launch_shape *shape = work_launch_shape(profile, work);
    uint64_t identity = names[AT(profile->work.function, work)];
    for (size_t axis = 0; shape && axis < 3; axis++)
        identity = ((identity ^ (uint32_t)shape->grid[axis]) * hash_factor ^
                    (uint32_t)shape->block[axis]) *
                   hash_factor;
    return identity;
}

static struct kernel_list kernels_of(const struct profile *profile, struct arena *arena)
{
    const struct gpu_work *work = &profile->work;
    struct kernel_list kernels = {.start = ARENA_ARRAY(arena, int64_t, (size_t)work->count + 1),
                                  .identity = ARENA_ARRAY(arena, uint64_t, (size_t)work->count + 1),
                                  .is_rough = true};
    uint64_t *names = ARENA_ARRAY(arena, uint64_t, (size_t)profile->function_count + 1);
    for (uint32_t f = 0; f < profile->function_count; f++)
        names[f] = hash_of(UINT64_C(0xcbf29ce484222325),
                           profile_text(profile, profile->functions[f].alike));
    for (uint32_t w = 0; w < work->count; w++) {
        if (profile->functions[AT(work->function, w)].kind != WORK_KERNEL)
            continue;
        kernels.start[kernels.count] = AT(work->start, w);
        kernels.identity[kernels.count] = kernel_identity(profile, w, names);
        if (kernels.count++ > 0)
            kernels.is_rough &= (AT(work->start, w) - kernels.start[0]) % MICROSECOND == 0;
    }
    return kernels;
}

// Returns whether the kernels of `a` from `at` on equal those of `b` from `first` on.
static bool is_equal_from(const struct kernel_list *a, uint32_t at, const struct kernel_list *b,
                          uint32_t first, uint32_t length)
{
    bool is_rough = a->is_rough || b->is_rough;
    for (uint32_t i = 0; i < length; i++) {
        if (a->identity[at + i] != b->identity[first + i])
            return false;
        int64_t ns = b->start[first + i] - b->start[first];
        int64_t max = (is_rough ? ROUGH_NS : FINE_NS) + llabs(ns) / DRIFT;
        if (llabs(a->start[at + i] - a->start[at] - ns) > max)
            return false;
    }
    return true;
}

// Searches the stretches, which are of `b`, at each position of `a`.
static void find_stretches(const struct kernel_list *a, const struct kernel_list *b,
                           uint32_t length, struct kernel_stretch *stretches, uint32_t count)
{
    bool has_remainder[HASH_ENDS] = {false};
    uint64_t hash = 0, oldest_factor = 1;
    for (uint32_t s = 0; s < count; s++)
        has_remainder[stretches[s].hash % HASH_ENDS] = true;
    for (uint32_t i = 1; i < length; i++)
        oldest_factor *= hash_factor;
    for (uint32_t end = 1; end <= a->count; end++) {
        if (end > length)
            hash -= a->identity[end - length - 1] * oldest_factor;
        hash = hash * hash_factor + a->identity[end - 1];
        if (end < length || !has_remainder[hash % HASH_ENDS])
            continue;
        for (uint32_t s = 0; s < count; s++)
            if (stretches[s].hash == hash && !stretches[s].is_found)
                stretches[s].is_found =
                    is_equal_from(a, end - length, b, stretches[s].first, length);
    }
}

// Returns whether the files are of different processes: they have different ranks or, if times are
// too imprecise to distinguish runs (`is_rough`), no common process number.
static bool are_different(const struct profile *a, const struct profile *b, bool is_rough)
{
    int64_t rank = a->sources[0].rank;
    if (rank != UNKNOWN && b->sources[0].rank != UNKNOWN && rank != b->sources[0].rank)
        return true;
    for (uint32_t p = 0; is_rough && p < a->process_count; p++)
        for (uint32_t q = 0; q < b->process_count; q++)
            if (a->processes[p].pid == b->processes[q].pid)
                return false;
    return is_rough;
}

bool is_same_work(const struct profile *a, const struct profile *b, struct arena *scratch)
{
    struct kernel_list many = kernels_of(a, scratch), few = kernels_of(b, scratch);
    if (few.count > many.count) {
        struct kernel_list swapped = many;
        many = few;
        few = swapped;
    }
    if (few.count < FEW_KERNELS || are_different(a, b, many.is_rough || few.is_rough))
        return false;
    uint32_t length = few.count < STRETCH ? few.count : STRETCH, positions = few.count - length + 1;
    uint32_t count = positions < STRETCHES ? positions : STRETCHES, found = 0;
    struct kernel_stretch stretches[STRETCHES] = {{0}};
    for (uint32_t s = 0; s < count; s++) {
        stretches[s].first = (uint32_t)((uint64_t)s * positions / count);
        for (uint32_t i = 0; i < length; i++)
            stretches[s].hash =
                stretches[s].hash * hash_factor + few.identity[stretches[s].first + i];
    }
    find_stretches(&many, &few, length, stretches, count);
    for (uint32_t s = 0; s < count; s++)
        found += stretches[s].is_found;
    return found > 0 && found * SHARE >= count;
}
