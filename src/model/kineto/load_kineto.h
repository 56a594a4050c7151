// SPDX-License-Identifier: Apache-2.0
// Inside of the loader of PyTorch Profiler traces (Kineto): what load_kineto*.c share. Nobody else
// includes this.
//
//     bytes --json_scan--> events --load_kineto_event.c--> struct kineto_event
//           --load_kineto_rows.c--> records, one struct a row
//           --load_kineto_clock.c--> one clock
//           --load_kineto_owners.c--> whose GPU work it is, and on which GPU
//           --load_kineto_stacks.c--> chains of Python's frames, modules as ranges
//           --load_kineto_tables.c--> the profile
//
// The file is gone through once. Of an event only what its class needs is kept; texts are interned.
// Times are ns, sizes bytes; all of it lives in the scratch arena, which ends with the loading.
#ifndef MODEL_LOAD_KINETO_H
#define MODEL_LOAD_KINETO_H

#include "base/bytes.h"
#include "base/parse/json_scan.h"
#include "base/tuples.h"
#include "model/profile/loader.h"

// ---- an event ----------------------------------------------------------------------------------

// Members of an event, and what its `args` may hold that is read; load_kineto_event.c says how each is
// written.
enum kineto_key {
    KEY_PHASE,
    KEY_CATEGORY,
    KEY_NAME,
    KEY_PID,
    KEY_TID,
    KEY_TIME,
    KEY_DURATION,
    // args
    KEY_EXTERNAL_ID,
    KEY_CORRELATION,
    KEY_DEVICE,
    KEY_STREAM,
    KEY_CONTEXT,
    KEY_GRID,
    KEY_BLOCK,
    KEY_REGISTERS,
    KEY_SHARED_MEMORY,
    KEY_BLOCKS_PER_SM,
    KEY_OCCUPANCY,
    KEY_BYTES,
    KEY_BANDWIDTH,
    KEY_KERNEL, // of a call of HIP: the kernel's name
    KEY_GRAPH,
    KEY_GRAPH_NODE,
    KEY_DIMS,
    KEY_TYPES,
    KEY_VALUES,
    KEY_SEQUENCE,
    KEY_STACK,
    KEY_MODULE,
    KEY_LABEL,     // of metadata: the name
    KEY_HOME_KIND, // of memory
    KEY_HOME,
    KEY_SIZE,
    KEY_ADDRESS,
    KEY_ALLOCATED,
    KEY_RESERVED,
    KEY_COLLECTIVE, // of kernels that communicate, and their ops
    KEY_COLLECTIVE_TYPE,
    KEY_ELEMENTS_IN,
    KEY_ELEMENTS_OUT,
    KEY_GROUP,
    KEY_GROUP_DESCRIPTION,
    KEY_GROUP_RANKS,
    KEY_GROUP_SIZE,
    KEY_RANK,
    KEY_COLLECTIVE_SEQUENCE,
    KEY_COMMUNICATOR,
    KEY_COUNT
};

struct kineto_value { // a place in the bytes of the event (json_scan_held())
    size_t at;
    size_t length;
    enum json_token kind;
};

struct kineto_event {
    const char *bytes;
    uint64_t known; // a bit for each key that it has
    struct kineto_value values[KEY_COUNT];
};

enum kineto_class {
    KINETO_OP,
    KINETO_ANNOTATION,
    KINETO_CALL,
    KINETO_KERNEL,
    KINETO_MEMCPY,
    KINETO_MEMSET,
    KINETO_FRAME, // of Python
    KINETO_SYNC,
    KINETO_OVERHEAD,
    KINETO_MEMORY, // of the framework's allocator
    KINETO_SHADOW, // of an annotation, on the GPU
    KINETO_OTHER,
    KINETO_CLASSES
};
extern const char *const kineto_class_names[KINETO_CLASSES];

static inline bool kineto_has(const struct kineto_event *event, enum kineto_key key)
{
    return event->known >> key & 1;
}

struct kineto_index; // names of keys, for looking them up
struct kineto_index *kineto_index_new(struct arena *arena);
// The event whose JSON_OBJECT was read last. Its bytes stay until the next one is read.
void kineto_read_event(struct json_scan *scan, const struct kineto_index *index,
                       struct kineto_event *event);
const char *kineto_text(const struct kineto_event *event, enum kineto_key key, size_t *length);
bool kineto_is(const struct kineto_event *event, enum kineto_key key, const char *text);
// Whole numbers, also those written as texts; what is none, or does not fit: `otherwise`.
int64_t kineto_integer(const struct kineto_event *event, enum kineto_key key, int64_t otherwise);
// A number in thousandths, or in millionths: as it is written, digit by digit.
int64_t kineto_scaled(const struct kineto_event *event, enum kineto_key key, int decimals,
                      int64_t otherwise);
// A list of three numbers; where it is none -1 each.
void kineto_triple(const struct kineto_event *event, enum kineto_key key, int32_t out[3]);
enum kineto_class kineto_classify(const struct kineto_event *event);

// A decimal text as a whole number of 10^-decimals; further digits are cut.
bool kineto_decimal(const char *text, size_t length, int decimals, int64_t *value);

// ---- records -----------------------------------------------------------------------------------

struct kineto_work {
    int64_t start, end, bytes, graph, graph_node;
    int64_t rate;                                 // bytes per second, 0: not told
    uint32_t function, place, correlation, shape; // a kernel's shape, a copy's row of copies
    uint32_t flags;
    uint32_t collective; // row of collectives, ROW_NONE
    uint32_t external;   // External id, 0: none
    uint32_t before;     // row of processes: of the last event of the host before it in the file;
                         // ROW_NONE: there was none
};

struct kineto_call {
    int64_t start, end;
    uint32_t name, thread, correlation, chain;
    string_id kernel; // that it launches, STRING_NONE: not told
    uint32_t grid;    // row of grids, ROW_NONE
};

struct kineto_range {
    int64_t start, end, seq;
    uint32_t draft; // of its label, then the label
    uint32_t chain;
    uint32_t collective; // row of collectives, ROW_NONE
    uint32_t external;   // External id of an op, 0: none
};

struct kineto_frame { // a call of Python's
    int64_t start, end;
    uint32_t name, thread;
    uint32_t module; // its number + 1, 0: none is told
    bool is_module;
};

struct kineto_sync {
    int64_t start, end;
    int64_t gpu, track; // where it says no stream: number of the GPU, `pid` of the event
    uint32_t place, correlation;
    uint32_t process; // row of processes
    uint8_t type;
};

struct kineto_overhead {
    int64_t start, end;
    uint32_t name;
};

struct kineto_allocation {
    int64_t time, bytes, address, allocated, reserved;
    uint32_t thread, home; // row of homes, ROW_NONE: the host
};

struct kineto_gpu { // of deviceProperties
    int64_t id, memory_bytes, sm_count;
    int32_t compute_major, compute_minor;
    string_id name;
};

// An id of a process, thread or stream that is a word: behind these, the number of its text.
#define KINETO_WORD (INT64_MIN / 2)
static inline string_id kineto_word(int64_t id) // STRING_NONE: it is a number
{
    return id >= KINETO_WORD && id <= KINETO_WORD + UINT32_MAX ? (string_id)(id - KINETO_WORD)
                                                               : (string_id)STRING_NONE;
}

#define KINETO_LIST(type, name) \
    type *name;                 \
    size_t name##_count, name##_capacity

struct kineto {
    const struct load_request *request;
    struct profile *profile;
    struct arena *scratch; // ends with the loading
    struct json_scan *scan;
    const struct kineto_index *index;
    struct bytes buffer; // for a text at a time

    int64_t base_time;             // baseTimeNanoseconds, 0: times are those of the world
    int64_t rank;                  // UNKNOWN
    int64_t total[KINETO_CLASSES]; // ns of all rows of a class
    int64_t seen[KINETO_CLASSES], skipped[KINETO_CLASSES];
    int64_t unread;             // events of a phase that Kineto does not write, or of none
    int64_t unknown;            // of a category that nobody here knows, ...
    string_id unknown_category; // ... the last of them
    bool has_rates;             // any copy tells its bandwidth
    uint32_t (*ages)
        [KINETO_CLASSES]; // how many rows of each class begin in which age (load_kineto_clock.c)

    struct tuples processes;   // pid
    struct tuples threads;     // row of processes, tid
    struct tuples places;      // number of the GPU, context, stream, track (`pid` of the event)
    struct tuples functions;   // kind, full, brief
    struct tuples shapes;      // grid, block, registers, shared memory, blocks per SM, occupancy
    struct tuples grids;       // grid, block
    struct tuples copies;      // kind, source, destination, kind of work
    struct tuples drafts;      // name, sizes, thread, draft_mark()
    struct tuples labels;      // draft, chain
    struct tuples collectives; // by enum collective_part: texts, then numbers
    struct tuples homes;       // number of the GPU that memory is of, row of processes
    struct tuples nodes;       // chain around it (0: none), frame: a chain is its index + 1
    struct tuples named;       // whether it is a thread, pid, tid: its name is in names[index]
    struct tuples long_ids;    // correlations and External ids that need more than 32 bits
    KINETO_LIST(string_id, names);
    KINETO_LIST(uint32_t, copy_functions); // of a row of copies: row of functions
    struct tuples devices;                 // number of a GPU, row of processes: its owner
    uint32_t *place_owners;                // rows of processes, of places
    uint32_t *place_devices;               // rows of devices, of places
    uint32_t *home_devices;                // the same, of homes
    uint32_t *work_ids;                    // External ids of work, in its order; NULL: of no use
    bool is_of_several;                    // more than one process calls
    uint32_t owner;                        // row of processes: the one that calls most
    KINETO_LIST(struct kineto_work, work);
    KINETO_LIST(struct kineto_call, calls);
    KINETO_LIST(struct kineto_range, ranges);
    KINETO_LIST(struct kineto_frame, frames);
    KINETO_LIST(struct kineto_sync, syncs);
    KINETO_LIST(struct kineto_overhead, overheads);
    KINETO_LIST(struct kineto_allocation, allocations);
    KINETO_LIST(struct kineto_gpu, gpus);
};

// What is told of a collective: a text, or a number, each.
enum collective_part {
    COLLECTIVE_NAME,
    COLLECTIVE_TYPE,
    COLLECTIVE_GROUP,
    COLLECTIVE_DESCRIPTION,
    COLLECTIVE_RANKS,
    COLLECTIVE_COMMUNICATOR,
    COLLECTIVE_TEXTS,
    COLLECTIVE_IN = COLLECTIVE_TEXTS,
    COLLECTIVE_OUT,
    COLLECTIVE_SIZE,
    COLLECTIVE_RANK,
    COLLECTIVE_SEQUENCE,
    COLLECTIVE_PARTS
};

enum { SHAPE_WIDTH = 10 };

// What else tells labels apart, as one number: what the file says that a range is, whether it has a
// sequence number, and of a module its number + 1.
static inline int64_t draft_mark(enum range_said said, bool has_seq, uint32_t module)
{
    return (int64_t)module << 8 | (int64_t)said << 1 | has_seq;
}

// load_kineto_rows.c: keeps what an event says.
void kineto_put_event(struct kineto *kineto, const struct kineto_event *event);
// load_kineto_clock.c: false: it is no time that can be believed, and the event is of no use.
bool kineto_time_of(struct kineto *kineto, const struct kineto_event *event,
                    enum kineto_class class, int64_t *time);
bool kineto_times_of(struct kineto *kineto, const struct kineto_event *event,
                     enum kineto_class class, int64_t *start, int64_t *end);
// Rows far from all others go, and times become those since the first.
void kineto_set_clock(struct kineto *kineto);
// load_kineto_stacks.c: modules of Python become ranges; then what Python was doing around calls and ops.
void kineto_put_modules(struct kineto *kineto);
void kineto_make_stacks(struct kineto *kineto, const uint32_t *call_order,
                        const uint32_t *range_order);
// A chain of a text "file(line): name;...", the innermost first; 0: none.
uint32_t kineto_chain_of_text(struct kineto *kineto, const char *text, size_t length);
void kineto_make_frames(struct kineto *kineto); // frames of the chains in use
// load_kineto_owners.c: fills owner, devices, of places and homes what each is, and whose syncs are.
void kineto_find_owners(struct kineto *kineto);
// load_kineto_tables.c
void kineto_make_tables(struct kineto *kineto);
// load_kineto_ties.c: keeps External ids in the order of the work; then, once calls and ranges are there,
// ties work without a call to its op.
void kineto_keep_ids(struct kineto *kineto, const uint32_t *order);
void kineto_tie_work(struct kineto *kineto, const uint32_t *range_order);
// load_kineto_graphs.c: finds which launches of a capture the work of replayed CUDA graphs comes from.
void kineto_match_graphs(struct kineto *kineto, const uint32_t *call_order);
// load_kineto_facts.c: what stands beside the events.
void kineto_read_member(struct kineto *kineto);

#endif
