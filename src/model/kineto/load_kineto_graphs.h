// SPDX-License-Identifier: Apache-2.0
// Replayed CUDA graphs of a trace while it is loaded: load_kineto_graphs.c has the replays and says what was
// found, load_kineto_captures.c the captures; graph_match.c finds which is which.
#ifndef MODEL_LOAD_KINETO_GRAPHS_H
#define MODEL_LOAD_KINETO_GRAPHS_H

#include "model/kineto/load_kineto.h"
#include "model/ops/graph_match.h"

enum call_kind { // by its name
    CALL_OTHER,
    CALL_LAUNCH,
    CALL_COPY,
    CALL_SET,
    CALL_REPLAY,
    CALL_CHILD, // within a capture: a graph that is a node of another one
    CALL_WAIT,
    CALL_BEGIN,
    CALL_END,
};

struct graphs {
    struct kineto *kineto;
    const uint32_t *call_order; // of kineto.calls, as api has them
    struct arena *scratch;
    uint8_t *kinds;   // of texts: enum call_kind + 1, 0: nobody has asked
    uint32_t *launch; // of work: its call, ROW_NONE
    bool *has_work;   // of calls
    struct graph_match match;
    size_t launch_count, launch_capacity, capture_capacity, work_count, work_capacity,
        replay_capacity;
};

enum call_kind graphs_kind_of(const struct graphs *graphs, uint32_t call);
// Fills captures and launches of `match`.
void graphs_find_captures(struct graphs *graphs);

#endif
