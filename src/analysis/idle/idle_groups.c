// SPDX-License-Identifier: Apache-2.0
// Idle time grouped by (node of the op tree, name of the evidence, cause, kind). The memo has a
// table of all groups with partial sums per step; a selection adds up its steps.
#include "analysis/idle/idle_groups.h"

#include "analysis/breakdown/gpu_windows.h"
#include "analysis/idle/idle_text.h"
#include "analysis/report/memo.h"
#include "analysis/report/partial_sums.h"
#include "base/scratch.h"

struct idle_group_table {
    uint32_t count;
    struct idle_group *items; // without figures
    struct partial_sums partial;
    // [step * IDLE_CAUSES + cause]: length of the longest piece, ns; the last step is all time
    int64_t *longest;
};

struct idle_group_build {
    const struct profile *profile;
    const struct selection *selection;
    struct idle_group_table *table;
    struct arena *arena, *scratch;
    uint32_t **group_of; // [device][part]
    struct id_map map;
    size_t capacity;
    struct partial_sums_builder builder;
    // [group * IDLE_COLUMNS + column]: figures of all time, less those of all steps
    int64_t *outside_steps;
    int64_t *longest;
    bool is_all_time;
};

// Returns the row of the group that a part belongs to.
static uint32_t find_or_add_group(struct idle_group_build *build, const struct idle_part *part)
{
    const struct profile *profile = build->profile;
    struct idle_group group = {
        .node = idle_node(profile, build->selection, part),
        .name = idle_evidence_name(profile, build->selection, part),
        .cause = part->cause,
        .kind = part->kind,
    };
    struct id_key key = {(uint64_t)group.node << 32 | group.name, group.cause, group.kind};
    uint32_t *slot = id_map_slot(&build->map, key);
    if (!*slot) {
        size_t count = build->table->count;
        *slot = (uint32_t)count + 1;
        ARENA_PUSH(build->arena, build->table->items, count, build->capacity) = group;
        build->table->count = (uint32_t)count;
    }
    return *slot - 1;
}

static void find_groups(struct idle_group_build *build, const struct idle *idle)
{
    const struct profile *profile = build->profile;
    build->group_of = ARENA_ARRAY(build->scratch, uint32_t *, (size_t)profile->device_count + 1);
    for (uint32_t d = 0; d < profile->device_count; d++) {
        build->group_of[d] = ARENA_ARRAY(build->scratch, uint32_t, idle[d].count + 1);
        for (size_t p = 0; p < idle[d].count; p++) {
            struct idle_part part = idle_part_at(&idle[d], p);
            build->group_of[d][p] = find_or_add_group(build, &part);
        }
    }
}

// Adds a piece to the partial sums of the current step, or to the sums of all time.
static void add_piece(void *context, const struct idle_piece *piece)
{
    struct idle_group_build *build = context;
    uint32_t group = build->group_of[piece->device][piece->index];
    int64_t ns = piece->to - piece->from;
    const int64_t figures[IDLE_COLUMNS] = {
        [IDLE_NS] = ns, [IDLE_INFERRED_NS] = piece->part.is_inferred ? ns : 0, [IDLE_PARTS] = 1};
    int64_t *longest = &build->longest[piece->part.cause];
    *longest = ns > *longest ? ns : *longest;
    for (uint32_t c = 0; c < IDLE_COLUMNS; c++) {
        build->outside_steps[(size_t)group * IDLE_COLUMNS + c] +=
            build->is_all_time ? figures[c] : -figures[c];
        if (!build->is_all_time && figures[c])
            partial_sums_add(&build->builder, group, c, figures[c]);
    }
}

static void build_group_table(void *context, struct arena *scratch)
{
    struct idle_group_build *build = context;
    const struct profile *profile = build->profile;
    const struct selection *selection = build->selection;
    struct idle_group_table *table = build->table;
    uint32_t step_count = selection->split->count + 1;
    build->scratch = build->map.arena = scratch;
    const struct idle *idle = idle_of(profile, selection, scratch);
    find_groups(build, idle);
    bool *is_counted = ARENA_ARRAY(scratch, bool, (size_t)profile->device_count + 1);
    for (uint32_t d = 0; d < profile->device_count; d++)
        is_counted[d] = idle[d].count > 0 && gpu_counts(profile, selection, d);
    build->outside_steps = ARENA_ARRAY(scratch, int64_t, ((size_t)table->count + 1) * IDLE_COLUMNS);
    table->longest = ARENA_ARRAY(build->arena, int64_t, (size_t)step_count * IDLE_CAUSES);
    table->partial = (struct partial_sums){.groups = table->count,
                                           .columns = IDLE_COLUMNS,
                                           .sums = IDLE_COLUMNS,
                                           .threads = profile->workers,
                                           .step_count = step_count};
    build->builder = partial_sums_begin(&table->partial, build->arena, scratch);
    for (uint32_t i = 0; i + 1 < step_count; i++) {
        build->longest = table->longest + (size_t)i * IDLE_CAUSES;
        for (uint32_t d = 0; d < profile->device_count; d++)
            if (is_counted[d])
                idle_step_each(profile, selection, idle, d, i, add_piece, build);
        partial_sums_step(&build->builder, i);
    }
    build->is_all_time = true;
    build->longest = table->longest + (size_t)(step_count - 1) * IDLE_CAUSES;
    idle_each(profile, selection, idle, add_piece, build);
    for (uint32_t g = 0; g < table->count; g++)
        for (uint32_t c = 0; c < IDLE_COLUMNS; c++)
            if (build->outside_steps[(size_t)g * IDLE_COLUMNS + c])
                partial_sums_add(&build->builder, g, c,
                                 build->outside_steps[(size_t)g * IDLE_COLUMNS + c]);
    partial_sums_step(&build->builder, step_count - 1);
    partial_sums_end(&build->builder);
}

static void *make_group_table(const struct profile *profile, const struct selection *selection,
                              struct arena *arena)
{
    struct idle_group_table *table = ARENA_NEW(arena, struct idle_group_table);
    struct idle_group_build build = {
        .profile = profile, .selection = selection, .table = table, .arena = arena};
    scratch_run(arena, build_group_table, &build);
    return table;
}

// ---- sums --------------------------------------------------------------------------------------

struct idle_group_query {
    const struct profile *profile;
    const struct selection *selection;
    const struct idle_group_table *table;
    struct arena *arena;
    struct idle_groups groups;
};

static bool group_is_selected(const struct idle_group_query *query, const struct idle_group *group)
{
    const struct selection *selection = query->selection;
    if (selection->idle_cause != ROW_NONE && group->cause != selection->idle_cause)
        return false;
    return selection->node == ROW_NONE ||
           (group->node >= selection->node &&
            group->node < selection_tree(query->profile, selection)->subtree_end[selection->node]);
}

static void longest_piece(void *context, const struct idle_piece *piece)
{
    struct idle_groups *groups = context;
    int64_t *longest = &groups->longest_ns[piece->part.cause], ns = piece->to - piece->from;
    *longest = ns > *longest ? ns : *longest;
}

static void find_longest(struct idle_group_query *query, struct arena *scratch)
{
    const struct selection *selection = query->selection;
    int64_t *longest = query->groups.longest_ns;
    if (selection->node != ROW_NONE) { // the table has only the maxima over all nodes
        idle_each(query->profile, selection, idle_of(query->profile, selection, scratch),
                  longest_piece, &query->groups);
        return;
    }
    // Without a set of steps only the entry of all time is read: there a piece that extends over
    // two steps is not cut.
    uint32_t all_time = selection->split->count;
    for (uint32_t i = selection->iterations ? 0 : all_time; i < all_time + !selection->iterations;
         i++)
        for (int c = 0; c < IDLE_CAUSES && partial_sums_has_step(selection, i); c++) {
            int64_t ns = query->table->longest[(size_t)i * IDLE_CAUSES + (size_t)c];
            longest[c] = ns > longest[c] ? ns : longest[c];
        }
}

static void sum_groups(void *context, struct arena *scratch)
{
    struct idle_group_query *query = context;
    const struct idle_group_table *table = query->table;
    struct idle_groups *groups = &query->groups;
    int64_t *sums = ARENA_ARRAY(scratch, int64_t, ((size_t)table->count + 1) * IDLE_COLUMNS);
    partial_sums_total(&table->partial, query->selection, sums, scratch);
    groups->items = ARENA_ARRAY(query->arena, struct idle_group, (size_t)table->count + 1);
    for (uint32_t g = 0; g < table->count; g++) {
        const int64_t *figures = sums + (size_t)g * IDLE_COLUMNS;
        if (figures[IDLE_NS] == 0 || !group_is_selected(query, &table->items[g]))
            continue;
        struct idle_group *group = &groups->items[groups->count++];
        *group = table->items[g];
        for (int c = 0; c < IDLE_COLUMNS; c++)
            group->figures[c] = figures[c];
    }
    find_longest(query, scratch);
}

struct idle_groups idle_groups_of(const struct profile *profile, const struct selection *selection,
                                  struct arena *arena)
{
    static const struct memo_kind kind = {.fields = MEMO_PROCESS | MEMO_DEVICE | MEMO_FOLDED |
                                                    MEMO_ADOPTION | MEMO_NAMES,
                                          .make = make_group_table};
    struct idle_group_query query = {.profile = profile,
                                     .selection = selection,
                                     .table = memo_require(&kind, profile, selection, arena),
                                     .arena = arena};
    scratch_run(arena, sum_groups, &query);
    return query.groups;
}

struct idle_sum *idle_by_node(const struct profile *profile, const struct selection *selection,
                              struct arena *arena)
{
    const struct op_tree *tree = selection_tree(profile, selection);
    struct selection whole = *selection;
    whole.node = ROW_NONE;
    whole.idle_cause = ROW_NONE;
    struct idle_sum *idle = ARENA_ARRAY(arena, struct idle_sum, tree->count);
    struct idle_groups groups = idle_groups_of(profile, &whole, arena);
    for (uint32_t g = 0; g < groups.count; g++) {
        const struct idle_group *group = &groups.items[g];
        idle[group->node].ns[group->cause] += group->figures[IDLE_NS];
        idle[group->node].idle_ns += group->figures[IDLE_NS];
    }
    for (uint32_t n = tree->count; n-- > 1;) {
        struct idle_sum *parent = &idle[tree->parent[n]];
        parent->idle_ns += idle[n].idle_ns;
        for (int c = 0; c < IDLE_CAUSES; c++)
            parent->ns[c] += idle[n].ns[c];
    }
    return idle;
}
