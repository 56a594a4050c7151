// SPDX-License-Identifier: Apache-2.0
// The list of dialects of NVTX texts, for markers.c, the marker_*.c files and loaders whose file tells
// arguments itself.
//
// To add a dialect write marker_x.c with one function that either recognises a text and fills the
// marker (true) or leaves it untouched (false), declare it here and add it to the list in
// markers.c. The marker that it gets is a plain one: kind, dialect, text and title are set.
#ifndef MODEL_MARKER_DIALECTS_H
#define MODEL_MARKER_DIALECTS_H

#include "model/markers/markers.h"

struct marker_text {
    struct strings *strings;
    struct arena *arena;
    const char *domain; // "" for the default domain
    const char *text;   // without `, seq = N` and what may follow it
    size_t length;
    bool has_seq, has_op_id; // a sequence number or op id came with it
    enum range_said said;    // what the file says that it is
    const char *sizes;       // what followed `sizes = `, or NULL
    size_t sizes_length;
};

// What loaders whose files tell more of arguments than their sizes put behind these: a list each of
// texts, one for each argument.
#define TYPES_TITLE  ", types = "
#define VALUES_TITLE ", values = "

typedef bool marker_dialect_parse(const struct marker_text *text, struct marker *marker);

marker_dialect_parse marker_library;
marker_dialect_parse marker_tensorrt;
marker_dialect_parse marker_xla; // what else the domain TSL holds is TensorFlow's
marker_dialect_parse marker_tensorflow;
marker_dialect_parse marker_dlprof;
marker_dialect_parse marker_module_dict;
marker_dialect_parse marker_step;
marker_dialect_parse marker_fsdp;
marker_dialect_parse marker_compile;
marker_dialect_parse marker_megatron;
marker_dialect_parse marker_lightning;
marker_dialect_parse marker_vllm;
marker_dialect_parse marker_emit_nvtx;
marker_dialect_parse marker_layer;

// Small tools shared by the dialects.
bool text_begins(const struct marker_text *text, const char *prefix);
string_id marker_intern(const struct marker_text *text, const char *start, size_t length);

// What TSL appends to a name: `NAME#key=value,key=value#`. A comma in brackets is of the value. False:
// there is no such key.
struct text_span {
    const char *text;
    size_t length;
};
bool marker_annotation(const struct marker_text *text, const char *key, struct text_span *value);

// Arguments are collected while a text is read; at most ARGUMENT_LIMIT of them.
enum { ARGUMENT_LIMIT = 4096, RANK_LIMIT = 16 };

// Reads `[[32, 6], [], [6]]` as one argument per item: a tensor where the item is a list of whole
// numbers, else an argument of unknown kind. False, and nothing set, when it is not of that form.
bool marker_read_sizes(const struct marker_text *text, const char *sizes, size_t length,
                       struct marker *marker);

// Reads what a MARKER_CONFIG says into `config`, over what is there.
bool marker_read_config(const char *text, size_t length, struct model_config *config);

#endif
