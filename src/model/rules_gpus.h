// SPDX-License-Identifier: Apache-2.0
// What GPUs can do at most, by name (rules/gpus.yaml). rules.c reads the file and hands its tree
// here; only rules.c calls this, others ask rules_gpu().
#ifndef MODEL_RULES_GPUS_H
#define MODEL_RULES_GPUS_H

#include "base/yaml.h"
#include "model/rules.h"

struct gpu_list {
    size_t count;
    struct gpu_peaks *items; // in the order of the file
};

// False, with "file:line:column: ...", when the tree is no list of GPUs.
bool gpu_list_read(struct gpu_list *list, struct arena *arena, const struct yaml_node *root,
                   struct error *error);
const struct gpu_peaks *gpu_list_find(const struct gpu_list *list, const char *name);

#endif
