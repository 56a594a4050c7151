// SPDX-License-Identifier: Apache-2.0
// Internal interface of the loader of PyProf's parsed files: load_dict_line.c parses a line,
// load_dict.c makes the profile's tables.
#ifndef MODEL_DICT_LOAD_DICT_H
#define MODEL_DICT_LOAD_DICT_H

#include "base/text/bytes.h"
#include "model/profile/profile.h"

enum { MAX_DICT_TEXTS = 256 }; // limit of texts around one launch

// Kinds of texts around a launch, outermost first. PyProf keeps neither times nor nesting.
enum dict_kind {
    DICT_LAYER,
    DICT_TRACE,
    DICT_REPR,
    DICT_ARGUMENTS,
    DICT_NODE, // numbered range of the backward graph
    DICT_SEQ,  // other numbered range
    DICT_OP,   // op name of a line without arguments or numbers
    DICT_KINDS
};

struct dict_text {
    enum dict_kind kind;
    string_id name, sizes; // as in struct range_label
    int64_t seq, op_id;    // SEQ_NONE: absent
};

struct dict_line { // a kernel
    string_id brief, full;
    int64_t duration_ns, tid, device, stream;
    int64_t sub;      // index of the kernel among those of its op
    int32_t shape[6]; // grid, block; -1: unknown
    uint32_t count;   // number of texts
    uint32_t layers;  // number of layers, which are the first texts
    struct dict_text texts[MAX_DICT_TEXTS];
};

// Parses a line. `buffer` holds texts temporarily and may be reused for the next line. On failure
// returns false with the reason in *why and the 1-based byte offset in *at.
bool dict_read_line(const char *text, size_t length, struct strings *strings, struct bytes *buffer,
                    struct dict_line *line, const char **why, size_t *at);

#endif
