// SPDX-License-Identifier: Apache-2.0
// Between load_nsys_gpus.c, which reads the file's lists of GPUs, and load_nsys_device.c, which
// settles which of them a process means by a number.
#ifndef MODEL_LOAD_NSYS_GPUS_H
#define MODEL_LOAD_NSYS_GPUS_H

#include "model/load_nsys.h"

struct gpu {             // a row of TARGET_INFO_GPU
    int64_t id, ordinal; // ordinal: cuDevice, UNKNOWN
    struct device device;
};

struct gpus {
    size_t count, capacity;
    struct gpu *items;
    struct tuples known; // (pid, ordinal) -> index of items
    size_t known_capacity;
    uint32_t *known_gpu;
    struct tuples taken; // (pid, index of items) of all that are known
    struct tuples told;  // (pid, ordinal) -> what the file says of it, without saying which it is
    size_t told_capacity;
    struct device *told_device;
};

extern const struct device gpu_unknown;

// All that the file lists, without display adapters, by id.
void gpus_read(struct nsys *nsys, struct gpus *gpus);
// Fills in what is not known of a GPU from one of the same model.
void gpu_lend(struct device *device, const struct device *from);

#endif
