// SPDX-License-Identifier: Apache-2.0
//
// A small discrete-event simulator of training and serving processes. A program (training.c,
// serving.c) is C code that runs once per rank: it spends host time, launches kernels into
// in-order streams, records and waits for events, synchronises, joins collectives with other
// ranks and opens NVTX ranges. Times of GPU work follow from that, never the other way round, so
// the cost of a planted problem is the difference between two runs, with and without it.
//
// Ranks run one at a time and switch only where they must wait for a collective, so the result
// does not depend on the scheduler of the machine.
//
#ifndef DLPROF_GEN_SIM_H
#define DLPROF_GEN_SIM_H

#include "kernels.h"
#include "rng.h"
#include "scenarios.h"
#include "turns.h"
#include "writer.h"

#define US               1000LL
#define MS               1000000LL
#define CAPTURE_START_NS (310 * MS) // captures never begin at zero
#define PIECES_MAX       16
#define HELD_MAX         512
#define QUEUE_ENTRIES    1024 // launches a stream accepts before the host must wait

typedef struct World World;
typedef struct Graph Graph;
typedef struct Recipe Recipe;

typedef struct {
    int id;
    int64_t free_ns;             // end of the last work queued, waits included
    int64_t ends[QUEUE_ENTRIES]; // ends of the last launches, a ring buffer
    unsigned queued;
} Stream;

typedef struct {
    int ordinal; // ordinal within the process
    int gpu;     // ordinal within the host
    int context;
    int64_t clock_offset_ns; // added to GPU times when written
    double math_factor;      // > 1: this GPU computes more slowly
    int64_t grid_id;
    Stream compute, comm, copy, send;
} Device;

typedef struct {
    int pid;
    int64_t global_pid;
    int64_t correlation;
    int64_t next_event;
    int64_t next_graph;
} Process;

typedef struct {
    int64_t start_ns;
    size_t text_at; // offset in Thread.text
    int64_t text_id, domain;
    int64_t event_type; // 59 push/pop, 60 start/end
} OpenRange;

typedef struct {
    Process *process;
    int64_t global_tid;
    int64_t now_ns;
    OpenRange *ranges;
    size_t depth, depth_capacity;
    char *text;
    size_t text_size, text_capacity;
    int64_t op_id;
    int chains[8], chain_depth; // call chains of the open hand-written ranges: chain_of()
} Thread;

typedef struct { // memory that was allocated and not freed
    int64_t address, bytes;
    int kind;
    bool is_pooled;
} Held;

typedef struct {
    World *world;
    int index;
    Process *process;
    Device device;
    Thread main, autograd, pin;
    int step;
    int layer;      // layer of the launches that follow, an index into World.layers; -1: none
    Rng rng;        // jitter; reseeded per op so that problems do not change each other's numbers
    int collective; // number of the next collective
    Graph *capture; // not NULL during a stream capture
    Graph *pieces[PIECES_MAX]; // graphs of a problem, freed with the world
    int64_t seq;               // autograd sequence number
    int64_t *op_seq;           // per op of the recipe
    int64_t safe_ns;           // rank_checkpoint(): no later row of this rank starts earlier
    int64_t kernels;
    int64_t step_start_ns, last_step_ns;
    Held held[HELD_MAX];
    int held_count;
    int64_t allocated; // bytes so far; addresses are never reused
} Rank;

typedef struct {
    KernelId kernel;
    int64_t base_ns;
    int grid_x, grid_y;
    bool math; // slowed down by math_factor of the device
} Launch;

typedef struct {
    int number, arrived;
    int64_t latest_ns;
} Collective;

typedef struct { // sent, not received yet
    int from, to;
    int64_t start_ns;
} Post;

struct World {
    const Scenario *scenario;
    Options options;
    Writer *writer;
    struct Truth *truth;
    Recipe *recipe;
    Rank *ranks;
    int rank_count;
    Process *processes;
    int process_count;
    Turns turns;
    Collective collectives[64];
    Post *posts; // in the order of sending
    int post_count;
    char **layers; // names for --truth
    int layer_count;
    bool recording; // false before the capture window: no rows are written
    bool stopped;   // the end of the capture window is set
    int64_t kernel_names[K_COUNT][3];
    int64_t *api_names;
    int chain_rows; // number of rows in CUDA_CALLCHAINS
};

typedef enum {
    API_LAUNCH,
    API_LAUNCH_EX,
    API_DRIVER_LAUNCH,
    API_DRIVER_LAUNCH_EX,
    API_MEMCPY,
    API_MEMSET,
    API_STREAM_SYNC,
    API_DEVICE_SYNC,
    API_EVENT_RECORD,
    API_STREAM_WAIT,
    API_IS_CAPTURING,
    API_MALLOC,
    API_FREE,
    API_MALLOC_ASYNC,
    API_FREE_ASYNC,
    API_HOST_ALLOC,
    API_MODULE_LOAD,
    API_BEGIN_CAPTURE,
    API_END_CAPTURE,
    API_GRAPH_INSTANTIATE,
    API_GRAPH_ADD_CHILD,
    API_GRAPH_LAUNCH,
    API_COUNT
} ApiId;

typedef enum { COPY_HTOD = 1, COPY_DTOH = 2, COPY_DTOD = 8 } CopyKind;
typedef enum { MEMORY_PAGEABLE, MEMORY_PINNED, MEMORY_DEVICE } MemoryKind;

// world.c
World *world_make(const Scenario *scenario, const Options *options, Writer *writer);
void world_run(World *world);
void world_free(World *world);
int world_layer(World *world, const char *name); // index of a layer, added if new
// Declares that the rank adds no row before its main thread's current time; writes completed
// rows.
void rank_checkpoint(Rank *rank);
void rank_seed(Rank *rank, uint64_t purpose);

// sim.c
void host_spend(Rank *rank, Thread *thread, int64_t ns);
int64_t api_call(Rank *rank, Thread *thread, ApiId api, int64_t ns); // returns the correlation id
void os_call(Rank *rank, int64_t global_tid, const char *name, int64_t start_ns, int64_t end_ns);
// Spends time of the profiler itself on a thread, which is blocked meanwhile.
void overhead(Rank *rank, Thread *thread, const char *name, int64_t ns);
// memory.c: allocation and free calls, with their events if the scenario has any. A free releases
// the last allocation of its kind; a free of device memory waits for the whole GPU.
void memory_allocate(Rank *rank, Thread *thread, ApiId api, int64_t ns, int64_t bytes);
void memory_free(Rank *rank, Thread *thread);
void memory_free_async(Rank *rank, Thread *thread, int64_t ns);
void memory_static(Rank *rank, const char *name, int64_t bytes); // a variable of a module
void kernel_launch(Rank *rank, Thread *thread, Stream *stream, const Launch *launch);
void copy_launch(Rank *rank, Thread *thread, Stream *stream, CopyKind kind, MemoryKind host,
                 int64_t bytes);
void memset_launch(Rank *rank, Thread *thread, Stream *stream, int64_t bytes);
void stream_wait(Rank *rank, Thread *thread, Stream *waiting, const Stream *awaited);
void stream_sync(Rank *rank, Thread *thread, Stream *stream);
void device_sync(Rank *rank, Thread *thread);
// Makes a call that lasts until `ns` after the end of all work of the device; returns its
// correlation id.
int64_t device_wait_call(Rank *rank, Thread *thread, ApiId api, int64_t ns);
// For comm.c: the call of a communication kernel and the time its stream is ready; and its row.
int64_t comm_call(Rank *rank, Thread *thread, const Stream *stream, const char *name,
                  int64_t *start_ns);
void comm_row(Rank *rank, Stream *stream, const Launch *launch, int64_t start_ns, int64_t end_ns,
              int64_t correlation);
int64_t kernel_row(Rank *rank, Stream *stream, const Launch *launch, int64_t earliest_ns,
                   int64_t correlation, int64_t graph_node, int64_t graph);
int64_t copy_row(Rank *rank, Stream *stream, CopyKind kind, MemoryKind host, int64_t bytes,
                 int64_t earliest_ns, int64_t correlation, int64_t graph_node);
int64_t memset_row(Rank *rank, Stream *stream, int64_t bytes, int64_t earliest_ns,
                   int64_t correlation, int64_t graph_node);

// comm.c
void all_reduce(Rank *rank, Thread *thread, int64_t ns, int64_t bytes);
// After the compute stream has reached this point.
void rank_send(Rank *rank, Thread *thread, int to, int64_t ns);
// Before the compute stream continues.
void rank_receive(Rank *rank, Thread *thread, int from, int64_t ns);

// ranges.c
void range_push(Rank *rank, Thread *thread, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void range_push_registered(Rank *rank, Thread *thread, int64_t domain, const char *text);
// start/end range with registered text.
void range_start(Rank *rank, Thread *thread, const char *text);
void range_pop(Rank *rank, Thread *thread);
int64_t range_oldest(const Rank *rank); // start of the oldest open range; INT64_MAX: none

// graph.c: stream capture and replay.
Graph *graph_begin(Rank *rank, Thread *thread);
void graph_end(Rank *rank, Thread *thread);
void graph_add_child(Rank *rank, Thread *thread, Graph *parent, const Graph *child);
void graph_instantiate(Rank *rank, Thread *thread, Graph *graph);
void graph_launch(Rank *rank, Thread *thread, Stream *stream, Graph *graph);
void graph_free(Graph *graph);
void graph_add_kernel(Rank *rank, Thread *thread, ApiId api, const Launch *launch);
void graph_add_copy(Rank *rank, Thread *thread, CopyKind kind, MemoryKind host, int64_t bytes);
void graph_add_memset(Rank *rank, Thread *thread, int64_t bytes);

#endif
