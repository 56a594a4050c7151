// SPDX-License-Identifier: Apache-2.0
// The selected part of a profile: a small value that is copied freely.
#ifndef ANALYSIS_REPORT_SELECTION_H
#define ANALYSIS_REPORT_SELECTION_H

#include "analysis/report/operators.h"
#include "analysis/report/step_size.h"
#include "model/ops/op_tree.h"
#include "model/profile/profile.h"
#include "model/steps/split.h"

struct baseline;

enum name_form { NAME_FAMILY, NAME_SHORT, NAME_FULL, NAME_FORM_COUNT };
extern const char *const name_form_names[NAME_FORM_COUNT]; // "family", "short", "full"

struct memo;

// The fields that narrow a selection, one row each: type, name, value that selects everything, and
// how a comparison finds the field in its other profile (compare_side.c): SAME keeps the value,
// TEXT looks up an interned text, FIND calls carry_NAME(), OWN leaves what the baseline chose.
//
// To add a field: a row here, a test in the selection_has_x() that it applies to, its words in
// selection_text.c. The struct, selection_all(), selection_equal() and comparisons follow from the
// row.
// clang-format off
#define SELECTION_FIELDS(X)                                                                        \
    X(uint32_t, process, ROW_NONE, OWN) /* process or group, see process_is_selected() */          \
    X(uint32_t, device, ROW_NONE, OWN)                                                             \
    X(uint32_t, node, ROW_NONE, FIND)   /* only this subtree */                                    \
    X(bool, with_backward, false, SAME) /* backward work counts for its forward op */              \
    X(bool, is_folded, true, SAME)      /* `node` and tree reports refer to the folded tree */     \
    X(bool, adoption, true, SAME) /* adopted work counts for its adopter, else for OUTSIDE */      \
    X(enum name_form, names, NAME_FAMILY, SAME) /* how kernels are grouped and named */            \
    X(string_id, name, STRING_NONE, FIND) /* only GPU work of this name, in the form `names` */    \
    X(uint32_t, function, ROW_NONE, FIND) /* only GPU work of this function */                     \
    X(uint32_t, shape, ROW_NONE, FIND)    /* only kernels of this launch shape (row of shapes) */  \
    X(uint32_t, op, ROW_NONE, FIND)       /* only this op (row of ops) */                          \
    X(string_id, op_type, STRING_NONE, TEXT)    /* only ops of this type */                        \
    X(string_id, api_name, STRING_NONE, FIND)   /* only API calls of this name */                  \
    X(string_id, range_name, STRING_NONE, TEXT) /* only ranges of this name */                     \
    /* only the own calls of operators alike to this label (operators.h) and what they launched */ \
    X(uint32_t, by_operator, ROW_NONE, FIND)                                                       \
    X(enum operator_key, operator_key, 0, SAME) /* criterion for being alike */                    \
    X(string_id, line, STRING_NONE,                                                                \
      TEXT) /* only calls from this source line and what they launched */                          \
    X(uint32_t, thread, ROW_NONE, FIND) /* only calls of this thread */                            \
    X(uint32_t, copies, ROW_NONE, SAME) /* only copies of this kind (copy_ends.h) */               \
    X(uint32_t, memory, ROW_NONE, SAME) /* only these allocations and frees (memory_use.h) */      \
    X(uint32_t, step, ROW_NONE, OWN) /* step that `difference` explains; ROW_NONE: the longest */  \
    X(uint32_t, idle_cause, ROW_NONE, SAME) /* only idle time of this enum idle_cause */
// clang-format on

struct selection {
    const struct split *split; // never NULL
    const bool *iterations;    // [split->count]; NULL: all iterations and everything outside
#define SELECTION_MEMBER(type, field, all, carry) type field;
    SELECTION_FIELDS(SELECTION_MEMBER)
#undef SELECTION_MEMBER
    struct memo *memo; // of the split, see memo.h; NULL: none. Selects nothing
    // DLProf's --detailed_mode=false: TensorFlow's files omit data types and shapes
    bool hides_details;
    struct step_size step_size;      // the user's statement of a step's size
    const struct baseline *baseline; // what a comparison starts from (compare.h); NULL: none
};

// Returns true if two selections of one profile select the same rows in the same form.
bool selection_equal(const struct selection *a, const struct selection *b);

// Returns the selection of everything: all iterations of `split`, adoption on, folded tree,
// families.
struct selection selection_all(const struct split *split);

// Count, first and last of the selected iterations (first and last: ROW_NONE if there is none).
uint32_t selection_iteration_count(const struct selection *selection);
uint32_t selection_first_iteration(const struct selection *selection);
uint32_t selection_last_iteration(const struct selection *selection);
// ROW_NONE is allowed
bool selection_has_iteration(const struct selection *selection, uint32_t iteration);

// Fills members[split->count] with a span of iterations, by their numbers in the file. UNKNOWN
// means an open end. Returns false if the span is empty or an end is outside of the existing
// numbers, since a silently shortened span would be taken for the requested one. Sets as typed:
// step_sets.h.
bool selection_span_iterations(const struct split *split, int64_t start, int64_t stop,
                               bool *members, struct error *error);

// Return true if a row is selected, by all fields that apply to its kind.
bool selection_has_work(const struct profile *profile, const struct selection *selection,
                        uint32_t work);
bool selection_has_instance(const struct profile *profile, const struct selection *selection,
                            uint32_t instance);
bool selection_has_range(const struct profile *profile, const struct selection *selection,
                         uint32_t range);
bool selection_has_api(const struct profile *profile, const struct selection *selection,
                       uint32_t api);

// Returns `range` or the innermost enclosing range that has a node of its own, or ROW_NONE.
uint32_t range_tree_owner(const struct profile *profile, uint32_t range);

// The tree of the selection; the node in it of a piece of work (with adoption applied), of a range
// and of an API call; the name of a function in the selected form. A call belongs to the range
// around it on its thread or, like the work it launched, to the range that adopts it; outside of
// all ranges it belongs to the node OUTSIDE. Work of a graph that was captured in a layer is below
// the call that replayed it. ROW_NONE: no node.
const struct op_tree *selection_tree(const struct profile *profile,
                                     const struct selection *selection);
uint32_t selection_work_node(const struct profile *profile, const struct selection *selection,
                             uint32_t work);
uint32_t selection_range_node(const struct profile *profile, const struct selection *selection,
                              uint32_t range);
// selection_forward_node() returns the node of the forward op of backward work, or ROW_NONE.
// selection_layer_node() returns that node, or else the work's own.
uint32_t selection_forward_node(const struct profile *profile, const struct selection *selection,
                                uint32_t work);
uint32_t selection_layer_node(const struct profile *profile, const struct selection *selection,
                              uint32_t work);
// GPU time in ns that `with_backward` would add to the selected node: backward work outside of it.
int64_t selection_backward_ns(const struct profile *profile, const struct selection *selection);
uint32_t selection_api_node(const struct profile *profile, const struct selection *selection,
                            uint32_t api);
string_id selection_name(const struct profile *profile, const struct selection *selection,
                         uint32_t function);

#endif
