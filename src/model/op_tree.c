// SPDX-License-Identifier: Apache-2.0
#include "model/op_tree.h"

#include <string.h>

#include "base/sort.h"
#include "model/backward_pairs.h"
#include "model/scratch.h"
#include "model/tree_build.h"

enum { // places that a tree has: some and so many for each range and work, of which most share one
    NODES_LEAST = 1 << 18,
    NODES_EACH = 4,
};

struct build {
    struct profile *profile;
    struct arena *scratch;
    struct tree_nodes nodes;
    struct adoption adoption;
    // Of each range: itself or the nearest one around it that is a node, ROW_NONE; `user` passes
    // over those of libraries.
    uint32_t *host, *user;
    uint32_t *trace;    // marker of the nearest traceMarker around it, or ROW_NONE
    uint32_t *node;     // of each range that is a host
    uint32_t *module;   // of each range: FSDP::pre_forward whose module it runs in, or ROW_NONE
    bool *is_adopted;   // in a root range that was adopted
    struct id_map runs; // (layer range, op name) -> how often so far
};

static uint32_t host_of(const struct build *build, uint32_t range)
{
    return range == ROW_NONE ? ROW_NONE : build->host[range];
}

static void link_hosts(struct build *build)
{
    const struct profile *profile = build->profile;
    const struct ranges *ranges = &profile->ranges;
    for (uint32_t i = 0; i < ranges->count; i++) {
        uint32_t parent = ranges->parent[i];
        const struct marker *marker = range_marker(profile, i);
        bool is_node = marker_is_place(marker->kind) && !range_is_away(ranges, i);
        bool has_parent = parent != ROW_NONE;
        build->host[i] = is_node ? i : has_parent ? build->host[parent] : ROW_NONE;
        build->user[i] = is_node && marker->kind != MARKER_LIBRARY ? i
                         : has_parent                              ? build->user[parent]
                                                                   : ROW_NONE;
        build->trace[i] = marker->kind == MARKER_TRACE ? range_label(ranges, i)->marker
                          : has_parent                 ? build->trace[parent]
                                                       : ROW_NONE;
        // A traceMarker is about the op in it, not about what that op calls.
        if (has_parent && range_marker(profile, parent)->kind == MARKER_OP &&
            marker->kind != MARKER_TRACE)
            build->trace[i] = ROW_NONE;
    }
}

// ---- modules between FSDP::pre_forward (a.b) and FSDP::post_forward (a.b) ----------------------

// Whether a module path lies in another one, or is it.
static bool is_below(const char *path, const char *above)
{
    size_t length = strlen(above);
    return strncmp(path, above, length) == 0 && (path[length] == '.' || path[length] == 0);
}

// FSDP marks the beginning and the end of a module's forward by two ranges; what its thread does
// between them, side by side with them, is the module's. A module that never ends (an exception)
// ends where one that is not below it begins.
static void link_modules(struct build *build)
{
    const struct profile *profile = build->profile;
    const struct ranges *ranges = &profile->ranges;
    uint32_t *open = ARENA_ARRAY(build->scratch, uint32_t, ranges->count);
    size_t depth = 0;
    for (uint32_t i = 0; i < ranges->count; i++) {
        const struct marker *marker = range_marker(profile, i);
        while (depth && (ranges->thread[open[depth - 1]] != ranges->thread[i] ||
                         (ranges->parent[open[depth - 1]] != ROW_NONE &&
                          ranges->end[ranges->parent[open[depth - 1]]] <= ranges->start[i])))
            depth--;
        bool is_fsdp = marker->dialect == DIALECT_FSDP && marker->kind == MARKER_LAYER;
        const char *title = is_fsdp ? profile_text(profile, marker->title) : "";
        const char *path = is_fsdp ? profile_text(profile, marker->path) : "";
        bool begins = strcmp(title, "FSDP::pre_forward") == 0;
        bool ends = strcmp(title, "FSDP::post_forward") == 0;
        while (depth && (begins || ends) && ranges->parent[open[depth - 1]] == ranges->parent[i]) {
            const struct marker *last = range_marker(profile, open[depth - 1]);
            const char *module = profile_text(profile, last->path);
            if (is_below(path, module) && !(ends && strcmp(path, module) == 0))
                break;
            depth--;
            if (ends && strcmp(path, module) == 0)
                break;
        }
        if (depth && ranges->parent[open[depth - 1]] == ranges->parent[i])
            build->module[i] = open[depth - 1];
        if (begins)
            open[depth++] = i;
    }
}

// ---- ranges ------------------------------------------------------------------------------------

static void set_op(struct build *build, uint32_t range, uint32_t row)
{
    const struct profile *profile = build->profile;
    struct tree_node *node = &build->nodes.items[row];
    uint32_t instance = profile->ranges.instance ? profile->ranges.instance[range] : ROW_NONE;
    if (instance == ROW_NONE)
        return;
    uint32_t op = profile->ops->op[instance];
    if (node->op != ROW_NONE && node->op != op)
        node->has_several_ops = true;
    node->op = op;
}

// How many ops of this name the layer around it had before: they are told apart by (2), (3), ...
static uint32_t occurrence_of(struct build *build, uint32_t range, uint32_t parent)
{
    bool is_beside = build->module[range] != ROW_NONE; // of FSDP's ranges, not in them
    if (is_beside)
        parent = build->module[range];
    const struct profile *profile = build->profile;
    const struct ranges *ranges = &profile->ranges;
    const struct marker *marker = range_marker(profile, range);
    if (marker->kind != MARKER_OP)
        return 0;
    if (marker->dialect == DIALECT_DLPROF) {
        uint32_t instance = ranges->instance ? ranges->instance[range] : ROW_NONE;
        return instance == ROW_NONE ? 0
                                    : profile->ops->items[profile->ops->op[instance]].occurrence;
    }
    if (parent == ROW_NONE || range_marker(profile, parent)->kind != MARKER_LAYER)
        return 0;
    struct id_key key = {.a = (uint64_t)parent << 32 | marker->title, .b = is_beside};
    return (*id_map_slot(&build->runs, key))++;
}

static void place_range(struct build *build, uint32_t range)
{
    const struct ranges *ranges = &build->profile->ranges;
    const struct marker *marker = range_marker(build->profile, range);
    uint32_t parent = ranges->parent[range];
    if (parent != ROW_NONE)
        build->is_adopted[range] = build->is_adopted[parent];
    if (build->host[range] != range)
        return;
    if (parent != ROW_NONE)
        parent = marker->kind == MARKER_LIBRARY ? build->host[parent] : build->user[parent];
    uint32_t above = parent != ROW_NONE ? build->node[parent] : 0;
    uint32_t adopter = ROW_NONE;
    if (parent == ROW_NONE && build->adoption.of_range)
        adopter = build->adoption.of_range[range];
    if (adopter != ROW_NONE) {
        above = build->node[adopter];
        build->is_adopted[range] = true;
        struct tree_node *node = &build->nodes.items[above];
        if (!node->adopted_tid)
            node->adopted_tid = build->profile->threads[ranges->thread[range]].tid;
    }
    if (build->module[range] != ROW_NONE)
        above = tree_module_node(&build->nodes, above,
                                 range_label(ranges, build->module[range])->marker);
    uint32_t node = tree_range_node(&build->nodes, above, range_label(ranges, range)->marker,
                                    build->trace[range], occurrence_of(build, range, parent));
    build->node[range] = node;
    set_op(build, range, node);
}

static void place_ranges(struct build *build)
{
    const struct ranges *ranges = &build->profile->ranges;
    // By time over all threads: what adopts a range begins before it.
    uint32_t *order = sort_by_time(build->scratch, ranges->start, NULL, ranges->count);
    for (uint32_t i = 0; i < ranges->count; i++)
        place_range(build, order[i]);
    for (size_t i = 0; i < build->nodes.count; i++)
        if (build->nodes.items[i].has_several_ops)
            build->nodes.items[i].op = ROW_NONE;
}

static void place_work(struct build *build, uint32_t outside, uint32_t *node_of_work)
{
    struct profile *profile = build->profile;
    struct gpu_work *work = &profile->work;
    for (uint32_t i = 0; i < work->count; i++) {
        uint32_t call = work->launch[i];
        node_of_work[i] = outside;
        if (call == ROW_NONE)
            continue;
        uint32_t range = host_of(build, profile->api.range[call]);
        if (range != ROW_NONE) {
            node_of_work[i] = build->node[range];
            if (build->is_adopted[range])
                work->flags[i] |= WORK_ADOPTED;
            continue;
        }
        uint32_t adopter = build->adoption.of_call ? build->adoption.of_call[call] : ROW_NONE;
        if (adopter == ROW_NONE)
            continue;
        node_of_work[i] = build->node[adopter];
        work->flags[i] |= WORK_ADOPTED;
        struct tree_node *node = &build->nodes.items[node_of_work[i]];
        if (!node->adopted_tid)
            node->adopted_tid = profile->threads[profile->api.thread[call]].tid;
    }
}

// The forward op of work that runs below a backward node; NULL when nothing can be paired.
static uint32_t *pair_work(struct build *build)
{
    struct profile *profile = build->profile;
    const struct ranges *ranges = &profile->ranges;
    uint32_t *pairs = backward_pairs(profile, true, build->scratch);
    if (!pairs)
        return NULL;
    backward_pair_engines(profile, pairs);
    for (uint32_t i = 0; i < ranges->count; i++)
        if (pairs[i] == ROW_NONE && ranges->parent[i] != ROW_NONE)
            pairs[i] = pairs[ranges->parent[i]];
    uint32_t *forward = ARENA_ARRAY(profile->arena, uint32_t, profile->work.count);
    for (uint32_t i = 0; i < profile->work.count; i++) {
        uint32_t call = profile->work.launch[i];
        uint32_t range = call != ROW_NONE ? profile->api.range[call] : ROW_NONE;
        uint32_t pair = range != ROW_NONE ? host_of(build, pairs[range]) : ROW_NONE;
        forward[i] = pair != ROW_NONE ? build->node[pair] : ROW_NONE;
    }
    return forward;
}

// A column that outlives the build; NULL where there is none.
static uint32_t *rows_kept(struct profile *profile, const uint32_t *rows, uint32_t count)
{
    if (!rows || !count)
        return NULL;
    uint32_t *kept = ARENA_ARRAY(profile->arena, uint32_t, count);
    return memcpy(kept, rows, count * sizeof *kept);
}

static void build_tree(void *context, struct arena *scratch)
{
    struct profile *profile = context;
    struct ranges *ranges = &profile->ranges;
    struct gpu_work *work = &profile->work;
    struct build build = {.profile = profile, .scratch = scratch};
    struct tree_nodes *nodes = &build.nodes;
    nodes->profile = profile;
    nodes->most = NODES_LEAST + NODES_EACH * ((size_t)ranges->count + work->count);
    nodes->scratch = build.runs.arena = nodes->by_name.arena = nodes->by_range.arena = scratch;
    struct tree_node root = {.parent = ROW_NONE,
                             .kind = NODE_ROOT,
                             .marker = ROW_NONE,
                             .op = ROW_NONE,
                             .name = strings_intern_text(profile->strings, "(all)")};
    ARENA_PUSH(scratch, nodes->items, nodes->count, nodes->capacity) = root;

    uint32_t **const columns[] = {&build.host, &build.user, &build.trace, &build.node,
                                  &build.module};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        *columns[i] = ARENA_ARRAY(scratch, uint32_t, ranges->count);
        if (ranges->count)
            memset(*columns[i], 0xff, ranges->count * sizeof(uint32_t));
    }
    build.is_adopted = ARENA_ARRAY(scratch, bool, ranges->count);
    // A column of its own: whoever looks at an earlier stage must not see the flags change.
    uint8_t *flags = ARENA_ARRAY(profile->arena, uint8_t, work->count);
    if (work->flags && work->count)
        memcpy(flags, work->flags, work->count);
    work->flags = flags;
    uint32_t outside =
        tree_child(nodes, 0, strings_intern_text(profile->strings, "(outside ranges)"),
                   NODE_OUTSIDE, ROW_NONE);
    link_hosts(&build);
    link_modules(&build);
    build.adoption = adoption_find(profile, scratch);
    place_ranges(&build);
    work->node = ARENA_ARRAY(profile->arena, uint32_t, work->count);
    place_work(&build, outside, work->node);
    uint32_t *forward = pair_work(&build);
    uint32_t *node_of_range = ARENA_ARRAY(scratch, uint32_t, ranges->count);
    for (uint32_t i = 0; i < ranges->count; i++)
        node_of_range[i] = build.host[i] != ROW_NONE ? build.node[build.host[i]] : ROW_NONE;
    graph_capture_apply(nodes, &build.adoption, node_of_range, work->node);

    if (nodes->left_out)
        profile_note(profile, NOTE_WARNING, "tree_cut", nodes->left_out, NULL,
                     "the op tree ends at %zu places: what lies below counts to the place above",
                     nodes->count);

    uint32_t *number_of = ARENA_ARRAY(scratch, uint32_t, nodes->count);
    struct op_tree *tree = tree_finish(nodes, profile->arena, number_of);
    for (uint32_t i = 0; i < work->count; i++) {
        work->node[i] = number_of[work->node[i]];
        if (forward && forward[i] != ROW_NONE)
            forward[i] = number_of[forward[i]];
    }
    ranges->node = ARENA_ARRAY(profile->arena, uint32_t, ranges->count);
    for (uint32_t i = 0; i < ranges->count; i++)
        ranges->node[i] = build.host[i] == i ? number_of[build.node[i]] : ROW_NONE;
    work->forward_node = forward;
    ranges->adopter = rows_kept(profile, build.adoption.of_range, ranges->count);
    profile->api.adopter = rows_kept(profile, build.adoption.of_call, profile->api.count);
    profile->tree = tree;
    profile->folded_tree = tree_fold(profile, tree, scratch);
}

void op_tree_build(struct profile *profile)
{
    scratch_run(profile->arena, build_tree, profile);
}
