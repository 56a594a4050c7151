// SPDX-License-Identifier: Apache-2.0
// A loaded profile: columns that never change once they are handed over, the long ones packed
// (base/column.h): read with AT(column, row).
//
// A loader (load_*.c) fills the machine (machine.h), the names, GPU work, API calls, ranges and the
// small tables. derive_*.c and friends add what follows from them: owners, ops, the op tree.
// Everything above the model only reads. All memory belongs to the profile's arena; a row is a
// uint32_t.
//
//      ranges (host, NVTX)      parent ------> ranges        node ----> tree nodes
//      API calls (host)         range  ------> ranges        instance -> op instances -> ops
//      GPU work (device)        launch ------> API calls     function -> functions (names)
//                               stream ------> streams ----> devices, processes
//
// Times are int64 nanoseconds on the clock of the capture; 0 is its beginning and earlier times
// are negative. Ends are exclusive. Unknown is never 0: a column that the file lacks is NULL, or not
// there (HAS(column)), a reference that leads nowhere is ROW_NONE, a number that is not known is UNKNOWN.
#ifndef MODEL_PROFILE_H
#define MODEL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/column.h"
#include "base/strings.h"
#include "model/profile/excerpt.h"
#include "model/profile/machine.h"

#define ROW_NONE COLUMN_NONE32
#define UNKNOWN  COLUMN_NONE64 // of an int64 that the file does not tell

enum tristate { STATE_NO, STATE_YES, STATE_UNKNOWN };

// ---- names of GPU work -------------------------------------------------------------------------

enum work_kind { WORK_KERNEL, WORK_MEMCPY, WORK_MEMSET, WORK_GRAPH, WORK_KIND_COUNT };

// What work is, for the exclusive breakdown; in order of priority when two run at one instant.
enum work_class { CLASS_COMPUTE, CLASS_COMM, CLASS_COPY, CLASS_GRAPH, CLASS_COUNT };

// One row per distinct (kind, full name, short name).
struct function {
    enum work_kind kind;
    string_id full;   // demangled; copies: "[memcpy HtoD pinned]"; graphs: "[graph 12]"
    string_id brief;  // shortName
    string_id family; // by rules/kernels.yaml; never STRING_NONE
    string_id alike;  // of kernels: the full name as any tool would tell it (kernel_alike.h), by
                      // which two profiles compare; of others it is the full name
    enum work_class class;
    bool is_paired;            // as communication: point to point; by its name, and every copy
    enum tristate tensor_core; // runs on Tensor Cores, by its full name and the rules
    bool dlprof_tensor_core;   // DLProf's rule: by short name only ...
    bool dlprof_is_told;       // ... or what DLProf itself wrote down
};

// ---- GPU work: sorted by (device, start, end), rows of a device are contiguous -----------------

enum work_flag {
    WORK_ADOPTED = 1,  // owner found through the blocked thread (adoption)
    WORK_CAPTURED = 2, // owner's layer comes from where a graph was captured
    WORK_IN_GRAPH = 4, // a node of a replayed CUDA graph
    WORK_LACKS = 8,    // of such: times enum capture_lack, why the file does not show its capture
};

// What a trace of the PyTorch Profiler tells of the capture of a replayed graph's work.
enum capture_lack {
    CAPTURE_KNOWN,     // or nobody looked for it
    CAPTURE_UNSEEN,    // no graph was captured before, or a graph of this work was there before
    CAPTURE_UNFIT,     // no capture has as many launches of these kinds
    CAPTURE_AMBIGUOUS, // several could be it, and do not say the same
    CAPTURE_UNORDERED, // in which order its launches are nodes of the graph is not known
    CAPTURE_LACKS
};

#define OCCUPANCY_MOST (100 * INT64_C(1000000))

struct launch_shape { // distinct launch configurations
    int32_t grid[3], block[3];
    int32_t registers;                     // per thread; -1 unknown
    int32_t static_shared, dynamic_shared; // bytes; -1 unknown
    // As the file tells it, -1 where it does not: millionths of a block per multiprocessor, and millionths
    // of a percent of the threads that one can hold.
    int64_t micro_blocks_per_sm;
    int64_t micro_occupancy; // at most OCCUPANCY_MOST
};

// Both kinds together, which is all that some files tell; -1 unknown.
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
    struct column32 launch; // row of api, or ROW_NONE: no launch row in the file; not there before
                            // STAGE_CALLS
    struct column32 correlation; // as in the file
    struct column32 shape; // kernels: row of shapes; copies and memsets: row of copies; ROW_NONE
    struct column64 bytes; // copies and memsets, 0 for kernels; not there when the file has none
    struct column64
        rate; // of a copy as the file tells it, bytes per second, 0: not told; not there when
              // of none. More exact than its bytes and times, where these are cut
    struct column64 graph_node; // id of the graph node, 0: not in a graph; not there when none is
    struct column64 graph; // id of the executed graph (or graph), 0: none; not there when none is
    struct column32 flags; // enum work_flag
    struct column32
        told; // row of recorded_ops.instances, where there is no launch; ROW_NONE. Not there: no
              // file tells its ops
    struct column32 collective; // row of told_collectives, ROW_NONE; not there: none is told
    struct column32 capture; // the call that captured it as a node of a CUDA graph, where this was
                             // found by what was replayed (graph_match.h): row of api; ROW_NONE.
                             // Not there: of none. work_origin() is of all work
    struct column32 range;   // of work without a launch the range that the file says it belongs to;
                             // ROW_NONE. Not there: of none. work_range() is of all work
    // derived
    struct column64 exclusive; // ns in which this work alone, of all on its device, keeps it from
        // being idle: where several overlap the class of lower number has the
        // instant, then the one that began first. Sums to the union.
    struct column32 node;   // tree node that owns it, adoption applied; never ROW_NONE
    struct column32 origin; // work_origin(); not there: ROW_NONE of all
    struct column32
        forward_node; // node of the forward op whose backward this is; ROW_NONE. Not there: none
    struct column32 instance; // op instance; never ROW_NONE once ops are there
};

// ---- API calls: sorted by (thread, start) ------------------------------------------------------

// Where in the program calls come from; texts are safe to print, STRING_NONE: not known.
struct call_route {
    string_id place;   // its line, "train.py:88 train_step"
    string_id callers; // the program's lines that led there, "main.py:9 main < ..."
};

// The name of a call that launched a kernel, where a file does not tell which call it was.
#define LAUNCH_NAME "(kernel launch)"

struct api_calls {
    uint32_t count;
    struct column64 start, end;
    struct column32 name; // as in the file, "cudaLaunchKernel_v7000"; LAUNCH_NAME
    struct column32 thread;
    struct column32 correlation;
    struct column32 callchain; // id in the file's CUDA_CALLCHAINS, 0: none; not there when none
    struct column32 result;    // api_result(); not there: 0 of all, or not told (has_api_results)
    struct column32
        told; // row of recorded_ops.instances; ROW_NONE: an op unassociated_*. Not there: no
              // file tells its ops
    struct column32 route;    // row of routes; not there: no place of any call is known. Derived
    struct column32 range;    // innermost range around the whole call, or ROW_NONE
    struct column32 instance; // op instance; derived
    struct column32 adopter;  // api_adopter() + 1, 0: none; not there: none has one
    uint8_t *kind;            // enum api_kind: what the file holds for its correlation id
    // GPU work of one call: work_rows[first_work[i] .. first_work[i + 1])
    struct column32 first_work; // count + 1 entries
    struct column32 work_rows;
    struct call_route *routes; // each once; the first: nothing is known
};

enum api_kind { API_PLAIN, API_KERNEL, API_MEMCPY, API_MEMSET, API_SYNC, API_GRAPH };

struct row_span { // of a list: [first, end)
    uint32_t first, end;
};

// Of api.work_rows: the GPU work of a call.
static inline struct row_span api_work(const struct api_calls *api, uint32_t call)
{
    return (struct row_span){AT(api->first_work, call), AT(api->first_work, call + 1)};
}

// Of no call (ROW_NONE): nothing is known.
static inline struct call_route api_route(const struct api_calls *api, uint32_t call)
{
    return HAS(api->route) && call != ROW_NONE ? api->routes[AT(api->route, call)]
                                               : (struct call_route){STRING_NONE, STRING_NONE};
}

// What a call returned: 0, no error; -1: a number that is none of CUDA's.
static inline int32_t api_result(const struct api_calls *api, uint32_t call)
{
    return HAS(api->result) ? (int32_t)AT(api->result, call) : 0;
}

// The range of the blocked thread that a call outside ranges belongs to, or ROW_NONE.
static inline uint32_t api_adopter(const struct api_calls *api, uint32_t call)
{
    return HAS(api->adopter) ? AT(api->adopter, call) - 1 : ROW_NONE;
}

// ---- NVTX ranges: sorted by (thread, start, longer first) --------------------------------------

enum range_style { RANGE_PUSH_POP, RANGE_START_END };

enum range_end {
    RANGE_CLOSED,
    RANGE_OPEN, // the file has no end
    RANGE_AWAY, // the file names the thread that ended it: it may cross threads, and is excluded
                // from projection and from the tree
};

// What the file itself says that a range is, beside its text.
enum range_said { SAID_NOTHING, SAID_OP, SAID_ANNOTATION, SAID_MODULE, SAID_COUNT };

#define SEQ_NONE INT64_MIN // else a sequence number or op id as uint64 bits

// What ranges have in common, once: a capture has millions of them and says little that is new.
struct range_label {
    string_id name;  // text without `, seq = N`, `, op_id = N`, `, sizes = ...`
    string_id sizes; // what followed `sizes = ` to the end, STRING_NONE
    uint32_t marker; // row of markers: what the text says
    uint32_t domain; // row of domains; 0 is the default domain
    uint32_t thread;
    uint8_t style;  // enum range_style
    uint8_t ending; // enum range_end
    uint8_t said;   // enum range_said
    bool has_seq, has_op_id;
    uint32_t chain;  // call chain that it began in, 0: none is known
    uint32_t module; // of a module, Python's number of it + 1; 0: none is told
};

struct ranges {
    uint32_t count;
    struct column64 start, end; // an end that the file lacks is the latest time of all ranges
    struct column32 label;      // row of labels
    struct column64 seq, op_id; // of ranges whose label has one: range_seq(), range_op_id()
    struct column32 collective; // row of told_collectives, ROW_NONE; not there: none is told
    struct column32 parent;   // tightest enclosing range of the thread, or ROW_NONE; what lies in a
                              // range stands right behind it (as do those that are away)
    struct column32 node;     // tree node; ROW_NONE for ranges that are no node of their own
    struct column32 instance; // op instance that the range is (or is a part of), or ROW_NONE
    struct column32 adopter;  // range_adopter() + 1, 0: none; not there: none has one
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

static inline bool range_is_away(const struct ranges *ranges, uint32_t range)
{
    return range_label(ranges, range)->ending == RANGE_AWAY;
}

// Of a root range of an autograd thread: the range of the blocked thread that it belongs to, which
// began before it, or ROW_NONE.
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

// The whole text of a range as nsys prints it: "domain:name, seq = 5, op_id = 7, sizes = [...]".
struct profile;
const char *range_text(const struct profile *profile, uint32_t range, struct arena *arena);

// ---- what the texts say: see markers.h; ops: see ops.h; tree: see op_tree.h --------------------

enum shape_part { SHAPE_INPUT, SHAPE_OUTPUT, SHAPE_PARAMETERS, SHAPE_PARTS };

struct marker;
struct marker_argument;
struct ops;
struct recorded_ops;
struct op_tree;

// ---- lines of the program ----------------------------------------------------------------------

struct program_line {
    string_id text; // as in call_route.place
    string_id file; // its path, as the capture wrote it; STRING_NONE: none is told, or several
                    // files have lines that are written so
    uint32_t line;  // from 1 on; 0: not told
};

// ---- the small tables --------------------------------------------------------------------------

struct syncs { // CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, in file order
    uint32_t count;
    int64_t *start, *end;
    uint8_t *type;    // as CUPTI numbers them, whatever the file's version: 0 unknown,
                      // 1 event, 2 stream wait event, 3 stream, 4 context
    uint32_t *stream; // row of streams or ROW_NONE
    uint32_t *api;    // row of api or ROW_NONE
};

struct os_calls { // OSRT_API, sorted by (thread, start)
    uint32_t count;
    struct column64 start, end;
    struct column32 name, thread;
};

// The profiler's own cost: PROFILER_OVERHEAD, CUPTI_ACTIVITY_KIND_OVERHEAD. Sorted by (thread,
// start); rows of no thread that is known come last, from first_unowned on, by (source, start).
struct overheads {
    uint32_t count, first_unowned;
    struct column64 start, end;
    string_id *name;
};

struct graph_nodes { // where nodes of CUDA graphs were made, sorted by node id
    uint32_t count;
    int64_t *node;     // graphNodeId
    int64_t *original; // node that this one was cloned from, 0: none
    int64_t *start;    // time of the creating call; UNKNOWN
    uint32_t *thread;  // ROW_NONE
};

struct frames { // call chains: rows of one chain are contiguous, innermost first
    uint32_t count;
    uint32_t *chain; // id, sorted
    string_id *symbol;
    string_id *module;
};

// Samples of GPU metrics (GPU_METRICS), by device, metric and time. Other metrics are not kept.
enum gpu_metric {
    METRIC_SM_ACTIVE,     // percent of the time that a multiprocessor has work
    METRIC_TENSOR_ACTIVE, // percent of the Tensor pipe's time
    METRIC_DRAM_READ,     // percent of the memory's bandwidth
    METRIC_DRAM_WRITE,
    METRIC_CLOCK, // MHz, of the graphics processing clusters
    METRIC_COUNT
};

struct gpu_metrics {
    uint32_t count;
    int64_t *time;
    double *sum;     // of its own value and of those before it of the same device and metric
    uint32_t *first; // of (device, metric): [first[d * METRIC_COUNT + m], the next one); NULL: none
};

// Memory that programs allocate through the driver (CUDA_GPU_MEMORY_USAGE_EVENTS), sorted by start;
// of a caching allocator that is its segments, and not what lies in them.
struct memory_events {
    uint32_t count;
    struct column64 start;
    uint8_t *is_free;
    uint8_t *kind;    // enum memory_kind, MEMORY_KIND_COUNT: not told
    int64_t *bytes;   // all together at most 2^60; of a free those of its allocation; UNKNOWN
    int64_t *address; // its 64 bits; 0: not told
    int64_t *pool;    // address of the pool that it is taken from, 0: none. NULL: of none
    uint32_t *process;
    uint32_t *device; // ROW_NONE: not known which
    uint32_t *api;    // the call, ROW_NONE
    string_id *name;  // of a variable, STRING_NONE; NULL: of none
    // derived
    uint32_t *ends;  // the allocation that a free ends, or an allocation at an address that
                     // another one still had; ROW_NONE: none of the file
    uint32_t *ended; // of an allocation: the row that ends it, ROW_NONE
};

// Memory that a framework's allocator hands out and takes back, as it tells ("[memory]" of the PyTorch
// Profiler): tensors and the like, not the segments of memory_events. In order of time.
#define ALLOCATION_LIMIT (INT64_C(1) << 50) // bytes of one that are believed, ...
#define ALLOCATED_LIMIT  (INT64_C(1) << 56) // ... and of all together

struct allocations {
    uint32_t count;
    struct column64 time;
    struct column64 bytes;   // 0 and below: taken back
    struct column64 address; // its 64 bits, 0: not told. Not there: of none
    struct column64
        allocated; // by the allocator of the device after it, UNKNOWN. Not there: of none
    struct column64 reserved; // ... of it, as much as it keeps from the driver
    struct column32 thread;
    struct column32 device; // ROW_NONE: the host's memory
    // derived
    struct column32 range; // innermost of its thread at the time, ROW_NONE
    struct column32 other; // of one the row that takes it back, of that the one; ROW_NONE
};

// What is not told adds nothing.
static inline int64_t allocation_bytes(const struct allocations *allocations, uint32_t row)
{
    int64_t bytes = AT(allocations->bytes, row);
    return bytes == UNKNOWN ? 0 : bytes;
}

// What a file tells of collectives itself: of a kernel and of the op that launched it (work.collective,
// ranges.collective), once for what is alike.
struct told_collectives {
    uint32_t count;
    string_id *name;         // "allreduce", STRING_NONE
    string_id *data_type;    // "BFloat16", STRING_NONE
    string_id *group;        // number or hash of the process group, STRING_NONE
    string_id *description;  // "default_pg", STRING_NONE
    string_id *ranks;        // "[0, 1, ..., 7]" as written, STRING_NONE
    string_id *communicator; // 64 bits without a sign, as written, STRING_NONE
    // UNKNOWN where not told
    int64_t *elements_in, *elements_out;
    int64_t *group_size, *rank, *sequence;
};

// How a DLProf database was split into iterations, each time that DLProf aggregated it; by id.
struct aggregation {
    int64_t id;
    const char *key;                // op name or id, "" for none
    int64_t first, last;            // numbers of the iterations that it is of
    uint32_t count;                 // iterations, at least 1
    int64_t *number, *start, *stop; // each lasts until the next
};

// ---- can it be trusted -------------------------------------------------------------------------

struct table_count {
    const char *table;
    int64_t rows;    // read
    int64_t skipped; // of them not usable
    const char *why; // of the skipped ones; "" when none
};

enum note_level { NOTE_INFO, NOTE_WARNING };

struct note { // an oddity of the data, counted
    enum note_level level;
    const char *key;  // stable: "kernels_without_launch"
    const char *text; // a sentence with the figures
    int64_t count;
    const char *flag; // nsys option that would have captured what is missing, or ""
};

// ---- the profile -------------------------------------------------------------------------------

enum profile_stage {
    STAGE_NONE,
    STAGE_WORK,  // GPU work and names: the kernel table
    STAGE_CALLS, // API calls, launches
    STAGE_TREE,  // ranges, ops, the op tree (but with load_request.ends_with_ops)
    STAGE_READY, // everything
};

enum mode { // which dialect makes the ops, see dlprof.md section 12
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
    unsigned workers; // threads that make it
    enum profile_stage stage;

    uint32_t source_count, process_count, thread_count, device_count, stream_count, function_count,
        shape_count, copy_count, domain_count, line_count, group_count;
    struct source *sources;
    struct process *processes;
    struct process_group *groups; // of several files
    struct thread *threads;
    struct device *devices; // those that exist, by gpu_id, unused ones too
    struct stream *streams;
    struct function *functions;
    struct launch_shape *shapes;
    struct copy *copies;
    struct domain *domains;
    struct program_line *lines; // that API calls come from, by `text`

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
    // Of a DLProf database with several domains what they are called, and which of them was read.
    uint32_t told_domain_count, told_domain;
    const char **told_domains;

    uint32_t marker_count;
    struct marker *markers;
    enum mode mode;            // never MODE_AUTO
    const char *mode_reason;   // "PyTorch: 80 DLProf op markers found"
    bool mode_is_missing;      // it was asked for, and no marker of it is there
    struct recorded_ops *told; // NULL: no file tells its ops
    struct ops *ops;
    struct op_tree *tree;        // as captured
    struct op_tree *folded_tree; // numbered siblings merged: layers.* x24
    struct model_config config;
    struct capture capture;

    // Tables that the file has (a missing one is not an empty one).
    bool has_kernels, has_api, has_api_results, has_ranges, has_osrt, has_syncs, has_overhead,
        has_gpu_metrics, has_memory_events, has_allocations;
    // A file tells how long kernels ran, and neither when nor copies nor what the host did: its times
    // are made up, in its order. What rests on them, calls and idle time too, is not known.
    bool lacks_times;

    struct excerpt *excerpt; // the part of the file that was read; NULL: all of it
    // Times between windows of the same processes in which no file recorded any, in order.
    uint32_t pause_count;
    struct pause {
        int64_t from, to; // ns
    } * pauses;

    // First start and last end of GPU work, API calls and ranges together (metadata rows such as
    // thread names do not stretch it; of an excerpt not what lies around it). Both 0 in an empty
    // profile.
    int64_t first_ns, last_ns;

    size_t table_count, note_count, note_capacity;
    struct table_count *tables;
    struct note *notes;
};

// Columns that follow from what has been read.
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

// A file of which nothing else is known yet; the texts live as long as the profile.
struct source source_new(const char *path, const char *format);
// Adds an oddity; `flag` may be NULL.
void profile_note(struct profile *profile, enum note_level level, const char *key, int64_t count,
                  const char *flag, const char *format, ...) __attribute__((format(printf, 6, 7)));
// What a GPU is called: nsys's number of it, else the ordinal of its process; one that nothing in
// the file settles by its row. DLProf's Device ID.
int64_t device_number(const struct profile *profile, uint32_t device);
// A GPU by its number, of several one that ran something; a process by its pid. ROW_NONE: none.
uint32_t profile_find_device(const struct profile *profile, int64_t number);
uint32_t profile_find_process(const struct profile *profile, int64_t pid);
const struct note *profile_find_note(const struct profile *profile, const char *key); // or NULL

#define NOTE_NO_TIMES "times_not_told" // by this note profile_derive() knows profile.lacks_times

// Whether it is the one chosen, or in the group chosen: `chosen` is a row of processes, of groups behind
// them, or ROW_NONE, of which all are.
static inline bool process_is_chosen(const struct profile *profile, uint32_t chosen,
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

// The line of the program that an API call comes from, by its call chain or the call stack in a
// marker (call_places.c); NULL: not known.
const char *call_place(const struct profile *profile, uint32_t call);
// What is known of a line by its text; NULL: no call comes from it.
const struct program_line *profile_line(const struct profile *profile, string_id text);

// How a copy or memset is made; NULL: it is neither, or the file does not tell.
static inline const struct copy *work_copy(const struct profile *profile, uint32_t work)
{
    enum work_kind kind = profile->functions[AT(profile->work.function, work)].kind;
    uint32_t row = HAS(profile->work.shape) ? AT(profile->work.shape, work) : ROW_NONE;
    bool is_copy = kind == WORK_MEMCPY || kind == WORK_MEMSET;
    return is_copy && row < profile->copy_count ? &profile->copies[row] : NULL;
}

#define WORK_RATE_LIMIT (INT64_C(1) << 56) // of one; more is told by no file

// Bytes per second of a copy or memset, as the file tells it, else by its bytes and time; UNKNOWN: it took
// no time, or neither is told.
static inline int64_t work_rate(const struct profile *profile, uint32_t work)
{
    const struct gpu_work *all = &profile->work;
    enum work_kind kind = profile->functions[AT(all->function, work)].kind;
    int64_t ns = work_duration(profile, work), bytes = HAS(all->bytes) ? AT(all->bytes, work) : -1;
    int64_t told = HAS(all->rate) ? AT(all->rate, work) : 0;
    if ((kind != WORK_MEMCPY && kind != WORK_MEMSET) || ns < 0)
        return UNKNOWN;
    if (told > 0)
        return told;
    if (ns == 0 || bytes < 0)
        return UNKNOWN;
    double rate = (double)bytes * 1e9 / (double)ns;
    return rate < (double)WORK_RATE_LIMIT ? (int64_t)(rate + 0.5) : WORK_RATE_LIMIT;
}

// The innermost range that launched it; ROW_NONE: none is known.
static inline uint32_t work_range(const struct profile *profile, uint32_t work)
{
    uint32_t call = HAS(profile->work.launch) ? AT(profile->work.launch, work) : ROW_NONE;
    if (call != ROW_NONE)
        return HAS(profile->api.range) ? AT(profile->api.range, call) : ROW_NONE;
    return HAS(profile->work.range) ? AT(profile->work.range, work) : ROW_NONE;
}

// Of a node of a replayed CUDA graph the innermost range that captured it; ROW_NONE: it is none, or none
// is known.
static inline uint32_t work_origin(const struct profile *profile, uint32_t work)
{
    return HAS(profile->work.origin) ? AT(profile->work.origin, work) : ROW_NONE;
}

// The innermost range whose op it is: that of its capture, else the one that launched it.
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

// How a kernel was launched; NULL: it is none, or the file does not tell.
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

// Whether nothing was recorded for some time from `from` to `to`.
bool profile_pauses(const struct profile *profile, int64_t from, int64_t to);

#endif
