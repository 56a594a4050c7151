// SPDX-License-Identifier: Apache-2.0
// Groups runs of communication kernels, see collective_runs.h: by ends that agree, and where they
// do not, by ends that keep their distance.
#include "analysis/idle/collective_runs.h"

#include <math.h>

#include "analysis/report/names.h"
#include "base/id_map.h"
#include "base/sums.h"
#include "base/text/text.h"

enum {
    MAX_EXCEPTIONS = 10, // one in this many runs may be an exception
    MAX_EDGE_RUNS = 2,   // runs of one GPU that the capture may miss at its beginning or end
    MAX_GROUPS = 64,     // per function
    // Where ends agree only roughly:
    SKEW_SHARE = 32,    // they may differ by this part of the longest run
    DRIFT_SHARE = 1000, // and their distance may change by this part of the time
    MIN_ROUGH_RUNS = 4, // pairs of runs that are needed
};

// ---- sequences ----------------------------------------------------------------------------------

// Counts a run in the sequence with this key. Returns the row of the sequence.
static uint32_t sequences_add(struct run_sequences *all, struct id_map *map, struct id_key key,
                              uint32_t device, struct arena *scratch)
{
    uint32_t *slot = id_map_slot(map, key);
    if (!*slot) {
        uint32_t function = (uint32_t)key.a;
        ARENA_PUSH(scratch, all->items, all->count, all->capacity) =
            (struct run_sequence){.device = device,
                                  .function = function,
                                  .next = all->of_function[function],
                                  .group = ROW_NONE};
        *slot = all->of_function[function] = (uint32_t)all->count;
    }
    all->items[*slot - 1].count++;
    return *slot - 1;
}

struct run_sequences runs_make(const struct group_search *f, bool by_stream)
{
    enum { INITIAL_CAPACITY = 64 };
    const struct gpu_work *work = &f->profile->work;
    uint32_t *row_of = ARENA_ARRAY(f->scratch, uint32_t, (size_t)work->count + 1);
    struct run_sequences all = {
        .items = ARENA_ARRAY(f->scratch, struct run_sequence, INITIAL_CAPACITY),
        .capacity = INITIAL_CAPACITY,
        .of_function = ARENA_ARRAY(f->scratch, uint32_t, (size_t)f->profile->function_count + 1),
        .runs = ARENA_ARRAY(f->scratch, uint32_t, (size_t)work->count + 1)};
    struct id_map map = {.arena = f->scratch};
    // In reverse, so that lists begin with GPU 0.
    for (uint32_t d = f->profile->device_count; d-- > 0;) {
        const struct device *device = &f->profile->devices[d];
        for (uint32_t w = device->first_work; w < device->end_work; w++)
            if (f->is_collective[w])
                row_of[w] = sequences_add(
                    &all, &map,
                    (struct id_key){AT(work->function, w), by_stream ? AT(work->stream, w) : d, 0},
                    d, f->scratch);
    }
    uint32_t first = 0;
    for (size_t i = 0; i < all.count; i++) {
        all.items[i].first = first;
        first += all.items[i].count;
        all.items[i].count = 0;
    }
    for (uint32_t w = 0; w < work->count; w++)
        if (f->is_collective[w]) {
            struct run_sequence *sequence = &all.items[row_of[w]];
            all.runs[sequence->first + sequence->count++] = w;
        }
    return all;
}

// Two sequences a and b, shifted against each other: the n-th of `runs` entries are a pair.
struct run_alignment {
    const struct group_search *f;
    const uint32_t *a, *b; // work rows of the runs that have a partner
    uint32_t runs;
};

static struct run_alignment align_runs(const struct group_search *f,
                                       const struct run_sequences *all,
                                       const struct run_sequence *a, const struct run_sequence *b,
                                       int shift)
{
    uint32_t skip_a = shift > 0 ? (uint32_t)shift : 0, skip_b = shift < 0 ? (uint32_t)-shift : 0;
    uint32_t left_a = a->count > skip_a ? a->count - skip_a : 0;
    uint32_t left_b = b->count > skip_b ? b->count - skip_b : 0;
    return (struct run_alignment){f, &all->runs[a->first + skip_a], &all->runs[b->first + skip_b],
                                  left_a < left_b ? left_a : left_b};
}

static int64_t end_difference_ns(const struct run_alignment *alignment, uint32_t n)
{
    struct column64 end = alignment->f->profile->work.end;
    int64_t ns;
    return __builtin_sub_overflow(AT(end, alignment->a[n]), AT(end, alignment->b[n]), &ns)
               ? INT64_MAX
               : ns;
}

// Returns true if the n-th ends agree: within MAX_END_SKEW_NS, and within half the distance to the
// previous end, in case runs are short and dense.
static bool ends_agree(const struct run_alignment *alignment, uint32_t n)
{
    struct column64 end = alignment->f->profile->work.end;
    int64_t spacing =
        n > 0 ? AT(end, alignment->a[n]) - AT(end, alignment->a[n - 1]) : 2LL * MAX_END_SKEW_NS;
    int64_t ns = end_difference_ns(alignment, n),
            limit = spacing / 2 < MAX_END_SKEW_NS ? spacing / 2 : MAX_END_SKEW_NS;
    return ns > -limit && ns < limit;
}

// True if `count` of `runs` may be exceptions to a rule.
static bool is_tolerated(uint32_t count, uint32_t runs)
{
    return count <= runs / MAX_EXCEPTIONS;
}

static bool ends_mostly_agree(const struct run_alignment *alignment)
{
    uint32_t disagreeing = 0;
    for (uint32_t n = 0; n < alignment->runs && is_tolerated(disagreeing, alignment->runs); n++)
        disagreeing += !ends_agree(alignment, n);
    return alignment->runs > 0 && is_tolerated(disagreeing, alignment->runs);
}

// True if both have about the same number of runs.
static bool counts_agree(const struct run_sequence *a, const struct run_sequence *b)
{
    uint32_t fewer = a->count < b->count ? a->count : b->count;
    uint32_t more = a->count < b->count ? b->count : a->count;
    return more - fewer <= MAX_EDGE_RUNS || is_tolerated(more - fewer, more);
}

// Finds the shift with which the ends of two sequences mostly agree. Returns false if there is
// none.
static bool find_shift(const struct group_search *f, const struct run_sequences *all,
                       const struct run_sequence *a, const struct run_sequence *b, int *shift)
{
    static const int shifts[] = {0, 1, -1, MAX_EDGE_RUNS, -MAX_EDGE_RUNS};
    bool is_long = a->count > 2 * MAX_EDGE_RUNS && b->count > 2 * MAX_EDGE_RUNS;
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts && counts_agree(a, b); i++) {
        struct run_alignment alignment = align_runs(f, all, a, b, shifts[i]);
        *shift = shifts[i];
        if ((is_long || *shift == 0) && ends_mostly_agree(&alignment))
            return true;
    }
    return false;
}

static void group_join(struct collective_group *group, uint32_t row, struct run_sequence *sequence)
{
    sequence->group = row;
    group->members++;
    group->device = sequence->device;
    group->devices |= UINT64_C(1) << sequence->device % 64;
}

// Marks two groups of different GPUs as ambiguous if their ends keep a constant distance (the
// clocks may differ) or sometimes agree (the function may run both within and across the groups).
static void mark_ambiguous(struct group_search *f, const struct run_sequences *all,
                           struct collective_group *a, struct collective_group *b)
{
    const struct run_sequence *first = &all->items[a->first], *other = &all->items[b->first];
    struct run_alignment alignment = align_runs(f, all, first, other, 0);
    uint32_t agreeing = 0, steady_count = 0;
    int64_t previous_ns = INT64_MIN;
    if (a->devices & b->devices || !counts_agree(first, other))
        return;
    for (uint32_t n = 0; n < alignment.runs; n++) {
        int64_t ns = end_difference_ns(&alignment, n), change;
        agreeing += ends_agree(&alignment, n);
        steady_count += n > 0 && !__builtin_sub_overflow(ns, previous_ns, &change) &&
                        change > -MAX_END_SKEW_NS && change < MAX_END_SKEW_NS;
        previous_ns = ns;
    }
    bool is_offset =
        alignment.runs > 0 && is_tolerated(alignment.runs - 1 - steady_count, alignment.runs - 1);
    if (is_offset || !is_tolerated(agreeing, alignment.runs))
        a->is_ambiguous = b->is_ambiguous = true;
    f->has_offset |= is_offset;
    f->has_separate = true;
}

// Groups the sequences of a function: each joins the first group with whose first sequence its ends
// mostly agree, or makes a new group.
static void group_function(struct group_search *f, struct run_sequences *all, uint32_t function)
{
    size_t first_group = all->group_count;
    for (uint32_t s = all->of_function[function]; s != 0; s = all->items[s - 1].next) {
        struct run_sequence *sequence = &all->items[s - 1];
        size_t g = first_group;
        while (g < all->group_count &&
               (all->groups[g].device == sequence->device ||
                !find_shift(f, all, &all->items[all->groups[g].first], sequence, &sequence->shift)))
            g++;
        if (g == first_group + MAX_GROUPS)
            continue;
        if (g == all->group_count) {
            sequence->shift = 0;
            ARENA_PUSH(f->scratch, all->groups, all->group_count, all->group_capacity) =
                (struct collective_group){.first = s - 1};
        }
        group_join(&all->groups[g], (uint32_t)g, sequence);
    }
    for (size_t g = first_group; g < all->group_count; g++)
        for (size_t h = first_group; h < g; h++)
            mark_ambiguous(f, all, &all->groups[h], &all->groups[g]);
}

bool group_is_usable(const struct run_sequences *all, uint32_t group)
{
    return group != ROW_NONE && all->groups[group].members > 1 && !all->groups[group].is_ambiguous;
}

// Returns how much a grouping explains of a function: the total number of members of its
// collectives.
static uint64_t explained_members(const struct run_sequences *all, uint32_t function)
{
    uint64_t sum = 0;
    for (uint32_t s = all->of_function[function]; s != 0; s = all->items[s - 1].next) {
        const struct run_sequence *sequence = &all->items[s - 1];
        if (group_is_usable(all, sequence->group))
            sum += (uint64_t)all->groups[sequence->group].members * sequence->count;
    }
    return sum;
}

// ---- ends that agree roughly, or on clocks that differ ----------------------------------------

// Collectives in which some GPUs need not wait for the others: their ends need not agree.
static bool ends_apart(const struct profile *profile, uint32_t function)
{
    static const char *const names[] = {"Broadcast", "Kernel_Reduce_", "ncclReduceRing",
                                        "ncclReduceTree", NULL};
    return text_has_any(profile_text(profile, profile->functions[function].full), names);
}

// How much the distance of the n-th ends may differ from that of the ends before. A run of 800 ms
// needs no 10 us: what is told is how much longer it is than another.
static int64_t rough_skew_ns(const struct run_alignment *alignment, uint32_t n)
{
    const struct gpu_work *work = &alignment->f->profile->work;
    int64_t a = work_duration(alignment->f->profile, alignment->a[n]);
    int64_t b = work_duration(alignment->f->profile, alignment->b[n]);
    int64_t longest_ns = a > b ? a : b, spacing;
    int64_t skew =
        longest_ns / SKEW_SHARE > MAX_END_SKEW_NS ? longest_ns / SKEW_SHARE : MAX_END_SKEW_NS;
    if (__builtin_sub_overflow(AT(work->end, alignment->a[n]), AT(work->end, alignment->a[n - 1]),
                               &spacing))
        return skew;
    skew = add_saturating(skew, spacing / DRIFT_SHARE);
    return skew < spacing / 2 ? skew : spacing / 2;
}

// Returns whether the n-th runs of two sequences end at a distance that is kept: the same
// collective, on one clock or on two. *distance is its mean.
static bool distance_is_kept(const struct run_alignment *alignment, double *distance)
{
    uint32_t changing = 0;
    int64_t previous_ns = 0, change;
    *distance = 0;
    for (uint32_t n = 0; n < alignment->runs; n++) {
        int64_t ns = end_difference_ns(alignment, n);
        int64_t limit = n ? rough_skew_ns(alignment, n) : 0;
        changing += n && (__builtin_sub_overflow(ns, previous_ns, &change) || change > limit ||
                          change < -limit);
        *distance += (double)ns / alignment->runs;
        previous_ns = ns;
    }
    return alignment->runs >= MIN_ROUGH_RUNS && is_tolerated(changing, alignment->runs);
}

// Returns the number of runs of a sequence that end before `time`.
static int runs_before(const struct group_search *f, const struct run_sequences *all,
                       const struct run_sequence *sequence, int64_t time)
{
    uint32_t low = 0, high = sequence->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (AT(f->profile->work.end, all->runs[sequence->first + middle]) < time)
            low = middle + 1;
        else
            high = middle;
    }
    return (int)low;
}

// Finds the shift with which the ends of two sequences keep the shortest distance, in all but a
// quarter of their runs. Returns false if there is none.
static bool find_rough_shift(const struct group_search *f, const struct run_sequences *all,
                             const struct run_sequence *a, const struct run_sequence *b, int *shift)
{
    enum { NEAR = 2 };
    struct column64 end = f->profile->work.end;
    // By time, as one clock would have it, and a few runs around and near none.
    int by_time = runs_before(f, all, a, AT(end, all->runs[b->first])) -
                  runs_before(f, all, b, AT(end, all->runs[a->first]));
    uint32_t fewer = a->count < b->count ? a->count : b->count;
    double least = INFINITY, distance;
    for (int i = -NEAR; i <= 3 * NEAR + 1; i++) {
        int candidate = i <= NEAR ? i : by_time + i - 2 * NEAR - 1;
        struct run_alignment alignment = align_runs(f, all, a, b, candidate);
        if ((uint64_t)alignment.runs * 4 < (uint64_t)fewer * 3 ||
            !distance_is_kept(&alignment, &distance) || fabs(distance) >= least)
            continue;
        least = fabs(distance);
        *shift = candidate;
    }
    return least < INFINITY;
}

// Makes one group of all sequences of a function whose ends do not agree, if each GPU has one of
// them and the ends keep their distance. Groups of some GPUs whose ends agree are left alone: what
// keeps its distance to one of them may be another group.
static bool group_roughly(const struct group_search *f, struct run_sequences *all,
                          uint32_t function)
{
    uint32_t first = all->of_function[function] - 1, count = 0, agreeing = 0;
    for (uint32_t s = first + 1; s != 0; s = all->items[s - 1].next, count++) {
        struct run_sequence *sequence = &all->items[s - 1];
        uint32_t g = sequence->group;
        agreeing += g != ROW_NONE && all->groups[g].members > 1 && all->groups[g].first == s - 1;
        sequence->shift = 0;
        if (s - 1 != first &&
            !find_rough_shift(f, all, &all->items[first], sequence, &sequence->shift))
            return false;
    }
    if (count < 2 || agreeing > 1)
        return false;
    ARENA_PUSH(f->scratch, all->groups, all->group_count, all->group_capacity) =
        (struct collective_group){.first = first, .by_durations = true};
    for (uint32_t s = first + 1; s != 0; s = all->items[s - 1].next)
        group_join(&all->groups[all->group_count - 1], (uint32_t)all->group_count - 1,
                   &all->items[s - 1]);
    return true;
}

static uint32_t sequences_of(const struct run_sequences *all, uint32_t function)
{
    uint32_t count = 0;
    for (uint32_t s = all->of_function[function]; s != 0; s = all->items[s - 1].next)
        count++;
    return count;
}

static int64_t runs_ns(const struct group_search *f, const struct run_sequences *all,
                       uint32_t function)
{
    int64_t sum = 0;
    for (uint32_t s = all->of_function[function]; s != 0; s = all->items[s - 1].next)
        for (uint32_t n = 0; n < all->items[s - 1].count; n++)
            sum = add_saturating(sum,
                                 work_duration(f->profile, all->runs[all->items[s - 1].first + n]));
    return sum;
}

const struct run_sequences *runs_group(struct group_search *search,
                                       struct run_sequences groupings[2], uint32_t function)
{
    if (!groupings[0].of_function[function])
        return NULL;
    search->has_offset = search->has_separate = false;
    group_function(search, &groupings[0], function);
    group_function(search, &groupings[1], function);
    uint64_t by_gpu = explained_members(&groupings[0], function);
    uint64_t by_stream = explained_members(&groupings[1], function);
    bool is_apart = ends_apart(search->profile, function), is_rough = false;
    if (by_gpu == 0 && by_stream == 0 && !is_apart &&
        sequences_of(&groupings[0], function) == sequences_of(&groupings[1], function))
        is_rough = group_roughly(search, &groupings[0], function);
    int64_t ns = is_apart ? 0 : runs_ns(search, &groupings[0], function);
    search->all_ns = add_saturating(search->all_ns, ns);
    if (search->has_offset && !is_rough)
        search->offset_ns = add_saturating(search->offset_ns, ns);
    if (search->has_separate && !is_rough)
        search->separate_ns = add_saturating(search->separate_ns, ns);
    return by_gpu == 0 && by_stream == 0 && !is_rough ? NULL : &groupings[by_stream > by_gpu];
}
