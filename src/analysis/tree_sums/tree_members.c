// SPDX-License-Identifier: Apache-2.0
// Median and worst member of each folded node.
#include "analysis/tree_sums/tree_members.h"

#include "analysis/report/stats.h"
#include "analysis/tree_sums/tree_sums.h"

struct tree_members {
    const struct tree_sum *sums; // of the unfolded tree
    struct figure_groups times;  // exclusive ns, by folded node
    uint32_t *worst;             // by folded node: unfolded node, or ROW_NONE
};

struct tree_members *tree_members_of(const struct profile *profile,
                                     const struct selection *selection, struct arena *arena)
{
    struct tree_members *members = ARENA_NEW(arena, struct tree_members);
    const struct op_tree *tree = profile->tree;
    uint32_t folded_count = profile->folded_tree->count;
    struct selection unfolded = *selection;
    unfolded.is_folded = false;
    unfolded.node = ROW_NONE;
    const struct tree_sum *sums = members->sums = tree_sums(profile, &unfolded, arena);
    uint32_t *counts = ARENA_ARRAY(arena, uint32_t, folded_count);
    members->worst = ARENA_ARRAY(arena, uint32_t, folded_count);
    for (uint32_t f = 0; f < folded_count; f++)
        members->worst[f] = ROW_NONE;
    for (uint32_t n = 0; n < tree->count; n++)
        counts[tree->folded[n]] += sums[n].calls + sums[n].work_count > 0;
    members->times = groups_begin(counts, folded_count, arena);
    for (uint32_t n = 0; n < tree->count; n++) {
        uint32_t *worst = &members->worst[tree->folded[n]];
        if (sums[n].calls + sums[n].work_count == 0)
            continue;
        groups_add(&members->times, tree->folded[n], sums[n].exclusive_ns);
        if (*worst == ROW_NONE || sums[n].exclusive_ns > sums[*worst].exclusive_ns)
            *worst = n;
    }
    return members;
}

struct tree_member_figures tree_members_figures(const struct profile *profile,
                                                const struct tree_members *members,
                                                uint32_t folded_node)
{
    uint32_t worst = members->worst[folded_node];
    if (worst == ROW_NONE)
        return (struct tree_member_figures){0};
    return (struct tree_member_figures){
        .median_ns = (int64_t)groups_stats(&members->times, folded_node).median,
        .worst_ns = members->sums[worst].exclusive_ns,
        .worst = profile_text(profile, profile->tree->name[worst]),
    };
}
