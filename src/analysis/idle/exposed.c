// SPDX-License-Identifier: Apache-2.0
#include "analysis/idle/exposed.h"

#include "analysis/breakdown/gpu_windows.h"
#include "analysis/idle/collectives.h"
#include "analysis/report/memo.h"
#include "base/scratch.h"
#include "base/sort.h"

enum { PART_COMPUTE, PART_TRANSFER, PART_UNSPLIT, PART_PAIR, PART_WAIT, PARTS };

// ---- time lines --------------------------------------------------------------------------------

struct exposed_lines { // kept: by device
    struct cover *covers;
    bool *is_separable;
};

struct pile {
    size_t count;
    int64_t *start, *end;
};

static void pile_add(struct pile *piles, int part, int64_t start, int64_t end)
{
    piles[part].start[piles[part].count] = start;
    piles[part].end[piles[part].count++] = end;
}

// A transfer begins later than its work: by the time they begin, transfers may be out of order.
static void pile_sort(struct pile *pile, struct arena *scratch)
{
    const uint32_t *order = sort_by_time(scratch, pile->start, NULL, pile->count);
    struct pile sorted = {pile->count, ARENA_ARRAY(scratch, int64_t, pile->count + 1),
                          ARENA_ARRAY(scratch, int64_t, pile->count + 1)};
    for (size_t i = 0; i < pile->count; i++) {
        sorted.start[i] = pile->start[order[i]];
        sorted.end[i] = pile->end[order[i]];
    }
    *pile = sorted;
}

struct making {
    struct exposed_lines *lines;
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena;
    const struct collectives *collectives;
};

static bool device_communicates(const struct making *making, const struct device *device)
{
    for (uint32_t w = device->first_work; w < device->end_work; w++)
        if (work_is_communication(making->profile, w))
            return true;
    return false;
}

static struct cover make_cover(const struct making *making, const struct device *device,
                               struct arena *scratch)
{
    const struct profile *profile = making->profile;
    const struct collectives *collectives = making->collectives;
    const struct gpu_work *work = &profile->work;
    struct pile piles[PARTS];
    struct cover_source sources[PARTS];
    uint32_t end = device_communicates(making, device) ? device->end_work : device->first_work;
    size_t room = (size_t)(end - device->first_work) + 1;
    for (int p = 0; p < PARTS; p++)
        piles[p] = (struct pile){0, ARENA_ARRAY(scratch, int64_t, room),
                                 ARENA_ARRAY(scratch, int64_t, room)};
    for (uint32_t w = device->first_work; w < end; w++) {
        enum work_class class = profile->functions[AT(work->function, w)].class;
        if (!work_in_scope(profile, making->selection, w))
            continue;
        if (class == CLASS_COMPUTE) {
            pile_add(piles, PART_COMPUTE, AT(work->start, w), AT(work->end, w));
        } else if (class == CLASS_COMM) {
            uint32_t row = AT(collectives->of_work, w);
            const struct collective *met = row == ROW_NONE ? NULL : &collectives->items[row];
            bool is_told = met && met->agrees;
            int64_t last = is_told && met->latest_start < AT(work->end, w) ? met->latest_start
                                                                           : AT(work->end, w);
            if (is_told) {
                pile_add(piles, PART_WAIT, AT(work->start, w), last);
                pile_add(piles, PART_TRANSFER, last, AT(work->end, w));
            } else {
                pile_add(piles, work_is_collective(profile, w) ? PART_UNSPLIT : PART_PAIR,
                         AT(work->start, w), AT(work->end, w));
            }
        }
    }
    pile_sort(&piles[PART_TRANSFER], scratch);
    for (int p = 0; p < PARTS; p++)
        sources[p] = cover_source_of(piles[p].start, piles[p].end, piles[p].count, scratch);
    sources[PART_COMPUTE].is_silent = true;
    struct cover cover = cover_build(sources, PARTS, scratch);
    return cover_copy(&cover, making->arena);
}

static void make_body(void *context, struct arena *scratch)
{
    struct making *making = context;
    const struct profile *profile = making->profile;
    making->collectives = collectives_of(profile, making->selection, scratch);
    for (uint32_t d = 0; d < profile->device_count; d++) {
        const struct device *device = &profile->devices[d];
        making->lines->covers[d] = make_cover(making, device, scratch);
        for (uint32_t w = device->first_work; w < device->end_work; w++)
            making->lines->is_separable[d] |= AT(making->collectives->of_work, w) != ROW_NONE;
    }
}

static void *make_lines(const struct profile *profile, const struct selection *selection,
                        struct arena *arena)
{
    struct exposed_lines *lines = ARENA_NEW(arena, struct exposed_lines);
    lines->covers = ARENA_ARRAY(arena, struct cover, (size_t)profile->device_count + 1);
    lines->is_separable = ARENA_ARRAY(arena, bool, (size_t)profile->device_count + 1);
    struct making making = {lines, profile, selection, arena, NULL};
    scratch_run(arena, make_body, &making);
    return lines;
}

// ---- sums --------------------------------------------------------------------------------------

struct summing {
    const struct cover *cover;
    struct exposed *sum;
};

static void add_window(void *context, uint32_t iteration, struct window window)
{
    const struct summing *summing = context;
    int64_t ns[PARTS] = {0};
    (void)iteration;
    cover_add(summing->cover, window.from, window.to, ns);
    summing->sum->transfer_ns += ns[PART_TRANSFER];
    summing->sum->unsplit_ns += ns[PART_UNSPLIT];
    summing->sum->pair_ns += ns[PART_PAIR];
    summing->sum->wait_ns += ns[PART_WAIT];
    for (int p = PART_TRANSFER; p < PARTS; p++)
        summing->sum->ns += ns[p];
}

const struct exposed_lines *exposed_lines_of(const struct profile *profile,
                                             const struct selection *selection, struct arena *arena)
{
    static const struct memo_kind kind = {.fields = MEMO_PROCESS, .make = make_lines};
    return memo_make(&kind, profile, selection, arena);
}

int64_t exposed_wait_within(const struct exposed_lines *lines, uint32_t device, int64_t from,
                            int64_t to)
{
    int64_t ns[PARTS] = {0};
    cover_add(&lines->covers[device], from, to, ns);
    return ns[PART_WAIT];
}

struct exposed *exposed_devices(const struct profile *profile, const struct selection *selection,
                                struct arena *arena)
{
    const struct exposed_lines *lines = exposed_lines_of(profile, selection, arena);
    struct exposed *devices = ARENA_ARRAY(arena, struct exposed, (size_t)profile->device_count + 1);
    for (uint32_t d = 0; d < profile->device_count; d++) {
        devices[d].is_separable = lines->is_separable[d];
        if (gpu_counts(profile, selection, d))
            gpu_windows(profile, selection, d, add_window,
                        &(struct summing){&lines->covers[d], &devices[d]});
    }
    return devices;
}

struct exposed exposed_sum(const struct profile *profile, const struct exposed *devices)
{
    struct exposed sum = {0};
    for (uint32_t d = 0; d < profile->device_count; d++) {
        sum.ns += devices[d].ns;
        sum.wait_ns += devices[d].wait_ns;
        sum.transfer_ns += devices[d].transfer_ns;
        sum.pair_ns += devices[d].pair_ns;
        sum.unsplit_ns += devices[d].unsplit_ns;
        sum.is_separable |= devices[d].is_separable;
    }
    return sum;
}
