// SPDX-License-Identifier: Apache-2.0
// Sums driver allocations by node of the op tree and kind of memory, with the bytes that are still
// allocated by each node.
#include "analysis/memory/memory_place.h"
#include "analysis/report/report.h"
#include "analysis/sums/work_text.h"
#include "base/id_map.h"
#include "base/sort.h"
#include "base/text/format.h"
#include "model/profile/api_name.h"

struct allocations_row {
    const struct profile *profile;
    const char *place, *api; // api: NULL if the call is not in the file
    uint32_t node;           // ROW_NONE if the call is not in the file
    uint32_t choice;
    struct memory_use use;
    int64_t all_bytes; // allocated bytes of all rows
};

static const struct allocations_row *row_of(const void *row)
{
    return row;
}

static struct value get_place(const void *row)
{
    return value_text(row_of(row)->place);
}

static struct value get_kind(const void *row)
{
    return value_text(memory_group_name(row_of(row)->choice / MEMORY_PARTS));
}

static struct value get_share(const void *row)
{
    return value_share(row_of(row)->use.allocated, row_of(row)->all_bytes);
}

MEMORY_USE_GETTERS(allocations_row, use)

static uint32_t largest_call(const void *row)
{
    uint32_t event = row_of(row)->use.largest_event;
    return event == ROW_NONE ? ROW_NONE : row_of(row)->profile->memory.api[event];
}

static struct value get_api(const void *row)
{
    return value_text(row_of(row)->api);
}

static struct value get_line(const void *row)
{
    return value_text(call_place(row_of(row)->profile, largest_call(row)));
}

static const struct column columns[] = {
    {"place", "Allocated By", "allocated by", UNIT_TEXT, get_place,
     "Place in the op tree whose call allocates: names from the root, joined by \" > \". What it "
     "allocated counts here when it is freed, whoever frees it.",
     COLUMN_NAME},
    {"kind", "Memory", "memory", UNIT_TEXT, get_kind,
     "Kind of memory; \"pool\": taken from a pool in the order of a stream.", COLUMN_IDENTIFIES},
    {"allocated", "Allocated (B)", "allocated", UNIT_BYTES, get_allocated, "Bytes allocated.",
     COLUMN_BAR | COLUMN_SUM},
    {"share", "Share of Allocated (%)", "%alloc", UNIT_PERCENT, get_share,
     "Allocated bytes of the row over those of all rows.", COLUMN_SHARE},
    {"allocations", "Allocations", "allocs", UNIT_COUNT, get_allocations, "Number of allocations.",
     COLUMN_SUM},
    {"freed", "Freed (B)", "freed", UNIT_BYTES, get_freed, "Bytes of it freed.", COLUMN_SUM},
    {"frees", "Frees", "frees", UNIT_COUNT, get_frees, "Number of frees.",
     COLUMN_SUM | COLUMN_WIDE},
    {"live", "Live at the End (B)", "live", UNIT_BYTES, get_live,
     "Allocated since the capture began and not freed yet where what is selected ends; of all "
     "GPUs together.",
     COLUMN_ONE_STEP | COLUMN_ALL_GPUS},
    {"peak", "Peak (B)", "peak", UNIT_BYTES, get_peak,
     "The most that is live at any moment of what is selected; of all GPUs together. Peaks of "
     "rows come at different moments and do not add up.",
     0},
    {"peak_at", "Peak At (ns)", "peak at", UNIT_TIME, get_peak_at, "Since when it is so much.",
     COLUMN_WIDE},
    {"largest", "Largest (B)", "largest", UNIT_BYTES, get_largest, "The largest allocation.",
     COLUMN_WIDE},
    {"api", "API Name", "API", UNIT_TEXT, get_api, "Call that made the largest.", COLUMN_DETAIL},
    {"source_line", "Source Line", "line", UNIT_TEXT, get_line,
     "Line of the program that the largest comes from.", COLUMN_DETAIL},
};

struct allocation_index {
    struct id_map map; // (node, choice) -> row + 1
    struct allocations_row *rows;
    size_t count, capacity;
};

static uint32_t row_find(struct allocation_index *index, uint32_t node, uint32_t choice)
{
    uint32_t *slot = id_map_slot(&index->map, (struct id_key){node, choice, 0});
    if (!*slot) {
        *slot = (uint32_t)index->count + 1;
        ARENA_PUSH(index->map.arena, index->rows, index->count, index->capacity) =
            (struct allocations_row){.node = node, .choice = choice};
    }
    return *slot - 1;
}

static uint32_t row_of_event(struct allocation_index *index, const struct profile *profile,
                             const struct selection *selection, uint32_t event)
{
    enum memory_part part = memory_part_of(profile, event);
    uint32_t call = profile->memory.api[memory_owner(profile, event)];
    uint32_t node = part == MEMORY_CALLED ? selection_api_node(profile, selection, call) : ROW_NONE;
    return row_find(index, node, memory_choice(memory_group(profile, event), part));
}

static const char *place_text_of(const struct profile *profile, const struct selection *selection,
                                 const struct allocations_row *row, struct arena *arena)
{
    if (row->choice % MEMORY_PARTS == MEMORY_ALLOCATED_BEFORE)
        return "(allocated before the capture)";
    return row->node == ROW_NONE
               ? "(call is not in the file)"
               : node_path_text(profile, selection_tree(profile, selection), row->node, arena);
}

static int compare_peaks(const void *context, uint32_t a, uint32_t b)
{
    const struct memory_use *uses = context;
    return (uses[a].peak < uses[b].peak) - (uses[a].peak > uses[b].peak);
}

// Returns the rows with any allocation, free or live byte, by descending peak.
static struct allocations_row *rows_keep(const struct profile *profile,
                                         const struct selection *selection,
                                         struct allocation_index *index,
                                         const struct memory_use *uses, size_t *count,
                                         struct arena *arena)
{
    struct allocations_row *rows = ARENA_ARRAY(arena, struct allocations_row, index->count);
    uint32_t *order = ARENA_ARRAY(arena, uint32_t, index->count);
    int64_t all_bytes = 0;
    for (uint32_t i = 0; i < index->count; i++) {
        order[i] = i;
        sum_add(&all_bytes, uses[i].allocated);
    }
    sort_ids(order, index->count, compare_peaks, uses, arena);
    *count = 0;
    for (size_t i = 0; i < index->count; i++) {
        const struct memory_use *use = &uses[order[i]];
        if (use->allocations + use->frees == 0 && use->peak == 0)
            continue;
        struct allocations_row *row = &rows[(*count)++];
        *row = index->rows[order[i]];
        row->profile = profile;
        row->use = *use;
        row->all_bytes = all_bytes;
        row->place = place_text_of(profile, selection, row, arena);
        uint32_t call = largest_call(row);
        const char *name =
            call == ROW_NONE ? NULL : profile_text(profile, AT(profile->api.name, call));
        row->api = name ? arena_copy(arena, name, api_name_length(name)) : NULL;
    }
    return rows;
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    const struct memory_events *memory = &profile->memory;
    if (memory->count == 0 || !profile->tree)
        return (struct rows){.empty = memory_empty_text(profile)};
    struct allocation_index index = {.map = {.arena = arena}};
    uint32_t *row_of = ARENA_ARRAY(arena, uint32_t, memory->count);
    for (uint32_t i = 0; i < memory->count; i++)
        row_of[i] = selection_has_memory_of(profile, selection, i)
                        ? row_of_event(&index, profile, selection, i)
                        : ROW_NONE;
    const struct memory_use *uses = memory_use_sums(profile, selection, row_of, index.count, arena);
    size_t count;
    struct allocations_row *rows = rows_keep(profile, selection, &index, uses, &count, arena);
    if (count == 0)
        return (struct rows){.empty = memory_empty_text(profile)};
    int64_t allocations = 0, frees = 0;
    for (size_t i = 0; i < count; i++) {
        allocations += rows[i].use.allocations;
        frees += rows[i].use.frees;
    }
    char text[FORMAT_SIZE], freed[FORMAT_SIZE], bytes[FORMAT_SIZE];
    return (struct rows){
        .items = rows,
        .count = count,
        .caption = arena_format(arena, "%s of %s, %s: what the driver gives, not tensors",
                                format_counted(text, (uint64_t)allocations, "allocation"),
                                format_bytes(bytes, rows->all_bytes),
                                format_counted(freed, (uint64_t)frees, "free")),
    };
}

static uint64_t row_id(const void *row)
{
    return (uint64_t)row_of(row)->node << 32 | row_of(row)->choice;
}

static struct row_match row_match(const void *row)
{
    return (struct row_match){
        {row_of(row)->place, memory_group_name(row_of(row)->choice / MEMORY_PARTS)}};
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    if (row_of(row)->node != ROW_NONE)
        selection->node = row_of(row)->node;
    selection->memory = row_of(row)->choice;
    return "allocation_events";
}

static bool row_place(const struct profile *profile, const struct selection *selection,
                      const void *row, struct row_place *place, struct arena *arena)
{
    (void)selection, (void)arena;
    const struct memory_use *use = &row_of(row)->use;
    uint32_t event = use->largest_event != ROW_NONE ? use->largest_event : use->peak_event;
    return memory_place(profile, event, MEMORY_AT_CALL, place);
}

const struct report report_allocations = {
    .name = "allocations",
    .title = "Allocations",
    .doc = "Memory that programs allocate through the driver, by place and kind of memory: what is "
           "allocated, freed and held. Of a caching allocator these are its segments, not tensors.",
    .row_size = sizeof(struct allocations_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_aggregate = true,
    .build = build,
    .sort = "-allocated",
    .id = row_id,
    .match = row_match,
    .narrow = row_narrow,
    .place = row_place,
};
