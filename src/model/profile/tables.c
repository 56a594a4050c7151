// SPDX-License-Identifier: Apache-2.0
// Lists the columns of the long tables, and reads and writes them by these lists.
#include "model/profile/tables.h"

#include <string.h>

#define FIELD_(member, as, to, otherwise, is_optional_field)                            \
    {                                                                                   \
#member, offsetof(struct profile, member), as, to, otherwise, is_optional_field \
    }
#define FIELD(member, as, to, otherwise)    FIELD_(member, as, to, otherwise, false)
#define OPTIONAL(member, as, to, otherwise) FIELD_(member, as, to, otherwise, true)

static const struct profile_field work_fields[] = {
    FIELD(work.start, COLUMN64, REFERS_TIME, 0),
    FIELD(work.end, COLUMN64, REFERS_TIME, 0),
    FIELD(work.function, COLUMN32, REFERS_FUNCTION, 0),
    FIELD(work.stream, COLUMN32, REFERS_STREAM, 0),
    FIELD(work.correlation, COLUMN32, REFERS_NOTHING, 0),
    FIELD(work.shape, COLUMN32, REFERS_SHAPE, ROW_NONE),
    OPTIONAL(work.bytes, COLUMN64, REFERS_NOTHING, UNKNOWN),
    OPTIONAL(work.rate, COLUMN64, REFERS_NOTHING, 0),
    OPTIONAL(work.graph_node, COLUMN64, REFERS_NOTHING, 0),
    OPTIONAL(work.graph, COLUMN64, REFERS_NOTHING, 0),
    FIELD(work.flags, COLUMN32, REFERS_NOTHING, 0),
    OPTIONAL(work.told, COLUMN32, REFERS_RECORDED_OP, ROW_NONE),
    OPTIONAL(work.collective, COLUMN32, REFERS_COLLECTIVE, ROW_NONE),
    OPTIONAL(work.range, COLUMN32, REFERS_RANGE, ROW_NONE),
    OPTIONAL(work.capture, COLUMN32, REFERS_CALL, ROW_NONE),
};
static const struct profile_field api_fields[] = {
    FIELD(api.start, COLUMN64, REFERS_TIME, 0),
    FIELD(api.end, COLUMN64, REFERS_TIME, 0),
    FIELD(api.name, COLUMN32, REFERS_TEXT, 0),
    FIELD(api.thread, COLUMN32, REFERS_THREAD, 0),
    FIELD(api.correlation, COLUMN32, REFERS_NOTHING, 0),
    OPTIONAL(api.callchain, COLUMN32, REFERS_CHAIN, 0),
    OPTIONAL(api.result, COLUMN32, REFERS_NOTHING, 0),
    OPTIONAL(api.told, COLUMN32, REFERS_RECORDED_OP, ROW_NONE),
};
static const struct profile_field range_fields[] = {
    FIELD(ranges.start, COLUMN64, REFERS_TIME, 0),
    FIELD(ranges.end, COLUMN64, REFERS_TIME, 0),
    FIELD(ranges.label, COLUMN32, REFERS_LABEL, 0),
    OPTIONAL(ranges.seq, COLUMN64, REFERS_NOTHING, 0),
    OPTIONAL(ranges.op_id, COLUMN64, REFERS_NOTHING, 0),
    OPTIONAL(ranges.collective, COLUMN32, REFERS_COLLECTIVE, ROW_NONE),
};
static const struct profile_field sync_fields[] = {
    FIELD(syncs.start, ARRAY64, REFERS_TIME, 0),
    FIELD(syncs.end, ARRAY64, REFERS_TIME, 0),
    FIELD(syncs.type, ARRAY8, REFERS_NOTHING, 0),
    FIELD(syncs.stream, ARRAY32, REFERS_STREAM, ROW_NONE),
    FIELD(syncs.api, ARRAY32, REFERS_CALL, ROW_NONE),
};
static const struct profile_field osrt_fields[] = {
    FIELD(osrt.start, COLUMN64, REFERS_TIME, 0),
    FIELD(osrt.end, COLUMN64, REFERS_TIME, 0),
    FIELD(osrt.name, COLUMN32, REFERS_TEXT, 0),
    FIELD(osrt.thread, COLUMN32, REFERS_THREAD, 0),
};
static const struct profile_field overhead_fields[] = {
    FIELD(overheads.start, COLUMN64, REFERS_TIME, 0),
    FIELD(overheads.end, COLUMN64, REFERS_TIME, 0),
    FIELD(overheads.name, ARRAY32, REFERS_TEXT, 0),
};
static const struct profile_field node_fields[] = {
    FIELD(graph_nodes.node, ARRAY64, REFERS_NOTHING, 0),
    FIELD(graph_nodes.original, ARRAY64, REFERS_NOTHING, 0),
    FIELD(graph_nodes.start, ARRAY64, REFERS_TIME, UNKNOWN),
    FIELD(graph_nodes.thread, ARRAY32, REFERS_THREAD, ROW_NONE),
};
static const struct profile_field frame_fields[] = {
    FIELD(frames.chain, ARRAY32, REFERS_CHAIN, 0),
    FIELD(frames.symbol, ARRAY32, REFERS_TEXT, 0),
    FIELD(frames.module, ARRAY32, REFERS_TEXT, 0),
};
static const struct profile_field memory_fields[] = {
    FIELD(memory.start, COLUMN64, REFERS_TIME, 0),
    FIELD(memory.is_free, ARRAY8, REFERS_NOTHING, 0),
    FIELD(memory.kind, ARRAY8, REFERS_NOTHING, 0),
    FIELD(memory.bytes, ARRAY64, REFERS_NOTHING, UNKNOWN),
    FIELD(memory.address, ARRAY64, REFERS_NOTHING, 0),
    OPTIONAL(memory.pool, ARRAY64, REFERS_NOTHING, 0),
    FIELD(memory.process, ARRAY32, REFERS_PROCESS, 0),
    FIELD(memory.device, ARRAY32, REFERS_DEVICE, ROW_NONE),
    FIELD(memory.api, ARRAY32, REFERS_CALL, ROW_NONE),
    OPTIONAL(memory.name, ARRAY32, REFERS_TEXT, 0),
};
static const struct profile_field allocation_fields[] = {
    FIELD(allocations.time, COLUMN64, REFERS_TIME, 0),
    FIELD(allocations.bytes, COLUMN64, REFERS_NOTHING, 0),
    OPTIONAL(allocations.address, COLUMN64, REFERS_NOTHING, 0),
    OPTIONAL(allocations.allocated, COLUMN64, REFERS_NOTHING, UNKNOWN),
    OPTIONAL(allocations.reserved, COLUMN64, REFERS_NOTHING, UNKNOWN),
    FIELD(allocations.thread, COLUMN32, REFERS_THREAD, 0),
    FIELD(allocations.device, COLUMN32, REFERS_DEVICE, ROW_NONE),
};

static const struct profile_field collective_fields[] = {
    FIELD(told_collectives.name, ARRAY32, REFERS_TEXT, 0),
    FIELD(told_collectives.data_type, ARRAY32, REFERS_TEXT, 0),
    FIELD(told_collectives.group, ARRAY32, REFERS_TEXT, 0),
    FIELD(told_collectives.description, ARRAY32, REFERS_TEXT, 0),
    FIELD(told_collectives.ranks, ARRAY32, REFERS_TEXT, 0),
    FIELD(told_collectives.communicator, ARRAY32, REFERS_TEXT, 0),
    FIELD(told_collectives.elements_in, ARRAY64, REFERS_NOTHING, UNKNOWN),
    FIELD(told_collectives.elements_out, ARRAY64, REFERS_NOTHING, UNKNOWN),
    FIELD(told_collectives.group_size, ARRAY64, REFERS_NOTHING, UNKNOWN),
    FIELD(told_collectives.rank, ARRAY64, REFERS_NOTHING, UNKNOWN),
    FIELD(told_collectives.sequence, ARRAY64, REFERS_NOTHING, UNKNOWN),
};

#define TABLE(member, rows, fields)                                    \
    {                                                                  \
#member, offsetof(struct profile, member.count), rows, fields, \
            sizeof(fields) / sizeof *(fields)                          \
    }

const struct profile_table profile_tables[PROFILE_TABLES] = {
    TABLE(work, REFERS_WORK, work_fields),
    TABLE(api, REFERS_CALL, api_fields),
    TABLE(ranges, REFERS_RANGE, range_fields),
    TABLE(syncs, REFERS_SYNC, sync_fields),
    TABLE(osrt, REFERS_OS_CALL, osrt_fields),
    TABLE(overheads, REFERS_OVERHEAD, overhead_fields),
    TABLE(graph_nodes, REFERS_NODE, node_fields),
    TABLE(frames, REFERS_FRAME, frame_fields),
    TABLE(memory, REFERS_EVENT, memory_fields),
    TABLE(allocations, REFERS_ALLOCATION, allocation_fields),
    TABLE(told_collectives, REFERS_COLLECTIVE, collective_fields),
};

// ---- values -------------------------------------------------------------------------------------

bool field_exists(const struct profile *profile, const struct profile_field *field)
{
    const void *at = (const char *)profile + field->at;
    return field->as <= COLUMN64 ? ((const struct column64 *)at)->packed.blocks != NULL
                                 : *(void *const *)at != NULL;
}

int64_t field_value(const struct profile *profile, const struct profile_field *field, uint32_t row)
{
    const void *at = (const char *)profile + field->at;
    switch (field->as) {
    case COLUMN32:
        return column32_at(at, row);
    case COLUMN64:
        return column64_at(at, row);
    case ARRAY8:
        return (*(uint8_t *const *)at)[row];
    case ARRAY32:
        return (*(uint32_t *const *)at)[row];
    case ARRAY64:
        break;
    }
    return (*(int64_t *const *)at)[row];
}

size_t field_size(const struct profile_field *field)
{
    static const size_t sizes[] = {
        [COLUMN32] = 4, [COLUMN64] = 8, [ARRAY8] = 1, [ARRAY32] = 4, [ARRAY64] = 8};
    return sizes[field->as];
}

static void *ordered(struct arena *arena, const void *values, const uint32_t *order, uint32_t count,
                     size_t size)
{
    char *out = arena_alloc(arena, (size_t)count + 1, size);
    for (size_t i = 0; i < count; i++)
        memcpy(out + i * size, (const char *)values + (order ? order[i] : i) * size, size);
    return out;
}

void field_set(struct profile *profile, const struct profile_field *field, const void *values,
               const uint32_t *order, uint32_t count)
{
    void *to = (char *)profile + field->at;
    if (field->as == COLUMN32)
        *(struct column32 *)to =
            column32_pack(profile->arena, profile->workers, values, order, count);
    else if (field->as == COLUMN64)
        *(struct column64 *)to =
            column64_pack(profile->arena, profile->workers, values, order, count);
    else
        *(void **)to = ordered(profile->arena, values, order, count, field_size(field));
}
