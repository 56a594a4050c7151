// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_line.h"

#include <string.h>

#include "analysis/breakdown_scheme.h"
#include "analysis/cells.h"
#include "analysis/memo.h"
#include "model/scratch.h"

// As work.exclusive has it, but for opaque graphs: they may compute all the time, so what runs
// beside one is hidden.
static const enum work_class priority[CLASS_COUNT] = {CLASS_COMPUTE, CLASS_GRAPH, CLASS_COMM,
                                                      CLASS_COPY};

struct making { // the sweep of model/derive_exclusive.c, keeping the instants
    const struct profile *profile;
    const struct selection *selection;
    struct step_line *line;
    struct arena *arena, *scratch;
    uint32_t *rows[CLASS_COUNT];
    size_t count[CLASS_COUNT], next[CLASS_COUNT];
    size_t capacity;
};

static uint8_t class_of(const struct making *making, uint32_t work)
{
    const struct profile *profile = making->profile;
    return work == ROW_NONE ? CLASS_COUNT
                            : (uint8_t)profile->functions[profile->work.function[work]].class;
}

static void stretch_add(struct making *making, int64_t from, int64_t to, uint32_t work,
                        uint32_t next)
{
    struct step_line *line = making->line;
    if (to > from)
        ARENA_PUSH(making->scratch, line->stretches, line->count,
                   making->capacity) = (struct stretch){
            .from = from, .to = to, .work = work, .next = next, .class = class_of(making, work)};
}

static bool line_step(struct making *making, int64_t *now)
{
    const struct gpu_work *work = &making->profile->work;
    int64_t until = INT64_MAX;
    uint32_t next = ROW_NONE;
    for (int p = 0; p < CLASS_COUNT; p++) {
        enum work_class class = priority[p];
        const uint32_t *rows = making->rows[class];
        while (making->next[class] < making->count[class] &&
               work->end[rows[making->next[class]]] <= *now)
            making->next[class]++;
        if (making->next[class] == making->count[class])
            continue;
        uint32_t row = rows[making->next[class]];
        if (work->start[row] > *now) {
            if (work->start[row] < until) {
                until = work->start[row];
                next = row;
            }
            continue;
        }
        until = work->end[row] < until ? work->end[row] : until;
        stretch_add(making, *now, until, row, ROW_NONE);
        *now = until;
        return true;
    }
    if (next == ROW_NONE)
        return false;
    if (*now != INT64_MIN)
        stretch_add(making, *now, until, ROW_NONE, next);
    *now = until;
    return true;
}

// Why the GPU is idle in each stretch that has no work.
static void find_causes(struct step_line *line)
{
    size_t at = 0;
    for (size_t s = 0; s < line->count; s++) {
        struct stretch *stretch = &line->stretches[s];
        if (stretch->work != ROW_NONE)
            continue;
        while (at < line->idle->count && line->idle->parts[at].to <= stretch->from)
            at++;
        stretch->first_part = stretch->end_part = (uint32_t)at;
        for (; stretch->end_part < line->idle->count &&
               line->idle->parts[stretch->end_part].from < stretch->to;)
            stretch->end_part++;
    }
}

static void line_body(void *context, struct arena *scratch)
{
    struct making *making = context;
    const struct profile *profile = making->profile;
    const struct device *device = &profile->devices[making->selection->device];
    struct step_line *line = making->line;
    uint32_t total = device->end_work - device->first_work;
    uint32_t *rows = ARENA_ARRAY(scratch, uint32_t, (size_t)total + 1);
    making->scratch = scratch;
    line->launches = ARENA_ARRAY(making->arena, bool, (size_t)profile->thread_count + 1);
    for (int class = 0; class < CLASS_COUNT; class ++) {
        making->rows[class] = rows;
        for (uint32_t w = device->first_work; w < device->end_work; w++) {
            if (profile->functions[profile->work.function[w]].class != (enum work_class) class ||
                !work_in_scope(profile, making->selection, w))
                continue;
            rows[making->count[class]++] = w;
            if (profile->work.launch[w] != ROW_NONE)
                line->launches[profile->api.thread[profile->work.launch[w]]] = true;
        }
        rows += making->count[class];
    }
    int64_t now = INT64_MIN;
    while (line_step(making, &now))
        continue;
    // What grew while it was made is kept at its size.
    struct stretch *grown = line->stretches;
    line->stretches = ARENA_ARRAY(making->arena, struct stretch, line->count + 1);
    if (line->count)
        memcpy(line->stretches, grown, line->count * sizeof *grown);
    line->hides_work = host_hides_graphs(profile, scratch);
}

static void *line_make(const struct profile *profile, const struct selection *selection,
                       struct arena *arena)
{
    struct making making = {.profile = profile,
                            .selection = selection,
                            .line = ARENA_NEW(arena, struct step_line),
                            .arena = arena};
    scratch_run(arena, line_body, &making);
    making.line->idle = &idle_of(profile, selection, arena)[selection->device];
    find_causes(making.line);
    return making.line;
}

static const struct memo_kind kept_line = {.fields = MEMO_PROCESS | MEMO_DEVICE, .make = line_make};

const struct step_line *step_line_of(const struct profile *profile,
                                     const struct selection *selection, uint32_t device,
                                     struct arena *arena)
{
    struct selection own = *selection;
    own.device = device;
    return memo_make(&kept_line, profile, &own, arena);
}

static void *loads_make(const struct profile *profile, const struct selection *selection,
                        struct arena *arena)
{
    const struct split *split = selection->split;
    size_t lines = (size_t)split->count + 1;
    struct device_load *loads =
        ARENA_ARRAY(arena, struct device_load, lines * profile->device_count + 1);
    for (uint32_t w = 0; w < profile->work.count; w++) {
        if (!work_in_scope(profile, selection, w))
            continue;
        uint32_t line = cells_line_of(split, split->of_work ? split->of_work[w] : ROW_NONE);
        struct device_load *load = &loads[work_device(profile, w) * lines + line];
        bool is_comm = profile->functions[profile->work.function[w]].class == CLASS_COMM;
        load->comm_ns += is_comm ? profile->work.exclusive[w] : 0;
        load->busy_ns += is_comm ? 0 : profile->work.exclusive[w];
    }
    return loads;
}

static const struct memo_kind kept_loads = {.fields = MEMO_PROCESS, .make = loads_make};

const struct device_load *device_loads_of(const struct profile *profile,
                                          const struct selection *selection, struct arena *arena)
{
    return memo_make(&kept_loads, profile, selection, arena);
}
