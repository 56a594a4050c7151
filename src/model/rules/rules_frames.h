// SPDX-License-Identifier: Apache-2.0
// Rules that say which frames of call chains belong to libraries (rules/frames.yaml). rules.c reads
// the file and passes its tree to this module; only rules.c calls it.
#ifndef MODEL_RULES_RULES_FRAMES_H
#define MODEL_RULES_RULES_FRAMES_H

#include "base/parse/yaml.h"
#include "model/rules/rules.h"

struct frame_rules;

// Returns NULL and an error "file:line:column: ..." when the tree is not a valid set of rules.
struct frame_rules *frame_rules_new(struct arena *arena, const struct yaml_node *root,
                                    struct error *error);
// Frees the patterns, which the arena does not own; NULL is allowed.
void frame_rules_free(struct frame_rules *rules);

// As rules_mark_frame() and rules_is_library(). Both are pure, so threads may call them at once.
void frame_rules_mark(const struct frame_rules *rules, const char *name, bool is_symbol,
                      struct frame_marks *marks);
bool frame_rules_is_library(const struct frame_rules *rules, const struct frame_marks *symbol,
                            const struct frame_marks *module);

#endif
