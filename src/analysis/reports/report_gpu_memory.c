// SPDX-License-Identifier: Apache-2.0
// Shows how much memory is live: per GPU the peak of all groups in its own memory, and the peak of
// each group.
#include <inttypes.h>

#include "analysis/memory/memory_place.h"
#include "analysis/report/report.h"

struct gpu_memory_row {
    const struct profile *profile;
    const char *kind, *gpu;
    uint32_t device, group; // group: a memory group or MEMORY_ALL_ON_GPU
    int64_t iteration;      // number of the iteration of the peak, or UNKNOWN
    struct memory_use use;
};

static const struct gpu_memory_row *row_of(const void *row)
{
    return row;
}

static struct value get_device(const void *row)
{
    const struct gpu_memory_row *r = row;
    return r->device == ROW_NONE ? value_none()
                                 : value_integer(device_number(r->profile, r->device));
}

static struct value get_kind(const void *row)
{
    return value_text(row_of(row)->kind);
}

static int64_t size_of(const struct gpu_memory_row *row)
{
    return row->device != ROW_NONE && memory_group_is_on_gpu(row->group)
               ? row->profile->devices[row->device].memory_bytes
               : UNKNOWN;
}

// A peak above the memory's size means that the size is wrong or that several processes' views are
// summed; the share is then unknown.
static struct value get_share(const void *row)
{
    int64_t size = size_of(row);
    return size > 0 && row_of(row)->use.peak <= size ? value_share(row_of(row)->use.peak, size)
                                                     : value_none();
}

static struct value get_size(const void *row)
{
    return value_integer(size_of(row));
}

static struct value get_iteration(const void *row)
{
    return value_integer(row_of(row)->iteration);
}

MEMORY_USE_GETTERS(gpu_memory_row, use)

static const struct column columns[] = {
    {"device", "GPU", "gpu", UNIT_ID, get_device,
     "Number of the GPU; unknown where the process ran nothing on it.", COLUMN_IDENTIFIES},
    {"kind", "Memory", "memory", UNIT_TEXT, get_kind,
     "Kind of memory; \"all on the GPU\" is the sum of device, device static and array memory. "
     "Pinned memory is the host's, managed memory moves.",
     COLUMN_NAME},
    {"peak", "Peak (B)", "peak", UNIT_BYTES, get_peak,
     "The most that is live at any moment of what is selected. Live is what was allocated since "
     "the capture began and is not freed.",
     COLUMN_BAR | COLUMN_ONE_STEP},
    {"used", "Peak of the GPU's Memory (%)", "%GPU", UNIT_PERCENT, get_share,
     "The peak over the size of the GPU's memory. What the driver itself takes, and other "
     "processes, is not in it.",
     0},
    {"peak_at", "Peak At (ns)", "peak at", UNIT_TIME, get_peak_at, "Since when it is so much.", 0},
    {"iteration", "Iteration", "iter", UNIT_ID, get_iteration,
     "Iteration of that moment; unknown outside every iteration.", 0},
    {"live", "Live at the End (B)", "live", UNIT_BYTES, get_live,
     "What is live where what is selected ends.", COLUMN_ONE_STEP},
    {"allocated", "Allocated (B)", "allocated", UNIT_BYTES, get_allocated, "Bytes allocated.",
     COLUMN_NOT_ADDITIVE},
    {"freed", "Freed (B)", "freed", UNIT_BYTES, get_freed,
     "Bytes freed, also of what was there before the capture began.", COLUMN_NOT_ADDITIVE},
    {"allocations", "Allocations", "allocs", UNIT_COUNT, get_allocations, "Number of allocations.",
     COLUMN_NOT_ADDITIVE | COLUMN_WIDE},
    {"frees", "Frees", "frees", UNIT_COUNT, get_frees, "Number of frees.",
     COLUMN_NOT_ADDITIVE | COLUMN_WIDE},
    {"largest", "Largest (B)", "largest", UNIT_BYTES, get_largest, "The largest allocation.",
     COLUMN_WIDE},
    {"size", "GPU Memory (B)", "of", UNIT_BYTES, get_size, "Size of the GPU's memory.",
     COLUMN_DETAIL},
};

enum { ROWS_PER_GPU = MEMORY_GROUPS + 1 }; // rows of a GPU: all on the GPU, then its groups

struct gpu_memory {
    const struct profile *profile;
    const struct selection *selection;
    struct memory_use *uses, *totals; // uses: by memory_place_of(); totals: by device
};

static void measure_memory(struct gpu_memory *memory, struct arena *arena)
{
    const struct profile *profile = memory->profile;
    uint32_t count = profile->memory.count, devices = profile->device_count + 1;
    uint32_t *of_group = ARENA_ARRAY(arena, uint32_t, count);
    uint32_t *of_device = ARENA_ARRAY(arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        bool is_in = selection_has_memory_of(profile, memory->selection, i);
        uint32_t place = memory_place_of(profile, i);
        of_group[i] = is_in ? place : ROW_NONE;
        of_device[i] = is_in && memory_group_is_on_gpu(place % MEMORY_GROUPS)
                           ? place / MEMORY_GROUPS
                           : ROW_NONE;
    }
    memory->uses = memory_use_sums(profile, memory->selection, of_group,
                                   (size_t)devices * MEMORY_GROUPS, arena);
    memory->totals = memory_use_sums(profile, memory->selection, of_device, devices, arena);
}

static bool does_anything(const struct memory_use *use)
{
    return use->allocations + use->frees > 0 || use->peak > 0;
}

static size_t rows_add(struct gpu_memory_row *rows, const struct gpu_memory *memory,
                       uint32_t device)
{
    const struct memory_use *uses = memory->uses + (size_t)device * MEMORY_GROUPS;
    size_t count = 0, on_gpu = 0;
    for (uint32_t g = 0; g < MEMORY_GROUPS; g++)
        on_gpu += memory_group_is_on_gpu(g) && does_anything(&uses[g]);
    if (on_gpu > 1)
        rows[count++] =
            (struct gpu_memory_row){.group = MEMORY_ALL_ON_GPU, .use = memory->totals[device]};
    for (uint32_t g = 0; g < MEMORY_GROUPS; g++)
        if (does_anything(&uses[g]))
            rows[count++] = (struct gpu_memory_row){.group = g, .use = uses[g]};
    return count;
}

static void row_finish(struct gpu_memory_row *row, const struct gpu_memory *memory, uint32_t device,
                       struct arena *arena)
{
    const struct profile *profile = memory->profile;
    const struct split *split = memory->selection->split;
    row->profile = profile;
    row->device = device < profile->device_count ? device : ROW_NONE;
    row->kind = row->group == MEMORY_ALL_ON_GPU ? "all on the GPU" : memory_group_name(row->group);
    row->gpu = row->device == ROW_NONE
                   ? "-"
                   : arena_format(arena, "%" PRId64, device_number(profile, device));
    row->iteration = UNKNOWN;
    if (row->use.peak_event == ROW_NONE || split->method == SPLIT_NONE)
        return;
    uint32_t process = profile->memory.process[row->use.peak_event];
    uint32_t iteration = split_at(split, process, row->use.peak_ns);
    if (iteration < split->count)
        row->iteration = split->number[iteration];
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    if (profile->memory.count == 0)
        return (struct rows){.empty = memory_empty_text(profile)};
    struct gpu_memory memory = {.profile = profile, .selection = selection};
    uint32_t devices = profile->device_count + 1;
    struct gpu_memory_row *rows =
        ARENA_ARRAY(arena, struct gpu_memory_row, (size_t)devices * ROWS_PER_GPU);
    size_t count = 0;
    measure_memory(&memory, arena);
    for (uint32_t d = 0; d < devices; d++) {
        size_t added = rows_add(rows + count, &memory, d);
        for (size_t i = 0; i < added; i++)
            row_finish(&rows[count + i], &memory, d, arena);
        count += added;
    }
    if (count == 0)
        return (struct rows){.empty = memory_empty_text(profile)};
    return (struct rows){
        .items = rows,
        .count = count,
        .caption = profile_find_note(profile, "memory_freed_only")
                       ? "Allocated since the capture began; memory from before it is freed, too, "
                         "so that the GPUs hold more"
                       : "Allocated since the capture began: what the driver gives, not tensors",
    };
}

static uint64_t row_id(const void *row)
{
    return (uint64_t)row_of(row)->device * ROWS_PER_GPU + row_of(row)->group;
}

static struct row_match row_match(const void *row)
{
    return (struct row_match){{row_of(row)->gpu, row_of(row)->kind}};
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    if (row_of(row)->device == ROW_NONE)
        return NULL;
    selection->device = row_of(row)->device;
    selection->memory = memory_choice(row_of(row)->group, MEMORY_ANY);
    return "allocations";
}

static bool row_place(const struct profile *profile, const struct selection *selection,
                      const void *row, struct row_place *place, struct arena *arena)
{
    (void)selection, (void)arena;
    return memory_place(profile, row_of(row)->use.peak_event, MEMORY_AT_LEVEL, place);
}

const struct report report_gpu_memory = {
    .name = "gpu_memory",
    .title = "Memory of the GPUs",
    .doc = "The most memory that is live on each GPU and when, by kind of memory: what programs "
           "allocated through the driver since the capture began and did not free.",
    .row_size = sizeof(struct gpu_memory_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = build,
    .id = row_id,
    .match = row_match,
    .is_aggregate = true,
    .apart = "overlap",
    .narrow = row_narrow,
    .place = row_place,
};
