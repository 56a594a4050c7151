// SPDX-License-Identifier: Apache-2.0
// Sums allocations by operator and device: the table of the Memory view of PyTorch's TensorBoard
// plugin. All allocations of an op count for the step in which the op begins.
#include "analysis/memory/memory_use.h"
#include "analysis/memory/tensor_memory.h"
#include "analysis/place/row_place_find.h"
#include "analysis/report/report.h"
#include "analysis/report/stats.h"
#include "base/scratch.h"
#include "base/sort.h"
#include "base/text/format.h"
#include "base/tuples.h"

struct op_sums {
    // increase: allocated less freed bytes; size: allocated bytes; count: allocations
    int64_t increase, size, count;
};

struct op_memory_row {
    const char *op, *home; // home: "GPU 0" or "CPU"
    string_id name;
    uint32_t device; // ROW_NONE for the host
    int64_t calls;
    struct op_sums own, all; // without and with the operators inside it
};

static const struct op_memory_row *row_of(const void *row)
{
    return row;
}

static struct value get_op(const void *row)
{
    return value_text(row_of(row)->op);
}

static struct value get_home(const void *row)
{
    return value_text(row_of(row)->home);
}

#define GETTER(name, figure)                        \
    static struct value get_##name(const void *row) \
    {                                               \
        return value_integer(row_of(row)->figure);  \
    }
GETTER(calls, calls)
GETTER(increase, all.increase)
GETTER(self_increase, own.increase)
GETTER(allocations, all.count)
GETTER(self_allocations, own.count)
GETTER(size, all.size)
GETTER(self_size, own.size)

static const struct column columns[] = {
    {"op", "Operator", "operator", UNIT_TEXT, get_op, "Name of the operator.", COLUMN_NAME},
    {"memory", "Memory", "memory", UNIT_TEXT, get_home,
     "Whose memory: of a GPU, or the host's (CPU).", COLUMN_IDENTIFIES},
    {"calls", "Calls", "calls", UNIT_COUNT, get_calls,
     "Calls of the operator, those that allocate nothing too. One around a single one of its own "
     "name "
     "is one with it.",
     COLUMN_NOT_ADDITIVE | COLUMN_HOST},
    {"self_increase", "Self Size Increase (B)", "self increase", UNIT_BYTES, get_self_increase,
     "Bytes allocated less bytes freed while it was the innermost operator.",
     COLUMN_BAR | COLUMN_NOT_ADDITIVE | COLUMN_HOST},
    {"increase", "Size Increase (B)", "increase", UNIT_BYTES, get_increase,
     "The same with the operators that it calls.", COLUMN_NOT_ADDITIVE | COLUMN_HOST},
    {"self_size", "Self Allocation Size (B)", "self size", UNIT_BYTES, get_self_size,
     "Bytes allocated while it was the innermost operator, whatever becomes of them.",
     COLUMN_NOT_ADDITIVE | COLUMN_HOST},
    {"size", "Allocation Size (B)", "size", UNIT_BYTES, get_size,
     "The same with the operators that it calls.", COLUMN_NOT_ADDITIVE | COLUMN_HOST | COLUMN_WIDE},
    {"self_allocations", "Self Allocation Count", "self allocs", UNIT_COUNT, get_self_allocations,
     "Allocations while it was the innermost operator.", COLUMN_NOT_ADDITIVE | COLUMN_HOST},
    {"allocations", "Allocation Count", "allocs", UNIT_COUNT, get_allocations,
     "The same with the operators that it calls.", COLUMN_NOT_ADDITIVE | COLUMN_HOST | COLUMN_WIDE},
};

// ---- building -----------------------------------------------------------------------------------

struct op_memory_builder {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena; // holds the rows
    struct op_places places;
    bool *is_selected;  // by range: true for a selected operator
    struct tuples keys; // (name, device)
    struct op_memory_row *rows;
    size_t count, capacity;
    int64_t unowned; // number of allocations outside operators
    // State for the device that is being summed:
    struct op_sums *all; // by range
    bool *is_touched;    // by range: it allocates, or contains a range that does
    int64_t *touched;    // these ranges
    size_t touched_count;
};

static struct op_memory_row *row_find(struct op_memory_builder *builder, string_id name,
                                      uint32_t device)
{
    uint32_t row = tuples_put(&builder->keys, (int64_t[2]){name, device});
    if (row == builder->count)
        ARENA_PUSH(builder->arena, builder->rows, builder->count, builder->capacity) =
            (struct op_memory_row){.op = profile_text(builder->profile, name),
                                   .home =
                                       tensor_home_text(builder->profile, device, builder->arena),
                                   .name = name,
                                   .device = device};
    return &builder->rows[row];
}

static string_id name_of(const struct profile *profile, uint32_t range)
{
    return operator_name(profile, range_label(&profile->ranges, range));
}

static void sums_add(struct op_sums *sums, const struct op_sums *more)
{
    sum_add(&sums->increase, more->increase);
    sum_add(&sums->size, more->size);
    sums->count += more->count;
}

static void add_own(struct op_memory_builder *builder, uint32_t row, uint32_t range)
{
    const struct profile *profile = builder->profile;
    int64_t bytes = allocation_bytes(&profile->allocations, row);
    struct op_sums one = {bytes, bytes > 0 ? bytes : 0, bytes > 0};
    uint32_t device = AT(profile->allocations.device, row);
    sums_add(&builder->all[range], &one);
    if (builder->is_selected[range])
        sums_add(&row_find(builder, name_of(profile, range), device)->own, &one);
    for (; range != ROW_NONE && !builder->is_touched[range];
         range = operator_outer(profile, builder->places.owners, range)) {
        builder->is_touched[range] = true;
        builder->touched[builder->touched_count++] = range;
    }
}

// Adds the sums of each op to the op that contains it. Outer ranges precede inner ones, so one pass
// in descending order is enough, independent of the number of allocations.
static void add_to_outer_ops(struct op_memory_builder *builder, uint32_t device)
{
    const struct profile *profile = builder->profile;
    sort_values(builder->touched, builder->touched_count);
    for (; builder->touched_count > 0; builder->touched_count--) {
        uint32_t range = (uint32_t)builder->touched[builder->touched_count - 1];
        uint32_t outer = operator_outer(profile, builder->places.owners, range);
        if (builder->is_selected[range])
            sums_add(&row_find(builder, name_of(profile, range), device)->all,
                     &builder->all[range]);
        if (outer != ROW_NONE)
            sums_add(&builder->all[outer], &builder->all[range]);
        builder->all[range] = (struct op_sums){0};
        builder->is_touched[range] = false;
    }
}

static void add_allocations(struct op_memory_builder *builder, struct arena *scratch)
{
    const struct profile *profile = builder->profile;
    const struct allocations *allocations = &profile->allocations;
    size_t ranges = (size_t)profile->ranges.count + 1;
    int64_t *devices = ARENA_ARRAY(scratch, int64_t, (size_t)allocations->count + 1);
    builder->all = ARENA_ARRAY(scratch, struct op_sums, ranges);
    builder->is_touched = ARENA_ARRAY(scratch, bool, ranges);
    builder->touched = ARENA_ARRAY(scratch, int64_t, ranges);
    for (uint32_t i = 0; i < allocations->count; i++)
        devices[i] = AT(allocations->device, i);
    const uint32_t *order = sort_by_time(scratch, devices, NULL, allocations->count);
    for (uint32_t i = 0; i < allocations->count; i++) {
        uint32_t row = order[i], device = AT(allocations->device, row);
        uint32_t range = allocation_owner(profile, &builder->places, row);
        bool is_of_op = op_places_has_op(profile, &builder->places, range);
        if (!selection_has_home(builder->selection, device))
            continue;
        if (is_of_op)
            add_own(builder, row, range);
        else
            builder->unowned += allocation_bytes(allocations, row) > 0;
        if (i + 1 == allocations->count || devices[order[i + 1]] != devices[row])
            add_to_outer_ops(builder, device);
    }
}

static void count_calls(struct op_memory_builder *builder, struct arena *scratch)
{
    const struct profile *profile = builder->profile;
    const struct ranges *ranges = &profile->ranges;
    uint32_t *calls = ARENA_ARRAY(scratch, uint32_t, strings_count(profile->strings));
    for (uint32_t r = 0; r < ranges->count; r++)
        if (builder->is_selected[r])
            calls[name_of(profile, r)]++;
    for (size_t i = 0; i < builder->count; i++)
        builder->rows[i].calls = calls[builder->rows[i].name];
}

static void build_body(void *context, struct arena *scratch)
{
    struct op_memory_builder *builder = context;
    const struct profile *profile = builder->profile;
    struct selection any_device = *builder->selection;
    // the device is that of the memory and is checked per allocation
    if (builder->selection->device != ROW_NONE)
        any_device.device = ROW_NONE;
    builder->places = op_places_build(profile, scratch);
    builder->is_selected = ARENA_ARRAY(scratch, bool, (size_t)profile->ranges.count + 1);
    tuples_open(&builder->keys, scratch, 2);
    for (uint32_t r = 0; r < profile->ranges.count; r++)
        builder->is_selected[r] = builder->places.owners[r] == r &&
                                  op_places_has_op(profile, &builder->places, r) &&
                                  selection_has_range(profile, &any_device, r);
    add_allocations(builder, scratch);
    count_calls(builder, scratch);
}

static const char *caption_text(const struct op_memory_builder *builder, struct arena *arena)
{
    struct op_sums total = {0};
    char count[FORMAT_SIZE], bytes[FORMAT_SIZE], unowned[FORMAT_SIZE];
    for (size_t i = 0; i < builder->count; i++) {
        sum_add(&total.size, builder->rows[i].own.size);
        total.count += builder->rows[i].own.count;
    }
    const char *text = arena_format(arena, "%s of %s in operators",
                                    format_counted(count, (uint64_t)total.count, "allocation"),
                                    format_bytes(bytes, total.size));
    bool is_all = !builder->selection->iterations && builder->selection->node == ROW_NONE;
    return builder->unowned && is_all ? arena_format(arena, "%s, %s outside", text,
                                                     format_count(unowned, builder->unowned))
                                      : text;
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    if (profile->allocations.count == 0 || !profile->tree)
        return (struct rows){.empty = tensor_memory_empty_text(profile)};
    struct op_memory_builder builder = {.profile = profile, .selection = selection, .arena = arena};
    scratch_run(arena, build_body, &builder);
    if (builder.count == 0)
        return (struct rows){.empty = builder.unowned ? "No operator allocates in what is selected."
                                                      : tensor_memory_empty_text(profile)};
    return (struct rows){
        .items = builder.rows, .count = builder.count, .caption = caption_text(&builder, arena)};
}

static uint64_t row_id(const void *row)
{
    return (uint64_t)row_of(row)->device << 32 | row_of(row)->name;
}

static struct row_match row_match(const void *row)
{
    return (struct row_match){{row_of(row)->op, row_of(row)->home}};
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    selection->range_name = row_of(row)->name;
    if (row_of(row)->device == ROW_NONE)
        selection->memory = memory_choice(MEMORY_OF_HOST, MEMORY_ANY);
    else
        selection->device = row_of(row)->device;
    return "memory_events";
}

static bool row_place(const struct profile *profile, const struct selection *selection,
                      const void *row, struct row_place *place, struct arena *arena)
{
    (void)arena;
    return place_of_range_name(profile, selection, row_of(row)->name, place);
}

const struct report report_op_memory = {
    .name = "op_memory",
    .title = "Memory by operator",
    .doc =
        "Memory that the framework's allocator hands out and takes back, by operator and device: "
        "the figures of the Memory view of PyTorch's TensorBoard plugin. An operator counts, with "
        "all "
        "that it allocates, in the iteration in which it begins.",
    .row_size = sizeof(struct op_memory_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_aggregate = true,
    .apart = "nest",
    .build = build,
    .sort = "-self_increase",
    .id = row_id,
    .match = row_match,
    .narrow = row_narrow,
    .place = row_place,
};
