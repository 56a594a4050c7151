// SPDX-License-Identifier: Apache-2.0
// Sums GPU work by name and launch shape: `kernels` with one row per grid, block, register count
// and shared memory size. Copies, memsets and replays have no shape and are rows by name, so that
// the rows add up to all GPU work.
#include <inttypes.h>

#include "analysis/breakdown/launch_means.h"
#include "analysis/detect/gpu_speed.h"
#include "analysis/report/report.h"
#include "analysis/report/stats.h"
#include "analysis/sums/named_work.h"
#include "analysis/sums/shape_sums.h"
#include "analysis/sums/work_text.h"
#include "base/id_map.h"
#include "base/scratch.h"
#include "base/text/format.h"

struct shapes_row {
    struct named_work work;           // its stats have no median and deviation
    uint32_t shape_id;                // index in profile.shapes, or ROW_NONE
    const struct launch_shape *shape; // NULL if it is no kernel or the shape is not recorded
    const char *grid, *block, *rest;  // NULL without a shape; rest: registers and shared memory
    struct gpu_speed speed;           // relative to other GPUs; set if one GPU is selected
    struct launch_means means;        // of kernels only
};

static const struct shapes_row *row_of(const void *row)
{
    return row;
}

static struct value get_grid(const void *row)
{
    return value_text(row_of(row)->grid);
}

static struct value get_block(const void *row)
{
    return value_text(row_of(row)->block);
}

static struct value known_value(int64_t figure)
{
    return figure < 0 ? value_none() : value_integer(figure);
}

static struct value get_registers(const void *row)
{
    return row_of(row)->shape ? known_value(row_of(row)->shape->registers) : value_none();
}

static struct value get_static_shared(const void *row)
{
    return row_of(row)->shape ? known_value(row_of(row)->shape->static_shared) : value_none();
}

static struct value get_dynamic_shared(const void *row)
{
    return row_of(row)->shape ? known_value(row_of(row)->shape->dynamic_shared) : value_none();
}

static struct value get_pace(const void *row)
{
    const struct gpu_speed *speed = &row_of(row)->speed;
    return speed->ratio > 0 ? value_real(speed->ratio) : value_none();
}

static struct value get_others(const void *row)
{
    const struct gpu_speed *speed = &row_of(row)->speed;
    return speed->ratio > 0 ? value_real(speed->others) : value_none();
}

static struct value get_blocks(const void *row)
{
    return launch_means_blocks(&row_of(row)->means);
}

static struct value get_occupancy(const void *row)
{
    return launch_means_occupancy(&row_of(row)->means);
}

static const struct column columns[] = {
    NAMED_WORK_NAME,
    {"grid", "Grid", "grid", UNIT_TEXT, get_grid, "Blocks of the launch, x, y and z.",
     COLUMN_IDENTIFIES},
    {"block", "Block", "block", UNIT_TEXT, get_block, "Threads of a block, x, y and z.",
     COLUMN_IDENTIFIES | COLUMN_WIDE},
    NAMED_WORK_TIMES,
    {"pace", "Time over Other GPUs", "pace", UNIT_REAL, get_pace,
     "Where one GPU is in scope: the mean duration on it over the median of the means on the other "
     "GPUs of the same model, of three launches at least. Above 1 it is slower than they.",
     0},
    {"others", "Avg on Other GPUs (ns)", "others", UNIT_NS, get_others, "That median.",
     COLUMN_WIDE},
    NAMED_WORK_EXTREMES,
    NAMED_WORK_EXCLUSIVE,
    {"registers", "Registers per Thread", "regs", UNIT_COUNT, get_registers,
     "Registers of each thread.", COLUMN_WIDE},
    {"static_shared", "Static Shared Memory", "smem", UNIT_BYTES, get_static_shared,
     "Shared memory of a block fixed by the code.", COLUMN_WIDE},
    {"dynamic_shared", "Dynamic Shared Memory", "dyn smem", UNIT_BYTES, get_dynamic_shared,
     "Shared memory of a block asked for by the launch.", COLUMN_WIDE},
    LAUNCH_MEANS_COLUMNS(COLUMN_DETAIL),
    NAMED_WORK_KIND(COLUMN_DETAIL),
};

// ---- rows ---------------------------------------------------------------------------------------

struct shapes_builder {
    const struct profile *profile;
    const struct selection *selection;
    struct shape_sums sums;
    struct shapes_row *rows;
    size_t count;
    struct arena *arena;
};

static struct shapes_row row_begin(const struct shapes_builder *builder,
                                   const struct shape_sum *sum)
{
    const struct profile *profile = builder->profile;
    struct shapes_row row = {
        .work = named_work_of(profile, builder->selection, sum->function),
        .shape_id = sum->shape,
    };
    row.work.gpu = (struct stats){.min = sum->min_ns, .max = sum->max_ns};
    if (sum->shape == ROW_NONE)
        return row;
    const struct launch_shape *shape = &profile->shapes[sum->shape];
    row.grid = dims_text(shape->grid, builder->arena);
    if (!row.grid) // databases of old DLProf versions may have an empty table of grids
        return row;
    row.shape = shape;
    row.block = dims_text(row.shape->block, builder->arena);
    row.rest = arena_format(builder->arena, "%d %" PRId64, row.shape->registers,
                            shape_shared_bytes(row.shape));
    return row;
}

static struct id_key row_key(const struct shapes_builder *builder, const struct shape_sum *sum)
{
    return (struct id_key){selection_name(builder->profile, builder->selection, sum->function),
                           sum->shape, builder->profile->functions[sum->function].kind};
}

// Compares the launches of each row on the selected GPU with the launches on other GPUs of the same
// model.
static void add_paces(struct shapes_builder *builder, const struct id_map *map,
                      struct arena *scratch)
{
    const struct profile *profile = builder->profile;
    struct selection any_gpu = *builder->selection; // work on any GPU, of any process
    uint32_t device = any_gpu.device;
    if (device == ROW_NONE)
        return;
    any_gpu.device = any_gpu.process = ROW_NONE;
    struct gpu_speeds speeds =
        gpu_speed_begin(device, profile->device_count, builder->count, scratch);
    struct shape_sums sums = shape_sums_of(profile, &any_gpu, scratch);
    for (size_t s = 0; s < sums.count; s++) {
        const struct shape_sum *sum = &sums.items[s];
        uint32_t row = id_map_get(map, row_key(builder, sum));
        if (row != ROW_NONE && builder->rows[row].work.class == CLASS_COMPUTE &&
            profile->devices[sum->device].name == profile->devices[device].name)
            gpu_speed_add(&speeds, row, sum->device, 0, sum->count, sum->total_ns);
    }
    for (uint32_t r = 0; r < builder->count; r++)
        builder->rows[r].speed = gpu_speed_of(&speeds, r, GPU_SPEED_ALL);
}

static void row_add(struct named_work *row, const struct shape_sum *sum)
{
    struct stats *gpu = &row->gpu;
    gpu->count += (size_t)sum->count;
    sum_add(&gpu->total, sum->total_ns);
    gpu->min = sum->min_ns < gpu->min ? sum->min_ns : gpu->min;
    gpu->max = sum->max_ns > gpu->max ? sum->max_ns : gpu->max;
    gpu->mean = (double)gpu->total / (double)gpu->count;
    if (sum->exclusive_ns == UNKNOWN)
        row->exclusive_ns = UNKNOWN;
    else
        sum_add(&row->exclusive_ns, sum->exclusive_ns);
}

// Builds the rows. Functions with the same name in the selection's name form and the same shape
// share a row.
static void rows_body(void *context, struct arena *scratch)
{
    struct shapes_builder *builder = context;
    struct id_map map = {.arena = scratch}, functions = {.arena = scratch};
    for (size_t s = 0; s < builder->sums.count; s++) {
        const struct shape_sum *sum = &builder->sums.items[s];
        uint32_t *slot = id_map_slot(&map, row_key(builder, sum));
        if (!*slot) {
            builder->rows[builder->count++] = row_begin(builder, sum);
            *slot = (uint32_t)builder->count;
        }
        struct shapes_row *row = &builder->rows[*slot - 1];
        uint32_t *counted = id_map_slot(&functions, (struct id_key){sum->function, sum->shape, 0});
        // an entry that exists already is the same function on another GPU
        row->work.functions += !*counted;
        *counted = 1;
        row_add(&row->work, sum);
        launch_means_add(&row->means, builder->profile, sum->device, sum->shape, sum->total_ns);
    }
    add_paces(builder, &map, scratch);
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    struct shapes_builder builder = {.profile = profile, .selection = selection, .arena = arena};
    builder.sums = shape_sums_of(profile, selection, arena);
    if (builder.sums.count == 0)
        return (struct rows){.empty = work_empty_text(profile)};
    builder.rows = ARENA_ARRAY(arena, struct shapes_row, builder.sums.count);
    scratch_run(arena, rows_body, &builder);
    int64_t work_ns = 0;
    size_t shapes = 0, launches = 0;
    for (size_t i = 0; i < builder.count; i++) {
        bool is_kernel = builder.rows[i].work.kind == WORK_KERNEL;
        sum_add(&work_ns, builder.rows[i].work.gpu.total);
        shapes += is_kernel;
        launches += is_kernel ? builder.rows[i].work.gpu.count : 0;
    }
    for (size_t i = 0; i < builder.count; i++)
        builder.rows[i].work.work_ns = work_ns;
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    return (struct rows){
        .items = builder.rows,
        .count = builder.count,
        .caption =
            arena_format(arena, "%s of kernels, %s", format_counted(a, shapes, "launch shape"),
                         format_counted(b, launches, "launch")),
    };
}

// ---- matching rows of another profile -----------------------------------------------------------

static struct row_match row_match(const void *row)
{
    const struct shapes_row *r = row;
    if (!r->shape)
        return named_work_match(row);
    return (struct row_match){{r->work.alike, r->grid, r->block, r->rest}};
}

// Matches a renamed kernel with the same shape.
static struct row_match match_family(const void *row)
{
    const struct shapes_row *r = row;
    return (struct row_match){{r->shape ? r->work.family : NULL, r->grid, r->block, r->rest}};
}

// Matches a recompiled kernel, whose registers and shared memory may differ.
static struct row_match match_launch(const void *row)
{
    const struct shapes_row *r = row;
    return (struct row_match){{r->shape ? r->work.alike : NULL, r->grid, r->block}};
}

// The last two match by name alone, if one row is left on each side.
static struct row_match (*const fallback_matches[])(const void *row) = {
    match_family, match_launch, named_work_match, named_work_match_family, NULL};

static uint64_t row_id(const void *row)
{
    return (uint64_t)row_of(row)->work.name_id << 32 | row_of(row)->shape_id;
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    selection->name = row_of(row)->work.name_id;
    selection->shape = row_of(row)->shape_id;
    return "launches";
}

const struct report report_shapes = {
    .name = "shapes",
    .title = "Kernels by launch shape",
    .doc = "GPU work by name and launch shape: grid, block, registers and shared memory.",
    .row_size = sizeof(struct shapes_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_aggregate = true,
    .is_work = true,
    .build = build,
    .sort = "-gpu_total",
    .id = row_id,
    .match = row_match,
    .fallback_matches = fallback_matches,
    .busy = "exclusive",
    .narrow = row_narrow,
};
