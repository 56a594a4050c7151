// SPDX-License-Identifier: Apache-2.0
//
// CUDA graphs. A captured node gets an id when it is captured, a new id when its graph becomes a
// child of another graph, and a new id when the graph is instantiated. Each id refers to the one
// before. Kernels of a replay carry the last id.
#include "sim.h"

#include "fail.h"

#include <stdlib.h>

typedef enum { NODE_KERNEL, NODE_COPY, NODE_MEMSET } NodeKind;

typedef struct {
    NodeKind kind;
    Launch launch;
    CopyKind copy;
    MemoryKind host;
    int64_t bytes;
    int layer;
    int64_t id, exec_id;
    uint64_t seed; // seed of this node, so that its durations do not depend on other nodes
} Node;

struct Graph {
    int64_t id, exec_id;
    int64_t next_node;
    Node *nodes;
    size_t count, capacity;
};

static void graph_row(Rank *rank, Thread *thread, ApiId api, int64_t event_class,
                      const Graph *graph, int64_t original, int64_t exec_id, int64_t start_ns)
{
    static const char *const names[API_COUNT] = {
        [API_BEGIN_CAPTURE] = "cudaStreamBeginCapture",
        [API_GRAPH_INSTANTIATE] = "cudaGraphInstantiateWithFlags",
    };
    World *world = rank->world;
    if (!world->recording || world->options.schema < SCHEMA_2024_2)
        return;
    int64_t name_id = writer_intern(world->writer, names[api]);
    int64_t *row = writer_add(world->writer, TABLE_GRAPH, start_ns, thread->now_ns, NULL);
    row[ROW_ID] = thread->global_tid;
    row[ROW_NAME] = name_id;
    row[ROW_CLASS_ID] = event_class;
    row[ROW_GRAPH] = graph->id;
    row[ROW_ORIGINAL] = original;
    row[ROW_GRAPH_EXEC] = exec_id;
}

static void node_row(Rank *rank, Thread *thread, const char *name, int64_t start_ns, int64_t end_ns,
                     int64_t id, int64_t original)
{
    World *world = rank->world;
    if (!world->recording || world->options.graphs != GRAPHS_NODE)
        return;
    int64_t name_id = writer_intern(world->writer, name);
    int64_t *row = writer_add(world->writer, TABLE_GRAPH_NODE, start_ns, end_ns, NULL);
    row[ROW_ID] = thread->global_tid;
    row[ROW_NAME] = name_id;
    row[ROW_GRAPH_NODE] = id;
    row[ROW_ORIGINAL] = original;
}

static Node *node_new(Graph *graph)
{
    if (graph->count == graph->capacity) {
        graph->capacity = graph->capacity ? graph->capacity * 2 : 64;
        graph->nodes = memory_grow(graph->nodes, graph->capacity * sizeof *graph->nodes);
    }
    Node *node = &graph->nodes[graph->count++];
    *node = (Node){.id = (graph->id << 32) | ++graph->next_node, .exec_id = ROW_NULL};
    return node;
}

static Node *node_capture(Rank *rank, Thread *thread, ApiId api, const char *name, NodeKind kind)
{
    Node *node = node_new(rank->capture);
    int64_t start_ns = thread->now_ns;
    node->seed = rank->rng.state;
    api_call(rank, thread, api, 1900);
    node_row(rank, thread, name, start_ns + 150, thread->now_ns - 150, node->id, ROW_NULL);
    node->kind = kind;
    node->layer = rank->layer;
    return node;
}

Graph *graph_begin(Rank *rank, Thread *thread)
{
    Graph *graph = memory_grow(NULL, sizeof *graph);
    *graph = (Graph){.id = ++rank->process->next_graph, .exec_id = ROW_NULL};
    int64_t start_ns = thread->now_ns;
    api_call(rank, thread, API_BEGIN_CAPTURE, 12 * US);
    graph_row(rank, thread, API_BEGIN_CAPTURE, 95, graph, ROW_NULL, ROW_NULL, start_ns);
    rank->capture = graph;
    return graph;
}

void graph_end(Rank *rank, Thread *thread)
{
    rank->capture = NULL;
    api_call(rank, thread, API_END_CAPTURE, 40 * US);
}

void graph_add_kernel(Rank *rank, Thread *thread, ApiId api, const Launch *launch)
{
    node_capture(rank, thread, api, "cudaGraphAddKernelNode", NODE_KERNEL)->launch = *launch;
}

void graph_add_copy(Rank *rank, Thread *thread, CopyKind kind, MemoryKind host, int64_t bytes)
{
    Node *node = node_capture(rank, thread, API_MEMCPY, "cudaGraphAddMemcpyNode", NODE_COPY);
    node->copy = kind;
    node->host = host;
    node->bytes = bytes;
}

void graph_add_memset(Rank *rank, Thread *thread, int64_t bytes)
{
    node_capture(rank, thread, API_MEMSET, "cudaGraphAddMemsetNode", NODE_MEMSET)->bytes = bytes;
}

void graph_add_child(Rank *rank, Thread *thread, Graph *parent, const Graph *child)
{
    int64_t clone = ++rank->process->next_graph, start_ns = thread->now_ns;
    int64_t each_ns = 400, at_ns = start_ns + 2 * US;
    for (size_t i = 0; i < child->count; i++, at_ns += each_ns) {
        Node *node = node_new(parent);
        int64_t id = (clone << 32) | (int64_t)(i + 1);
        int64_t original = child->nodes[i].id;
        *node = child->nodes[i];
        node->id = id;
        node_row(rank, thread, "cudaGraphAddChildGraphNode", at_ns, at_ns + each_ns, id, original);
    }
    api_call(rank, thread, API_GRAPH_ADD_CHILD, (int64_t)(child->count + 10) * each_ns * 2);
}

void graph_instantiate(Rank *rank, Thread *thread, Graph *graph)
{
    graph->exec_id = ++rank->process->next_graph;
    int64_t start_ns = thread->now_ns, each_ns = 300, at_ns = start_ns + 20 * US;
    for (size_t i = 0; i < graph->count; i++, at_ns += each_ns) {
        Node *node = &graph->nodes[i];
        node->exec_id = (graph->exec_id << 32) | (int64_t)(i + 1);
        node_row(rank, thread, "cudaGraphInstantiateWithFlags", at_ns, at_ns + each_ns,
                 node->exec_id, node->id);
    }
    api_call(rank, thread, API_GRAPH_INSTANTIATE, 60 * US + (int64_t)graph->count * each_ns * 3);
    graph_row(rank, thread, API_GRAPH_INSTANTIATE, 94, graph, ROW_NULL, graph->exec_id, start_ns);
}

static int64_t node_replay(Rank *rank, Stream *stream, const Node *node, int64_t earliest_ns,
                           int64_t correlation, int64_t graph_id)
{
    rank->layer = node->layer;
    rank_seed(rank, node->seed);
    switch (node->kind) {
    case NODE_COPY:
        return copy_row(rank, stream, node->copy, node->host, node->bytes, earliest_ns, correlation,
                        node->exec_id);
    case NODE_MEMSET:
        return memset_row(rank, stream, node->bytes, earliest_ns, correlation, node->exec_id);
    case NODE_KERNEL:
        break;
    }
    return kernel_row(rank, stream, &node->launch, earliest_ns, correlation, node->exec_id,
                      graph_id);
}

void graph_launch(Rank *rank, Thread *thread, Stream *stream, Graph *graph)
{
    World *world = rank->world;
    int64_t launch_ns = thread->now_ns;
    int64_t correlation =
        api_call(rank, thread, API_GRAPH_LAUNCH, 6 * US + (int64_t)graph->count * 25);
    bool is_traced_whole = world->options.graphs == GRAPHS_GRAPH, was_recording = world->recording;
    int64_t start_ns = launch_ns + 6 * US, end_ns = start_ns;
    if (stream->free_ns + 1200 > start_ns)
        start_ns = stream->free_ns + 1200;
    int layer = rank->layer;
    Rng saved_rng = rank->rng;
    world->recording = was_recording && !is_traced_whole;
    for (size_t i = 0; i < graph->count; i++)
        end_ns = node_replay(rank, stream, &graph->nodes[i], start_ns, correlation, graph->id);
    world->recording = was_recording;
    rank->layer = layer;
    rank->rng = saved_rng;
    if (!is_traced_whole || !was_recording)
        return;
    int64_t offset_ns = rank->device.clock_offset_ns;
    int64_t *row = writer_add(world->writer, TABLE_GRAPH_TRACE, start_ns + offset_ns,
                              end_ns + offset_ns, NULL);
    row[ROW_ID] = rank->process->global_pid;
    row[ROW_CORRELATION] = correlation;
    row[ROW_DEVICE] = rank->device.ordinal;
    row[ROW_CONTEXT] = rank->device.context;
    row[ROW_STREAM] = stream->id;
    row[ROW_GRAPH] = graph->id;
    row[ROW_GRAPH_EXEC] = graph->exec_id;
    row[ROW_GPU] = rank->device.gpu;
    row[ROW_STEP] = rank->step;
}

void graph_free(Graph *graph)
{
    if (graph)
        free(graph->nodes);
    free(graph);
}
