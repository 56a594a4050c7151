// SPDX-License-Identifier: Apache-2.0
// Sums kernels by name, launching operator and launch shape (grid, block, registers and shared
// memory). Other GPU work has no row.
#include "analysis/breakdown/launch_means.h"
#include "analysis/report/operators.h"
#include "analysis/report/report.h"
#include "analysis/sums/named_work.h"
#include "analysis/sums/selected_work.h"
#include "analysis/sums/work_text.h"
#include "base/id_map.h"
#include "base/scratch.h"
#include "base/text/format.h"
#include "base/tuples.h"
#include "model/markers/markers.h"
#include "model/rules/rules.h"

struct operator_kernels_row {
    struct named_work work; // its stats have no median and deviation
    const char *operator_name;
    const char *grid, *block; // NULL if not recorded
    const struct launch_shape *shape;
    uint32_t shape_id;
    uint32_t label; // label of the operator; ROW_NONE if none launched it
    enum tristate tensor_core, eligible;
    struct launch_means means;
};

static const struct operator_kernels_row *row_of(const void *row)
{
    return row;
}

static struct value get_operator(const void *row)
{
    return value_text(row_of(row)->operator_name);
}

static struct value get_grid(const void *row)
{
    return value_text(row_of(row)->grid);
}

static struct value get_block(const void *row)
{
    return value_text(row_of(row)->block);
}

static struct value get_registers(const void *row)
{
    const struct launch_shape *shape = row_of(row)->shape;
    return shape && shape->registers >= 0 ? value_integer(shape->registers) : value_none();
}

static struct value get_shared(const void *row)
{
    const struct launch_shape *shape = row_of(row)->shape;
    bool is_known = shape && shape->static_shared >= 0 && shape->dynamic_shared >= 0;
    return is_known ? value_integer((int64_t)shape->static_shared + shape->dynamic_shared)
                    : value_none();
}

static struct value get_tensor_core(const void *row)
{
    return value_state(row_of(row)->tensor_core);
}

static struct value get_eligible(const void *row)
{
    return row_of(row)->label == ROW_NONE ? value_none() : value_state(row_of(row)->eligible);
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
    {"operator", "Operator", "operator", UNIT_TEXT, get_operator,
     "The innermost operator around the call that launched it.", COLUMN_IDENTIFIES},
    {"grid", "Grid", "grid", UNIT_TEXT, get_grid, "Blocks of the launch, x, y and z.",
     COLUMN_IDENTIFIES},
    {"block", "Block", "block", UNIT_TEXT, get_block, "Threads of a block, x, y and z.",
     COLUMN_IDENTIFIES | COLUMN_WIDE},
    NAMED_WORK_TIMES,
    {"registers", "Registers per Thread", "regs", UNIT_COUNT, get_registers,
     "Registers of each thread.", COLUMN_WIDE},
    {"shared", "Shared Memory", "smem", UNIT_BYTES, get_shared,
     "Shared memory of a block, fixed by the code and asked for by the launch.", COLUMN_WIDE},
    LAUNCH_MEANS_COLUMNS(COLUMN_WIDE),
    {"tc", "Uses TC", "TC", UNIT_STATE, get_tensor_core,
     "Whether it runs on Tensor Cores, by the full name and rules/kernels.yaml.", 0},
    {"tc_eligible", "TC Eligible", "eligible", UNIT_STATE, get_eligible,
     "Whether the operator could run on Tensor Cores (rules/ops.yaml).", COLUMN_WIDE},
    NAMED_WORK_EXTREMES,
    NAMED_WORK_EXCLUSIVE,
    {"full", "Full Name", "full name", UNIT_TEXT, named_work_full,
     "Full name of the first of them that ran.", COLUMN_DETAIL},
};

// ---- rows ---------------------------------------------------------------------------------------

struct operator_kernels_builder {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena;
    struct operator_kernels_row *rows;
    size_t count, capacity;
    int64_t work_ns; // of all selected work, including copies
};

static void name_operator(const struct profile *profile, struct operator_kernels_row *row,
                          bool has_launch)
{
    if (row->label == ROW_NONE) {
        row->operator_name = has_launch ? "(no operator)" : "(no launch in the file)";
        return;
    }
    const struct range_label *label = &profile->ranges.labels[row->label];
    string_id type = profile->markers[label->marker].type, name = operator_name(profile, label);
    row->operator_name = profile_text(profile, name);
    row->eligible =
        rules_op_eligible(rules_get(), profile_text(profile, type != STRING_NONE ? type : name));
}

static void row_begin(struct operator_kernels_builder *builder, uint32_t work, uint32_t label,
                      bool has_launch)
{
    const struct profile *profile = builder->profile;
    uint32_t function = AT(profile->work.function, work);
    struct operator_kernels_row row = {
        .work = named_work_of(profile, builder->selection, function),
        .shape_id = HAS(profile->work.shape) ? AT(profile->work.shape, work) : ROW_NONE,
        .shape = work_launch_shape(profile, work),
        .label = label,
        .tensor_core = profile->functions[function].tensor_core,
    };
    row.work.functions = 1;
    row.work.gpu = (struct stats){.min = INT64_MAX};
    name_operator(profile, &row, has_launch);
    if (row.shape) {
        row.grid = dims_text(row.shape->grid, builder->arena);
        row.block = dims_text(row.shape->block, builder->arena);
    }
    ARENA_PUSH(builder->arena, builder->rows, builder->count, builder->capacity) = row;
}

static void row_add(struct operator_kernels_builder *builder, struct operator_kernels_row *row,
                    uint32_t work)
{
    const struct profile *profile = builder->profile;
    struct stats *gpu = &row->work.gpu;
    int64_t ns = work_duration(profile, work);
    gpu->count++;
    sum_add(&gpu->total, ns);
    gpu->min = ns < gpu->min ? ns : gpu->min;
    gpu->max = ns > gpu->max ? ns : gpu->max;
    gpu->mean = (double)gpu->total / (double)gpu->count;
    if (profile->functions[AT(profile->work.function, work)].tensor_core != row->tensor_core)
        row->tensor_core = STATE_UNKNOWN;
    if (!HAS(profile->work.exclusive))
        row->work.exclusive_ns = UNKNOWN;
    else
        sum_add(&row->work.exclusive_ns, AT(profile->work.exclusive, work));
    if (HAS(profile->work.shape))
        launch_means_add(&row->means, profile, work_device(profile, work),
                         AT(profile->work.shape, work), ns);
}

// Returns, by shape, the first shape with the same launch parameters. Shapes differ also in blocks
// per multiprocessor, which depend on the GPU.
static uint32_t *first_equal_shapes(const struct profile *profile, struct arena *scratch)
{
    enum { NUMBERS = 9 };
    struct tuples launches;
    tuples_open(&launches, scratch, NUMBERS);
    uint32_t *first = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->shape_count + 1);
    uint32_t *shape_of = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->shape_count + 1);
    for (uint32_t s = 0; s < profile->shape_count; s++) {
        const struct launch_shape *shape = &profile->shapes[s];
        const int64_t key[NUMBERS] = {
            shape->grid[0],   shape->grid[1],       shape->grid[2],
            shape->block[0],  shape->block[1],      shape->block[2],
            shape->registers, shape->static_shared, shape->dynamic_shared};
        uint32_t old_count = launches.count, launch = tuples_put(&launches, key);
        if (launch == old_count)
            shape_of[launch] = s;
        first[s] = shape_of[launch];
    }
    return first;
}

static void rows_body(void *context, struct arena *scratch)
{
    enum { NO_OPERATOR = UINT32_MAX, NO_LAUNCH = UINT32_MAX - 1 };
    struct operator_kernels_builder *builder = context;
    const struct profile *profile = builder->profile;
    struct id_map map = {.arena = scratch};
    struct work_list list = selected_work(profile, builder->selection, scratch);
    const uint32_t *equal_shape = first_equal_shapes(profile, scratch);
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t w = list.rows[i], function = AT(profile->work.function, w);
        sum_add(&builder->work_ns, work_duration(profile, w));
        if (profile->functions[function].kind != WORK_KERNEL)
            continue;
        uint32_t range = profile->markers ? operator_of_work(profile, w) : ROW_NONE;
        uint32_t label = range == ROW_NONE ? ROW_NONE : AT(profile->ranges.label, range);
        bool has_launch = HAS(profile->work.launch) && AT(profile->work.launch, w) != ROW_NONE;
        uint32_t name = label != ROW_NONE ? operator_name(profile, &profile->ranges.labels[label])
                        : has_launch      ? NO_OPERATOR
                                          : NO_LAUNCH;
        uint32_t shape = HAS(profile->work.shape) ? AT(profile->work.shape, w) : ROW_NONE;
        shape = shape < profile->shape_count ? equal_shape[shape] : ROW_NONE;
        struct id_key key = {
            (uint64_t)selection_name(profile, builder->selection, function) << 32 | name, shape, 0};
        uint32_t *slot = id_map_slot(&map, key);
        if (!*slot) {
            row_begin(builder, w, label, has_launch);
            *slot = (uint32_t)builder->count;
        }
        row_add(builder, &builder->rows[*slot - 1], w);
    }
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    struct operator_kernels_builder builder = {
        .profile = profile, .selection = selection, .arena = arena};
    scratch_run(arena, rows_body, &builder);
    if (!builder.count)
        return (struct rows){.empty = kernels_empty_text(profile)};
    uint64_t launches = 0;
    for (size_t i = 0; i < builder.count; i++) {
        builder.rows[i].work.work_ns = builder.work_ns;
        launches += builder.rows[i].work.gpu.count;
    }
    char a[FORMAT_SIZE], b[FORMAT_SIZE];
    return (struct rows){
        .items = builder.rows,
        .count = builder.count,
        .caption = arena_format(arena, "%s of kernels by operators, %s",
                                format_counted(a, builder.count, "launch shape"),
                                format_counted(b, launches, "launch")),
    };
}

static struct row_match row_match(const void *row)
{
    const struct operator_kernels_row *r = row;
    return (struct row_match){{r->work.name, r->operator_name, r->grid, r->block}};
}

static struct row_match match_operator(const void *row)
{
    const struct operator_kernels_row *r = row;
    return (struct row_match){{r->work.name, r->operator_name}};
}

static struct row_match (*const fallback_matches[])(const void *row) = {match_operator, NULL};

static uint64_t row_id(const void *row)
{
    const struct operator_kernels_row *r = row;
    return text_id((uint64_t)r->work.name_id << 32 | r->shape_id, r->operator_name);
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    selection->name = row_of(row)->work.name_id;
    selection->shape = row_of(row)->shape_id;
    if (row_of(row)->label != ROW_NONE) {
        selection->by_operator = row_of(row)->label;
        selection->operator_key = OPERATOR_BY_NAME;
    }
    return "launches";
}

const struct report report_operator_kernels = {
    .name = "operator_kernels",
    .title = "Kernels by operator and launch shape",
    .doc = "Kernels by name, operator, grid, block, registers and shared memory.",
    .row_size = sizeof(struct operator_kernels_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_aggregate = true,
    .is_work = true,
    .build = build,
    .sort = "-gpu_total",
    .id = row_id,
    .match = row_match,
    .fallback_matches = fallback_matches,
    .narrow = row_narrow,
};
