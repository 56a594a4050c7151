// SPDX-License-Identifier: Apache-2.0
// Internal interface of the loader of PyTorch Profiler traces (Kineto), shared by load_kineto*.c.
//
//     bytes --json_scan--> events --load_kineto_event.c--> struct kineto_event
//           --load_kineto_rows.c--> records, one struct per row; load_kineto_values.c: of all
//                                   values in the file
//           --load_kineto_clock.c--> one clock
//           --load_kineto_owners.c--> the process and the GPU of GPU work
//           --load_kineto_stacks.c--> chains of Python frames, modules as ranges
//           --load_kineto_tables.c--> the profile
//
// The file is read in one pass. Of an event only the members that its class needs are kept; texts
// are interned. Times are in ns, sizes in bytes. All records live in the scratch arena, which is
// freed when the load ends.
#ifndef MODEL_KINETO_LOAD_KINETO_H
#define MODEL_KINETO_LOAD_KINETO_H

#include "base/parse/json_scan.h"
#include "base/text/bytes.h"
#include "base/tuples.h"
#include "model/profile/loader.h"

// ---- events -------------------------------------------------------------------------------------

// Members of an event, and of its `args`, that are read. load_kineto_event.c has their spellings.
enum kineto_key {
    KEY_PHASE,
    KEY_CATEGORY,
    KEY_NAME,
    KEY_PID,
    KEY_TID,
    KEY_TIME,
    KEY_DURATION,
    // members of `args`
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
    KEY_KERNEL, // name of the kernel, in HIP calls
    KEY_GRAPH,
    KEY_GRAPH_NODE,
    KEY_DIMS,
    KEY_TYPES,
    KEY_VALUES,
    KEY_SEQUENCE,
    KEY_STACK,
    KEY_MODULE,
    KEY_LABEL,              // name, in metadata events
    KEY_MEMORY_DEVICE_TYPE, // memory events: type of the device, as c10::DeviceType
    KEY_HOME,
    KEY_SIZE,
    KEY_ADDRESS,
    KEY_ALLOCATED,
    KEY_RESERVED,
    KEY_COLLECTIVE, // of communication kernels and their ops
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

struct kineto_value { // position of a value in the bytes of the event (json_scan_held())
    size_t at;
    size_t length;
    enum json_token kind;
};

struct kineto_event {
    const char *bytes;
    uint64_t known; // bit set of enum kineto_key
    struct kineto_value values[KEY_COUNT];
};

enum kineto_class {
    KINETO_OP,
    KINETO_ANNOTATION,
    KINETO_CALL,
    KINETO_KERNEL,
    KINETO_MEMCPY,
    KINETO_MEMSET,
    KINETO_FRAME, // call of a Python function
    KINETO_SYNC,
    KINETO_OVERHEAD,
    KINETO_MEMORY, // of the framework's allocator
    KINETO_SHADOW, // copy of an annotation on the GPU's tracks
    KINETO_OTHER,
    KINETO_CLASSES
};
extern const char *const kineto_class_names[KINETO_CLASSES];

static inline bool kineto_has(const struct kineto_event *event, enum kineto_key key)
{
    return event->known >> key & 1;
}

struct kineto_index; // hash table of key names
struct kineto_index *kineto_index_new(struct arena *arena);
// Reads the event whose JSON_OBJECT was read last. Its bytes stay valid until the next event is
// read.
void kineto_read_event(struct json_scan *scan, const struct kineto_index *index,
                       struct kineto_event *event);
const char *kineto_text(const struct kineto_event *event, enum kineto_key key, size_t *length);
bool kineto_is(const struct kineto_event *event, enum kineto_key key, const char *text);
// Returns an integer, which may be written as a text. Returns `otherwise` if it is not one or does
// not fit.
int64_t kineto_integer(const struct kineto_event *event, enum kineto_key key, int64_t otherwise);
// Returns a number times 10^decimals, converted digit by digit without rounding errors.
int64_t kineto_scaled(const struct kineto_event *event, enum kineto_key key, int decimals,
                      int64_t otherwise);
// Reads a list of three numbers; missing ones are -1.
void kineto_triple(const struct kineto_event *event, enum kineto_key key, int32_t out[3]);
enum kineto_class kineto_classify(const struct kineto_event *event);

// Returns the number at the end of a text such as "[TP00] 4711", by which merged traces name
// processes and GPUs, and sets *before to the length of what precedes it; UNKNOWN: it has none.
int64_t kineto_number_at_end(const char *text, size_t length, size_t *before);
// Parses a decimal text as an integer in units of 10^-decimals. Further digits are cut off.
bool kineto_decimal(const char *text, size_t length, int decimals, int64_t *value);

// ---- records -----------------------------------------------------------------------------------

struct kineto_work {
    int64_t start, end, bytes, graph, graph_node;
    int64_t rate;                                 // bytes per second; 0: unknown
    uint32_t function, place, correlation, shape; // kernel: row of shapes; copy: row of copies
    uint32_t flags;
    uint32_t collective; // row of collectives, or ROW_NONE
    uint32_t external;   // External id; 0: none
    uint32_t before;     // process row of the preceding host event in the file, or ROW_NONE
};

struct kineto_call {
    int64_t start, end;
    uint32_t name, thread, correlation, chain;
    string_id kernel; // kernel that the call launches; STRING_NONE: unknown
    uint32_t grid;    // row of grids, or ROW_NONE
};

struct kineto_range {
    int64_t start, end, seq;
    uint32_t draft; // row of drafts, later of labels
    uint32_t chain;
    uint32_t collective; // row of collectives, or ROW_NONE
    uint32_t external;   // External id of an op; 0: none
};

struct kineto_frame { // call of a Python function
    int64_t start, end;
    uint32_t name, thread;
    uint32_t module; // module id + 1; 0: none
    bool is_module;
};

struct kineto_sync {
    int64_t start, end;
    int64_t gpu, track; // for syncs without a stream: GPU number, and `pid` of the event
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
    uint32_t thread, home; // row of homes; ROW_NONE: host memory
};

struct kineto_gpu { // entry of deviceProperties
    int64_t id, memory_bytes, sm_count;
    int32_t compute_major, compute_minor;
    string_id name;
};

// Ids of processes, threads and streams that are words are stored as KINETO_TEXT_ID + string id.
#define KINETO_TEXT_ID (INT64_MIN / 2)
static inline string_id kineto_text_of_id(int64_t id) // STRING_NONE: the id is a number
{
    return id >= KINETO_TEXT_ID && id <= KINETO_TEXT_ID + UINT32_MAX
               ? (string_id)(id - KINETO_TEXT_ID)
               : (string_id)STRING_NONE;
}

#define KINETO_LIST(type, name) \
    type *name;                 \
    size_t name##_count, name##_capacity

// Why a row is left out.
enum kineto_damage {
    DAMAGE_TIME,
    DAMAGE_FAR,
    DAMAGE_NO_LENGTH,
    DAMAGE_NEGATIVE,
    DAMAGE_LONG,
    DAMAGE_SIZE,
    DAMAGE_REPEATED,
    DAMAGE_TOO_MANY,
    DAMAGE_COUNT
};

// All lists of records whose first members are times. load_kineto_lists.c has the table.
enum {
    KINETO_WORK_LIST,
    KINETO_CALL_LIST,
    KINETO_RANGE_LIST,
    KINETO_FRAME_LIST,
    KINETO_SYNC_LIST,
    KINETO_OVERHEAD_LIST,
    KINETO_ALLOCATION_LIST,
    KINETO_LISTS
};
struct kineto;
struct kineto_list {
    void *rows;
    size_t row_size, times, *count; // `times`: how many of the first members are times
    bool is_work;                   // rows by the GPU's clock
    enum kineto_class (*class_of)(const struct kineto *kineto, const void *row);
};

static inline int64_t *kineto_row(const struct kineto_list *list, size_t row)
{
    return (void *)((char *)list->rows + row * list->row_size);
}

// How much was read when a value of the file began.
struct kineto_mark {
    size_t rows[KINETO_LISTS];
    int64_t seen[KINETO_CLASSES], total[KINETO_CLASSES];
    int64_t base_time;
};

struct kineto {
    const struct load_request *request;
    struct profile *profile;
    struct arena *scratch; // freed when the load ends
    struct json_scan *scan;
    const struct kineto_index *index;
    struct bytes buffer; // for one text at a time

    int64_t base_time;             // baseTimeNanoseconds; 0: times are wall-clock times
    int64_t rank;                  // or UNKNOWN
    int64_t total[KINETO_CLASSES]; // ns, sum of all rows of a class
    int64_t seen[KINETO_CLASSES], damage[KINETO_CLASSES][DAMAGE_COUNT];
    int64_t unread;       // events with phase B or E, or without a phase
    bool has_bytes;       // at least one copy has a size
    bool has_rates;       // at least one copy has a bandwidth
    bool has_other_ranks; // values of the file tell different ranks
    unsigned signs;       // bit set of signs of other tools, see load_kineto_signs.c

    struct tuples unknown; // categories that are not known: string id, STRING_NONE: none
    KINETO_LIST(uint64_t, unknown_counts);

    uint64_t value_count, values_end; // values of the file that hold events; end of the last one
    uint64_t stray_bytes;             // bytes after it that are none
    int64_t repeated;                 // events in values that repeat an earlier one
    struct tuples value_hashes;       // of values read so far, if there are several
    struct tuples call_ids;           // (row of processes, correlation) of their calls

    struct tuples processes;   // pid
    struct tuples threads;     // (row of processes, tid)
    struct tuples places;      // (GPU number, context, stream, track: `pid` of the event)
    struct tuples functions;   // (kind, full, brief)
    struct tuples shapes;      // grid, block, registers, shared memory, blocks per SM, occupancy
    struct tuples grids;       // grid, block
    struct tuples copies;      // copy kind, source kind, destination kind, kind of work
    struct tuples drafts;      // (name, sizes, thread, label_draft_flags())
    struct tuples labels;      // (draft, chain)
    struct tuples collectives; // by enum collective_part: texts, then numbers
    struct tuples homes;       // (GPU number of the memory, row of processes)
    struct tuples nodes;       // (parent chain or 0, frame); chain = index + 1
    struct tuples named;       // (is it a thread, pid, tid) -> index in names
    struct tuples long_ids;    // correlations and External ids that need more than 32 bits
    KINETO_LIST(string_id, names);
    KINETO_LIST(uint32_t, copy_functions); // row of copies -> row of functions
    struct tuples devices;                 // (GPU number, process row of its owner)
    uint32_t *place_owners;                // row of places -> row of processes
    uint32_t *place_devices;               // row of places -> row of devices
    uint32_t *home_devices;                // row of homes -> row of devices
    uint32_t *work_ids;                    // External ids in the order of work; NULL: unusable
    bool has_several_callers;              // more than one process makes API calls
    bool has_several_owners;               // ... and has GPU work
    uint32_t owner;                        // process row with the most calls
    KINETO_LIST(struct kineto_work, work);
    KINETO_LIST(struct kineto_call, calls);
    KINETO_LIST(struct kineto_range, ranges);
    KINETO_LIST(struct kineto_frame, frames);
    KINETO_LIST(struct kineto_sync, syncs);
    KINETO_LIST(struct kineto_overhead, overheads);
    KINETO_LIST(struct kineto_allocation, allocations);
    KINETO_LIST(struct kineto_gpu, gpus);
};

// Parts of a collective's description: texts, then numbers.
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

// Packs the parts of a draft that are not texts: what the file says that the range is, whether it
// has a sequence number, and module id + 1.
static inline int64_t label_draft_flags(enum range_said said, bool has_seq, uint32_t module)
{
    return (int64_t)module << 8 | (int64_t)said << 1 | has_seq;
}

// Defined in load_kineto_rows.c: stores an event as a record of its class.
void kineto_add_event(struct kineto *kineto, const struct kineto_event *event);
// Counts a row that is left out; returns false.
static inline bool kineto_drop(struct kineto *kineto, enum kineto_class class,
                               enum kineto_damage damage)
{
    kineto->damage[class][damage]++;
    return false;
}
void kineto_lists(struct kineto *kineto, struct kineto_list lists[KINETO_LISTS]);
// Defined in load_kineto_signs.c: what tells the traces of other tools, and events of unknown
// categories. kineto_fail_foreign() sets an error and returns false.
void kineto_see_unknown(struct kineto *kineto, const struct kineto_event *event);
void kineto_see_process_name(struct kineto *kineto, const char *name, size_t length);
void kineto_see_time_unit(struct kineto *kineto, const char *unit, size_t length);
bool kineto_fail_foreign(const struct kineto *kineto, struct error *error);
void kineto_note_foreign(struct kineto *kineto, uint64_t events);
// Defined in load_kineto_values.c: called around each value of the file.
void kineto_begin_value(struct kineto *kineto, struct kineto_mark *since);
void kineto_end_value(struct kineto *kineto, const struct kineto_mark *since);
// Defined in load_kineto_clock.c. Return false if the time is not plausible; the event is skipped
// then.
bool kineto_time_of(struct kineto *kineto, const struct kineto_event *event,
                    enum kineto_class class, int64_t *time);
bool kineto_times_of(struct kineto *kineto, const struct kineto_event *event,
                     enum kineto_class class, int64_t *start, int64_t *end);
// Removes rows far from the others in time, and makes times relative to the first row.
void kineto_set_clock(struct kineto *kineto);
// Defined in load_kineto_stacks.c. kineto_add_modules() makes ranges of Python modules;
// kineto_make_stacks() sets the chain of Python frames around calls and ops.
void kineto_add_modules(struct kineto *kineto);
void kineto_make_stacks(struct kineto *kineto, const uint32_t *call_order,
                        const uint32_t *range_order);
// Returns the chain of a text "file(line): name;...", innermost frame first; 0: none.
uint32_t kineto_chain_of_text(struct kineto *kineto, const char *text, size_t length);
void kineto_make_frames(struct kineto *kineto); // writes the frames of chains in use
// Defined in load_kineto_owners.c: sets owner, devices, place_owners, place_devices, home_devices,
// and the process of syncs.
void kineto_find_owners(struct kineto *kineto);
// load_kineto_tables.c
void kineto_make_tables(struct kineto *kineto);
// Defined in load_kineto_external_ids.c. kineto_save_external_ids() saves External ids in the order
// of work; kineto_link_work() later links work without a call to its op.
void kineto_save_external_ids(struct kineto *kineto, const uint32_t *order);
void kineto_link_work(struct kineto *kineto, const uint32_t *range_order);
// Defined in load_kineto_graphs.c: finds the captured launches that replayed graph work comes from.
void kineto_match_graphs(struct kineto *kineto, const uint32_t *call_order);
// Defined in load_kineto_facts.c: reads a member of the root object other than the events.
void kineto_read_member(struct kineto *kineto);

#endif
