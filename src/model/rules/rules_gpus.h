// SPDX-License-Identifier: Apache-2.0
// What GPUs can do at most, by name (rules/gpus.yaml). rules.c reads the file and hands its tree
// here; only rules.c calls this, others ask rules_gpu().
#ifndef MODEL_RULES_GPUS_H
#define MODEL_RULES_GPUS_H

#include "base/parse/yaml.h"
#include "model/rules/rules.h"

struct sm_rates {          // of a multiprocessor
    int major, minor;      // compute capability
    struct gpu_peaks each; // operations of a clock; name: what that of the card holds, "": any
};

struct gpu_list {
    size_t count, rate_count;
    struct gpu_peaks *items; // in the order of the file
    struct sm_rates *rates;
};

// False, with "file:line:column: ...", when the tree is no list of GPUs.
bool gpu_list_read(struct gpu_list *list, struct arena *arena, const struct yaml_node *root,
                   struct error *error);
const struct gpu_peaks *gpu_list_find(const struct gpu_list *list, const char *name);
struct gpu_peaks gpu_list_peaks(const struct gpu_list *list, const struct device *device,
                                const char *name);

#endif
