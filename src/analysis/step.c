// SPDX-License-Identifier: Apache-2.0
#include "analysis/step.h"

#include <string.h>

#include "analysis/breakdown_scheme.h"
#include "analysis/step_line.h"
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

// The GPU that the others wait for: of those with at least half of the most work, the one that is
// least in communication of its own; without communication the busiest.
static uint32_t critical_device(const struct step *step)
{
    const struct profile *profile = step->profile;
    const struct split *split = step->selection->split;
    const struct device_load *kept = device_loads_of(profile, step->selection, step->scratch);
    struct device_load *loads =
        ARENA_ARRAY(step->scratch, struct device_load, (size_t)profile->device_count + 1);
    int64_t most = 0;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        if (step->selection->device != ROW_NONE && step->selection->device != d)
            continue;
        for (uint32_t line = 0; line <= split->count; line++) {
            const struct device_load *load = &kept[(size_t)d * (split->count + 1) + line];
            if (step->has_steps && !is_step(step, line))
                continue;
            loads[d].comm_ns += load->comm_ns;
            loads[d].busy_ns += load->busy_ns;
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

// The first stretch that ends after `time`.
static size_t line_find(const struct step_line *line, int64_t time)
{
    size_t low = 0, high = line->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (line->stretches[middle].to <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The part of a stretch that lies in a window.
static struct stretch stretch_cut(const struct stretch *whole, const struct window *window,
                                  const struct idle *idle)
{
    struct stretch part = *whole;
    part.from = part.from > window->from ? part.from : window->from;
    part.to = part.to < window->to ? part.to : window->to;
    while (part.first_part < part.end_part && idle->parts[part.first_part].to <= part.from)
        part.first_part++;
    while (part.end_part > part.first_part && idle->parts[part.end_part - 1].from >= part.to)
        part.end_part--;
    return part;
}

static void make_stretches(struct step *step, const struct window *windows)
{
    const struct profile *profile = step->profile;
    const struct step_line *line =
        step_line_of(profile, step->selection, step->device, step->scratch);
    size_t *first = ARENA_ARRAY(step->scratch, size_t, (size_t)step->window_count + 1), total = 0;
    for (uint32_t i = 0; i < step->window_count; i++) {
        first[i] = line_find(line, windows[i].from);
        total += line_find(line, windows[i].to) + 1 - first[i];
    }
    step->idle = line->idle;
    step->launches = line->launches;
    step->hides_work = line->hides_work;
    step->stretches = ARENA_ARRAY(step->scratch, struct stretch, total + 1);
    for (uint32_t i = 0; i < step->window_count; i++) {
        for (size_t s = first[i]; s < line->count; s++) {
            const struct stretch *whole = &line->stretches[s];
            if (whole->from >= windows[i].to)
                break;
            struct stretch part = stretch_cut(whole, &windows[i], line->idle);
            part.window = i;
            step->stretches[step->count++] = part;
            step->compute_ns += part.class == CLASS_COMPUTE ? part.to - part.from : 0;
            step->opaque_ns += part.class == CLASS_GRAPH ? part.to - part.from : 0;
        }
    }
}

// ---- what spoils the judgement -----------------------------------------------------------------

static int64_t idle_of_profiler(const struct step *step)
{
    int64_t sum = 0;
    for (size_t s = 0; s < step->count; s++) {
        const struct stretch *stretch = &step->stretches[s];
        for (size_t i = stretch->first_part; i < stretch->end_part; i++) {
            int64_t from, to;
            if (step->idle->parts[i].cause == IDLE_PROFILER &&
                stretch_part(step, stretch, i, &from, &to))
                sum += to - from;
        }
    }
    return sum;
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
    step->meetings = ARENA_NEW(scratch, struct meetings *);
    step->device = ROW_NONE;
    if (!profile->tree || !profile->work.node || profile->stage != STAGE_READY ||
        selection_count(selection) == 0)
        return;
    step->device = critical_device(step);
    if (step->device == ROW_NONE)
        return;
    const struct window *windows = make_windows(step);
    make_stretches(step, windows);
    step->overhead_ns = idle_of_profiler(step);
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
