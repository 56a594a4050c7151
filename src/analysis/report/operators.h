// SPDX-License-Identifier: Apache-2.0
// Operators and modules: which ranges are calls of them, in which of them others lie, and what is alike.
//
// The rules are those of the PyTorch Profiler's plugin, for traces and for captures with emit_nvtx alike:
// an operator is what the file says is one, else an op, a node of the backward graph, or the engine that
// runs one. Steps, modules, optimizers and data loaders are places that operators lie in; what else a
// program marks is none. An operator with a single one of its own name in it is one call with that.
#ifndef ANALYSIS_OPERATORS_H
#define ANALYSIS_OPERATORS_H

#include "model/profile/profile.h"
#include "model/rules/frame_judge.h"

enum operator_role {
    IS_NEITHER, // of no place in the tree of operators: as if it were not there
    IS_OPERATOR,
    IS_MODULE,
    IS_PLACE,
};

enum operator_role operator_role(const struct profile *profile, const struct range_label *label);

// What makes calls of operators alike.
enum operator_key { OPERATOR_BY_NAME, OPERATOR_BY_SHAPE, OPERATOR_BY_STACK };

// What it is called: as the file writes it, of a marker its title.
string_id operator_name(const struct profile *profile, const struct range_label *label);
// "[[8, 16], []]": the sizes of its inputs, "[]" where none are told.
const char *operator_shapes(const struct profile *profile, const struct range_label *label,
                            struct arena *arena);
// "file.py(12): forward;...", the innermost frame first; NULL: none is known.
const char *operator_stack(const struct profile *profile, const struct range_label *label,
                           struct arena *arena);
// The frames of no library to read, "file.py:12 forward < main.py:3 main"; all of them where each is
// of one. NULL: none is known.
const char *operator_callers(const struct profile *profile, const struct range_label *label,
                             struct frame_judge *judge, struct arena *arena);
// Apart from the name: equal where operators are alike, also in another profile.
uint64_t operator_hash(const struct profile *profile, const struct range_label *label,
                       enum operator_key key);
// Whether operators of two labels of one profile are alike.
bool operators_alike(const struct profile *profile, uint32_t label, uint32_t other,
                     enum operator_key key);
// A label of `to` that is alike; ROW_NONE: there is none.
uint32_t operator_again(const struct profile *from, const struct profile *to, uint32_t label,
                        enum operator_key key);

// The operator whose own a call in this innermost range is, or GPU work that it launched: the innermost
// one around it, of those that are one call the outermost. ROW_NONE: none.
uint32_t operator_around(const struct profile *profile, uint32_t range);
uint32_t operator_of_call(const struct profile *profile, uint32_t call);
uint32_t operator_of_work(const struct profile *profile, uint32_t work);

// By range the operator, module or place that it is, or else that it lies in; of operators that are one
// call the outermost. ROW_NONE: it is in none.
uint32_t *operator_owners(const struct profile *profile, struct arena *arena);

// The one around the operator, module or place `range`.
static inline uint32_t operator_outer(const struct profile *profile, const uint32_t *owners,
                                      uint32_t range)
{
    uint32_t parent = AT(profile->ranges.parent, range);
    return parent == ROW_NONE ? ROW_NONE : owners[parent];
}

#endif
