// SPDX-License-Identifier: Apache-2.0
// GPU work by name and launch shape: `kernels` with a row for each grid, block, register count and
// shared memory that a kernel was launched with. Copies, memsets and replays, which have none, are
// rows by name, so that the rows add up to all GPU work.
#include <inttypes.h>

#include "analysis/breakdown/launch_means.h"
#include "analysis/detect/paces.h"
#include "analysis/report/stats.h"
#include "analysis/reports/report_list.h"
#include "analysis/sums/named_work.h"
#include "analysis/sums/shape_sums.h"
#include "analysis/sums/work_text.h"
#include "base/format.h"
#include "base/id_map.h"
#include "base/scratch.h"

struct shapes_row {
    struct named_work work;           // its durations without median and deviation
    uint32_t shape_id;                // row of shapes, ROW_NONE: none
    const struct launch_shape *shape; // NULL: no kernel, or the file does not tell
    const char *grid, *block, *rest;  // NULL without one; rest: registers and shared memory
    struct pace pace;                 // against the other GPUs, where one is selected
    struct launch_means means;        // of kernels
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

static struct value told(int64_t figure)
{
    return figure < 0 ? value_none() : value_integer(figure);
}

static struct value get_registers(const void *row)
{
    return row_of(row)->shape ? told(row_of(row)->shape->registers) : value_none();
}

static struct value get_static_shared(const void *row)
{
    return row_of(row)->shape ? told(row_of(row)->shape->static_shared) : value_none();
}

static struct value get_dynamic_shared(const void *row)
{
    return row_of(row)->shape ? told(row_of(row)->shape->dynamic_shared) : value_none();
}

static struct value get_pace(const void *row)
{
    const struct pace *pace = &row_of(row)->pace;
    return pace->ratio > 0 ? value_real(pace->ratio) : value_none();
}

static struct value get_others(const void *row)
{
    const struct pace *pace = &row_of(row)->pace;
    return pace->ratio > 0 ? value_real(pace->others) : value_none();
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
     COLUMN_TELLS},
    {"block", "Block", "block", UNIT_TEXT, get_block, "Threads of a block, x, y and z.",
     COLUMN_TELLS | COLUMN_WIDE},
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

// ---- rows --------------------------------------------------------------------------------------

struct building {
    const struct profile *profile;
    const struct selection *selection;
    struct shape_sums sums;
    struct shapes_row *rows;
    size_t count;
    struct arena *arena;
};

static struct shapes_row row_begin(const struct building *building, const struct shape_sum *sum)
{
    const struct profile *profile = building->profile;
    struct shapes_row row = {
        .work = named_work_of(profile, building->selection, sum->function),
        .shape_id = sum->shape,
    };
    row.work.gpu = (struct stats){.min = sum->min_ns, .max = sum->max_ns};
    if (sum->shape == ROW_NONE)
        return row;
    const struct launch_shape *shape = &profile->shapes[sum->shape];
    row.grid = dims_text(shape->grid, building->arena);
    if (!row.grid) // an old DLProf's database of which the table of grids is empty
        return row;
    row.shape = shape;
    row.block = dims_text(row.shape->block, building->arena);
    row.rest = arena_format(building->arena, "%d %" PRId64, row.shape->registers,
                            shape_shared_bytes(row.shape));
    return row;
}

static struct id_key row_key(const struct building *building, const struct shape_sum *sum)
{
    return (struct id_key){selection_name(building->profile, building->selection, sum->function),
                           sum->shape, building->profile->functions[sum->function].kind};
}

// What launches of each row take on the GPU in scope and on others of its model.
static void add_paces(struct building *building, const struct id_map *map, struct arena *scratch)
{
    const struct profile *profile = building->profile;
    struct selection any = *building->selection; // on any GPU, in whichever process
    uint32_t own = any.device;
    if (own == ROW_NONE)
        return;
    any.device = any.process = ROW_NONE;
    struct paces paces = paces_begin(own, profile->device_count, building->count, scratch);
    struct shape_sums sums = shape_sums_of(profile, &any, scratch);
    for (size_t s = 0; s < sums.count; s++) {
        const struct shape_sum *sum = &sums.items[s];
        uint32_t row = id_map_get(map, row_key(building, sum));
        if (row != ROW_NONE && building->rows[row].work.class == CLASS_COMPUTE &&
            profile->devices[sum->device].name == profile->devices[own].name)
            paces_add(&paces, row, sum->device, 0, sum->count, sum->total_ns);
    }
    for (uint32_t r = 0; r < building->count; r++)
        building->rows[r].pace = pace_of(&paces, r, PACE_ALL);
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

// Functions of one name in the present form, launched alike, are one row.
static void rows_body(void *context, struct arena *scratch)
{
    struct building *building = context;
    struct id_map map = {.arena = scratch}, functions = {.arena = scratch};
    for (size_t s = 0; s < building->sums.count; s++) {
        const struct shape_sum *sum = &building->sums.items[s];
        uint32_t *slot = id_map_slot(&map, row_key(building, sum));
        if (!*slot) {
            building->rows[building->count++] = row_begin(building, sum);
            *slot = (uint32_t)building->count;
        }
        struct shapes_row *row = &building->rows[*slot - 1];
        uint32_t *known = id_map_slot(&functions, (struct id_key){sum->function, sum->shape, 0});
        row->work.functions += !*known; // the others are the same one on further GPUs
        *known = 1;
        row_add(&row->work, sum);
        launch_means_add(&row->means, building->profile, sum->device, sum->shape, sum->total_ns);
    }
    add_paces(building, &map, scratch);
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    struct building building = {.profile = profile, .selection = selection, .arena = arena};
    building.sums = shape_sums_of(profile, selection, arena);
    if (building.sums.count == 0)
        return (struct rows){.empty = work_empty_text(profile)};
    building.rows = ARENA_ARRAY(arena, struct shapes_row, building.sums.count);
    scratch_run(arena, rows_body, &building);
    int64_t work_ns = 0;
    size_t shapes = 0, launches = 0;
    for (size_t i = 0; i < building.count; i++) {
        bool is_kernel = building.rows[i].work.kind == WORK_KERNEL;
        sum_add(&work_ns, building.rows[i].work.gpu.total);
        shapes += is_kernel;
        launches += is_kernel ? building.rows[i].work.gpu.count : 0;
    }
    for (size_t i = 0; i < building.count; i++)
        building.rows[i].work.work_ns = work_ns;
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    return (struct rows){
        .items = building.rows,
        .count = building.count,
        .caption =
            arena_format(arena, "%s of kernels, %s", format_counted(a, shapes, "launch shape"),
                         format_counted(b, launches, "launch")),
    };
}

// ---- in another profile ------------------------------------------------------------------------

static struct row_match row_match(const void *row)
{
    const struct shapes_row *r = row;
    if (!r->shape)
        return named_work_match(row);
    return (struct row_match){{r->work.alike, r->grid, r->block, r->rest}};
}

// Renamed, and launched alike.
static struct row_match match_family(const void *row)
{
    const struct shapes_row *r = row;
    return (struct row_match){{r->shape ? r->work.family : NULL, r->grid, r->block, r->rest}};
}

// Compiled anew: registers and shared memory are the compiler's.
static struct row_match match_launch(const void *row)
{
    const struct shapes_row *r = row;
    return (struct row_match){{r->shape ? r->work.alike : NULL, r->grid, r->block}};
}

// By the name alone: launched otherwise, when there is but one such.
static struct row_match (*const match_again[])(const void *row) = {
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
    .match_again = match_again,
    .busy = "exclusive",
    .narrow = row_narrow,
};
