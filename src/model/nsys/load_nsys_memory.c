// SPDX-License-Identifier: Apache-2.0
// Reads the memory that programs allocate and free through the driver.
#include "base/sort.h"
#include "model/derive/derive.h"
#include "model/nsys/nsys_tables.h"
#include "model/profile/copy_kinds.h"

struct raw_memory {
    int64_t *start, *bytes, *address, *pool;
    // `place` and `name` are local until the slices are merged
    uint32_t *place, *correlation, *name;
    uint8_t *kind, *is_free;
};

enum {
    MEMORY_START,
    MEMORY_PID,
    MEMORY_DEVICE_ID,
    MEMORY_ADDRESS,
    MEMORY_BYTES,
    MEMORY_KIND,
    MEMORY_OPERATION,
    MEMORY_NAME,
    MEMORY_CORRELATION,
    MEMORY_POOL
};
// The first exports lack the last columns: the calling API call and the pool are unknown then.
static const char *const memory_columns[] = {
    "start",   "globalPid",           "deviceId", "address",       "bytes",
    "memKind", "memoryOperationType", "name",     "correlationId", "localMemoryPoolAddress",
    NULL};

enum { OPERATION_ALLOCATE, OPERATION_FREE }; // numbers as in nsys

struct memory_local {
    struct tuples places;   // (process, ordinal)
    int64_t strange, named; // number of rows with an unknown operation; number of rows with a name
};

static void memory_begin(struct table_slice *slice)
{
    struct memory_local *local = ARENA_NEW(slice->arena, struct memory_local);
    tuples_open(&local->places, slice->arena, 2);
    slice->local = local;
}

static void memory_row(struct table_slice *slice, sqlite3_value **row)
{
    struct raw_memory *raw = slice->target;
    struct memory_local *local = slice->local;
    int64_t start, operation = cell_integer_or(row, MEMORY_OPERATION, -1);
    uint32_t at;
    if (!cell_integer(row, MEMORY_START, &start)) {
        slice->skipped[SKIP_TIME]++;
        return;
    }
    if (!nsys_is_plausible_time(slice->nsys, start)) {
        slice->skipped[SKIP_IMPLAUSIBLE]++;
        return;
    }
    if (operation != OPERATION_ALLOCATE && operation != OPERATION_FREE) {
        local->strange++;
        return;
    }
    if (!slice_room(slice, &at))
        return;
    int64_t kind = cell_integer_or(row, MEMORY_KIND, -1);
    int64_t correlation = cell_integer_or(row, MEMORY_CORRELATION, 0);
    int64_t place[2] = {nsys_pid(slice->nsys, cell_integer_or(row, MEMORY_PID, 0)),
                        cell_integer_or(row, MEMORY_DEVICE_ID, -1)};
    raw->start[at] = start;
    raw->bytes[at] = cell_integer_or(row, MEMORY_BYTES, UNKNOWN);
    raw->address[at] = cell_integer_or(row, MEMORY_ADDRESS, 0);
    raw->pool[at] = cell_integer_or(row, MEMORY_POOL, 0);
    raw->kind[at] = (uint8_t)(kind >= 0 && kind < MEMORY_KIND_COUNT ? kind : MEMORY_KIND_COUNT);
    raw->is_free[at] = operation == OPERATION_FREE;
    raw->place[at] = tuples_put(&local->places, place);
    raw->correlation[at] = correlation < 0 || correlation > UINT32_MAX ? 0 : (uint32_t)correlation;
    raw->name[at] = slice_text(slice, row, MEMORY_NAME);
    local->named += raw->name[at] != STRING_NONE;
}

static const struct table_reader memory_reader = {"CUDA_GPU_MEMORY_USAGE_EVENTS", memory_columns,
                                                  memory_begin, memory_row, EXTENT_BEFORE};

// Returns the GPU of an ordinal of a process. If the process ran no work on it, it is unknown
// unless the profile has a single GPU.
static uint32_t memory_device(const struct nsys *nsys, uint32_t process, int64_t ordinal)
{
    uint32_t known = tuples_find(&nsys->device_keys, (int64_t[2]){process, ordinal});
    if (known != UINT32_MAX)
        return nsys->device_rows[known];
    return nsys->profile->device_count == 1 && ordinal >= 0 ? 0 : ROW_NONE;
}

struct memory_merged {
    uint32_t *process, *device; // raw columns
    int64_t strange, named;
};

static void merge_memory(struct nsys *nsys, const struct table_slices *slices,
                         struct raw_memory *raw, struct memory_merged *merged)
{
    for (size_t s = 0; s < slices->count; s++) {
        const struct table_slice *slice = &slices->items[s];
        const struct memory_local *local = slice->local;
        uint32_t *process = ARENA_ARRAY(nsys->scratch, uint32_t, local->places.count);
        uint32_t *device = ARENA_ARRAY(nsys->scratch, uint32_t, local->places.count);
        for (uint32_t i = 0; i < local->places.count; i++) {
            const int64_t *place = tuples_key(&local->places, i);
            process[i] = nsys_process_row(nsys, place[0]);
            device[i] = memory_device(nsys, process[i], place[1]);
        }
        for (uint32_t i = slice->base; i < slice->base + slice->count; i++) {
            merged->process[i] = process[raw->place[i]];
            merged->device[i] = device[raw->place[i]];
            raw->name[i] = slice->names[raw->name[i]];
        }
        merged->strange += local->strange;
        merged->named += local->named;
    }
}

static void arrange_memory(struct nsys *nsys, struct raw_memory *raw, struct memory_merged *merged,
                           uint32_t count)
{
    struct profile *profile = nsys->profile;
    struct memory_events *memory = &profile->memory;
    uint32_t *order = sort_by_time(nsys->scratch, raw->start, NULL, count);
    bool has_pools = false;
    for (uint32_t i = 0; i < count; i++)
        has_pools |= raw->pool[i] != 0;
    memory->count = count;
    memory->start = nsys_gather64(nsys, raw->start, order, count);
    memory->bytes = nsys_gather(nsys, raw->bytes, order, count, sizeof *memory->bytes);
    memory->address = nsys_gather(nsys, raw->address, order, count, sizeof *memory->address);
    memory->kind = nsys_gather(nsys, raw->kind, order, count, sizeof *memory->kind);
    memory->is_free = nsys_gather(nsys, raw->is_free, order, count, sizeof *memory->is_free);
    memory->process = nsys_gather(nsys, merged->process, order, count, sizeof *memory->process);
    memory->device = nsys_gather(nsys, merged->device, order, count, sizeof *memory->device);
    uint32_t *correlation = nsys_gather(nsys, raw->correlation, order, count, sizeof *correlation);
    if (has_pools)
        memory->pool = nsys_gather(nsys, raw->pool, order, count, sizeof *memory->pool);
    else
        nsys_raw_free(nsys, raw->pool);
    if (merged->named)
        memory->name = nsys_gather(nsys, raw->name, order, count, sizeof *memory->name);
    else
        nsys_raw_free(nsys, raw->name);
    nsys_raw_free(nsys, raw->place);
    memory->api = ARENA_ARRAY(nsys->arena, uint32_t, count);
    profile_join(profile, memory->process, correlation, count, memory->api);
}

bool nsys_read_memory(struct nsys *nsys, struct error *error)
{
    struct table_slices *slices = ARENA_NEW(nsys->scratch, struct table_slices);
    const struct sqlite_table *table = sqlite_table(nsys, memory_reader.table);
    struct raw_memory raw;
    struct memory_merged merged = {0};
    if (!table)
        return true;
    nsys_slices_add(nsys, slices, &memory_reader, table, &raw);
    raw.start = nsys_raw_column(nsys, slices, sizeof *raw.start);
    raw.bytes = nsys_raw_column(nsys, slices, sizeof *raw.bytes);
    raw.address = nsys_raw_column(nsys, slices, sizeof *raw.address);
    raw.pool = nsys_raw_column(nsys, slices, sizeof *raw.pool);
    raw.place = nsys_raw_column(nsys, slices, sizeof *raw.place);
    raw.correlation = nsys_raw_column(nsys, slices, sizeof *raw.correlation);
    raw.name = nsys_raw_column(nsys, slices, sizeof *raw.name);
    raw.kind = nsys_raw_column(nsys, slices, sizeof *raw.kind);
    raw.is_free = nsys_raw_column(nsys, slices, sizeof *raw.is_free);
    if (!nsys_slices_read(nsys, slices, "reading allocations", error))
        return false;
    nsys_slices_merge(nsys, slices);
    merged.process = nsys_raw_column(nsys, slices, sizeof *merged.process);
    merged.device = nsys_raw_column(nsys, slices, sizeof *merged.device);
    merge_memory(nsys, slices, &raw, &merged);
    uint32_t count = nsys_slices_compact(nsys, slices);
    nsys_slices_close(nsys, slices);
    arrange_memory(nsys, &raw, &merged, count);
    if (merged.strange)
        profile_note(nsys->profile, NOTE_WARNING, "memory_operations", merged.strange, NULL,
                     "%lld rows of CUDA_GPU_MEMORY_USAGE_EVENTS neither allocate nor free: they "
                     "are left out",
                     (long long)merged.strange);
    if (!nsys->request->part_of)
        profile_pair_memory(nsys->profile);
    return true;
}
