// SPDX-License-Identifier: Apache-2.0
// Sums GPU time per node of the op tree and GPU.
#include "analysis/sums/rank_sums.h"

#include "analysis/breakdown/gpu_windows.h"
#include "analysis/report/stats.h"
#include "base/text/format.h"

enum { MAX_NODE_GPU_PAIRS = 1 << 24 }; // limit for hostile files

static uint32_t *find_devices(const struct profile *profile, const struct selection *selection,
                              struct rank_sums *sums, struct arena *scratch)
{
    uint32_t *column = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->device_count + 1);
    sums->devices = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->device_count + 1);
    for (uint32_t d = 0; d < profile->device_count; d++) {
        bool counts = gpu_counts(profile, selection, d);
        column[d] = counts ? sums->count : ROW_NONE;
        if (counts)
            sums->devices[sums->count++] = d;
    }
    return column;
}

struct rank_sums rank_sums_make(const struct profile *profile, const struct selection *selection,
                                struct arena *scratch)
{
    const struct op_tree *tree = selection_tree(profile, selection);
    uint32_t steps =
        selection->split->method == SPLIT_NONE ? 1 : selection_iteration_count(selection);
    struct rank_sums sums = {.steps = steps ? steps : 1};
    const uint32_t *column = find_devices(profile, selection, &sums, scratch);
    if ((uint64_t)tree->count * sums.count > MAX_NODE_GPU_PAIRS)
        return sums;
    sums.ns = ARENA_ARRAY(scratch, int64_t, (size_t)tree->count * RANK_KINDS * sums.count + 1);
    for (uint32_t w = 0; w < profile->work.count; w++) {
        uint32_t gpu = column[work_device(profile, w)];
        if (gpu == ROW_NONE || !selection_has_work(profile, selection, w))
            continue;
        bool is_comm = profile->functions[AT(profile->work.function, w)].class == CLASS_COMM;
        int64_t *node_ns = rank_sums_at(&sums, selection_work_node(profile, selection, w),
                                        is_comm ? RANK_COMM : RANK_OWN);
        sum_add(&node_ns[gpu], AT(profile->work.exclusive, w));
    }
    for (uint32_t n = tree->count; n-- > 1;) { // children come after their parents
        int64_t *parent_ns = rank_sums_at(&sums, tree->parent[n], RANK_OWN);
        const int64_t *node_ns = rank_sums_at(&sums, n, RANK_OWN);
        for (size_t i = 0; i < (size_t)RANK_KINDS * sums.count; i++)
            sum_add(&parent_ns[i], node_ns[i]);
    }
    return sums;
}

const char *rank_sums_each(const struct rank_sums *sums, const struct selection *selection,
                           struct arena *arena)
{
    const struct split_words *words = split_words_of(selection->split);
    char count[FORMAT_SIZE];
    if (selection->split->method == SPLIT_NONE)
        return "the whole run";
    return arena_format(arena, "mean of %s %s", format_count(count, sums->steps),
                        sums->steps == 1 ? words->one : words->several);
}

const char *rank_sums_caption(const struct rank_sums *sums, const struct selection *selection,
                              struct arena *arena)
{
    return arena_format(arena, "%u GPUs, %s", sums->count, rank_sums_each(sums, selection, arena));
}
