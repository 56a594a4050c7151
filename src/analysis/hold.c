// SPDX-License-Identifier: Apache-2.0
#include "analysis/hold.h"

#include "analysis/meetings.h"
#include "analysis/stats.h"

struct search {
    struct step_line *line;
    const struct meetings *meetings;
    struct cover *busy; // by device, built when first asked for
    uint32_t next;      // work of the line's GPU that is not looked at yet
    uint32_t window;    // of the work before
    int64_t together;   // when those of the windows before were over: all GPUs went on from there
    int64_t end;        // of its communication so far
    int64_t late;       // by so much that ended later than it need
    int64_t alone;      // since when there is nothing to hide it behind
    double by_host;
};

static int64_t idle_within(struct search *search, uint32_t device, int64_t from, int64_t to)
{
    struct cover *busy = &search->busy[device];
    int64_t ns = 0;
    if (!busy->at)
        *busy = cover_device(search->line, device, CLASS_COUNT);
    cover_add(busy, from, to, &ns);
    return to - from - ns;
}

// Of `ns` that the line's GPU waits in a meeting, the part that the host of the last GPU makes it
// wait: it launched that late, or left the GPU idle before.
static double part_by_host(struct search *search, const struct meeting *meeting, int64_t ns)
{
    const struct profile *profile = search->line->profile;
    uint32_t launch = profile->work.launch[meeting->last_work];
    int64_t from = search->together, to = meeting->latest_start;
    if (launch != ROW_NONE && to - profile->api.start[launch] <= EMPTY_QUEUE_NS)
        return 1;
    if (from == INT64_MIN || to <= from)
        return 0;
    int64_t more = idle_within(search, meeting->last_device, from, to) -
                   idle_within(search, search->line->device, from, to);
    return more <= 0 ? 0 : more >= ns ? 1 : (double)more / (double)ns;
}

// A collective that has begun; what follows it at once is as late.
static void add_late(struct search *search, uint32_t work, const struct meeting *meeting,
                     const struct stretch *stretch)
{
    const struct gpu_work *rows = &search->line->profile->work;
    int64_t start = rows->start[work], slack = start - search->end, arrived = meeting->latest_start;
    if (search->window != stretch->window) {
        search->together =
            search->window == ROW_NONE ? search->line->windows[stretch->window].from : search->end;
        search->window = stretch->window;
    }
    search->late = search->end == INT64_MIN || slack >= search->late ? 0
                   : slack > 0                                       ? search->late - slack
                                                                     : search->late;
    search->end = rows->end[work] > search->end ? rows->end[work] : search->end;
    if (arrived <= start)
        return;
    search->by_host = part_by_host(search, meeting, arrived - start);
    sum_add(&search->late, arrived - start);
}

static struct hold hold_of(struct search *search, const struct stretch *stretch, int64_t launched)
{
    const struct device *device = &search->line->profile->devices[search->line->device];
    const struct meetings *meetings = search->meetings;
    struct hold hold = {.arrived = stretch->from};
    for (; search->next <= stretch->work; search->next++) {
        uint32_t row = meetings->of_work[search->next - device->first_work];
        if (row != ROW_NONE)
            add_late(search, search->next, &meetings->items[row], stretch);
    }
    uint32_t row = meetings->of_work[stretch->work - device->first_work];
    if (row != ROW_NONE && meetings->items[row].latest_start > stretch->from) {
        int64_t arrived = meetings->items[row].latest_start;
        hold.arrived = arrived < stretch->to ? arrived : stretch->to;
    }
    // What the host launches late meanwhile, it does not hide either. Transfer was to come before
    // the time that is left alone, as far as that is not longer than it is late.
    int64_t from = launched > hold.arrived && launched < stretch->to ? launched : hold.arrived;
    int64_t hidden = search->late - (from - search->alone);
    hold.pushed = hidden <= 0 ? 0 : stretch->to - from < hidden ? stretch->to - from : hidden;
    hold.by_host = search->by_host;
    return hold;
}

static struct hold *holds_find(struct step_line *line)
{
    enum { BREAK_NS = 100000 }; // of other work: communication may hide behind it
    const struct meetings *meetings = line_meetings(line);
    struct hold *holds = ARENA_ARRAY(line->scratch, struct hold, line->count + 1);
    struct search search = {.line = line,
                            .meetings = meetings,
                            .next = line->profile->devices[line->device].first_work,
                            .window = ROW_NONE,
                            .end = INT64_MIN,
                            .alone = line->count ? line->stretches[0].from : 0};
    const int64_t *launches = line_late_launches(line);
    search.busy = ARENA_ARRAY(line->scratch, struct cover, (size_t)line->profile->device_count + 1);
    for (size_t s = 0; s < line->count; s++) {
        const struct stretch *stretch = &line->stretches[s];
        holds[s].arrived = stretch->from;
        if (stretch->class == CLASS_COMM && meetings->is_separable)
            holds[s] = hold_of(&search, stretch, launches[s]);
        else if (stretch->work != ROW_NONE && stretch->to - stretch->from > BREAK_NS)
            search.alone = stretch->to;
    }
    return holds;
}

const struct hold *line_holds(struct step_line *line)
{
    if (!line->holds)
        line->holds = holds_find(line);
    return line->holds;
}
