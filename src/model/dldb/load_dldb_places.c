// SPDX-License-Identifier: Apache-2.0
// Creates the GPUs and streams of a DLProf database.
#include "base/sort.h"
#include "model/dldb/load_dldb.h"
#include "model/nsys/load_nsys_gpus.h"

enum { NAME_BYTES = 1000 };

struct gpu_rows {
    struct tuples ids; // device_id -> index in `items`
    size_t capacity;
    struct device *items;
    size_t listed; // number of GPUs in the file's list
};

static struct device *gpu_put(struct nsys *nsys, struct gpu_rows *gpus, int64_t id)
{
    size_t count = gpus->ids.count;
    if (tuples_put(&gpus->ids, &id) != count)
        return NULL;
    struct device *device = &ARENA_PUSH(nsys->scratch, gpus->items, count, gpus->capacity);
    *device = device_unknown;
    device->gpu_id = id >= 0 && id < UINT32_MAX ? (uint32_t)id : ROW_NONE;
    device->ordinal = (uint32_t)id;
    return device;
}

static void gpu_row(struct nsys *nsys, sqlite3_value **row, void *context)
{
    struct gpu_rows *gpus = context;
    int64_t id;
    if (!cell_integer(row, 0, &id) || gpus->ids.count == MAX_GPUS)
        return;
    struct device *device = gpu_put(nsys, gpus, id);
    if (!device)
        return;
    const char *name = cell_copy(row, 1, NAME_BYTES, nsys->scratch);
    device->name = *name ? strings_intern_text(nsys->profile->strings, name) : STRING_NONE;
    if (cell_small(row, 2) > 0) {
        device->compute_major = cell_small(row, 2);
        device->compute_minor = cell_small(row, 3);
    }
    int64_t count = cell_integer_or(row, 4, 0);
    device->sm_count = count > 0 && count < INT32_MAX ? count : UNKNOWN;
}

static void note_gpus(struct nsys *nsys, const struct gpu_rows *gpus, int64_t crowded)
{
    int64_t unlisted = (int64_t)(gpus->ids.count - gpus->listed);
    if (unlisted)
        profile_note(nsys->profile, NOTE_WARNING, "devices_unlisted", unlisted, NULL,
                     "%lld GPUs ran work and are not in the file's list: only their numbers are "
                     "known",
                     (long long)unlisted);
    if (crowded)
        profile_note(nsys->profile, NOTE_WARNING, "devices_crowded", crowded, NULL,
                     "work runs on more than %d GPUs, which no file has: the rest counts as one",
                     MAX_GPUS);
}

// Creates the profile's devices in order of their ids. Returns the device row by index in `gpus`.
static uint32_t *make_devices(struct nsys *nsys, const struct gpu_rows *gpus)
{
    struct profile *profile = nsys->profile;
    uint32_t count = gpus->ids.count;
    const uint32_t *order = sort_by_time(nsys->scratch, gpus->ids.keys, NULL, count);
    uint32_t *row_of = ARENA_ARRAY(nsys->scratch, uint32_t, (size_t)count + 1);
    profile->devices = ARENA_ARRAY(nsys->arena, struct device, (size_t)count + 1);
    profile->device_count = count;
    for (uint32_t i = 0; i < count; i++) {
        profile->devices[i] = gpus->items[order[i]];
        row_of[order[i]] = i;
    }
    return row_of;
}

// DLProf's device_id is a GPU of the machine. Streams are not recorded, so each process gets one
// stream per GPU.
uint32_t *dldb_streams(struct dldb *dldb, const struct tuples *places)
{
    static const char *const columns[] = {"device_id", "gpu_name", DLDB_GPU_COUNTS, NULL};
    struct nsys *nsys = dldb->nsys;
    struct profile *profile = nsys->profile;
    struct gpu_rows gpus = {.capacity = 0};
    tuples_open(&gpus.ids, nsys->scratch, 1);
    nsys_each_row(nsys, DLDB_GPU_INFOS, columns, gpu_row, &gpus);
    gpus.listed = gpus.ids.count;
    uint32_t *gpu = ARENA_ARRAY(nsys->scratch, uint32_t, (size_t)places->count + 1);
    int64_t crowded = 0;
    for (uint32_t i = 0; i < places->count; i++) {
        int64_t id = tuples_key(places, i)[1];
        gpu[i] = tuples_find(&gpus.ids, &id);
        if (gpu[i] == UINT32_MAX && gpus.ids.count > MAX_GPUS) {
            gpu[i] = gpus.ids.count - 1;
            crowded++;
        } else if (gpu[i] == UINT32_MAX) {
            gpu[i] = gpus.ids.count;
            gpu_put(nsys, &gpus, id);
        }
    }
    note_gpus(nsys, &gpus, crowded);
    const uint32_t *device_of = make_devices(nsys, &gpus);
    uint32_t *stream_of = ARENA_ARRAY(nsys->scratch, uint32_t, (size_t)places->count + 1);
    profile->streams = ARENA_ARRAY(nsys->arena, struct stream, (size_t)places->count + 1);
    profile->stream_count = places->count;
    for (uint32_t i = 0; i < places->count; i++) {
        profile->streams[i] =
            (struct stream){.process = nsys_process_row(nsys, tuples_key(places, i)[0]),
                            .device = device_of[gpu[i]],
                            .stream_id = UNKNOWN};
        stream_of[i] = i;
    }
    return stream_of;
}
