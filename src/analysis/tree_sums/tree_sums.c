// SPDX-License-Identifier: Apache-2.0
// Sums over the op tree, see tree_sums.h.
#include "analysis/tree_sums/tree_sums.h"

#include <string.h>

#include "analysis/breakdown/breakdown_scheme.h"
#include "analysis/sums/work_groups.h"
#include "analysis/tree_sums/tree_host.h"
#include "base/scratch.h"
#include "model/markers/markers.h"
#include "model/rules/rules.h"

// Returns, by node, whether it is, or is inside, an op that could use Tensor Cores.
static uint8_t *find_eligible_nodes(const struct profile *profile, const struct op_tree *tree,
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

// Adds the GPU work of one function and node.
static void add_group(const struct profile *profile, const struct work_group *group,
                      const uint8_t *eligible, struct tree_sum *sums)
{
    const struct function *function = &profile->functions[group->function];
    struct tree_sum *sum = &sums[group->node];
    int64_t ns = group->figures[GROUP_EXCLUSIVE_NS];
    uint32_t forward = group->forward;
    bool is_tc = function->tensor_core == STATE_YES;
    sum->self_ns += ns;
    sum->sum_ns += group->figures[GROUP_SUM_NS];
    sum->work_count += group->figures[GROUP_COUNT];
    sum->below += group->figures[GROUP_COUNT];
    sum->category_ns[gpu_category(function)] += ns;
    if (forward != ROW_NONE)
        sums[forward].backward_ns += ns;
    // Backward work belongs to an eligible op through its forward op. Kernels whose name is
    // inconclusive are not counted, because it is unknown whether they use Tensor Cores.
    bool is_eligible = eligible[group->node] || (forward != ROW_NONE && eligible[forward]);
    if (is_eligible && function->kind == WORK_KERNEL && function->class == CLASS_COMPUTE &&
        function->tensor_core != STATE_UNKNOWN) {
        sum->eligible_ns += ns;
        if (is_tc)
            sum->eligible_tc_ns += ns;
    }
}

static void add_work(const struct profile *profile, const struct selection *selection,
                     struct tree_sum *sums, struct arena *arena)
{
    const struct gpu_work *work = &profile->work;
    const uint8_t *eligible =
        find_eligible_nodes(profile, selection_tree(profile, selection), arena);
    struct work_groups groups = work_groups_of(profile, selection, arena);
    for (uint32_t g = 0; g < groups.count; g++)
        add_group(profile, &groups.items[g], eligible, sums);
    for (uint32_t w = 0; !groups.items && w < work->count; w++) {
        if (!selection_has_work(profile, selection, w))
            continue;
        struct work_group single = {
            .node = selection_work_node(profile, selection, w),
            .forward = selection_forward_node(profile, selection, w),
            .function = AT(work->function, w),
            .figures = {[GROUP_COUNT] = 1,
                        [GROUP_EXCLUSIVE_NS] = AT(work->exclusive, w),
                        [GROUP_SUM_NS] = work_duration(profile, w)},
        };
        add_group(profile, &single, eligible, sums);
    }
}

struct sums_job {
    const struct profile *profile;
    const struct selection *selection;
    struct tree_sum *sums;
};

// Adds what belongs to each node itself.
static void add_all(void *context, struct arena *scratch)
{
    const struct sums_job *job = context;
    add_work(job->profile, job->selection, job->sums, scratch);
    tree_host_add(job->profile, job->selection, job->sums, scratch);
}

struct tree_sum *tree_sums(const struct profile *profile, const struct selection *selection,
                           struct arena *arena)
{
    struct selection whole = *selection;
    whole.node = ROW_NONE;
    const struct op_tree *tree = selection_tree(profile, &whole);
    struct tree_sum *sums = ARENA_ARRAY(arena, struct tree_sum, tree->count);
    scratch_run(arena, add_all, &(struct sums_job){profile, &whole, sums});
    for (uint32_t n = 0; n < tree->count; n++)
        sums[n].exclusive_ns = sums[n].self_ns;
    // Parents come before their children, so one pass backwards adds every subtree up.
    for (uint32_t n = tree->count; n-- > 1;) {
        struct tree_sum *parent = &sums[tree->parent[n]];
        const struct tree_sum *sum = &sums[n];
        parent->exclusive_ns += sum->exclusive_ns;
        parent->sum_ns += sum->sum_ns;
        parent->backward_ns += sum->backward_ns;
        for (size_t c = 0; c < GPU_IDLE; c++)
            parent->category_ns[c] += sum->category_ns[c];
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

uint32_t tree_dominant_node(const struct op_tree *tree, int64_t *self_ns)
{
    for (uint32_t n = tree->count; n-- > 1;)
        self_ns[tree->parent[n]] += self_ns[n];
    if (tree->count == 0 || self_ns[0] <= 0)
        return ROW_NONE;
    uint32_t node = 0;
    for (uint32_t child = 1; child < tree->subtree_end[node];) {
        if ((double)self_ns[child] >= 0.8 * (double)self_ns[0]) {
            node = child;
            child = node + 1;
        } else {
            child = tree->subtree_end[child];
        }
    }
    return node;
}
