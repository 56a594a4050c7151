// SPDX-License-Identifier: Apache-2.0
// Inside of the loader of PyProf's parsed files: load_dict_line.c takes a line apart, load_dict.c makes
// tables of what the lines say. Nobody else includes this.
#ifndef MODEL_LOAD_DICT_H
#define MODEL_LOAD_DICT_H

#include "base/bytes.h"
#include "model/profile/profile.h"

enum { DICT_TEXTS_MOST = 256 }; // around one launch

// What a text around a launch is, outermost first: PyProf keeps neither times nor how they nest.
enum dict_kind {
    DICT_LAYER,
    DICT_TRACE,
    DICT_REPR,
    DICT_ARGUMENTS,
    DICT_NODE, // of the backward graph, numbered
    DICT_SEQ,  // another numbered range
    DICT_OP,   // the name alone of one that is neither
    DICT_KINDS
};

struct dict_text {
    enum dict_kind kind;
    string_id name, sizes; // as in struct range_label
    int64_t seq, op_id;    // SEQ_NONE: it has none
};

struct dict_line { // a kernel
    string_id brief, full;
    int64_t duration_ns, tid, device, stream;
    int64_t sub;      // the how-manieth kernel of the same op
    int32_t shape[6]; // grid, block; -1: not told
    uint32_t count;   // of texts
    uint32_t layers;  // of them, which come first
    struct dict_text texts[DICT_TEXTS_MOST];
};

// Takes a line apart; `buffer` is for texts, and used again for the next line. False: *why says what is
// wrong with it, and *at which byte of it, from 1 on.
bool dict_read_line(const char *text, size_t length, struct strings *strings, struct bytes *buffer,
                    struct dict_line *line, const char **why, size_t *at);

#endif
