// SPDX-License-Identifier: Apache-2.0
// Operators by the memory that they allocate, for each device: the table of the Memory view of PyTorch's
// TensorBoard plugin. An op counts, with all that it allocates, where it begins.
#include "analysis/memory/memory_use.h"
#include "analysis/memory/tensor_memory.h"
#include "analysis/report/stats.h"
#include "analysis/reports/report_list.h"
#include "analysis/reports/row_place.h"
#include "base/format.h"
#include "base/scratch.h"
#include "base/sort.h"
#include "base/tuples.h"

struct op_sums {
    int64_t increase, size, count; // frees included; allocated; allocations
};

struct op_memory_row {
    const char *op, *home; // home: "GPU 0", "CPU"
    string_id name;
    uint32_t device; // ROW_NONE: the host's
    int64_t calls;
    struct op_sums own, all; // all: with what lies in it
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
     "Whose memory: of a GPU, or the host's (CPU).", COLUMN_TELLS},
    {"calls", "Calls", "calls", UNIT_COUNT, get_calls,
     "Calls of the operator, those that allocate nothing too. One around a single one of its own "
     "name "
     "is one with it.",
     COLUMN_APART | COLUMN_HOST},
    {"self_increase", "Self Size Increase (B)", "self increase", UNIT_BYTES, get_self_increase,
     "Bytes allocated less bytes freed while it was the innermost operator.",
     COLUMN_BAR | COLUMN_APART | COLUMN_HOST},
    {"increase", "Size Increase (B)", "increase", UNIT_BYTES, get_increase,
     "The same with the operators that it calls.", COLUMN_APART | COLUMN_HOST},
    {"self_size", "Self Allocation Size (B)", "self size", UNIT_BYTES, get_self_size,
     "Bytes allocated while it was the innermost operator, whatever becomes of them.",
     COLUMN_APART | COLUMN_HOST},
    {"size", "Allocation Size (B)", "size", UNIT_BYTES, get_size,
     "The same with the operators that it calls.", COLUMN_APART | COLUMN_HOST | COLUMN_WIDE},
    {"self_allocations", "Self Allocation Count", "self allocs", UNIT_COUNT, get_self_allocations,
     "Allocations while it was the innermost operator.", COLUMN_APART | COLUMN_HOST},
    {"allocations", "Allocation Count", "allocs", UNIT_COUNT, get_allocations,
     "The same with the operators that it calls.", COLUMN_APART | COLUMN_HOST | COLUMN_WIDE},
};

// ---- building ----------------------------------------------------------------------------------

struct building {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena; // of the rows
    struct op_places places;
    bool *is_selected;  // by range: an operator that counts
    struct tuples keys; // name, device
    struct op_memory_row *rows;
    size_t count, capacity;
    int64_t unowned; // allocations outside of operators
    // Of the home that is being gone through:
    struct op_sums *all; // by range
    bool *is_seen;       // by range
    int64_t *seen;       // ranges that allocate, or one in them does
    size_t seen_count;
};

static struct op_memory_row *row_find(struct building *building, string_id name, uint32_t device)
{
    uint32_t row = tuples_put(&building->keys, (int64_t[2]){name, device});
    if (row == building->count)
        ARENA_PUSH(building->arena, building->rows, building->count, building->capacity) =
            (struct op_memory_row){.op = profile_text(building->profile, name),
                                   .home =
                                       tensor_home_text(building->profile, device, building->arena),
                                   .name = name,
                                   .device = device};
    return &building->rows[row];
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

static void add_own(struct building *building, uint32_t row, uint32_t range)
{
    const struct profile *profile = building->profile;
    int64_t bytes = allocation_bytes(&profile->allocations, row);
    struct op_sums one = {bytes, bytes > 0 ? bytes : 0, bytes > 0};
    uint32_t device = AT(profile->allocations.device, row);
    sums_add(&building->all[range], &one);
    if (building->is_selected[range])
        sums_add(&row_find(building, name_of(profile, range), device)->own, &one);
    for (; range != ROW_NONE && !building->is_seen[range];
         range = operator_outer(profile, building->places.owners, range)) {
        building->is_seen[range] = true;
        building->seen[building->seen_count++] = range;
    }
}

// Each op hands what it has to the one around it, which stands before it: once, however many allocations
// there are.
static void add_up(struct building *building, uint32_t device)
{
    const struct profile *profile = building->profile;
    sort_values(building->seen, building->seen_count);
    for (; building->seen_count > 0; building->seen_count--) {
        uint32_t range = (uint32_t)building->seen[building->seen_count - 1];
        uint32_t outer = operator_outer(profile, building->places.owners, range);
        if (building->is_selected[range])
            sums_add(&row_find(building, name_of(profile, range), device)->all,
                     &building->all[range]);
        if (outer != ROW_NONE)
            sums_add(&building->all[outer], &building->all[range]);
        building->all[range] = (struct op_sums){0};
        building->is_seen[range] = false;
    }
}

static void add_allocations(struct building *building, struct arena *scratch)
{
    const struct profile *profile = building->profile;
    const struct allocations *all = &profile->allocations;
    size_t ranges = (size_t)profile->ranges.count + 1;
    int64_t *homes = ARENA_ARRAY(scratch, int64_t, (size_t)all->count + 1);
    building->all = ARENA_ARRAY(scratch, struct op_sums, ranges);
    building->is_seen = ARENA_ARRAY(scratch, bool, ranges);
    building->seen = ARENA_ARRAY(scratch, int64_t, ranges);
    for (uint32_t i = 0; i < all->count; i++)
        homes[i] = AT(all->device, i);
    const uint32_t *order = sort_by_time(scratch, homes, NULL, all->count);
    for (uint32_t i = 0; i < all->count; i++) {
        uint32_t row = order[i], device = AT(all->device, row);
        uint32_t range = allocation_owner(profile, &building->places, row);
        bool is_of_op = op_places_has_op(profile, &building->places, range);
        if (!selection_has_home(building->selection, device))
            continue;
        if (is_of_op)
            add_own(building, row, range);
        else
            building->unowned += allocation_bytes(all, row) > 0;
        if (i + 1 == all->count || homes[order[i + 1]] != homes[row])
            add_up(building, device);
    }
}

static void count_calls(struct building *building, struct arena *scratch)
{
    const struct profile *profile = building->profile;
    const struct ranges *ranges = &profile->ranges;
    uint32_t *calls = ARENA_ARRAY(scratch, uint32_t, strings_count(profile->strings));
    for (uint32_t r = 0; r < ranges->count; r++)
        if (building->is_selected[r])
            calls[name_of(profile, r)]++;
    for (size_t i = 0; i < building->count; i++)
        building->rows[i].calls = calls[building->rows[i].name];
}

static void build_body(void *context, struct arena *scratch)
{
    struct building *building = context;
    const struct profile *profile = building->profile;
    struct selection any = *building->selection;
    if (building->selection->device != ROW_NONE) // that of the memory is asked of each allocation
        any.device = ROW_NONE;
    building->places = op_places_make(profile, scratch);
    building->is_selected = ARENA_ARRAY(scratch, bool, (size_t)profile->ranges.count + 1);
    tuples_open(&building->keys, scratch, 2);
    for (uint32_t r = 0; r < profile->ranges.count; r++)
        building->is_selected[r] = building->places.owners[r] == r &&
                                   op_places_has_op(profile, &building->places, r) &&
                                   selection_has_range(profile, &any, r);
    add_allocations(building, scratch);
    count_calls(building, scratch);
}

static const char *caption_text(const struct building *building, struct arena *arena)
{
    struct op_sums all = {0};
    char count[FORMAT_SIZE], bytes[FORMAT_SIZE], unowned[FORMAT_SIZE];
    for (size_t i = 0; i < building->count; i++) {
        sum_add(&all.size, building->rows[i].own.size);
        all.count += building->rows[i].own.count;
    }
    const char *text = arena_format(arena, "%s of %s in operators",
                                    format_counted(count, (uint64_t)all.count, "allocation"),
                                    format_bytes(bytes, all.size));
    bool is_all = !building->selection->iterations && building->selection->node == ROW_NONE;
    return building->unowned && is_all ? arena_format(arena, "%s, %s outside", text,
                                                      format_count(unowned, building->unowned))
                                       : text;
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    if (profile->allocations.count == 0 || !profile->tree)
        return (struct rows){.empty = tensor_memory_empty(profile)};
    struct building building = {.profile = profile, .selection = selection, .arena = arena};
    scratch_run(arena, build_body, &building);
    if (building.count == 0)
        return (struct rows){.empty = building.unowned
                                          ? "No operator allocates in what is selected."
                                          : tensor_memory_empty(profile)};
    return (struct rows){
        .items = building.rows, .count = building.count, .caption = caption_text(&building, arena)};
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
                      const void *row, struct place *place, struct arena *arena)
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
