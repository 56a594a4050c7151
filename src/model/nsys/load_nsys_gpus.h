// SPDX-License-Identifier: Apache-2.0
// The GPUs that a file lists. load_nsys_gpus.c reads the lists; load_nsys_device.c determines which
// listed GPU a process means by an ordinal.
#ifndef MODEL_NSYS_LOAD_NSYS_GPUS_H
#define MODEL_NSYS_LOAD_NSYS_GPUS_H

#include "model/nsys/nsys_tables.h"

// GPUs that a file plausibly lists; all further ones share the last device
enum { MAX_GPUS = MAX_DEVICES - 1 };

struct gpu { // a GPU of the file's list
    bool is_unnumbered;
    int64_t id;      // id in the file, or a running number if is_unnumbered
    int64_t ordinal; // cuDevice, or UNKNOWN
    uint32_t next;   // next GPU of the same name without a bus, or ROW_NONE
    struct device device;
};

struct gpu_index { // key -> index in gpus.items
    struct tuples keys;
    size_t capacity;
    uint32_t *gpu;
};

struct gpus {
    size_t count, capacity;
    struct gpu *items;
    int64_t unnumbered;            // number of ids given to GPUs without one
    struct tuples ids;             // (is_unnumbered, id), in the order of `items`
    struct gpu_index buses, uuids; // text -> first GPU that has it
    struct gpu_index busless;      // name -> first GPU without a bus; `next` links the others
    struct gpu_index known;        // (pid, ordinal) -> GPU
    struct tuples taken;           // (pid, index in items): pairs that `known` maps to
    // (pid, ordinal) -> index in reported_devices: what the file states of a GPU of a process
    // without saying which listed GPU this is
    struct tuples told;
    size_t reported_capacity;
    struct device *reported_devices;
};

// Adds a key. An existing key keeps its GPU.
void gpu_index_put(struct nsys *nsys, struct gpu_index *index, const int64_t *key, uint32_t gpu);
uint32_t gpu_index_find(const struct gpu_index *index, const int64_t *key); // ROW_NONE: not found

// Reads all GPUs that the file lists, sorted by id, without display adapters.
void gpus_read(struct nsys *nsys, struct gpus *gpus);
// Fills the unknown properties of a GPU from one of the same model.
void gpu_fill_unknown(struct device *device, const struct device *from);

#endif
