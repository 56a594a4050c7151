// SPDX-License-Identifier: Apache-2.0
// Which GPU is it? deviceId is an ordinal inside one process; this file makes it physical.
//
// In order: what the file says of (process, ordinal); the only GPU there is; one process alone, or
// processes that use different ordinals (as all see all GPUs then); else each (process, ordinal)
// is kept apart as a GPU of its own, marked as assumed.
#include "model/nsys/load_nsys_gpus.h"

// What cuDevice tells of the listed GPUs. A number that several have tells nothing: one capture
// lists 0 for all four.
struct numbers {
    struct gpu_index gpu; // cuDevice -> its GPU, ROW_NONE where several have it
    bool any;             // one GPU at least is told apart
};

static void numbers_find(struct nsys *nsys, const struct gpus *gpus, struct numbers *numbers)
{
    struct gpu_index *index = &numbers->gpu;
    tuples_open(&index->keys, nsys->scratch, 1);
    for (uint32_t i = 0; i < gpus->count; i++) {
        const int64_t *number = &gpus->items[i].ordinal;
        uint32_t known = tuples_find(&index->keys, number);
        if (known != UINT32_MAX)
            index->gpu[known] = ROW_NONE;
        else if (*number != UNKNOWN)
            gpu_index_put(nsys, index, number, i);
    }
    for (uint32_t i = 0; i < index->keys.count; i++)
        numbers->any |= index->gpu[i] != ROW_NONE;
}

// The GPU that an ordinal means where a process sees them all: by number, or by position where no
// number tells. Both in one list would give two ordinals the same GPU.
static uint32_t gpu_of_ordinal(const struct gpus *gpus, const struct numbers *numbers,
                               int64_t ordinal)
{
    if (!numbers->any)
        return ordinal >= 0 && (uint64_t)ordinal < gpus->count ? (uint32_t)ordinal : ROW_NONE;
    return gpu_index_find(&numbers->gpu, &ordinal);
}

// Nor may it mean the GPU that the file says is another ordinal of the process.
static uint32_t gpu_if_free(const struct gpus *gpus, int64_t pid, uint32_t gpu)
{
    return tuples_find(&gpus->taken, (int64_t[2]){pid, gpu}) == UINT32_MAX ? gpu : ROW_NONE;
}

static void settle(struct nsys *nsys, const struct gpus *gpus, struct nsys_pair *pairs,
                   size_t count)
{
    struct tuples ordinals;
    tuples_open(&ordinals, nsys->scratch, 1);
    for (size_t i = 0; i < count; i++)
        tuples_put(&ordinals, &pairs[i].ordinal);
    size_t open = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t pid = nsys->profile->processes[pairs[i].process].pid;
        pairs[i].gpu = gpu_index_find(&gpus->known, (int64_t[2]){pid, pairs[i].ordinal});
        // Nothing else is there, unless work with two ordinals says that the list is not whole.
        if (pairs[i].gpu == ROW_NONE && gpus->count == 1 && ordinals.count == 1)
            pairs[i].gpu = gpu_if_free(gpus, pid, 0);
        open += pairs[i].gpu == ROW_NONE;
    }
    struct numbers numbers = {0};
    numbers_find(nsys, gpus, &numbers);
    bool is_shared = ordinals.count < count; // an ordinal that several processes use
    for (size_t i = 0; i < count; i++) {
        if (pairs[i].gpu != ROW_NONE)
            continue;
        pairs[i].is_assumed = is_shared;
        // What the file settles for others is not for us to take.
        pairs[i].is_by_ordinal = !is_shared && open == count;
        if (pairs[i].is_by_ordinal)
            pairs[i].gpu = gpu_if_free(gpus, nsys->profile->processes[pairs[i].process].pid,
                                       gpu_of_ordinal(gpus, &numbers, pairs[i].ordinal));
    }
}

static void note_devices(struct nsys *nsys, const struct gpus *gpus, const struct nsys_pair *pairs,
                         size_t count)
{
    int64_t assumed = 0, by_ordinal = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t pid = nsys->profile->processes[pairs[i].process].pid;
        assumed += pairs[i].is_assumed;
        by_ordinal += !pairs[i].is_assumed && (gpus->count != 1 || pairs[i].gpu == ROW_NONE) &&
                      gpu_index_find(&gpus->known, (int64_t[2]){pid, pairs[i].ordinal}) == ROW_NONE;
    }
    if (assumed)
        profile_note(nsys->profile, NOTE_WARNING, "devices_assumed", assumed, NULL,
                     "several processes use the same device number and the file does not tell "
                     "which GPU each means: %lld (process, device) pairs are kept apart as GPUs "
                     "of their own",
                     (long long)assumed);
    if (by_ordinal)
        profile_note(nsys->profile, NOTE_INFO, "devices_by_ordinal", by_ordinal, NULL,
                     "GPUs are told apart by their CUDA device number: the file does not say "
                     "which GPU of the machine each is");
}

// What the file says of a process's number, or NULL.
static const struct device *told_of(const struct nsys *nsys, const struct gpus *gpus,
                                    const struct nsys_pair *pair)
{
    int64_t pid = nsys->profile->processes[pair->process].pid;
    uint32_t told = tuples_find(&gpus->told, (int64_t[2]){pid, pair->ordinal});
    return told == UINT32_MAX ? NULL : &gpus->told_device[told];
}

// GPUs of one model may lend their properties to those that are not known one by one.
static const struct gpu *gpu_model(const struct gpus *gpus)
{
    for (size_t i = 1; i < gpus->count; i++)
        if (gpus->items[i].device.name != gpus->items[0].device.name)
            return NULL;
    return gpus->count ? &gpus->items[0] : NULL;
}

// Those of the file's list, and which of them pairs are.
static void fill_listed(struct nsys *nsys, const struct gpus *gpus, struct nsys_pair *pairs,
                        size_t count)
{
    struct profile *profile = nsys->profile;
    profile->devices = ARENA_ARRAY(nsys->arena, struct device, gpus->count + count);
    const struct nsys_pair **user =
        ARENA_ARRAY(nsys->scratch, const struct nsys_pair *, gpus->count);
    uint32_t *device_of = ARENA_ARRAY(nsys->scratch, uint32_t, gpus->count);
    bool any_loose = false;
    for (size_t i = count; i-- > 0;) {
        any_loose |= pairs[i].gpu == ROW_NONE;
        if (pairs[i].gpu != ROW_NONE)
            user[pairs[i].gpu] = &pairs[i];
    }
    for (size_t i = 0; i < gpus->count; i++) {
        // Beside GPUs that are not known one by one none can be called unused.
        if (!user[i] && any_loose)
            continue;
        device_of[i] = profile->device_count;
        struct device *device = &profile->devices[profile->device_count++];
        int64_t ordinal = user[i] ? user[i]->ordinal : gpus->items[i].ordinal;
        *device = gpus->items[i].device;
        const struct device *told = user[i] ? told_of(nsys, gpus, user[i]) : NULL;
        if (told)
            gpu_lend(device, told);
        device->is_by_ordinal = user[i] && user[i]->is_by_ordinal;
        device->ordinal = ordinal >= 0 && ordinal < UINT32_MAX ? (uint32_t)ordinal : (uint32_t)i;
    }
    for (size_t j = 0; j < count; j++)
        if (pairs[j].gpu != ROW_NONE)
            pairs[j].device = device_of[pairs[j].gpu];
}

// Those that nothing settles, each a GPU of its own. What is worked out of each GPU is bounded by
// the last of too many being one for all that follow.
static void fill_loose(struct nsys *nsys, const struct gpus *gpus, struct nsys_pair *pairs,
                       size_t count)
{
    struct profile *profile = nsys->profile;
    const struct gpu *model = gpu_model(gpus);
    int64_t crowded = 0;
    for (size_t i = 0; i < count; i++) {
        if (pairs[i].gpu != ROW_NONE)
            continue;
        if (profile->device_count > GPUS_MOST) {
            pairs[i].device = profile->device_count - 1;
            crowded++;
            continue;
        }
        pairs[i].device = profile->device_count;
        struct device *device = &profile->devices[profile->device_count++];
        const struct device *told = told_of(nsys, gpus, &pairs[i]);
        *device = told ? *told : device_unknown;
        if (model)
            gpu_lend(device, &model->device);
        device->ordinal = (uint32_t)pairs[i].ordinal;
        device->is_assumed = pairs[i].is_assumed;
    }
    if (!crowded)
        return;
    profile->devices[profile->device_count - 1].is_assumed = true;
    profile_note(profile, NOTE_WARNING, "devices_crowded", crowded, NULL,
                 "work runs on more than %d GPUs, which no file has: the last %lld (process, "
                 "device) pairs count as one GPU with the one before them",
                 GPUS_MOST, (long long)crowded);
}

void nsys_devices(struct nsys *nsys, struct nsys_pair *pairs, size_t count)
{
    struct gpus gpus = {0};
    gpus_read(nsys, &gpus);
    settle(nsys, &gpus, pairs, count);
    fill_listed(nsys, &gpus, pairs, count);
    fill_loose(nsys, &gpus, pairs, count);
    nsys->device_rows = ARENA_ARRAY(nsys->arena, uint32_t, count);
    for (size_t i = 0; i < count; i++) {
        int64_t key[2] = {pairs[i].process, pairs[i].ordinal};
        nsys->device_rows[tuples_put(&nsys->device_keys, key)] = pairs[i].device;
    }
    note_devices(nsys, &gpus, pairs, count);
}
