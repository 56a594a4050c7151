// SPDX-License-Identifier: Apache-2.0
// Lists the points of the allocation curve: allocated and reserved bytes after each event.
#include "analysis/memory/tensor_memory.h"
#include "analysis/report/report.h"
#include "base/text/format.h"

struct curve_row {
    const struct profile *profile;
    const struct memory_series *series;
    const char *home;
    uint32_t at; // index in the series
};

static const struct curve_row *row_of(const void *row)
{
    return row;
}

static uint32_t allocation_of(const void *row)
{
    return row_of(row)->series->rows[row_of(row)->at];
}

static struct value get_home(const void *row)
{
    return value_text(row_of(row)->home);
}

static struct value get_time(const void *row)
{
    return value_integer(AT(row_of(row)->profile->allocations.time, allocation_of(row)));
}

static struct value get_bytes(const void *row)
{
    return value_integer(AT(row_of(row)->profile->allocations.bytes, allocation_of(row)));
}

static struct value get_allocated(const void *row)
{
    return value_integer(row_of(row)->series->allocated[row_of(row)->at]);
}

static struct value get_reserved(const void *row)
{
    const int64_t *reserved = row_of(row)->series->reserved;
    return reserved ? value_integer(reserved[row_of(row)->at]) : value_none();
}

static const struct column columns[] = {
    {"memory", "Memory", "memory", UNIT_TEXT, get_home,
     "Whose memory: of a GPU, or the host's (CPU).", COLUMN_NAME},
    {"time", "Time (ns)", "time", UNIT_TIME, get_time, "When it changes.", 0},
    {"bytes", "Change (B)", "change", UNIT_BYTES, get_bytes,
     "Bytes of the allocation; of a free less than 0.", COLUMN_SIGNED},
    {"allocated", "Allocated (B)", "allocated", UNIT_BYTES, get_allocated,
     "What is allocated after it.", COLUMN_BAR},
    {"reserved", "Reserved (B)", "reserved", UNIT_BYTES, get_reserved,
     "What the allocator keeps from the driver after it, in use or not.", 0},
};

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    if (profile->allocations.count == 0)
        return (struct rows){.empty = tensor_memory_empty_text(profile)};
    const struct memory_series *series = memory_series_build(profile, selection, arena);
    struct curve_row *rows = ARENA_ARRAY(arena, struct curve_row, profile->allocations.count);
    size_t count = 0;
    for (uint32_t d = 0; d <= profile->device_count; d++) {
        const char *home =
            tensor_home_text(profile, d < profile->device_count ? d : ROW_NONE, arena);
        for (uint32_t i = 0; i < series[d].count; i++)
            if (!selection->iterations ||
                selection_has_iteration(
                    selection, allocation_iteration(profile, selection->split, series[d].rows[i])))
                rows[count++] = (struct curve_row){profile, &series[d], home, i};
    }
    if (count == 0)
        return (struct rows){.empty = tensor_memory_empty_text(profile)};
    char text[FORMAT_SIZE];
    return (struct rows){.items = rows,
                         .count = count,
                         .caption = arena_format(arena, "%s of the allocation curve",
                                                 format_counted(text, count, "point"))};
}

static uint64_t row_id(const void *row)
{
    return allocation_of(row);
}

static bool row_place(const struct profile *profile, const struct selection *selection,
                      const void *row, struct row_place *place, struct arena *arena)
{
    (void)selection, (void)arena;
    return allocation_place(profile, allocation_of(row), place);
}

const struct report report_memory_curve = {
    .name = "memory_curve",
    .title = "Allocation curve",
    .doc = "How much the framework's allocator has handed out of each device, and keeps from the "
           "driver, "
           "after each allocation and free.",
    .row_size = sizeof(struct curve_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = build,
    .id = row_id,
    .place = row_place,
};
