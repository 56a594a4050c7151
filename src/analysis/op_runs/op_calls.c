// SPDX-License-Identifier: Apache-2.0
// Finds the op runs that launched kernels, see op_calls.h. For each kernel, the context of its
// launch (range_context.h) gives the range that is the run. The first kernel of a run makes the
// run; then the kernels are grouped by run, and each run is described by the context of its first
// kernel.
//
// In this file a partner is the forward range of a node of the backward graph.
#include "analysis/op_runs/op_calls.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "analysis/op_runs/range_context.h"
#include "analysis/report/memo.h"
#include "base/id_map.h"
#include "base/scratch.h"
#include "base/sort.h"
#include "model/markers/markers.h"
#include "model/ops/graph_match.h"

enum {
    MAX_FORWARDS = 8,  // length of a chain of forwards: the backward of a backward, and so on
    MAX_ENCLOSING = 4, // enclosing ranges that autograd may have numbered instead of the op
    MAX_NUMBERS = 8,   // other numbers listed for a kernel
};

const char *const phase_names[PHASES] = {
    [PHASE_UNKNOWN] = "",    [PHASE_FPROP] = "fprop",         [PHASE_BPROP] = "bprop",
    [PHASE_OPTIM] = "optim", [PHASE_RECOMPUTE] = "recompute",
};

struct op_call_search {
    const struct profile *profile;
    struct op_calls *calls;
    struct arena *result_arena, *scratch;
    struct range_contexts contexts;
    uint32_t *of_range;   // [range] row of calls + 1 of the run; 0: the range is no run
    uint32_t *of_forward; // [partner] row of the first run inside it + 1; NULL without nodes
    // The same two for replayed CUDA graphs, by (range, launch of the graph): each launch is a run
    // of its own.
    struct id_map replayed[2];
    // The columns of the result before packing, and the number of kernels of each run.
    uint32_t *call[CALL_FIELDS], *launch[LAUNCH_FIELDS], *work, *work_count;
};

enum { FLAG_PHASE = 7, FLAG_INHERITED = 8, FLAG_PYPROF = 8 };
static_assert(PHASES <= FLAG_PHASE + 1, "a phase fits");

static void columns_alloc(uint32_t **fields, size_t count, size_t rows, struct arena *scratch)
{
    for (size_t f = 0; f < count; f++)
        fields[f] = ARENA_ARRAY(scratch, uint32_t, rows + 1);
}

// Packs the first `rows` of the `room` rows that were allocated.
static void columns_pack(const struct op_call_search *search, struct column32 *columns,
                         uint32_t **fields, size_t count, size_t rows, size_t room)
{
    for (size_t f = 0; f < count; f++) {
        columns[f] =
            column32_pack(search->result_arena, search->profile->workers, fields[f], NULL, rows);
        ARENA_RELEASE(search->scratch, fields[f], room + 1);
    }
}

// ---- runs found so far ----------------------------------------------------------------------

enum { RUN_OF_RANGE, RUN_OF_FORWARD };

// Returns the graph launch that replayed a kernel, or ROW_NONE if the kernel was launched directly.
static uint32_t replay_of(const struct profile *profile, uint32_t work)
{
    return work_origin(profile, work) == ROW_NONE ? ROW_NONE : AT(profile->work.launch, work);
}

// Returns the row + 1 of the run that was found for a range (or partner) and replay; 0: none yet.
static uint32_t find_call(const struct op_call_search *search, int key_kind, uint32_t range,
                          uint32_t replay)
{
    if (replay == ROW_NONE)
        return (key_kind == RUN_OF_RANGE ? search->of_range : search->of_forward)[range];
    uint32_t call =
        id_map_get(&search->replayed[key_kind], (struct id_key){.a = range, .b = replay});
    return call == ROW_NONE ? 0 : call + 1;
}

static uint32_t *call_slot(struct op_call_search *search, int key_kind, uint32_t range,
                           uint32_t replay)
{
    if (replay == ROW_NONE)
        return &(key_kind == RUN_OF_RANGE ? search->of_range : search->of_forward)[range];
    return id_map_slot(&search->replayed[key_kind], (struct id_key){.a = range, .b = replay});
}

// ---- one run --------------------------------------------------------------------------------

// Returns the context of the forward that belongs to the context's node, or NULL if unknown.
static const struct range_context *forward_context(const struct op_call_search *search,
                                                   const struct range_context *context)
{
    const struct range_contexts *contexts = &search->contexts;
    if (!contexts->forward || context->node == ROW_NONE || !contexts->forward[context->node])
        return NULL;
    return range_context_of(contexts, contexts->forward[context->node] - 1);
}

// True if the op inside a node or engine counts as an op, not as the backward of one: it is a
// rerun, or in the engine outside of any node, or its shapes are known while those of the forward
// are not.
static bool is_op_itself(const struct op_call_search *search, const struct range_context *context)
{
    if (context->aten == ROW_NONE)
        return false;
    if (context->flags & CONTEXT_RECOMPUTE || context->node == ROW_NONE)
        return true;
    const struct range_context *forward = forward_context(search, context);
    bool forward_has_sizes = forward && (forward->op != ROW_NONE || forward->sized != ROW_NONE);
    return context->sized != ROW_NONE && !forward_has_sizes;
}

// Returns the range that is the run of the op in this context, or ROW_NONE if there is no op.
static uint32_t run_of(const struct op_call_search *search, const struct range_context *context)
{
    if (context->op != ROW_NONE)
        return context->op;
    bool is_below_node = context->engine != ROW_NONE || context->node != ROW_NONE;
    if (is_below_node && !is_op_itself(search, context))
        return context->engine != ROW_NONE ? context->engine : context->node;
    if (context->other != ROW_NONE)
        return context->other;
    if (context->sized != ROW_NONE)
        return context->sized;
    return context->shell != ROW_NONE ? context->shell : context->aten;
}

// True if a run is the range of an op, not of a node or engine.
static bool is_op_range(const struct range_context *context, uint32_t run)
{
    return run == context->op || run == context->other || run == context->shell ||
           run == context->sized || run == context->aten;
}

// Returns the phase of a launch by a thread (ROW_NONE: unknown) in a context.
static enum phase phase_of(const struct op_call_search *search, const struct range_context *context,
                           uint32_t thread)
{
    unsigned flags = context->flags;
    if (flags & CONTEXT_OPTIMIZER && !(flags & CONTEXT_BACKWARD)) {
        // A numbered range with a backward belongs to the model, run by the optimizer's closure.
        const struct op_number *number = &search->contexts.numbers[context->number];
        return context->number && number->is_partner ? PHASE_FPROP : PHASE_OPTIM;
    }
    uint32_t run = run_of(search, context);
    if (flags & CONTEXT_RECOMPUTE)
        return context->node == ROW_NONE || (run != ROW_NONE && is_op_range(context, run))
                   ? PHASE_RECOMPUTE
                   : PHASE_BPROP;
    if (flags & CONTEXT_BACKWARD)
        return PHASE_BPROP;
    if (!(flags & CONTEXT_PYTHON) && thread != ROW_NONE &&
        search->contexts.is_engine_thread[thread])
        return PHASE_BPROP;
    return run == ROW_NONE ? PHASE_UNKNOWN : PHASE_FPROP;
}

static void set_op(struct op_call *call, const struct range_context *context, uint32_t run)
{
    call->op = run;
    if (call->trace == ROW_NONE)
        call->trace = context->trace;
    if (!call->layer)
        call->layer = context->layer;
}

// Sets op and layer of a backward from its forward, or from the forward's forward and so on for
// backwards of backwards.
static void inherit_from_forward(const struct op_call_search *search, struct op_call *call,
                                 const struct range_context *context, uint32_t replay)
{
    for (int n = 0; n < MAX_FORWARDS; n++) {
        const struct range_context *forward = forward_context(search, context);
        if (!forward)
            return;
        uint32_t run = run_of(search, forward);
        uint32_t partner = search->contexts.forward[context->node] - 1;
        if (run != ROW_NONE && call->forward == ROW_NONE) {
            uint32_t known = find_call(search, RUN_OF_RANGE, run, replay);
            call->forward =
                (known ? known : find_call(search, RUN_OF_FORWARD, partner, replay)) - 1;
        }
        if (run != ROW_NONE && is_op_range(forward, run)) {
            call->layer = forward->layer ? forward->layer : call->layer;
            call->is_inherited = true;
            set_op(call, forward, run);
            return;
        }
        context = forward;
    }
}

// Returns the run `run`, described by the context of its first kernel.
static struct op_call describe_call(const struct op_call_search *search,
                                    const struct range_context *context, uint32_t run,
                                    uint32_t replay)
{
    const struct profile *profile = search->profile;
    struct op_call call = {.range = run,
                           .op = ROW_NONE,
                           .marker = ROW_NONE,
                           .trace = context->trace,
                           .layer = context->layer,
                           .forward = ROW_NONE,
                           .phase = phase_of(search, context, range_thread(&profile->ranges, run))};
    if (is_op_range(context, run))
        set_op(&call, context, run);
    else
        inherit_from_forward(search, &call, context, replay);
    // The node has no known forward: use the op that it runs, or the node itself.
    if (call.op == ROW_NONE)
        call.op = context->aten != ROW_NONE   ? context->aten
                  : context->node != ROW_NONE ? context->node
                                              : run;
    uint32_t marker = range_label(&profile->ranges, call.op)->marker;
    if (profile->markers[marker].argument_count)
        call.marker = marker;
    return call;
}

// ---- all runs -------------------------------------------------------------------------------

// Registers a run for the partners that it is inside. (Autograd may number aten::convolution while
// the run is aten::cudnn_convolution inside it.)
static void mark_partners(struct op_call_search *search, uint32_t run, uint32_t replay,
                          uint32_t call)
{
    const uint8_t *is_partner = search->contexts.is_partner;
    uint32_t range = run;
    for (int n = 0; is_partner && n <= MAX_ENCLOSING && range != ROW_NONE; n++) {
        uint32_t *slot =
            is_partner[range] ? call_slot(search, RUN_OF_FORWARD, range, replay) : NULL;
        if (slot && !*slot)
            *slot = call + 1;
        range = AT(search->profile->ranges.parent, range);
    }
}

// Returns the row of the run that a context belongs to, or ROW_NONE if it has no op.
static uint32_t find_or_add_call(struct op_call_search *search, const struct range_context *context,
                                 uint32_t replay)
{
    uint32_t run = run_of(search, context);
    if (run == ROW_NONE)
        return ROW_NONE;
    uint32_t *slot = call_slot(search, RUN_OF_RANGE, run, replay);
    if (*slot)
        return *slot - 1;
    uint32_t call = search->calls->count++;
    *slot = call + 1;
    search->call[CALL_RANGE][call] = run;
    mark_partners(search, run, replay, call);
    return call;
}

// Returns the context of the launch of a kernel; it must have one.
static const struct range_context *context_of(const struct op_call_search *search, uint32_t work)
{
    return range_context_of(&search->contexts, work_op_range(search->profile, work));
}

static uint32_t thread_of(const struct profile *profile, uint32_t work)
{
    uint32_t origin = work_origin(profile, work);
    return origin != ROW_NONE ? range_thread(&profile->ranges, origin)
                              : AT(profile->api.thread, AT(profile->work.launch, work));
}

// Finds the run of a kernel and sets what is known of its launch.
static void add_kernel(struct op_call_search *search, uint32_t work)
{
    const struct profile *profile = search->profile;
    const struct range_context *context = context_of(search, work);
    uint32_t call = find_or_add_call(search, context, replay_of(profile, work));
    uint32_t run = run_of(search, context), **launch;
    uint32_t phase = phase_of(search, context, thread_of(profile, work));
    launch = search->launch;
    launch[LAUNCH_CALL][work] = call;
    launch[LAUNCH_NUMBER][work] = context->number;
    if (run == ROW_NONE || !is_op_range(context, run))
        launch[LAUNCH_NODE][work] = context->node;
    launch[LAUNCH_FLAGS][work] = phase | (context->flags & CONTEXT_PYPROF ? FLAG_PYPROF : 0);
    if (call != ROW_NONE)
        search->work_count[call]++;
}

// Returns the marker that PyProf regards as the op: the outermost one or, for a backward, the
// outermost one of its forward if the forward launched kernels.
static uint32_t pyprof_marker(const struct op_call_search *search,
                              const struct range_context *context, uint32_t replay)
{
    uint32_t range = context->outer;
    if (range == ROW_NONE && context->flags & CONTEXT_PYPROF) {
        const struct range_context *forward = forward_context(search, context);
        uint32_t run = forward ? run_of(search, forward) : ROW_NONE;
        bool launches = run != ROW_NONE && find_call(search, RUN_OF_RANGE, run, replay);
        range = launches ? forward->outer : ROW_NONE;
    }
    return range == ROW_NONE ? ROW_NONE : range_label(&search->profile->ranges, range)->marker;
}

// Calls `see` for each kernel that has a launch, in launch order, thread by thread.
static void visit_kernels(struct op_call_search *search,
                          void (*visit)(struct op_call_search *search, uint32_t work))
{
    const struct profile *profile = search->profile;
    const struct api_calls *api = &profile->api;
    for (uint32_t call = 0; call < api->count; call++) {
        struct row_span span = api_work(api, call);
        for (uint32_t i = span.first; i < span.end; i++) {
            uint32_t work = AT(api->work_rows, i);
            if (profile->functions[AT(profile->work.function, work)].kind == WORK_KERNEL)
                visit(search, work);
        }
    }
}

static void group_kernel(struct op_call_search *search, uint32_t work)
{
    uint32_t call = search->launch[LAUNCH_CALL][work];
    search->launch[LAUNCH_ARGUMENT][work] =
        pyprof_marker(search, context_of(search, work), replay_of(search->profile, work));
    if (call != ROW_NONE)
        search->work[search->call[CALL_FIRST_WORK][call] + search->work_count[call]++] = work;
}

// Groups the kernels by run, in order of their launch.
static void group_kernels(struct op_call_search *search)
{
    struct op_calls *calls = search->calls;
    uint32_t next = 0;
    for (uint32_t i = 0; i < calls->count; i++) {
        search->call[CALL_FIRST_WORK][i] = next;
        next += search->work_count[i];
        search->work_count[i] = 0;
    }
    search->call[CALL_FIRST_WORK][calls->count] = next;
    visit_kernels(search, group_kernel);
}

// True if the outermost range with sizes is in the node itself, not in the accumulation after it.
static bool is_sized_in_node(const struct op_call_search *search,
                             const struct range_context *context)
{
    const struct ranges *ranges = &search->profile->ranges;
    return context->outer_sized != ROW_NONE && context->node != ROW_NONE &&
           AT(ranges->start, context->outer_sized) < AT(ranges->end, context->node);
}

// Returns the range with sizes that encloses the launches of all kernels of a backward, or
// ROW_NONE.
static uint32_t sized_range_of(const struct op_call_search *search, uint32_t call)
{
    const uint32_t *first = search->call[CALL_FIRST_WORK];
    uint32_t sized = ROW_NONE;
    for (uint32_t i = first[call]; i < first[call + 1]; i++) {
        const struct range_context *context = context_of(search, search->work[i]);
        if (!is_sized_in_node(search, context) ||
            (sized != ROW_NONE && sized != context->outer_sized))
            return ROW_NONE;
        sized = context->outer_sized;
    }
    return sized;
}

// The context of a run is that of its first kernel.
static void describe_calls(struct op_call_search *search)
{
    uint32_t **fields = search->call;
    for (uint32_t i = 0; i < search->calls->count; i++) {
        uint32_t work = search->work[fields[CALL_FIRST_WORK][i]];
        struct op_call call = describe_call(search, context_of(search, work), fields[CALL_RANGE][i],
                                            replay_of(search->profile, work));
        fields[CALL_OP][i] = call.op;
        fields[CALL_MARKER][i] = call.marker;
        fields[CALL_TRACE][i] = call.trace;
        fields[CALL_LAYER][i] = call.layer;
        fields[CALL_FORWARD][i] = call.forward;
        fields[CALL_SIZED_RANGE][i] = call.is_inherited ? sized_range_of(search, i) : ROW_NONE;
        fields[CALL_FLAGS][i] = call.phase | (call.is_inherited ? FLAG_INHERITED : 0);
    }
}

static void pack_numbers(struct op_call_search *search)
{
    const struct range_contexts *contexts = &search->contexts;
    size_t count = contexts->number_count;
    int64_t *seqs = ARENA_ARRAY(search->scratch, int64_t, count);
    uint32_t *fields[NUMBER_FIELDS];
    columns_alloc(fields, NUMBER_FIELDS, count, search->scratch);
    for (size_t i = 0; i < count; i++) {
        const struct op_number *number = &contexts->numbers[i];
        seqs[i] = number->seq;
        fields[NUMBER_NAME][i] = number->name;
        fields[NUMBER_OUTER][i] = number->outer;
        fields[NUMBER_FLAGS][i] = number->is_partner;
    }
    search->calls->number_seq =
        column64_pack(search->result_arena, search->profile->workers, seqs, NULL, count);
    columns_pack(search, search->calls->numbers, fields, NUMBER_FIELDS, count, count);
}

static void write_layers(struct op_call_search *search)
{
    const struct range_contexts *contexts = &search->contexts;
    const char **texts = ARENA_ARRAY(search->result_arena, const char *, contexts->layer_count);
    for (size_t i = 1; i < contexts->layer_count; i++) {
        const struct layer_path *path = &contexts->layers[i];
        const char *name = profile_text(search->profile, path->name);
        texts[i] = path->outer ? arena_format(search->result_arena, "%.2000s:%.200s",
                                              texts[path->outer], name)
                               : arena_format(search->result_arena, "%.200s", name);
    }
    search->calls->layers = texts;
}

static void find_calls(void *context, struct arena *scratch)
{
    struct op_call_search *search = context;
    const struct profile *profile = search->profile;
    struct op_calls *calls = search->calls;
    uint32_t count = profile->work.count;
    search->scratch = scratch;
    search->replayed[RUN_OF_RANGE].arena = search->replayed[RUN_OF_FORWARD].arena = scratch;
    range_contexts_build(&search->contexts, profile, scratch);
    // A range is in at most one run, except for ranges of captured graphs: one run per launch.
    size_t max_calls = search->contexts.count;
    for (uint32_t work = 0; HAS(profile->work.origin) && work < count; work++)
        max_calls += work_origin(profile, work) != ROW_NONE;
    columns_alloc(search->launch, LAUNCH_FIELDS, count, scratch);
    columns_alloc(search->call, CALL_FIELDS, max_calls, scratch);
    search->work_count = ARENA_ARRAY(scratch, uint32_t, max_calls + 1);
    search->work = ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1);
    search->of_range = ARENA_ARRAY(scratch, uint32_t, profile->ranges.count + 1);
    if (search->contexts.is_partner)
        search->of_forward = ARENA_ARRAY(scratch, uint32_t, profile->ranges.count + 1);
    for (uint32_t work = 0; work < count; work++)
        search->launch[LAUNCH_CALL][work] = search->launch[LAUNCH_ARGUMENT][work] =
            search->launch[LAUNCH_NODE][work] = ROW_NONE;
    if (HAS(profile->work.launch) && HAS(profile->api.first_work)) {
        visit_kernels(search, add_kernel);
        group_kernels(search);
        describe_calls(search);
    }
    if (search->of_forward)
        ARENA_RELEASE(scratch, search->of_forward, profile->ranges.count + 1);
    ARENA_RELEASE(scratch, search->of_range, profile->ranges.count + 1);
    uint32_t grouped = search->call[CALL_FIRST_WORK][calls->count];
    calls->work =
        column32_pack(search->result_arena, profile->workers, search->work, NULL, grouped);
    columns_pack(search, calls->launches, search->launch, LAUNCH_FIELDS, count, count);
    columns_pack(search, calls->calls, search->call, CALL_FIELDS, (size_t)calls->count + 1,
                 max_calls);
    pack_numbers(search);
    write_layers(search);
}

static void *make_op_calls(const struct profile *profile, const struct selection *selection,
                           struct arena *arena)
{
    (void)selection;
    struct op_call_search search = {
        .profile = profile, .calls = ARENA_NEW(arena, struct op_calls), .result_arena = arena};
    scratch_run(arena, find_calls, &search);
    return search.calls;
}

const struct op_calls *op_calls_find(const struct profile *profile,
                                     const struct selection *selection, struct arena *arena)
{
    static const struct memo_kind kind = {.make = make_op_calls};
    return memo_require(&kind, profile, selection, arena);
}

// ---- access to one row ----------------------------------------------------------------------

struct op_call op_call_at(const struct op_calls *calls, uint32_t call)
{
    const struct column32 *fields = calls->calls;
    uint32_t flags = AT(fields[CALL_FLAGS], call), first = AT(fields[CALL_FIRST_WORK], call);
    return (struct op_call){
        .range = AT(fields[CALL_RANGE], call),
        .op = AT(fields[CALL_OP], call),
        .marker = AT(fields[CALL_MARKER], call),
        .trace = AT(fields[CALL_TRACE], call),
        .layer = AT(fields[CALL_LAYER], call),
        .forward = AT(fields[CALL_FORWARD], call),
        .sized_range = AT(fields[CALL_SIZED_RANGE], call),
        .phase = (enum phase)(flags & FLAG_PHASE),
        .is_inherited = flags & FLAG_INHERITED,
        .first_work = first,
        .work_count = AT(fields[CALL_FIRST_WORK], call + 1) - first,
    };
}

struct op_launch op_launch_at(const struct op_calls *calls, uint32_t work)
{
    const struct column32 *fields = calls->launches;
    uint32_t flags = AT(fields[LAUNCH_FLAGS], work);
    return (struct op_launch){
        .call = AT(fields[LAUNCH_CALL], work),
        .number = AT(fields[LAUNCH_NUMBER], work),
        .argument = AT(fields[LAUNCH_ARGUMENT], work),
        .node = AT(fields[LAUNCH_NODE], work),
        .pyprof_bprop = flags & FLAG_PYPROF,
        .phase = (enum phase)(flags & FLAG_PHASE),
    };
}

struct op_number op_number_at(const struct op_calls *calls, uint32_t number)
{
    return (struct op_number){
        .seq = AT(calls->number_seq, number),
        .name = AT(calls->numbers[NUMBER_NAME], number),
        .outer = AT(calls->numbers[NUMBER_OUTER], number),
        .is_partner = AT(calls->numbers[NUMBER_FLAGS], number),
    };
}

// ---- one kernel -----------------------------------------------------------------------------

int64_t op_launch_seq(const struct profile *profile, const struct op_calls *calls, uint32_t work)
{
    uint32_t node = AT(calls->launches[LAUNCH_NODE], work);
    uint32_t row = AT(calls->launches[LAUNCH_NUMBER], work);
    uint32_t phase = AT(calls->launches[LAUNCH_FLAGS], work) & FLAG_PHASE;
    if (node != ROW_NONE)
        return range_seq(&profile->ranges, node);
    // Up to PyTorch 1.5 every range in the backward has number 0.
    if (phase == PHASE_BPROP && AT(calls->number_seq, row) == 0)
        return SEQ_NONE;
    int64_t seq = SEQ_NONE;
    for (int n = 0; row && n < 4 * MAX_NUMBERS; n++) {
        struct op_number number = op_number_at(calls, row);
        if (number.is_partner)
            return number.seq;
        // Prefers the innermost number, except 0, which ranges without a number have as well.
        if (seq == SEQ_NONE || seq == 0)
            seq = number.seq;
        row = number.outer;
    }
    return seq;
}

void op_launch_other_seqs(const struct profile *profile, const struct op_calls *calls,
                          uint32_t work, char text[OP_NUMBERS_SIZE])
{
    int64_t own_seq = op_launch_seq(profile, calls, work), others[MAX_NUMBERS];
    size_t count = 0, length = 0;
    text[0] = '\0';
    uint32_t row = AT(calls->launches[LAUNCH_NUMBER], work);
    for (int n = 0; row && n < 4 * MAX_NUMBERS && count < MAX_NUMBERS;
         row = AT(calls->numbers[NUMBER_OUTER], row), n++) {
        int64_t seq = AT(calls->number_seq, row);
        bool is_known = seq == own_seq || (seq == 0 && own_seq != SEQ_NONE);
        for (size_t i = 0; i < count; i++)
            is_known |= others[i] == seq;
        if (!is_known)
            others[count++] = seq;
    }
    sort_values(others, count);
    for (size_t i = 0; i < count; i++)
        length += (size_t)snprintf(text + length, OP_NUMBERS_SIZE - length, "%s%lld", i ? "," : "",
                                   (long long)others[i]);
}

const char *op_launch_unknown_reason(const struct profile *profile, const struct op_calls *calls,
                                     uint32_t work)
{
    if (AT(calls->launches[LAUNCH_CALL], work) != ROW_NONE)
        return NULL;
    uint32_t api = HAS(profile->work.launch) ? AT(profile->work.launch, work) : ROW_NONE;
    if (api == ROW_NONE)
        return "the file has no launch of it";
    if (work_capture_lack(profile, work) != CAPTURE_KNOWN)
        return capture_lack_texts[work_capture_lack(profile, work)];
    bool is_captured = work_origin(profile, work) != ROW_NONE;
    if (!is_captured && HAS(profile->work.flags) && AT(profile->work.flags, work) & WORK_IN_GRAPH)
        return "no range is known to be around the capture of its graph";
    if (work_op_range(profile, work) == ROW_NONE)
        return "no range is around its launch";
    return is_captured ? "no range around its capture names an op"
                       : "no range around its launch names an op";
}
