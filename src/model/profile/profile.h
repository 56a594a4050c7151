// SPDX-License-Identifier: Apache-2.0
// A loaded profile: tables of columns that are immutable once published. Long columns are packed
// (base/column.h) and read with AT(column, row).
//
// A loader (load_*.c) fills the machine (machine.h), names, GPU work, API calls, ranges and the
// small tables. model/ops and model/derive add what follows from them: owners, ops, the op tree.
// All layers above the model only read it. All memory belongs to the profile's arena. A row number
// is a uint32_t.
//
//      ranges (host, NVTX)      parent ------> ranges        node ----> tree nodes
//      API calls (host)         range  ------> ranges        instance -> op instances -> ops
//      GPU work (device)        launch ------> API calls     function -> functions (names)
//                               stream ------> streams ----> devices, processes
//
// Times are int64 nanoseconds on the clock of the capture; 0 is its beginning and earlier times are
// negative. Intervals exclude their end. Unknown is never 0: a column that the file lacks is NULL
// or does not exist (HAS(column)), a missing reference is ROW_NONE, an unknown number is UNKNOWN.
// Columns marked "Optional" do not exist if no row has a value.
#ifndef MODEL_PROFILE_PROFILE_H
#define MODEL_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/column.h"
#include "base/strings.h"
#include "model/profile/file_window.h"
#include "model/profile/machine.h"

#define ROW_NONE COLUMN_NONE32
#define UNKNOWN  COLUMN_NONE64 // an int64 that the file does not contain

enum tristate { STATE_NO, STATE_YES, STATE_UNKNOWN };

// ---- names of GPU work -------------------------------------------------------------------------

enum work_kind { WORK_KERNEL, WORK_MEMCPY, WORK_MEMSET, WORK_GRAPH, WORK_KIND_COUNT };

// The class of GPU work for the exclusive breakdown, in order of priority when two pieces of work
// run at the same time.
enum work_class { CLASS_COMPUTE, CLASS_COMM, CLASS_COPY, CLASS_GRAPH, CLASS_COUNT };

// One row per distinct (kind, full name, short name).
struct function {
    enum work_kind kind;
    string_id full;   // demangled; copies: "[memcpy HtoD pinned]"; graphs: "[graph 12]"
    string_id brief;  // shortName
    string_id family; // by rules/kernels.yaml; never STRING_NONE
    // Kernels: the full name in a spelling common to all tools (kernel_canonical.h), by which two
    // profiles are compared; otherwise the full name.
    string_id alike;
    enum work_class class;
    bool is_paired;            // point-to-point communication (by name), and every copy
    enum tristate tensor_core; // runs on Tensor Cores, by its full name and the rules
    bool dlprof_tensor_core;   // DLProf's own rule, by short name ...
    bool dlprof_is_recorded;   // ... or the value that DLProf recorded
};

// ---- GPU work: sorted by (device, start, end), rows of a device are contiguous -----------------

enum work_flag {
    WORK_ADOPTED = 1,  // its node is that of a range on another thread (adoption.c)
    WORK_CAPTURED = 2, // its node is below that of the replay, by the capture (graph_capture.c)
    WORK_IN_GRAPH = 4, // a node of a replayed CUDA graph
    // The flags of graph nodes contain WORK_LACKS times their enum capture_lack.
    WORK_LACKS = 8,
};

// What a trace of the PyTorch Profiler shows of the capture of a replayed graph's work.
enum capture_lack {
    CAPTURE_KNOWN,     // or no search was made
    CAPTURE_UNSEEN,    // no graph was captured before, or a graph of this work existed before
    CAPTURE_UNFIT,     // no capture has that many launches of these kinds
    CAPTURE_AMBIGUOUS, // several captures match and disagree
    CAPTURE_UNORDERED, // the order of its launches among the graph's nodes is unknown
    CAPTURE_LACKS
};

#define MAX_MICRO_OCCUPANCY (100 * INT64_C(1000000))

struct launch_shape { // distinct launch configurations
    int32_t grid[3], block[3];
    int32_t registers;                     // per thread; -1 unknown
    int32_t static_shared, dynamic_shared; // bytes; -1 unknown
    // As recorded, -1 if unknown: millionths of a block per multiprocessor, and millionths of a
    // percent of the threads that a multiprocessor can hold.
    int64_t micro_blocks_per_sm;
    int64_t micro_occupancy; // at most MAX_MICRO_OCCUPANCY
};

// Returns static plus dynamic shared memory, because some files have only their sum; -1 if unknown.
static inline int64_t shape_shared_bytes(const struct launch_shape *shape)
{
    if (shape->static_shared < 0 && shape->dynamic_shared < 0)
        return -1;
    return (int64_t)(shape->static_shared > 0 ? shape->static_shared : 0) +
           (shape->dynamic_shared > 0 ? shape->dynamic_shared : 0);
}

struct copy {                              // distinct kinds of copies and memsets
    int32_t copy_kind, src_kind, dst_kind; // see copy_kinds.h; -1 unknown
};

struct gpu_work {
    uint32_t count;
    struct column64 start, end;
    struct column32 function; // row of functions
    struct column32 stream;   // row of streams
    // Row of api; ROW_NONE: no launch row in the file. Does not exist before STAGE_CALLS.
    struct column32 launch;
    struct column32 correlation; // as in the file
    struct column32 shape;       // row of shapes (kernels) or of copies (copies, memsets); ROW_NONE
    struct column64 bytes;       // of copies and memsets, UNKNOWN: not told; else 0. Optional
    // Bytes per second of copies as recorded; 0: unknown. Optional. More exact than bytes and times
    // if those are truncated in the file.
    struct column64 rate;
    struct column64 graph_node; // id of the graph node; 0: not in a graph. Optional
    struct column64 graph;      // id of the executed graph (or of the graph); 0: none. Optional
    struct column32 flags;      // enum work_flag
    // Row of recorded_ops.instances for work without a launch; ROW_NONE. Exists only with recorded
    // ops.
    struct column32 told;
    struct column32 collective; // row of told_collectives; ROW_NONE. Exists only if the file
                                // describes collectives
    // Row of api: the call that captured this work as a node of a CUDA graph, if found by matching
    // what was replayed (graph_match.h); ROW_NONE. Optional. See work_origin() for all work.
    struct column32 capture;
    // Row of ranges that the file assigns to work without a launch; ROW_NONE. Optional. See
    // work_range() for all work.
    struct column32 range;
    // Derived:

    // Exclusive time in ns. If several pieces of work run on a device at the same time, the time
    // counts only for the one with the lowest class and, of several with it, for the one that began
    // first. The sum is the busy time of the device.
    struct column64 exclusive;
    struct column32 node;   // tree node that owns it, after adoption; never ROW_NONE
    struct column32 origin; // see work_origin(); does not exist if ROW_NONE for all
    // Node of the forward op if this is backward work; ROW_NONE. Optional.
    struct column32 forward_node;
    struct column32 instance; // op instance; never ROW_NONE once ops exist
};

// ---- API calls: sorted by (thread, start) ------------------------------------------------------

// Where API calls come from in the program. Texts are safe to print; STRING_NONE: unknown.
struct call_route {
    string_id place;   // the program's line, "train.py:88 train_step"
    string_id callers; // the lines that called it, "main.py:9 main < ..."
};

// The name of a call that launched a kernel, if the file does not contain the call's name.
#define LAUNCH_NAME "(kernel launch)"

struct api_calls {
    uint32_t count;
    struct column64 start, end;
    struct column32 name; // as in the file, "cudaLaunchKernel_v7000"; LAUNCH_NAME
    struct column32 thread;
    struct column32 correlation;
    struct column32 callchain; // id in the file's CUDA_CALLCHAINS; 0: none. Optional
    struct column32 result;    // see api_result(); if it does not exist: 0, or unknown
                               // (has_api_results)
    // Row of recorded_ops.instances; ROW_NONE: an op unassociated_*. Exists only with recorded ops.
    struct column32 told;
    struct column32 route;    // row of routes, derived. Exists only if the place of a call is known
    struct column32 range;    // innermost range around the whole call, or ROW_NONE
    struct column32 instance; // op instance, derived
    struct column32 adopter;  // api_adopter() + 1; 0: none. Optional
    uint8_t *kind;            // enum api_kind, by the work recorded with its correlation id
    // GPU work of one call: work_rows[first_work[i] .. first_work[i + 1]).
    struct column32 first_work; // count + 1 entries
    struct column32 work_rows;
    struct call_route *routes; // distinct routes; routes[0] is the unknown one
};

enum api_kind { API_PLAIN, API_KERNEL, API_MEMCPY, API_MEMSET, API_SYNC, API_GRAPH };

// A range of rows in a list: [first, end).
struct row_span {
    uint32_t first, end;
};

// Returns the GPU work of a call, as a range in api.work_rows.
static inline struct row_span api_work(const struct api_calls *api, uint32_t call)
{
    return (struct row_span){AT(api->first_work, call), AT(api->first_work, call + 1)};
}

// Returns where a call comes from; unknown for ROW_NONE.
static inline struct call_route api_route(const struct api_calls *api, uint32_t call)
{
    return HAS(api->route) && call != ROW_NONE ? api->routes[AT(api->route, call)]
                                               : (struct call_route){STRING_NONE, STRING_NONE};
}

// Returns the result of a call: 0 is success, -1 a number that is not a CUDA error.
static inline int32_t api_result(const struct api_calls *api, uint32_t call)
{
    return HAS(api->result) ? (int32_t)AT(api->result, call) : 0;
}

// Returns the range of another, waiting thread that a call outside of all ranges belongs to
// (adoption.c), or ROW_NONE.
static inline uint32_t api_adopter(const struct api_calls *api, uint32_t call)
{
    return HAS(api->adopter) ? AT(api->adopter, call) - 1 : ROW_NONE;
}

// ---- NVTX ranges: sorted by (thread, start, longer first) --------------------------------------

enum range_style { RANGE_PUSH_POP, RANGE_START_END };

enum range_end {
    RANGE_CLOSED,
    RANGE_OPEN, // the file has no end
    // Ended by the thread that the file names, possibly another one; excluded from projection and
    // from the tree.
    RANGE_CROSS_THREAD,
};

// What the file itself records about a range, besides its text.
enum range_said { SAID_NOTHING, SAID_OP, SAID_ANNOTATION, SAID_MODULE, SAID_COUNT };

#define SEQ_NONE INT64_MIN // otherwise a sequence number or op id, as uint64 bits

// The properties that ranges share, stored once: a capture has millions of ranges but few distinct
// ones.
struct range_label {
    string_id name;  // text without `, seq = N`, `, op_id = N`, `, sizes = ...`
    string_id sizes; // text after `sizes = `; STRING_NONE
    uint32_t marker; // row of markers: the parsed text
    uint32_t domain; // row of domains; 0 is the default domain
    uint32_t thread;
    uint8_t style;  // enum range_style
    uint8_t ending; // enum range_end
    uint8_t said;   // enum range_said
    bool has_seq, has_op_id;
    uint32_t chain;  // call chain in which it began; 0: unknown
    uint32_t module; // Python's number of a module, plus 1; 0: not recorded
};

struct ranges {
    uint32_t count;
    struct column64 start, end; // if the file lacks an end it is the latest time of all ranges
    struct column32 label;      // row of labels
    struct column64 seq, op_id; // of ranges whose label has one: see range_seq(), range_op_id()
    struct column32 collective; // row of told_collectives; ROW_NONE. Exists only if the file
                                // describes collectives
    // Innermost enclosing range of the thread, or ROW_NONE. The rows of the ranges inside a range,
    // and of RANGE_CROSS_THREAD ones that begin in it, directly follow its row.
    struct column32 parent;
    struct column32 node;     // tree node; ROW_NONE for ranges without a node of their own
    struct column32 instance; // op instance that the range is, or is a part of; ROW_NONE
    struct column32 adopter;  // range_adopter() + 1; 0: none. Optional
    uint32_t label_count;
    struct range_label *labels;
};

static inline const struct range_label *range_label(const struct ranges *ranges, uint32_t range)
{
    return &ranges->labels[AT(ranges->label, range)];
}

static inline string_id range_name(const struct ranges *ranges, uint32_t range)
{
    return range_label(ranges, range)->name;
}

static inline uint32_t range_thread(const struct ranges *ranges, uint32_t range)
{
    return range_label(ranges, range)->thread;
}

static inline bool range_is_cross_thread(const struct ranges *ranges, uint32_t range)
{
    return range_label(ranges, range)->ending == RANGE_CROSS_THREAD;
}

// For a root range of an autograd thread, returns the range of the waiting thread that it belongs
// to (adoption.c), which began earlier; ROW_NONE if there is none.
static inline uint32_t range_adopter(const struct ranges *ranges, uint32_t range)
{
    return HAS(ranges->adopter) ? AT(ranges->adopter, range) - 1 : ROW_NONE;
}

static inline int64_t range_seq(const struct ranges *ranges, uint32_t range)
{
    return range_label(ranges, range)->has_seq ? AT(ranges->seq, range) : SEQ_NONE;
}

static inline int64_t range_op_id(const struct ranges *ranges, uint32_t range)
{
    return range_label(ranges, range)->has_op_id ? AT(ranges->op_id, range) : SEQ_NONE;
}

struct domain {
    string_id name; // STRING_NONE: the default domain
};

// Returns the whole text of a range as nsys prints it: "domain:name, seq = 5, op_id = 7, sizes =
// [...]".
struct profile;
const char *range_text(const struct profile *profile, uint32_t range, struct arena *arena);

// ---- parsed texts: see markers.h; ops: see ops.h; tree: see op_tree.h --------------------------

enum shape_part { SHAPE_INPUT, SHAPE_OUTPUT, SHAPE_PARAMETERS, SHAPE_PARTS };

struct marker;
struct marker_argument;
struct ops;
struct recorded_ops;
struct op_tree;

// ---- lines of the program ----------------------------------------------------------------------

struct program_line {
    string_id text; // as in call_route.place
    // Path as recorded; STRING_NONE: unknown, or several files have lines with this text.
    string_id file;
    uint32_t line; // 1-based; 0: unknown
};

// ---- the small tables --------------------------------------------------------------------------

struct syncs { // CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, in file order
    uint32_t count;
    int64_t *start, *end;
    // As numbered by current CUPTI, whatever the file's version: 0 unknown, 1 event, 2 stream wait
    // event, 3 stream, 4 context.
    uint8_t *type;
    uint32_t *stream; // row of streams or ROW_NONE
    uint32_t *api;    // row of api or ROW_NONE
};

struct os_calls { // OSRT_API, sorted by (thread, start)
    uint32_t count;
    struct column64 start, end;
    struct column32 name, thread;
};

// The profiler's own cost: PROFILER_OVERHEAD, CUPTI_ACTIVITY_KIND_OVERHEAD. Sorted by (thread,
// start). Rows without a known thread come last, from first_without_thread on, by (source, start).
struct overheads {
    uint32_t count, first_without_thread;
    struct column64 start, end;
    string_id *name;
};

// The calls that created nodes of CUDA graphs, sorted by node id.
struct graph_nodes {
    uint32_t count;
    int64_t *node;     // graphNodeId
    int64_t *original; // node that this one was cloned from; 0: none
    int64_t *start;    // time of the creating call; UNKNOWN
    uint32_t *thread;  // ROW_NONE
};

// Call chains. The rows of a chain are contiguous, innermost frame first.
struct frames {
    uint32_t count;
    uint32_t *chain; // id, sorted
    string_id *symbol;
    string_id *module;
};

// Samples of GPU metrics (GPU_METRICS), sorted by device, metric and time. Other metrics are not
// kept.
enum gpu_metric {
    METRIC_SM_ACTIVE,     // percent of the time in which multiprocessors have work
    METRIC_TENSOR_ACTIVE, // percent of the time of the Tensor pipe
    METRIC_DRAM_READ,     // percent of the memory bandwidth
    METRIC_DRAM_WRITE,
    METRIC_CLOCK, // MHz, of the graphics processing clusters
    METRIC_COUNT
};

struct gpu_metrics {
    uint32_t count;
    int64_t *time;
    double *sum;     // prefix sum of the values of the same device and metric
    uint32_t *first; // of (device, metric): [first[d * METRIC_COUNT + m], the next entry). NULL:
                     // none
};

// Device memory allocated through the driver (CUDA_GPU_MEMORY_USAGE_EVENTS), sorted by start. For a
// caching allocator these are its segments, not the tensors in them.
struct memory_events {
    uint32_t count;
    struct column64 start;
    uint8_t *is_free;
    uint8_t *kind;    // enum memory_kind; MEMORY_KIND_COUNT: unknown
    int64_t *bytes;   // UNKNOWN; at most 2^60 in total. A free has the bytes of its allocation
    int64_t *address; // its 64 bits; 0: unknown
    int64_t *pool;    // address of the pool with this memory; 0: none. Optional
    uint32_t *process;
    uint32_t *device; // ROW_NONE: unknown
    uint32_t *api;    // the call; ROW_NONE
    string_id *name;  // of a variable; STRING_NONE. Optional
    // Derived:

    // The allocation whose memory this row frees, or replaces by another allocation at the same
    // address; ROW_NONE: the file does not have it.
    uint32_t *ends;
    uint32_t *ended; // the row that ends this allocation; ROW_NONE
};

// Allocations and frees of memory by a framework's own allocator, as it reports them ("[memory]" of
// the PyTorch Profiler): tensors and the like, not the segments of memory_events. Sorted by time.
#define ALLOCATION_LIMIT (INT64_C(1) << 50) // larger values of `bytes` are not believed
#define ALLOCATED_LIMIT  (INT64_C(1) << 56) // nor larger values of `allocated`

struct allocations {
    uint32_t count;
    struct column64 time;
    struct column64 bytes;   // > 0: allocated; <= 0: freed
    struct column64 address; // its 64 bits; 0: unknown. Optional
    // Bytes that the allocator of the device has in use after this row; UNKNOWN. Optional.
    struct column64 allocated;
    struct column64 reserved; // bytes that the allocator has reserved from the driver
    struct column32 thread;
    struct column32 device; // ROW_NONE: host memory
    // Derived:
    struct column32 range; // innermost range of its thread at the time; ROW_NONE
    struct column32 other; // the row that frees this allocation, or the allocation that this row
                           // frees; ROW_NONE
};

// Returns the bytes of a row; 0 if unknown, so that a sum does not change.
static inline int64_t allocation_bytes(const struct allocations *allocations, uint32_t row)
{
    int64_t bytes = AT(allocations->bytes, row);
    return bytes == UNKNOWN ? 0 : bytes;
}

// Collectives as described by the file, for a kernel or for the op that launched it
// (work.collective, ranges.collective). Equal descriptions share a row.
struct told_collectives {
    uint32_t count;
    string_id *name;         // "allreduce", STRING_NONE
    string_id *data_type;    // "BFloat16"; STRING_NONE
    string_id *group;        // number or hash of the process group; STRING_NONE
    string_id *description;  // "default_pg"; STRING_NONE
    string_id *ranks;        // "[0, 1, ..., 7]" as written; STRING_NONE
    string_id *communicator; // unsigned 64-bit number as written; STRING_NONE
    // UNKNOWN if not recorded.
    int64_t *elements_in, *elements_out;
    int64_t *group_size, *rank, *sequence;
};

// The iterations of a DLProf database, one row for each time DLProf aggregated it; sorted by id.
struct aggregation {
    int64_t id;
    const char *key;                // op name or id; "" for none
    int64_t first, last;            // first and last iteration of the aggregation
    uint32_t count;                 // number of iterations, at least 1
    int64_t *number, *start, *stop; // each iteration lasts until the next one starts
};

// ---- data quality ------------------------------------------------------------------------------

struct table_count {
    const char *table;
    int64_t rows;    // read
    int64_t skipped; // unusable ones among them
    const char *why; // why rows were skipped; "" if none was
};

enum note_level { NOTE_INFO, NOTE_WARNING };

// An irregularity of the data, with its number of occurrences.
struct note {
    enum note_level level;
    const char *key;  // stable: "kernels_without_launch"
    const char *text; // a sentence with the numbers
    int64_t count;
    const char *flag; // nsys option that would have captured the missing data, or ""
};

// ---- the profile -------------------------------------------------------------------------------

enum profile_stage {
    STAGE_NONE,
    STAGE_WORK,  // GPU work and names: enough for the kernel table
    STAGE_CALLS, // API calls, launches
    STAGE_TREE,  // ranges, ops, the op tree (unless load_request.stops_after_ops)
    STAGE_READY, // everything
};

enum mode { // the dialect that defines the ops, see dlprof.md section 12
    MODE_AUTO,
    MODE_SIMPLE,
    MODE_PYTORCH,
    MODE_TENSORFLOW1,
    MODE_TENSORFLOW2,
    MODE_TENSORRT,
    MODE_RANGES, // none of them: the plain range tree in PyTorch's columns
    MODE_COUNT,
};
extern const char *const mode_names[MODE_COUNT];

struct profile {
    struct arena *arena;
    struct strings *strings;
    unsigned workers; // number of threads used to build it
    enum profile_stage stage;

    uint32_t source_count, process_count, thread_count, device_count, stream_count, function_count,
        shape_count, copy_count, domain_count, line_count, group_count;
    struct source *sources;
    struct process *processes;
    struct process_group *groups; // only with several files
    struct thread *threads;
    struct device *devices; // all that exist, by gpu_id, unused ones included
    struct stream *streams;
    struct function *functions;
    struct launch_shape *shapes;
    struct copy *copies;
    struct domain *domains;
    struct program_line *lines; // lines that API calls come from, sorted by `text`

    struct gpu_work work;
    struct api_calls api;
    struct ranges ranges;
    struct syncs syncs;
    struct os_calls osrt;
    struct overheads overheads;
    struct graph_nodes graph_nodes;
    struct frames frames;
    struct gpu_metrics metrics;
    struct memory_events memory;
    struct allocations allocations;
    struct told_collectives told_collectives;

    uint32_t aggregation_count;
    struct aggregation *aggregations;
    // For a DLProf database with several domains: their names, and the one that was read.
    uint32_t recorded_domain_count, recorded_domain;
    const char **recorded_domains;

    uint32_t marker_count;
    struct marker *markers;
    enum mode mode;            // never MODE_AUTO
    const char *key_op;        // load_request.key_op
    const char *mode_reason;   // "PyTorch: 80 DLProf op markers found"
    bool mode_is_missing;      // it was requested, but no marker of it was found
    struct recorded_ops *told; // NULL: no file has recorded ops
    struct ops *ops;
    struct op_tree *tree;        // as captured
    struct op_tree *folded_tree; // numbered siblings merged: layers.* x24
    struct model_config config;
    struct capture capture;

    // Tables that the file has. A missing table differs from an empty one.
    bool has_kernels, has_api, has_api_results, has_ranges, has_osrt, has_syncs, has_overhead,
        has_gpu_metrics, has_memory_events, has_allocations;
    bool has_diagnostics; // the file tells what the profiler lost, if anything
    // The file has durations of kernels, but neither their times nor copies nor host activity:
    // times are invented, in file order. Everything that depends on times, such as calls and idle
    // time, is unknown.
    bool lacks_times;

    struct file_window *file_window; // the window that was read; NULL: the whole file
    // Intervals between windows of the same processes in which no file recorded anything,
    // ascending.
    uint32_t pause_count;
    struct pause {
        int64_t from, to; // ns
    } * pauses;

    // First start and last end of GPU work, API calls and ranges together. Metadata rows such as
    // thread names do not count, nor do rows outside of a window. Both are 0 in an empty profile.
    int64_t first_ns, last_ns;

    size_t table_count, note_count, note_capacity;
    struct table_count *tables;
    struct note *notes;
};

// Pack derived columns into the profile's arena.
static inline struct column32 profile_pack32(struct profile *profile, const uint32_t *values,
                                             size_t count)
{
    return column32_pack(profile->arena, profile->workers, values, NULL, count);
}

static inline struct column64 profile_pack64(struct profile *profile, const int64_t *values,
                                             size_t count)
{
    return column64_pack(profile->arena, profile->workers, values, NULL, count);
}

// Returns a source with everything but path and format unknown. The texts must outlive the profile.
struct source source_new(const char *path, const char *format);
// Adds a note; `flag` may be NULL.
void profile_note(struct profile *profile, enum note_level level, const char *key, int64_t count,
                  const char *flag, const char *format, ...) __attribute__((format(printf, 6, 7)));
// Returns the number by which a GPU is displayed: its id in nsys, otherwise its ordinal in its
// process, or its row if not even that identifies it. DLProf's Device ID.
int64_t device_number(const struct profile *profile, uint32_t device);
// Finds a GPU by its number, preferring one that ran work; a process by its pid. ROW_NONE if there
// is none.
uint32_t profile_find_device(const struct profile *profile, int64_t number);
uint32_t profile_find_process(const struct profile *profile, int64_t pid);
// Returns the note with a key, or NULL.
const struct note *profile_find_note(const struct profile *profile, const char *key);

// The key of the note by which profile_derive() sets profile.lacks_times.
#define NOTE_NO_TIMES "times_not_told"

// True if a process is selected. `chosen` is a row of processes, process_count plus a row of
// groups, or ROW_NONE for all.
static inline bool process_is_selected(const struct profile *profile, uint32_t chosen,
                                       uint32_t process)
{
    if (chosen == ROW_NONE || chosen == process)
        return true;
    return chosen >= profile->process_count && process < profile->process_count &&
           profile->groups[chosen - profile->process_count].members[process];
}

static inline uint32_t work_device(const struct profile *profile, uint32_t work)
{
    return profile->streams[AT(profile->work.stream, work)].device;
}

static inline uint32_t work_process(const struct profile *profile, uint32_t work)
{
    return profile->streams[AT(profile->work.stream, work)].process;
}

static inline int64_t work_duration(const struct profile *profile, uint32_t work)
{
    return AT(profile->work.end, work) - AT(profile->work.start, work);
}

// Returns the program line that an API call comes from, by its call chain or the call stack in a
// marker (call_places.c), or NULL if unknown.
const char *call_place(const struct profile *profile, uint32_t call);
// Returns a program line by its text, or NULL if no call comes from it.
const struct program_line *profile_line(const struct profile *profile, string_id text);

// Returns the kind of a copy or memset; NULL for other work, or if unknown.
static inline const struct copy *work_copy(const struct profile *profile, uint32_t work)
{
    enum work_kind kind = profile->functions[AT(profile->work.function, work)].kind;
    uint32_t row = HAS(profile->work.shape) ? AT(profile->work.shape, work) : ROW_NONE;
    bool is_copy = kind == WORK_MEMCPY || kind == WORK_MEMSET;
    return is_copy && row < profile->copy_count ? &profile->copies[row] : NULL;
}

// Returns the bytes of a copy or memset; UNKNOWN if the file does not tell them.
static inline int64_t work_bytes(const struct profile *profile, uint32_t work)
{
    return HAS(profile->work.bytes) ? AT(profile->work.bytes, work) : UNKNOWN;
}

// Returns what a file tells as bytes of a copy; UNKNOWN: nothing that can be.
static inline int64_t believed_bytes(int64_t bytes)
{
    return bytes >= 0 && bytes < INT64_C(1) << 56 ? bytes : UNKNOWN;
}

#define WORK_RATE_LIMIT (INT64_C(1) << 56) // bytes per second; larger rates are not believed

// Returns the bytes per second of a copy or memset, as recorded, otherwise by its bytes and time;
// UNKNOWN if neither is recorded or it took no time.
static inline int64_t work_rate(const struct profile *profile, uint32_t work)
{
    const struct gpu_work *all = &profile->work;
    enum work_kind kind = profile->functions[AT(all->function, work)].kind;
    int64_t ns = work_duration(profile, work), bytes = work_bytes(profile, work);
    int64_t told = HAS(all->rate) ? AT(all->rate, work) : 0;
    if ((kind != WORK_MEMCPY && kind != WORK_MEMSET) || ns < 0)
        return UNKNOWN;
    if (told > 0)
        return told;
    if (ns == 0 || bytes == UNKNOWN)
        return UNKNOWN;
    double rate = (double)bytes * 1e9 / (double)ns;
    return rate < (double)WORK_RATE_LIMIT ? (int64_t)(rate + 0.5) : WORK_RATE_LIMIT;
}

// Returns the innermost range that launched the work, or ROW_NONE if unknown.
static inline uint32_t work_range(const struct profile *profile, uint32_t work)
{
    uint32_t call = HAS(profile->work.launch) ? AT(profile->work.launch, work) : ROW_NONE;
    if (call != ROW_NONE)
        return HAS(profile->api.range) ? AT(profile->api.range, call) : ROW_NONE;
    return HAS(profile->work.range) ? AT(profile->work.range, work) : ROW_NONE;
}

// For a node of a replayed CUDA graph, returns the innermost range that captured it; ROW_NONE for
// other work, or if unknown.
static inline uint32_t work_origin(const struct profile *profile, uint32_t work)
{
    return HAS(profile->work.origin) ? AT(profile->work.origin, work) : ROW_NONE;
}

// Returns the innermost range whose op the work belongs to: the range of its capture, otherwise the
// range of its launch.
static inline uint32_t work_op_range(const struct profile *profile, uint32_t work)
{
    uint32_t origin = work_origin(profile, work);
    return origin != ROW_NONE ? origin : work_range(profile, work);
}

static inline enum capture_lack work_capture_lack(const struct profile *profile, uint32_t work)
{
    unsigned flags = HAS(profile->work.flags) ? AT(profile->work.flags, work) : 0;
    return (enum capture_lack)(flags / WORK_LACKS % CAPTURE_LACKS);
}

// Returns the launch configuration of a kernel; NULL for other work, or if unknown.
static inline const struct launch_shape *work_launch_shape(const struct profile *profile,
                                                           uint32_t work)
{
    uint32_t row = HAS(profile->work.shape) ? AT(profile->work.shape, work) : ROW_NONE;
    bool is_kernel = profile->functions[AT(profile->work.function, work)].kind == WORK_KERNEL;
    return is_kernel && row < profile->shape_count ? &profile->shapes[row] : NULL;
}

static inline const char *profile_text(const struct profile *profile, string_id id)
{
    return strings_text(profile->strings, id);
}

// True if recording paused at some time between `from` and `to`.
bool profile_has_pause(const struct profile *profile, int64_t from, int64_t to);

#endif
