// SPDX-License-Identifier: Apache-2.0 Sorts the nodes of a replay in the order of the graph: by
// node id if the ids were assigned in that order, else by time if all ran on one stream.
#include "model/ops/graph_order.h"

#include <stdlib.h>

struct graph_stream_seen {
    int64_t start;   // of the stream's last work in that replay
    uint32_t replay; // number of the last replay that used the stream, from 1
};

struct graph_streams graph_streams_open(const struct graph_match *match, struct arena *arena)
{
    uint32_t last_stream = 0;
    for (uint32_t i = 0; i < match->replay_count; i++) {
        const struct graph_replay *replay = &match->replays[i];
        for (uint32_t w = replay->first; w < replay->first + replay->count; w++)
            last_stream = match->work[w].stream > last_stream ? match->work[w].stream : last_stream;
    }
    return (struct graph_streams){ARENA_ARRAY(arena, struct graph_stream_seen, last_stream + 1), 0};
}

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_times(const void *a, const void *b)
{
    const struct graph_node *x = a, *y = b;
    int order = compare_numbers(x->start, y->start);
    order = order ? order : compare_numbers(x->end, y->end);
    return order ? order : compare_numbers(x->row, y->row);
}

static int compare_ids(const void *a, const void *b)
{
    const struct graph_node *x = a, *y = b;
    int order = compare_numbers(x->id, y->id);
    return order ? order : compare_times(a, b);
}

// Returns whether nodes in order of their ids ran one after the other on each stream, as they do
// when ids are assigned while the graph is built.
static bool ids_give_order(struct graph_streams *streams, const struct graph_node *nodes,
                           uint32_t count)
{
    uint32_t replay = ++streams->replay;
    for (uint32_t i = 0; i < count; i++) {
        struct graph_stream_seen *seen = &streams->seen[nodes[i].stream];
        if (!nodes[i].id || (i && nodes[i].id == nodes[i - 1].id) ||
            (seen->replay == replay && nodes[i].start < seen->start))
            return false;
        *seen = (struct graph_stream_seen){nodes[i].start, replay};
    }
    return true;
}

static bool times_give_order(const struct graph_node *nodes, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (nodes[i].stream != nodes[0].stream ||
            (nodes[i].start == nodes[i - 1].start && nodes[i].end == nodes[i - 1].end))
            return false;
    return true;
}

enum graph_order graph_sort_nodes(struct graph_streams *streams, struct graph_node *nodes,
                                  uint32_t count)
{
    qsort(nodes, count, sizeof *nodes, compare_ids);
    if (ids_give_order(streams, nodes, count))
        return ORDER_OF_NODES;
    qsort(nodes, count, sizeof *nodes, compare_times);
    return times_give_order(nodes, count) ? ORDER_OF_STREAM : ORDER_UNKNOWN;
}
