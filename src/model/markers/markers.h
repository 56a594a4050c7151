// SPDX-License-Identifier: Apache-2.0
// The parsed meaning of range texts: one marker per distinct text.
//
// Each dialect is one file, marker_*.c, with one function that either recognises a text and fills
// the marker or leaves it to the next dialect; the list in markers.c gives the order. Texts are
// parsed into structs and never evaluated.
#ifndef MODEL_MARKERS_MARKERS_H
#define MODEL_MARKERS_MARKERS_H

#include "model/markers/step_content.h"
#include "model/profile/profile.h"

enum marker_kind {
    MARKER_PLAIN,      // a range of the user
    MARKER_STEP,       // a step: "step 12", "ProfilerStep#3", "step[DECODE bs=8]"
    MARKER_LAYER,      // "layer:model.layers.3.mlp", FSDP, vLLM: `path` is the module path
    MARKER_TRACE,      // {'traceMarker': [...], 'funcStack': '...'}
    MARKER_OP,         // an op: {'mod', 'op', 'args'} of DLProf/PyProf, or "aten::mm"
    MARKER_REPR,       // {'mod', 'strRepr'}
    MARKER_ENGINE,     // "autograd::engine::evaluate_function: MmBackward0"
    MARKER_BACKWARD,   // "MmBackward0", a node of the backward graph
    MARKER_OPTIMIZER,  // "Optimizer.step#AdamW.step"
    MARKER_DATALOADER, // "enumerate(DataLoader)#...__next__"
    MARKER_CONFIG,     // {"model_config": {...}}
    MARKER_COMPILED,   // torch.compile regions
    MARKER_LIBRARY,    // a range of cuBLAS, cuDNN, NCCL, CCCL ...: a leaf, never a step or a layer
    MARKER_KIND_COUNT
};

// Returns whether ranges of this kind are nodes of the op tree and parts of a path. Ranges of other
// kinds only describe the ranges inside them.
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
    DIALECT_SERVING, // vLLM, SGLang, TensorRT-LLM ...
    DIALECT_TENSORFLOW,
    DIALECT_XLA, // also JAX's
    DIALECT_TENSORRT,
    DIALECT_COUNT
};

// An argument of an op, in order of the call.
struct marker_argument {
    string_id name;  // keyword, or STRING_NONE
    string_id type;  // "tensor", "int", "tuple", ...
    string_id dtype; // "float32", STRING_NONE
    string_id value; // text of scalars and sequences
    bool is_tensor;
    uint8_t rank; // number of dimensions, at most 16
    int64_t *dims;
};

struct marker {
    enum marker_kind kind;
    enum marker_dialect dialect;
    string_id text;   // the range's name, from range_label
    string_id title;  // as shown in the tree: "conv2d", "aten::mm", "step N"
    string_id type;   // op type: "conv2d", "mm"; STRING_NONE: none
    string_id module; // 'mod'; for LIBRARY its domain
    // TRACE: funcStack, also of an op without a TRACE around it. LAYER: dotted module path. Other
    // dialects: the scopes that the title begins with, `dense` of `dense/MatMul`.
    string_id path;
    string_id stack; // TRACE: traceMarker entries joined by newlines, in the marker's order
    uint32_t argument_count;
    struct marker_argument *arguments;
    string_id shapes[SHAPE_PARTS];      // as printed in the file; STRING_NONE: derived from the
                                        // arguments
    int64_t number;                     // of a STEP, if the text says it; otherwise UNKNOWN
    const struct step_content *content; // of a STEP of a server; NULL: unknown
    bool is_backward;                   // the text itself says that it is backward
    uint32_t range_count;               // number of ranges of the profile with this marker
};

// Returns the name that all texts of a family of step markers share: "step N"; of a server, whose
// steps have a title for each kind, the form of its texts.
static inline string_id marker_step_family(const struct marker *marker)
{
    return marker->dialect == DIALECT_SERVING ? marker->type : marker->title;
}

static inline const struct marker *range_marker(const struct profile *profile, uint32_t range)
{
    return &profile->markers[range_label(&profile->ranges, range)->marker];
}

// Returns whether the ranges with a label have nodes of their own in the op tree.
static inline bool label_is_place(const struct profile *profile, const struct range_label *label)
{
    return label->ending != RANGE_CROSS_THREAD &&
           marker_is_place(profile->markers[label->marker].kind);
}

static inline bool range_is_place(const struct profile *profile, uint32_t range)
{
    return label_is_place(profile, range_label(&profile->ranges, range));
}

// Parses every distinct range name of the profile and appends it to the recorded markers in
// profile->markers. Sets the marker of each label and range_count of each marker, and fills
// profile->config from MARKER_CONFIG.
void markers_parse(struct profile *profile);

// True if any marker has the arguments of its op.
bool markers_have_shapes(const struct profile *profile);

// Parses one text with its suffixes (for tests and fuzzers). `domain` may be "". Never fails: a
// text that no dialect recognises is MARKER_PLAIN. Arguments are allocated in `arena`.
void marker_parse(struct strings *strings, struct arena *arena, const char *domain, string_id text,
                  struct marker *marker);

#endif
