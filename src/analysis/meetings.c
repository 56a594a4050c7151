// SPDX-License-Identifier: Apache-2.0
#include "analysis/meetings.h"

#include "analysis/exposed.h"
#include "analysis/stats.h"

static bool line_has_work(const struct step_line *line, uint32_t work)
{
    return line_window_of(line, work) != ROW_NONE;
}

bool work_is_communication(const struct profile *profile, uint32_t work)
{
    return profile->functions[profile->work.function[work]].class == CLASS_COMM;
}

bool work_is_collective(const struct profile *profile, uint32_t work)
{
    return work_is_communication(profile, work) &&
           !function_is_paired(profile, profile->work.function[work]);
}

struct cover cover_device(struct step_line *line, uint32_t device, enum work_class only)
{
    const struct profile *profile = line->profile;
    const struct device *d = &profile->devices[device];
    size_t room = (size_t)(d->end_work - d->first_work) + 1, count = 0;
    int64_t *start = ARENA_ARRAY(line->scratch, int64_t, room);
    int64_t *end = ARENA_ARRAY(line->scratch, int64_t, room);
    for (uint32_t w = d->first_work; w < d->end_work; w++) {
        enum work_class class = profile->functions[profile->work.function[w]].class;
        if (only != CLASS_COUNT && class != only && class != CLASS_GRAPH)
            continue;
        start[count] = profile->work.start[w];
        end[count++] = profile->work.end[w];
    }
    return cover_build(&(struct cover_source){count, start, end}, 1, line->scratch);
}

// Of one member of a meeting: what it waits with nothing computed beside it.
static void add_wait(struct meetings *meetings, struct meeting *meeting, const struct cover *cover,
                     uint32_t device, uint32_t row)
{
    const struct gpu_work *work = &meetings->line->profile->work;
    int64_t from = work->start[row], hidden = 0;
    int64_t to = meeting->latest_start < work->end[row] ? meeting->latest_start : work->end[row];
    if (to <= from || !line_has_work(meetings->line, row))
        return;
    cover_add(cover, from, to, &hidden);
    sum_add(&meeting->all_wait_ns, to - from - hidden);
    sum_add(&meeting->wait_ns, device != meetings->line->device ? to - from - hidden : 0);
}

static void meet(struct meetings *meetings, uint32_t device, const struct cover *cover)
{
    struct step_line *line = meetings->line;
    const struct profile *profile = line->profile;
    const struct gpu_work *work = &profile->work;
    const struct device *d = &profile->devices[device];
    uint32_t *nth = ARENA_ARRAY(line->scratch, uint32_t, (size_t)profile->function_count + 1);
    for (uint32_t w = d->first_work; w < d->end_work; w++) {
        if (!work_is_collective(profile, w))
            continue;
        struct id_key key = {work->function[w], nth[work->function[w]]++, 0};
        uint32_t *slot = id_map_slot(&meetings->map, key);
        if (!*slot) {
            *slot = (uint32_t)meetings->count + 1;
            ARENA_PUSH(line->scratch, meetings->items, meetings->count, meetings->capacity) =
                (struct meeting){.window = ROW_NONE,
                                 .latest_start = INT64_MIN,
                                 .first_end = INT64_MAX,
                                 .last_end = INT64_MIN};
        }
        struct meeting *meeting = &meetings->items[*slot - 1];
        if (device == line->device) {
            meetings->of_work[w - d->first_work] = *slot - 1;
            meeting->window = line_window_of(line, w);
        }
        if (cover && meeting->latest_start != INT64_MIN) {
            add_wait(meetings, meeting, cover, device, w);
            int64_t ns = work->exclusive[w];
            if (device == line->device &&
                __builtin_mul_overflow(ns, -(int64_t)(meetings->members - 1), &ns))
                ns = -INT64_MAX;
            sum_add(&meeting->lag_ns, line_has_work(line, w) ? ns : 0);
        }
        if (cover)
            continue;
        meeting->members++;
        if (work->start[w] > meeting->latest_start) {
            meeting->latest_start = work->start[w];
            meeting->last_device = device;
            meeting->last_work = w;
        }
        if (work->end[w] < meeting->first_end)
            meeting->first_end = work->end[w];
        if (work->end[w] > meeting->last_end)
            meeting->last_end = work->end[w];
    }
}

// The devices that communicate, as far as they are selected.
static bool takes_part(struct step_line *line, uint32_t device)
{
    const struct device *d = &line->profile->devices[device];
    for (uint32_t w = d->first_work; w < d->end_work; w++)
        if (work_is_collective(line->profile, w) && line_has_work(line, w))
            return true;
    return false;
}

static struct meetings meetings_find(struct step_line *line)
{
    const struct profile *profile = line->profile;
    const struct device *own = &profile->devices[line->device];
    struct meetings meetings = {.line = line, .map = {.arena = line->scratch}};
    meetings.of_work =
        ARENA_ARRAY(line->scratch, uint32_t, (size_t)(own->end_work - own->first_work) + 1);
    for (uint32_t w = own->first_work; w < own->end_work; w++)
        meetings.of_work[w - own->first_work] = ROW_NONE;
    bool *takes = ARENA_ARRAY(line->scratch, bool, (size_t)profile->device_count + 1);
    uint32_t members = 0;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        takes[d] = takes_part(line, d);
        members += takes[d];
        if (takes[d])
            meet(&meetings, d, NULL);
    }
    meetings.members = members;
    if (members < 2 || !takes[line->device])
        return meetings;
    size_t whole = 0, agreed = 0;
    for (size_t m = 0; m < meetings.count; m++) {
        struct meeting *meeting = &meetings.items[m];
        if (meeting->members < members) {
            meeting->latest_start = INT64_MIN; // cut off: says nothing
            continue;
        }
        whole++;
        agreed += meeting->last_end - meeting->first_end < COLLECTIVE_AGREE_NS;
    }
    meetings.is_separable = collectives_agree(agreed, whole);
    meetings.has_unaligned = whole > 0 && !meetings.is_separable;
    for (uint32_t d = 0; d < profile->device_count && meetings.is_separable; d++)
        if (takes[d]) {
            struct cover cover = cover_device(line, d, CLASS_COMPUTE);
            meet(&meetings, d, &cover);
        }
    // As a mean over those that wait.
    for (size_t m = 0; m < meetings.count; m++) {
        meetings.items[m].wait_ns /= members - 1;
        meetings.items[m].lag_ns /= (int64_t)members - 1;
    }
    return meetings;
}

const struct meetings *line_meetings(struct step_line *line)
{
    if (!line->meetings) {
        line->meetings = ARENA_NEW(line->scratch, struct meetings);
        *line->meetings = meetings_find(line);
    }
    return line->meetings;
}
