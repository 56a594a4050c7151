// SPDX-License-Identifier: Apache-2.0
#include "analysis/sums/work_groups.h"

#include "base/scratch.h"

struct kept { // by the memo
    uint32_t count;
    struct work_group *items; // without figures
    struct cells cells;
};

struct making {
    const struct profile *profile;
    const struct selection *selection;
    struct kept *kept;
    struct arena *arena;
};

static struct work_group group_of(const struct making *making, uint32_t work)
{
    return (struct work_group){
        .node = selection_work_node(making->profile, making->selection, work),
        .forward = selection_forward_node(making->profile, making->selection, work),
        .function = AT(making->profile->work.function, work),
    };
}

struct adding {
    const struct profile *profile;
    const uint32_t *group; // by work
};

static void add_work(struct cells_builder *cells, const void *context, uint32_t work)
{
    const struct adding *adding = context;
    uint32_t group = adding->group[work];
    cells_add(cells, group, GROUP_COUNT, 1);
    cells_add(cells, group, GROUP_EXCLUSIVE_NS, AT(adding->profile->work.exclusive, work));
    cells_add(cells, group, GROUP_SUM_NS, work_duration(adding->profile, work));
}

static void make_body(void *context, struct arena *scratch)
{
    struct making *making = context;
    const struct profile *profile = making->profile;
    struct kept *kept = making->kept;
    struct id_map map = {.arena = scratch};
    size_t count = 0, capacity = 0;
    uint32_t *group = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->work.count + 1);
    for (uint32_t w = 0; w < profile->work.count; w++) {
        if (!selection_has_work(profile, making->selection, w))
            continue;
        struct work_group own = group_of(making, w);
        struct id_key key = {(uint64_t)own.node << 32 | own.forward, own.function, 0};
        uint32_t *slot = id_map_slot(&map, key);
        if (!*slot) {
            *slot = (uint32_t)count + 1;
            ARENA_PUSH(making->arena, kept->items, count, capacity) = own;
        }
        group[w] = *slot - 1;
    }
    kept->count = (uint32_t)count;
    kept->cells =
        (struct cells){.groups = kept->count, .columns = GROUP_COLUMNS, .sums = GROUP_COLUMNS};
    cells_make_of_work(&kept->cells, profile, making->selection, add_work,
                       &(struct adding){profile, group}, making->arena, scratch);
}

static void *make(const struct profile *profile, const struct selection *selection,
                  struct arena *arena)
{
    struct making making = {profile, selection, ARENA_NEW(arena, struct kept), arena};
    scratch_run(arena, make_body, &making);
    return making.kept;
}

static const struct memo_kind kept_groups = {
    .fields = MEMO_PROCESS | MEMO_DEVICE | MEMO_FOLDED | MEMO_ADOPTION,
    .make = make,
};

struct work_groups work_groups_of(const struct profile *profile, const struct selection *selection,
                                  struct arena *arena)
{
    struct work_groups groups = {0};
    if (!selection_is_wide(selection) || !profile->tree || !HAS(profile->work.exclusive))
        return groups;
    const struct kept *kept = memo_get(&kept_groups, profile, selection, arena);
    if (!kept)
        return groups;
    groups.items = ARENA_ARRAY(arena, struct work_group, (size_t)kept->count + 1);
    int64_t *sums = ARENA_ARRAY(arena, int64_t, (size_t)kept->count * GROUP_COLUMNS + 1);
    cells_sum(&kept->cells, selection, sums, arena);
    for (uint32_t g = 0; g < kept->count; g++) {
        const int64_t *own = &sums[(size_t)g * GROUP_COLUMNS];
        if (own[GROUP_COUNT] == 0)
            continue;
        struct work_group *group = &groups.items[groups.count++];
        *group = kept->items[g];
        for (int c = 0; c < GROUP_COLUMNS; c++)
            group->figures[c] = own[c];
    }
    return groups;
}
