// SPDX-License-Identifier: Apache-2.0
//
// Calls and GPU work of the simulator. Each thread has a clock (now_ns), and each stream has the
// end of its last work (free_ns). A call advances the clock of its thread; work starts when its
// stream is free and its launch has reached the GPU. Each function advances these clocks, and
// writes a row if the capture is recording.
#include "sim.h"

#include "chains.h"

#include <stdio.h>
#include <string.h>

// Host and device constants of a current server; only their order of magnitude matters.
#define LAUNCH_NS             2600 // one cudaLaunchKernel
#define LATENCY_NS            3100 // from the call to the start on an idle stream
#define KERNEL_GAP_NS         850  // between two kernels of one stream
#define GRAPH_GAP_NS          450  // between two kernels of a graph replay
#define PINNED_BYTES_PER_US   54000
#define PAGEABLE_BYTES_PER_US 11000
#define DEVICE_BYTES_PER_US   1400000
#define STAGED_BYTES          65536 // largest pageable copy whose call does not wait
// A long copy from pageable memory ends this much later than its call.
#define STAGED_NS (40 * US)

typedef struct {
    int64_t event_class; // 0 runtime, 1 driver
    const char *name;
} ApiName;

void host_spend(Rank *rank, Thread *thread, int64_t ns)
{
    thread->now_ns += (int64_t)((double)ns * rng_jitter(&rank->rng, 0.06));
}

static const ApiName apis[API_COUNT] = {
    [API_LAUNCH] = {0, "cudaLaunchKernel_v7000"},
    [API_LAUNCH_EX] = {0, "cudaLaunchKernelExC_v11060"},
    [API_DRIVER_LAUNCH] = {1, "cuLaunchKernel"},
    [API_DRIVER_LAUNCH_EX] = {1, "cuLaunchKernelEx"},
    [API_MEMCPY] = {0, "cudaMemcpyAsync_v3020"},
    [API_MEMSET] = {0, "cudaMemsetAsync_v3020"},
    [API_STREAM_SYNC] = {0, "cudaStreamSynchronize_v3020"},
    [API_DEVICE_SYNC] = {0, "cudaDeviceSynchronize_v3020"},
    [API_EVENT_RECORD] = {0, "cudaEventRecord_v3020"},
    [API_STREAM_WAIT] = {0, "cudaStreamWaitEvent_v3020"},
    [API_IS_CAPTURING] = {0, "cudaStreamIsCapturing_v10000"},
    [API_MALLOC] = {0, "cudaMalloc_v3020"},
    [API_FREE] = {0, "cudaFree_v3020"},
    [API_MALLOC_ASYNC] = {0, "cudaMallocAsync_v11020"},
    [API_FREE_ASYNC] = {0, "cudaFreeAsync_v11020"},
    [API_HOST_ALLOC] = {0, "cudaHostAlloc_v3020"},
    [API_MODULE_LOAD] = {1, "cuModuleLoadData"},
    [API_BEGIN_CAPTURE] = {0, "cudaStreamBeginCapture_v10000"},
    [API_END_CAPTURE] = {0, "cudaStreamEndCapture_v10000"},
    [API_GRAPH_INSTANTIATE] = {0, "cudaGraphInstantiateWithFlags_v11040"},
    [API_GRAPH_ADD_CHILD] = {0, "cudaGraphAddChildGraphNode_v10000"},
    [API_GRAPH_LAUNCH] = {0, "cudaGraphLaunch_v10000"},
};

static int64_t api_name(World *world, ApiId api)
{
    if (world->api_names[api] < 0)
        world->api_names[api] = writer_intern(world->writer, apis[api].name);
    return world->api_names[api];
}

static int64_t api_row(Rank *rank, Thread *thread, ApiId api, int64_t start_ns, int64_t end_ns)
{
    int64_t correlation = ++rank->process->correlation;
    if (rank->world->recording) {
        int64_t *row = writer_add(rank->world->writer, TABLE_RUNTIME, start_ns, end_ns, NULL);
        row[ROW_CLASS_ID] = apis[api].event_class;
        row[ROW_ID] = thread->global_tid;
        row[ROW_CORRELATION] = correlation;
        row[ROW_NAME] = api_name(rank->world, api);
        int chain = thread->chain_depth ? thread->chains[thread->chain_depth - 1] : 0;
        if (rank->world->scenario->call_chains && chain && chain_is_taken(api))
            row[ROW_CHAIN] = chain;
    }
    thread->now_ns = end_ns;
    return correlation;
}

int64_t api_call(Rank *rank, Thread *thread, ApiId api, int64_t ns)
{
    int64_t length = (int64_t)((double)ns * rng_jitter(&rank->rng, 0.1));
    return api_row(rank, thread, api, thread->now_ns, thread->now_ns + length);
}

void os_call(Rank *rank, int64_t global_tid, const char *name, int64_t start_ns, int64_t end_ns)
{
    if (!rank->world->recording || start_ns < CAPTURE_START_NS)
        return;
    int64_t name_id = writer_intern(rank->world->writer, name);
    int64_t *row = writer_add(rank->world->writer, TABLE_OSRT, start_ns, end_ns, NULL);
    row[ROW_ID] = global_tid;
    row[ROW_NAME] = name_id;
    row[ROW_RETURN] = 0;
}

static void overhead_row(Rank *rank, const Thread *thread, const char *name, int64_t kind,
                         int64_t start_ns, int64_t end_ns, int64_t correlation)
{
    int64_t name_id = writer_intern(rank->world->writer, name);
    int64_t *row = writer_add(rank->world->writer, TABLE_OVERHEAD, start_ns, end_ns, NULL);
    row[ROW_ID] = thread->global_tid;
    row[ROW_CORRELATION] = correlation;
    row[ROW_NAME] = name_id;
    row[ROW_CLASS_ID] = kind;
}

void overhead(Rank *rank, Thread *thread, const char *name, int64_t ns)
{
    int64_t start_ns = thread->now_ns;
    host_spend(rank, thread, ns);
    if (rank->world->recording)
        overhead_row(rank, thread, name, 3, start_ns, thread->now_ns, 0);
}

static int64_t *gpu_row(Rank *rank, TableId table, const Stream *stream, int64_t start_ns,
                        int64_t end_ns, int64_t correlation)
{
    const Device *device = &rank->device;
    int64_t *row = writer_add(rank->world->writer, table, start_ns + device->clock_offset_ns,
                              end_ns + device->clock_offset_ns, NULL);
    row[ROW_ID] = rank->process->global_pid;
    row[ROW_CORRELATION] = correlation;
    row[ROW_DEVICE] = device->ordinal;
    row[ROW_CONTEXT] = device->context;
    row[ROW_STREAM] = stream->id;
    row[ROW_GPU] = device->gpu;
    row[ROW_STEP] = rank->step;
    row[ROW_LAYER] = rank->layer;
    return row;
}

static void stream_occupy(Stream *stream, int64_t end_ns)
{
    stream->free_ns = end_ns;
    stream->ends[stream->queued++ % QUEUE_ENTRIES] = end_ns;
}

static int64_t stream_earliest(const Stream *stream, int64_t earliest_ns, bool in_graph)
{
    int64_t free_ns = stream->free_ns + (in_graph ? GRAPH_GAP_NS : KERNEL_GAP_NS);
    return earliest_ns > free_ns ? earliest_ns : free_ns;
}

// Makes the call that puts work into a stream; it takes longer if the queue is full. Returns the
// correlation id and the earliest start of the work.
static int64_t launch_call(Rank *rank, Thread *thread, const Stream *stream, ApiId api,
                           int64_t *earliest_ns)
{
    int64_t start_ns = thread->now_ns;
    int64_t end_ns = start_ns + (int64_t)(LAUNCH_NS * rng_jitter(&rank->rng, 0.15));
    int64_t accepted_ns = stream->ends[stream->queued % QUEUE_ENTRIES];
    bool full = stream->queued >= QUEUE_ENTRIES && accepted_ns > start_ns;
    if (full)
        end_ns = accepted_ns + 2 * US;
    *earliest_ns =
        (full ? end_ns : start_ns) + (int64_t)(LATENCY_NS * rng_jitter(&rank->rng, 0.08));
    int64_t correlation = api_row(rank, thread, api, start_ns, end_ns);
    if (full && rank->world->recording && rank->world->options.schema >= SCHEMA_2026_2 &&
        end_ns - start_ns > 20 * US) {
        overhead_row(rank, thread, "Command buffer full", 8, start_ns + 500, end_ns - 500,
                     correlation);
    }
    return correlation;
}

static const int64_t *kernel_names(World *world, KernelId kernel)
{
    int64_t *names = world->kernel_names[kernel];
    if (names[0] < 0) {
        const KernelSpec *spec = kernel_spec(kernel);
        names[0] =
            writer_intern(world->writer, spec->full_name ? spec->full_name : spec->short_name);
        names[1] = writer_intern(world->writer, spec->short_name);
        char mangled[160];
        snprintf(mangled, sizeof mangled, "_Z%zu%.120sv", strlen(spec->short_name),
                 spec->short_name);
        names[2] = spec->full_name ? writer_intern(world->writer, mangled) : names[1];
    }
    return names;
}

static void kernel_properties(Rank *rank, int64_t *row, const Launch *launch, const int64_t *names)
{
    const KernelSpec *spec = kernel_spec(launch->kernel);
    row[ROW_NAME] = names[0];
    row[ROW_SHORT] = names[1];
    row[ROW_MANGLED] = names[2];
    row[ROW_REGISTERS] = spec->registers;
    row[ROW_GRID_X] = launch->grid_x;
    row[ROW_GRID_Y] = launch->grid_y;
    row[ROW_BLOCK] = spec->block;
    row[ROW_STATIC_SMEM] = spec->static_smem;
    row[ROW_DYNAMIC_SMEM] = spec->dynamic_smem;
    row[ROW_CLUSTER] = spec->cluster;
    row[ROW_GRID_ID] = ++rank->device.grid_id;
    row[ROW_CLASS] = spec->kind;
}

int64_t kernel_row(Rank *rank, Stream *stream, const Launch *launch, int64_t earliest_ns,
                   int64_t correlation, int64_t graph_node, int64_t graph)
{
    double length = (double)launch->base_ns * rng_jitter(&rank->rng, 0.012);
    if (launch->math)
        length *= rank->device.math_factor;
    int64_t start_ns = stream_earliest(stream, earliest_ns, graph_node != ROW_NULL);
    int64_t end_ns = start_ns + (int64_t)length;
    stream_occupy(stream, end_ns);
    if (rank->world->recording) {
        const int64_t *names = kernel_names(rank->world, launch->kernel);
        int64_t *row = gpu_row(rank, TABLE_KERNEL, stream, start_ns, end_ns, correlation);
        kernel_properties(rank, row, launch, names);
        row[ROW_GRAPH_NODE] = graph_node;
        row[ROW_GRAPH] = graph;
        rank->kernels++;
    }
    return end_ns;
}

int64_t copy_row(Rank *rank, Stream *stream, CopyKind kind, MemoryKind host, int64_t bytes,
                 int64_t earliest_ns, int64_t correlation, int64_t graph_node)
{
    int64_t speed = kind == COPY_DTOD         ? DEVICE_BYTES_PER_US
                    : host == MEMORY_PAGEABLE ? PAGEABLE_BYTES_PER_US
                                              : PINNED_BYTES_PER_US;
    int64_t start_ns = stream_earliest(stream, earliest_ns, graph_node != ROW_NULL);
    int64_t end_ns = start_ns + 1200 +
                     (int64_t)((double)bytes * 1000 / (double)speed * rng_jitter(&rank->rng, 0.01));
    stream_occupy(stream, end_ns);
    if (rank->world->recording) {
        int64_t *row = gpu_row(rank, TABLE_MEMCPY, stream, start_ns, end_ns, correlation);
        row[ROW_BYTES] = bytes;
        row[ROW_KIND] = kind;
        row[ROW_SRC_KIND] = kind == COPY_HTOD ? (int64_t)host : MEMORY_DEVICE;
        row[ROW_DST_KIND] = kind == COPY_DTOH ? (int64_t)host : MEMORY_DEVICE;
        row[ROW_GRAPH_NODE] = graph_node;
    }
    return end_ns;
}

int64_t memset_row(Rank *rank, Stream *stream, int64_t bytes, int64_t earliest_ns,
                   int64_t correlation, int64_t graph_node)
{
    int64_t start_ns = stream_earliest(stream, earliest_ns, graph_node != ROW_NULL);
    int64_t end_ns = start_ns + 900 + bytes * 1000 / DEVICE_BYTES_PER_US;
    stream_occupy(stream, end_ns);
    if (rank->world->recording) {
        int64_t *row = gpu_row(rank, TABLE_MEMSET, stream, start_ns, end_ns, correlation);
        row[ROW_BYTES] = bytes;
        row[ROW_GRAPH_NODE] = graph_node;
    }
    return end_ns;
}

static ApiId launch_api(KernelId kernel)
{
    static const ApiId by_launch[] = {[LAUNCH_RUNTIME] = API_LAUNCH,
                                      [LAUNCH_RUNTIME_EX] = API_LAUNCH_EX,
                                      [LAUNCH_DRIVER] = API_DRIVER_LAUNCH,
                                      [LAUNCH_DRIVER_EX] = API_DRIVER_LAUNCH_EX};
    return by_launch[kernel_spec(kernel)->api];
}

void kernel_launch(Rank *rank, Thread *thread, Stream *stream, const Launch *launch)
{
    ApiId api = launch_api(launch->kernel);
    if (rank->capture) {
        graph_add_kernel(rank, thread, api, launch);
        return;
    }
    int64_t earliest_ns;
    int64_t correlation = launch_call(rank, thread, stream, api, &earliest_ns);
    kernel_row(rank, stream, launch, earliest_ns, correlation, ROW_NULL, ROW_NULL);
}

void copy_launch(Rank *rank, Thread *thread, Stream *stream, CopyKind kind, MemoryKind host,
                 int64_t bytes)
{
    if (rank->capture) {
        graph_add_copy(rank, thread, kind, host, bytes);
        return;
    }
    int64_t earliest_ns, start_ns = thread->now_ns;
    bool is_small = kind == COPY_HTOD && bytes <= STAGED_BYTES;
    if (host == MEMORY_PAGEABLE && kind != COPY_DTOD && !is_small) {
        // The driver stages pageable memory: the call lasts until the last piece has arrived.
        int64_t end_ns = copy_row(rank, stream, kind, host, bytes, start_ns + LATENCY_NS,
                                  rank->process->correlation + 1, ROW_NULL);
        api_row(rank, thread, API_MEMCPY, start_ns,
                kind == COPY_HTOD && end_ns - start_ns > 2 * STAGED_NS ? end_ns - STAGED_NS
                                                                       : end_ns + 3 * US);
        return;
    }
    int64_t correlation = launch_call(rank, thread, stream, API_MEMCPY, &earliest_ns);
    copy_row(rank, stream, kind, host, bytes, earliest_ns, correlation, ROW_NULL);
}

void memset_launch(Rank *rank, Thread *thread, Stream *stream, int64_t bytes)
{
    if (rank->capture) {
        graph_add_memset(rank, thread, bytes);
        return;
    }
    int64_t earliest_ns;
    int64_t correlation = launch_call(rank, thread, stream, API_MEMSET, &earliest_ns);
    memset_row(rank, stream, bytes, earliest_ns, correlation, ROW_NULL);
}

// Up to 2024 the profiler numbered syncType itself. In 2025 it kept these values, less one, under
// another name; since then it uses CUPTI's values. Readers therefore recognise the kind of a call
// by its API name.
typedef enum { SYNC_EVENT = 1, SYNC_WAIT_EVENT, SYNC_STREAM, SYNC_CONTEXT } SyncKind;

static void sync_row(Rank *rank, const Stream *stream, SyncKind kind, int64_t start_ns,
                     int64_t end_ns, int64_t correlation, int64_t event)
{
    static const int old_kinds[] = {
        [SYNC_EVENT] = 2, [SYNC_WAIT_EVENT] = 3, [SYNC_STREAM] = 3, [SYNC_CONTEXT] = 1};
    if (!rank->world->recording)
        return;
    SchemaVersion version = rank->world->options.schema;
    int64_t *row = writer_add(rank->world->writer, TABLE_SYNC, start_ns, end_ns, NULL);
    row[ROW_ID] = rank->process->global_pid;
    row[ROW_CORRELATION] = correlation;
    row[ROW_DEVICE] = rank->device.ordinal;
    row[ROW_CONTEXT] = rank->device.context;
    row[ROW_STREAM] = stream ? stream->id : 4294967295LL;
    row[ROW_EVENT] = event;
    row[ROW_SYNC_TYPE] = version >= SCHEMA_2026_2   ? (int64_t)kind
                         : version == SCHEMA_2025_1 ? 0
                                                    : old_kinds[kind];
    row[ROW_OLD_SYNC_TYPE] = version == SCHEMA_2025_1 ? old_kinds[kind] - 1 : ROW_NULL;
}

void stream_wait(Rank *rank, Thread *thread, Stream *waiting, const Stream *awaited)
{
    int64_t event = ++rank->process->next_event;
    api_call(rank, thread, API_EVENT_RECORD, 900);
    int64_t start_ns = thread->now_ns;
    int64_t correlation = api_call(rank, thread, API_STREAM_WAIT, 700);
    if (rank->capture)
        return; // becomes an edge of the graph; replays are in order anyway
    sync_row(rank, waiting, SYNC_WAIT_EVENT, start_ns + 100, thread->now_ns - 100, correlation,
             event);
    if (awaited->free_ns > waiting->free_ns)
        waiting->free_ns = awaited->free_ns;
}

static void host_wait(Rank *rank, Thread *thread, ApiId api, const Stream *stream, SyncKind kind,
                      int64_t until_ns)
{
    int64_t start_ns = thread->now_ns;
    int64_t end_ns = until_ns > start_ns ? until_ns + 5 * US : start_ns + 2 * US;
    int64_t correlation = api_row(rank, thread, api, start_ns, end_ns);
    sync_row(rank, stream, kind, start_ns + 300, end_ns - 200, correlation, 4294967295LL);
}

void stream_sync(Rank *rank, Thread *thread, Stream *stream)
{
    host_wait(rank, thread, API_STREAM_SYNC, stream, SYNC_STREAM, stream->free_ns);
}

static int64_t device_free(const Device *device)
{
    int64_t until_ns = device->compute.free_ns;
    if (device->comm.free_ns > until_ns)
        until_ns = device->comm.free_ns;
    if (device->copy.free_ns > until_ns)
        until_ns = device->copy.free_ns;
    return until_ns;
}

void device_sync(Rank *rank, Thread *thread)
{
    host_wait(rank, thread, API_DEVICE_SYNC, NULL, SYNC_CONTEXT, device_free(&rank->device));
}

int64_t device_wait_call(Rank *rank, Thread *thread, ApiId api, int64_t ns)
{
    int64_t until_ns = device_free(&rank->device), start_ns = thread->now_ns;
    int64_t end_ns = (until_ns > start_ns ? until_ns : start_ns) + ns;
    return api_row(rank, thread, api, start_ns, end_ns);
}

int64_t comm_call(Rank *rank, Thread *thread, const Stream *stream, const char *name,
                  int64_t *start_ns)
{
    int64_t earliest_ns;
    range_push_registered(rank, thread, 1, name);
    int64_t correlation = launch_call(rank, thread, stream, API_LAUNCH_EX, &earliest_ns);
    range_pop(rank, thread);
    *start_ns = stream_earliest(stream, earliest_ns, false);
    return correlation;
}

void comm_row(Rank *rank, Stream *stream, const Launch *launch, int64_t start_ns, int64_t end_ns,
              int64_t correlation)
{
    stream_occupy(stream, end_ns);
    if (!rank->world->recording)
        return;
    const int64_t *names = kernel_names(rank->world, launch->kernel);
    int64_t *row = gpu_row(rank, TABLE_KERNEL, stream, start_ns, end_ns, correlation);
    kernel_properties(rank, row, launch, names);
    row[ROW_LAYER] = -1;
    rank->kernels++;
}
