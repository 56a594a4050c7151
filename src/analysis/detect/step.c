// SPDX-License-Identifier: Apache-2.0
// The steps that detectors judge, see step.h: the choice of GPU and windows, sums over the chosen
// windows, and findings.
#include "analysis/detect/step.h"

#include <string.h>

#include "analysis/report/stats.h"
#include "analysis/sums/work_text.h"
#include "analysis/tree_sums/tree_sums.h"
#include "base/text/format.h"
#include "model/rules/thresholds.h"

// ---- choice of the GPU ------------------------------------------------------------------------

static bool is_step(const struct step *step, uint32_t iteration)
{
    const struct selection *selection = step->selection;
    if (iteration >= selection->split->count)
        return false;
    if (selection->iterations)
        return selection->iterations[iteration];
    // A cut step is no evidence, unless it is selected explicitly.
    return !selection->split->is_cut || !selection->split->is_cut[iteration];
}

uint32_t step_cut_count(const struct step *step)
{
    uint32_t count = 0;
    for (uint32_t i = 0; step->has_steps && i < step->selection->split->count; i++)
        count += selection_has_iteration(step->selection, i) && !is_step(step, i);
    return count;
}

// Returns the GPU that the others wait for: among those with at least half of the largest busy
// time, the one with the least exposed communication; without communication the busiest.
static uint32_t critical_device(const struct step *step)
{
    const struct profile *profile = step->profile;
    const struct split *split = step->selection->split;
    const struct device_load *step_loads = device_loads_of(profile, step->selection, step->scratch);
    struct device_load *loads =
        ARENA_ARRAY(step->scratch, struct device_load, (size_t)profile->device_count + 1);
    int64_t max_busy_ns = 0;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        if (step->selection->device != ROW_NONE && step->selection->device != d)
            continue;
        for (uint32_t line = 0; line <= split->count; line++) {
            const struct device_load *load = &step_loads[(size_t)d * (split->count + 1) + line];
            if (step->has_steps && !is_step(step, line))
                continue;
            loads[d].comm_ns += load->comm_ns;
            loads[d].busy_ns += load->busy_ns;
        }
        max_busy_ns = loads[d].busy_ns > max_busy_ns ? loads[d].busy_ns : max_busy_ns;
    }
    uint32_t best = ROW_NONE;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        if (loads[d].busy_ns + loads[d].comm_ns == 0 || loads[d].busy_ns < max_busy_ns / 2)
            continue;
        if (best == ROW_NONE || loads[d].comm_ns < loads[best].comm_ns ||
            (loads[d].comm_ns == loads[best].comm_ns && loads[d].busy_ns > loads[best].busy_ns))
            best = d;
    }
    return best;
}

// ---- windows ----------------------------------------------------------------------------------

static void choose_windows(struct step *step)
{
    const struct step_line *line = step->line;
    uint32_t *windows = ARENA_ARRAY(step->scratch, uint32_t, (size_t)line->window_count + 1);
    for (uint32_t w = 0; w < line->window_count; w++) {
        const struct line_window *window = &line->windows[w];
        if (step->has_steps && !is_step(step, window->iteration))
            continue;
        windows[step->window_count++] = w;
        step->window_ns += window->to - window->from;
        if (step->profile->lacks_times)
            step->window_ns -= window->idle_ns; // idle time is an artefact of the loader
        step->compute_ns += window->compute_ns;
        step->opaque_ns += window->opaque_ns;
        step->overhead_ns += window->overhead_ns;
    }
    step->windows = windows;
    step->grants = grants_new(step->scratch, step->profile->workers, line->window_count, windows,
                              step->window_count);
}

void step_make(struct step *step, const struct profile *profile, const struct selection *selection,
               struct arena *scratch, struct arena *arena)
{
    *step = (struct step){.profile = profile,
                          .selection = selection,
                          .scratch = scratch,
                          .arena = arena,
                          .has_steps = selection->split->method != SPLIT_NONE,
                          .device = ROW_NONE};
    if (!profile->tree || !HAS(profile->work.node) || profile->stage != STAGE_READY ||
        selection_iteration_count(selection) == 0)
        return;
    uint32_t device = critical_device(step);
    if (device == ROW_NONE)
        return;
    step->line = step_line_of(profile, selection, device, scratch);
    step->has_untraced_work = step->line->has_untraced_work;
    choose_windows(step);
    if (step->window_ns > 0)
        step->device = device;
}

// ---- results of scans -------------------------------------------------------------------------

int64_t step_sum(const struct step *step, const struct scan *scan, unsigned sum)
{
    int64_t total = 0;
    for (uint32_t i = 0; scan->sums[sum] && i < step->window_count; i++)
        sum_add(&total, scan->sums[sum][step->windows[i]]);
    return total;
}

bool step_is_hit(const struct scan *scan, unsigned sum, uint32_t window)
{
    return scan->sums[sum] && scan->sums[sum][window] >= MIN_REPORTED_NS;
}

uint32_t step_hits(const struct step *step, const struct scan *scan, unsigned sum)
{
    uint32_t hits = 0;
    for (uint32_t i = 0; i < step->window_count; i++)
        hits += step_is_hit(scan, sum, step->windows[i]);
    return hits;
}

static void list_add_up(const struct step *step, const struct scan_list *list, int64_t *ns)
{
    for (uint32_t i = 0; list->count && i < step->window_count; i++)
        for (size_t e = list->first[step->windows[i]]; e < list->first[step->windows[i] + 1]; e++)
            sum_add(&ns[list->items[e].id], list->items[e].ns);
}

int64_t *step_list(const struct step *step, const struct scan_list *list)
{
    int64_t *ns = ARENA_ARRAY(step->scratch, int64_t, (size_t)list->ids + 1);
    list_add_up(step, list, ns);
    return ns;
}

struct leader step_leader(const struct step *step, const struct scan *scan)
{
    const int64_t *ns = step_list(step, &scan->names);
    struct leader leader = {.best = ROW_NONE};
    for (uint32_t f = 0; f < scan->names.ids; f++) {
        leader.count += ns[f] > 0;
        if (ns[f] > 0 && (leader.best == ROW_NONE || ns[f] > ns[leader.best]))
            leader.best = f;
    }
    return leader;
}

const char *step_source(const struct step *step, const struct scan *scan)
{
    const int64_t *ns = step_list(step, &scan->lines);
    int64_t total = 0;
    string_id best = STRING_NONE;
    for (string_id id = 0; id < scan->lines.ids; id++) {
        sum_add(&total, ns[id]);
        best = ns[id] > ns[best] ? id : best;
    }
    return best != STRING_NONE && ns[best] > total / 2 ? profile_text(step->profile, best) : NULL;
}

const char *leader_name(const struct step *step, const struct leader *leader)
{
    return leader->best == ROW_NONE
               ? ""
               : profile_text(step->profile, step->profile->functions[leader->best].family);
}

// ---- findings -------------------------------------------------------------------------------

int64_t step_mean_ns(const struct step *step, int64_t total_ns)
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

const char *step_hits_text(const struct step *step, uint32_t hit)
{
    const struct split_words *words = split_words_of(step->selection->split);
    if (!step->has_steps)
        return "in the capture";
    return step->window_count == 1 && hit == 1
               ? arena_format(step->arena, "in the one %s", words->one)
               : arena_format(step->arena, "in %u of %u %s", hit, step->window_count,
                              step->window_count == 1 ? words->one : words->several);
}

const char *step_duration(const struct step *step, int64_t total_ns)
{
    char text[FORMAT_SIZE];
    return arena_format(step->arena, "%s",
                        format_duration(text, step_mean_ns(step, total_ns), true));
}

// The evidence is restricted to the judged GPU.
static struct finding *add_for_device(const struct step *step, struct finding_list *findings,
                                      const struct detector *detector, enum severity severity)
{
    struct finding *finding = finding_add(findings, detector, severity);
    finding->evidence = *step->selection;
    finding->evidence.device = step->device;
    return finding;
}

struct finding *step_finding(struct step *step, struct finding_list *findings,
                             const struct detector *detector, int64_t total_ns,
                             enum certainty certainty)
{
    double share = step_share(step, total_ns);
    bool is_long = (double)step_mean_ns(step, total_ns) >= 1e6 * expert_threshold("finding.ms");
    bool is_much = share >= expert_threshold("finding.much") &&
                   (double)total_ns >= 1e6 * expert_threshold("finding.total_ms");
    if (share < expert_threshold("finding.share") || !(is_long || is_much))
        return NULL;
    struct finding *finding = add_for_device(step, findings, detector, SEVERITY_WARNING);
    finding->gain_ns = step_mean_ns(step, total_ns);
    finding->share = share;
    finding->certainty = certainty;
    return finding;
}

struct finding *step_note(struct step *step, struct finding_list *findings,
                          const struct detector *detector)
{
    return add_for_device(step, findings, detector, SEVERITY_NOTE);
}

void finding_set_layer_evidence(struct finding *finding, uint32_t node)
{
    if (!finding->place)
        return;
    finding->evidence.node = node;
    finding->evidence.with_backward = true;
}

struct finding *step_take_finding(struct step *step, struct finding_list *findings,
                                  const struct detector *detector, bool is_reported,
                                  int64_t total_ns, enum certainty certainty)
{
    struct finding *finding =
        is_reported ? step_finding(step, findings, detector, total_ns, certainty) : NULL;
    if (finding)
        grants_take(&step->grants, NULL);
    return finding;
}

int64_t step_limit(struct step *step, int64_t room)
{
    int64_t gain = grants_measure(&step->grants);
    if (gain <= room)
        return gain;
    uint32_t groups = step->grants.requests->groups;
    double *parts = ARENA_ARRAY(step->scratch, double, (size_t)groups + 1);
    for (uint32_t g = 0; g < groups; g++)
        parts[g] = room > 0 ? (double)room / (double)gain : 0;
    grants_scale(&step->grants, parts);
    return grants_measure(&step->grants);
}

uint32_t step_windows_hit(const struct step *step)
{
    uint32_t hits = 0;
    for (uint32_t i = 0; i < step->window_count; i++)
        hits += step->grants.free_ns[step->windows[i]] >= MIN_REPORTED_NS;
    return hits;
}

enum certainty step_host_certainty(const struct step *step)
{
    bool is_distorted = step_share(step, step->overhead_ns) > expert_threshold("finding.overhead");
    return step->has_steps && !is_distorted ? CERTAINTY_CERTAIN : CERTAINTY_LIKELY;
}

// ---- places ---------------------------------------------------------------------------------

int64_t *step_node_sums(const struct step *step)
{
    return ARENA_ARRAY(step->scratch, int64_t,
                       (size_t)selection_tree(step->profile, step->selection)->count + 1);
}

uint32_t step_place_of(const struct step *step, int64_t *self_ns)
{
    return tree_dominant_node(selection_tree(step->profile, step->selection), self_ns);
}

uint32_t step_place(const struct step *step, const struct scan *scan)
{
    int64_t *sums = step_node_sums(step);
    list_add_up(step, &scan->places, sums);
    return step_place_of(step, sums);
}

enum { MAX_PLACE_BYTES = 100 }; // the end of a longer path is shown

const char *step_node_text(const struct step *step, uint32_t node)
{
    const struct op_tree *tree = selection_tree(step->profile, step->selection);
    if (node == ROW_NONE || node == 0 || tree->kind[node] == NODE_OUTSIDE)
        return NULL;
    const char *path = node_path_text(step->profile, tree, node, step->arena);
    size_t length = strlen(path);
    if (length <= MAX_PLACE_BYTES)
        return path;
    const char *rest = strstr(path + length - MAX_PLACE_BYTES, " > ");
    return rest ? arena_format(step->arena, "...%s", rest) : path;
}
