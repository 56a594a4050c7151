// SPDX-License-Identifier: Apache-2.0
// Operators and modules: which ranges are calls of them, how they nest, and which are alike.
//
// The rules are those of the PyTorch Profiler's TensorBoard plugin, for traces and for captures
// with emit_nvtx alike. An operator is what the file calls one; else an op, a node of the backward
// graph, or the engine that runs such a node. A module is a module of the model. Steps, optimizers
// and data loaders are places: ranges that only contain operators. Other ranges have no role. An
// operator whose only child is an operator of the same name is one call with it.
#ifndef ANALYSIS_REPORT_OPERATORS_H
#define ANALYSIS_REPORT_OPERATORS_H

#include "model/profile/profile.h"
#include "model/rules/frame_classifier.h"

enum operator_role {
    RANGE_ROLE_NONE, // not part of the operator tree, treated as absent
    RANGE_ROLE_OPERATOR,
    RANGE_ROLE_MODULE,
    RANGE_ROLE_PLACE,
};

enum operator_role operator_role(const struct profile *profile, const struct range_label *label);

// Criterion for calls of operators to be alike.
enum operator_key { OPERATOR_BY_NAME, OPERATOR_BY_SHAPE, OPERATOR_BY_STACK };

// Returns the name in the file, or the title of a marker.
string_id operator_name(const struct profile *profile, const struct range_label *label);
// Returns the sizes of the inputs, like "[[8, 16], []]"; "[]" if they are unknown.
const char *operator_shapes(const struct profile *profile, const struct range_label *label,
                            struct arena *arena);
// Returns "file.py(12): forward;...", innermost frame first; NULL if unknown.
const char *operator_stack(const struct profile *profile, const struct range_label *label,
                           struct arena *arena);
// Returns the frames outside libraries in readable form, "file.py:12 forward < main.py:3 main", or
// all frames if all are in libraries; NULL if unknown.
const char *operator_callers(const struct profile *profile, const struct range_label *label,
                             struct frame_classifier *judge, struct arena *arena);
// Returns a hash that, apart from the name, is equal for alike operators, also across profiles.
uint64_t operator_hash(const struct profile *profile, const struct range_label *label,
                       enum operator_key key);
// Returns true if the operators of two labels of one profile are alike.
bool operators_alike(const struct profile *profile, uint32_t label, uint32_t other,
                     enum operator_key key);
// Returns an alike label of `to`, or ROW_NONE.
uint32_t operator_find_alike(const struct profile *from, const struct profile *to, uint32_t label,
                             enum operator_key key);

// Returns the operator that an API call directly in `range`, and the work it launched, belong to:
// the innermost enclosing operator, or the outermost of several that are one call. ROW_NONE: none.
uint32_t operator_enclosing(const struct profile *profile, uint32_t range);
uint32_t operator_of_call(const struct profile *profile, uint32_t call);
uint32_t operator_of_work(const struct profile *profile, uint32_t work);

// Returns for each range the range itself if it is an operator, module or place, else the innermost
// one that encloses it, else ROW_NONE. If several operators are one call, it is the outermost.
uint32_t *operator_owners(const struct profile *profile, struct arena *arena);

// Returns the operator, module or place that encloses `range`, which is one itself.
static inline uint32_t operator_outer(const struct profile *profile, const uint32_t *owners,
                                      uint32_t range)
{
    uint32_t parent = AT(profile->ranges.parent, range);
    return parent == ROW_NONE ? ROW_NONE : owners[parent];
}

#endif
