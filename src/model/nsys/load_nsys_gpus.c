// SPDX-License-Identifier: Apache-2.0
// Reads the GPUs that an nsys export lists in up to three tables, depending on nsys's version.
#include "model/nsys/load_nsys_gpus.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_LIMIT = 200 };

static string_id cell_name(struct nsys *nsys, sqlite3_value **row, int column)
{
    const char *text = cell_copy(row, column, TEXT_LIMIT, nsys->scratch);
    return *text ? strings_intern_text(nsys->profile->strings, text) : STRING_NONE;
}

// Reads a uuid: a text, or (nvprof) a blob of 16 bytes, which are 0 if the uuid is unknown.
static string_id cell_uuid(struct nsys *nsys, sqlite3_value **row, int column)
{
    enum { UUID_BYTES = 16 };
    char text[2 * UUID_BYTES + 9] = "GPU-", *out = text + 4;
    if (sqlite3_value_type(row[column]) != SQLITE_BLOB)
        return cell_name(nsys, row, column);
    const unsigned char *bytes = sqlite3_value_blob(row[column]);
    if (!bytes || sqlite3_value_bytes(row[column]) != UUID_BYTES)
        return STRING_NONE;
    bool is_nonzero = false;
    for (int i = 0; i < UUID_BYTES; i++) {
        out += sprintf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
        is_nonzero |= bytes[i] != 0;
    }
    return is_nonzero ? strings_intern_text(nsys->profile->strings, text) : (string_id)STRING_NONE;
}

static int64_t cell_positive(sqlite3_value **row, int column)
{
    int64_t value = cell_integer_or(row, column, 0);
    return value > 0 ? value : UNKNOWN;
}

void gpu_fill_unknown(struct device *device, const struct device *from)
{
    if (device->name && from->name && device->name != from->name)
        return;
    if (!device->name)
        device->name = from->name;
    if (device->sm_count == UNKNOWN)
        device->sm_count = from->sm_count;
    if (device->memory_bytes == UNKNOWN)
        device->memory_bytes = from->memory_bytes;
    if (device->memory_bandwidth == UNKNOWN)
        device->memory_bandwidth = from->memory_bandwidth;
    if (device->clock_hz == UNKNOWN)
        device->clock_hz = from->clock_hz;
    if (device->compute_major < 0) {
        device->compute_major = from->compute_major;
        device->compute_minor = from->compute_minor;
    }
}

// ---- indexes, since a file may contain a million rows about 4,096 GPUs --------------------------

void gpu_index_put(struct nsys *nsys, struct gpu_index *index, const int64_t *key, uint32_t gpu)
{
    size_t count = index->keys.count;
    if (tuples_put(&index->keys, key) == count)
        ARENA_PUSH(nsys->scratch, index->gpu, count, index->capacity) = gpu;
}

uint32_t gpu_index_find(const struct gpu_index *index, const int64_t *key)
{
    uint32_t at = tuples_find(&index->keys, key);
    return at == UINT32_MAX ? ROW_NONE : index->gpu[at];
}

static void index_open(struct nsys *nsys, struct gpu_index *index, uint32_t width)
{
    *index = (struct gpu_index){0};
    tuples_open(&index->keys, nsys->scratch, width);
}

static struct gpu *gpu_at(struct gpus *gpus, uint32_t index)
{
    return index == ROW_NONE ? NULL : &gpus->items[index];
}

static struct gpu *gpu_by_id(struct gpus *gpus, int64_t id)
{
    return gpu_at(gpus, tuples_find(&gpus->ids, (int64_t[2]){false, id}));
}

static struct gpu *gpu_by_text(struct gpus *gpus, const struct gpu_index *index, string_id text)
{
    return text ? gpu_at(gpus, gpu_index_find(index, &(int64_t){text})) : NULL;
}

// Adds a GPU. Returns NULL if the id exists. GPUs without an id are numbered separately.
static struct gpu *gpu_add(struct nsys *nsys, struct gpus *gpus, const int64_t *id)
{
    struct gpu gpu = {.is_unnumbered = !id,
                      .id = id ? *id : gpus->unnumbered++,
                      .ordinal = UNKNOWN,
                      .next = ROW_NONE,
                      .device = device_unknown};
    if (id && *id >= 0 && *id < UINT32_MAX)
        gpu.device.gpu_id = (uint32_t)*id;
    if (tuples_put(&gpus->ids, (int64_t[2]){gpu.is_unnumbered, gpu.id}) < gpus->count)
        return NULL;
    ARENA_PUSH(nsys->scratch, gpus->items, gpus->count, gpus->capacity) = gpu;
    return &gpus->items[gpus->count - 1];
}

static void set_bus(struct nsys *nsys, struct gpus *gpus, struct gpu *gpu, string_id bus)
{
    gpu->device.bus = bus;
    const int64_t key[] = {bus};
    if (bus)
        gpu_index_put(nsys, &gpus->buses, key, (uint32_t)(gpu - gpus->items));
}

static void set_uuid(struct nsys *nsys, struct gpus *gpus, struct gpu *gpu, string_id uuid)
{
    gpu->device.uuid = uuid;
    const int64_t key[] = {uuid};
    if (uuid)
        gpu_index_put(nsys, &gpus->uuids, key, (uint32_t)(gpu - gpus->items));
}

// Rebuilds all indexes after the items have moved.
static void index_items(struct nsys *nsys, struct gpus *gpus)
{
    tuples_open(&gpus->ids, nsys->scratch, 2);
    index_open(nsys, &gpus->buses, 1);
    index_open(nsys, &gpus->uuids, 1);
    index_open(nsys, &gpus->busless, 1);
    for (size_t i = 0; i < gpus->count; i++) {
        struct gpu *gpu = &gpus->items[i];
        tuples_put(&gpus->ids, (int64_t[2]){gpu->is_unnumbered, gpu->id});
        set_bus(nsys, gpus, gpu, gpu->device.bus);
        set_uuid(nsys, gpus, gpu, gpu->device.uuid);
    }
    for (uint32_t i = (uint32_t)gpus->count; i-- > 0;) {
        struct gpu *gpu = &gpus->items[i];
        const int64_t name[] = {gpu->device.name};
        if (gpu->device.bus)
            continue;
        gpu_index_put(nsys, &gpus->busless, name, ROW_NONE);
        uint32_t *first = &gpus->busless.gpu[tuples_find(&gpus->busless.keys, name)];
        gpu->next = *first;
        *first = i;
    }
}

// ---- the lists ---------------------------------------------------------------------------------

static const char *const gpu_columns[] = {
    "id|deviceId",     "name",      "uuid",         "busLocation",  "smCount",  "totalMemory",
    "memoryBandwidth", "clockRate", "computeMajor", "computeMinor", "cuDevice", NULL,
};

static void gpu_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    struct gpus *gpus = context;
    int64_t id;
    if (gpus->count >= MAX_GPUS)
        return;
    struct gpu *gpu = gpu_add(nsys, gpus, cell_integer(row, 0, &id) ? &id : NULL);
    if (!gpu)
        return;
    struct device *device = &gpu->device;
    device->name = cell_name(nsys, row, 1);
    device->uuid = cell_uuid(nsys, row, 2);
    device->bus = cell_name(nsys, row, 3);
    device->sm_count = cell_positive(row, 4);
    device->memory_bytes = cell_positive(row, 5);
    device->memory_bandwidth = cell_positive(row, 6);
    device->clock_hz = cell_positive(row, 7);
    device->compute_major = cell_small(row, 8) > 0 ? cell_small(row, 8) : -1;
    device->compute_minor = device->compute_major > 0 ? cell_small(row, 9) : -1;
    gpu->ordinal = cell_integer_or(row, 10, UNKNOWN);
}

// Records that (pid, ordinal) is `gpu`. A second ordinal of the process for the same GPU is
// ignored, since it must be wrong.
static void gpu_add_known(struct nsys *nsys, struct gpus *gpus, int64_t pid, int64_t ordinal,
                          const struct gpu *gpu)
{
    uint32_t index = (uint32_t)(gpu - gpus->items), taken = gpus->taken.count;
    int64_t key[2] = {pid, ordinal};
    if (gpu_index_find(&gpus->known, key) == ROW_NONE &&
        tuples_put(&gpus->taken, (int64_t[2]){pid, index}) == taken)
        gpu_index_put(nsys, &gpus->known, key, index);
}

static void gpu_add_reported(struct nsys *nsys, struct gpus *gpus, int64_t pid, int64_t ordinal,
                             const struct device *device)
{
    size_t count = gpus->told.count;
    if (tuples_put(&gpus->told, (int64_t[2]){pid, ordinal}) == count)
        ARENA_PUSH(nsys->scratch, gpus->reported_devices, count, gpus->reported_capacity) = *device;
}

static struct gpu *gpu_without_bus(struct gpus *gpus, string_id name)
{
    uint32_t at = tuples_find(&gpus->busless.keys, &(int64_t){name});
    if (at == UINT32_MAX)
        return NULL;
    uint32_t *first = &gpus->busless.gpu[at];
    struct gpu *gpu;
    while ((gpu = gpu_at(gpus, *first)) && gpu->device.bus)
        *first = gpu->next;
    return gpu;
}

// Returns the GPU with a bus location. If no GPU has it, it is assigned to a listed GPU without a
// location, preferably the one with the ordinal as its id; else a GPU is added.
static struct gpu *gpu_on_bus(struct nsys *nsys, struct gpus *gpus, string_id bus, string_id name,
                              int64_t ordinal)
{
    struct gpu *gpu = gpu_by_text(gpus, &gpus->buses, bus);
    if (gpu)
        return gpu;
    gpu = gpu_by_id(gpus, ordinal);
    if (!gpu || gpu->device.bus || gpu->device.name != name)
        gpu = gpu_without_bus(gpus, name);
    if (!gpu) {
        if (gpus->count >= MAX_GPUS)
            return NULL;
        int64_t id = ordinal;
        while (gpu_by_id(gpus, id))
            id++;
        gpu = gpu_add(nsys, gpus, &id);
    }
    set_bus(nsys, gpus, gpu, bus);
    return gpu;
}

// Files of 2020 have a row per process and ordinal; the bus identifies the GPU.
static const char *const cuda_gpu_columns[] = {
    "pid",
    "deviceId",
    "name",
    "pciBusId",
    "numMultiprocessors",
    "coreClockRate",
    "computeCapabilityMajor",
    "computeCapabilityMinor",
    NULL,
};

static void cuda_gpu_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    struct gpus *gpus = context;
    int64_t pid, ordinal = cell_integer_or(row, 1, -1);
    if (ordinal < 0 || ordinal >= UINT32_MAX)
        return;
    struct device reported = device_unknown;
    reported.name = cell_name(nsys, row, 2);
    reported.sm_count = cell_positive(row, 4);
    int64_t kilohertz = cell_positive(row, 5);
    if (kilohertz != UNKNOWN && kilohertz < INT64_MAX / 1000)
        reported.clock_hz = kilohertz * 1000;
    reported.compute_major = cell_small(row, 6);
    reported.compute_minor = cell_small(row, 7);
    bool has_pid = cell_integer(row, 0, &pid);
    if (has_pid)
        gpu_add_reported(nsys, gpus, pid, ordinal, &reported);
    string_id bus = cell_name(nsys, row, 3);
    struct gpu *gpu = bus ? gpu_on_bus(nsys, gpus, bus, reported.name, ordinal) : NULL;
    if (!gpu)
        return;
    gpu_fill_unknown(&gpu->device, &reported);
    if (has_pid)
        gpu_add_known(nsys, gpus, pid, ordinal, gpu);
}

static const char *const cuda_device_columns[] = {
    "pid", "cudaId", "gpuId", "uuid", "numMultiprocessors", NULL};

static void cuda_device_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    struct gpus *gpus = context;
    int64_t pid, ordinal, id;
    if (!cell_integer(row, 0, &pid) || !cell_integer(row, 1, &ordinal))
        return;
    string_id uuid = cell_name(nsys, row, 3);
    bool has_id = cell_integer(row, 2, &id);
    // Without an id the uuid may still identify the GPU.
    struct gpu *gpu = has_id ? gpu_by_id(gpus, id) : gpu_by_text(gpus, &gpus->uuids, uuid);
    if (!gpu) {
        if ((!has_id && !uuid) || gpus->count >= MAX_GPUS)
            return;
        gpu = gpu_add(nsys, gpus, has_id ? &id : NULL);
    }
    if (!gpu->device.uuid)
        set_uuid(nsys, gpus, gpu, uuid);
    if (gpu->device.sm_count == UNKNOWN)
        gpu->device.sm_count = cell_positive(row, 4);
    gpu_add_known(nsys, gpus, pid, ordinal, gpu);
}

// Returns whether a listed GPU is a display adapter that cannot run CUDA.
static bool is_display_adapter(const struct nsys *nsys, const struct gpu *gpu)
{
    const char *name = profile_text(nsys->profile, gpu->device.name);
    return gpu->device.sm_count == UNKNOWN && gpu->device.compute_major < 0 &&
           (strstr(name, "Intel") || strstr(name, "Microsoft") || strstr(name, "AMD") ||
            strstr(name, "Radeon"));
}

static int gpu_compare(const void *left, const void *right)
{
    const struct gpu *a = left, *b = right;
    if (a->is_unnumbered != b->is_unnumbered)
        return a->is_unnumbered ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

void gpus_read(struct nsys *nsys, struct gpus *gpus)
{
    tuples_open(&gpus->ids, nsys->scratch, 2);
    index_open(nsys, &gpus->known, 2);
    tuples_open(&gpus->taken, nsys->scratch, 2);
    tuples_open(&gpus->told, nsys->scratch, 2);
    nsys_each_row(nsys, "TARGET_INFO_GPU", gpu_columns, gpu_row, gpus);
    size_t gpu_count = 0;
    for (size_t i = 0; i < gpus->count; i++)
        if (!is_display_adapter(nsys, &gpus->items[i]))
            gpus->items[gpu_count++] = gpus->items[i];
    gpus->count = gpu_count;
    if (gpu_count)
        qsort(gpus->items, gpu_count, sizeof *gpus->items, gpu_compare);
    index_items(nsys, gpus);
    nsys_each_row(nsys, "TARGET_INFO_CUDA_GPU", cuda_gpu_columns, cuda_gpu_row, gpus);
    nsys_each_row(nsys, "TARGET_INFO_CUDA_DEVICE", cuda_device_columns, cuda_device_row, gpus);
}
