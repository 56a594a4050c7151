// SPDX-License-Identifier: Apache-2.0
// Collectives as seen from the GPU of a line: how long their members wait for the last one.
#include "analysis/detect/line_collectives.h"

#include "analysis/report/stats.h"

static bool work_is_in_window(const struct step_line *line, uint32_t work)
{
    return line_window_of(line, work) != ROW_NONE;
}

struct cover device_activity_cover(struct step_line *line, uint32_t device, unsigned classes)
{
    const struct profile *profile = line->profile;
    const struct device *device_row = &profile->devices[device];
    size_t capacity = (size_t)(device_row->end_work - device_row->first_work) + 1, count = 0;
    int64_t *start = ARENA_ARRAY(line->scratch, int64_t, capacity);
    int64_t *end = ARENA_ARRAY(line->scratch, int64_t, capacity);
    for (uint32_t w = device_row->first_work; w < device_row->end_work; w++) {
        enum work_class class = profile->functions[AT(profile->work.function, w)].class;
        if (!((classes | 1U << CLASS_GRAPH) >> class & 1))
            continue;
        start[count] = AT(profile->work.start, w);
        end[count++] = AT(profile->work.end, w);
    }
    struct cover_source source = cover_source_of(start, end, count, line->scratch);
    return cover_build(&source, 1, line->scratch);
}

int64_t line_collective_arrival(const struct profile *profile,
                                const struct line_collective *collective, uint32_t work)
{
    return collective_arrival(collective->latest_start, collective->shortest_ns,
                              collective->by_durations, AT(profile->work.end, work));
}

// Adds one member: how long it waits while nothing is computed, and how long it runs without any
// concurrent work.
static void add_member(struct line_collectives *collectives, struct line_collective *collective,
                       const struct cover *cover, uint32_t row)
{
    const struct step_line *line = collectives->line;
    const struct gpu_work *work = &line->profile->work;
    bool is_line_gpu = work_device(line->profile, row) == line->device;
    int64_t from = AT(work->start, row), computing_ns = 0, exclusive_ns = AT(work->exclusive, row);
    int64_t to = line_collective_arrival(line->profile, collective, row);
    if (!work_is_in_window(collectives->line, row))
        return;
    if (to > from) {
        cover_add(cover, from, to, &computing_ns);
        sum_add(&collective->all_wait_ns, to - from - computing_ns);
        sum_add(&collective->wait_ns, is_line_gpu ? 0 : to - from - computing_ns);
    }
    if (is_line_gpu &&
        __builtin_mul_overflow(exclusive_ns, -(int64_t)(collective->members - 1), &exclusive_ns))
        exclusive_ns = -INT64_MAX;
    sum_add(&collective->lag_ns, exclusive_ns);
}

// Adds the work of a GPU to the collectives that it is a member of.
static void add_members(struct line_collectives *collectives, uint32_t device)
{
    struct step_line *line = collectives->line;
    const struct device *device_row = &line->profile->devices[device];
    struct cover cover = {0};
    for (uint32_t w = device_row->first_work; w < device_row->end_work; w++) {
        uint32_t row = AT(collectives->of_work, w);
        struct line_collective *collective = row == ROW_NONE ? NULL : &collectives->items[row];
        if (!collective || collective->window == ROW_NONE || collective->latest_start == INT64_MIN)
            continue;
        if (!cover.classes)
            cover = device_activity_cover(line, device, 1U << CLASS_COMPUTE);
        add_member(collectives, collective, &cover, w);
    }
}

static struct line_collectives find_line_collectives(struct step_line *line)
{
    const struct profile *profile = line->profile;
    const struct device *line_device = &profile->devices[line->device];
    const struct collectives *all = collectives_of(profile, line->selection, line->scratch);
    struct line_collectives collectives = {
        .line = line,
        .count = all->count,
        .items = ARENA_ARRAY(line->scratch, struct line_collective, all->count + 1),
        .of_work = all->of_work,
        .has_clock_mismatch = all->has_clock_mismatch};
    for (size_t m = 0; m < all->count; m++) {
        const struct collective *source = &all->items[m];
        collectives.items[m] = (struct line_collective){
            .members = source->members,
            .by_durations = source->is_whole && source->by_durations,
            .latest_start = source->is_whole ? source->latest_start : INT64_MIN,
            .shortest_ns = source->shortest_ns,
            .last_device = work_device(profile, source->last_work),
            .last_work = source->last_work,
            .window = ROW_NONE,
        };
    }
    for (uint32_t w = line_device->first_work; w < line_device->end_work; w++)
        if (AT(all->of_work, w) != ROW_NONE) {
            collectives.items[AT(all->of_work, w)].window = line_window_of(line, w);
            collectives.is_separable = true;
        }
    for (uint32_t device_row = 0; device_row < profile->device_count && collectives.is_separable;
         device_row++)
        add_members(&collectives, device_row);
    // Means over the other members.
    for (size_t m = 0; m < collectives.count; m++) {
        int64_t others = (int64_t)collectives.items[m].members - 1;
        collectives.items[m].wait_ns /= others > 0 ? others : 1;
        collectives.items[m].lag_ns /= others > 0 ? others : 1;
    }
    return collectives;
}

const struct line_collectives *collectives_of_line(struct step_line *line)
{
    if (!line->collectives) {
        line->collectives = ARENA_NEW(line->scratch, struct line_collectives);
        *line->collectives = find_line_collectives(line);
    }
    return line->collectives;
}
