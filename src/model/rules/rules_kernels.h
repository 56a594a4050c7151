// SPDX-License-Identifier: Apache-2.0
// The rules about kernel names (rules/kernels.yaml): family, class, Tensor Core use.
//
// rules.c reads the file and hands its tree here; only rules.c calls this.
#ifndef MODEL_RULES_KERNELS_H
#define MODEL_RULES_KERNELS_H

#include "base/parse/yaml.h"
#include "model/rules/rules.h"

struct kernel_rules;

// NULL and an error "file:line:column: ..." when the tree is no set of rules.
struct kernel_rules *kernel_rules_new(struct arena *arena, const struct yaml_node *root,
                                      struct error *error);
void kernel_rules_free(struct kernel_rules *rules); // what the arena does not hold: the patterns

// What the rules say of one name; it touches nothing else, so that threads may share the work.
enum { FAMILY_SIZE = 400 };

struct kernel_verdict {
    enum work_class class;
    enum tristate tensor_core;
    bool dlprof_tensor_core;
    char family[FAMILY_SIZE]; // never empty
};

void kernel_rules_judge(const struct kernel_rules *rules, const char *full, size_t length,
                        const char *brief, struct kernel_verdict *verdict);

#endif
