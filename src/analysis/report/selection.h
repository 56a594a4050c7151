// SPDX-License-Identifier: Apache-2.0
// What part of a profile is looked at: a small value, copied freely.
#ifndef ANALYSIS_SELECTION_H
#define ANALYSIS_SELECTION_H

#include "analysis/report/operators.h"
#include "analysis/report/step_size.h"
#include "model/ops/op_tree.h"
#include "model/profile/profile.h"
#include "model/steps/iterations.h"

struct baseline;

enum name_form { NAME_FAMILY, NAME_SHORT, NAME_FULL, NAME_FORM_COUNT };
extern const char *const name_form_names[NAME_FORM_COUNT]; // "family", "short", "full"

struct memo;

struct selection {
    const struct split *split; // never NULL
    const bool *iterations;    // [split->count]; NULL: every iteration and what is outside
    uint32_t process, device;  // ROW_NONE: all; groups of processes: see process_is_chosen()
    uint32_t node;             // what lies in this subtree; ROW_NONE: everything
    bool with_backward;        // backward work lies with its forward op, as in `layers`
    bool is_folded;            // `node` and tree reports mean the folded tree
    bool adoption;             // adopted work counts to its adopter (else: outside ranges)
    enum name_form names;      // how kernels are grouped and named
    string_id name;            // only GPU work of this name (in the present form), or STRING_NONE
    uint32_t function;         // only GPU work of this function, or ROW_NONE
    uint32_t shape;            // only kernels launched so (row of shapes), or ROW_NONE
    uint32_t op;               // only this op (row of ops), or ROW_NONE
    string_id op_type;         // only ops of this type, or STRING_NONE
    string_id api_name;        // only API calls of this name, or STRING_NONE
    string_id range_name;      // only ranges of this name, or STRING_NONE
    uint32_t by_operator;      // only calls that operators as that of this label make themselves
                               // (operators.h), and the work that they launched; or ROW_NONE
    enum operator_key operator_key; // by what they are alike
    string_id line;      // only calls from this line of the program (call_route) and the work
                         // that they launched, or STRING_NONE
    uint32_t thread;     // only calls of this thread, or ROW_NONE
    uint32_t copies;     // only copies of this kind (copy_ends.h), or ROW_NONE
    uint32_t memory;     // only these allocations and their frees (memory_use.h), or ROW_NONE
    struct memo *memo;   // of the split, see memo.h; NULL: none. No part of what is selected
    uint32_t step;       // the iteration that `difference` explains; ROW_NONE: the longest
    uint32_t idle_cause; // only idle time of this cause (enum idle_cause), or ROW_NONE
    bool hides_details;  // DLProf's --detailed_mode=false: TensorFlow's files without data types
                         // and shapes
    struct step_size step_size;      // what a person says of a step
    const struct baseline *baseline; // what a comparison sets beside it (compare.h); NULL: nothing
};

// Everything: all iterations of `split`, adoption on, folded tree, families.
struct selection selection_all(const struct split *split);

// How many iterations are selected, and the first and last of them (ROW_NONE when none).
uint32_t selection_count(const struct selection *selection);
uint32_t selection_first(const struct selection *selection);
uint32_t selection_last(const struct selection *selection);
bool selection_has_iteration(const struct selection *selection, uint32_t iteration); // ROW_NONE ok

// Fills members[split->count] with the iterations of a span, as the file numbers them. An open end
// is UNKNOWN. False: there are none, or an end lies outside the numbers that there are (a span that
// was cut silently would be taken for the one that was asked for). Sets as typed: step_sets.h.
bool selection_span_iterations(const struct split *split, int64_t start, int64_t stop,
                               bool *members, struct error *error);

// Whether a row is selected, by every field that applies to its kind.
bool selection_has_work(const struct profile *profile, const struct selection *selection,
                        uint32_t work);
bool selection_has_instance(const struct profile *profile, const struct selection *selection,
                            uint32_t instance);
bool selection_has_range(const struct profile *profile, const struct selection *selection,
                         uint32_t range);
bool selection_has_api(const struct profile *profile, const struct selection *selection,
                       uint32_t api);

// The innermost range at or above a range that has a node of its own, or ROW_NONE.
uint32_t range_host(const struct profile *profile, uint32_t range);

// The tree that the selection means, the node of a work in it (adoption applied), of a range, of
// an API call, and the name of a function in the present form. A call belongs where its thread was:
// to the range around it or, as what it launched, to the range that adopts it; what lies in no
// range belongs to the OUTSIDE node. (Work of a graph that was captured in a layer lies below the
// call that replayed it.) ROW_NONE is in no place.
const struct op_tree *selection_tree(const struct profile *profile,
                                     const struct selection *selection);
uint32_t selection_work_node(const struct profile *profile, const struct selection *selection,
                             uint32_t work);
uint32_t selection_range_node(const struct profile *profile, const struct selection *selection,
                              uint32_t range);
// The node of the forward op whose backward a work is, or ROW_NONE; and the one to whose layer a
// work counts: that, else its own.
uint32_t selection_forward_node(const struct profile *profile, const struct selection *selection,
                                uint32_t work);
uint32_t selection_layer_node(const struct profile *profile, const struct selection *selection,
                              uint32_t work);
// GPU time that `with_backward` would add below the node chosen: backward work that lies elsewhere.
int64_t selection_backward_ns(const struct profile *profile, const struct selection *selection);
uint32_t selection_api_node(const struct profile *profile, const struct selection *selection,
                            uint32_t api);
string_id selection_name(const struct profile *profile, const struct selection *selection,
                         uint32_t function);

// In words, for the breadcrumb and for exports: "steps 3-22 of 24 by range "step N", GPU 0".
const char *selection_text(const struct profile *profile, const struct selection *selection,
                           struct arena *arena);

#endif
