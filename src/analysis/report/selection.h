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

struct selection {
    const struct split *split; // never NULL
    const bool *iterations;    // [split->count]; NULL: all iterations and everything outside
    uint32_t process, device;  // ROW_NONE: all; for groups of processes see process_is_selected()
    uint32_t node;             // only this subtree; ROW_NONE: all
    bool with_backward;        // backward work counts for its forward op, as in the report `layers`
    bool is_folded;            // `node` and tree reports refer to the folded tree
    bool adoption;             // adopted work counts for its adopter; else for the node OUTSIDE
    enum name_form names;      // how kernels are grouped and named
    string_id name;            // only GPU work of this name (in the form `names`), or STRING_NONE
    uint32_t function;         // only GPU work of this function, or ROW_NONE
    uint32_t shape;            // only kernels of this launch shape (row of shapes), or ROW_NONE
    uint32_t op;               // only this op (row of ops), or ROW_NONE
    string_id op_type;         // only ops of this type, or STRING_NONE
    string_id api_name;        // only API calls of this name, or STRING_NONE
    string_id range_name;      // only ranges of this name, or STRING_NONE
    // only the own calls of operators alike to this label (operators.h), and the work that they
    // launched; or ROW_NONE
    uint32_t by_operator;
    enum operator_key operator_key; // criterion for being alike
    // only calls from this source line (call_route) and the work that they launched, or STRING_NONE
    string_id line;
    uint32_t thread;     // only calls of this thread, or ROW_NONE
    uint32_t copies;     // only copies of this kind (copy_ends.h), or ROW_NONE
    uint32_t memory;     // only these allocations and their frees (memory_use.h), or ROW_NONE
    struct memo *memo;   // of the split, see memo.h; NULL: none. Does not affect what is selected
    uint32_t step;       // iteration that the report `difference` explains; ROW_NONE: the longest
    uint32_t idle_cause; // only idle time of this cause (enum idle_cause), or ROW_NONE
    // DLProf's --detailed_mode=false: TensorFlow's files omit data types and shapes
    bool hides_details;
    struct step_size step_size;      // the user's statement of a step's size
    const struct baseline *baseline; // what a comparison starts from (compare.h); NULL: none
};

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

// Returns the innermost range at or above `range` that has a node of its own, or ROW_NONE.
uint32_t range_tree_owner(const struct profile *profile, uint32_t range);

// The tree of the selection; the node in it of a piece of work (with adoption applied), of a range
// and of an API call; the name of a function in the selected form. A call belongs to the range
// around it on its thread or, like the work it launched, to the range that adopts it; outside of
// all ranges it belongs to the node OUTSIDE. Work of a graph that was captured in a layer lies
// below the call that replayed it. ROW_NONE: no node.
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

// Returns the selection in words, for the breadcrumb and exports: "steps 3-22 of 24 by range "step
// N", GPU 0".
const char *selection_text(const struct profile *profile, const struct selection *selection,
                           struct arena *arena);

#endif
