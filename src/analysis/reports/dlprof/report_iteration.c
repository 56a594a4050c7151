// SPDX-License-Identifier: Apache-2.0
// DLProf's iteration report: every kernel launch.
#include "analysis/report/dlprof_rules.h"
#include "analysis/report/report.h"
#include "analysis/sums/op_getters.h"
#include "analysis/sums/op_kernels.h"
#include "analysis/sums/work_text.h"

REPORT_DECLARE(iterations);

struct iteration_row {
    const struct profile *profile;
    const struct op *op;
    const struct op_kernel *kernel;
    const struct launch_shape *shape; // NULL if not recorded
    const char *const *shapes;        // of the op run, by enum shape_part
    int64_t iteration;                // UNKNOWN outside every iteration
    uint32_t work;
};

static const struct iteration_row *row_of(const void *row)
{
    return row;
}

static struct value text_of(const void *row, string_id id)
{
    return value_text(profile_text(row_of(row)->profile, id));
}

OP_TEXT_GETTER(id, iteration_row)
OP_TEXT_GETTER(name, iteration_row)
OP_TEXT_GETTER(type, iteration_row)
OP_TEXT_GETTER(data_type, iteration_row)
OP_DIRECTION_GETTER(iteration_row)

static struct value get_iteration(const void *row)
{
    return value_integer(row_of(row)->iteration);
}

static struct value get_kernel(const void *row)
{
    return text_of(row, row_of(row)->kernel->name);
}

static struct value get_device(const void *row)
{
    const struct iteration_row *r = row;
    return value_integer(device_number(r->profile, work_device(r->profile, r->work)));
}

static struct value get_gpu_start(const void *row)
{
    return value_integer(AT(row_of(row)->profile->work.start, row_of(row)->work));
}

static struct value get_gpu(const void *row)
{
    return value_integer(work_duration(row_of(row)->profile, row_of(row)->work));
}

static struct value get_api_start(const void *row)
{
    const struct profile *profile = row_of(row)->profile;
    uint32_t launch = AT(profile->work.launch, row_of(row)->work);
    return launch == ROW_NONE ? value_none() : value_integer(AT(profile->api.start, launch));
}

static struct value get_api(const void *row)
{
    const struct profile *profile = row_of(row)->profile;
    uint32_t launch = AT(profile->work.launch, row_of(row)->work);
    return launch == ROW_NONE
               ? value_none()
               : value_integer(AT(profile->api.end, launch) - AT(profile->api.start, launch));
}

static struct value get_used(const void *row)
{
    return value_state(work_uses_tc(row_of(row)->profile, row_of(row)->work) ? STATE_YES
                                                                             : STATE_NO);
}

#define SHAPE_GETTER(field, i)                                                                \
    static struct value get_##field##_##i(const void *row)                                    \
    {                                                                                         \
        const struct launch_shape *shape = row_of(row)->shape;                                \
        return shape && shape->field[i] >= 0 ? value_integer(shape->field[i]) : value_none(); \
    }
SHAPE_GETTER(grid, 0)
SHAPE_GETTER(grid, 1)
SHAPE_GETTER(grid, 2)
SHAPE_GETTER(block, 0)
SHAPE_GETTER(block, 1)
SHAPE_GETTER(block, 2)

static struct value get_inputs(const void *row)
{
    return value_text(row_of(row)->shapes[SHAPE_INPUT]);
}

static struct value get_parameters(const void *row)
{
    return value_text(row_of(row)->shapes[SHAPE_PARAMETERS]);
}

static struct value get_outputs(const void *row)
{
    return value_text(row_of(row)->shapes[SHAPE_OUTPUT]);
}

static struct value get_long_name(const void *row)
{
    const struct profile *profile = row_of(row)->profile;
    return text_of(row, profile->functions[row_of(row)->kernel->function].full);
}

static const struct column columns[] = {
    {.key = "iteration",
     .title = "Iteration",
     .head = "it",
     .unit = UNIT_ID,
     .get = get_iteration,
     .doc = "The iteration in which the kernel was launched."},
    {.key = "id",
     .title = "Op ID",
     .head = "op id",
     .unit = UNIT_TEXT,
     .get = get_op_id,
     .doc = "The op that launched it.",
     .flags = COLUMN_QUOTED},
    {.key = "op",
     .title = "Op Name",
     .head = "op",
     .unit = UNIT_TEXT,
     .get = get_op_name,
     .doc = "Path of that op.",
     .flags = COLUMN_QUOTED | COLUMN_WIDE},
    {.key = "direction",
     .title = "Direction",
     .head = "dir",
     .unit = UNIT_TEXT,
     .get = get_op_direction,
     .doc = "fprop, bprop or empty.",
     .flags = COLUMN_WIDE},
    {.key = "type",
     .title = "Op Type",
     .head = "type",
     .unit = UNIT_TEXT,
     .get = get_op_type,
     .doc = "What the op does.",
     .flags = COLUMN_QUOTED | COLUMN_DETAIL},
    {.key = "kernel",
     .title = "Kernel Name",
     .head = "kernel",
     .unit = UNIT_TEXT,
     .get = get_kernel,
     .doc = "Short name of the kernel.",
     .flags = COLUMN_QUOTED | COLUMN_NAME},
    {.key = "device",
     .title = "Device ID",
     .head = "GPU",
     .unit = UNIT_ID,
     .get = get_device,
     .doc = "The GPU that ran it."},
    {.key = "gpu_start",
     .title = "GPU Start Time (ns)",
     .head = "start",
     .unit = UNIT_TIME,
     .get = get_gpu_start,
     .doc = "When it began on the GPU, from the beginning of the capture."},
    {.key = "gpu",
     .title = "GPU Duration (ns)",
     .head = "time",
     .unit = UNIT_NS,
     .get = get_gpu,
     .doc = "How long it ran on the GPU.",
     .flags = COLUMN_BAR},
    {.key = "api_start",
     .title = "API Call Start (ns)",
     .head = "API at",
     .unit = UNIT_TIME,
     .get = get_api_start,
     .doc = "When its launching call began.",
     .flags = COLUMN_WIDE},
    {.key = "api",
     .title = "API Call Time (ns)",
     .head = "API",
     .unit = UNIT_NS,
     .get = get_api,
     .doc = "How long the launching call took.",
     .flags = COLUMN_WIDE | COLUMN_TIMED},
    {.key = "tc_used",
     .title = "Uses TC",
     .head = "TC",
     .unit = UNIT_STATE,
     .get = get_used,
     .doc = "Whether the kernel uses Tensor Cores, by its short name."},
    {.key = "grid_x",
     .title = "Grid X",
     .head = "grid x",
     .unit = UNIT_COUNT,
     .get = get_grid_0,
     .doc = "Blocks of the launch along x.",
     .flags = COLUMN_DETAIL},
    {.key = "grid_y",
     .title = "Grid Y",
     .head = "grid y",
     .unit = UNIT_COUNT,
     .get = get_grid_1,
     .doc = "Blocks of the launch along y.",
     .flags = COLUMN_DETAIL},
    {.key = "grid_z",
     .title = "Grid Z",
     .head = "grid z",
     .unit = UNIT_COUNT,
     .get = get_grid_2,
     .doc = "Blocks of the launch along z.",
     .flags = COLUMN_DETAIL},
    {.key = "block_x",
     .title = "Block X",
     .head = "block x",
     .unit = UNIT_COUNT,
     .get = get_block_0,
     .doc = "Threads of a block along x.",
     .flags = COLUMN_DETAIL},
    {.key = "block_y",
     .title = "Block Y",
     .head = "block y",
     .unit = UNIT_COUNT,
     .get = get_block_1,
     .doc = "Threads of a block along y.",
     .flags = COLUMN_DETAIL},
    {.key = "block_z",
     .title = "Block Z",
     .head = "block z",
     .unit = UNIT_COUNT,
     .get = get_block_2,
     .doc = "Threads of a block along z.",
     .flags = COLUMN_DETAIL},
    {.key = "data_types",
     .title = "Data Types",
     .head = "dtype",
     .unit = UNIT_TEXT,
     .get = get_op_data_type,
     .doc = "Of the op's first tensor argument.",
     .flags = COLUMN_WIDE},
    {.key = "inputs",
     .title = "Input Shapes",
     .head = "inputs",
     .unit = UNIT_TEXT,
     .get = get_inputs,
     .doc = "Shapes of the op's tensor arguments.",
     .flags = COLUMN_QUOTED | COLUMN_DETAIL},
    {.key = "parameters",
     .title = "Parameters",
     .head = "parameters",
     .unit = UNIT_TEXT,
     .get = get_parameters,
     .doc = "Stride, padding, dilation and groups of convolutions.",
     .flags = COLUMN_QUOTED | COLUMN_DETAIL},
    {.key = "outputs",
     .title = "Output Shapes",
     .head = "outputs",
     .unit = UNIT_TEXT,
     .get = get_outputs,
     .doc = "Shapes of the op's results, as far as they follow.",
     .flags = COLUMN_QUOTED | COLUMN_DETAIL},
    {.key = "long_name",
     .title = "Long Kernel Name",
     .head = "full name",
     .unit = UNIT_TEXT,
     .get = get_long_name,
     .doc = "Full name of the last launch of this short name by the op, as DLProf prints it.",
     .flags = COLUMN_QUOTED | COLUMN_DETAIL},
};

// Shape texts by marker, each formatted once since many launches share a marker.
struct shape_cache {
    const struct profile *profile;
    struct arena *arena;
    const char *(*texts)[SHAPE_PARTS]; // by marker
};

static const char *const *shape_texts(struct shape_cache *cache, uint32_t work)
{
    static const char *const none[SHAPE_PARTS] = {"", "", ""};
    const struct profile *profile = cache->profile;
    uint32_t marker = AT(profile->ops->marker, AT(profile->work.instance, work));
    if (marker == ROW_NONE)
        return none;
    if (!cache->texts[marker][0])
        for (int part = 0; part < SHAPE_PARTS; part++)
            cache->texts[marker][part] =
                op_shape_text(profile, marker, (enum shape_part)part, cache->arena);
    return cache->texts[marker];
}

// Sorts the launches by iteration and keeps DLProf's order within each. A counting sort with one
// bucket per iteration and a last one for launches outside all of them.
static uint32_t *order_by_iteration(const struct split *split, const struct op_launches *launches,
                                    struct arena *arena)
{
    uint32_t *first = ARENA_ARRAY(arena, uint32_t, (size_t)split->count + 2);
    uint32_t *order = ARENA_ARRAY(arena, uint32_t, (size_t)launches->count + 1);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < launches->count; i++) {
            uint32_t iteration = split->of_work ? split->of_work[launches->work[i]] : 0;
            uint32_t bucket = iteration < split->count ? iteration : split->count;
            if (pass == 0)
                first[bucket + 1]++;
            else
                order[first[bucket]++] = i;
        }
        for (uint32_t b = 0; pass == 0 && b < split->count; b++)
            first[b + 1] += first[b];
    }
    return order;
}

static struct rows iteration_build(const struct profile *profile, const struct selection *selection,
                                   struct arena *arena)
{
    struct op_kernels kernels;
    struct op_launches launches = op_launches_build(profile, selection, &kernels, arena);
    if (launches.count == 0)
        return (struct rows){.empty = kernels_empty_text(profile)};
    const struct split *split = selection->split;
    const uint32_t *order = order_by_iteration(split, &launches, arena);
    struct iteration_row *rows = ARENA_ARRAY(arena, struct iteration_row, launches.count);
    struct shape_cache cache = {profile, arena, NULL};
    cache.texts = arena_alloc(arena, (size_t)profile->marker_count + 1, sizeof *cache.texts);
    for (uint32_t i = 0; i < launches.count; i++) {
        uint32_t work = launches.work[order[i]];
        uint32_t iteration = split->of_work ? split->of_work[work] : 0;
        const struct op_kernel *kernel = &kernels.items[launches.kernel[order[i]]];
        rows[i] = (struct iteration_row){
            .profile = profile,
            .op = &profile->ops->items[kernel->op],
            .kernel = kernel,
            .shape = work_launch_shape(profile, work),
            .shapes = shape_texts(&cache, work),
            .iteration = iteration < split->count ? split->number[iteration] : UNKNOWN,
            .work = work,
        };
    }
    return (struct rows){.items = rows, .count = launches.count};
}

static uint64_t iteration_id(const void *row)
{
    return row_of(row)->work;
}

static const char *iteration_narrow(const struct profile *profile, const void *row,
                                    struct selection *selection)
{
    const struct iteration_row *r = row;
    selection->op = r->kernel->op;
    selection->function = AT(profile->work.function, r->work);
    return "launches";
}

const struct report report_iteration = {
    .name = "iteration",
    .title = "Kernels by iteration",
    .doc = "DLProf's iteration report: every kernel launch with its iteration, op, times, launch "
           "configuration and shapes.",
    .row_size = sizeof(struct iteration_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = iteration_build,
    .id = iteration_id,
    .narrow = iteration_narrow,
    .comparison_report = &report_iterations,
    .is_dlprof = true,
    .needs_ops = true,
    .file = "iteration",
    .file_title = "Iteration Report",
};
