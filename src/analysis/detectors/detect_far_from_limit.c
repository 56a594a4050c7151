// SPDX-License-Identifier: Apache-2.0
// Detects ops that take far longer than the GPU's limits, computing and memory, require.
//
// Terms of this file:
//   run     the kernels of one op with one set of sizes and one direction (struct limited_run)
//   ideal   the time that the stricter of the two limits allows for a run's FLOPs and bytes
//   far     the ideal is less than far_from_limit.limit of the measured time
//   group   far runs that become one finding: all of one op, whatever their sizes and direction,
//           since one remedy applies to them; or all whose kernels are too short (GROUP_SMALL)
//   place   node and source line from which runs of a group were launched
#include <string.h>

#include "analysis/detect/detect_tools.h"
#include "analysis/detect/finding.h"
#include "analysis/detect/step.h"
#include "analysis/op_runs/run_limits.h"
#include "analysis/report/stats.h"
#include "analysis/report/value.h"
#include "base/hash.h"
#include "base/id_map.h"
#include "base/text/format.h"
#include "base/text/text.h"
#include "model/profile/recorder.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(far_from_limit);

enum {
    SUM_FAR = SUM_OWN, // ns of kernels of far runs
    SUM_KNOWN,         // ns of kernels with an ideal
    SUM_OPS,           // ns of kernels whose op records sizes
};

struct far_group {
    uint32_t worst;       // row of the run with the most time above its ideal; ROW_NONE: none yet
    struct roofline sums; // sums of all its runs
};

struct far_place {
    uint32_t group, node;
    string_id line; // source line of the program
};

enum { GROUP_SMALL }; // the first group

struct far_search {
    const struct run_limits *limits;
    uint32_t *group_of; // by run; ROW_NONE if it is not far from its limit
    size_t group_count, group_capacity, place_count, place_capacity;
    struct far_group *groups;
    struct far_place *places;
};

static bool is_small(const struct limited_run *run)
{
    double mean_ns = run->sums.kernels ? (double)run->sums.sum_ns / run->sums.kernels : 0;
    return mean_ns < 1e3 * expert_threshold("far_from_limit.small_us");
}

static bool is_far_from_limit(const struct limited_run *run)
{
    double share = limited_run_ideal_share(run);
    double limit =
        expert_threshold(run->is_causal ? "far_from_limit.causal" : "far_from_limit.limit");
    return share >= 0 && share < limit && !run->is_autotuned;
}

static uint32_t assign_group(struct far_search *search, struct scan *scan, struct id_map *map,
                             uint32_t row)
{
    const struct limited_run *run = &search->limits->runs[row];
    struct id_key key = {.a = 0};
    if (!is_small(run))
        key = (struct id_key){.a = hash_text(HASH_SEED, run->op), .b = 1};
    uint32_t *slot = id_map_slot(map, key);
    if (!*slot) {
        ARENA_PUSH(scan->arena, search->groups, search->group_count, search->group_capacity) =
            (struct far_group){.worst = ROW_NONE};
        *slot = (uint32_t)search->group_count;
    }
    struct far_group *group = &search->groups[*slot - 1];
    roofline_join(&group->sums, &run->sums);
    if (group->worst == ROW_NONE ||
        roofline_excess_ns(&run->sums) >
            roofline_excess_ns(&search->limits->runs[group->worst].sums))
        group->worst = row;
    return *slot - 1;
}

// Assigns the far runs to groups. Drops groups whose excess is far below the limit for a finding.
static void find_groups(struct far_search *search, struct scan *scan)
{
    const struct step_line *line = scan->line;
    const struct run_limits *limits = search->limits;
    struct id_map map = {.arena = line->scratch};
    int64_t window_ns = 0;
    for (uint32_t w = 0; w < line->window_count; w++)
        window_ns += line->windows[w].to - line->windows[w].from;
    double min_ns = 0.1 * expert_threshold("far_from_limit.share") * (double)window_ns;
    search->group_of = ARENA_ARRAY(scan->arena, uint32_t, limits->run_count + 1);
    ARENA_PUSH(scan->arena, search->groups, search->group_count, search->group_capacity) =
        (struct far_group){.worst = ROW_NONE};
    *id_map_slot(&map, (struct id_key){.a = 0}) = GROUP_SMALL + 1;
    for (uint32_t r = 0; r < limits->run_count; r++) {
        const struct limited_run *run = &limits->runs[r];
        search->group_of[r] = run->device == line->device && is_far_from_limit(run)
                                  ? assign_group(search, scan, &map, r)
                                  : ROW_NONE;
    }
    for (uint32_t r = 0; r < limits->run_count; r++)
        if (search->group_of[r] != ROW_NONE &&
            (double)roofline_excess_ns(&search->groups[search->group_of[r]].sums) < min_ns)
            search->group_of[r] = ROW_NONE;
}

static uint32_t place_of(struct far_search *search, struct scan *scan, struct id_map *map,
                         uint32_t group, uint32_t work)
{
    const struct step_line *line = scan->line;
    const struct profile *profile = line->profile;
    uint32_t call = HAS(profile->work.launch) ? AT(profile->work.launch, work) : ROW_NONE;
    struct far_place place = {.group = group,
                              .node = selection_layer_node(profile, line->selection, work),
                              .line = HAS(profile->api.route) ? api_route(&profile->api, call).place
                                                              : STRING_NONE};
    uint32_t *row = id_map_slot(map, (struct id_key){place.node, place.group, place.line});
    if (!*row) {
        ARENA_PUSH(scan->arena, search->places, search->place_count, search->place_capacity) =
            place;
        *row = (uint32_t)search->place_count;
    }
    return *row - 1;
}

static void far_from_limit_scan(struct scan *scan)
{
    struct step_line *line = scan->line;
    struct far_search *search = scan->own = ARENA_NEW(scan->arena, struct far_search);
    const struct run_limits *limits = search->limits = line->limits;
    struct id_map map = {.arena = line->scratch};
    if (!limits)
        return;
    find_groups(search, scan);
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        const struct limited_kernel *kernel =
            interval->class == CLASS_COMPUTE ? run_limits_kernel(limits, interval->work) : NULL;
        if (!kernel)
            continue;
        const struct limited_run *run = &limits->runs[kernel->run];
        double share = limited_run_ideal_share(run);
        int64_t length = interval->to - interval->from;
        scan_add(scan, SUM_KNOWN, interval->window, share >= 0 ? length : 0);
        scan_add(scan, SUM_OPS, interval->window, *run->params ? length : 0);
        uint32_t group = search->group_of[kernel->run];
        if (group == ROW_NONE)
            continue;
        scan_add(scan, SUM_FAR, interval->window, length);
        scan_list_add(scan, &scan->names, interval->window,
                      place_of(search, scan, &map, group, interval->work), length);
        scan_request(scan, interval->from, interval->to - (int64_t)((double)length * share), group,
                     interval->window);
    }
}

// ---- findings ---------------------------------------------------------------------------------

struct far_sum { // totals of a group over the chosen steps
    int64_t ns;
    uint32_t node;    // innermost node with most of the time
    const char *line; // source line with more than half of the time, or NULL
};

// Sums a group over its places. `ns_of_place` is in the order of search->places.
static struct far_sum sum_group(const struct step *step, const struct scan *scan,
                                const int64_t *ns_of_place, uint32_t group)
{
    const struct far_search *search = scan->own;
    int64_t *nodes = step_node_sums(step);
    int64_t *lines = ARENA_ARRAY(step->scratch, int64_t, strings_count(step->profile->strings) + 1);
    struct far_sum sum = {.node = ROW_NONE};
    string_id best = STRING_NONE;
    for (uint32_t p = 0; p < scan->names.ids; p++) {
        const struct far_place *place = &search->places[p];
        if (place->group != group)
            continue;
        sum_add(&sum.ns, ns_of_place[p]);
        sum_add(&lines[place->line], ns_of_place[p]);
        best = lines[place->line] > lines[best] ? place->line : best;
        if (place->node != ROW_NONE)
            sum_add(&nodes[place->node], ns_of_place[p]);
    }
    sum.node = step_place_of(step, nodes);
    if (best != STRING_NONE && lines[best] > sum.ns / 2)
        sum.line = profile_text(step->profile, best);
    return sum;
}

static const char *printable(const struct step *step, const char *text)
{
    return text_safe(step->arena, text, strlen(text), true);
}

static const char *name_of(const struct step *step, const struct limited_run *run)
{
    return arena_format(step->arena, "%s%s", printable(step, run->op),
                        run->is_backward ? " (backward)" : "");
}

static const char *advice(const struct limited_run *run)
{
    unsigned limit = roofline_limit(&run->sums);
    if (limit != LIMIT_MEMORY && limit != LIMIT_NONE)
        return "Look at its sizes and kernel: sizes that are large multiples of 64, a 16-bit type, "
               "channels_last for convolutions, torch.backends.cudnn.benchmark, or max-autotune of "
               "torch.compile give it a faster one; a product of small sizes wants a larger batch";
    return "Give it another kernel: fuse it with what is around it (torch.compile), take the fused "
           "one of a library where there is one (cross entropy, norms, optimizers), and make its "
           "inputs contiguous; ncu on this kernel tells what it waits for";
}

// Explains a finding by the run of the group that costs most.
static const char *why_far(const struct step *step, const struct limited_run *run)
{
    char flops[FORMAT_SIZE], bytes[FORMAT_SIZE];
    const struct roofline *sums = &run->sums;
    unsigned limit = roofline_limit(sums);
    double count = run->count ? run->count : 1;
    format_bytes(bytes, value_whole(value_real(sums->known_bytes / count)));
    format_real(flops, sums->known_flops / count / 1e9);
    return arena_format(
        step->arena,
        "Most of it: %s of %s, in %s. Each run of it must move %s and compute %s GFLOP, which %s "
        "would allow in %.0f%% of the time that it takes%s. The bound is the time above that, of "
        "all sizes; what caches save, and what a kernel does beside, is not counted",
        name_of(step, run), *run->params ? printable(step, run->params) : "sizes not told",
        profile_text(step->profile, step->profile->functions[run->function].family), bytes, flops,
        limit == LIMIT_MEMORY || limit == LIMIT_NONE ? "the memory" : "the peak of its type",
        100 * limited_run_ideal_share(run),
        sums->is_guess ? " (its type is not told and taken to be FP32)" : "");
}

static const char *why_small(const struct step *step, const struct far_group *group,
                             const struct limited_run *run)
{
    return arena_format(
        step->arena,
        "Most of it: %s, %s. They take %.1f us each on the mean, most of which is starting, "
        "filling "
        "and ending: what they must compute and move would allow %.0f%% of it",
        name_of(step, run),
        profile_text(step->profile, step->profile->functions[run->function].family),
        group->sums.kernels ? (double)group->sums.sum_ns / group->sums.kernels / 1e3 : 0,
        100 * (double)group->sums.ideal_ns / (group->sums.sum_ns ? (double)group->sums.sum_ns : 1));
}

static void fill_finding(struct step *step, const struct scan *scan, const int64_t *ns,
                         struct finding *finding, uint32_t row)
{
    const struct far_search *search = scan->own;
    const struct far_group *group = &search->groups[row];
    const struct limited_run *run = &search->limits->runs[group->worst];
    struct far_sum sum = sum_group(step, scan, ns, row);
    const char *takes = step_duration(step, sum.ns), *unit = step_unit(step);
    // The bound excludes time that another finding has claimed.
    const char *needs = step_duration(step, sum.ns - finding->gain_ns * step->window_count);
    finding->place = step_node_text(step, sum.node);
    finding->source = sum.line;
    finding->opens = "roofline_kernels";
    if (row == GROUP_SMALL) {
        finding->key = "small kernels";
        finding->problem =
            arena_format(step->arena, "Kernels are too small for the GPU: %s %s for work of %s",
                         takes, unit, needs);
        finding->recommendation = "Give each kernel more to do: a larger batch, fused kernels "
                                  "(torch.compile, foreach and "
                                  "fused optimizers), one batched product instead of many";
        finding->why = why_small(step, group, run);
        finding_set_layer_evidence(finding, sum.node);
        return;
    }
    finding->key = printable(step, run->op);
    finding->problem =
        arena_format(step->arena, "%s is far from what the GPU can do: %s %s, %s would do",
                     finding->key, takes, unit, needs);
    finding->recommendation = advice(run);
    finding->why = why_far(step, run);
    finding->evidence.function = run->function;
}

// Returns true if any kernel is PyTorch's. For other programs no capture option records sizes.
static bool is_pytorch(const struct profile *profile)
{
    for (uint32_t f = 0; f < profile->function_count; f++)
        if (strstr(profile_text(profile, profile->functions[f].full), "at::native::"))
            return true;
    return false;
}

// Adds a not-judged finding if the ideal is unknown for most of the compute time, since the
// detector must not look passed then.
static void add_unknown(const struct step *step, const struct scan *scan,
                        struct finding_list *findings)
{
    int64_t known_ns = step_sum(step, scan, SUM_KNOWN);
    double min_known_ns = expert_threshold("far_from_limit.known") * (double)step->compute_ns;
    if (step->compute_ns == 0 || (double)known_ns >= min_known_ns)
        return;
    if ((double)step_sum(step, scan, SUM_OPS) >= min_known_ns) {
        if (device_peaks(step->profile, step->device).fp32 <= 0)
            detect_card_unknown(findings, &detect_far_from_limit, step);
        return;
    }
    if (!is_pytorch(step->profile))
        return;
    struct finding *finding = finding_add(findings, &detect_far_from_limit, SEVERITY_NOT_JUDGED);
    finding->problem = arena_format(
        step->arena,
        "How far ops are from what the GPU can do: their sizes are told for %.0f%% of the compute "
        "time",
        100 * (double)step_sum(step, scan, SUM_OPS) / (double)step->compute_ns);
    finding->recommendation = recorder_lack_text(step->profile, LACKS_SHAPES_LONG);
    finding->flag = "--pytorch=autograd-shapes-nvtx";
}

static void far_from_limit(struct step *step, const struct scan *scan,
                           struct finding_list *findings)
{
    const struct far_search *search = scan->own;
    add_unknown(step, scan, findings);
    if (step_sum(step, scan, SUM_FAR) == 0)
        return;
    grants_measure(&step->grants);
    bool *keep = ARENA_ARRAY(step->scratch, bool, search->group_count + 1);
    const int64_t *ns = NULL;
    for (uint32_t group = 0; group < search->group_count; group++) {
        int64_t gain = grants_free_in_group(&step->grants, group);
        bool is_reported = step_share(step, gain) > expert_threshold("far_from_limit.share");
        struct finding *finding = is_reported ? step_finding(step, findings, &detect_far_from_limit,
                                                             gain, CERTAINTY_LIKELY)
                                              : NULL;
        if (!finding)
            continue;
        keep[group] = true;
        ns = ns ? ns : step_list(step, &scan->names);
        fill_finding(step, scan, ns, finding, group);
    }
    grants_take(&step->grants, keep);
}

const struct detector detect_far_from_limit = {
    .id = "far_from_limit",
    .title = "ops far from what the GPU can do",
    .doc =
        "Ops whose sizes are told take so long that both limits, computing and memory, would "
        "allow less than far_from_limit.limit of it (of an attention that is causal, or may be, "
        "far_from_limit.causal; all runs alike together, as in the roofline), and the rest is more "
        "than far_from_limit.share of the step. Kernels shorter "
        "than far_from_limit.small_us on the mean are one finding. Runs that tried algorithms "
        "are left out. Not judged where sizes are told for less than far_from_limit.known of the "
        "compute time, and on a card that gpus.yaml does not know. Bound: their exclusive time "
        "less the ideal part of it.",
    .needs_no_times = true,
    .scan = far_from_limit_scan,
    .judge = far_from_limit,
};
