// SPDX-License-Identifier: Apache-2.0
#include "analysis/step.h"

#include <string.h>

#include "analysis/breakdown_scheme.h"
#include "analysis/tree_sums.h"
#include "analysis/work_text.h"
#include "base/format.h"

// ---- which GPU ---------------------------------------------------------------------------------

static bool is_step(const struct step *step, uint32_t iteration)
{
    const struct selection *selection = step->selection;
    if (iteration >= selection->split->count)
        return false;
    if (selection->iterations)
        return selection->iterations[iteration];
    // A step that the capture cuts off is no evidence, unless somebody asks for it.
    return !selection->split->is_cut || !selection->split->is_cut[iteration];
}

bool step_has_work(const struct step *step, uint32_t work)
{
    return work_in_scope(step->profile, step->selection, work) &&
           (!step->has_steps || is_step(step, step->selection->split->of_work[work]));
}

uint32_t step_cut_count(const struct step *step)
{
    uint32_t count = 0;
    for (uint32_t i = 0; step->has_steps && i < step->selection->split->count; i++)
        count += selection_has_iteration(step->selection, i) && !is_step(step, i);
    return count;
}

struct device_load {
    int64_t busy_ns, comm_ns; // exclusive
};

// The GPU that the others wait for: of those with at least half of the most work, the one that is
// least in communication of its own; without communication the busiest.
static uint32_t critical_device(const struct step *step)
{
    const struct profile *profile = step->profile;
    struct device_load *loads =
        ARENA_ARRAY(step->scratch, struct device_load, (size_t)profile->device_count + 1);
    int64_t most = 0;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        const struct device *device = &profile->devices[d];
        if (step->selection->device != ROW_NONE && step->selection->device != d)
            continue;
        for (uint32_t w = device->first_work; w < device->end_work; w++) {
            if (!step_has_work(step, w))
                continue;
            bool is_comm = profile->functions[profile->work.function[w]].class == CLASS_COMM;
            loads[d].comm_ns += is_comm ? profile->work.exclusive[w] : 0;
            loads[d].busy_ns += is_comm ? 0 : profile->work.exclusive[w];
        }
        most = loads[d].busy_ns > most ? loads[d].busy_ns : most;
    }
    uint32_t best = ROW_NONE;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        if (loads[d].busy_ns + loads[d].comm_ns == 0 || loads[d].busy_ns < most / 2)
            continue;
        if (best == ROW_NONE || loads[d].comm_ns < loads[best].comm_ns ||
            (loads[d].comm_ns == loads[best].comm_ns && loads[d].busy_ns > loads[best].busy_ns))
            best = d;
    }
    return best;
}

// ---- its windows -------------------------------------------------------------------------------

static struct window *make_windows(struct step *step)
{
    const struct split *split = step->selection->split;
    struct window *windows = ARENA_ARRAY(step->scratch, struct window, (size_t)split->count + 1);
    if (!step->has_steps) {
        struct window all =
            breakdown_gpu_rules.window(step->profile, step->selection, step->device, ROW_NONE);
        if (all.to > all.from)
            windows[step->window_count++] = all;
    }
    int64_t covered = INT64_MIN;
    for (uint32_t i = 0; step->has_steps && i < split->count; i++) {
        if (!is_step(step, i))
            continue;
        struct window one =
            breakdown_gpu_rules.window(step->profile, step->selection, step->device, i);
        one.from = one.from > covered ? one.from : covered;
        if (one.to <= one.from)
            continue;
        covered = one.to;
        windows[step->window_count++] = one;
    }
    for (uint32_t i = 0; i < step->window_count; i++)
        step->window_ns += windows[i].to - windows[i].from;
    return windows;
}

// ---- its stretches -----------------------------------------------------------------------------

// As work.exclusive has it, but for opaque graphs: they may compute all the time, so what runs
// beside one is hidden.
static const enum work_class priority[CLASS_COUNT] = {CLASS_COMPUTE, CLASS_GRAPH, CLASS_COMM,
                                                      CLASS_COPY};

struct line { // the sweep of model/derive_exclusive.c, keeping the instants
    struct step *step;
    uint32_t *rows[CLASS_COUNT];
    size_t count[CLASS_COUNT], next[CLASS_COUNT];
    const struct window *windows;
    uint32_t window; // that the sweep is in or before
    size_t capacity;
};

// Adds the parts of [from, to) that lie in windows.
static void line_add(struct line *line, int64_t from, int64_t to, uint32_t work, uint32_t next)
{
    struct step *step = line->step;
    while (line->window < step->window_count && line->windows[line->window].to <= from)
        line->window++;
    for (uint32_t i = line->window; i < step->window_count && line->windows[i].from < to; i++) {
        const struct window *window = &line->windows[i];
        struct stretch part = {from > window->from ? from : window->from,
                               to < window->to ? to : window->to,
                               work,
                               next,
                               i,
                               0,
                               0};
        if (part.to > part.from)
            ARENA_PUSH(step->scratch, step->stretches, step->count, line->capacity) = part;
    }
}

static bool line_step(struct line *line, int64_t *now)
{
    const struct gpu_work *work = &line->step->profile->work;
    int64_t until = INT64_MAX;
    uint32_t next = ROW_NONE;
    for (int p = 0; p < CLASS_COUNT; p++) {
        enum work_class class = priority[p];
        const uint32_t *rows = line->rows[class];
        while (line->next[class] < line->count[class] && work->end[rows[line->next[class]]] <= *now)
            line->next[class]++;
        if (line->next[class] == line->count[class])
            continue;
        uint32_t row = rows[line->next[class]];
        if (work->start[row] > *now) {
            if (work->start[row] < until) {
                until = work->start[row];
                next = row;
            }
            continue;
        }
        until = work->end[row] < until ? work->end[row] : until;
        line_add(line, *now, until, row, ROW_NONE);
        *now = until;
        return true;
    }
    if (next == ROW_NONE)
        return false;
    if (*now != INT64_MIN)
        line_add(line, *now, until, ROW_NONE, next);
    *now = until;
    return true;
}

static void make_stretches(struct step *step, const struct window *windows)
{
    const struct profile *profile = step->profile;
    const struct device *device = &profile->devices[step->device];
    struct line line = {.step = step, .windows = windows};
    uint32_t total = device->end_work - device->first_work;
    uint32_t *rows = ARENA_ARRAY(step->scratch, uint32_t, (size_t)total + 1);
    for (int class = 0; class < CLASS_COUNT; class ++) {
        line.rows[class] = rows;
        for (uint32_t w = device->first_work; w < device->end_work; w++)
            if (profile->functions[profile->work.function[w]].class == (enum work_class) class &&
                work_in_scope(profile, step->selection, w))
                rows[line.count[class]++] = w;
        rows += line.count[class];
    }
    int64_t now = INT64_MIN;
    while (line_step(&line, &now))
        continue;
    for (size_t i = 0; i < step->count; i++) {
        const struct stretch *stretch = &step->stretches[i];
        if (stretch->work == ROW_NONE)
            continue;
        enum work_class class = profile->functions[profile->work.function[stretch->work]].class;
        step->compute_ns += class == CLASS_COMPUTE ? stretch->to - stretch->from : 0;
        step->opaque_ns += class == CLASS_GRAPH ? stretch->to - stretch->from : 0;
    }
}

// ---- what spoils the judgement -----------------------------------------------------------------

// Idle that the profiler made belongs to nobody: no change of the program wins it back.
static void block_overhead(struct step *step)
{
    for (size_t s = 0; s < step->count; s++) {
        const struct stretch *stretch = &step->stretches[s];
        for (size_t i = stretch->first_part; i < stretch->end_part; i++) {
            const struct idle_part *part = &step->idle->parts[i];
            int64_t from = part->from > stretch->from ? part->from : stretch->from;
            int64_t to = part->to < stretch->to ? part->to : stretch->to;
            if (part->cause != IDLE_PROFILER || to <= from)
                continue;
            claims_want(&step->claims, from, to, 0, stretch->window);
            step->overhead_ns += to - from;
        }
    }
    claims_take(&step->claims, NULL);
}

// Why the GPU is idle in each stretch that has no work.
static void find_causes(struct step *step)
{
    step->idle = &idle_find(step->profile, step->device, step->selection->process,
                            step->scratch)[step->device];
    size_t at = 0;
    for (size_t s = 0; s < step->count; s++) {
        struct stretch *stretch = &step->stretches[s];
        if (stretch->work != ROW_NONE)
            continue;
        while (at < step->idle->count && step->idle->parts[at].to <= stretch->from)
            at++;
        stretch->first_part = at;
        for (stretch->end_part = at; stretch->end_part < step->idle->count &&
                                     step->idle->parts[stretch->end_part].from < stretch->to;)
            stretch->end_part++;
    }
}

void step_make(struct step *step, const struct profile *profile, const struct selection *selection,
               struct arena *scratch, struct arena *arena)
{
    *step = (struct step){.profile = profile,
                          .selection = selection,
                          .scratch = scratch,
                          .arena = arena,
                          .has_steps = selection->split->method != SPLIT_NONE,
                          .claims = {.arena = scratch}};
    step->lead_host = ARENA_NEW(scratch, struct lead_host *);
    step->device = ROW_NONE;
    if (!profile->tree || !profile->work.node || profile->stage != STAGE_READY ||
        selection_count(selection) == 0)
        return;
    step->device = critical_device(step);
    if (step->device == ROW_NONE)
        return;
    const struct window *windows = make_windows(step);
    make_stretches(step, windows);
    step->launches = ARENA_ARRAY(scratch, bool, (size_t)profile->thread_count + 1);
    const struct device *device = &profile->devices[step->device];
    for (uint32_t w = device->first_work; w < device->end_work; w++)
        if (profile->work.launch[w] != ROW_NONE && work_in_scope(profile, selection, w))
            step->launches[profile->api.thread[profile->work.launch[w]]] = true;
    step->hides_work = host_hides_graphs(profile, scratch);
    find_causes(step);
    block_overhead(step);
    if (step->count == 0)
        step->device = ROW_NONE;
}

// ---- findings ----------------------------------------------------------------------------------

int64_t step_each(const struct step *step, int64_t total_ns)
{
    return step->window_count ? total_ns / step->window_count : 0;
}

double step_share(const struct step *step, int64_t total_ns)
{
    return step->window_ns > 0 ? (double)total_ns / (double)step->window_ns : 0;
}

const char *step_unit(const struct step *step)
{
    return expert_unit(step->selection);
}

const char *step_duration(const struct step *step, int64_t total_ns)
{
    char text[FORMAT_SIZE];
    return arena_format(step->arena, "%s", format_duration(text, step_each(step, total_ns), true));
}

struct finding *step_finding(struct step *step, struct finding_list *findings,
                             const struct detector *detector, int64_t total_ns,
                             enum certainty certainty)
{
    if (step_share(step, total_ns) < expert_threshold("finding.share") ||
        (double)step_each(step, total_ns) < 1e6 * expert_threshold("finding.ms"))
        return NULL;
    struct finding *finding = finding_add(findings, detector, SEVERITY_WARNING);
    finding->gain_ns = step_each(step, total_ns);
    finding->share = step_share(step, total_ns);
    finding->certainty = certainty;
    finding->evidence = *step->selection;
    return finding;
}

struct finding *step_claim(struct step *step, struct finding_list *findings,
                           const struct detector *detector, bool speaks, int64_t total_ns,
                           enum certainty certainty)
{
    struct finding *finding =
        speaks ? step_finding(step, findings, detector, total_ns, certainty) : NULL;
    claims_take(&step->claims, &(bool){finding != NULL});
    return finding;
}

uint32_t step_windows_hit(const struct step *step)
{
    enum { WORTH_NS = 50000 }; // a step with less is not hit
    uint32_t windows = 0, last = ROW_NONE;
    int64_t sum = 0;
    for (size_t i = 0; i < step->claims.count; i++) {
        const struct claim *claim = &step->claims.items[i];
        if (claim->window != last)
            sum = 0;
        last = claim->window;
        bool was_hit = sum >= WORTH_NS;
        sum += claim->free_ns;
        windows += !was_hit && sum >= WORTH_NS;
    }
    return windows;
}

enum certainty step_host_certainty(const struct step *step)
{
    bool is_distorted = step_share(step, step->overhead_ns) > expert_threshold("finding.overhead");
    return step->has_steps && !is_distorted ? CERTAINTY_CERTAIN : CERTAINTY_LIKELY;
}

// ---- places ------------------------------------------------------------------------------------

int64_t *step_node_sums(const struct step *step)
{
    return ARENA_ARRAY(step->scratch, int64_t,
                       (size_t)selection_tree(step->profile, step->selection)->count + 1);
}

uint32_t step_place(const struct step *step, int64_t *self_ns)
{
    return tree_place(selection_tree(step->profile, step->selection), self_ns);
}

enum { PLACE_BYTES = 100 }; // of a path, its end

const char *step_node_text(const struct step *step, uint32_t node)
{
    const struct op_tree *tree = selection_tree(step->profile, step->selection);
    if (node == ROW_NONE || node == 0 || tree->kind[node] == NODE_OUTSIDE)
        return NULL;
    const char *path = node_path_text(step->profile, tree, node, step->arena);
    size_t length = strlen(path);
    if (length <= PLACE_BYTES)
        return path;
    const char *rest = strstr(path + length - PLACE_BYTES, " > ");
    return rest ? arena_format(step->arena, "...%s", rest) : path;
}
