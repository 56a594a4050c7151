// SPDX-License-Identifier: Apache-2.0
// DLProf's group report: every prefix of op names that ends in a slash, and the whole model.
//
// In each iteration, a group's CPU time is the union of its ops' ranges, its GPU time the union of
// their work, its overhead the CPU union less the union of API calls, and its idle time the sum of
// the idle times of its runs. Totals, averages and extremes are over the iterations in which the
// group ran.
//
// All intervals of all runs are sorted by time and swept once; each is added to the unions of all
// groups that contain its op.
#include <string.h>

#include "analysis/breakdown/cover.h"
#include "analysis/report/report.h"
#include "analysis/sums/op_metrics.h"
#include "base/scratch.h"
#include "base/sort.h"

struct group_row {
    struct op_times times; // must be the first member: OP_TIME_COLUMNS casts the row
    const char *name;
    size_t length;
    uint32_t parent; // row of the next shorter prefix, or ROW_NONE
    unsigned depth;
    bool has_children, is_model;
    int64_t calls, eligible, using_tc;
};

static struct value get_name(const void *row)
{
    return value_text(((const struct group_row *)row)->name);
}

static struct value get_calls(const void *row)
{
    return value_integer(((const struct group_row *)row)->calls);
}

static struct value get_eligible(const void *row)
{
    return value_integer(((const struct group_row *)row)->eligible);
}

static struct value get_used(const void *row)
{
    return value_integer(((const struct group_row *)row)->using_tc);
}

static const struct column columns[] = {
    {.key = "name",
     .title = "Name",
     .head = "group",
     .unit = UNIT_TEXT,
     .get = get_name,
     .doc = "A prefix of op names that ends in a slash; _CompleteModel_ is everything.",
     .flags = COLUMN_QUOTED | COLUMN_NAME},
    {.key = "calls",
     .title = "Num Calls Aggregated",
     .head = "calls",
     .unit = UNIT_COUNT,
     .get = get_calls,
     .doc = "Calls of all ops in the group."},
    {.key = "tc_eligible",
     .title = "Num TC Eligible Ops",
     .head = "TC can",
     .unit = UNIT_COUNT,
     .get = get_eligible,
     .doc = "Ops that could use Tensor Cores."},
    {.key = "tc_used",
     .title = "Num Ops Using TC",
     .head = "TC does",
     .unit = UNIT_COUNT,
     .get = get_used,
     .doc = "Ops with a kernel that uses Tensor Cores."},
    OP_TIME_COLUMNS,
};

// ---- groups ------------------------------------------------------------------------------------

struct op_groups {
    struct group_row *items;
    size_t count, capacity;
    uint32_t *of_op; // deepest group of each op, or ROW_NONE
    uint32_t model;  // row of _CompleteModel_
};

// Returns the length of the longest proper prefix of name[0..length) that ends in a slash, or 0.
static size_t prefix_length(const char *name, size_t length)
{
    for (size_t i = length; i-- > 1;)
        if (name[i - 1] == '/')
            return i;
    return 0;
}

// Adds the groups of one op. `open` is the stack of groups that contain the previous op. Ops are
// added in byte order of their names, so that the ops of one group are adjacent, and a group is new
// exactly when it is not in `open`.
static void groups_add_op(struct op_groups *op_groups, const struct profile *profile, uint32_t op,
                          uint32_t *open, uint32_t *open_count, struct arena *arena)
{
    const char *name = profile_text(profile, profile->ops->items[op].name);
    size_t prefix = prefix_length(name, strlen(name));
    while (*open_count) {
        const struct group_row *top = &op_groups->items[open[*open_count - 1]];
        if (top->length <= prefix && memcmp(top->name, name, top->length) == 0)
            break;
        (*open_count)--;
    }
    size_t open_length = *open_count ? op_groups->items[open[*open_count - 1]].length : 0;
    for (size_t i = open_length; i < prefix; i++) {
        if (name[i] != '/')
            continue;
        uint32_t parent = *open_count ? open[*open_count - 1] : ROW_NONE;
        if (parent != ROW_NONE)
            op_groups->items[parent].has_children = true;
        uint32_t row = (uint32_t)op_groups->count;
        ARENA_PUSH(arena, op_groups->items, op_groups->count, op_groups->capacity) =
            (struct group_row){
                .name = arena_copy(arena, name, i + 1),
                .length = i + 1,
                .parent = parent,
                .depth = *open_count,
            };
        open[(*open_count)++] = row;
    }
    op_groups->of_op[op] = prefix ? open[*open_count - 1] : ROW_NONE;
}

static struct op_groups groups_find(const struct profile *profile,
                                    const struct op_metrics_list *list, struct arena *arena)
{
    const struct ops *ops = profile->ops;
    struct op_groups op_groups = {0};
    op_groups.of_op = ARENA_ARRAY(arena, uint32_t, (size_t)ops->count + 1);
    const uint32_t *order = ops_by_name(profile, arena);
    size_t deepest = 0;
    for (uint32_t o = 0; o < ops->count; o++) {
        size_t length = strings_length(profile->strings, ops->items[o].name);
        deepest = length > deepest ? length : deepest;
    }
    uint32_t *open = ARENA_ARRAY(arena, uint32_t, deepest + 1), open_count = 0;
    for (uint32_t i = 0; i < ops->count; i++) {
        op_groups.of_op[order[i]] = ROW_NONE;
        if (list->row_of_op[order[i]] != ROW_NONE && !ops->items[order[i]].is_unassociated)
            groups_add_op(&op_groups, profile, order[i], open, &open_count, arena);
    }
    op_groups.model = (uint32_t)op_groups.count;
    ARENA_PUSH(arena, op_groups.items, op_groups.count, op_groups.capacity) =
        (struct group_row){.name = "_CompleteModel_", .parent = ROW_NONE, .is_model = true};
    return op_groups;
}

// Returns the next larger group; the model is the last.
static uint32_t group_above(const struct op_groups *op_groups, uint32_t group)
{
    if (group == op_groups->model)
        return ROW_NONE;
    uint32_t parent = group == ROW_NONE ? ROW_NONE : op_groups->items[group].parent;
    return parent == ROW_NONE ? op_groups->model : parent;
}

static uint32_t group_first(const struct op_groups *op_groups, uint32_t op)
{
    return op_groups->of_op[op] == ROW_NONE ? op_groups->model : op_groups->of_op[op];
}

// ---- times --------------------------------------------------------------------------------------

// State of one group in the current iteration of the sweep.
struct group_state {
    uint32_t iteration; // ROW_NONE before the first event
    int64_t covered[3]; // end of each union so far
    int64_t sum[3];     // length of each union so far, by UNION_*
    int64_t idle;
};

enum { UNION_CPU, UNION_GPU, UNION_API };

struct group_event { // an interval of an op run; sorted by (iteration, start)
    uint32_t iteration, op;
    uint8_t kind; // UNION_*
    int64_t start, end, idle;
};

struct group_events {
    struct group_event *items;
    size_t count, capacity;
};

static int compare_events(const void *context, uint32_t a, uint32_t b)
{
    const struct group_event *left = (const struct group_event *)context + a;
    const struct group_event *right = (const struct group_event *)context + b;
    if (left->iteration != right->iteration)
        return left->iteration < right->iteration ? -1 : 1;
    return (left->start > right->start) - (left->start < right->start);
}

static void events_add(struct group_events *events, const struct group_event *event)
{
    events->items[events->count++] = *event;
}

static void events_add_instance(struct group_events *events, const struct op_scope *scope,
                                uint32_t instance)
{
    const struct profile *profile = scope->profile;
    const struct ops *ops = profile->ops;
    const struct split *split = scope->selection->split;
    struct group_event event = {
        .iteration = split->of_instance ? split->of_instance[instance] : 0,
        .op = AT(ops->op, instance),
    };
    int64_t first = INT64_MAX, covered = INT64_MIN, busy = 0;
    struct row_span span = op_work(ops, instance);
    for (uint32_t i = span.first; i < span.end; i++) {
        uint32_t work = AT(ops->work_rows, i);
        if (!op_scope_has_work(scope, work))
            continue;
        int64_t from = AT(profile->work.start, work), end = AT(profile->work.end, work);
        // One event per piece of work. One per merged interval would do as well, but is no faster.
        event.kind = UNION_GPU;
        event.start = from;
        event.end = end;
        events_add(events, &event);
        first = from < first ? from : first;
        busy += interval_union_add(&covered, from, end);
    }
    // Every run has a CPU event, so that its iteration counts even at zero cost.
    bool has_host = AT(ops->thread, instance) != ROW_NONE;
    event.kind = UNION_CPU;
    event.start = AT(ops->start, instance);
    event.end = has_host ? AT(ops->end, instance) : event.start;
    event.idle = first != INT64_MAX ? covered - first - busy : 0;
    events_add(events, &event);
    event.kind = UNION_API;
    event.idle = 0;
    struct row_span calls = op_calls(ops, instance);
    for (uint32_t i = calls.first; has_host && i < calls.end; i++) {
        uint32_t row = AT(ops->api_rows, i);
        event.start = AT(profile->api.start, row);
        event.end = AT(profile->api.end, row);
        if (event.end > AT(ops->end, instance))
            event.end = AT(ops->end, instance);
        events_add(events, &event);
    }
}

static void state_flush(struct group_state *state, struct group_row *row)
{
    if (state->iteration == ROW_NONE)
        return;
    int64_t overhead = state->sum[UNION_CPU] - state->sum[UNION_API];
    int64_t values[TIME_KINDS] = {
        [TIME_CPU] = state->sum[UNION_CPU],
        [TIME_GPU] = state->sum[UNION_GPU],
        [TIME_OVERHEAD] = overhead > 0 ? overhead : 0,
        [TIME_IDLE] = state->idle,
        [TIME_API] = state->sum[UNION_API],
    };
    op_times_add(&row->times, values);
}

static void state_begin(struct group_state *state, uint32_t iteration)
{
    *state = (struct group_state){.iteration = iteration};
    for (int i = 0; i < 3; i++)
        state->covered[i] = INT64_MIN;
}

struct group_build_call {
    const struct op_scope *scope;
    struct op_groups *op_groups;
};

// Returns all intervals of all selected runs, in scratch memory since they outnumber the rows.
static struct group_events events_collect(const struct group_build_call *call,
                                          struct arena *scratch)
{
    const struct ops *ops = call->scope->profile->ops;
    struct group_events events = {0};
    for (uint32_t i = 0; i < ops->instance_count; i++)
        if (op_scope_has_instance(call->scope, i))
            events.capacity += 1 + AT(ops->first_work, i + 1) - AT(ops->first_work, i) +
                               AT(ops->first_api, i + 1) - AT(ops->first_api, i);
    events.items = ARENA_ARRAY(scratch, struct group_event, events.capacity + 1);
    for (uint32_t i = 0; i < ops->instance_count; i++)
        if (op_scope_has_instance(call->scope, i))
            events_add_instance(&events, call->scope, i);
    return events;
}

static void groups_measure(void *context, struct arena *scratch)
{
    const struct group_build_call *call = context;
    struct op_groups *op_groups = call->op_groups;
    struct group_events events = events_collect(call, scratch);
    struct group_state *states = ARENA_ARRAY(scratch, struct group_state, op_groups->count);
    for (size_t g = 0; g < op_groups->count; g++)
        state_begin(&states[g], ROW_NONE);
    uint32_t *order = ARENA_ARRAY(scratch, uint32_t, events.count + 1);
    for (size_t i = 0; i < events.count; i++)
        order[i] = (uint32_t)i;
    sort_ids(order, events.count, compare_events, events.items, scratch);
    for (size_t i = 0; i < events.count; i++) {
        const struct group_event *event = &events.items[order[i]];
        // ROW_NONE marks a state without events; work outside every iteration counts as one more.
        uint32_t iteration = event->iteration == ROW_NONE ? ROW_NONE - 1 : event->iteration;
        for (uint32_t g = group_first(op_groups, event->op); g != ROW_NONE;
             g = group_above(op_groups, g)) {
            struct group_state *state = &states[g];
            if (state->iteration != iteration) {
                state_flush(state, &op_groups->items[g]);
                state_begin(state, iteration);
            }
            state->sum[event->kind] +=
                interval_union_add(&state->covered[event->kind], event->start, event->end);
            state->idle += event->idle;
        }
    }
    for (size_t g = 0; g < op_groups->count; g++)
        state_flush(&states[g], &op_groups->items[g]);
}

static struct rows group_build(const struct profile *profile, const struct selection *selection,
                               struct arena *arena)
{
    struct op_metrics_list list = op_metrics_build(profile, selection, arena);
    if (list.count == 0)
        return (struct rows){.empty = "No op ran in what is selected."};
    struct op_groups op_groups = groups_find(profile, &list, arena);
    for (uint32_t i = 0; i < list.count; i++) {
        const struct op_metrics *metrics = &list.items[i];
        const struct op *op = &profile->ops->items[metrics->op];
        for (uint32_t g = group_first(&op_groups, metrics->op); g != ROW_NONE;
             g = group_above(&op_groups, g)) {
            op_groups.items[g].calls += metrics->calls;
            op_groups.items[g].eligible += op->tensor_core_eligible == STATE_YES;
            op_groups.items[g].using_tc += metrics->uses_tc;
        }
    }
    struct op_scope scope = op_scope_open(profile, selection, arena);
    struct group_build_call call = {&scope, &op_groups};
    scratch_run(arena, groups_measure, &call);
    return (struct rows){.items = op_groups.items, .count = op_groups.count};
}

static uint64_t group_id(const void *row)
{
    return text_id(0, ((const struct group_row *)row)->name);
}

static unsigned group_depth(const void *row)
{
    return ((const struct group_row *)row)->depth;
}

static bool group_has_children(const void *row)
{
    return ((const struct group_row *)row)->has_children;
}

const struct report report_group_node = {
    .name = "group_node",
    .title = "Groups of ops",
    .doc = "DLProf's group report: every prefix of op names, times per iteration as unions.",
    .row_size = sizeof(struct group_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = group_build,
    .id = group_id,
    .depth = group_depth,
    .has_children = group_has_children,
    .apart = "nest",
    .is_dlprof = true,
    .needs_ops = true,
    .file = "group_op",
    .file_title = "Group Op Report",
};
