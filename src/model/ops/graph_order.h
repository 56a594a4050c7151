// SPDX-License-Identifier: Apache-2.0
// The order of the nodes that a replay ran, in the graph.
#ifndef MODEL_OPS_GRAPH_ORDER_H
#define MODEL_OPS_GRAPH_ORDER_H

#include "model/ops/graph_match.h"

enum graph_order { ORDER_UNKNOWN, ORDER_OF_STREAM, ORDER_OF_NODES };

struct graph_streams { // state per stream of graph_sort_nodes()
    struct graph_stream_seen *seen;
    uint32_t replay; // number of replays so far
};

struct graph_streams graph_streams_open(const struct graph_match *match, struct arena *arena);

// Sorts the nodes in graph order: by node ids, or for a graph without branches by the order on its
// single stream.
enum graph_order graph_sort_nodes(struct graph_streams *streams, struct graph_node *nodes,
                                  uint32_t count);

#endif
