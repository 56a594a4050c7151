// SPDX-License-Identifier: Apache-2.0
// Between load_nsys_gpus.c, which reads the file's lists of GPUs, and load_nsys_device.c, which
// settles which of them a process means by a number.
#ifndef MODEL_LOAD_NSYS_GPUS_H
#define MODEL_LOAD_NSYS_GPUS_H

#include "model/nsys/load_nsys.h"

enum { GPUS_MOST = DEVICES_MOST - 1 }; // more are not believed; the last one is all others

struct gpu { // one that the file lists
    bool is_unnumbered;
    int64_t id;      // the file's, or one of those without
    int64_t ordinal; // cuDevice, UNKNOWN
    uint32_t next;   // the next one of its name without a bus, ROW_NONE
    struct device device;
};

struct gpu_index { // key -> index of a list's items
    struct tuples keys;
    size_t capacity;
    uint32_t *gpu;
};

struct gpus {
    size_t count, capacity;
    struct gpu *items;
    int64_t unnumbered;            // ids given to those that have none
    struct tuples ids;             // (is_unnumbered, id), as the items stand
    struct gpu_index buses, uuids; // the first that has it
    struct gpu_index busless;      // name -> the first without a bus; later ones by `next`
    struct gpu_index known;        // (pid, ordinal)
    struct tuples taken;           // (pid, index of items) of all that are known
    struct tuples told; // (pid, ordinal) -> what the file says of it, without saying which it is
    size_t told_capacity;
    struct device *told_device;
};

// A key that is there keeps its GPU.
void gpu_index_put(struct nsys *nsys, struct gpu_index *index, const int64_t *key, uint32_t gpu);
uint32_t gpu_index_find(const struct gpu_index *index, const int64_t *key); // ROW_NONE: not there

// All that the file lists, without display adapters, by id.
void gpus_read(struct nsys *nsys, struct gpus *gpus);
// Fills in what is not known of a GPU from one of the same model.
void gpu_lend(struct device *device, const struct device *from);

#endif
