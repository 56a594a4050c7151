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
    struct work_group_sums *kept;
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

static void build_body(void *context, struct arena *scratch)
{
    struct work_groups_build *build = context;
    const struct profile *profile = build->profile;
    struct work_group_sums *kept = build->kept;
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
            ARENA_PUSH(build->arena, kept->items, count, capacity) = entry;
        }
        group[w] = *slot - 1;
    }
    kept->count = (uint32_t)count;
    kept->partial = (struct partial_sums){
        .groups = kept->count, .columns = GROUP_COLUMNS, .sums = GROUP_COLUMNS};
    partial_sums_of_work(&kept->partial, profile, build->selection, add_work,
                         &(struct work_group_adder){profile, group}, build->arena, scratch);
}

static void *build_groups(const struct profile *profile, const struct selection *selection,
                          struct arena *arena)
{
    struct work_groups_build build = {profile, selection, ARENA_NEW(arena, struct work_group_sums),
                                      arena};
    scratch_run(arena, build_body, &build);
    return build.kept;
}

static const struct memo_kind groups_memo = {
    .fields = MEMO_PROCESS | MEMO_DEVICE | MEMO_FOLDED | MEMO_ADOPTION,
    .make = build_groups,
};

struct work_groups work_groups_of(const struct profile *profile, const struct selection *selection,
                                  struct arena *arena)
{
    struct work_groups groups = {0};
    if (!selection_is_unfiltered(selection) || !profile->tree || !HAS(profile->work.exclusive))
        return groups;
    const struct work_group_sums *kept = memo_get(&groups_memo, profile, selection, arena);
    if (!kept)
        return groups;
    groups.items = ARENA_ARRAY(arena, struct work_group, (size_t)kept->count + 1);
    int64_t *sums = ARENA_ARRAY(arena, int64_t, (size_t)kept->count * GROUP_COLUMNS + 1);
    partial_sums_total(&kept->partial, selection, sums, arena);
    for (uint32_t g = 0; g < kept->count; g++) {
        const int64_t *entry = &sums[(size_t)g * GROUP_COLUMNS];
        if (entry[GROUP_COUNT] == 0)
            continue;
        struct work_group *group = &groups.items[groups.count++];
        *group = kept->items[g];
        for (int c = 0; c < GROUP_COLUMNS; c++)
            group->figures[c] = entry[c];
    }
    return groups;
}
