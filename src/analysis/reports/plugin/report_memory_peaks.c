// SPDX-License-Identifier: Apache-2.0
// Shows the peak of the memory that the framework's allocator handed out, per device, and when it
// occurred.
#include "analysis/memory/memory_peaks.h"
#include "analysis/memory/memory_use.h"
#include "analysis/report/report.h"

static const struct memory_peaks_row *row_of(const void *row)
{
    return row;
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
GETTER(peak, peak.allocated)
GETTER(peak_at, peak.allocated_ns)
GETTER(reserved, peak.reserved)
GETTER(reserved_at, peak.reserved_ns)
GETTER(before, peak.before)
GETTER(after, peak.after)
GETTER(allocated, peak.bytes)
GETTER(allocations, peak.allocations)
GETTER(iteration, iteration)
GETTER(size, size)

static struct value get_op(const void *row)
{
    return value_text(row_of(row)->op);
}

static struct value get_share(const void *row)
{
    const struct memory_peaks_row *r = row;
    return r->series.is_counted || r->size == UNKNOWN || r->peak.allocated == UNKNOWN ||
                   r->peak.allocated > r->size
               ? value_none()
               : value_share(r->peak.allocated, r->size);
}

static const struct column columns[] = {
    {"memory", "Memory", "memory", UNIT_TEXT, get_home,
     "Whose memory: of a GPU, or the host's (CPU).", COLUMN_NAME},
    {"peak", "Peak (B)", "peak", UNIT_BYTES, get_peak,
     "The most that is allocated at any moment of what is selected, as the allocator tells it; of "
     "several processes together. Where a file tells no totals (PyTorch before 1.10) what came and "
     "went since it begins.",
     COLUMN_BAR | COLUMN_ONE_STEP},
    {"used", "Peak of the GPU's Memory (%)", "%GPU", UNIT_PERCENT, get_share,
     "The peak over the size of the GPU's memory; unknown where the file tells no totals.", 0},
    {"peak_at", "Peak At (ns)", "peak at", UNIT_TIME, get_peak_at, "Since when it is so much.", 0},
    {"iteration", "Iteration", "iter", UNIT_ID, get_iteration,
     "Iteration of that moment; unknown outside every iteration.", 0},
    {"op", "Operator at the Peak", "operator", UNIT_TEXT, get_op,
     "Operator whose allocation made the peak.", 0},
    {"reserved", "Reserved at Most (B)", "reserved", UNIT_BYTES, get_reserved,
     "The most that the allocator keeps from the driver, in use or not.", COLUMN_ONE_STEP},
    {"before", "At the Beginning (B)", "begin", UNIT_BYTES, get_before,
     "Allocated where what is selected begins, or from the first event of the file on.",
     COLUMN_WIDE},
    {"after", "At the End (B)", "end", UNIT_BYTES, get_after,
     "Allocated where what is selected ends.", COLUMN_WIDE | COLUMN_ONE_STEP},
    {"allocated", "Allocated (B)", "allocated", UNIT_BYTES, get_allocated,
     "Bytes allocated, whatever becomes of them.", COLUMN_NOT_ADDITIVE | COLUMN_WIDE},
    {"allocations", "Allocations", "allocs", UNIT_COUNT, get_allocations, "Number of allocations.",
     COLUMN_NOT_ADDITIVE | COLUMN_WIDE},
    {"reserved_at", "Reserved At (ns)", "reserved at", UNIT_TIME, get_reserved_at,
     "Since when it keeps the most.", COLUMN_DETAIL},
    {"size", "GPU Memory (B)", "of", UNIT_BYTES, get_size, "Size of the GPU's memory.",
     COLUMN_DETAIL},
};

static void row_fill(struct memory_peaks_row *row, const struct profile *profile,
                     const struct selection *selection, const struct op_places *places,
                     struct arena *arena)
{
    const struct split *split = selection->split;
    row->home = tensor_home_text(profile, row->device, arena);
    row->size = row->device == ROW_NONE ? UNKNOWN : profile->devices[row->device].memory_bytes;
    row->iteration = UNKNOWN;
    row->peak = memory_peak_find(profile, selection, &row->series, arena);
    if (row->peak.row == ROW_NONE)
        return;
    if (allocation_bytes(&profile->allocations, row->peak.row) > 0)
        row->op = allocation_op_text(profile, places, row->peak.row, arena);
    uint32_t process = profile->threads[AT(profile->allocations.thread, row->peak.row)].process;
    uint32_t iteration = split_at(split, process, row->peak.allocated_ns);
    if (split->method != SPLIT_NONE && iteration < split->count)
        row->iteration = split->number[iteration];
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    if (profile->allocations.count == 0)
        return (struct rows){.empty = tensor_memory_empty_text(profile)};
    struct memory_series *series = memory_series_build(profile, selection, arena);
    struct op_places places = op_places_build(profile, arena);
    struct memory_peaks_row *rows =
        ARENA_ARRAY(arena, struct memory_peaks_row, profile->device_count + 1);
    size_t count = 0;
    bool is_counted = false;
    for (uint32_t d = 0; d <= profile->device_count; d++) {
        if (series[d].count == 0)
            continue;
        struct memory_peaks_row *row = &rows[count++];
        row->device = d < profile->device_count ? d : ROW_NONE;
        row->series = series[d];
        row_fill(row, profile, selection, &places, arena);
        is_counted |= series[d].is_counted;
    }
    if (count == 0)
        return (struct rows){.empty = tensor_memory_empty_text(profile)};
    return (struct rows){
        .items = rows,
        .count = count,
        .caption = is_counted ? "Counted from the beginning of the file, which tells no totals"
                              : "What the framework's allocator has handed out",
    };
}

static uint64_t row_id(const void *row)
{
    return row_of(row)->device;
}

static struct row_match row_match(const void *row)
{
    return (struct row_match){{row_of(row)->home}};
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    if (row_of(row)->device == ROW_NONE)
        selection->memory = memory_choice(MEMORY_OF_HOST, MEMORY_ANY);
    else
        selection->device = row_of(row)->device;
    return "memory_events";
}

static bool row_place(const struct profile *profile, const struct selection *selection,
                      const void *row, struct row_place *place, struct arena *arena)
{
    (void)selection, (void)arena;
    return allocation_place(profile, row_of(row)->peak.row, place);
}

const struct report report_memory_peaks = {
    .name = "memory_peaks",
    .title = "Peaks of allocated memory",
    .doc = "The most memory that the framework's allocator has handed out of each device, when "
           "that was "
           "and in which operator, and how much it keeps from the driver.",
    .row_size = sizeof(struct memory_peaks_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .is_aggregate = true,
    .apart = "overlap",
    .build = build,
    .id = row_id,
    .match = row_match,
    .narrow = row_narrow,
    .place = row_place,
};
