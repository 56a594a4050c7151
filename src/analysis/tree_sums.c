// SPDX-License-Identifier: Apache-2.0
#include "analysis/tree_sums.h"

#include <string.h>

#include "analysis/cover.h"
#include "analysis/stats.h"
#include "model/markers.h"
#include "model/rules.h"
#include "model/scratch.h"

// Whether a node is or lies in an op that could use Tensor Cores, however deep.
static uint8_t *nodes_eligible(const struct profile *profile, const struct op_tree *tree,
                               struct arena *arena)
{
    uint8_t *eligible = ARENA_ARRAY(arena, uint8_t, tree->count);
    for (uint32_t n = 1; n < tree->count; n++) {
        eligible[n] = eligible[tree->parent[n]];
        if (tree->marker[n] == ROW_NONE)
            continue;
        string_id type = profile->markers[tree->marker[n]].type;
        if (type != STRING_NONE && !eligible[n])
            eligible[n] = rules_op_eligible(rules_get(), profile_text(profile, type)) == STATE_YES;
    }
    return eligible;
}

static void add_work(const struct profile *profile, const struct selection *selection,
                     const uint8_t *eligible, struct tree_sum *sums)
{
    const struct gpu_work *work = &profile->work;
    for (uint32_t w = 0; w < work->count; w++) {
        if (!selection_has_work(profile, selection, w))
            continue;
        uint32_t node = selection_work_node(profile, selection, w);
        const struct function *function = &profile->functions[work->function[w]];
        struct tree_sum *sum = &sums[node];
        int64_t ns = work->exclusive[w];
        uint32_t forward = selection_forward_node(profile, selection, w);
        bool is_tc = function->tensor_core == STATE_YES;
        sum->self_ns += ns;
        sum->sum_ns += work->end[w] - work->start[w];
        sum->work_count++;
        sum->below++;
        if (is_tc)
            sum->tc_ns += ns;
        if (forward != ROW_NONE)
            sums[forward].backward_ns += ns;
        // Backward work belongs to an eligible op through its forward op. Kernels that nobody can
        // judge by name are left out: nothing is said of them.
        bool is_eligible = eligible[node] || (forward != ROW_NONE && eligible[forward]);
        if (is_eligible && function->kind == WORK_KERNEL && function->class == CLASS_COMPUTE &&
            function->tensor_core != STATE_UNKNOWN) {
            sum->eligible_ns += ns;
            if (is_tc)
                sum->eligible_tc_ns += ns;
        }
    }
}

static void add_ranges(const struct profile *profile, const struct selection *selection,
                       struct tree_sum *sums)
{
    const struct ranges *ranges = &profile->ranges;
    for (uint32_t r = 0; r < ranges->count; r++) {
        uint32_t node = selection_range_node(profile, selection, r);
        if (node == ROW_NONE || !selection_has_range(profile, selection, r))
            continue;
        sums[node].calls++;
        sums[node].below++;
        sums[node].cpu_ns += ranges->end[r] - ranges->start[r];
    }
}

// The outermost range around each.
static uint32_t *range_roots(const struct ranges *ranges, struct arena *arena)
{
    uint32_t *roots = ARENA_ARRAY(arena, uint32_t, (size_t)ranges->count + 1);
    for (uint32_t r = 0; r < ranges->count; r++) // a parent comes before its children
        roots[r] = ranges->parent[r] == ROW_NONE ? r : roots[ranges->parent[r]];
    return roots;
}

// Calls of one thread may nest (the runtime's over the driver's): each moment counts once, to the
// range of the outermost call. Calls come by (thread, start).
static void add_api(const struct profile *profile, const struct selection *selection,
                    struct tree_sum *sums, struct arena *arena)
{
    const struct api_calls *api = &profile->api;
    const struct op_tree *tree = selection_tree(profile, selection);
    const uint32_t *adopters = profile->ranges.adopter;
    const uint32_t *roots = adopters ? range_roots(&profile->ranges, arena) : NULL;
    int64_t covered = INT64_MIN;
    for (uint32_t a = 0; a < api->count; a++) {
        if (a == 0 || api->thread[a] != api->thread[a - 1])
            covered = INT64_MIN;
        if (!selection_has_api(profile, selection, a))
            continue;
        // Summed upwards with the tree afterwards, so only the innermost node is charged here.
        int64_t alone = union_add(&covered, api->start[a], api->end[a]);
        uint32_t range = range_host(profile, api->range[a]);
        if (range == ROW_NONE)
            continue;
        uint32_t node = selection_range_node(profile, selection, range);
        sums[node].api_ns += alone;
        // Calls in adopted ranges are no time of the thread that waits, nor of what is around it.
        uint32_t adopter = adopters ? adopters[roots[range]] : ROW_NONE;
        if (adopter == ROW_NONE)
            continue;
        uint32_t waits = selection_range_node(profile, selection, adopter);
        if (waits != ROW_NONE && node > waits && node < tree->subtree_end[waits])
            sums[waits].api_ns -= alone;
    }
}

// Each work climbs to the ranges around it: rows x depth steps. Real ranges nest some dozens deep;
// beyond the bound, which only a hostile file reaches, idle time is not known.
enum { CLIMB_MAX = 4096 };

struct span { // of the GPU work of one range on the device being walked
    int64_t covered;
    uint32_t device;
};

// What the range lies in: the one around it or, of adopted root ranges, the one that adopts it.
static uint32_t range_above(const struct profile *profile, const struct selection *selection,
                            uint32_t range)
{
    uint32_t above = profile->ranges.parent[range];
    if (above == ROW_NONE && selection->adoption && profile->ranges.adopter)
        above = profile->ranges.adopter[range];
    return above;
}

static uint32_t work_range(const struct profile *profile, const struct selection *selection,
                           uint32_t work)
{
    uint32_t call = profile->work.launch[work];
    if (call == ROW_NONE)
        return ROW_NONE;
    uint32_t range = profile->api.range[call];
    if (range == ROW_NONE && selection->adoption && profile->api.adopter)
        range = profile->api.adopter[call];
    return range;
}

static void add_idle(const struct profile *profile, const struct selection *selection,
                     struct tree_sum *sums, struct arena *arena)
{
    const struct gpu_work *work = &profile->work;
    const struct ranges *ranges = &profile->ranges;
    if (!ranges->count)
        return;
    struct span *spans = ARENA_ARRAY(arena, struct span, ranges->count);
    bool *is_beyond = ARENA_ARRAY(arena, bool, ranges->count); // the reach of work below it
    for (uint32_t r = 0; r < ranges->count; r++)
        spans[r].device = ROW_NONE;
    for (uint32_t w = 0; w < work->count; w++) {
        if (!selection_has_work(profile, selection, w))
            continue;
        uint32_t device = work_device(profile, w);
        uint32_t range = work_range(profile, selection, w);
        for (int steps = 0; range != ROW_NONE && steps < CLIMB_MAX; steps++) {
            struct span *span = &spans[range];
            if (span->device != device) {
                *span = (struct span){work->start[w], device};
            } else if (work->start[w] > span->covered) {
                uint32_t node = selection_range_node(profile, selection, range);
                if (node != ROW_NONE)
                    sum_add(&sums[node].idle_ns, work->start[w] - span->covered);
            }
            if (work->end[w] > span->covered)
                span->covered = work->end[w];
            range = range_above(profile, selection, range);
        }
        for (; range != ROW_NONE && !is_beyond[range];
             range = range_above(profile, selection, range))
            is_beyond[range] = true;
    }
    for (uint32_t r = 0; r < ranges->count; r++) {
        uint32_t node = is_beyond[r] ? selection_range_node(profile, selection, r) : ROW_NONE;
        if (node != ROW_NONE)
            sums[node].idle_ns = UNKNOWN;
    }
}

struct sums_job {
    const struct profile *profile;
    const struct selection *selection;
    const struct op_tree *tree;
    struct tree_sum *sums;
};

// What each node has of its own.
static void add_all(void *context, struct arena *scratch)
{
    const struct sums_job *job = context;
    add_work(job->profile, job->selection, nodes_eligible(job->profile, job->tree, scratch),
             job->sums);
    add_ranges(job->profile, job->selection, job->sums);
    add_api(job->profile, job->selection, job->sums, scratch);
    add_idle(job->profile, job->selection, job->sums, scratch);
}

struct tree_sum *tree_sums(const struct profile *profile, const struct selection *selection,
                           struct arena *arena)
{
    struct selection whole = *selection;
    whole.node = ROW_NONE;
    const struct op_tree *tree = selection_tree(profile, &whole);
    struct tree_sum *sums = ARENA_ARRAY(arena, struct tree_sum, tree->count);
    scratch_run(arena, add_all, &(struct sums_job){profile, &whole, tree, sums});
    for (uint32_t n = 0; n < tree->count; n++)
        sums[n].exclusive_ns = sums[n].self_ns;
    // Parents come before their children, so one pass backwards adds every subtree up.
    for (uint32_t n = tree->count; n-- > 1;) {
        struct tree_sum *parent = &sums[tree->parent[n]];
        const struct tree_sum *sum = &sums[n];
        parent->exclusive_ns += sum->exclusive_ns;
        parent->sum_ns += sum->sum_ns;
        parent->backward_ns += sum->backward_ns;
        parent->tc_ns += sum->tc_ns;
        parent->eligible_ns += sum->eligible_ns;
        parent->eligible_tc_ns += sum->eligible_tc_ns;
        parent->api_ns += sum->api_ns;
        parent->work_count += sum->work_count;
        parent->below += sum->below;
        if (parent->calls == 0)
            parent->cpu_ns += sum->cpu_ns;
    }
    return sums;
}
