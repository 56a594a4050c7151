// SPDX-License-Identifier: Apache-2.0
// Writes the correlated model as JSON (--dump_model_data): ops, their runs, and the calls and GPU
// work of these. One object has an array per kind of row, one row per line; rows reference each
// other by number, so that only a few pieces are in memory however many kernels an op has.
#include "analysis/export/export_shared.h"
#include "analysis/report/dlprof_rules.h"
#include "analysis/sums/op_metrics.h"
#include "analysis/sums/work_text.h"
#include "model/ops/ops.h"

struct model {
    const struct profile *profile;
    const struct split *split; // gives the iteration of a run
    unsigned threads;
    FILE *file;
    struct arena *arena;
    const char *(*shapes)[SHAPE_PARTS]; // by marker
    struct bytes bytes;
    struct json_writer json;
};

// ---- rows ---------------------------------------------------------------------------------------

static void put_text(struct json_writer *json, const char *key, const char *text)
{
    json_key(json, key);
    json_string(json, text && *text ? text : NULL);
}

static void put_id(struct json_writer *json, const struct profile *profile, const char *key,
                   string_id id)
{
    put_text(json, key, id == STRING_NONE ? NULL : profile_text(profile, id));
}

static void put_number(struct json_writer *json, const char *key, int64_t value)
{
    json_key(json, key);
    if (value == UNKNOWN)
        json_null(json);
    else
        json_integer(json, value);
}

static void put_row(struct json_writer *json, const char *key, uint32_t row)
{
    put_number(json, key, row == ROW_NONE ? UNKNOWN : (int64_t)row);
}

static void put_state(struct json_writer *json, const char *key, enum tristate state)
{
    json_key(json, key);
    export_json_value(json, value_state(state), 1);
}

static void put_times(struct json_writer *json, const struct profile *profile, int64_t start,
                      int64_t end)
{
    put_number(json, "start", profile->lacks_times ? UNKNOWN : start);
    put_number(json, "end", profile->lacks_times ? UNKNOWN : end);
}

static void put_thread(struct json_writer *json, const struct profile *profile, uint32_t row)
{
    const struct thread *thread = row == ROW_NONE ? NULL : &profile->threads[row];
    put_number(json, "process", thread ? profile->processes[thread->process].pid : UNKNOWN);
    put_number(json, "thread", thread ? thread->tid : UNKNOWN);
}

static void put_dims(struct json_writer *json, const char *key, const int32_t dims[3])
{
    json_key(json, key);
    json_begin_array(json);
    for (int i = 0; i < 3; i++)
        json_integer(json, dims[i]);
    json_end(json, ']');
}

static void put_op(const struct model *model, uint32_t row, struct json_writer *json)
{
    const struct profile *profile = model->profile;
    const struct op *op = &profile->ops->items[row];
    put_row(json, "op", row);
    put_id(json, profile, "id", op->id);
    put_id(json, profile, "name", op->name);
    put_id(json, profile, "type", op->type);
    put_text(json, "direction", direction_names[op->direction]);
    put_state(json, "tensor_core_eligible", op->tensor_core_eligible);
    put_state(json, "unassociated", op->is_unassociated ? STATE_YES : STATE_NO);
    put_id(json, profile, "data_type", op->data_type);
    put_id(json, profile, "stack", op->stack);
}

static void put_instance(const struct model *model, uint32_t row, struct json_writer *json)
{
    static const char *const keys[SHAPE_PARTS] = {[SHAPE_INPUT] = "input_shapes",
                                                  [SHAPE_OUTPUT] = "output_shapes",
                                                  [SHAPE_PARAMETERS] = "parameters"};
    const struct profile *profile = model->profile;
    const struct ops *ops = profile->ops;
    uint32_t iteration = model->split->of_instance[row], marker = AT(ops->marker, row);
    put_row(json, "instance", row);
    put_row(json, "op", AT(ops->op, row));
    put_number(json, "iteration",
               iteration == ROW_NONE ? UNKNOWN : model->split->number[iteration]);
    put_times(json, profile, AT(ops->start, row), AT(ops->end, row));
    put_thread(json, profile, AT(ops->thread, row));
    for (int part = 0; part < SHAPE_PARTS; part++)
        put_text(json, keys[part],
                 marker < profile->marker_count ? model->shapes[marker][part] : NULL);
}

static void put_call(const struct model *model, uint32_t row, struct json_writer *json)
{
    const struct profile *profile = model->profile;
    const struct api_calls *api = &profile->api;
    put_row(json, "call", row);
    put_row(json, "instance", AT(api->instance, row));
    put_id(json, profile, "name", AT(api->name, row));
    put_times(json, profile, AT(api->start, row), AT(api->end, row));
    put_thread(json, profile, AT(api->thread, row));
    put_number(json, "correlation", AT(api->correlation, row));
    put_number(json, "result", profile->has_api_results ? api_result(api, row) : UNKNOWN);
}

// Writes the fields that kernels, copies and graphs share.
static void put_work(const struct model *model, uint32_t row, struct json_writer *json)
{
    const struct profile *profile = model->profile;
    const struct gpu_work *work = &profile->work;
    const struct stream *stream = &profile->streams[AT(work->stream, row)];
    put_row(json, "instance", AT(work->instance, row));
    put_row(json, "call", AT(work->launch, row));
    put_times(json, profile, AT(work->start, row), AT(work->end, row));
    if (profile->lacks_times)
        put_number(json, "duration", work_duration(profile, row));
    put_number(json, "device", device_number(profile, stream->device));
    put_number(json, "stream", stream->stream_id);
    put_number(json, "process", profile->processes[stream->process].pid);
    put_number(json, "correlation", AT(work->correlation, row));
}

static const struct function *function_of(const struct model *model, uint32_t row)
{
    return &model->profile->functions[AT(model->profile->work.function, row)];
}

static void put_kernel(const struct model *model, uint32_t row, struct json_writer *json)
{
    const struct profile *profile = model->profile;
    const struct function *function = function_of(model, row);
    const struct launch_shape *shape = work_launch_shape(profile, row);
    put_id(json, profile, "name",
           function->brief == STRING_NONE ? function->full : function->brief);
    put_id(json, profile, "long_name", function->full);
    put_work(model, row, json);
    put_state(json, "uses_tensor_cores", work_uses_tc(profile, row) ? STATE_YES : STATE_NO);
    if (shape) {
        put_dims(json, "grid", shape->grid);
        put_dims(json, "block", shape->block);
    }
}

static void put_copy(const struct model *model, uint32_t row, struct json_writer *json)
{
    const struct profile *profile = model->profile;
    put_id(json, profile, "name", function_of(model, row)->full);
    put_text(json, "kind", work_kind_names[function_of(model, row)->kind]);
    put_work(model, row, json);
    put_number(json, "bytes", work_bytes(profile, row));
}

static void put_graph(const struct model *model, uint32_t row, struct json_writer *json)
{
    put_id(json, model->profile, "name", function_of(model, row)->full);
    put_work(model, row, json);
}

// ---- arrays -------------------------------------------------------------------------------------

struct model_list {
    const struct model *model;
    const uint32_t *rows; // NULL for all rows
    void (*put)(const struct model *model, uint32_t row, struct json_writer *json);
};

static void list_row(const void *context, size_t i, struct bytes *out)
{
    const struct model_list *list = context;
    struct json_writer json;
    bytes_text(out, i ? ",\n    " : "\n    ");
    json_open(&json, out, true);
    json_begin_object(&json);
    list->put(list->model, list->rows ? list->rows[i] : (uint32_t)i, &json);
    json_end(&json, '}');
}

static bool list_write(struct model *model, const char *key, struct model_list list, size_t count)
{
    const struct export_table rows = {.rows = {.count = count}, .threads = model->threads};
    struct json_writer *json = &model->json;
    list.model = model;
    json_key(json, key);
    json_begin_array(json);
    if (!bytes_write(&model->bytes, model->file) ||
        !export_rows(&rows, model->file, list_row, &list, model->arena))
        return false;
    json->has_item[json->depth - 1] = count > 0;
    json_end(json, ']');
    return true;
}

// Writes the GPU work of some kinds; `kinds` has a bit for each.
static bool work_write(struct model *model, const char *key, unsigned kinds,
                       void (*put)(const struct model *model, uint32_t row,
                                   struct json_writer *json))
{
    uint32_t all = model->profile->work.count, count = 0;
    uint32_t *rows = ARENA_ARRAY(model->arena, uint32_t, (size_t)all + 1);
    for (uint32_t row = 0; row < all; row++)
        if (kinds >> function_of(model, row)->kind & 1)
            rows[count++] = row;
    bool is_written = list_write(model, key, (struct model_list){.rows = rows, .put = put}, count);
    ARENA_RELEASE(model->arena, rows, (size_t)all + 1);
    return is_written;
}

// Formats shapes by marker, since they are long and runs with the same marker share them.
static void shapes_make(struct model *model)
{
    const struct profile *profile = model->profile;
    model->shapes =
        arena_alloc(model->arena, (size_t)profile->marker_count + 1, sizeof *model->shapes);
    for (uint32_t marker = 0; marker < profile->marker_count; marker++)
        for (int part = 0; part < SHAPE_PARTS; part++)
            model->shapes[marker][part] =
                op_shape_text(profile, marker, (enum shape_part)part, model->arena);
}

static bool model_body(void *context, struct error *error)
{
    struct model *model = context;
    const struct profile *profile = model->profile;
    const struct ops *ops = profile->ops;
    (void)error;
    model->bytes = (struct bytes){.arena = model->arena};
    shapes_make(model);
    json_open(&model->json, &model->bytes, false);
    json_begin_object(&model->json);
    put_text(&model->json, "version", DLPROF_TUI_VERSION);
    put_text(&model->json, "profile", profile->source_count ? profile->sources[0].path : NULL);
    put_text(&model->json, "mode", mode_names[profile->mode]);
    if (!list_write(model, "ops", (struct model_list){.put = put_op}, ops->count) ||
        !list_write(model, "instances", (struct model_list){.put = put_instance},
                    ops->instance_count) ||
        !list_write(model, "calls", (struct model_list){.put = put_call}, profile->api.count) ||
        !work_write(model, "kernels", 1U << WORK_KERNEL, put_kernel) ||
        !work_write(model, "copies", 1U << WORK_MEMCPY | 1U << WORK_MEMSET, put_copy) ||
        !work_write(model, "graphs", 1U << WORK_GRAPH, put_graph))
        return false;
    json_end(&model->json, '}');
    return bytes_write(&model->bytes, model->file);
}

bool export_model(const struct profile *profile, const struct split *split, unsigned threads,
                  FILE *file, const struct arena *arena)
{
    struct model model = {.profile = profile,
                          .split = split,
                          .threads = threads,
                          .file = file,
                          .arena = arena_temp(arena)};
    bool is_written = model.arena && arena_run(model.arena, model_body, &model, NULL);
    arena_free(model.arena);
    return is_written;
}
