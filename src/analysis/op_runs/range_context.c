// SPDX-License-Identifier: Apache-2.0
#include "analysis/op_runs/range_context.h"

#include <string.h>

#include "analysis/op_runs/forward_runs.h"
#include "base/id_map.h"
#include "base/scratch.h"
#include "model/markers/markers.h"
#include "model/ops/reruns.h"
#include "model/rules/formula.h"

enum { LAYERS_MOST = 32 }; // within each other; what lies deeper adds nothing

enum role { // of a range, by what its text says
    ROLE_NONE,
    ROLE_MARKER, // PyProf's, of an op that has a formula
    ROLE_OTHER,  // ... that has none
    ROLE_SHELL,  // of what only lies around ops
    ROLE_ATEN,   // PyTorch's own, of an op; also of what others call ops
    ROLE_NODE,
    ROLE_CHECKPOINT,
    ROLE_ENGINE,
    ROLE_TRACE,
    ROLE_PYTHON, // nothing but that Python is there
    ROLE_LAYER,
    ROLE_OPTIMIZER,
};

struct range_role {
    uint8_t role;
    bool is_optimizer; // besides
    bool
        is_backward; // besides: an op of which the file itself says so, as a database of DLProf does
    bool is_sum;
    bool is_sized; // it has a formula, and tells its sizes
    bool is_pyprof_backward;
    string_id layer;
};

struct making {
    struct range_contexts *to;
    const struct profile *profile;
    struct range_role *roles; // by label
    struct formula_desk *desk;
    bool has_nodes;
    uint8_t *flags;  // by range, as enum context_flag; only where there are nodes
    uint8_t *reruns; // by range, as reruns_find() has them
    struct stray {   // ranges that the engine adds up in behind a node
        uint32_t range, node;
    } * strays; // rising
    size_t stray_count, stray_capacity;
    uint32_t *nodes; // whose forward is asked for
    size_t node_count, node_capacity;
    struct id_map layers;
    struct arena *scratch;
};

enum { RANGE_AROUND = 1, RANGE_ASKED = 2 }; // in of_range, before there are items

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

// What is patched by PyProf but only calls other ops: attention as a whole, a Function's apply and
// backward, functions and modules of one's own. Cells of RNNs run as one op.
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

static bool has_formula(const struct making *making, const struct marker *marker)
{
    return formula_knows(making->desk, profile_text(making->profile, marker->module),
                         profile_text(making->profile, marker->title));
}

static enum role role_of_op(const struct making *making, const struct marker *marker)
{
    if (marker->dialect != DIALECT_DLPROF)
        return ROLE_ATEN;
    return has_formula(making, marker)         ? ROLE_MARKER
           : is_shell(making->profile, marker) ? ROLE_SHELL
                                               : ROLE_OTHER;
}

static enum role role_of_kind(const struct making *making, const struct marker *marker)
{
    switch (marker->kind) {
    case MARKER_OP:
        return role_of_op(making, marker);
    case MARKER_ENGINE:
        return ROLE_ENGINE;
    case MARKER_BACKWARD:
        return strstr(profile_text(making->profile, marker->title), "CheckpointFunctionBackward")
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

static struct range_role role_of(const struct making *making, const struct range_label *label)
{
    const struct profile *profile = making->profile;
    if (label->marker >= profile->marker_count) // of no range that is kept
        return (struct range_role){.role = ROLE_NONE};
    const struct marker *marker = &profile->markers[label->marker];
    const char *text = profile_text(profile, label->name);
    struct range_role role = {.role = (uint8_t)role_of_kind(making, marker)};
    if (marker->kind == MARKER_LAYER || strncmp(text, "layer:", 6) == 0) {
        role.role = ROLE_LAYER;
        role.layer = marker->kind == MARKER_LAYER ? marker->path : marker->title;
    }
    role.is_optimizer = marker->kind == MARKER_OP && is_optimizer_op(profile, marker);
    role.is_backward = marker->kind == MARKER_OP && marker->is_backward;
    role.is_sum =
        marker->kind == MARKER_OP && strcmp(profile_text(profile, marker->type), "sum") == 0;
    role.is_sized = role.role == ROLE_ATEN && marker->argument_count && has_formula(making, marker);
    if (marker->kind == MARKER_TRACE) {
        const char *stack = profile_text(profile, marker->stack);
        role.is_optimizer = strstr(stack, "/torch/optim/") || strstr(stack, "/apex/optimizers/");
    }
    role.is_pyprof_backward = label->has_seq && role.role != ROLE_CHECKPOINT &&
                              (ends_with(text, "Backward") || ends_with(text, "backward") ||
                               ends_with(text, "Backward0"));
    return role;
}

static const struct range_role *role_at(const struct making *making, uint32_t range)
{
    return &making->roles[AT(making->profile->ranges.label, range)];
}

// Takes a range and those around it in.
static void mark(const struct making *making, uint32_t range)
{
    uint32_t *of_range = making->to->of_range;
    for (; range != ROW_NONE && !of_range[range]; range = AT(making->profile->ranges.parent, range))
        of_range[range] = RANGE_AROUND;
}

// ... which will be asked for.
static void mark_asked(const struct making *making, uint32_t range)
{
    mark(making, range);
    if (range != ROW_NONE)
        making->to->of_range[range] = RANGE_ASKED;
}

static void mark_launches(const struct making *making)
{
    const struct profile *profile = making->profile;
    for (uint32_t work = 0; work < profile->work.count; work++) {
        uint32_t call = AT(profile->work.launch, work);
        if (call != ROW_NONE &&
            profile->functions[AT(profile->work.function, work)].kind == WORK_KERNEL)
            mark_asked(making, work_op_range(profile, work));
    }
}

static bool is_rerun(const struct making *making, uint32_t row)
{
    return making->reruns && making->reruns[row];
}

// Whether a range is the outermost of those that a node runs again.
static bool begins_rerun(const struct making *making, uint32_t row)
{
    return is_rerun(making, row) && !is_rerun(making, AT(making->profile->ranges.parent, row));
}

// The flags of a range by those of the range around it.
static uint8_t flags_below(const struct making *making, uint32_t row, uint8_t flags)
{
    enum { PASS = CONTEXT_BACKWARD | CONTEXT_RECOMPUTE };
    const struct range_role *role = role_at(making, row);
    if (begins_rerun(making, row))
        flags = (uint8_t)((flags & ~(PASS | CONTEXT_PYTHON)) | CONTEXT_RECOMPUTE);
    if (role->role == ROLE_NODE || role->role == ROLE_ENGINE)
        flags = (uint8_t)((flags & ~(PASS | CONTEXT_PYTHON)) | CONTEXT_BACKWARD);
    else if (role->role == ROLE_CHECKPOINT)
        flags = (uint8_t)((flags & ~(PASS | CONTEXT_PYTHON)) | CONTEXT_RECOMPUTE);
    else if (role->role != ROLE_NONE && role->role != ROLE_ATEN)
        flags |= CONTEXT_PYTHON;
    if (role->is_backward)
        flags |= CONTEXT_BACKWARD;
    if (role->is_optimizer || role->role == ROLE_OPTIMIZER)
        flags |= CONTEXT_OPTIMIZER;
    // A closure runs the model within the optimizer's step.
    if (role->role == ROLE_LAYER)
        flags = (uint8_t)(flags & ~CONTEXT_OPTIMIZER);
    if (role->is_pyprof_backward)
        flags |= CONTEXT_PYPROF;
    return flags;
}

// Flags of every range, and which threads are the engine's: nodes run there, and no op that autograd
// numbers outside of them.
static void look_at_threads(struct making *making)
{
    const struct profile *profile = making->profile;
    const struct ranges *ranges = &profile->ranges;
    uint8_t *has_forward = ARENA_ARRAY(making->scratch, uint8_t, profile->thread_count + 1);
    uint8_t *has_nodes = making->to->thread_is_engines;
    making->flags = ARENA_ARRAY(making->scratch, uint8_t, ranges->count);
    for (uint32_t row = 0; row < ranges->count; row++) {
        const struct range_label *label = range_label(ranges, row);
        if (label->ending == RANGE_AWAY)
            continue;
        const struct range_role *role = role_at(making, row);
        uint32_t parent = AT(ranges->parent, row);
        uint8_t flags = flags_below(making, row, parent == ROW_NONE ? 0 : making->flags[parent]);
        making->flags[row] = flags;
        if (role->role == ROLE_NODE || role->role == ROLE_ENGINE)
            has_nodes[label->thread] = 1;
        else if (label->has_seq && !(flags & (CONTEXT_BACKWARD | CONTEXT_RECOMPUTE)) &&
                 AT(ranges->seq, row) > 0)
            has_forward[label->thread] = 1;
    }
    for (uint32_t thread = 0; thread < profile->thread_count; thread++)
        has_nodes[thread] = has_nodes[thread] && !has_forward[thread];
}

// Whether a range is no node's, but of what runs by itself where nodes do.
static bool is_stray(const struct making *making, uint32_t row)
{
    const struct ranges *ranges = &making->profile->ranges;
    uint32_t parent = AT(ranges->parent, row);
    if (parent != ROW_NONE && role_at(making, parent)->role == ROLE_ENGINE)
        return true;
    uint8_t flags = making->flags[row];
    if (flags & (CONTEXT_BACKWARD | CONTEXT_PYTHON))
        return false;
    return flags & CONTEXT_RECOMPUTE || making->to->thread_is_engines[range_thread(ranges, row)];
}

// Whether it is the engine's own work for a node that ran just before, beside it: a sum reduces its
// gradient to the shape of its input. (An addition is of gradients of several nodes, and is of none.)
static bool follows_node(const struct making *making, uint32_t row, uint32_t node)
{
    const struct ranges *ranges = &making->profile->ranges;
    return node != ROW_NONE && role_at(making, row)->is_sum &&
           range_thread(ranges, node) == range_thread(ranges, row) &&
           AT(ranges->parent, node) == AT(ranges->parent, row) &&
           AT(ranges->end, node) <= AT(ranges->start, row) && is_stray(making, row);
}

static void ask_for_node(struct making *making, uint32_t node)
{
    if (range_seq(&making->profile->ranges, node) >= 0)
        ARENA_PUSH(making->scratch, making->nodes, making->node_count, making->node_capacity) =
            node;
}

static void find_nodes(struct making *making)
{
    const struct ranges *ranges = &making->profile->ranges;
    const uint32_t *of_range = making->to->of_range;
    uint32_t last = ROW_NONE;
    for (uint32_t row = 0; row < ranges->count; row++) {
        if (range_is_away(ranges, row))
            continue;
        enum role role = (enum role)role_at(making, row)->role;
        if (role == ROLE_NODE || role == ROLE_CHECKPOINT) {
            last = row;
            if (of_range[row])
                ask_for_node(making, row);
        } else if (role != ROLE_ENGINE && of_range[row] && follows_node(making, row, last)) {
            ARENA_PUSH(making->scratch, making->strays, making->stray_count,
                       making->stray_capacity) = (struct stray){row, last};
            if (!of_range[last])
                ask_for_node(making, last);
            mark(making, last);
        }
    }
}

// Whether a range may be what a node is the backward of. Up to PyTorch 1.5 everything in the backward
// is numbered 0, as the first op of a program is.
static bool is_forward(void *context, uint32_t row)
{
    const struct making *making = context;
    const struct range_role *role = role_at(making, row);
    if (role->role == ROLE_NODE || role->role == ROLE_ENGINE || role->role == ROLE_CHECKPOINT ||
        is_rerun(making, row))
        return false;
    uint8_t flags = making->flags[row];
    return range_seq(&making->profile->ranges, row) != 0 ||
           (!(flags & CONTEXT_BACKWARD) && !is_stray(making, row));
}

static void find_forwards(void *context, struct arena *scratch)
{
    struct making *making = context;
    forward_runs_find(making->profile, making->nodes, making->node_count, is_forward, making,
                      making->to->forward, scratch);
}

static void pair(struct making *making)
{
    struct range_contexts *to = making->to;
    scratch_run(making->scratch, find_forwards, making);
    for (size_t i = 0; i < making->node_count; i++) {
        uint32_t forward = to->forward[making->nodes[i]];
        if (!forward)
            continue;
        to->is_partner[forward - 1] = 1;
        mark_asked(making, forward - 1);
    }
}

// Whether a dotted path says all of the path around it, as `layers.0.attn` of `layers.0`.
static bool path_holds(const struct profile *profile, string_id path, string_id outer)
{
    const char *text = profile_text(profile, path), *around = profile_text(profile, outer);
    size_t length = strlen(around);
    return length && strncmp(text, around, length) == 0 && text[length] == '.';
}

static uint32_t layer_below(struct making *making, uint32_t outer, string_id name)
{
    struct range_contexts *to = making->to;
    if (path_holds(making->profile, name, to->layers[outer].name))
        outer = to->layers[outer].outer;
    if (to->layers[outer].depth == LAYERS_MOST)
        return outer;
    uint32_t *slot = id_map_slot(&making->layers, (struct id_key){.a = outer, .b = name});
    if (!*slot) {
        *slot = (uint32_t)to->layer_count + 1;
        struct layer_path path = {outer, to->layers[outer].depth + 1, name};
        ARENA_PUSH(making->scratch, to->layers, to->layer_count, to->layer_capacity) = path;
    }
    return *slot - 1;
}

// Nothing of what lies around a node is of it: only where it stands.
static void begin_backward(struct range_context *context)
{
    context->op = context->other = context->outer = context->shell = ROW_NONE;
    context->aten = context->sized = context->told = ROW_NONE;
    context->number = 0;
}

// What a node runs again is no backward, and has layers of its own if it has any.
static void begin_rerun(struct range_context *context)
{
    begin_backward(context);
    context->engine = context->node = ROW_NONE;
    context->flags |= CONTEXT_NODES;
}

static void set_marker(struct range_context *context, enum role role, uint32_t row)
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

static void set_role(struct making *making, struct range_context *context, uint32_t row)
{
    const struct range_role *role = role_at(making, row);
    switch ((enum role)role->role) {
    case ROLE_MARKER:
    case ROLE_OTHER:
    case ROLE_SHELL:
        set_marker(context, (enum role)role->role, row);
        break;
    case ROLE_ATEN:
        if (context->aten == ROW_NONE)
            context->aten = row;
        if (role->is_sized)
            context->sized = row;
        if (context->told == ROW_NONE)
            context->told = context->sized;
        break;
    case ROLE_ENGINE:
        begin_backward(context);
        context->engine = row;
        context->node = ROW_NONE;
        break;
    case ROLE_NODE:
    case ROLE_CHECKPOINT:
        begin_backward(context);
        context->engine = context->node == ROW_NONE ? context->engine : ROW_NONE;
        context->node = row;
        break;
    case ROLE_TRACE:
        context->trace = row;
        break;
    case ROLE_LAYER:
        context->layer =
            layer_below(making, context->flags & CONTEXT_NODES ? 0 : context->layer, role->layer);
        context->flags &= (uint8_t)~CONTEXT_NODES;
        break;
    default:
        break;
    }
}

static void add_number(struct making *making, struct range_context *context, uint32_t row)
{
    struct range_contexts *to = making->to;
    enum role role = (enum role)role_at(making, row)->role;
    int64_t seq = range_seq(&making->profile->ranges, row);
    if (seq == SEQ_NONE || seq < 0 || role == ROLE_ENGINE || role == ROLE_CHECKPOINT)
        return;
    bool is_partner = to->is_partner && to->is_partner[row];
    string_id name = range_name(&making->profile->ranges, row);
    struct op_number number = {seq, name, context->number, is_partner};
    context->number = (uint32_t)to->number_count;
    ARENA_PUSH(making->scratch, to->numbers, to->number_count, to->number_capacity) = number;
}

struct open_range { // around the next one
    uint32_t row;
    struct range_context context;
};

// A thread's ranges come in order of their start, and the one around a range is it, or is around it, which
// came last: so those that are open are a stack.
static void make_items(struct making *making)
{
    const struct ranges *ranges = &making->profile->ranges;
    struct range_contexts *to = making->to;
    struct open_range *open = NULL;
    size_t stray = 0, depth = 0, capacity = 0, asked = 1;
    for (uint32_t row = 0; row < ranges->count; row++)
        asked += to->of_range[row] == RANGE_ASKED;
    const struct range_context none = to->items[0];
    to->items = ARENA_ARRAY(making->scratch, struct range_context, asked);
    to->items[0] = none;
    for (uint32_t row = 0; row < ranges->count; row++) {
        while (stray < making->stray_count && making->strays[stray].range < row)
            stray++;
        if (!to->of_range[row])
            continue;
        while (depth && open[depth - 1].row != AT(ranges->parent, row))
            depth--;
        struct range_context context = depth ? open[depth - 1].context : none;
        context.flags = flags_below(making, row, context.flags);
        if (begins_rerun(making, row))
            begin_rerun(&context);
        if (stray < making->stray_count && making->strays[stray].range == row) {
            context.node = making->strays[stray].node;
            context.flags = (uint8_t)((context.flags & ~CONTEXT_RECOMPUTE) | CONTEXT_BACKWARD);
        }
        set_role(making, &context, row);
        add_number(making, &context, row);
        bool is_asked = to->of_range[row] == RANGE_ASKED;
        to->of_range[row] = is_asked ? (uint32_t)to->count : 0;
        if (is_asked)
            to->items[to->count++] = context;
        ARENA_PUSH(making->scratch, open, depth, capacity) = (struct open_range){row, context};
    }
}

void range_contexts_make(struct range_contexts *contexts, const struct profile *profile,
                         struct arena *scratch)
{
    const struct ranges *ranges = &profile->ranges;
    *contexts = (struct range_contexts){
        .of_range = ARENA_ARRAY(scratch, uint32_t, ranges->count + 1),
        .thread_is_engines = ARENA_ARRAY(scratch, uint8_t, profile->thread_count + 1)};
    struct making making = {.to = contexts,
                            .profile = profile,
                            .roles =
                                ARENA_ARRAY(scratch, struct range_role, ranges->label_count + 1),
                            .layers = {.arena = scratch},
                            .desk = formula_open(profile, scratch),
                            .scratch = scratch};
    const struct range_context none = {.op = ROW_NONE,
                                       .other = ROW_NONE,
                                       .outer = ROW_NONE,
                                       .shell = ROW_NONE,
                                       .aten = ROW_NONE,
                                       .sized = ROW_NONE,
                                       .told = ROW_NONE,
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
        making.roles[i] = role_of(&making, &ranges->labels[i]);
        making.has_nodes |= making.roles[i].role == ROLE_NODE ||
                            making.roles[i].role == ROLE_ENGINE ||
                            making.roles[i].role == ROLE_CHECKPOINT;
    }
    if (!ranges->count || !HAS(profile->work.launch) || !HAS(profile->api.range))
        return;
    mark_launches(&making);
    if (making.has_nodes) {
        contexts->forward = ARENA_ARRAY(scratch, uint32_t, ranges->count);
        contexts->is_partner = ARENA_ARRAY(scratch, uint8_t, ranges->count);
        making.reruns = reruns_find(profile, scratch);
        look_at_threads(&making);
        find_nodes(&making);
        pair(&making);
        ARENA_RELEASE(scratch, making.flags, ranges->count);
    }
    make_items(&making);
}
