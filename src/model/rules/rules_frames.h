// SPDX-License-Identifier: Apache-2.0
// Which frames of call chains are of libraries (rules/frames.yaml). rules.c reads the file and hands
// its tree here; only rules.c calls this.
#ifndef MODEL_RULES_FRAMES_H
#define MODEL_RULES_FRAMES_H

#include "base/parse/yaml.h"
#include "model/rules/rules.h"

struct frame_rules;

// NULL and an error "file:line:column: ..." when the tree is no set of rules.
struct frame_rules *frame_rules_new(struct arena *arena, const struct yaml_node *root,
                                    struct error *error);
void frame_rules_free(struct frame_rules *rules); // what the arena does not hold; NULL is fine

// As rules_mark_frame() and rules_is_library(); touch nothing else.
void frame_rules_mark(const struct frame_rules *rules, const char *name, bool is_symbol,
                      struct frame_marks *marks);
bool frame_rules_is_library(const struct frame_rules *rules, const struct frame_marks *symbol,
                            const struct frame_marks *module);

#endif
