// SPDX-License-Identifier: Apache-2.0
// Maps deviceId, which is an ordinal within one process, to a physical GPU. In order of preference:
// what the file says of (process, ordinal); the only GPU in the list; the ordinal as such, if there
// is one process or if processes use different ordinals (then each process sees all GPUs).
// Otherwise each (process, ordinal) becomes a GPU of its own that is marked as assumed.
#include "model/nsys/load_nsys_gpus.h"

// Maps cuDevice numbers to the listed GPUs. A number that several GPUs share is unusable: one
// capture lists 0 for all four.
struct ordinal_index {
    struct gpu_index gpu; // cuDevice -> its GPU, ROW_NONE if several have it
    bool any;             // at least one GPU has a number of its own
};

static void numbers_find(struct nsys *nsys, const struct gpus *gpus, struct ordinal_index *numbers)
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

// Returns the GPU of an ordinal in a process that sees all GPUs: by number, or by position if no
// number is usable. The two methods are never mixed, since two ordinals could then get the same
// GPU.
static uint32_t gpu_of_ordinal(const struct gpus *gpus, const struct ordinal_index *numbers,
                               int64_t ordinal)
{
    if (!numbers->any)
        return ordinal >= 0 && (uint64_t)ordinal < gpus->count ? (uint32_t)ordinal : ROW_NONE;
    return gpu_index_find(&numbers->gpu, &ordinal);
}

// Returns ROW_NONE if the file assigns that GPU to another ordinal of the process.
static uint32_t gpu_if_free(const struct gpus *gpus, int64_t pid, uint32_t gpu)
{
    return tuples_find(&gpus->taken, (int64_t[2]){pid, gpu}) == UINT32_MAX ? gpu : ROW_NONE;
}

static void settle(struct nsys *nsys, const struct gpus *gpus, struct nsys_gpu_pair *pairs,
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
        // The only listed GPU must be meant, unless work on two ordinals shows that the list is
        // incomplete.
        if (pairs[i].gpu == ROW_NONE && gpus->count == 1 && ordinals.count == 1)
            pairs[i].gpu = gpu_if_free(gpus, pid, 0);
        open += pairs[i].gpu == ROW_NONE;
    }
    struct ordinal_index numbers = {0};
    numbers_find(nsys, gpus, &numbers);
    bool is_shared = ordinals.count < count; // several processes use the same ordinal
    for (size_t i = 0; i < count; i++) {
        if (pairs[i].gpu != ROW_NONE)
            continue;
        pairs[i].is_assumed = is_shared;
        // Ordinals are interpreted only if the file settles no pair; else a guess could take the
        // GPU of a settled pair.
        pairs[i].is_by_ordinal = !is_shared && open == count;
        if (pairs[i].is_by_ordinal)
            pairs[i].gpu = gpu_if_free(gpus, nsys->profile->processes[pairs[i].process].pid,
                                       gpu_of_ordinal(gpus, &numbers, pairs[i].ordinal));
    }
}

static void note_devices(struct nsys *nsys, const struct gpus *gpus,
                         const struct nsys_gpu_pair *pairs, size_t count)
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

// Returns what the file says of the GPU of a (process, ordinal) pair, or NULL.
static const struct device *reported_device(const struct nsys *nsys, const struct gpus *gpus,
                                            const struct nsys_gpu_pair *pair)
{
    int64_t pid = nsys->profile->processes[pair->process].pid;
    uint32_t reported = tuples_find(&gpus->told, (int64_t[2]){pid, pair->ordinal});
    return reported == UINT32_MAX ? NULL : &gpus->reported_devices[reported];
}

// Returns any listed GPU if all have the same name. GPUs that cannot be identified one by one take
// its properties.
static const struct gpu *gpu_model(const struct gpus *gpus)
{
    for (size_t i = 1; i < gpus->count; i++)
        if (gpus->items[i].device.name != gpus->items[0].device.name)
            return NULL;
    return gpus->count ? &gpus->items[0] : NULL;
}

// Adds the GPUs of the file's list to the profile and sets `device` of the pairs that are settled.
static void fill_listed(struct nsys *nsys, const struct gpus *gpus, struct nsys_gpu_pair *pairs,
                        size_t count)
{
    struct profile *profile = nsys->profile;
    profile->devices = ARENA_ARRAY(nsys->arena, struct device, gpus->count + count);
    const struct nsys_gpu_pair **user =
        ARENA_ARRAY(nsys->scratch, const struct nsys_gpu_pair *, gpus->count);
    uint32_t *device_of = ARENA_ARRAY(nsys->scratch, uint32_t, gpus->count);
    bool any_loose = false;
    for (size_t i = count; i-- > 0;) {
        any_loose |= pairs[i].gpu == ROW_NONE;
        if (pairs[i].gpu != ROW_NONE)
            user[pairs[i].gpu] = &pairs[i];
    }
    for (size_t i = 0; i < gpus->count; i++) {
        // If some pairs are unsettled, an unused GPU may be one of theirs and is left out.
        if (!user[i] && any_loose)
            continue;
        device_of[i] = profile->device_count;
        struct device *device = &profile->devices[profile->device_count++];
        int64_t ordinal = user[i] ? user[i]->ordinal : gpus->items[i].ordinal;
        *device = gpus->items[i].device;
        const struct device *reported = user[i] ? reported_device(nsys, gpus, user[i]) : NULL;
        if (reported)
            gpu_fill_unknown(device, reported);
        device->is_by_ordinal = user[i] && user[i]->is_by_ordinal;
        device->ordinal = ordinal >= 0 && ordinal < UINT32_MAX ? (uint32_t)ordinal : (uint32_t)i;
    }
    for (size_t j = 0; j < count; j++)
        if (pairs[j].gpu != ROW_NONE)
            pairs[j].device = device_of[pairs[j].gpu];
}

// Adds a GPU for each unsettled pair. Work and memory per GPU are bounded: past the limit, all
// remaining pairs share the last GPU.
static void fill_loose(struct nsys *nsys, const struct gpus *gpus, struct nsys_gpu_pair *pairs,
                       size_t count)
{
    struct profile *profile = nsys->profile;
    const struct gpu *model = gpu_model(gpus);
    int64_t crowded = 0;
    for (size_t i = 0; i < count; i++) {
        if (pairs[i].gpu != ROW_NONE)
            continue;
        if (profile->device_count > MAX_GPUS) {
            pairs[i].device = profile->device_count - 1;
            crowded++;
            continue;
        }
        pairs[i].device = profile->device_count;
        struct device *device = &profile->devices[profile->device_count++];
        const struct device *reported = reported_device(nsys, gpus, &pairs[i]);
        *device = reported ? *reported : device_unknown;
        if (model)
            gpu_fill_unknown(device, &model->device);
        device->ordinal = (uint32_t)pairs[i].ordinal;
        device->is_assumed = pairs[i].is_assumed;
    }
    if (!crowded)
        return;
    profile->devices[profile->device_count - 1].is_assumed = true;
    profile_note(profile, NOTE_WARNING, "devices_crowded", crowded, NULL,
                 "work runs on more than %d GPUs, which no file has: the last %lld (process, "
                 "device) pairs count as one GPU with the one before them",
                 MAX_GPUS, (long long)crowded);
}

void nsys_resolve_devices(struct nsys *nsys, struct nsys_gpu_pair *pairs, size_t count)
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
