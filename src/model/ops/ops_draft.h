// SPDX-License-Identifier: Apache-2.0
// Drafts: the interface between ops.c and the methods that find op instances (ops_dict.c,
// ops_ranges.c).
//
// A method makes one draft per instance and records which range begins the draft (op_drafts.own).
// ops.c assigns every API call to the draft of the innermost such range, makes drafts for the calls
// and the GPU work outside all of them, and converts the drafts to ops and instances.
#ifndef MODEL_OPS_OPS_DRAFT_H
#define MODEL_OPS_OPS_DRAFT_H

#include "model/markers/markers.h"
#include "model/ops/ops.h"

struct op_draft {
    int64_t start, end, self_ns;
    uint32_t thread, process;
    uint32_t marker;   // row of markers with the arguments, or ROW_NONE
    uint32_t trace;    // marker with its call stack, or ROW_NONE
    uint32_t forward;  // draft whose backward this is, or ROW_NONE
    uint32_t backward; // draft of its backward, or ROW_NONE
    string_id name, type;
    enum direction direction;
    bool is_unassociated;
    uint32_t captured; // draft whose work, captured as a CUDA graph, it replays + 1; 0: none
    const struct op *recorded; // the recorded op that it is a run of; NULL: identified by name
};

struct op_drafts {
    struct profile *profile;
    struct arena *scratch;
    struct op_draft *items;
    size_t count, capacity;
    uint32_t *own;    // per range: draft that it begins, or ROW_NONE; also set for recorded ops
    bool counts_runs; // DLProf's k distinguishes ops of one name
    bool *wrappers;   // as ops.wrappers
};

uint32_t op_draft_add(struct op_drafts *drafts, struct op_draft draft);

// Finds ops by DLProf's rules: {'mod', 'op', 'args'} ranges that are not inside another one.
void ops_find_dict(struct op_drafts *drafts);
// Finds the op ranges of one dialect that are not inside another one; ranges of one name are one
// op.
void ops_find_named(struct op_drafts *drafts, enum marker_dialect dialect);
// Makes each range an op that owns its direct contents; op ranges own all their contents.
void ops_find_ranges(struct op_drafts *drafts);

// Extends the backward draft of `forward` by a range; makes the draft when there is none.
void op_draft_add_backward(struct op_drafts *drafts, uint32_t forward, uint32_t range);

#endif
