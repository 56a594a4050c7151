// SPDX-License-Identifier: Apache-2.0
// In which order the graph has the nodes that a replay ran.
#ifndef MODEL_GRAPH_ORDER_H
#define MODEL_GRAPH_ORDER_H

#include "model/ops/graph_match.h"

enum graph_order { ORDER_UNKNOWN, ORDER_OF_STREAM, ORDER_OF_NODES };

struct graph_streams { // that replays ran on
    struct graph_stream_seen *seen;
    uint32_t replay; // how many there were
};

struct graph_streams graph_streams_open(const struct graph_match *match, struct arena *arena);

// Sorts the nodes. What one stream ran one by one is the graph's order if that has no branches; ids of
// nodes tell it of any.
enum graph_order graph_put_in_order(struct graph_streams *streams, struct graph_node *nodes,
                                    uint32_t count);

#endif
