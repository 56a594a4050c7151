// SPDX-License-Identifier: Apache-2.0
// Reads the members of a trace other than its events: GPUs, versions, the rank.
#include <string.h>

#include "model/kineto/load_kineto.h"

// Returns a copy of a member's text, or "" if it is not a text or number.
static const char *text_value(struct kineto *kineto, enum json_token token)
{
    return token == JSON_STRING || token == JSON_NUMBER
               ? arena_copy(kineto->profile->arena, kineto->scan->text, kineto->scan->length)
               : "";
}

static int64_t number_value(struct kineto *kineto, enum json_token token, int64_t otherwise)
{
    int64_t value;
    bool is_number = token == JSON_STRING || token == JSON_NUMBER;
    return is_number && kineto_decimal(kineto->scan->text, kineto->scan->length, 0, &value)
               ? value
               : otherwise;
}

static bool key_is(const struct json_scan *scan, const char *key)
{
    return strlen(key) == scan->length && memcmp(scan->text, key, scan->length) == 0;
}

// ---- deviceProperties --------------------------------------------------------------------------

static int64_t positive(int64_t value)
{
    return value > 0 ? value : UNKNOWN;
}

static void gpu_member(struct kineto *kineto, struct kineto_gpu *gpu)
{
    struct json_scan *scan = kineto->scan;
    static const char *const keys[] = {"id",     "name",         "totalGlobalMem",
                                       "numSms", "computeMajor", "computeMinor"};
    enum { ID, NAME, MEMORY, SMS, MAJOR, MINOR, KEYS };
    int key = 0;
    while (key < KEYS && !key_is(scan, keys[key]))
        key++;
    if (key == KEYS) {
        json_scan_skip(scan, JSON_KEY);
        return;
    }
    enum json_token token = json_scan_next(scan);
    int64_t number = number_value(kineto, token, -1);
    if (key == ID)
        gpu->id = number;
    else if (key == NAME && token == JSON_STRING)
        gpu->name = strings_intern(kineto->profile->strings, scan->text, scan->length);
    else if (key == MEMORY)
        gpu->memory_bytes = positive(number);
    else if (key == SMS)
        gpu->sm_count = positive(number);
    else if (key == MAJOR && number >= 0 && number < 1000)
        gpu->compute_major = (int32_t)number;
    else if (key == MINOR && number >= 0 && number < 1000)
        gpu->compute_minor = (int32_t)number;
    json_scan_skip(scan, token);
}

static void read_gpu(struct kineto *kineto)
{
    struct json_scan *scan = kineto->scan;
    struct kineto_gpu gpu = {.id = -1,
                             .memory_bytes = UNKNOWN,
                             .sm_count = UNKNOWN,
                             .compute_major = -1,
                             .compute_minor = -1};
    unsigned outside = scan->depth - 1;
    while (scan->depth > outside) {
        enum json_token token = json_scan_next(scan);
        if (token == JSON_END)
            return;
        if (token == JSON_KEY)
            gpu_member(kineto, &gpu);
        else
            json_scan_skip(scan, token);
    }
    for (size_t i = 0; i < kineto->gpus_count; i++) // merged traces list a GPU several times
        if (kineto->gpus[i].id == gpu.id)
            return;
    if (gpu.id >= 0 && gpu.id < UINT32_MAX && kineto->gpus_count < MAX_DEVICES)
        ARENA_PUSH(kineto->scratch, kineto->gpus, kineto->gpus_count, kineto->gpus_capacity) = gpu;
}

static void read_gpus(struct kineto *kineto, enum json_token token)
{
    struct json_scan *scan = kineto->scan;
    if (token != JSON_ARRAY) {
        json_scan_skip(scan, token);
        return;
    }
    unsigned outside = scan->depth - 1;
    while (scan->depth > outside) {
        token = json_scan_next(scan);
        if (token == JSON_END)
            return;
        if (token == JSON_OBJECT)
            read_gpu(kineto);
        else
            json_scan_skip(scan, token);
    }
}

// ---- distributedInfo ---------------------------------------------------------------------------

static void read_job(struct kineto *kineto, enum json_token token)
{
    struct json_scan *scan = kineto->scan;
    if (token != JSON_OBJECT) {
        json_scan_skip(scan, token);
        return;
    }
    unsigned outside = scan->depth - 1;
    while (scan->depth > outside) {
        token = json_scan_next(scan);
        if (token == JSON_END)
            return;
        bool is_rank = token == JSON_KEY && key_is(scan, "rank");
        bool is_world = token == JSON_KEY && key_is(scan, "world_size");
        if (!is_rank && !is_world) {
            json_scan_skip(scan, token);
            continue;
        }
        token = json_scan_next(scan);
        int64_t number = number_value(kineto, token, UNKNOWN);
        if (number >= 0 && number < INT32_MAX) {
            kineto->has_other_ranks |= is_rank && kineto->rank != UNKNOWN && kineto->rank != number;
            *(is_rank ? &kineto->rank : &kineto->profile->sources[0].world) = number;
        }
        json_scan_skip(scan, token);
    }
}

// ---- members of the root object -----------------------------------------------------------------

static void read_schema(struct kineto *kineto, enum json_token token)
{
    kineto->profile->sources[0].schema = text_value(kineto, token);
}

// "12040" is CUDA 12.4.
static void read_cuda(struct kineto *kineto, enum json_token token)
{
    int64_t version = number_value(kineto, token, 0);
    if (version >= 1000 && version < 1000000)
        kineto->profile->capture.cuda = arena_format(
            kineto->profile->arena, "%d.%d", (int)(version / 1000), (int)(version % 1000 / 10));
}

static void read_framework(struct kineto *kineto, enum json_token token)
{
    if (token == JSON_STRING && kineto->scan->length > 0)
        kineto->profile->capture.framework = text_value(kineto, token);
}

static void read_base(struct kineto *kineto, enum json_token token)
{
    int64_t base = number_value(kineto, token, 0);
    kineto->base_time = base > 0 ? base : 0;
}

static void read_time_unit(struct kineto *kineto, enum json_token token)
{
    if (token == JSON_STRING)
        kineto_see_time_unit(kineto, kineto->scan->text, kineto->scan->length);
}

static const struct {
    const char *key;
    void (*read)(struct kineto *kineto, enum json_token token);
} members[] = {
    {"deviceProperties", read_gpus},     {"distributedInfo", read_job},
    {"schemaVersion", read_schema},      {"cuda_runtime_version", read_cuda},
    {"baseTimeNanoseconds", read_base},  {"Framework", read_framework},
    {"displayTimeUnit", read_time_unit},
};

void kineto_read_member(struct kineto *kineto)
{
    struct json_scan *scan = kineto->scan;
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        if (!key_is(scan, members[i].key))
            continue;
        unsigned outside = scan->depth;
        members[i].read(kineto, json_scan_next(scan));
        while (scan->depth > outside && json_scan_next(scan) != JSON_END)
            ; // skips the rest of an unexpected value
        return;
    }
    json_scan_skip(scan, JSON_KEY);
}
