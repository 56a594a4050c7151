// SPDX-License-Identifier: Apache-2.0
// Between ops.c and the methods that find op instances (ops_dict.c, ops_ranges.c).
//
// A method makes drafts, one per instance, and says for each range which draft begins with it.
// ops.c gives every API call to the draft of the innermost such range, makes drafts of its own for
// the calls and the GPU work that are left over, and turns drafts into ops and instances.
#ifndef MODEL_OPS_DRAFT_H
#define MODEL_OPS_DRAFT_H

#include "model/markers/markers.h"
#include "model/ops/ops.h"

struct op_draft {
    int64_t start, end, self_ns;
    uint32_t thread, process;
    uint32_t marker;   // with its arguments, or ROW_NONE
    uint32_t trace;    // marker with its call stack, or ROW_NONE
    uint32_t forward;  // draft whose backward this is, or ROW_NONE
    uint32_t backward; // draft that is its backward, or ROW_NONE
    string_id name, type;
    enum direction direction;
    bool is_unassociated;
    uint32_t captured;     // draft whose work, captured as a CUDA graph, it runs again + 1; 0: none
    const struct op *told; // that the file says it is a run of; NULL: by its name
};

struct op_drafts {
    struct profile *profile;
    struct arena *scratch;
    struct op_draft *items;
    size_t count, capacity;
    uint32_t *own;    // of each range: draft that it begins, or ROW_NONE; told ones have theirs
    bool counts_runs; // DLProf's k tells ops of one name apart
};

uint32_t op_draft_add(struct op_drafts *drafts, struct op_draft draft);

// DLProf's rules: {'mod', 'op', 'args'} ranges not inside another one.
void ops_find_dict(struct op_drafts *drafts);
// Op ranges of one dialect not inside another one; same name, same op.
void ops_find_named(struct op_drafts *drafts, enum marker_dialect dialect);
// Every range owns what lies in it directly; op ranges own all that lies in them.
void ops_find_ranges(struct op_drafts *drafts);

// Adds a range to the one backward draft of `forward`.
void op_draft_add_backward(struct op_drafts *drafts, uint32_t forward, uint32_t range);

#endif
