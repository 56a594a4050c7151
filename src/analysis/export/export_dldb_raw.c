// SPDX-License-Identifier: Apache-2.0
// Writes measurements into a DLProf database: ops with their runs, and their calls and GPU work.
// Ops are sorted by name; the events of an op are sorted by kind, name and time.
#include <string.h>

#include "analysis/export/export_dldb.h"
#include "analysis/report/dlprof_rules.h"
#include "base/sort.h"
#include "base/text/bytes.h"
#include "model/dldb/dldb_names.h"

// ---- ops ----------------------------------------------------------------------------------------

static struct value tc_support(const struct op *op)
{
    return DLDB_INT(op->is_unassociated                         ? DLDB_UNASSOCIATED
                    : op->tensor_core_eligible == STATE_YES     ? DLDB_ELIGIBLE
                    : op->tensor_core_eligible == STATE_UNKNOWN ? DLDB_ELIGIBLE_UNKNOWN
                                                                : DLDB_NOT_ELIGIBLE);
}

// DLProf's texts for the shapes of a marker. They are long, so they are made once per marker.
struct dldb_shapes {
    bool is_made;
    struct value names[SHAPE_PARTS], lists[SHAPE_PARTS];
};

static struct value names_of(struct dldb_out *out, uint32_t count)
{
    struct bytes text = {.arena = out->arena};
    for (uint32_t i = 0; i < count; i++)
        bytes_text(&text, i ? ",\"\"" : "[\"\"");
    bytes_format(&text, count ? "]\n" : "null\n");
    return dldb_text(out, text.items);
}

static const struct dldb_shapes *shapes_of(struct dldb_out *out, struct dldb_shapes *of_marker,
                                           uint32_t marker)
{
    // the last entry is for ops without a marker
    uint32_t no_marker = out->profile->marker_count;
    struct dldb_shapes *shapes = &of_marker[marker < no_marker ? marker : no_marker];
    for (int part = 0; part < SHAPE_PARTS && !shapes->is_made; part++) {
        uint32_t count;
        const char *lists =
            op_shape_lists(out->profile, marker, (enum shape_part)part, &count, out->arena);
        shapes->names[part] = names_of(out, count);
        shapes->lists[part] =
            dldb_text(out, arena_format(out->arena, "%s\n", lists ? lists : "null"));
    }
    shapes->is_made = true;
    return shapes;
}

// Adds the runs of an op. A run of GPU work without a launching call has no end and no thread.
static void put_runs(struct dldb_out *out, uint32_t row, struct dldb_shapes *of_marker)
{
    const struct profile *profile = out->profile;
    const struct ops *ops = profile->ops;
    const struct op *op = &ops->items[row];
    for (uint32_t n = 0; n < op->instance_count; n++) {
        uint32_t run = AT(ops->by_op, op->first_instance + n), thread = AT(ops->thread, run);
        const struct dldb_shapes *shapes = shapes_of(out, of_marker, AT(ops->marker, run));
        struct row_span work = op_work(ops, run);
        uint32_t process = thread != ROW_NONE ? profile->threads[thread].process
                           : work.first < work.end
                               ? work_process(profile, AT(ops->work_rows, work.first))
                               : ROW_NONE;
        DLDB_PUT(out, TABLE_OP_INSTANCES, DLDB_INT(out->op_of[row]), DLDB_INT(AT(ops->start, run)),
                 DLDB_INT(thread == ROW_NONE ? AT(ops->start, run) : AT(ops->end, run)),
                 DLDB_INT(process == ROW_NONE ? 0 : profile->processes[process].pid),
                 DLDB_INT(thread == ROW_NONE ? 0 : profile->threads[thread].tid),
                 shapes->names[SHAPE_INPUT], shapes->lists[SHAPE_INPUT],
                 shapes->names[SHAPE_OUTPUT], shapes->lists[SHAPE_OUTPUT],
                 shapes->lists[SHAPE_PARAMETERS]);
    }
}

static struct value labels_of(struct dldb_out *out, const struct op *op, enum shape_part part)
{
    const struct ops *ops = out->profile->ops;
    uint32_t marker =
        op->instance_count ? AT(ops->marker, AT(ops->by_op, op->first_instance)) : ROW_NONE;
    return dldb_text(out, op_shape_labels(out->profile, op, marker, part, out->arena));
}

void dldb_put_ops(struct dldb_out *out)
{
    const struct profile *profile = out->profile;
    uint32_t count = profile->ops ? profile->ops->count : 0;
    const uint32_t *order = ops_by_name(profile, out->arena);
    struct dldb_shapes *of_marker =
        ARENA_ARRAY(out->arena, struct dldb_shapes, (size_t)profile->marker_count + 1);
    out->op_of = ARENA_ARRAY(out->arena, int64_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct op *op = &profile->ops->items[order[i]];
        out->op_of[order[i]] = DLDB_PUT(
            out, TABLE_OPS, DLDB_INT(DLDB_DOMAIN), dldb_name(out, op->id),
            dldb_plain(profile_text(profile, op->id)), dldb_plain(profile_text(profile, op->name)),
            dldb_name(out, op->type), dldb_text(out, ""), tc_support(op),
            dldb_name(out, op->data_type), labels_of(out, op, SHAPE_INPUT),
            labels_of(out, op, SHAPE_OUTPUT), labels_of(out, op, SHAPE_PARAMETERS),
            dldb_text(out, direction_names[op->direction]),
            dldb_plain(profile_text(profile, op->stack)));
        put_runs(out, order[i], of_marker);
    }
}

// ---- calls and GPU work -------------------------------------------------------------------------

struct dldb_event {
    enum dldb_table_id table;
    uint32_t row; // row of GPU work, or of api_calls for calls
    uint32_t run; // 0-based index of the run of the op
    string_id name;
    int64_t start; // of the call
};

struct dldb_events { // events of one op
    struct dldb_event *items;
    size_t count, capacity;
    const uint32_t *sync_of; // by API call: row of syncs + 1, or 0
};

static void add_work(const struct dldb_out *out, struct dldb_events *events, uint32_t work,
                     uint32_t run)
{
    static const enum dldb_table_id tables[WORK_KIND_COUNT] = {
        [WORK_KERNEL] = TABLE_KERNELS,
        [WORK_GRAPH] = TABLE_KERNELS, // which is opaque to DLProf
        [WORK_MEMCPY] = TABLE_MEMCPYS,
        [WORK_MEMSET] = TABLE_MEMSETS,
    };
    const struct profile *profile = out->profile;
    const struct function *function = &profile->functions[AT(profile->work.function, work)];
    uint32_t launch = AT(profile->work.launch, work);
    string_id function_name = function->brief ? function->brief : function->full;
    bool is_named_by_call = !function_is_kernel(function) && launch != ROW_NONE;
    ARENA_PUSH(out->arena, events->items, events->count, events->capacity) = (struct dldb_event){
        .table = tables[function->kind],
        .row = work,
        .run = run,
        .name = is_named_by_call ? AT(profile->api.name, launch) : function_name,
        .start =
            launch != ROW_NONE ? AT(profile->api.start, launch) : AT(profile->work.start, work),
    };
}

// Adds a call, unless it launched work: the row of the work then includes the call.
static void add_call(const struct dldb_out *out, struct dldb_events *events, uint32_t call,
                     uint32_t run)
{
    const struct api_calls *api = &out->profile->api;
    struct row_span work = HAS(api->first_work) ? api_work(api, call) : (struct row_span){0, 0};
    if (work.first < work.end)
        return;
    ARENA_PUSH(out->arena, events->items, events->count, events->capacity) = (struct dldb_event){
        .table = events->sync_of[call] ? TABLE_CUDA_SYNCS : TABLE_CUDA_CALLS,
        .row = call,
        .run = run,
        .name = AT(api->name, call),
        .start = AT(api->start, call),
    };
}

struct dldb_event_order {
    const struct profile *profile;
    const struct dldb_event *items;
};

static int compare_events(const void *context, uint32_t a, uint32_t b)
{
    const struct dldb_event_order *order = context;
    const struct dldb_event *x = &order->items[a], *y = &order->items[b];
    const struct profile *profile = order->profile;
    if (x->table != y->table)
        return x->table < y->table ? -1 : 1;
    int by_name = x->name == y->name
                      ? 0
                      : strcmp(profile_text(profile, x->name), profile_text(profile, y->name));
    if (by_name)
        return by_name;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->table == TABLE_CUDA_SYNCS || x->table == TABLE_CUDA_CALLS)
        return 0;
    return (AT(profile->work.start, x->row) > AT(profile->work.start, y->row)) -
           (AT(profile->work.start, x->row) < AT(profile->work.start, y->row));
}

static struct value put_dims(struct dldb_out *out, const int32_t *dims)
{
    int64_t key[3] = {0, 0, 0}; // zeros if not recorded
    for (int axis = 0; axis < 3 && dims; axis++)
        key[axis] = dims[axis] > 0 ? dims[axis] : 0;
    uint32_t known = out->grids.count, row = tuples_put(&out->grids, key);
    if (row == known)
        DLDB_PUT(out, TABLE_GRID_BLOCK, DLDB_INT(key[0]), DLDB_INT(key[1]), DLDB_INT(key[2]));
    return DLDB_INT((int64_t)row + 1);
}

struct work_values { // values common to kernels, copies and memsets
    struct value op, run, name, api_start, api_stop, gpu_start, gpu_stop, device, process, thread;
};

// A call that is not in the file ends before it begins.
static struct work_values work_values(struct dldb_out *out, const struct dldb_event *event,
                                      int64_t op)
{
    const struct profile *profile = out->profile;
    uint32_t work = event->row, launch = AT(profile->work.launch, work);
    uint32_t thread = launch == ROW_NONE ? ROW_NONE : AT(profile->api.thread, launch);
    uint32_t process =
        thread == ROW_NONE ? work_process(profile, work) : profile->threads[thread].process;
    int64_t stop = launch == ROW_NONE ? event->start - 1 : AT(profile->api.end, launch);
    return (struct work_values){
        .op = DLDB_INT(op),
        .run = DLDB_INT(event->run),
        .name = dldb_name(out, event->name),
        .api_start = DLDB_INT(event->start),
        .api_stop = DLDB_INT(stop),
        .gpu_start = DLDB_INT(AT(profile->work.start, work)),
        .gpu_stop = DLDB_INT(AT(profile->work.end, work)),
        .device = DLDB_INT(out->device_of[work_device(profile, work)]),
        .process = DLDB_INT(profile->processes[process].pid),
        .thread = DLDB_INT(thread == ROW_NONE ? 0 : profile->threads[thread].tid),
    };
}

static void put_kernel(struct dldb_out *out, const struct dldb_event *event, int64_t op)
{
    const struct profile *profile = out->profile;
    const struct launch_shape *shape = work_launch_shape(profile, event->row);
    const struct function *function = &profile->functions[AT(profile->work.function, event->row)];
    struct work_values common = work_values(out, event, op);
    int64_t id = DLDB_PUT(
        out, TABLE_KERNELS, common.op, common.run, common.name,
        dldb_name(out, function->full ? function->full : function->brief),
        DLDB_INT(function->dlprof_tensor_core), common.api_start, common.api_stop, common.gpu_start,
        common.gpu_stop, put_dims(out, shape ? shape->grid : NULL),
        put_dims(out, shape ? shape->block : NULL), common.device, common.process, common.thread);
    out->kernel_of[event->row] = (uint32_t)id;
}

static void put_copy(struct dldb_out *out, const struct dldb_event *event, int64_t op)
{
    const struct profile *profile = out->profile;
    const struct copy *copy = work_copy(profile, event->row);
    struct work_values common = work_values(out, event, op);
    int64_t told = work_bytes(profile, event->row);
    // DLProf's columns take no NULL; -1 bytes are none, which 0 are not.
    struct value bytes = DLDB_INT(told == UNKNOWN ? -1 : told);
    if (event->table == TABLE_MEMSETS)
        DLDB_PUT(out, TABLE_MEMSETS, common.op, common.run, common.name, common.api_start,
                 common.api_stop, common.gpu_start, common.gpu_stop, bytes, common.device,
                 common.process, common.thread);
    else
        DLDB_PUT(out, TABLE_MEMCPYS, common.op, common.run, common.name, common.api_start,
                 common.api_stop, common.gpu_start, common.gpu_stop, bytes,
                 DLDB_INT(copy && copy->copy_kind > 0 ? copy->copy_kind : 0), common.device,
                 common.process, common.thread);
}

// Maps CUPTI's types to the numbers of nsys up to 2023, which DLProf uses; a wait for an event
// counts as one for a stream.
static struct value sync_type(uint8_t type)
{
    static const uint8_t of_cupti[] = {0, 2, 3, 3, 1};
    return DLDB_INT(type < sizeof of_cupti ? of_cupti[type] : 0);
}

// The profile has no events of synchronisations, and no GPU if the stream is not recorded.
static void put_call(struct dldb_out *out, const struct dldb_events *events,
                     const struct dldb_event *event, int64_t op)
{
    enum { NO_EVENT = -1 };
    const struct profile *profile = out->profile;
    const struct api_calls *api = &profile->api;
    const struct thread *thread = &profile->threads[AT(api->thread, event->row)];
    struct value start = DLDB_INT(event->start), stop = DLDB_INT(AT(api->end, event->row));
    struct value name = dldb_name(out, event->name), none = DLDB_INT(0);
    struct value pid = DLDB_INT(profile->processes[thread->process].pid),
                 tid = DLDB_INT(thread->tid);
    if (event->table == TABLE_CUDA_CALLS) {
        DLDB_PUT(out, TABLE_CUDA_CALLS, DLDB_INT(op), DLDB_INT(event->run), name, start, stop, pid,
                 tid);
        return;
    }
    uint32_t sync = events->sync_of[event->row] - 1, stream = profile->syncs.stream[sync];
    uint32_t device = stream == ROW_NONE ? ROW_NONE : profile->streams[stream].device;
    DLDB_PUT(out, TABLE_CUDA_SYNCS, DLDB_INT(op), DLDB_INT(event->run), name, start, stop, none,
             none, sync_type(profile->syncs.type[sync]), DLDB_INT((uint32_t)NO_EVENT),
             DLDB_INT(device == ROW_NONE ? 0 : out->device_of[device]), pid, tid);
}

static void put_op_events(struct dldb_out *out, struct dldb_events *events, uint32_t row)
{
    const struct ops *ops = out->profile->ops;
    const struct op *op = &ops->items[row];
    events->count = 0;
    for (uint32_t n = 0; n < op->instance_count; n++) {
        uint32_t run = AT(ops->by_op, op->first_instance + n);
        struct row_span work = op_work(ops, run), calls = op_calls(ops, run);
        for (uint32_t i = work.first; i < work.end; i++)
            add_work(out, events, AT(ops->work_rows, i), n);
        for (uint32_t i = calls.first; i < calls.end; i++)
            add_call(out, events, AT(ops->api_rows, i), n);
    }
    uint32_t *order = ARENA_ARRAY(out->arena, uint32_t, events->count + 1);
    for (size_t i = 0; i < events->count; i++)
        order[i] = (uint32_t)i;
    sort_ids(order, events->count, compare_events,
             &(struct dldb_event_order){out->profile, events->items}, out->arena);
    for (size_t i = 0; i < events->count; i++) {
        const struct dldb_event *event = &events->items[order[i]];
        if (event->table == TABLE_KERNELS)
            put_kernel(out, event, out->op_of[row]);
        else if (event->table == TABLE_MEMCPYS || event->table == TABLE_MEMSETS)
            put_copy(out, event, out->op_of[row]);
        else
            put_call(out, events, event, out->op_of[row]);
    }
    ARENA_RELEASE(out->arena, order, events->count + 1);
}

void dldb_put_events(struct dldb_out *out)
{
    const struct profile *profile = out->profile;
    uint32_t *sync_of = ARENA_ARRAY(out->arena, uint32_t, (size_t)profile->api.count + 1);
    struct dldb_events events = {.sync_of = sync_of};
    const uint32_t *order = ops_by_name(profile, out->arena);
    for (uint32_t i = profile->syncs.count; i-- > 0;)
        if (profile->syncs.api[i] != ROW_NONE)
            sync_of[profile->syncs.api[i]] = i + 1;
    out->kernel_of = ARENA_ARRAY(out->arena, uint32_t, (size_t)profile->work.count + 1);
    tuples_open(&out->grids, out->arena, 3);
    for (uint32_t i = 0; profile->ops && i < profile->ops->count; i++)
        put_op_events(out, &events, order[i]);
}
