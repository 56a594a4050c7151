// SPDX-License-Identifier: Apache-2.0
// Builds the op tree: finds a node for each range, then for each piece of GPU work, then for the
// work of replayed graphs.
//
// The node of a range is a child of the node of its innermost enclosing range. A root range of an
// autograd thread has none; the range that adopts it (adoption.c) is used instead. Work has the
// node of the range around its launch. Library calls, such as cuBLAS ranges, have nodes, but
// ranges inside them are children of the enclosing range of the program.
#include "model/ops/op_tree.h"

#include <string.h>

#include "base/scratch.h"
#include "model/ops/backward_pairs.h"
#include "model/ops/tree_build.h"
#include "model/profile/range_walk.h"

// Limit of nodes: a constant plus a number for each range and piece of work, most of which share
// nodes.
enum {
    MIN_NODES = 1 << 18,
    NODES_PER_ROW = 4,
};

// An open range of the thread that is being walked, with the state that its children inherit.
struct open_range_entry {
    uint32_t range;
    uint32_t node;       // of the innermost range that has a node, possibly this one; ROW_NONE
    uint32_t user_range; // the innermost range that has a node and is not a library's; ROW_NONE
    uint32_t user_node;  // node of `user_range`
    uint32_t trace;      // marker of the nearest enclosing traceMarker, or ROW_NONE
    bool is_adopted;     // the root range was adopted
    bool is_op;
};

struct op_tree_builder {
    struct profile *profile;
    struct arena *scratch;
    struct tree_nodes nodes;
    struct adoption adoption;
    struct open_range_entry *open; // outermost first; thread t has [first_range, end_range)
    uint32_t *depth;               // per thread: number of open ranges
    uint32_t *node;                // per range: open_range_entry.node
    bool *is_adopted;              // per range: open_range_entry.is_adopted
    bool *repeats; // per range: a wrapper inside one of the same function; NULL: no wrappers
    // Per range: the FSDP::pre_forward whose module contains it + 1, 0: none; NULL: no FSDP.
    uint32_t *module;
    struct id_map runs; // (layer range, op name) -> number of runs so far
};

static uint32_t node_of(const struct op_tree_builder *build, uint32_t range)
{
    return range == ROW_NONE ? ROW_NONE : build->node[range];
}

// ---- modules between FSDP::pre_forward (a.b) and FSDP::post_forward (a.b) ----------------------

// Returns whether a module path is `above` or the path of a module inside it.
static bool is_below(const char *path, const char *above)
{
    size_t length = strlen(above);
    return strncmp(path, above, length) == 0 && (path[length] == '.' || path[length] == 0);
}

// FSDP marks the beginning and the end of a module's forward by two ranges. Their siblings between
// them belong to the module. If the second range is missing (after an exception), the module ends
// at the next beginning of a module that is not inside it.
static void link_modules(struct op_tree_builder *build)
{
    const struct profile *profile = build->profile;
    const struct ranges *ranges = &profile->ranges;
    bool any = false;
    for (uint32_t i = 0; i < profile->marker_count && !any; i++)
        any = profile->markers[i].dialect == DIALECT_FSDP;
    if (!any)
        return;
    build->module = ARENA_ARRAY(build->scratch, uint32_t, ranges->count);
    uint32_t *open = ARENA_ARRAY(build->scratch, uint32_t, ranges->count);
    size_t depth = 0;
    for (uint32_t i = 0; i < ranges->count; i++) {
        const struct marker *marker = range_marker(profile, i);
        while (depth &&
               (range_thread(ranges, open[depth - 1]) != range_thread(ranges, i) ||
                (AT(ranges->parent, open[depth - 1]) != ROW_NONE &&
                 AT(ranges->end, AT(ranges->parent, open[depth - 1])) <= AT(ranges->start, i))))
            depth--;
        bool is_fsdp = marker->dialect == DIALECT_FSDP && marker->kind == MARKER_LAYER;
        const char *title = is_fsdp ? profile_text(profile, marker->title) : "";
        const char *path = is_fsdp ? profile_text(profile, marker->path) : "";
        bool begins = strcmp(title, "FSDP::pre_forward") == 0;
        bool ends = strcmp(title, "FSDP::post_forward") == 0;
        while (depth && (begins || ends) &&
               AT(ranges->parent, open[depth - 1]) == AT(ranges->parent, i)) {
            const struct marker *last = range_marker(profile, open[depth - 1]);
            const char *module = profile_text(profile, last->path);
            if (is_below(path, module) && !(ends && strcmp(path, module) == 0))
                break;
            depth--;
            if (ends && strcmp(path, module) == 0)
                break;
        }
        if (depth && AT(ranges->parent, open[depth - 1]) == AT(ranges->parent, i))
            build->module[i] = open[depth - 1] + 1;
        if (begins)
            open[depth++] = i;
    }
}

// ---- ranges ------------------------------------------------------------------------------------

static void set_op(struct op_tree_builder *build, uint32_t range, uint32_t row)
{
    const struct profile *profile = build->profile;
    struct tree_node *node = &build->nodes.items[row];
    uint32_t instance =
        HAS(profile->ranges.instance) ? AT(profile->ranges.instance, range) : ROW_NONE;
    if (instance == ROW_NONE)
        return;
    uint32_t op = AT(profile->ops->op, instance);
    if (node->op != ROW_NONE && node->op != op)
        node->has_several_ops = true;
    node->op = op;
}

// Returns how many earlier ops of the enclosing layer have the name of this range. If it is not 0,
// a number is appended to the name: (2), (3), ...
static uint32_t occurrence_of(struct op_tree_builder *build, uint32_t range, uint32_t parent)
{
    // A sibling of FSDP's ranges, not their child.
    bool is_sibling = build->module && build->module[range];
    if (is_sibling)
        parent = build->module[range] - 1;
    const struct profile *profile = build->profile;
    const struct ranges *ranges = &profile->ranges;
    const struct marker *marker = range_marker(profile, range);
    if (marker->kind != MARKER_OP)
        return 0;
    if (marker->dialect == DIALECT_DLPROF) {
        uint32_t instance = HAS(ranges->instance) ? AT(ranges->instance, range) : ROW_NONE;
        return instance == ROW_NONE
                   ? 0
                   : profile->ops->items[AT(profile->ops->op, instance)].occurrence;
    }
    if (parent == ROW_NONE || range_marker(profile, parent)->kind != MARKER_LAYER)
        return 0;
    struct id_key key = {.a = (uint64_t)parent << 32 | marker->title, .b = is_sibling};
    return (*id_map_slot(&build->runs, key))++;
}

// Returns whether a range is a wrapper directly inside a wrapper of the same function. These are
// one place, and only the outermost counts as its run.
static bool repeats_wrapper(const struct op_tree_builder *build, uint32_t range, uint32_t above)
{
    const struct profile *profile = build->profile;
    const bool *wrappers = profile->ops->wrappers;
    return wrappers && above != ROW_NONE && wrappers[range] && wrappers[above] &&
           range_marker(profile, range)->title == range_marker(profile, above)->title;
}

// Makes the node of a range. `entry` has the state inherited from the enclosing range.
static void make_node(struct op_tree_builder *build, struct open_range_entry *entry)
{
    const struct ranges *ranges = &build->profile->ranges;
    uint32_t range = entry->range, marker = range_label(ranges, range)->marker;
    if (repeats_wrapper(build, range, entry->user_range)) {
        build->repeats[range] = true;
        entry->user_range = range;
        return;
    }
    bool is_library = build->profile->markers[marker].kind == MARKER_LIBRARY;
    uint32_t above = is_library ? entry->node : entry->user_node;
    uint32_t adopter = above == ROW_NONE && build->adoption.of_range
                           ? build->adoption.of_range[range] - 1
                           : ROW_NONE;
    if (adopter != ROW_NONE) {
        above = build->node[adopter];
        entry->is_adopted = true;
        struct tree_node *node = &build->nodes.items[above];
        if (!node->adopted_tid)
            node->adopted_tid = build->profile->threads[range_thread(ranges, range)].tid;
    }
    if (above == ROW_NONE)
        above = 0;
    if (build->module && build->module[range])
        above = tree_module_node(&build->nodes, above,
                                 range_label(ranges, build->module[range] - 1)->marker);
    entry->node = tree_range_node(&build->nodes, above, marker, entry->trace,
                                  occurrence_of(build, range, entry->user_range));
    set_op(build, range, entry->node);
    if (!is_library) {
        entry->user_range = range;
        entry->user_node = entry->node;
    }
}

static void add_range_node(struct op_tree_builder *build, uint32_t range)
{
    const struct ranges *ranges = &build->profile->ranges;
    const struct range_label *label = range_label(ranges, range);
    const struct marker *marker = &build->profile->markers[label->marker];
    uint32_t *depth = &build->depth[label->thread];
    struct open_range_entry *open =
        build->open + build->profile->threads[label->thread].first_range;
    struct open_range_entry entry = {ROW_NONE, ROW_NONE, ROW_NONE, ROW_NONE,
                                     ROW_NONE, false,    false};
    build->node[range] = ROW_NONE;
    if (label->ending == RANGE_CROSS_THREAD)
        return; // has neither parent nor children
    uint32_t parent = AT(ranges->parent, range);
    while (*depth && open[*depth - 1].range != parent)
        --*depth;
    if (*depth)
        entry = open[*depth - 1];
    entry.range = range;
    // A traceMarker describes the op in it, not what that op calls.
    if (marker->kind == MARKER_TRACE)
        entry.trace = label->marker;
    else if (entry.is_op)
        entry.trace = ROW_NONE;
    entry.is_op = marker->kind == MARKER_OP;
    if (marker_is_place(marker->kind))
        make_node(build, &entry);
    build->node[range] = entry.node;
    if (entry.is_adopted)
        build->is_adopted[range] = true;
    open[(*depth)++] = entry;
}

static void add_range_nodes(struct op_tree_builder *build)
{
    const struct ranges *ranges = &build->profile->ranges;
    // In time order over all threads: an adopter starts before the range that it adopts.
    struct range_walk walk;
    range_walk_open(&walk, build->profile, 0, 1, NULL, build->scratch);
    build->open = ARENA_ARRAY(build->scratch, struct open_range_entry, ranges->count);
    build->depth = ARENA_ARRAY(build->scratch, uint32_t, build->profile->thread_count);
    for (uint32_t row; (row = range_walk_next(&walk)) != ROW_NONE;)
        add_range_node(build, row);
    for (size_t i = 0; i < build->nodes.count; i++)
        if (build->nodes.items[i].has_several_ops)
            build->nodes.items[i].op = ROW_NONE;
}

static void find_work_nodes(struct op_tree_builder *build, uint32_t outside, uint32_t *node_of_work,
                            uint32_t *flags)
{
    struct profile *profile = build->profile;
    const struct gpu_work *work = &profile->work;
    for (uint32_t i = 0; i < work->count; i++) {
        uint32_t call = AT(work->launch, i);
        node_of_work[i] = outside;
        uint32_t range = work_range(profile, i), node = node_of(build, range);
        if (node != ROW_NONE) {
            node_of_work[i] = node;
            if (build->is_adopted[range])
                flags[i] |= WORK_ADOPTED;
            continue;
        }
        uint32_t adopter = call != ROW_NONE && build->adoption.of_call
                               ? build->adoption.of_call[call] - 1
                               : ROW_NONE;
        if (adopter == ROW_NONE)
            continue;
        node_of_work[i] = build->node[adopter];
        flags[i] |= WORK_ADOPTED;
        struct tree_node *above = &build->nodes.items[node_of_work[i]];
        if (!above->adopted_tid)
            above->adopted_tid = profile->threads[AT(profile->api.thread, call)].tid;
    }
}

// Returns per piece of work the node of the forward range whose backward launched it, or ROW_NONE.
// Returns NULL if no backward is paired with a forward.
static uint32_t *pair_work(const struct op_tree_builder *build, const uint32_t *pairs)
{
    const struct profile *profile = build->profile;
    if (!pairs)
        return NULL;
    uint32_t *forward = ARENA_ARRAY(build->scratch, uint32_t, profile->work.count);
    for (uint32_t i = 0; i < profile->work.count; i++) {
        uint32_t range = work_op_range(profile, i);
        forward[i] = range != ROW_NONE ? node_of(build, pairs[range] - 1) : ROW_NONE;
    }
    return forward;
}

struct tree_inputs tree_inputs_find(const struct profile *profile, struct arena *arena)
{
    struct tree_inputs inputs = {adoption_find(profile, arena),
                                 backward_pairs(profile, true, arena)};
    if (!inputs.pairs)
        return inputs;
    backward_pair_descendants(profile, inputs.pairs);
    return inputs;
}

struct tree_job {
    struct profile *profile;
    const struct tree_inputs *inputs; // NULL: computed here
};

static void build_tree(void *context, struct arena *scratch)
{
    const struct tree_job *job = context;
    struct profile *profile = job->profile;
    struct ranges *ranges = &profile->ranges;
    struct gpu_work *work = &profile->work;
    struct op_tree_builder build = {.profile = profile, .scratch = scratch};
    struct tree_nodes *nodes = &build.nodes;
    nodes->profile = profile;
    nodes->limit = MIN_NODES + NODES_PER_ROW * ((size_t)ranges->count + work->count);
    nodes->scratch = build.runs.arena = nodes->by_name.arena = nodes->by_range.arena = scratch;
    struct tree_node root = {.parent = ROW_NONE,
                             .kind = NODE_ROOT,
                             .marker = ROW_NONE,
                             .op = ROW_NONE,
                             .name = strings_intern_text(profile->strings, "(all)")};
    ARENA_PUSH(scratch, nodes->items, nodes->count, nodes->capacity) = root;

    build.node = ARENA_ARRAY(scratch, uint32_t, ranges->count);
    build.is_adopted = ARENA_ARRAY(scratch, bool, ranges->count);
    if (profile->ops->wrappers)
        build.repeats = ARENA_ARRAY(scratch, bool, ranges->count);
    uint32_t *flags = column32_unpack(scratch, work->flags, work->count);
    uint32_t outside =
        tree_child(nodes, 0, strings_intern_text(profile->strings, "(outside ranges)"),
                   NODE_OUTSIDE, ROW_NONE);
    link_modules(&build);
    struct tree_inputs inputs = job->inputs ? *job->inputs : tree_inputs_find(profile, scratch);
    build.adoption = inputs.adoption;
    add_range_nodes(&build);
    uint32_t *node_of_work = ARENA_ARRAY(scratch, uint32_t, work->count);
    find_work_nodes(&build, outside, node_of_work, flags);
    uint32_t *forward = pair_work(&build, inputs.pairs);
    graph_capture_apply(nodes, &build.adoption, build.node, node_of_work, flags);

    if (nodes->left_out)
        profile_note(profile, NOTE_WARNING, "tree_cut", nodes->left_out, NULL,
                     "the op tree ends at %zu places: what lies below counts to the place above",
                     nodes->count);

    uint32_t *number_of = ARENA_ARRAY(scratch, uint32_t, nodes->count);
    struct op_tree *tree = tree_finish(nodes, profile->arena, number_of);
    for (uint32_t i = 0; i < work->count; i++) {
        node_of_work[i] = number_of[node_of_work[i]];
        if (forward && forward[i] != ROW_NONE)
            forward[i] = number_of[forward[i]];
    }
    // Ranges without a node of their own still have that of an enclosing range.
    for (uint32_t i = 0; i < ranges->count; i++) {
        bool is_place = label_is_place(profile, &ranges->labels[AT(ranges->label, i)]) &&
                        !(build.repeats && build.repeats[i]);
        build.node[i] = is_place ? number_of[build.node[i]] : ROW_NONE;
    }
    work->node = profile_pack32(profile, node_of_work, work->count);
    work->flags = profile_pack32(profile, flags, work->count);
    if (forward)
        work->forward_node = profile_pack32(profile, forward, work->count);
    ranges->node = profile_pack32(profile, build.node, ranges->count);
    if (build.adoption.of_range) {
        ranges->adopter = profile_pack32(profile, build.adoption.of_range, ranges->count);
        profile->api.adopter = profile_pack32(profile, build.adoption.of_call, profile->api.count);
    }
    profile->tree = tree;
    profile->folded_tree = tree_fold(profile, tree, scratch);
}

void op_tree_build_from(struct profile *profile, const struct tree_inputs *inputs)
{
    struct tree_job job = {profile, inputs};
    scratch_run(profile->arena, build_tree, &job);
}

void op_tree_build(struct profile *profile)
{
    op_tree_build_from(profile, NULL);
}
