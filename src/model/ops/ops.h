// SPDX-License-Identifier: Apache-2.0
// Ops and their instances in DLProf's sense: an op is a named piece of the model, an instance is
// one run of it on the host. Every API call and every piece of GPU work belongs to one instance.
//
// The rules are in docs/design.md. In short, for DLProf markers: an op is a {'mod','op','args'}
// range that is not inside another one; its name comes from the funcStack around it; (name,
// direction, k) identifies an op, where k counts within one step. Calls outside all ops
// become ops named unassociated_*. In MODE_RANGES each range path is an op that owns its direct
// contents.
#ifndef MODEL_OPS_OPS_H
#define MODEL_OPS_OPS_H

#include "model/profile/profile.h"

enum direction { DIRECTION_NONE, DIRECTION_FPROP, DIRECTION_BPROP };
extern const char *const direction_names[3]; // "", "fprop", "bprop"

struct op {
    string_id id;   // "CONV2D_1"
    string_id name; // DLProf's text verbatim: "/module/.../conv2d", "unassociated_cudaFree"
    string_id type; // "conv2d"
    enum direction direction;
    enum tristate tensor_core_eligible;
    bool is_unassociated;
    bool is_dataloader;
    bool is_told;            // tensor_core_eligible is from the file, not from the rules
    string_id data_type;     // of the first tensor argument, or STRING_NONE
    string_id stack;         // call stack, joined by newlines
    uint32_t occurrence;     // k: 0-based index among the ops of this name within one step
    uint32_t first_instance; // rows of by_op: [first_instance, first_instance + instance_count)
    uint32_t instance_count;
};

struct ops {
    uint32_t count;
    struct op *items; // by start of the first instance
    // How often a step ends and k begins anew, in the process with most such times; 0: nothing
    // marks steps, or ops have no k.
    size_t step_bounds;
    bool *wrappers; // per range: it is a marker that only passes on (wrappers.h); NULL: none is
    // instances, sorted by (start, end)
    uint32_t instance_count;
    struct column32 op;
    struct column64 start, end; // host times, ns
    struct column64 self_ns;    // use op_self_ns(); absent: end - start for all
    struct column32 thread;     // ROW_NONE for GPU work without a launch
    struct column32 marker;     // row of markers with the arguments, or ROW_NONE
    struct column32 by_op;      // instance rows grouped by op, by start within a group
    // Contents of the instances: rows grouped by instance and sorted by start; count + 1 offsets
    // each.
    struct column32 first_api, api_rows;
    struct column32 first_work, work_rows; // kernels, copies, memsets, graphs
};

// Ranges of api_rows and work_rows: the contents of an instance.
static inline struct row_span op_calls(const struct ops *ops, uint32_t instance)
{
    return (struct row_span){AT(ops->first_api, instance), AT(ops->first_api, instance + 1)};
}

static inline struct row_span op_work(const struct ops *ops, uint32_t instance)
{
    return (struct row_span){AT(ops->first_work, instance), AT(ops->first_work, instance + 1)};
}

// Returns the CPU time of an instance in ns: for DLProf's ops the length of the range, in
// MODE_RANGES without the instances inside it. Never negative.
static inline int64_t op_self_ns(const struct ops *ops, uint32_t instance)
{
    return HAS(ops->self_ns) ? AT(ops->self_ns, instance)
                             : AT(ops->end, instance) - AT(ops->start, instance);
}

// Builds ops and instances in the given mode (MODE_AUTO chooses one and sets profile->mode) and
// fills api.instance, work.instance and ranges.instance. Recorded ops (profile.told) are used as
// they are. Ops of the same name, direction and occurrence are one op across all files.
void ops_build(struct profile *profile, enum mode mode);

// Sets api.range of calls with a recorded op that begin in the range of that op. Must be called
// after profile_link_ranges().
void ops_link_recorded(struct profile *profile);

// Formats the tensors of a marker with dimension labels "N,C,H,W;K,C,R,S" in DLProf's notation, one
// group per tensor. A group whose rank differs is ignored.
const char *op_shape_labelled(const struct marker *marker, const char *labels, struct arena *arena);

// Returns the shapes of an instance as DLProf prints them: "<N:32, C:3, H:32, W:32>; <...>", in
// `arena`; "" when unknown.
const char *op_shape_text(const struct profile *profile, uint32_t marker, enum shape_part part,
                          struct arena *arena);

// The same as DLProf stores it: op_shape_lists() returns "[[32,3,32,32],[6,3,3,3]]" and the number
// of tensors, NULL when unknown; op_shape_labels() the labels "N,C,H,W;K,C,R,S", "" when unknown.
const char *op_shape_lists(const struct profile *profile, uint32_t marker, enum shape_part part,
                           uint32_t *count, struct arena *arena);
const char *op_shape_labels(const struct profile *profile, const struct op *op, uint32_t marker,
                            enum shape_part part, struct arena *arena);

#endif
