// SPDX-License-Identifier: Apache-2.0
// Maps deviceId, which is an ordinal within one process, to a physical GPU. The first of these that
// is possible:
// - the GPU that the file assigns to (process, ordinal);
// - the only GPU in the list;
// - the GPU with that number in the list, if there is one process, or if no two processes use the
//   same ordinal: then each process sees all GPUs;
// - a GPU of its own for each (process, ordinal), marked as assumed.
#include "model/nsys/load_nsys_gpus.h"

// Maps cuDevice numbers to the listed GPUs. A number of several GPUs is unusable: one known capture
// lists 0 for all four.
struct ordinal_index {
    struct gpu_index gpu; // cuDevice -> its GPU, ROW_NONE if several have it
    bool any;             // at least one GPU has a number of its own
};

static void index_ordinals(struct nsys *nsys, const struct gpus *gpus,
                           struct ordinal_index *numbers)
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

// Returns `gpu`, or ROW_NONE if the file assigns it to another ordinal of the process.
static uint32_t gpu_if_free(const struct gpus *gpus, int64_t pid, uint32_t gpu)
{
    return tuples_find(&gpus->taken, (int64_t[2]){pid, gpu}) == UINT32_MAX ? gpu : ROW_NONE;
}

static void assign_gpus(struct nsys *nsys, const struct gpus *gpus, struct nsys_gpu_pair *pairs,
                        size_t count)
{
    struct tuples ordinals;
    tuples_open(&ordinals, nsys->scratch, 1);
    for (size_t i = 0; i < count; i++)
        tuples_put(&ordinals, &pairs[i].ordinal);
    size_t unassigned = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t pid = nsys->profile->processes[pairs[i].process].pid;
        pairs[i].gpu = gpu_index_find(&gpus->known, (int64_t[2]){pid, pairs[i].ordinal});
        // The only listed GPU must be meant, unless work on two ordinals shows that the list is
        // incomplete.
        if (pairs[i].gpu == ROW_NONE && gpus->count == 1 && ordinals.count == 1)
            pairs[i].gpu = gpu_if_free(gpus, pid, 0);
        unassigned += pairs[i].gpu == ROW_NONE;
    }
    struct ordinal_index numbers = {0};
    index_ordinals(nsys, gpus, &numbers);
    bool is_shared = ordinals.count < count; // several processes use the same ordinal
    for (size_t i = 0; i < count; i++) {
        if (pairs[i].gpu != ROW_NONE)
            continue;
        pairs[i].is_assumed = is_shared;
        // Ordinals are only interpreted if the file assigns a GPU to no pair. Otherwise a guess
        // could be the GPU of another pair.
        pairs[i].is_by_ordinal = !is_shared && unassigned == count;
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

// Returns a listed GPU if all have the same name, else NULL. GPUs that cannot be identified get its
// properties.
static const struct gpu *gpu_model(const struct gpus *gpus)
{
    for (size_t i = 1; i < gpus->count; i++)
        if (gpus->items[i].device.name != gpus->items[0].device.name)
            return NULL;
    return gpus->count ? &gpus->items[0] : NULL;
}

// Adds the GPUs of the file's list to the profile and sets `device` of the pairs with a GPU.
static void add_listed(struct nsys *nsys, const struct gpus *gpus, struct nsys_gpu_pair *pairs,
                       size_t count)
{
    struct profile *profile = nsys->profile;
    profile->devices = ARENA_ARRAY(nsys->arena, struct device, gpus->count + count);
    const struct nsys_gpu_pair **pair_of =
        ARENA_ARRAY(nsys->scratch, const struct nsys_gpu_pair *, gpus->count);
    uint32_t *device_of = ARENA_ARRAY(nsys->scratch, uint32_t, gpus->count);
    bool has_unassigned = false;
    for (size_t i = count; i-- > 0;) {
        has_unassigned |= pairs[i].gpu == ROW_NONE;
        if (pairs[i].gpu != ROW_NONE)
            pair_of[pairs[i].gpu] = &pairs[i];
    }
    for (size_t i = 0; i < gpus->count; i++) {
        // An unused GPU may be the GPU of a pair that has none, and is then left out.
        if (!pair_of[i] && has_unassigned)
            continue;
        device_of[i] = profile->device_count;
        struct device *device = &profile->devices[profile->device_count++];
        int64_t ordinal = pair_of[i] ? pair_of[i]->ordinal : gpus->items[i].ordinal;
        *device = gpus->items[i].device;
        const struct device *reported = pair_of[i] ? reported_device(nsys, gpus, pair_of[i]) : NULL;
        if (reported)
            gpu_fill_unknown(device, reported);
        device->is_by_ordinal = pair_of[i] && pair_of[i]->is_by_ordinal;
        device->ordinal = ordinal >= 0 && ordinal < UINT32_MAX ? (uint32_t)ordinal : (uint32_t)i;
    }
    for (size_t j = 0; j < count; j++)
        if (pairs[j].gpu != ROW_NONE)
            pairs[j].device = device_of[pairs[j].gpu];
}

// Adds a GPU for each pair that has none. Beyond MAX_GPUS all remaining pairs share the last GPU,
// since every GPU costs time and memory.
static void add_unlisted(struct nsys *nsys, const struct gpus *gpus, struct nsys_gpu_pair *pairs,
                         size_t count)
{
    struct profile *profile = nsys->profile;
    const struct gpu *model = gpu_model(gpus);
    int64_t excess_pairs = 0;
    for (size_t i = 0; i < count; i++) {
        if (pairs[i].gpu != ROW_NONE)
            continue;
        if (profile->device_count > MAX_GPUS) {
            pairs[i].device = profile->device_count - 1;
            excess_pairs++;
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
    if (!excess_pairs)
        return;
    profile->devices[profile->device_count - 1].is_assumed = true;
    profile_note(profile, NOTE_WARNING, "devices_crowded", excess_pairs, NULL,
                 "work runs on more than %d GPUs, which no file has: the last %lld (process, "
                 "device) pairs count as one GPU with the one before them",
                 MAX_GPUS, (long long)excess_pairs);
}

void nsys_resolve_devices(struct nsys *nsys, struct nsys_gpu_pair *pairs, size_t count)
{
    struct gpus gpus = {0};
    gpus_read(nsys, &gpus);
    assign_gpus(nsys, &gpus, pairs, count);
    add_listed(nsys, &gpus, pairs, count);
    add_unlisted(nsys, &gpus, pairs, count);
    nsys->device_rows = ARENA_ARRAY(nsys->arena, uint32_t, count);
    for (size_t i = 0; i < count; i++) {
        int64_t key[2] = {pairs[i].process, pairs[i].ordinal};
        nsys->device_rows[tuples_put(&nsys->device_keys, key)] = pairs[i].device;
    }
    note_devices(nsys, &gpus, pairs, count);
}
