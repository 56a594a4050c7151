// SPDX-License-Identifier: Apache-2.0
// Groups GPU work by function and node, with partial sums per step.
#include "analysis/sums/work_groups.h"

#include "base/scratch.h"

struct work_group_sums { // cached in the memo
    uint32_t count;
    struct work_group *items; // their keys; the figures are in `partial`
    struct partial_sums partial;
};

struct work_groups_build {
    const struct profile *profile;
    const struct selection *selection;
    struct work_group_sums *cached;
    struct arena *arena;
};

static struct work_group group_of(const struct work_groups_build *build, uint32_t work)
{
    return (struct work_group){
        .node = selection_work_node(build->profile, build->selection, work),
        .forward = selection_forward_node(build->profile, build->selection, work),
        .function = AT(build->profile->work.function, work),
    };
}

struct work_group_adder {
    const struct profile *profile;
    const uint32_t *group; // by row of work
};

static void add_work(struct partial_sums_builder *partial, const void *context, uint32_t work)
{
    const struct work_group_adder *adder = context;
    uint32_t group = adder->group[work];
    partial_sums_add(partial, group, GROUP_COUNT, 1);
    partial_sums_add(partial, group, GROUP_EXCLUSIVE_NS, AT(adder->profile->work.exclusive, work));
    partial_sums_add(partial, group, GROUP_SUM_NS, work_duration(adder->profile, work));
}

static void build_groups(void *context, struct arena *scratch)
{
    struct work_groups_build *build = context;
    const struct profile *profile = build->profile;
    struct work_group_sums *cached = build->cached;
    struct id_map map = {.arena = scratch};
    size_t count = 0, capacity = 0;
    uint32_t *group = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->work.count + 1);
    for (uint32_t w = 0; w < profile->work.count; w++) {
        if (!selection_has_work(profile, build->selection, w))
            continue;
        struct work_group entry = group_of(build, w);
        struct id_key key = {(uint64_t)entry.node << 32 | entry.forward, entry.function, 0};
        uint32_t *slot = id_map_slot(&map, key);
        if (!*slot) {
            *slot = (uint32_t)count + 1;
            ARENA_PUSH(build->arena, cached->items, count, capacity) = entry;
        }
        group[w] = *slot - 1;
    }
    cached->count = (uint32_t)count;
    cached->partial = (struct partial_sums){
        .groups = cached->count, .columns = GROUP_COLUMNS, .sums = GROUP_COLUMNS};
    partial_sums_of_work(&cached->partial, profile, build->selection, add_work,
                         &(struct work_group_adder){profile, group}, build->arena, scratch);
}

static void *make_groups(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    struct work_groups_build build = {profile, selection, ARENA_NEW(arena, struct work_group_sums),
                                      arena};
    scratch_run(arena, build_groups, &build);
    return build.cached;
}

static const struct memo_kind groups_memo = {
    .fields = MEMO_PROCESS | MEMO_DEVICE | MEMO_FOLDED | MEMO_ADOPTION,
    .make = make_groups,
};

struct work_groups work_groups_of(const struct profile *profile, const struct selection *selection,
                                  struct arena *arena)
{
    struct work_groups groups = {0};
    if (!selection_is_unfiltered(selection) || !profile->tree || !HAS(profile->work.exclusive))
        return groups;
    const struct work_group_sums *cached = memo_get(&groups_memo, profile, selection, arena);
    if (!cached)
        return groups;
    groups.items = ARENA_ARRAY(arena, struct work_group, (size_t)cached->count + 1);
    int64_t *sums = ARENA_ARRAY(arena, int64_t, (size_t)cached->count * GROUP_COLUMNS + 1);
    partial_sums_total(&cached->partial, selection, sums, arena);
    for (uint32_t g = 0; g < cached->count; g++) {
        const int64_t *entry = &sums[(size_t)g * GROUP_COLUMNS];
        if (entry[GROUP_COUNT] == 0)
            continue;
        struct work_group *group = &groups.items[groups.count++];
        *group = cached->items[g];
        for (int c = 0; c < GROUP_COLUMNS; c++)
            group->figures[c] = entry[c];
    }
    return groups;
}
