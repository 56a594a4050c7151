// SPDX-License-Identifier: Apache-2.0
// Stores an event of a trace as a record of its class.
#include <ctype.h>
#include <string.h>

#include "model/kineto/load_kineto.h"
#include "model/markers/marker_dialects.h"
#include "model/profile/copy_kinds.h"
#include "model/rules/kernel_name.h"

enum {
    RATE_DECIMALS = 9, // unit: GB/s
    // Limit per class of events. Three classes become ranges, whose row numbers have 32 bits.
    MAX_ROWS = 1 << 30,
};

static string_id intern(struct kineto *kineto, const struct kineto_event *event,
                        enum kineto_key key)
{
    size_t length;
    const char *text = kineto_text(event, key, &length);
    return strings_intern(kineto->profile->strings, text, length);
}

// ---- processes, threads, GPUs, streams ----------------------------------------------------------

// Returns an id, which is a number, possibly written as a text, or another text: then it is
// KINETO_TEXT_ID plus the string id.
static int64_t id_of(struct kineto *kineto, const struct kineto_event *event, enum kineto_key key)
{
    int64_t id = kineto_integer(event, key, UNKNOWN);
    return id != UNKNOWN ? id : KINETO_TEXT_ID + (int64_t)intern(kineto, event, key);
}

static uint32_t process_of(struct kineto *kineto, const struct kineto_event *event)
{
    int64_t pid = id_of(kineto, event, KEY_PID);
    return tuples_put(&kineto->processes, &pid);
}

// Returns the thread of an event. If PyTorch reads its number as negative, it writes the absolute
// value, by which the thread is then known.
static uint32_t thread_of(struct kineto *kineto, const struct kineto_event *event)
{
    uint32_t process = process_of(kineto, event);
    return tuples_put(&kineto->threads, (int64_t[2]){process, id_of(kineto, event, KEY_TID)});
}

// Returns the number of a GPU. -1 means the process's current GPU; it is taken for GPU 0, which is
// correct unless the program chose another one.
static int64_t gpu_number(int64_t device)
{
    return device < 0 || device >= UINT32_MAX ? 0 : device;
}

// Returns the number of the GPU: that in `args`, else that of the track, such as 0 or "[TP00] 0".
static int64_t gpu_of(const struct kineto_event *event)
{
    size_t length;
    int64_t device = kineto_integer(event, KEY_DEVICE, UNKNOWN);
    if (device == UNKNOWN)
        device = kineto_integer(event, KEY_PID, UNKNOWN);
    if (device == UNKNOWN) {
        const char *track = kineto_text(event, KEY_PID, &length);
        device = kineto_number_at_end(track, length, &(size_t){0});
    }
    return gpu_number(device);
}

// Returns the place of GPU work. Its stream is in `args`, or else the name of the event's track,
// such as "stream 7".
static uint32_t place_of(struct kineto *kineto, const struct kineto_event *event)
{
    int64_t stream = kineto_integer(event, KEY_STREAM, UNKNOWN);
    if (stream == UNKNOWN) {
        static const char word[] = "stream ";
        size_t length, prefix = sizeof word - 1;
        const char *track = kineto_text(event, KEY_TID, &length);
        if (length <= prefix || memcmp(track, word, prefix) != 0)
            prefix = 0;
        if (!kineto_decimal(track + prefix, length - prefix, 0, &stream))
            stream = id_of(kineto, event, KEY_TID);
    }
    return tuples_put(&kineto->places,
                      (int64_t[4]){gpu_of(event), kineto_integer(event, KEY_CONTEXT, 0), stream,
                                   id_of(kineto, event, KEY_PID)});
}

// ---- launch ids ---------------------------------------------------------------------------------

// Reads a correlation or External id; 0 and -1: none. Ids count up from a low number; those of 32
// bits become negative where a writer takes them for signed. Ids that do not fit into 32 bits are
// numbered down from UINT32_MAX in order of appearance.
static uint32_t launch_id(struct kineto *kineto, const struct kineto_event *event,
                          enum kineto_key key)
{
    int64_t id = kineto_integer(event, key, 0);
    if (id < -1 && id >= INT32_MIN)
        id += INT64_C(1) << 32;
    if (id >= 0 && id <= UINT32_MAX)
        return (uint32_t)id;
    return id == -1 ? 0 : UINT32_MAX - tuples_put(&kineto->long_ids, &id);
}

// ---- collectives -------------------------------------------------------------------------------

// Returns the row of collectives, or ROW_NONE if `args` has no name of a collective. The event's
// own name is not one: it is the name of the kernel.
static uint32_t collective_of(struct kineto *kineto, const struct kineto_event *event)
{
    static const enum kineto_key keys[COLLECTIVE_PARTS] = {
        [COLLECTIVE_NAME] = KEY_COLLECTIVE,
        [COLLECTIVE_TYPE] = KEY_COLLECTIVE_TYPE,
        [COLLECTIVE_GROUP] = KEY_GROUP,
        [COLLECTIVE_DESCRIPTION] = KEY_GROUP_DESCRIPTION,
        [COLLECTIVE_RANKS] = KEY_GROUP_RANKS,
        [COLLECTIVE_COMMUNICATOR] = KEY_COMMUNICATOR,
        [COLLECTIVE_IN] = KEY_ELEMENTS_IN,
        [COLLECTIVE_OUT] = KEY_ELEMENTS_OUT,
        [COLLECTIVE_SIZE] = KEY_GROUP_SIZE,
        [COLLECTIVE_RANK] = KEY_RANK,
        [COLLECTIVE_SEQUENCE] = KEY_COLLECTIVE_SEQUENCE,
    };
    int64_t parts[COLLECTIVE_PARTS];
    if (!kineto_has(event, KEY_COLLECTIVE))
        return ROW_NONE;
    for (int part = 0; part < COLLECTIVE_PARTS; part++) {
        int64_t number = kineto_integer(event, keys[part], UNKNOWN);
        if (part >= COLLECTIVE_TEXTS)
            parts[part] = number;
        else
            parts[part] =
                (int64_t)(kineto_has(event, keys[part]) ? intern(kineto, event, keys[part])
                                                        : (string_id)STRING_NONE);
    }
    return tuples_put(&kineto->collectives, parts);
}

// ---- GPU work ----------------------------------------------------------------------------------

static int32_t small_number(const struct kineto_event *event, enum kineto_key key)
{
    int64_t value = kineto_integer(event, key, -1);
    return value >= 0 && value <= INT32_MAX ? (int32_t)value : -1;
}

static uint32_t shape_of(struct kineto *kineto, const struct kineto_event *event)
{
    int32_t grid[3], block[3];
    kineto_triple(event, KEY_GRID, grid);
    kineto_triple(event, KEY_BLOCK, block);
    int64_t blocks = kineto_scaled(event, KEY_BLOCKS_PER_SM, 6, -1);
    int64_t occupancy = kineto_scaled(event, KEY_OCCUPANCY, 6, -1);
    int64_t key[SHAPE_WIDTH] = {grid[0],
                                grid[1],
                                grid[2],
                                block[0],
                                block[1],
                                block[2],
                                small_number(event, KEY_REGISTERS),
                                small_number(event, KEY_SHARED_MEMORY),
                                blocks >= 0 ? blocks : -1,
                                occupancy >= 0 && occupancy <= MAX_MICRO_OCCUPANCY ? occupancy
                                                                                   : -1};
    bool is_known = false;
    for (int i = 0; i < SHAPE_WIDTH; i++)
        is_known |= key[i] >= 0;
    return is_known ? tuples_put(&kineto->shapes, key) : ROW_NONE;
}

static uint32_t kernel_of(struct kineto *kineto, const struct kineto_event *event)
{
    size_t length;
    const char *name = kineto_text(event, KEY_NAME, &length), *base = name;
    size_t base_length = kernel_name_base(name, length, &base);
    struct strings *strings = kineto->profile->strings;
    string_id full = strings_intern(strings, name, length);
    string_id brief = base_length ? strings_intern(strings, base, base_length) : full;
    return tuples_put(&kineto->functions, (int64_t[3]){WORK_KERNEL, full, brief});
}

static int64_t memory_kind_of(const char *word, size_t length)
{
    for (int kind = 0; kind < MEMORY_KIND_COUNT; kind++)
        if (strlen(memory_kind_names[kind]) == length &&
            strncasecmp(memory_kind_names[kind], word, length) == 0)
            return kind;
    return -1;
}

// Finds a direction in the words of Intel's runtime, such as "M2D" in "Memcpy M2D" and in
// "zeCommandListAppendMemoryCopy(M2D)": D is the device's memory, H the host's that the driver
// allocated, M the host's of any other kind. Shared memory (S) is on either side. Returns
// COPY_UNKNOWN if there is none.
static enum copy_kind level_zero_kind(const char *name, size_t length)
{
    for (size_t at = 0; at + 3 <= length; at++) {
        const char *word = name + at;
        bool is_word = word[1] == '2' && (at == 0 || !isalnum((unsigned char)word[-1])) &&
                       (at + 3 == length || !isalnum((unsigned char)word[3]));
        if (!is_word || !memchr("HMD", word[0], 3) || !memchr("HMD", word[2], 3))
            continue;
        bool from_device = word[0] == 'D', to_device = word[2] == 'D';
        return from_device ? (to_device ? COPY_DTOD : COPY_DTOH)
                           : (to_device ? COPY_HTOD : COPY_HTOH);
    }
    return COPY_UNKNOWN;
}

static const char arrow[] = " -> ";

// Parses a name like "Memcpy HtoD (Pinned -> Device)" into copy kind, source and destination kind.
static void copy_kinds_of(const char *name, size_t length, int64_t kinds[3])
{
    enum copy_kind level_zero = level_zero_kind(name, length);
    kinds[0] = kinds[1] = kinds[2] = -1;
    for (int kind = COPY_HTOD; kind <= COPY_PTOP; kind++)
        if (memmem(name, length, copy_kind_names[kind], strlen(copy_kind_names[kind])))
            kinds[0] = kind;
    if (kinds[0] < 0 && level_zero != COPY_UNKNOWN)
        kinds[0] = level_zero;
    const char *open = memchr(name, '(', length), *end = name + length;
    const char *middle = open ? memmem(open, (size_t)(end - open), arrow, sizeof arrow - 1) : NULL;
    if (!middle || end[-1] != ')')
        return;
    kinds[1] = memory_kind_of(open + 1, (size_t)(middle - open - 1));
    middle += sizeof arrow - 1;
    kinds[2] = memory_kind_of(middle, (size_t)(end - 1 - middle));
}

// Returns the kind of memory in a name like "Memset (Device)" or "Memset (0 -> DEVICE)".
static int64_t set_kind_of(const char *name, size_t length)
{
    const char *from = memchr(name, '(', length), *end = name + length;
    if (!from || end[-1] != ')')
        return -1;
    const char *middle = memmem(from, (size_t)(end - from), arrow, sizeof arrow - 1);
    from = middle ? middle + sizeof arrow - 1 : from + 1;
    return memory_kind_of(from, (size_t)(end - 1 - from));
}

static string_id copy_title(struct kineto *kineto, enum work_kind work, const int64_t kinds[3])
{
    struct strings *strings = kineto->profile->strings;
    return work == WORK_MEMSET ? strings_intern_text(strings, "[memset]")
                               : strings_intern_text(strings, copy_name(kineto->scratch, kinds[0],
                                                                        kinds[1], kinds[2]));
}

static uint32_t copy_of(struct kineto *kineto, const struct kineto_event *event,
                        enum work_kind work, uint32_t *function)
{
    size_t length;
    const char *name = kineto_text(event, KEY_NAME, &length);
    int64_t key[4] = {-1, -1, -1, work};
    if (work == WORK_MEMCPY)
        copy_kinds_of(name, length, key);
    else
        key[2] = set_kind_of(name, length);
    uint32_t row = tuples_put(&kineto->copies, key);
    if (row == kineto->copy_functions_count) {
        string_id title = copy_title(kineto, work, key);
        ARENA_PUSH(kineto->scratch, kineto->copy_functions, kineto->copy_functions_count,
                   kineto->copy_functions_capacity) =
            tuples_put(&kineto->functions, (int64_t[3]){work, title, title});
    }
    *function = kineto->copy_functions[row];
    return row;
}

static bool put_work(struct kineto *kineto, const struct kineto_event *event,
                     enum kineto_class class)
{
    struct kineto_work work = {.correlation = launch_id(kineto, event, KEY_CORRELATION),
                               .collective = ROW_NONE,
                               .external = launch_id(kineto, event, KEY_EXTERNAL_ID),
                               .before =
                                   kineto->processes.count ? kineto->processes.last : ROW_NONE};
    if (!kineto_times_of(kineto, event, class, &work.start, &work.end))
        return false;
    work.place = place_of(kineto, event);
    work.graph = kineto_integer(event, KEY_GRAPH, 0);
    work.graph_node = kineto_integer(event, KEY_GRAPH_NODE, 0);
    work.flags = work.graph || work.graph_node ? WORK_IN_GRAPH : 0;
    if (class == KINETO_KERNEL) {
        work.function = kernel_of(kineto, event);
        work.shape = shape_of(kineto, event);
        work.collective = collective_of(kineto, event);
    } else {
        work.bytes = believed_bytes(kineto_integer(event, KEY_BYTES, UNKNOWN));
        kineto->has_bytes |= work.bytes != UNKNOWN;
        int64_t rate = kineto_scaled(event, KEY_BANDWIDTH, RATE_DECIMALS, 0);
        work.rate = rate > 0 && rate < INT64_C(1) << 56 ? rate : 0;
        kineto->has_rates |= work.rate > 0;
        work.shape = copy_of(kineto, event, class == KINETO_MEMSET ? WORK_MEMSET : WORK_MEMCPY,
                             &work.function);
    }
    ARENA_PUSH(kineto->scratch, kineto->work, kineto->work_count, kineto->work_capacity) = work;
    return true;
}

// ---- host ---------------------------------------------------------------------------------------

// Returns the launch shape that a call records, as HIP calls do: row of grids, or ROW_NONE.
static uint32_t call_grid(struct kineto *kineto, const struct kineto_event *event)
{
    int32_t grid[3], block[3];
    int64_t key[6];
    kineto_triple(event, KEY_GRID, grid);
    kineto_triple(event, KEY_BLOCK, block);
    for (int i = 0; i < 6; i++) {
        key[i] = i < 3 ? grid[i] : block[i - 3];
        if (key[i] < 0)
            return ROW_NONE;
    }
    return tuples_put(&kineto->grids, key);
}

static bool put_call(struct kineto *kineto, const struct kineto_event *event,
                     enum kineto_class class)
{
    struct kineto_call call = {.correlation = launch_id(kineto, event, KEY_CORRELATION),
                               .kernel = STRING_NONE,
                               .grid = ROW_NONE};
    if (!kineto_times_of(kineto, event, class, &call.start, &call.end))
        return false;
    call.name = intern(kineto, event, KEY_NAME);
    call.thread = thread_of(kineto, event);
    if (kineto_has(event, KEY_KERNEL)) {
        call.kernel = intern(kineto, event, KEY_KERNEL);
        call.grid = call_grid(kineto, event);
    }
    ARENA_PUSH(kineto->scratch, kineto->calls, kineto->calls_count, kineto->calls_capacity) = call;
    return true;
}

// Returns the sizes of an op in the form of emit_nvtx, plus types and values if recorded, such as
// `[[8, 16], []], types = ["float", "Scalar"], values = ["", "2"]`; STRING_NONE: no sizes.
static string_id sizes_of(struct kineto *kineto, const struct kineto_event *event)
{
    struct bytes *buffer = &kineto->buffer;
    size_t length;
    const char *text = kineto_text(event, KEY_DIMS, &length);
    if (!length || text[0] != '[')
        return STRING_NONE;
    buffer->count = 0;
    bytes_add(buffer, text, length);
    bool has_content = length > sizeof "[]" - 1;
    static const struct {
        enum kineto_key key;
        const char *title;
    } others[] = {{KEY_TYPES, TYPES_TITLE}, {KEY_VALUES, VALUES_TITLE}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        text = kineto_text(event, others[i].key, &length);
        if (length <= 2 || text[0] != '[')
            continue;
        bytes_text(buffer, others[i].title);
        bytes_add(buffer, text, length);
        has_content = true;
    }
    return has_content ? strings_intern(kineto->profile->strings, buffer->items, buffer->count)
                       : (string_id)STRING_NONE;
}

static bool put_range(struct kineto *kineto, const struct kineto_event *event,
                      enum kineto_class class)
{
    struct kineto_range range = {.seq = SEQ_NONE, .collective = collective_of(kineto, event)};
    if (!kineto_times_of(kineto, event, class, &range.start, &range.end))
        return false;
    bool is_op = class == KINETO_OP;
    if (is_op) {
        range.seq = kineto_integer(event, KEY_SEQUENCE, SEQ_NONE);
        range.external = launch_id(kineto, event, KEY_EXTERNAL_ID);
    }
    bool has_seq = range.seq != SEQ_NONE && range.seq >= 0;
    int64_t key[4] = {intern(kineto, event, KEY_NAME), sizes_of(kineto, event),
                      thread_of(kineto, event),
                      label_draft_flags(is_op ? SAID_OP : SAID_ANNOTATION, has_seq, 0)};
    range.draft = tuples_put(&kineto->drafts, key);
    if (kineto_has(event, KEY_STACK)) {
        size_t length;
        const char *stack = kineto_text(event, KEY_STACK, &length);
        range.chain = kineto_chain_of_text(kineto, stack, length);
    }
    ARENA_PUSH(kineto->scratch, kineto->ranges, kineto->ranges_count, kineto->ranges_capacity) =
        range;
    return true;
}

static bool put_frame(struct kineto *kineto, const struct kineto_event *event,
                      enum kineto_class class)
{
    int64_t module = kineto_integer(event, KEY_MODULE, UNKNOWN);
    struct kineto_frame frame = {
        .is_module = kineto_has(event, KEY_MODULE),
        .module = module >= 0 && module < INT32_MAX ? (uint32_t)module + 1 : 0,
    };
    if (!kineto_times_of(kineto, event, class, &frame.start, &frame.end))
        return false;
    frame.name = intern(kineto, event, KEY_NAME);
    frame.thread = thread_of(kineto, event);
    ARENA_PUSH(kineto->scratch, kineto->frames, kineto->frames_count, kineto->frames_capacity) =
        frame;
    return true;
}

static bool put_sync(struct kineto *kineto, const struct kineto_event *event,
                     enum kineto_class class)
{
    static const struct {
        const char *name;
        uint8_t type;
    } types[] = {
        {"Event Sync", 1}, {"Stream Wait Event", 2}, {"Stream Sync", 3}, {"Context Sync", 4}};
    struct kineto_sync sync = {.correlation = launch_id(kineto, event, KEY_CORRELATION),
                               .place = ROW_NONE};
    if (!kineto_times_of(kineto, event, class, &sync.start, &sync.end))
        return false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (kineto_is(event, KEY_NAME, types[i].name))
            sync.type = types[i].type;
    if (kineto_integer(event, KEY_STREAM, -1) >= 0)
        sync.place = place_of(kineto, event);
    sync.gpu = gpu_of(event);
    sync.track = id_of(kineto, event, KEY_PID);
    ARENA_PUSH(kineto->scratch, kineto->syncs, kineto->syncs_count, kineto->syncs_capacity) = sync;
    return true;
}

static bool put_overhead(struct kineto *kineto, const struct kineto_event *event,
                         enum kineto_class class)
{
    struct kineto_overhead overhead;
    if (!kineto_times_of(kineto, event, class, &overhead.start, &overhead.end))
        return false;
    overhead.name = intern(kineto, event, KEY_NAME);
    ARENA_PUSH(kineto->scratch, kineto->overheads, kineto->overheads_count,
               kineto->overheads_capacity) = overhead;
    return true;
}

// ---- memory ------------------------------------------------------------------------------------

// Returns the device of an allocation. In the numbering of c10::DeviceType only CPU, MKLDNN and
// IDEEP are host memory; all others (CUDA, HIP, XPU, MTIA, PrivateUse1 and so on) are devices with
// an index. -1 is the process's current device, which is device 0 unless the program chose another
// one.
static uint32_t home_of(struct kineto *kineto, const struct kineto_event *event)
{
    int64_t kind = kineto_integer(event, KEY_MEMORY_DEVICE_TYPE, 0);
    int64_t device = kineto_integer(event, KEY_HOME, -1);
    if (kind == 0 || kind == 2 || kind == 5)
        return ROW_NONE;
    return tuples_put(&kineto->homes, (int64_t[2]){gpu_number(device), process_of(kineto, event)});
}

static int64_t level_of(const struct kineto_event *event, enum kineto_key key)
{
    int64_t bytes = kineto_integer(event, key, UNKNOWN);
    return bytes >= 0 && bytes <= ALLOCATED_LIMIT ? bytes : UNKNOWN;
}

static void put_memory(struct kineto *kineto, const struct kineto_event *event)
{
    struct kineto_allocation memory = {.bytes = kineto_integer(event, KEY_SIZE, UNKNOWN)};
    bool is_too_many = kineto->seen[KINETO_MEMORY]++ >= MAX_ROWS;
    if (is_too_many || memory.bytes == UNKNOWN || memory.bytes > ALLOCATION_LIMIT ||
        memory.bytes < -ALLOCATION_LIMIT) {
        kineto_drop(kineto, KINETO_MEMORY, is_too_many ? DAMAGE_TOO_MANY : DAMAGE_SIZE);
        return;
    }
    if (!kineto_time_of(kineto, event, KINETO_MEMORY, &memory.time))
        return;
    memory.thread = thread_of(kineto, event);
    memory.home = home_of(kineto, event);
    memory.address = kineto_integer(event, KEY_ADDRESS, 0);
    memory.allocated = level_of(event, KEY_ALLOCATED);
    memory.reserved = level_of(event, KEY_RESERVED);
    ARENA_PUSH(kineto->scratch, kineto->allocations, kineto->allocations_count,
               kineto->allocations_capacity) = memory;
}

// ---- metadata ----------------------------------------------------------------------------------

static void put_name(struct kineto *kineto, const struct kineto_event *event)
{
    bool is_thread = kineto_is(event, KEY_NAME, "thread_name");
    if ((!is_thread && !kineto_is(event, KEY_NAME, "process_name")) ||
        !kineto_has(event, KEY_LABEL))
        return;
    int64_t key[3] = {is_thread, id_of(kineto, event, KEY_PID),
                      is_thread ? id_of(kineto, event, KEY_TID) : 0};
    uint32_t row = tuples_put(&kineto->named, key);
    if (row == kineto->names_count)
        ARENA_PUSH(kineto->scratch, kineto->names, kineto->names_count, kineto->names_capacity) =
            STRING_NONE;
    kineto->names[row] = intern(kineto, event, KEY_LABEL);
    size_t length;
    const char *name = kineto_text(event, KEY_LABEL, &length);
    if (!is_thread)
        kineto_see_process_name(kineto, name, length);
}

// ---- dispatch by class --------------------------------------------------------------------------

static bool (*const puts_event[KINETO_CLASSES])(struct kineto *kineto,
                                                const struct kineto_event *event,
                                                enum kineto_class class) = {
    [KINETO_OP] = put_range,    [KINETO_ANNOTATION] = put_range, [KINETO_CALL] = put_call,
    [KINETO_KERNEL] = put_work, [KINETO_MEMCPY] = put_work,      [KINETO_MEMSET] = put_work,
    [KINETO_FRAME] = put_frame, [KINETO_SYNC] = put_sync,        [KINETO_OVERHEAD] = put_overhead,
};

void kineto_add_event(struct kineto *kineto, const struct kineto_event *event)
{
    if (kineto_is(event, KEY_PHASE, "M")) {
        put_name(kineto, event);
        return;
    }
    if (kineto_is(event, KEY_PHASE, "i") && kineto_is(event, KEY_NAME, "[memory]"))
        put_memory(kineto, event);
    if (!kineto_is(event, KEY_PHASE, "X")) {
        bool is_half = kineto_is(event, KEY_PHASE, "B") || kineto_is(event, KEY_PHASE, "E");
        kineto->unread += is_half || (event->known && !kineto_has(event, KEY_PHASE));
        return;
    }
    enum kineto_class class = kineto_classify(event);
    bool is_too_many = kineto->seen[class]++ >= MAX_ROWS;
    if (class == KINETO_OTHER && !kineto_is(event, KEY_CATEGORY, "Trace")) // the profiler's span
        kineto_see_unknown(kineto, event);
    if (puts_event[class] && is_too_many)
        kineto_drop(kineto, class, DAMAGE_TOO_MANY);
    else if (puts_event[class])
        puts_event[class](kineto, event, class);
}
