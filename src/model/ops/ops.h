// SPDX-License-Identifier: Apache-2.0
// Ops and their instances, as DLProf means them: an op is a named piece of the model, an instance
// one run of it on the host; every API call and every piece of GPU work belongs to one instance.
//
// Rules: see docs/design.md. In short, for DLProf markers: an op is a {'mod','op','args'} range not
// inside another one; its name comes from the funcStack around it; (name, direction, k) tells ops
// apart, k counting within one training step. Calls outside every op become ops of their own named
// unassociated_*. In MODE_RANGES each range path is an op that owns what lies in it directly.
#ifndef MODEL_OPS_H
#define MODEL_OPS_H

#include "model/profile/profile.h"

enum direction { DIRECTION_NONE, DIRECTION_FPROP, DIRECTION_BPROP };
extern const char *const direction_names[3]; // "", "fprop", "bprop"

struct op {
    string_id id;   // "CONV2D_1"
    string_id name; // exactly DLProf's text, "/module/.../conv2d", "unassociated_cudaFree"
    string_id type; // "conv2d"
    enum direction direction;
    enum tristate tensor_core_eligible;
    bool is_unassociated;
    bool is_dataloader;
    bool is_told;        // whether it could use Tensor Cores says the file, and not the rules
    string_id data_type; // of the first tensor argument, STRING_NONE
    string_id stack;     // call stack, lines joined by newline
    uint32_t occurrence; // k of its identity: the how-manieth of its name within one step, from 0
    uint32_t first_instance; // rows of by_op: [first_instance, + instance_count)
    uint32_t instance_count;
};

struct ops {
    uint32_t count;
    struct op *items; // in order of the first instance's start
    // instances, sorted by (start, end)
    uint32_t instance_count;
    struct column32 op;
    struct column64 start, end; // host times, ns
    struct column64 self_ns;    // op_self_ns(); not there: end - start of all
    struct column32 thread;     // ROW_NONE for GPU work without a launch
    struct column32 marker;     // row of markers with its arguments, or ROW_NONE
    struct column32 by_op;      // instance rows grouped by op, in order of start
    // what lies in an instance: rows grouped by instance and in order of start, count + 1 offsets each
    struct column32 first_api, api_rows;
    struct column32 first_work, work_rows; // kernels, copies, memsets, graphs
};

// Of api_rows and work_rows: what lies in an instance.
static inline struct row_span op_calls(const struct ops *ops, uint32_t instance)
{
    return (struct row_span){AT(ops->first_api, instance), AT(ops->first_api, instance + 1)};
}

static inline struct row_span op_work(const struct ops *ops, uint32_t instance)
{
    return (struct row_span){AT(ops->first_work, instance), AT(ops->first_work, instance + 1)};
}

// CPU time of an instance: DLProf's ops the length of the range, in MODE_RANGES less that of
// instances inside; never negative.
static inline int64_t op_self_ns(const struct ops *ops, uint32_t instance)
{
    return HAS(ops->self_ns) ? AT(ops->self_ns, instance)
                             : AT(ops->end, instance) - AT(ops->start, instance);
}

// Makes ops and instances under the given mode (MODE_AUTO decides and sets profile->mode), and
// fills api.instance, work.instance and ranges.instance. Of files that tell their ops (profile.told)
// these are taken as they are; an op of the same name, direction and occurrence is one op in all files.
void ops_build(struct profile *profile, enum mode mode);

// Calls are in the op that is told of them, if they begin in its range: sets api.range of these.
// After profile_link_ranges().
void ops_link_told(struct profile *profile);

// The tensors of a marker, their dims called "N,C,H,W;K,C,R,S" as DLProf keeps it: a group for each,
// one of another rank says nothing.
const char *op_shape_labelled(const struct marker *marker, const char *labels, struct arena *arena);

// Shapes of an instance as DLProf prints them: "<N:32, C:3, H:32, W:32>; <...>", in `arena`. ""
// when unknown.
const char *op_shape_text(const struct profile *profile, uint32_t marker, enum shape_part part,
                          struct arena *arena);

// The same as DLProf keeps it: "[[32,3,32,32],[6,3,3,3]]" of so many tensors, and what its dims are
// called, "N,C,H,W;K,C,R,S". NULL and "": not known.
const char *op_shape_lists(const struct profile *profile, uint32_t marker, enum shape_part part,
                           uint32_t *count, struct arena *arena);
const char *op_shape_labels(const struct profile *profile, const struct op *op, uint32_t marker,
                            enum shape_part part, struct arena *arena);

#endif
