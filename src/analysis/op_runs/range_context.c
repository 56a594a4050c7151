// SPDX-License-Identifier: Apache-2.0
// Contexts of ranges, see range_context.h for the terms. First every label is given a role. The
// ranges whose context is needed are marked: those that directly enclose launches, their enclosing
// ranges, and the forwards of nodes. Then one pass over the ranges builds the contexts.
#include "analysis/op_runs/range_context.h"

#include <string.h>

#include "analysis/op_runs/forward_runs.h"
#include "base/id_map.h"
#include "base/scratch.h"
#include "model/markers/markers.h"
#include "model/ops/reruns.h"
#include "model/rules/formula.h"

enum { MAX_LAYERS = 32 }; // nesting depth; layers below it are ignored

enum context_role { // of a range, by its text
    ROLE_NONE,
    ROLE_MARKER, // PyProf's, for an op that has a formula
    ROLE_OTHER,  // PyProf's, for an op without one
    ROLE_SHELL,  // only wraps ops
    ROLE_ATEN,   // an op by PyTorch's own range; also ops of other frameworks
    ROLE_NODE,
    ROLE_CHECKPOINT,
    ROLE_ENGINE,
    ROLE_TRACE,
    ROLE_PYTHON, // only shows that Python code runs here
    ROLE_LAYER,
    ROLE_OPTIMIZER,
};

struct context_label_role {
    uint8_t role;
    bool is_optimizer; // in addition to the role
    bool is_backward;  // the file itself calls the op a backward, as DLProf's database does
    bool is_sum;
    bool is_sized; // has a formula and records its sizes
    bool serves;   // some op calls it to do its work (formula_serves())
    bool is_pyprof_backward;
    string_id layer;
};

struct context_build {
    struct range_contexts *contexts;
    const struct profile *profile;
    struct context_label_role *roles; // [label]
    struct formula_evaluator *formulas;
    bool has_nodes;
    uint8_t *flags;      // [range], enum context_flag; only if there are nodes
    uint8_t *reruns;     // [range], from reruns_find()
    struct stray_range { // a range in which the engine accumulates, right after a node
        uint32_t range, node;
    } * strays; // ascending by range
    size_t stray_count, stray_capacity;
    uint32_t *nodes; // nodes whose forward is needed
    size_t node_count, node_capacity;
    struct id_map layers;
    struct arena *scratch;
};

enum { NEEDED_INDIRECTLY = 1, NEEDED_ITSELF = 2 }; // values of of_range until make_items()

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

// True for markers of PyProf that only call other ops: attention as a whole, apply and backward of
// a Function, user functions and modules. Cells of RNNs run as one op and are not shells.
static bool is_shell(const struct profile *profile, const struct marker *marker)
{
    static const char *const shells[] = {
        "multi_head_attention_forward", "apply", "backward", "checkpoint", "step", "__call__"};
    const char *op = profile_text(profile, marker->type);
    if (strcmp(op, "forward") == 0) {
        const char *module = profile_text(profile, marker->module);
        return !ends_with(module, "Cell") && strcmp(module, "RNN") != 0 &&
               strcmp(module, "LSTM") != 0 && strcmp(module, "GRU") != 0;
    }
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(op, shells[i]) == 0)
            return true;
    return false;
}

static bool is_optimizer_op(const struct profile *profile, const struct marker *marker)
{
    const char *type = profile_text(profile, marker->type);
    const char *module = profile_text(profile, marker->module);
    return strncmp(type, "_fused_adam", 11) == 0 || strncmp(type, "_fused_sgd", 10) == 0 ||
           strncmp(type, "_fused_adagrad", 14) == 0 || strncmp(type, "_foreach_", 9) == 0 ||
           strcmp(module, "fused_adam_cuda") == 0;
}

static bool has_formula(const struct context_build *build, const struct marker *marker)
{
    return formula_has_row(build->formulas, profile_text(build->profile, marker->module),
                           profile_text(build->profile, marker->title));
}

static enum context_role role_of_op(const struct context_build *build, const struct marker *marker)
{
    if (marker->dialect != DIALECT_DLPROF)
        return ROLE_ATEN;
    return has_formula(build, marker)         ? ROLE_MARKER
           : is_shell(build->profile, marker) ? ROLE_SHELL
                                              : ROLE_OTHER;
}

static enum context_role role_of_kind(const struct context_build *build,
                                      const struct marker *marker)
{
    switch (marker->kind) {
    case MARKER_OP:
        return role_of_op(build, marker);
    case MARKER_ENGINE:
        return ROLE_ENGINE;
    case MARKER_BACKWARD:
        return strstr(profile_text(build->profile, marker->title), "CheckpointFunctionBackward")
                   ? ROLE_CHECKPOINT
                   : ROLE_NODE;
    case MARKER_TRACE:
        return ROLE_TRACE;
    case MARKER_REPR:
        return ROLE_PYTHON;
    case MARKER_OPTIMIZER:
        return ROLE_OPTIMIZER;
    default:
        return ROLE_NONE;
    }
}

static struct context_label_role role_of(const struct context_build *build,
                                         const struct range_label *label)
{
    const struct profile *profile = build->profile;
    if (label->marker >= profile->marker_count) // no stored range has this label
        return (struct context_label_role){.role = ROLE_NONE};
    const struct marker *marker = &profile->markers[label->marker];
    const char *text = profile_text(profile, label->name);
    struct context_label_role role = {.role = (uint8_t)role_of_kind(build, marker)};
    if (marker->kind == MARKER_LAYER || strncmp(text, "layer:", 6) == 0) {
        role.role = ROLE_LAYER;
        role.layer = marker->kind == MARKER_LAYER ? marker->path : marker->title;
    }
    role.is_optimizer = marker->kind == MARKER_OP && is_optimizer_op(profile, marker);
    role.is_backward = marker->kind == MARKER_OP && marker->is_backward;
    role.is_sum =
        marker->kind == MARKER_OP && strcmp(profile_text(profile, marker->type), "sum") == 0;
    role.is_sized = role.role == ROLE_ATEN && marker->argument_count && has_formula(build, marker);
    role.serves = role.is_sized &&
                  formula_serves(build->formulas, profile_text(profile, marker->title), NULL);
    if (marker->kind == MARKER_TRACE) {
        const char *stack = profile_text(profile, marker->stack);
        role.is_optimizer = strstr(stack, "/torch/optim/") || strstr(stack, "/apex/optimizers/");
    }
    role.is_pyprof_backward = label->has_seq && role.role != ROLE_CHECKPOINT &&
                              (ends_with(text, "Backward") || ends_with(text, "backward") ||
                               ends_with(text, "Backward0"));
    return role;
}

static const struct context_label_role *role_at(const struct context_build *build, uint32_t range)
{
    return &build->roles[AT(build->profile->ranges.label, range)];
}

// Marks a range and the ranges that enclose it: their contexts are needed to derive others.
static void mark_needed(const struct context_build *build, uint32_t range)
{
    uint32_t *of_range = build->contexts->of_range;
    for (; range != ROW_NONE && !of_range[range]; range = AT(build->profile->ranges.parent, range))
        of_range[range] = NEEDED_INDIRECTLY;
}

// Marks a range whose context will be read.
static void mark_needed_itself(const struct context_build *build, uint32_t range)
{
    mark_needed(build, range);
    if (range != ROW_NONE)
        build->contexts->of_range[range] = NEEDED_ITSELF;
}

static void mark_launches(const struct context_build *build)
{
    const struct profile *profile = build->profile;
    for (uint32_t work = 0; work < profile->work.count; work++) {
        uint32_t call = AT(profile->work.launch, work);
        if (call != ROW_NONE &&
            profile->functions[AT(profile->work.function, work)].kind == WORK_KERNEL)
            mark_needed_itself(build, work_op_range(profile, work));
    }
}

static bool is_rerun(const struct context_build *build, uint32_t row)
{
    return build->reruns && build->reruns[row];
}

// True for a rerun that no other rerun encloses.
static bool begins_rerun(const struct context_build *build, uint32_t row)
{
    return is_rerun(build, row) && !is_rerun(build, AT(build->profile->ranges.parent, row));
}

// Returns the flags of a range, given those of the enclosing range.
static uint8_t flags_inside(const struct context_build *build, uint32_t row, uint8_t flags)
{
    enum { PASS_FLAGS = CONTEXT_BACKWARD | CONTEXT_RECOMPUTE };
    const struct context_label_role *role = role_at(build, row);
    if (begins_rerun(build, row))
        flags = (uint8_t)((flags & ~(PASS_FLAGS | CONTEXT_PYTHON)) | CONTEXT_RECOMPUTE);
    if (role->role == ROLE_NODE || role->role == ROLE_ENGINE)
        flags = (uint8_t)((flags & ~(PASS_FLAGS | CONTEXT_PYTHON)) | CONTEXT_BACKWARD);
    else if (role->role == ROLE_CHECKPOINT)
        flags = (uint8_t)((flags & ~(PASS_FLAGS | CONTEXT_PYTHON)) | CONTEXT_RECOMPUTE);
    else if (role->role != ROLE_NONE && role->role != ROLE_ATEN)
        flags |= CONTEXT_PYTHON;
    if (role->is_backward)
        flags |= CONTEXT_BACKWARD;
    if (role->is_optimizer || role->role == ROLE_OPTIMIZER)
        flags |= CONTEXT_OPTIMIZER;
    // A layer in an optimizer's step: the step runs the model in a closure.
    if (role->role == ROLE_LAYER)
        flags = (uint8_t)(flags & ~CONTEXT_OPTIMIZER);
    if (role->is_pyprof_backward)
        flags |= CONTEXT_PYPROF;
    return flags;
}

// Computes the flags of every range and which threads belong to the engine: threads that run nodes
// and, outside of nodes, no op with a sequence number.
static void classify_threads(struct context_build *build)
{
    const struct profile *profile = build->profile;
    const struct ranges *ranges = &profile->ranges;
    uint8_t *has_forward = ARENA_ARRAY(build->scratch, uint8_t, profile->thread_count + 1);
    uint8_t *has_nodes = build->contexts->is_engine_thread;
    build->flags = ARENA_ARRAY(build->scratch, uint8_t, ranges->count);
    for (uint32_t row = 0; row < ranges->count; row++) {
        const struct range_label *label = range_label(ranges, row);
        if (label->ending == RANGE_CROSS_THREAD)
            continue;
        const struct context_label_role *role = role_at(build, row);
        uint32_t parent = AT(ranges->parent, row);
        uint8_t flags = flags_inside(build, row, parent == ROW_NONE ? 0 : build->flags[parent]);
        build->flags[row] = flags;
        if (role->role == ROLE_NODE || role->role == ROLE_ENGINE)
            has_nodes[label->thread] = 1;
        else if (label->has_seq && !(flags & (CONTEXT_BACKWARD | CONTEXT_RECOMPUTE)) &&
                 AT(ranges->seq, row) > 0)
            has_forward[label->thread] = 1;
    }
    for (uint32_t thread = 0; thread < profile->thread_count; thread++)
        has_nodes[thread] = has_nodes[thread] && !has_forward[thread];
}

// True for a range of an engine thread that belongs to no node.
static bool is_stray(const struct context_build *build, uint32_t row)
{
    const struct ranges *ranges = &build->profile->ranges;
    uint32_t parent = AT(ranges->parent, row);
    if (parent != ROW_NONE && role_at(build, parent)->role == ROLE_ENGINE)
        return true;
    uint8_t flags = build->flags[row];
    if (flags & (CONTEXT_BACKWARD | CONTEXT_PYTHON))
        return false;
    return flags & CONTEXT_RECOMPUTE ||
           build->contexts->is_engine_thread[range_thread(ranges, row)];
}

// True for the engine's own work right after a node: a sum that reduces a gradient to the shape of
// its input. (An addition combines gradients of several nodes and belongs to none.)
static bool follows_node(const struct context_build *build, uint32_t row, uint32_t node)
{
    const struct ranges *ranges = &build->profile->ranges;
    return node != ROW_NONE && role_at(build, row)->is_sum &&
           range_thread(ranges, node) == range_thread(ranges, row) &&
           AT(ranges->parent, node) == AT(ranges->parent, row) &&
           AT(ranges->end, node) <= AT(ranges->start, row) && is_stray(build, row);
}

static void add_node(struct context_build *build, uint32_t node)
{
    if (range_seq(&build->profile->ranges, node) >= 0)
        ARENA_PUSH(build->scratch, build->nodes, build->node_count, build->node_capacity) = node;
}

// Collects the needed nodes, and the engine's sums that follow them.
static void find_nodes(struct context_build *build)
{
    const struct ranges *ranges = &build->profile->ranges;
    const uint32_t *of_range = build->contexts->of_range;
    uint32_t last_node = ROW_NONE;
    for (uint32_t row = 0; row < ranges->count; row++) {
        if (range_is_cross_thread(ranges, row))
            continue;
        enum context_role role = (enum context_role)role_at(build, row)->role;
        if (role == ROLE_NODE || role == ROLE_CHECKPOINT) {
            last_node = row;
            if (of_range[row])
                add_node(build, row);
        } else if (role != ROLE_ENGINE && of_range[row] && follows_node(build, row, last_node)) {
            ARENA_PUSH(build->scratch, build->strays, build->stray_count, build->stray_capacity) =
                (struct stray_range){row, last_node};
            if (!of_range[last_node])
                add_node(build, last_node);
            mark_needed(build, last_node);
        }
    }
}

// True if a range may be the forward of a node. Up to PyTorch 1.5 every range in the backward has
// number 0, as does the first op of a program.
static bool is_forward(void *context, uint32_t row)
{
    const struct context_build *build = context;
    const struct context_label_role *role = role_at(build, row);
    if (role->role == ROLE_NODE || role->role == ROLE_ENGINE || role->role == ROLE_CHECKPOINT ||
        is_rerun(build, row))
        return false;
    uint8_t flags = build->flags[row];
    return range_seq(&build->profile->ranges, row) != 0 ||
           (!(flags & CONTEXT_BACKWARD) && !is_stray(build, row));
}

static void find_forwards(void *context, struct arena *scratch)
{
    struct context_build *build = context;
    forward_runs_find(build->profile, build->nodes, build->node_count, is_forward, build,
                      build->contexts->forward, scratch);
}

static void pair_nodes(struct context_build *build)
{
    struct range_contexts *contexts = build->contexts;
    scratch_run(build->scratch, find_forwards, build);
    for (size_t i = 0; i < build->node_count; i++) {
        uint32_t forward = contexts->forward[build->nodes[i]];
        if (!forward)
            continue;
        contexts->is_partner[forward - 1] = 1;
        mark_needed_itself(build, forward - 1);
    }
}

// True if a dotted path extends `outer`, as `layers.0.attn` extends `layers.0`.
static bool path_extends(const struct profile *profile, string_id path, string_id outer)
{
    const char *text = profile_text(profile, path), *outer_text = profile_text(profile, outer);
    size_t length = strlen(outer_text);
    return length && strncmp(text, outer_text, length) == 0 && text[length] == '.';
}

// Returns the row of the layer `name` inside the layer `outer`.
static uint32_t layer_inside(struct context_build *build, uint32_t outer, string_id name)
{
    struct range_contexts *contexts = build->contexts;
    if (path_extends(build->profile, name, contexts->layers[outer].name))
        outer = contexts->layers[outer].outer;
    if (contexts->layers[outer].depth == MAX_LAYERS)
        return outer;
    uint32_t *slot = id_map_slot(&build->layers, (struct id_key){.a = outer, .b = name});
    if (!*slot) {
        *slot = (uint32_t)contexts->layer_count + 1;
        struct layer_path path = {outer, contexts->layers[outer].depth + 1, name};
        ARENA_PUSH(build->scratch, contexts->layers, contexts->layer_count,
                   contexts->layer_capacity) = path;
    }
    return *slot - 1;
}

// Begins a node or engine: it inherits no op and no number from the ranges that enclose it.
static void clear_op_fields(struct range_context *context)
{
    context->op = context->other = context->outer = context->shell = ROW_NONE;
    context->aten = context->sized = context->outer_sized = ROW_NONE;
    context->number = 0;
}

// A rerun is no backward. It inherits the layer of the node until it enters a layer of its own.
static void begin_rerun(struct range_context *context)
{
    clear_op_fields(context);
    context->engine = context->node = ROW_NONE;
    context->flags |= CONTEXT_NODES;
}

static void set_marker(struct range_context *context, enum context_role role, uint32_t row)
{
    if (context->outer == ROW_NONE)
        context->outer = row;
    if (role == ROLE_SHELL)
        context->shell = row;
    else if (role == ROLE_MARKER && context->op == ROW_NONE)
        context->op = row;
    else if (role == ROLE_OTHER && context->other == ROW_NONE)
        context->other = row;
}

// True for an op that does the work of the op directly around it, whose sizes are known.
static bool does_work_of_parent(const struct context_build *build, uint32_t row)
{
    const struct profile *profile = build->profile;
    uint32_t parent = AT(profile->ranges.parent, row);
    return role_at(build, row)->serves && parent != ROW_NONE && role_at(build, parent)->is_sized &&
           formula_serves(build->formulas, profile_text(profile, range_marker(profile, row)->title),
                          profile_text(profile, range_marker(profile, parent)->title));
}

// Changes the context of the enclosing range to the context of range `row`, by its role.
static void set_role(struct context_build *build, struct range_context *context, uint32_t row)
{
    const struct context_label_role *role = role_at(build, row);
    switch ((enum context_role)role->role) {
    case ROLE_MARKER:
    case ROLE_OTHER:
    case ROLE_SHELL:
        set_marker(context, (enum context_role)role->role, row);
        break;
    case ROLE_ATEN:
        if (context->aten == ROW_NONE)
            context->aten = row;
        if (role->is_sized && !does_work_of_parent(build, row))
            context->sized = row;
        if (context->outer_sized == ROW_NONE)
            context->outer_sized = context->sized;
        break;
    case ROLE_ENGINE:
        clear_op_fields(context);
        context->engine = row;
        context->node = ROW_NONE;
        break;
    case ROLE_NODE:
    case ROLE_CHECKPOINT:
        clear_op_fields(context);
        context->engine = context->node == ROW_NONE ? context->engine : ROW_NONE;
        context->node = row;
        break;
    case ROLE_TRACE:
        context->trace = row;
        break;
    case ROLE_LAYER:
        context->layer =
            layer_inside(build, context->flags & CONTEXT_NODES ? 0 : context->layer, role->layer);
        context->flags &= (uint8_t)~CONTEXT_NODES;
        break;
    default:
        break;
    }
}

// Adds the sequence number of a range to the context.
static void push_number(struct context_build *build, struct range_context *context, uint32_t row)
{
    struct range_contexts *contexts = build->contexts;
    enum context_role role = (enum context_role)role_at(build, row)->role;
    int64_t seq = range_seq(&build->profile->ranges, row);
    if (seq == SEQ_NONE || seq < 0 || role == ROLE_ENGINE || role == ROLE_CHECKPOINT)
        return;
    bool is_partner = contexts->is_partner && contexts->is_partner[row];
    string_id name = range_name(&build->profile->ranges, row);
    struct op_number number = {seq, name, context->number, is_partner};
    context->number = (uint32_t)contexts->number_count;
    ARENA_PUSH(build->scratch, contexts->numbers, contexts->number_count,
               contexts->number_capacity) = number;
}

struct enclosing_context { // of a range that encloses the next one
    uint32_t row;
    struct range_context context;
};

// Ranges of a thread come in order of start, and the parent of a range is the previous range or
// encloses it: so the ranges that enclose the current one form a stack.
static void make_items(struct context_build *build)
{
    const struct ranges *ranges = &build->profile->ranges;
    struct range_contexts *contexts = build->contexts;
    struct enclosing_context *enclosing = NULL;
    size_t stray = 0, depth = 0, capacity = 0, item_count = 1;
    for (uint32_t row = 0; row < ranges->count; row++)
        item_count += contexts->of_range[row] == NEEDED_ITSELF;
    const struct range_context none = contexts->items[0];
    contexts->items = ARENA_ARRAY(build->scratch, struct range_context, item_count);
    contexts->items[0] = none;
    for (uint32_t row = 0; row < ranges->count; row++) {
        while (stray < build->stray_count && build->strays[stray].range < row)
            stray++;
        if (!contexts->of_range[row])
            continue;
        while (depth && enclosing[depth - 1].row != AT(ranges->parent, row))
            depth--;
        struct range_context context = depth ? enclosing[depth - 1].context : none;
        context.flags = flags_inside(build, row, context.flags);
        if (begins_rerun(build, row))
            begin_rerun(&context);
        if (stray < build->stray_count && build->strays[stray].range == row) {
            context.node = build->strays[stray].node;
            context.flags = (uint8_t)((context.flags & ~CONTEXT_RECOMPUTE) | CONTEXT_BACKWARD);
        }
        set_role(build, &context, row);
        push_number(build, &context, row);
        bool is_needed_itself = contexts->of_range[row] == NEEDED_ITSELF;
        contexts->of_range[row] = is_needed_itself ? (uint32_t)contexts->count : 0;
        if (is_needed_itself)
            contexts->items[contexts->count++] = context;
        ARENA_PUSH(build->scratch, enclosing, depth, capacity) =
            (struct enclosing_context){row, context};
    }
}

void range_contexts_build(struct range_contexts *contexts, const struct profile *profile,
                          struct arena *scratch)
{
    const struct ranges *ranges = &profile->ranges;
    *contexts = (struct range_contexts){
        .of_range = ARENA_ARRAY(scratch, uint32_t, ranges->count + 1),
        .is_engine_thread = ARENA_ARRAY(scratch, uint8_t, profile->thread_count + 1)};
    struct context_build build = {
        .contexts = contexts,
        .profile = profile,
        .roles = ARENA_ARRAY(scratch, struct context_label_role, ranges->label_count + 1),
        .layers = {.arena = scratch},
        .formulas = formula_evaluator_new(profile, scratch),
        .scratch = scratch};
    const struct range_context none = {.op = ROW_NONE,
                                       .other = ROW_NONE,
                                       .outer = ROW_NONE,
                                       .shell = ROW_NONE,
                                       .aten = ROW_NONE,
                                       .sized = ROW_NONE,
                                       .outer_sized = ROW_NONE,
                                       .engine = ROW_NONE,
                                       .node = ROW_NONE,
                                       .trace = ROW_NONE};
    contexts->items = ARENA_NEW(scratch, struct range_context);
    contexts->items[contexts->count++] = none;
    ARENA_PUSH(scratch, contexts->layers, contexts->layer_count, contexts->layer_capacity) =
        (struct layer_path){0, 0, STRING_NONE};
    ARENA_PUSH(scratch, contexts->numbers, contexts->number_count, contexts->number_capacity) =
        (struct op_number){SEQ_NONE, STRING_NONE, 0, false};
    for (uint32_t i = 0; i < ranges->label_count; i++) {
        build.roles[i] = role_of(&build, &ranges->labels[i]);
        build.has_nodes |= build.roles[i].role == ROLE_NODE || build.roles[i].role == ROLE_ENGINE ||
                           build.roles[i].role == ROLE_CHECKPOINT;
    }
    if (!ranges->count || !HAS(profile->work.launch) || !HAS(profile->api.range))
        return;
    mark_launches(&build);
    if (build.has_nodes) {
        contexts->forward = ARENA_ARRAY(scratch, uint32_t, ranges->count);
        contexts->is_partner = ARENA_ARRAY(scratch, uint8_t, ranges->count);
        build.reruns = reruns_find(profile, scratch);
        classify_threads(&build);
        find_nodes(&build);
        pair_nodes(&build);
        ARENA_RELEASE(scratch, build.flags, ranges->count);
    }
    make_items(&build);
}
