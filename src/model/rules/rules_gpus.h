// SPDX-License-Identifier: Apache-2.0
// Peak rates of GPUs by name (rules/gpus.yaml). rules.c reads the file and passes its tree to this
// module; only rules.c calls it, others call rules_gpu().
#ifndef MODEL_RULES_RULES_GPUS_H
#define MODEL_RULES_RULES_GPUS_H

#include "base/parse/yaml.h"
#include "model/rules/rules.h"

struct sm_rates {     // rates of one multiprocessor
    int major, minor; // compute capability
    // Operations per clock; `name`: text that the GPU's name contains, "": any.
    struct gpu_peaks each;
};

struct gpu_list {
    size_t count, rate_count;
    struct gpu_peaks *items; // in file order
    struct sm_rates *rates;
};

// Returns false with "file:line:column: ..." when the tree is not a valid list of GPUs.
bool gpu_list_read(struct gpu_list *list, struct arena *arena, const struct yaml_node *root,
                   struct error *error);
const struct gpu_peaks *gpu_list_find(const struct gpu_list *list, const char *name);
struct gpu_peaks gpu_list_peaks(const struct gpu_list *list, const struct device *device,
                                const char *name);

#endif
