// SPDX-License-Identifier: Apache-2.0
// Replayed CUDA graphs of a trace during loading. load_kineto_graphs.c finds replays and stores the
// results, load_kineto_captures.c finds captures, and graph_match.c matches them.
#ifndef MODEL_KINETO_LOAD_KINETO_GRAPHS_H
#define MODEL_KINETO_LOAD_KINETO_GRAPHS_H

#include "model/kineto/load_kineto.h"
#include "model/ops/graph_match.h"

enum call_kind { // determined by the call's name
    CALL_OTHER,
    CALL_LAUNCH,
    CALL_COPY,
    CALL_SET,
    CALL_REPLAY,
    CALL_CHILD, // within a capture: adds a graph as a node of another graph
    CALL_WAIT,
    CALL_BEGIN,
    CALL_END,
};

struct graph_search {
    struct kineto *kineto;
    const uint32_t *call_order; // row of api_calls -> row of kineto.calls
    struct arena *scratch;
    uint8_t *kinds;   // by string id: enum call_kind + 1; 0: not computed yet
    uint32_t *launch; // row of work -> its call, or ROW_NONE
    bool *has_work;   // by row of api_calls
    struct graph_match match;
    size_t launch_count, launch_capacity, capture_capacity, work_count, work_capacity,
        replay_capacity;
};

enum call_kind graphs_kind_of(const struct graph_search *graphs, uint32_t call);
// Fills the captures and launches of `match`.
void graphs_find_captures(struct graph_search *graphs);

#endif
