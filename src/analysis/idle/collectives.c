// SPDX-License-Identifier: Apache-2.0
#include "analysis/idle/collectives.h"

#include "analysis/breakdown/breakdown_scheme.h"
#include "analysis/report/memo.h"
#include "base/id_map.h"
#include "base/scratch.h"

enum {
    AGREE_NS = 20000, // the ends of one collective on clocks that are right differ by less
    AGREE_PART = 10,  // of so many runs one may be otherwise
    EDGE_RUNS = 2,    // of which the capture may cut one GPU's off, at the beginning or the end
    GROUPS_MOST = 64  // by one function
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

// ---- runs of a function, one after the other ---------------------------------------------------

struct sequence { // on one GPU, or on one of its streams
    uint32_t device, function;
    uint32_t count, first; // rows of sequences.runs
    uint32_t next;         // row + 1 of the next one of its function, 0: none
    uint32_t group;        // row of groups; ROW_NONE: it is alone
    int shift;             // its first run is so much later a run of its group
};

struct group {
    uint32_t first, members; // its first sequence
    uint32_t longest;        // runs
    uint32_t device;         // of its last one: those of one GPU follow each other
    uint64_t devices;        // those of all, modulo 64
    bool is_blurred;         // by its ends it may be a part of a larger one
};

struct sequences {
    size_t count, capacity;
    struct sequence *items;
    uint32_t *of_function; // row + 1 of its first sequence, 0: none
    uint32_t *runs;        // work, by sequence
    size_t group_count, group_capacity;
    struct group *groups;
};

struct finding_groups {
    const struct profile *profile;
    const bool *is_collective; // by work
    struct arena *scratch;
    bool has_offset; // GPUs run a function in step with each other, by clocks that differ
    bool are_apart;  // they run one as often, and not together
};

static uint32_t sequences_add(struct sequences *all, struct id_map *map, struct id_key key,
                              uint32_t device, struct arena *scratch)
{
    uint32_t *slot = id_map_slot(map, key);
    if (!*slot) {
        uint32_t function = (uint32_t)key.a;
        ARENA_PUSH(scratch, all->items, all->count, all->capacity) =
            (struct sequence){.device = device,
                              .function = function,
                              .next = all->of_function[function],
                              .group = ROW_NONE};
        *slot = all->of_function[function] = (uint32_t)all->count;
    }
    all->items[*slot - 1].count++;
    return *slot - 1;
}

static struct sequences sequences_make(const struct finding_groups *f, bool by_stream)
{
    enum { FIRST_ROOM = 64 };
    const struct gpu_work *work = &f->profile->work;
    uint32_t *row_of = ARENA_ARRAY(f->scratch, uint32_t, (size_t)work->count + 1);
    struct sequences all = {
        .items = ARENA_ARRAY(f->scratch, struct sequence, FIRST_ROOM),
        .capacity = FIRST_ROOM,
        .of_function = ARENA_ARRAY(f->scratch, uint32_t, (size_t)f->profile->function_count + 1),
        .runs = ARENA_ARRAY(f->scratch, uint32_t, (size_t)work->count + 1)};
    struct id_map map = {.arena = f->scratch};
    for (uint32_t d = f->profile->device_count; d-- > 0;) { // so that lists begin with GPU 0
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
            struct sequence *sequence = &all.items[row_of[w]];
            all.runs[sequence->first + sequence->count++] = w;
        }
    return all;
}

// The n-th run of one sequence beside the run n - shift of another.
struct beside {
    const struct finding_groups *f;
    const uint32_t *a, *b; // work, of the runs that have a partner
    uint32_t runs;
};

static struct beside beside(const struct finding_groups *f, const struct sequences *all,
                            const struct sequence *a, const struct sequence *b, int shift)
{
    uint32_t skip_a = shift > 0 ? (uint32_t)shift : 0, skip_b = shift < 0 ? (uint32_t)-shift : 0;
    uint32_t left_a = a->count > skip_a ? a->count - skip_a : 0;
    uint32_t left_b = b->count > skip_b ? b->count - skip_b : 0;
    return (struct beside){f, &all->runs[a->first + skip_a], &all->runs[b->first + skip_b],
                           left_a < left_b ? left_a : left_b};
}

static int64_t ns_apart(const struct beside *pair, uint32_t n)
{
    struct column64 end = pair->f->profile->work.end;
    int64_t ns;
    return __builtin_sub_overflow(AT(end, pair->a[n]), AT(end, pair->b[n]), &ns) ? INT64_MAX : ns;
}

// In a row of short runs the ends are to be nearer than half the way to the run before.
static bool is_near(const struct beside *pair, uint32_t n)
{
    struct column64 end = pair->f->profile->work.end;
    int64_t spacing = n > 0 ? AT(end, pair->a[n]) - AT(end, pair->a[n - 1]) : 2LL * AGREE_NS;
    int64_t ns = ns_apart(pair, n), limit = spacing / 2 < AGREE_NS ? spacing / 2 : AGREE_NS;
    return ns > -limit && ns < limit;
}

// So few are no rule.
static bool is_few(uint32_t count, uint32_t runs)
{
    return count <= runs / AGREE_PART;
}

static bool are_together(const struct beside *pair)
{
    uint32_t apart = 0;
    for (uint32_t n = 0; n < pair->runs && is_few(apart, pair->runs); n++)
        apart += !is_near(pair, n);
    return pair->runs > 0 && is_few(apart, pair->runs);
}

// Whether one runs about as often as the other.
static bool are_alike(const struct sequence *a, const struct sequence *b)
{
    uint32_t least = a->count < b->count ? a->count : b->count;
    uint32_t most = a->count < b->count ? b->count : a->count;
    return most - least <= EDGE_RUNS || is_few(most - least, most);
}

static bool find_shift(const struct finding_groups *f, const struct sequences *all,
                       const struct sequence *a, const struct sequence *b, int *shift)
{
    static const int shifts[] = {0, 1, -1, EDGE_RUNS, -EDGE_RUNS};
    bool is_long = a->count > 2 * EDGE_RUNS && b->count > 2 * EDGE_RUNS;
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts && are_alike(a, b); i++) {
        struct beside pair = beside(f, all, a, b, shifts[i]);
        *shift = shifts[i];
        if ((is_long || *shift == 0) && are_together(&pair))
            return true;
    }
    return false;
}

static void group_join(struct group *group, uint32_t row, struct sequence *sequence)
{
    sequence->group = row;
    group->members++;
    group->device = sequence->device;
    group->devices |= UINT64_C(1) << sequence->device % 64;
    group->longest = sequence->count > group->longest ? sequence->count : group->longest;
}

// Two groups of different GPUs: at a constant distance, so that clocks may differ, or together at
// times, so that one function is both theirs and others', nothing is told of either.
static void blur(struct finding_groups *f, const struct sequences *all, struct group *a,
                 struct group *b)
{
    const struct sequence *first = &all->items[a->first], *other = &all->items[b->first];
    struct beside pair = beside(f, all, first, other, 0);
    uint32_t near = 0, steady = 0;
    int64_t before = INT64_MIN;
    if (a->devices & b->devices || !are_alike(first, other))
        return;
    for (uint32_t n = 0; n < pair.runs; n++) {
        int64_t ns = ns_apart(&pair, n), change;
        near += is_near(&pair, n);
        steady += n > 0 && !__builtin_sub_overflow(ns, before, &change) && change > -AGREE_NS &&
                  change < AGREE_NS;
        before = ns;
    }
    bool is_offset = pair.runs > 0 && is_few(pair.runs - 1 - steady, pair.runs - 1);
    if (is_offset || !is_few(near, pair.runs))
        a->is_blurred = b->is_blurred = true;
    f->has_offset |= is_offset;
    f->are_apart = true;
}

// Each sequence joins the first group whose first sequence ends as it does.
static void group_function(struct finding_groups *f, struct sequences *all, uint32_t function)
{
    size_t own = all->group_count;
    for (uint32_t s = all->of_function[function]; s != 0; s = all->items[s - 1].next) {
        struct sequence *sequence = &all->items[s - 1];
        size_t g = own;
        while (g < all->group_count &&
               (all->groups[g].device == sequence->device ||
                !find_shift(f, all, &all->items[all->groups[g].first], sequence, &sequence->shift)))
            g++;
        if (g == own + GROUPS_MOST)
            continue;
        if (g == all->group_count) {
            sequence->shift = 0;
            ARENA_PUSH(f->scratch, all->groups, all->group_count, all->group_capacity) =
                (struct group){.first = s - 1};
        }
        group_join(&all->groups[g], (uint32_t)g, sequence);
    }
    for (size_t g = own; g < all->group_count; g++)
        for (size_t h = own; h < g; h++)
            blur(f, all, &all->groups[h], &all->groups[g]);
}

static bool is_told(const struct sequences *all, uint32_t group)
{
    return group != ROW_NONE && all->groups[group].members > 1 && !all->groups[group].is_blurred;
}

// How much a way to look at a function explains: members of all its collectives.
static uint64_t explained(const struct sequences *all, uint32_t function)
{
    uint64_t sum = 0;
    for (uint32_t s = all->of_function[function]; s != 0; s = all->items[s - 1].next) {
        const struct sequence *sequence = &all->items[s - 1];
        if (is_told(all, sequence->group))
            sum += (uint64_t)all->groups[sequence->group].members * sequence->count;
    }
    return sum;
}

// ---- collectives -------------------------------------------------------------------------------

struct making {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena;
    struct collectives *made;
    size_t capacity;
    struct collective *items;
    uint32_t *of_work;
};

static void run_add(struct making *making, struct collective *collective, uint32_t work)
{
    const struct gpu_work *rows = &making->profile->work;
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

static void collect(struct making *making, const struct sequences *all, uint32_t function)
{
    for (uint32_t s = all->of_function[function]; s != 0; s = all->items[s - 1].next) {
        uint32_t g = all->items[s - 1].group;
        if (!is_told(all, g) || all->groups[g].first != s - 1)
            continue;
        const struct group *group = &all->groups[g];
        size_t base = making->made->count;
        for (uint32_t n = 0; n < group->longest + 2 * EDGE_RUNS; n++)
            ARENA_PUSH(making->arena, making->items, making->made->count, making->capacity) =
                (struct collective){0};
        for (uint32_t m = s; m != 0; m = all->items[m - 1].next) {
            const struct sequence *sequence = &all->items[m - 1];
            for (uint32_t n = 0; n < sequence->count && sequence->group == g; n++) {
                uint32_t work = all->runs[sequence->first + n];
                size_t row = base + n + (size_t)(EDGE_RUNS + sequence->shift);
                run_add(making, &making->items[row], work);
                making->of_work[work] = (uint32_t)row;
            }
        }
        for (size_t i = base; i < making->made->count; i++) {
            struct collective *item = &making->items[i];
            item->is_whole = item->members == group->members;
            // Each is near the first one.
            item->agrees = item->is_whole && item->last_end - item->first_end < 2LL * AGREE_NS;
        }
    }
}

static void find_all(struct making *making, struct arena *scratch)
{
    const struct profile *profile = making->profile;
    bool *is_collective = ARENA_ARRAY(scratch, bool, (size_t)profile->work.count + 1);
    uint32_t devices = 0;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        bool any = false;
        for (uint32_t w = profile->devices[d].first_work; w < profile->devices[d].end_work; w++)
            any |= is_collective[w] =
                work_is_collective(profile, w) && work_in_scope(profile, making->selection, w);
        devices += any;
    }
    if (devices < 2)
        return;
    struct finding_groups finding = {
        .profile = profile, .is_collective = is_collective, .scratch = scratch};
    struct sequences ways[] = {sequences_make(&finding, false), sequences_make(&finding, true)};
    for (uint32_t f = 0; f < profile->function_count; f++) {
        group_function(&finding, &ways[0], f);
        group_function(&finding, &ways[1], f);
        collect(making, &ways[explained(&ways[1], f) > explained(&ways[0], f)], f);
    }
    making->made->has_unaligned =
        finding.has_offset || (making->made->count == 0 && finding.are_apart);
}

static void make_body(void *context, struct arena *scratch)
{
    struct making *making = context;
    uint32_t count = making->profile->work.count;
    making->of_work = ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1);
    for (uint32_t w = 0; w < count; w++)
        making->of_work[w] = ROW_NONE;
    find_all(making, scratch);
    making->made->items = making->items;
    making->made->of_work =
        column32_pack(making->arena, making->profile->workers, making->of_work, NULL, count);
}

static void *make(const struct profile *profile, const struct selection *selection,
                  struct arena *arena)
{
    struct making making = {.profile = profile,
                            .selection = selection,
                            .arena = arena,
                            .made = ARENA_NEW(arena, struct collectives)};
    scratch_run(arena, make_body, &making);
    return making.made;
}

const struct collectives *collectives_of(const struct profile *profile,
                                         const struct selection *selection, struct arena *arena)
{
    static const struct memo_kind kind = {.fields = MEMO_PROCESS, .make = make};
    return memo_make(&kind, profile, selection, arena);
}
