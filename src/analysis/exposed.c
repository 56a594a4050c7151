// SPDX-License-Identifier: Apache-2.0
#include "analysis/exposed.h"

#include <string.h>

#include "analysis/gpu_windows.h"
#include "analysis/memo.h"
#include "base/sort.h"
#include "model/id_map.h"
#include "model/scratch.h"

enum { PART_COMPUTE, PART_TRANSFER, PART_UNSPLIT, PART_PAIR, PART_WAIT, PARTS };

bool function_is_paired(const struct profile *profile, uint32_t function)
{
    const char *name = profile_text(profile, profile->functions[function].full);
    return profile->functions[function].kind != WORK_KERNEL || strstr(name, "Send") ||
           strstr(name, "Recv");
}

// ---- collectives -------------------------------------------------------------------------------

struct meeting { // the n-th run of a function on each GPU
    uint32_t members;
    int64_t latest_start, first_end, last_end;
};

struct meetings {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *scratch;
    bool *is_paired;   // by function
    uint32_t *of_work; // row of items, ROW_NONE
    uint32_t devices;  // that take part
    size_t count, capacity;
    struct meeting *items;
    struct id_map map;
    bool is_separable;
};

static bool is_collective(const struct meetings *meetings, uint32_t work)
{
    uint32_t function = meetings->profile->work.function[work];
    return meetings->profile->functions[function].class == CLASS_COMM &&
           !meetings->is_paired[function] &&
           work_in_scope(meetings->profile, meetings->selection, work);
}

static void join(struct meetings *meetings, const struct device *device)
{
    const struct gpu_work *work = &meetings->profile->work;
    uint32_t *nth =
        ARENA_ARRAY(meetings->scratch, uint32_t, (size_t)meetings->profile->function_count + 1);
    bool takes_part = false;
    for (uint32_t w = device->first_work; w < device->end_work; w++) {
        if (!is_collective(meetings, w))
            continue;
        takes_part = true;
        struct id_key key = {work->function[w], nth[work->function[w]]++, 0};
        uint32_t *slot = id_map_slot(&meetings->map, key);
        if (!*slot) {
            *slot = (uint32_t)meetings->count + 1;
            ARENA_PUSH(meetings->scratch, meetings->items, meetings->count, meetings->capacity) =
                (struct meeting){0, INT64_MIN, INT64_MAX, INT64_MIN};
        }
        struct meeting *meeting = &meetings->items[*slot - 1];
        meetings->of_work[w] = *slot - 1;
        meeting->members++;
        if (work->start[w] > meeting->latest_start)
            meeting->latest_start = work->start[w];
        if (work->end[w] < meeting->first_end)
            meeting->first_end = work->end[w];
        if (work->end[w] > meeting->last_end)
            meeting->last_end = work->end[w];
    }
    meetings->devices += takes_part;
}

static bool meeting_agrees(const struct meetings *meetings, const struct meeting *meeting)
{
    return meeting->members == meetings->devices &&
           meeting->last_end - meeting->first_end < COLLECTIVE_AGREE_NS;
}

static void find_meetings(struct meetings *meetings)
{
    const struct profile *profile = meetings->profile;
    size_t whole = 0, agreed = 0;
    meetings->map.arena = meetings->scratch;
    meetings->is_paired = ARENA_ARRAY(meetings->scratch, bool, (size_t)profile->function_count + 1);
    for (uint32_t f = 0; f < profile->function_count; f++)
        meetings->is_paired[f] = function_is_paired(profile, f);
    meetings->of_work = ARENA_ARRAY(meetings->scratch, uint32_t, (size_t)profile->work.count + 1);
    for (uint32_t d = 0; d < profile->device_count; d++)
        join(meetings, &profile->devices[d]);
    for (size_t m = 0; m < meetings->count; m++) { // what the capture cuts off says nothing
        whole += meetings->items[m].members == meetings->devices;
        agreed += meeting_agrees(meetings, &meetings->items[m]);
    }
    meetings->is_separable = meetings->devices > 1 && collectives_agree(agreed, whole);
}

// ---- time lines --------------------------------------------------------------------------------

struct exposed_lines { // kept: by device
    struct cover *covers;
    bool is_separable;
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

static struct cover make_cover(const struct meetings *meetings, const struct device *device,
                               struct arena *arena)
{
    const struct profile *profile = meetings->profile;
    const struct gpu_work *work = &profile->work;
    struct pile piles[PARTS];
    struct cover_source sources[PARTS];
    size_t room = (size_t)(device->end_work - device->first_work) + 1;
    for (int p = 0; p < PARTS; p++)
        piles[p] = (struct pile){0, ARENA_ARRAY(meetings->scratch, int64_t, room),
                                 ARENA_ARRAY(meetings->scratch, int64_t, room)};
    for (uint32_t w = device->first_work; w < device->end_work; w++) {
        enum work_class class = profile->functions[work->function[w]].class;
        if (!work_in_scope(profile, meetings->selection, w))
            continue;
        if (class == CLASS_COMPUTE) {
            pile_add(piles, PART_COMPUTE, work->start[w], work->end[w]);
        } else if (class == CLASS_COMM && meetings->is_paired[work->function[w]]) {
            pile_add(piles, PART_PAIR, work->start[w], work->end[w]);
        } else if (class == CLASS_COMM &&
                   (!meetings->is_separable ||
                    !meeting_agrees(meetings, &meetings->items[meetings->of_work[w]]))) {
            pile_add(piles, PART_UNSPLIT, work->start[w], work->end[w]);
        } else if (class == CLASS_COMM) {
            int64_t last = meetings->items[meetings->of_work[w]].latest_start;
            last = last < work->end[w] ? last : work->end[w];
            pile_add(piles, PART_WAIT, work->start[w], last);
            pile_add(piles, PART_TRANSFER, last, work->end[w]);
        }
    }
    pile_sort(&piles[PART_TRANSFER], meetings->scratch);
    for (int p = 0; p < PARTS; p++)
        sources[p] = (struct cover_source){piles[p].count, piles[p].start, piles[p].end};
    return cover_build(sources, PARTS, arena);
}

struct making {
    struct exposed_lines *lines;
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena;
};

static void make_body(void *context, struct arena *scratch)
{
    const struct making *making = context;
    struct meetings meetings = {
        .profile = making->profile, .selection = making->selection, .scratch = scratch};
    find_meetings(&meetings);
    making->lines->is_separable = meetings.is_separable;
    for (uint32_t d = 0; d < making->profile->device_count; d++)
        making->lines->covers[d] =
            make_cover(&meetings, &making->profile->devices[d], making->arena);
}

static void *make_lines(const struct profile *profile, const struct selection *selection,
                        struct arena *arena)
{
    struct exposed_lines *lines = ARENA_NEW(arena, struct exposed_lines);
    lines->covers = ARENA_ARRAY(arena, struct cover, (size_t)profile->device_count + 1);
    struct making making = {lines, profile, selection, arena};
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
        devices[d].is_separable = lines->is_separable;
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
