// SPDX-License-Identifier: Apache-2.0
// Finds collectives, see collectives.h. Terms:
//   run        one execution of a communication kernel
//   sequence   all runs of one function on one GPU, or on one stream of it
//   group      sequences of different GPUs whose n-th runs end together, so they are one collective
//   shift      difference of n, if the capture misses the first runs of one GPU
//   ambiguous  said of a group: from its ends it may also be part of a larger group
// Groups are searched twice, with sequences per GPU and per stream; for each function the grouping
// that explains more runs is used.
#include "analysis/idle/collectives.h"

#include "analysis/breakdown/breakdown_scheme.h"
#include "analysis/report/memo.h"
#include "base/id_map.h"
#include "base/scratch.h"

enum {
    MAX_END_SKEW_NS = 20000, // between the ends of one collective on correct clocks
    MAX_EXCEPTIONS = 10,     // one in this many runs may be an exception
    MAX_EDGE_RUNS = 2,       // runs of one GPU that the capture may miss at its beginning or end
    MAX_GROUPS = 64          // per function
};

bool work_is_communication(const struct profile *profile, uint32_t work)
{
    return profile->functions[AT(profile->work.function, work)].class == CLASS_COMM;
}

bool work_is_collective(const struct profile *profile, uint32_t work)
{
    return work_is_communication(profile, work) &&
           !profile->functions[AT(profile->work.function, work)].is_paired;
}

// ---- sequences ----------------------------------------------------------------------------------

struct run_sequence { // runs of one function on one GPU, or on one of its streams
    uint32_t device, function;
    uint32_t count, first; // rows of sequences.runs
    uint32_t next;         // row + 1 of the next sequence of the same function; 0: none
    uint32_t group;        // row of groups; ROW_NONE: none fits
    int shift;             // offset of its first run within the runs of its group
};

struct collective_group {    // sequences that run the same collectives
    uint32_t first, members; // first: its first sequence
    uint32_t longest;        // number of runs of its longest sequence
    uint32_t device; // GPU of the last sequence that joined; sequences of one GPU follow each other
    uint64_t devices;  // bit set of the GPUs, modulo 64
    bool is_ambiguous; // from its ends it may also be part of a larger group
};

struct sequences {
    size_t count, capacity;
    struct run_sequence *items;
    uint32_t *of_function; // [function] row + 1 of its first sequence; 0: none
    uint32_t *runs;        // work rows, grouped by sequence
    size_t group_count, group_capacity;
    struct collective_group *groups;
};

struct group_search {
    const struct profile *profile;
    const bool *is_collective; // [work]
    struct arena *scratch;
    bool has_offset;   // two groups end at a constant distance, as if their clocks differed
    bool has_separate; // GPUs run a function equally often, but their runs do not end together
};

// Counts a run in the sequence with this key. Returns the row of the sequence.
static uint32_t sequences_add(struct sequences *all, struct id_map *map, struct id_key key,
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

// Makes the sequences of all communication kernels, per GPU or per stream.
static struct sequences sequences_make(const struct group_search *f, bool by_stream)
{
    enum { INITIAL_CAPACITY = 64 };
    const struct gpu_work *work = &f->profile->work;
    uint32_t *row_of = ARENA_ARRAY(f->scratch, uint32_t, (size_t)work->count + 1);
    struct sequences all = {
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

static struct run_alignment align_runs(const struct group_search *f, const struct sequences *all,
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
static bool find_shift(const struct group_search *f, const struct sequences *all,
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
    group->longest = sequence->count > group->longest ? sequence->count : group->longest;
}

// Marks two groups of different GPUs as ambiguous if their ends keep a constant distance (the
// clocks may differ) or sometimes agree (the function may run both within and across the groups).
static void mark_ambiguous(struct group_search *f, const struct sequences *all,
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
static void group_function(struct group_search *f, struct sequences *all, uint32_t function)
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

static bool group_is_usable(const struct sequences *all, uint32_t group)
{
    return group != ROW_NONE && all->groups[group].members > 1 && !all->groups[group].is_ambiguous;
}

// Returns how much a grouping explains of a function: the total number of members of its
// collectives.
static uint64_t explained_members(const struct sequences *all, uint32_t function)
{
    uint64_t sum = 0;
    for (uint32_t s = all->of_function[function]; s != 0; s = all->items[s - 1].next) {
        const struct run_sequence *sequence = &all->items[s - 1];
        if (group_is_usable(all, sequence->group))
            sum += (uint64_t)all->groups[sequence->group].members * sequence->count;
    }
    return sum;
}

// ---- collectives ----------------------------------------------------------------------------

struct collectives_build {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena;
    struct collectives *result;
    size_t capacity;
    struct collective *items;
    uint32_t *of_work;
};

// Adds the run of one GPU to a collective.
static void add_member(struct collectives_build *build, struct collective *collective,
                       uint32_t work)
{
    const struct gpu_work *rows = &build->profile->work;
    if (collective->members++ == 0)
        *collective = (struct collective){
            .members = 1, .latest_start = INT64_MIN, .first_end = INT64_MAX, .last_end = INT64_MIN};
    if (AT(rows->start, work) > collective->latest_start) {
        collective->latest_start = AT(rows->start, work);
        collective->last_work = work;
    }
    int64_t end = AT(rows->end, work);
    collective->first_end = end < collective->first_end ? end : collective->first_end;
    collective->last_end = end > collective->last_end ? end : collective->last_end;
}

// Makes the collectives of a function: in each usable group, the runs with the same number (plus
// shift).
static void collect_function(struct collectives_build *build, const struct sequences *all,
                             uint32_t function)
{
    for (uint32_t s = all->of_function[function]; s != 0; s = all->items[s - 1].next) {
        uint32_t g = all->items[s - 1].group;
        if (!group_is_usable(all, g) || all->groups[g].first != s - 1)
            continue;
        const struct collective_group *group = &all->groups[g];
        size_t base = build->result->count;
        for (uint32_t n = 0; n < group->longest + 2 * MAX_EDGE_RUNS; n++)
            ARENA_PUSH(build->arena, build->items, build->result->count, build->capacity) =
                (struct collective){0};
        for (uint32_t m = s; m != 0; m = all->items[m - 1].next) {
            const struct run_sequence *sequence = &all->items[m - 1];
            for (uint32_t n = 0; n < sequence->count && sequence->group == g; n++) {
                uint32_t work = all->runs[sequence->first + n];
                size_t row = base + n + (size_t)(MAX_EDGE_RUNS + sequence->shift);
                add_member(build, &build->items[row], work);
                build->of_work[work] = (uint32_t)row;
            }
        }
        for (size_t i = base; i < build->result->count; i++) {
            struct collective *item = &build->items[i];
            item->is_whole = item->members == group->members;
            // Every end is within MAX_END_SKEW_NS of the first member's.
            item->agrees =
                item->is_whole && item->last_end - item->first_end < 2LL * MAX_END_SKEW_NS;
        }
    }
}

static void find_collectives(struct collectives_build *build, struct arena *scratch)
{
    const struct profile *profile = build->profile;
    bool *is_collective = ARENA_ARRAY(scratch, bool, (size_t)profile->work.count + 1);
    uint32_t devices = 0;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        bool any = false;
        for (uint32_t w = profile->devices[d].first_work; w < profile->devices[d].end_work; w++)
            any |= is_collective[w] =
                work_is_collective(profile, w) && work_in_scope(profile, build->selection, w);
        devices += any;
    }
    if (devices < 2)
        return;
    struct group_search search = {
        .profile = profile, .is_collective = is_collective, .scratch = scratch};
    struct sequences groupings[] = {sequences_make(&search, false), sequences_make(&search, true)};
    for (uint32_t f = 0; f < profile->function_count; f++) {
        group_function(&search, &groupings[0], f);
        group_function(&search, &groupings[1], f);
        collect_function(
            build,
            &groupings[explained_members(&groupings[1], f) > explained_members(&groupings[0], f)],
            f);
    }
    build->result->has_clock_mismatch =
        search.has_offset || (build->result->count == 0 && search.has_separate);
}

static void build_collectives(void *context, struct arena *scratch)
{
    struct collectives_build *build = context;
    uint32_t count = build->profile->work.count;
    build->of_work = ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1);
    for (uint32_t w = 0; w < count; w++)
        build->of_work[w] = ROW_NONE;
    find_collectives(build, scratch);
    build->result->items = build->items;
    build->result->of_work =
        column32_pack(build->arena, build->profile->workers, build->of_work, NULL, count);
}

static void *make_collectives(const struct profile *profile, const struct selection *selection,
                              struct arena *arena)
{
    struct collectives_build build = {.profile = profile,
                                      .selection = selection,
                                      .arena = arena,
                                      .result = ARENA_NEW(arena, struct collectives)};
    scratch_run(arena, build_collectives, &build);
    return build.result;
}

const struct collectives *collectives_of(const struct profile *profile,
                                         const struct selection *selection, struct arena *arena)
{
    static const struct memo_kind kind = {.fields = MEMO_PROCESS, .make = make_collectives};
    return memo_require(&kind, profile, selection, arena);
}
