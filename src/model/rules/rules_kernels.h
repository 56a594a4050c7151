// SPDX-License-Identifier: Apache-2.0
// Rules about kernel names (rules/kernels.yaml): family, class, Tensor Core use. rules.c reads the
// file and passes its tree to this module; only rules.c calls it.
#ifndef MODEL_RULES_RULES_KERNELS_H
#define MODEL_RULES_RULES_KERNELS_H

#include "base/parse/yaml.h"
#include "model/rules/rules.h"

struct kernel_rules;

// Returns NULL and an error "file:line:column: ..." when the tree is not a valid set of rules.
struct kernel_rules *kernel_rules_new(struct arena *arena, const struct yaml_node *root,
                                      struct error *error);
// Frees the patterns, which the arena does not own.
void kernel_rules_free(struct kernel_rules *rules);

// The result of the rules for one name. kernel_rules_classify() is pure, so threads may call it at
// once.
enum { FAMILY_SIZE = 400 };

struct kernel_classification {
    enum work_class class;
    enum tristate tensor_core;
    bool dlprof_tensor_core;
    char family[FAMILY_SIZE]; // never empty
};

void kernel_rules_classify(const struct kernel_rules *rules, const char *full, size_t length,
                           const char *brief, struct kernel_classification *verdict);

#endif
