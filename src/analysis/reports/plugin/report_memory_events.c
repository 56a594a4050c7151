// SPDX-License-Identifier: Apache-2.0
// Lists single allocations of the framework, each with the free that ends it.
#include "analysis/memory/tensor_memory.h"
#include "analysis/report/report.h"
#include "analysis/sums/work_text.h"
#include "base/text/format.h"

struct memory_event_texts { // shared by all rows
    const struct profile *profile;
    const struct selection *selection; // a copy owned by the rows
    const char **places;               // path by node of the tree; NULL until a row needs it
    const char **homes;                // by device; the last is the host's
};

struct memory_event_row {
    const struct memory_event_texts *texts;
    const char *op; // NULL outside operators
    uint32_t row;   // row of profile.allocations: an allocation, or a free without one
};

static const struct memory_event_row *row_of(const void *row)
{
    return row;
}

static const struct profile *profile_of(const void *row)
{
    return row_of(row)->texts->profile;
}

static const struct allocations *allocations_of(const void *row)
{
    return &profile_of(row)->allocations;
}

static int64_t time_of(const void *row, uint32_t of)
{
    return of == ROW_NONE ? UNKNOWN : AT(allocations_of(row)->time, of);
}

static bool is_free(const void *row)
{
    return allocation_bytes(allocations_of(row), row_of(row)->row) <= 0;
}

static uint32_t freed_row(const void *row)
{
    return is_free(row) ? row_of(row)->row : AT(allocations_of(row)->other, row_of(row)->row);
}

static struct value get_op(const void *row)
{
    return value_text(row_of(row)->op);
}

static struct value get_home(const void *row)
{
    uint32_t device = AT(allocations_of(row)->device, row_of(row)->row);
    const struct profile *profile = profile_of(row);
    return value_text(
        row_of(row)->texts->homes[device == ROW_NONE ? profile->device_count : device]);
}

static struct value get_bytes(const void *row)
{
    int64_t bytes = allocation_bytes(allocations_of(row), row_of(row)->row);
    return value_integer(bytes < 0 ? -bytes : bytes);
}

static struct value get_start(const void *row)
{
    return value_integer(is_free(row) ? UNKNOWN : time_of(row, row_of(row)->row));
}

static struct value get_stop(const void *row)
{
    return value_integer(time_of(row, freed_row(row)));
}

static struct value get_held(const void *row)
{
    int64_t until = time_of(row, freed_row(row));
    return is_free(row) || until == UNKNOWN ? value_none()
                                            : value_integer(until - time_of(row, row_of(row)->row));
}

static struct value get_iteration(const void *row)
{
    const struct split *split = row_of(row)->texts->selection->split;
    uint32_t iteration = allocation_iteration(profile_of(row), split, row_of(row)->row);
    return split->method != SPLIT_NONE && iteration < split->count
               ? value_integer(split->number[iteration])
               : value_none();
}

static uint32_t node_of(const struct memory_event_texts *texts, uint32_t row)
{
    uint32_t range = range_tree_owner(texts->profile, AT(texts->profile->allocations.range, row));
    return selection_range_node(texts->profile, texts->selection, range);
}

static struct value get_place(const void *row)
{
    uint32_t node = node_of(row_of(row)->texts, row_of(row)->row);
    return node == ROW_NONE ? value_none() : value_text(row_of(row)->texts->places[node]);
}

static struct value get_address(const void *row)
{
    const struct allocations *allocations = allocations_of(row);
    int64_t address = HAS(allocations->address) ? AT(allocations->address, row_of(row)->row) : 0;
    return address == 0 ? value_none() : value_integer(address);
}

static uint32_t thread_of(const void *row)
{
    return AT(allocations_of(row)->thread, row_of(row)->row);
}

static struct value get_thread(const void *row)
{
    return value_integer(profile_of(row)->threads[thread_of(row)].tid);
}

static struct value get_process(const void *row)
{
    const struct profile *profile = profile_of(row);
    return value_integer(profile->processes[profile->threads[thread_of(row)].process].pid);
}

static const struct column columns[] = {
    {"op", "Operator", "operator", UNIT_TEXT, get_op,
     "Innermost operator around the allocation; for aten::empty and its like with what called it, "
     "\"aten::zeros (aten::empty)\". Unknown of a free, and where no operator is around it.",
     COLUMN_NAME},
    {"memory", "Memory", "memory", UNIT_TEXT, get_home,
     "Whose memory: of a GPU, or the host's (CPU).", 0},
    {"bytes", "Bytes", "bytes", UNIT_BYTES, get_bytes, "How much it is.", COLUMN_BAR},
    {"start", "Allocated (ns)", "allocated", UNIT_TIME, get_start,
     "When it is allocated; unknown of what was there before the file begins.", 0},
    {"stop", "Freed (ns)", "freed", UNIT_TIME, get_stop,
     "When the same address is freed next; unknown where the file has no such free.", 0},
    {"held", "Held (ns)", "held", UNIT_NS, get_held,
     "From the allocation to the free; unknown where one of them is not in the file.", 0},
    {"iteration", "Iteration", "iter", UNIT_ID, get_iteration,
     "Iteration in which it is allocated (of a free alone: freed); unknown outside every "
     "iteration.",
     COLUMN_WIDE},
    {"place", "Place", "place", UNIT_TEXT, get_place,
     "Place in the op tree: names from the root, joined by \" > \".", COLUMN_DETAIL},
    {"address", "Address", "address", UNIT_ID, get_address, "Where it lies.", COLUMN_DETAIL},
    {"thread", "Thread", "tid", UNIT_ID, get_thread, "Thread that allocated it.", COLUMN_DETAIL},
    {"process", "Process", "pid", UNIT_ID, get_process, "Its process.", COLUMN_DETAIL},
};

// Returns true if a selected allocation or free has a row of its own. A free with a known
// allocation is part of the allocation's row.
static bool is_shown(const struct profile *profile, const struct selection *selection,
                     const struct op_places *places, uint32_t row)
{
    const struct allocations *allocations = &profile->allocations;
    bool is_free = allocation_bytes(allocations, row) <= 0;
    if (is_free &&
        (AT(allocations->other, row) != ROW_NONE || selection->range_name != STRING_NONE))
        return false;
    return (!selection->iterations ||
            selection_has_iteration(selection,
                                    allocation_iteration(profile, selection->split, row))) &&
           selection_has_allocation(profile, selection, places, row);
}

static void find_texts(const struct memory_event_texts *texts, uint32_t row, struct arena *arena)
{
    uint32_t node = node_of(texts, row);
    if (node != ROW_NONE && !texts->places[node])
        texts->places[node] = node_path_text(
            texts->profile, selection_tree(texts->profile, texts->selection), node, arena);
}

static struct memory_event_texts *texts_new(const struct profile *profile,
                                            const struct selection *selection, struct arena *arena)
{
    struct selection *copy = ARENA_NEW(arena, struct selection);
    struct memory_event_texts *texts = ARENA_NEW(arena, struct memory_event_texts);
    *copy = *selection;
    *texts = (struct memory_event_texts){
        .profile = profile,
        .selection = copy,
        .places = ARENA_ARRAY(arena, const char *, selection_tree(profile, selection)->count),
        .homes = ARENA_ARRAY(arena, const char *, profile->device_count + 1),
    };
    for (uint32_t d = 0; d <= profile->device_count; d++)
        texts->homes[d] =
            tensor_home_text(profile, d < profile->device_count ? d : ROW_NONE, arena);
    return texts;
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    const struct allocations *allocations = &profile->allocations;
    if (allocations->count == 0 || !profile->tree)
        return (struct rows){.empty = tensor_memory_empty_text(profile)};
    if (!HAS(allocations->address))
        return (struct rows){.empty =
                                 "The trace tells no addresses, so that no free is known to end "
                                 "an allocation: PyTorch 1.10 and later tell them."};
    struct memory_event_texts *texts = texts_new(profile, selection, arena);
    struct memory_event_row *rows = ARENA_ARRAY(arena, struct memory_event_row, allocations->count);
    struct op_places places = op_places_build(profile, arena);
    size_t count = 0;
    for (uint32_t i = 0; i < allocations->count; i++) {
        if (!is_shown(profile, selection, &places, i))
            continue;
        bool is_free = allocation_bytes(allocations, i) <= 0;
        rows[count++] = (struct memory_event_row){
            .texts = texts,
            .row = i,
            .op = is_free ? NULL : allocation_op_text(profile, &places, i, arena)};
        find_texts(texts, i, arena);
    }
    if (count == 0)
        return (struct rows){.empty = tensor_memory_empty_text(profile)};
    char text[FORMAT_SIZE];
    return (struct rows){.items = rows,
                         .count = count,
                         .caption = arena_format(arena, "%s, with what ends them",
                                                 format_counted(text, count, "allocation"))};
}

static uint64_t row_id(const void *row)
{
    return row_of(row)->row;
}

static bool row_place(const struct profile *profile, const struct selection *selection,
                      const void *row, struct row_place *place, struct arena *arena)
{
    (void)selection, (void)arena;
    return allocation_place(profile, row_of(row)->row, place);
}

const struct report report_memory_events = {
    .name = "memory_events",
    .title = "Allocations of tensors",
    .doc =
        "Allocations of the framework one by one, in order of time, each with the next free of its "
        "address: the events of the Memory view of PyTorch's TensorBoard plugin.",
    .row_size = sizeof(struct memory_event_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = build,
    .id = row_id,
    .place = row_place,
};
