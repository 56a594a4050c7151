// SPDX-License-Identifier: Apache-2.0
// Describes the small tables of a digest. Derived members (roles of streams, classes, families) are
// not stored, nor is anything that identifies the origin: no paths, no host names, nothing of the
// environment.
#include "base/hash.h"
#include "model/digest/digest.h"
#include "model/profile/copy_kinds.h"

#define ANY_U8  0, UINT8_MAX
#define ANY_32  INT32_MIN, INT32_MAX
#define ANY_U32 0, UINT32_MAX
#define ANY_64  INT64_MIN, INT64_MAX

#define MEMBER(type, name, kind, to, ...)                         \
    {                                                             \
#name, offsetof(struct type, name), kind, to, __VA_ARGS__ \
    }
#define NUMBER(type, name, kind, ...) MEMBER(type, name, kind, REFERS_NOTHING, __VA_ARGS__)
#define REFERENCE(type, name, to)     MEMBER(type, name, MEMBER_U32, to, ANY_U32)
#define BOOL(type, name)              NUMBER(type, name, MEMBER_BOOL, 0, 1)
#define WORD(type, name)              NUMBER(type, name, MEMBER_WORD, ANY_U32)

static const struct member fact_members[] = {
    BOOL(profile, has_kernels),
    BOOL(profile, has_api),
    BOOL(profile, has_api_results),
    BOOL(profile, has_ranges),
    BOOL(profile, has_osrt),
    BOOL(profile, has_syncs),
    BOOL(profile, has_overhead),
    BOOL(profile, has_gpu_metrics),
    BOOL(profile, has_memory_events),
    BOOL(profile, has_allocations),
    BOOL(profile, has_diagnostics),
    WORD(profile, capture.cpu),
    WORD(profile, capture.driver),
    WORD(profile, capture.cuda),
    WORD(profile, capture.cudnn),
    WORD(profile, capture.framework),
    WORD(profile, capture.nsys),
    WORD(profile, capture.graph_mode),
    WORD(profile, capture.event_trace),
    WORD(profile, capture.trace_options),
    WORD(profile, capture.started),
    NUMBER(profile, capture.utc_epoch_ns, MEMBER_I64, ANY_64),
};
static const struct member source_members[] = {
    WORD(source, format),
    WORD(source, version),
    WORD(source, schema),
    NUMBER(source, host, MEMBER_I64, ANY_64),
    NUMBER(source, rank, MEMBER_I64, 0, INT32_MAX),
    NUMBER(source, world, MEMBER_I64, 0, INT32_MAX),
    NUMBER(source, roles.number[0], MEMBER_I64, 0, INT32_MAX),
    NUMBER(source, roles.number[1], MEMBER_I64, 0, INT32_MAX),
    NUMBER(source, roles.number[2], MEMBER_I64, 0, INT32_MAX),
    NUMBER(source, roles.number[3], MEMBER_I64, 0, INT32_MAX),
    NUMBER(source, roles.number[4], MEMBER_I64, 0, INT32_MAX),
    NUMBER(source, roles.number[5], MEMBER_I64, 0, INT32_MAX),
    WORD(source, roles.word),
};
static const struct member process_members[] = {
    NUMBER(process, global_pid, MEMBER_I64, ANY_64),
    NUMBER(process, pid, MEMBER_U32, ANY_U32),
    REFERENCE(process, name, REFERS_TEXT),
};
static const struct member thread_members[] = {
    NUMBER(thread, global_tid, MEMBER_I64, ANY_64),
    NUMBER(thread, tid, MEMBER_U32, ANY_U32),
    REFERENCE(thread, process, REFERS_PROCESS),
    REFERENCE(thread, name, REFERS_TEXT),
    NUMBER(thread, first_overhead, MEMBER_U32, ANY_U32),
    NUMBER(thread, end_overhead, MEMBER_U32, ANY_U32),
};
static const struct member device_members[] = {
    NUMBER(device, gpu_id, MEMBER_U32, ANY_U32),
    NUMBER(device, ordinal, MEMBER_U32, ANY_U32),
    REFERENCE(device, name, REFERS_TEXT),
    REFERENCE(device, uuid, REFERS_TEXT),
    REFERENCE(device, bus, REFERS_TEXT),
    NUMBER(device, sm_count, MEMBER_I64, 1, INT64_MAX),
    NUMBER(device, memory_bytes, MEMBER_I64, 1, INT64_MAX),
    NUMBER(device, memory_bandwidth, MEMBER_I64, 1, INT64_MAX),
    NUMBER(device, clock_hz, MEMBER_I64, 1, INT64_MAX),
    NUMBER(device, compute_major, MEMBER_I32, ANY_32),
    NUMBER(device, compute_minor, MEMBER_I32, ANY_32),
    BOOL(device, is_by_ordinal),
    BOOL(device, is_assumed),
};
static const struct member stream_members[] = {
    REFERENCE(stream, process, REFERS_PROCESS),
    REFERENCE(stream, device, REFERS_DEVICE),
    NUMBER(stream, context, MEMBER_U32, ANY_U32),
    NUMBER(stream, stream_id, MEMBER_I64, ANY_64),
    BOOL(stream, is_null),
};
static const struct member function_members[] = {
    NUMBER(function, kind, MEMBER_I32, 0, WORK_KIND_COUNT - 1),
    REFERENCE(function, full, REFERS_TEXT),
    REFERENCE(function, brief, REFERS_TEXT),
};
static const struct member shape_members[] = {
    NUMBER(launch_shape, grid[0], MEMBER_I32, ANY_32),
    NUMBER(launch_shape, grid[1], MEMBER_I32, ANY_32),
    NUMBER(launch_shape, grid[2], MEMBER_I32, ANY_32),
    NUMBER(launch_shape, block[0], MEMBER_I32, ANY_32),
    NUMBER(launch_shape, block[1], MEMBER_I32, ANY_32),
    NUMBER(launch_shape, block[2], MEMBER_I32, ANY_32),
    NUMBER(launch_shape, registers, MEMBER_I32, ANY_32),
    NUMBER(launch_shape, static_shared, MEMBER_I32, ANY_32),
    NUMBER(launch_shape, dynamic_shared, MEMBER_I32, ANY_32),
    NUMBER(launch_shape, micro_blocks_per_sm, MEMBER_I64, -1, INT64_MAX),
    NUMBER(launch_shape, micro_occupancy, MEMBER_I64, -1, MAX_MICRO_OCCUPANCY),
};
static const struct member copy_members[] = {
    NUMBER(copy, copy_kind, MEMBER_I32, ANY_32),
    NUMBER(copy, src_kind, MEMBER_I32, ANY_32),
    NUMBER(copy, dst_kind, MEMBER_I32, ANY_32),
};
static const struct member domain_members[] = {REFERENCE(domain, name, REFERS_TEXT)};
static const struct member label_members[] = {
    REFERENCE(range_label, name, REFERS_TEXT),
    REFERENCE(range_label, sizes, REFERS_TEXT),
    REFERENCE(range_label, domain, REFERS_DOMAIN),
    REFERENCE(range_label, thread, REFERS_THREAD),
    NUMBER(range_label, style, MEMBER_U8, 0, RANGE_START_END),
    NUMBER(range_label, ending, MEMBER_U8, 0, RANGE_CROSS_THREAD),
    BOOL(range_label, has_seq),
    BOOL(range_label, has_op_id),
    NUMBER(range_label, said, MEMBER_U8, 0, SAID_COUNT - 1),
    REFERENCE(range_label, chain, REFERS_CHAIN),
    NUMBER(range_label, module, MEMBER_U32, 0, INT32_MAX),
};
static const struct member count_members[] = {
    WORD(table_count, table),
    NUMBER(table_count, rows, MEMBER_I64, 0, INT64_MAX),
    NUMBER(table_count, skipped, MEMBER_I64, 0, INT64_MAX),
    WORD(table_count, why),
};
static const struct member note_members[] = {
    NUMBER(note, level, MEMBER_I32, 0, NOTE_WARNING), WORD(note, key),  WORD(note, text),
    NUMBER(note, count, MEMBER_I64, ANY_64),          WORD(note, flag),
};

enum {
    ANY = ROW_NONE - 1,
    FEW = 1000, // a merge compares all rows with all others
};

#define SMALL(rows, count, most, is_size, members)                              \
    {                                                                           \
#rows, offsetof(struct profile, rows), offsetof(struct profile, count), \
            sizeof *((struct profile *)NULL)->rows, most, is_size, members,     \
            sizeof(members) / sizeof *(members)                                 \
    }

// A table follows those that it refers to.
const struct small_table digest_tables[SMALL_TABLES] = {
    {"facts", IN_PROFILE_ITSELF, IN_PROFILE_ITSELF, 0, 1, false, fact_members,
     sizeof fact_members / sizeof *fact_members},
    SMALL(sources, source_count, 1, false, source_members),
    SMALL(processes, process_count, ANY, false, process_members),
    SMALL(threads, thread_count, ANY, false, thread_members),
    SMALL(devices, device_count, MAX_DEVICES, false, device_members),
    SMALL(streams, stream_count, ANY, false, stream_members),
    SMALL(functions, function_count, ANY, false, function_members),
    SMALL(shapes, shape_count, ANY, false, shape_members),
    SMALL(copies, copy_count, ANY, false, copy_members),
    SMALL(domains, domain_count, ANY, false, domain_members),
    SMALL(ranges.labels, ranges.label_count, ANY, false, label_members),
    SMALL(tables, table_count, FEW, true, count_members),
    SMALL(notes, note_count, FEW, true, note_members),
};

uint32_t small_table_rows(const struct profile *profile, const struct small_table *table)
{
    if (table->rows == IN_PROFILE_ITSELF)
        return 1;
    const char *at = (const char *)profile + table->count;
    return table->count_is_size ? (uint32_t) * (const size_t *)at : *(const uint32_t *)at;
}

char *small_table_row(const struct profile *profile, const struct small_table *table, uint32_t row)
{
    char *at = (char *)(uintptr_t)profile;
    return table->rows == IN_PROFILE_ITSELF
               ? at
               : *(char **)(void *)(at + table->rows) + row * table->row_size;
}

uint32_t reference_rows(const struct profile *profile, enum reference to)
{
    switch (to) {
    case REFERS_TEXT:
        return strings_count(profile->strings);
    case REFERS_PROCESS:
        return profile->process_count;
    case REFERS_THREAD:
        return profile->thread_count;
    case REFERS_DEVICE:
        return profile->device_count;
    case REFERS_STREAM:
        return profile->stream_count;
    case REFERS_FUNCTION:
        return profile->function_count;
    case REFERS_DOMAIN:
        return profile->domain_count;
    case REFERS_LABEL:
        return profile->ranges.label_count;
    case REFERS_CALL:
        return profile->api.count;
    case REFERS_RECORDED_OP: // files with recorded ops have no digest
        return 0;
    default: // a shape is looked up by kind of work, a chain by id
        return UINT32_MAX;
    }
}

uint64_t digest_checksum(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t hash = HASH_SEED;
    for (; size >= 8; at += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = hash_number(hash, le64toh(word));
    }
    for (; size; at++, size--)
        hash = hash_number(hash, *at);
    return hash;
}
