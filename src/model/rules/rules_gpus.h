// SPDX-License-Identifier: Apache-2.0
// Peak rates of GPUs by name (rules/gpus.yaml). rules.c reads the file and passes its tree to this
// module; only rules.c calls it, others call rules_gpu().
#ifndef MODEL_RULES_RULES_GPUS_H
#define MODEL_RULES_RULES_GPUS_H

#include "base/parse/yaml.h"
#include "model/profile/vendor.h"
#include "model/rules/rules.h"

struct sm_rates {     // rates of one multiprocessor
    int major, minor; // compute capability
    // Operations per clock; `name`: text that the GPU's name contains, "": any.
    struct gpu_peaks each;
};

struct gpu_kind { // cards whose Tensor Cores take the same types
    size_t name_count;
    const char **names; // any of them as whole words; none: by compute capability
    int capability;     // in tenths: all NVIDIA cards from this one on
    struct gpu_abilities abilities;
};

struct gpu_list {
    size_t count, rate_count, kind_count;
    struct gpu_peaks *items; // in file order
    struct sm_rates *rates;
    struct gpu_kind *kinds; // in file order; the first that fits is meant
};

// Returns false with "file:line:column: ..." when the tree is not a valid list of GPUs.
bool gpu_list_read(struct gpu_list *list, struct arena *arena, const struct yaml_node *root,
                   struct error *error);
// Reads `abilities` (rules_abilities.c). A root without them leaves the list as it is.
bool gpu_kinds_read(struct gpu_list *list, struct arena *arena, const struct yaml_node *root,
                    struct error *error);
const struct gpu_peaks *gpu_list_find(const struct gpu_list *list, const char *name);
struct gpu_peaks gpu_list_peaks(const struct gpu_list *list, const struct device *device,
                                const char *name);
struct gpu_abilities gpu_list_abilities(const struct gpu_list *list, const struct device *device,
                                        enum vendor vendor, const char *name);

// For both files: a compute capability in tenths, 8.6 as 86, and whether a name holds whole words.
bool gpu_read_capability(const struct yaml_node *node, int *tenths, struct error *error);
bool gpu_name_has(const char *name, const char *words);

#endif
