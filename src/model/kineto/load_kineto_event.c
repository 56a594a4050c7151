// SPDX-License-Identifier: Apache-2.0
// Reads one event of a trace. The tables hold the spellings of members in all versions of PyTorch.
#include <string.h>
#include <strings.h>

#include "model/kineto/load_kineto.h"

struct key_name {
    const char *name;
    enum kineto_key key;
};

struct key_slot {
    const char *name; // NULL: free slot
    size_t length;
    enum kineto_key key;
};

static const struct key_name event_names[] = {
    {"ph", KEY_PHASE}, {"cat", KEY_CATEGORY}, {"name", KEY_NAME},    {"pid", KEY_PID},
    {"tid", KEY_TID},  {"ts", KEY_TIME},      {"dur", KEY_DURATION},
};

static const struct key_name argument_names[] = {
    {"External id", KEY_EXTERNAL_ID},
    {"external id", KEY_EXTERNAL_ID},
    {"correlation", KEY_CORRELATION},
    {"device", KEY_DEVICE},
    {"stream", KEY_STREAM},
    {"context", KEY_CONTEXT},
    {"grid", KEY_GRID},
    {"block", KEY_BLOCK},
    {"registers per thread", KEY_REGISTERS},
    {"shared memory", KEY_SHARED_MEMORY},
    {"blocks per SM", KEY_BLOCKS_PER_SM},
    {"est. achieved occupancy %", KEY_OCCUPANCY},
    {"bytes", KEY_BYTES},
    {"memory bandwidth (GB/s)", KEY_BANDWIDTH},
    {"kernel", KEY_KERNEL},
    {"graph id", KEY_GRAPH},
    {"graph node id", KEY_GRAPH_NODE},
    {"Input Dims", KEY_DIMS},
    {"Input dims", KEY_DIMS},
    {"Input type", KEY_TYPES},
    {"Concrete Inputs", KEY_VALUES},
    {"Sequence number", KEY_SEQUENCE},
    {"Call stack", KEY_STACK},
    {"Python module id", KEY_MODULE},
    {"name", KEY_LABEL},
    {"Collective name", KEY_COLLECTIVE},
    {"dtype", KEY_COLLECTIVE_TYPE},
    {"In msg nelems", KEY_ELEMENTS_IN},
    {"Out msg nelems", KEY_ELEMENTS_OUT},
    {"Group size", KEY_GROUP_SIZE},
    {"Process Group Name", KEY_GROUP},
    {"Process Group Description", KEY_GROUP_DESCRIPTION},
    {"Process Group Ranks", KEY_GROUP_RANKS},
    {"Rank", KEY_RANK},
    {"Seq", KEY_COLLECTIVE_SEQUENCE},
    {"Comms Id", KEY_COMMUNICATOR},
    {"Device Type", KEY_MEMORY_DEVICE_TYPE},
    {"Device Id", KEY_HOME},
    {"Bytes", KEY_SIZE},
    {"Addr", KEY_ADDRESS},
    {"Total Allocated", KEY_ALLOCATED},
    {"Total Reserved", KEY_RESERVED},
};
_Static_assert(KEY_COUNT <= 64, "a bit for each");

enum { SLOTS = 128, LEVELS = 2 };

struct kineto_index {
    struct key_slot slots[LEVELS][SLOTS];
};

static unsigned slot_of(const char *name, size_t length)
{
    size_t first = (unsigned char)name[0], last = (unsigned char)name[length - 1];
    return (unsigned)((length * 31 + first * 7 + last) % SLOTS);
}

static void index_put(struct key_slot *slots, const struct key_name *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(names[i].name);
        unsigned slot = slot_of(names[i].name, length);
        while (slots[slot].name)
            slot = (slot + 1) % SLOTS;
        slots[slot] = (struct key_slot){names[i].name, length, names[i].key};
    }
}

struct kineto_index *kineto_index_new(struct arena *arena)
{
    struct kineto_index *index = ARENA_NEW(arena, struct kineto_index);
    index_put(index->slots[0], event_names, sizeof event_names / sizeof *event_names);
    index_put(index->slots[1], argument_names, sizeof argument_names / sizeof *argument_names);
    return index;
}

// Returns KEY_COUNT if the name is not one that is read.
static enum kineto_key find_key(const struct key_slot *slots, const char *name, size_t length)
{
    if (!length)
        return KEY_COUNT;
    for (unsigned slot = slot_of(name, length); slots[slot].name; slot = (slot + 1) % SLOTS)
        if (slots[slot].length == length && memcmp(slots[slot].name, name, length) == 0)
            return slots[slot].key;
    return KEY_COUNT;
}

// ---- reading -----------------------------------------------------------------------------------

static void keep_value(struct json_scan *scan, struct kineto_event *event, enum kineto_key key)
{
    enum json_token token = json_scan_next(scan);
    if (token == JSON_CLOSE || token == JSON_END)
        return; // a key without a value
    json_scan_raw(scan, token);
    event->known |= UINT64_C(1) << key;
    event->values[key] = (struct kineto_value){scan->offset, scan->length, token};
}

static void read_arguments(struct json_scan *scan, const struct kineto_index *index,
                           struct kineto_event *event)
{
    unsigned outside = scan->depth - 1;
    while (scan->depth > outside) {
        enum json_token token = json_scan_next(scan);
        if (token == JSON_END)
            return;
        if (token != JSON_KEY) {
            json_scan_skip(scan, token);
            continue;
        }
        enum kineto_key key = find_key(index->slots[1], scan->text, scan->length);
        if (key == KEY_COUNT)
            json_scan_skip(scan, token);
        else
            keep_value(scan, event, key);
    }
}

static void read_member(struct json_scan *scan, const struct kineto_index *index,
                        struct kineto_event *event)
{
    static const char arguments[] = "args";
    enum kineto_key key = find_key(index->slots[0], scan->text, scan->length);
    if (key != KEY_COUNT) {
        keep_value(scan, event, key);
    } else if (scan->length == sizeof arguments - 1 &&
               memcmp(scan->text, arguments, scan->length) == 0) {
        enum json_token token = json_scan_next(scan);
        if (token == JSON_OBJECT)
            read_arguments(scan, index, event);
        else
            json_scan_skip(scan, token);
    } else {
        json_scan_skip(scan, JSON_KEY);
    }
}

void kineto_read_event(struct json_scan *scan, const struct kineto_index *index,
                       struct kineto_event *event)
{
    unsigned outside = scan->depth - 1;
    event->known = 0;
    json_scan_hold(scan);
    while (scan->depth > outside) {
        enum json_token token = json_scan_next(scan);
        if (token == JSON_END)
            break;
        if (token == JSON_KEY)
            read_member(scan, index, event);
        else
            json_scan_skip(scan, token);
    }
    if (scan->is_cut)
        event->known = 0; // a partial event is not reliable
    event->bytes = json_scan_held(scan);
}

// ---- values ------------------------------------------------------------------------------------

const char *kineto_text(const struct kineto_event *event, enum kineto_key key, size_t *length)
{
    if (!kineto_has(event, key)) {
        *length = 0;
        return "";
    }
    *length = event->values[key].length;
    return event->bytes + event->values[key].at;
}

bool kineto_is(const struct kineto_event *event, enum kineto_key key, const char *text)
{
    size_t length;
    const char *from = kineto_text(event, key, &length);
    return length == strlen(text) && memcmp(from, text, length) == 0;
}

static bool put_digit(int64_t *value, int digit)
{
    return !__builtin_mul_overflow(*value, 10, value) &&
           !__builtin_sub_overflow(*value, digit, value);
}

enum {
    MAX_EXPONENT = 1 << 24, // a larger exponent means 0 or overflow
    MAX_DIGITS = 1 << 20,
};

// Parses the exponent of a number like 1.6e15, which Python writes for large and small numbers.
// Returns false if it is malformed.
static bool read_exponent(const char *text, size_t length, int *exponent)
{
    bool is_negative = length > 0 && text[0] == '-';
    size_t at = length > 0 && (text[0] == '-' || text[0] == '+');
    if (at == length)
        return false;
    for (*exponent = 0; at < length; at++) {
        if (text[at] < '0' || text[at] > '9')
            return false;
        if (*exponent < MAX_EXPONENT)
            *exponent = *exponent * 10 + text[at] - '0';
    }
    *exponent = is_negative ? -*exponent : *exponent;
    return true;
}

// Returns the number of digits before the point. *end is set to the position of the exponent or the
// end.
static int digits_before_point(const char *text, size_t length, size_t *end)
{
    int count = 0;
    size_t at = 0;
    while (at < length && text[at] >= '0' && text[at] <= '9') {
        at++;
        count += count < MAX_DIGITS;
    }
    while (at < length && text[at] != 'e' && text[at] != 'E')
        at++;
    *end = at;
    return count;
}

bool kineto_decimal(const char *text, size_t length, int decimals, int64_t *value)
{
    bool is_negative = length > 0 && text[0] == '-', has_digits = false, has_point = false;
    text += is_negative;
    length -= is_negative;
    size_t end;
    int left = digits_before_point(text, length, &end) + decimals; // significant digits left
    int exponent = 0;
    if (end < length && !read_exponent(text + end + 1, length - end - 1, &exponent))
        return false;
    left += exponent;
    int64_t sum = 0; // negative, since the range of negative numbers is larger by one
    for (size_t at = 0; at < end; at++) {
        char c = text[at];
        if (c == '.' && !has_point) {
            has_point = true;
        } else if (c >= '0' && c <= '9') {
            has_digits = true;
            if (left > 0 && !put_digit(&sum, c - '0'))
                return false;
            left -= left > 0;
        } else {
            return false;
        }
    }
    for (; left > 0 && sum != 0; left--)
        if (!put_digit(&sum, 0))
            return false;
    if (!has_digits || (!is_negative && sum == INT64_MIN))
        return false;
    *value = is_negative ? sum : -sum;
    return true;
}

int64_t kineto_number_at_end(const char *text, size_t length, size_t *before)
{
    enum { MAX_NUMBER_DIGITS = 10 };
    size_t digits = 0;
    int64_t number;
    while (digits < length && text[length - 1 - digits] >= '0' && text[length - 1 - digits] <= '9')
        digits++;
    size_t ends = length - digits; // of what is before the number
    bool is_apart = ends > 0 && memchr(" ]:#_/-", text[ends - 1], 7);
    if (!is_apart || !digits || digits > MAX_NUMBER_DIGITS ||
        !kineto_decimal(text + ends, digits, 0, &number) || number > UINT32_MAX)
        return UNKNOWN;
    while (ends > 0 && text[ends - 1] == ' ')
        ends--;
    *before = ends;
    return number;
}

int64_t kineto_scaled(const struct kineto_event *event, enum kineto_key key, int decimals,
                      int64_t otherwise)
{
    size_t length;
    int64_t value;
    const char *text = kineto_text(event, key, &length);
    return kineto_decimal(text, length, decimals, &value) ? value : otherwise;
}

int64_t kineto_integer(const struct kineto_event *event, enum kineto_key key, int64_t otherwise)
{
    return kineto_scaled(event, key, 0, otherwise);
}

void kineto_triple(const struct kineto_event *event, enum kineto_key key, int32_t out[3])
{
    size_t length, at = 0;
    const char *text = kineto_text(event, key, &length);
    for (int axis = 0; axis < 3; axis++) {
        int64_t value;
        while (at < length && !(text[at] >= '0' && text[at] <= '9'))
            at++;
        size_t from = at;
        while (at < length && text[at] >= '0' && text[at] <= '9')
            at++;
        bool is_valid = kineto_decimal(text + from, at - from, 0, &value) && value <= INT32_MAX;
        out[axis] = is_valid ? (int32_t)value : -1;
    }
}

// ---- classes -----------------------------------------------------------------------------------

const char *const kineto_class_names[KINETO_CLASSES] = {
    [KINETO_OP] = "cpu_op",
    [KINETO_ANNOTATION] = "user_annotation",
    [KINETO_CALL] = "*_runtime, *_driver",
    [KINETO_KERNEL] = "kernel",
    [KINETO_MEMCPY] = "gpu_memcpy",
    [KINETO_MEMSET] = "gpu_memset",
    [KINETO_FRAME] = "python_function",
    [KINETO_SYNC] = "cuda_sync",
    [KINETO_OVERHEAD] = "overhead",
    [KINETO_MEMORY] = "[memory]",
    [KINETO_SHADOW] = "gpu_user_annotation",
    [KINETO_OTHER] = "other events",
};

static const struct {
    const char *name;
    enum kineto_class class;
} categories[] = {
    {"cpu_op", KINETO_OP},
    {"Operator", KINETO_OP},
    {"cuda_runtime", KINETO_CALL},
    {"kernel", KINETO_KERNEL},
    {"python_function", KINETO_FRAME},
    {"user_annotation", KINETO_ANNOTATION},
    {"cuda_driver", KINETO_CALL},
    {"Runtime", KINETO_CALL},
    {"gpu_memcpy", KINETO_MEMCPY},
    {"Memcpy", KINETO_MEMCPY},
    {"gpu_memset", KINETO_MEMSET},
    {"Memset", KINETO_MEMSET},
    {"gpu_user_annotation", KINETO_SHADOW},
    {"cuda_sync", KINETO_SYNC},
    {"overhead", KINETO_OVERHEAD},
    {"hip_runtime", KINETO_CALL},
    {"xpu_runtime", KINETO_CALL},
    {"xpu_driver", KINETO_CALL},
    {"mtia_runtime", KINETO_CALL},
    {"glow_runtime", KINETO_CALL},
    {"privateuse1_runtime", KINETO_CALL},
    {"privateuse1_driver", KINETO_CALL},
};

enum kineto_class kineto_classify(const struct kineto_event *event)
{
    size_t length;
    const char *text = kineto_text(event, KEY_CATEGORY, &length);
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
        if (strlen(categories[i].name) == length &&
            strncasecmp(categories[i].name, text, length) == 0)
            return categories[i].class;
    return KINETO_OTHER;
}
