// SPDX-License-Identifier: Apache-2.0
// Which frames of call chains are of libraries (rules/frames.yaml). rules.c reads the file and hands
// its tree here; only rules.c calls this, others ask rules_is_library().
#ifndef MODEL_RULES_FRAMES_H
#define MODEL_RULES_FRAMES_H

#include "base/yaml.h"

struct frame_rules;

// NULL and an error "file:line:column: ..." when the tree is no set of rules.
struct frame_rules *frame_rules_new(struct arena *arena, const struct yaml_node *root,
                                    struct error *error);
void frame_rules_free(struct frame_rules *rules); // what the arena does not hold; NULL is fine

// Whether the first rule that matches says so. Touches nothing else; "" for what is not known.
bool frame_rules_is_library(const struct frame_rules *rules, const char *symbol,
                            const char *module);

#endif
