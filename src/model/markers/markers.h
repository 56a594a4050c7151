// SPDX-License-Identifier: Apache-2.0
// What the text of an NVTX range says: one row per distinct text.
//
// Each dialect is one file, marker_*.c, with one function that either recognises a text and fills
// the marker or leaves it to the next; the list in markers.c gives the order. Texts are parsed,
// never evaluated, and kept structured.
#ifndef MODEL_MARKERS_H
#define MODEL_MARKERS_H

#include "model/profile/profile.h"

enum marker_kind {
    MARKER_PLAIN,      // a user's range
    MARKER_STEP,       // a numbered step of training: "step 12", "ProfilerStep#3"
    MARKER_LAYER,      // "layer:model.layers.3.mlp", FSDP, vLLM: path holds the module path
    MARKER_TRACE,      // {'traceMarker': [...], 'funcStack': '...'}
    MARKER_OP,         // an op: {'mod', 'op', 'args'} of DLProf/PyProf, or "aten::mm"
    MARKER_REPR,       // {'mod', 'strRepr'}
    MARKER_ENGINE,     // "autograd::engine::evaluate_function: MmBackward0"
    MARKER_BACKWARD,   // "MmBackward0", a node of the backward graph
    MARKER_OPTIMIZER,  // "Optimizer.step#AdamW.step"
    MARKER_DATALOADER, // "enumerate(DataLoader)#...__next__"
    MARKER_CONFIG,     // {"model_config": {...}}
    MARKER_COMPILED,   // torch.compile regions
    MARKER_LIBRARY,    // cuBLAS, cuDNN, NCCL, CCCL ... domains: a leaf, never a step or a layer
    MARKER_KIND_COUNT
};

// Whether ranges of this kind are a place where things run: a node of the tree, a part of a path.
// The others only say something about what is in them.
static inline bool marker_is_place(enum marker_kind kind)
{
    return kind != MARKER_TRACE && kind != MARKER_REPR && kind != MARKER_CONFIG;
}

enum marker_dialect {
    DIALECT_PLAIN,
    DIALECT_DLPROF,      // DLProf/PyProf dict markers
    DIALECT_EMIT_NVTX,   // torch.autograd.profiler.emit_nvtx of every era
    DIALECT_LAYER,       // layer:
    DIALECT_MODULE_DICT, // vLLM/SGLang/NVIDIA PytHooks layer-wise dicts
    DIALECT_FSDP,
    DIALECT_COMPILE,
    DIALECT_MEGATRON, // also NeMo's and Transformer Engine's
    DIALECT_LIGHTNING,
    DIALECT_VLLM,
    DIALECT_TENSORFLOW,
    DIALECT_XLA, // also JAX's
    DIALECT_TENSORRT,
    DIALECT_COUNT
};

struct marker_argument { // of an op, in order of the call
    string_id name;      // keyword or STRING_NONE
    string_id type;      // "tensor", "int", "tuple", ...
    string_id dtype;     // "float32", STRING_NONE
    string_id value;     // text of scalars and sequences
    bool is_tensor;
    uint8_t rank; // number of dims, at most 16
    int64_t *dims;
};

struct marker {
    enum marker_kind kind;
    enum marker_dialect dialect;
    string_id text;   // the range's name column
    string_id title;  // what the tree shows: "conv2d", "aten::mm", "step N"
    string_id type;   // op type: "conv2d", "mm"; STRING_NONE: none of its own
    string_id module; // 'mod'; LIBRARY: its domain
    string_id path;   // TRACE: funcStack, as of an op that has no TRACE around it; LAYER: dotted
                      // module path; of other dialects: the scopes that the title begins with,
                      // `dense` of `dense/MatMul`
    string_id stack;  // TRACE: traceMarker entries joined by newlines, as in the marker
    uint32_t argument_count;
    struct marker_argument *arguments;
    string_id shapes[SHAPE_PARTS]; // as the file prints them itself; STRING_NONE: by arguments
    int64_t number;                // STEP: its number; else UNKNOWN
    bool is_backward;              // direction told by the text itself
    uint32_t range_count;          // of the profile's
};

static inline const struct marker *range_marker(const struct profile *profile, uint32_t range)
{
    return &profile->markers[range_label(&profile->ranges, range)->marker];
}

// Whether a range is a place in its own right.
static inline bool label_is_place(const struct profile *profile, const struct range_label *label)
{
    return label->ending != RANGE_AWAY && marker_is_place(profile->markers[label->marker].kind);
}

static inline bool range_is_place(const struct profile *profile, uint32_t range)
{
    return label_is_place(profile, range_label(&profile->ranges, range));
}

// Parses every distinct range name of the profile into profile->markers, behind those that files tell,
// and sets the labels' rows and how many ranges each marker has. Fills profile->config from
// MARKER_CONFIG.
void markers_parse(struct profile *profile);

// Whether any of them tells what its op takes.
bool markers_tell_shapes(const struct profile *profile);

// Parses one text, suffixes and all (for tests and fuzzers). `domain` may be "". Never fails: what
// no dialect knows is MARKER_PLAIN. Arguments are in `arena`.
void marker_parse(struct strings *strings, struct arena *arena, const char *domain, string_id text,
                  struct marker *marker);

#endif
