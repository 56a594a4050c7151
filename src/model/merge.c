// SPDX-License-Identifier: Apache-2.0
// The long tables of several parts, behind each other. What their fields refer to is one table; the
// small ones are merged in merge_small.c.
#include "model/merge.h"

#include <string.h>

#include "base/sort.h"
#include "model/merge_small.h"
#include "model/scratch.h"

int64_t part_time(const struct part_clock *clock, int64_t time)
{
    if (time == UNKNOWN)
        return time;
    return time + clock->offset + (int64_t)((double)(time - clock->at) * clock->drift);
}

// ---- fields --------------------------------------------------------------------------------------

enum kept_as { COLUMN32, COLUMN64, ARRAY8, ARRAY32, ARRAY64 };

struct field {
    size_t at; // in struct profile
    enum kept_as as;
    enum reference to;
    int64_t otherwise; // of a part that lacks the field
};

struct table {
    size_t count; // where struct profile has it
    enum reference rows;
    const struct field *fields;
    size_t field_count;
    // Of all rows, by their number behind each other; NULL: they stay so.
    uint32_t *(*order)(struct merging *merging, const struct table *table, uint32_t count,
                       struct arena *scratch);
};

#define FIELD(member, as, to, otherwise)                    \
    {                                                       \
        offsetof(struct profile, member), as, to, otherwise \
    }

static const struct field work_fields[] = {
    FIELD(work.start, COLUMN64, REFERS_TIME, 0),
    FIELD(work.end, COLUMN64, REFERS_TIME, 0),
    FIELD(work.function, COLUMN32, REFERS_FUNCTION, 0),
    FIELD(work.stream, COLUMN32, REFERS_STREAM, 0),
    FIELD(work.correlation, COLUMN32, REFERS_NOTHING, 0),
    FIELD(work.shape, COLUMN32, REFERS_SHAPE, ROW_NONE),
    FIELD(work.bytes, COLUMN64, REFERS_NOTHING, 0),
    FIELD(work.graph_node, COLUMN64, REFERS_NOTHING, 0),
    FIELD(work.graph, COLUMN64, REFERS_NOTHING, 0),
    FIELD(work.flags, COLUMN32, REFERS_NOTHING, 0),
};
static const struct field api_fields[] = {
    FIELD(api.start, COLUMN64, REFERS_TIME, 0),
    FIELD(api.end, COLUMN64, REFERS_TIME, 0),
    FIELD(api.name, COLUMN32, REFERS_TEXT, 0),
    FIELD(api.thread, COLUMN32, REFERS_THREAD, 0),
    FIELD(api.correlation, COLUMN32, REFERS_NOTHING, 0),
    FIELD(api.callchain, COLUMN32, REFERS_CHAIN, 0),
    FIELD(api.result, COLUMN32, REFERS_NOTHING, 0),
};
static const struct field range_fields[] = {
    FIELD(ranges.start, COLUMN64, REFERS_TIME, 0),
    FIELD(ranges.end, COLUMN64, REFERS_TIME, 0),
    FIELD(ranges.label, COLUMN32, REFERS_LABEL, 0),
    FIELD(ranges.seq, COLUMN64, REFERS_NOTHING, 0),
    FIELD(ranges.op_id, COLUMN64, REFERS_NOTHING, 0),
};
static const struct field sync_fields[] = {
    FIELD(syncs.start, ARRAY64, REFERS_TIME, 0),
    FIELD(syncs.end, ARRAY64, REFERS_TIME, 0),
    FIELD(syncs.type, ARRAY8, REFERS_NOTHING, 0),
    FIELD(syncs.stream, ARRAY32, REFERS_STREAM, ROW_NONE),
    FIELD(syncs.api, ARRAY32, REFERS_CALL, ROW_NONE),
};
static const struct field osrt_fields[] = {
    FIELD(osrt.start, COLUMN64, REFERS_TIME, 0),
    FIELD(osrt.end, COLUMN64, REFERS_TIME, 0),
    FIELD(osrt.name, COLUMN32, REFERS_TEXT, 0),
    FIELD(osrt.thread, COLUMN32, REFERS_THREAD, 0),
};
static const struct field overhead_fields[] = {
    FIELD(overheads.start, COLUMN64, REFERS_TIME, 0),
    FIELD(overheads.end, COLUMN64, REFERS_TIME, 0),
    FIELD(overheads.name, ARRAY32, REFERS_TEXT, 0),
};
static const struct field node_fields[] = {
    FIELD(graph_nodes.node, ARRAY64, REFERS_NOTHING, 0),
    FIELD(graph_nodes.original, ARRAY64, REFERS_NOTHING, 0),
    FIELD(graph_nodes.start, ARRAY64, REFERS_TIME, UNKNOWN),
    FIELD(graph_nodes.thread, ARRAY32, REFERS_THREAD, ROW_NONE),
};
static const struct field frame_fields[] = {
    FIELD(frames.chain, ARRAY32, REFERS_CHAIN, 0),
    FIELD(frames.symbol, ARRAY32, REFERS_TEXT, 0),
    FIELD(frames.module, ARRAY32, REFERS_TEXT, 0),
};
static const struct field memory_fields[] = {
    FIELD(memory.start, COLUMN64, REFERS_TIME, 0),
    FIELD(memory.is_free, ARRAY8, REFERS_NOTHING, 0),
    FIELD(memory.kind, ARRAY8, REFERS_NOTHING, 0),
    FIELD(memory.bytes, ARRAY64, REFERS_NOTHING, UNKNOWN),
    FIELD(memory.address, ARRAY64, REFERS_NOTHING, 0),
    FIELD(memory.pool, ARRAY64, REFERS_NOTHING, 0),
    FIELD(memory.process, ARRAY32, REFERS_PROCESS, 0),
    FIELD(memory.device, ARRAY32, REFERS_DEVICE, ROW_NONE),
    FIELD(memory.api, ARRAY32, REFERS_CALL, ROW_NONE),
    FIELD(memory.name, ARRAY32, REFERS_TEXT, 0),
};

// ---- values --------------------------------------------------------------------------------------

static const void *field_of(const struct profile *profile, const struct field *field)
{
    return (const char *)profile + field->at;
}

static bool is_there(const struct profile *profile, const struct field *field)
{
    const void *at = field_of(profile, field);
    return field->as <= COLUMN64 ? ((const struct column64 *)at)->packed.blocks != NULL
                                 : *(void *const *)at != NULL;
}

static int64_t value_at(const void *at, enum kept_as as, uint32_t row)
{
    switch (as) {
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

// A kernel's shape is a row of shapes, a copy's one of copies.
static int64_t shape_of(const struct merging *merging, uint32_t part, uint32_t row, int64_t shape)
{
    const struct profile *profile = merging->parts[part].profile;
    enum work_kind kind = profile->functions[AT(profile->work.function, row)].kind;
    return merged_row(merging, part, kind == WORK_KERNEL ? REFERS_SHAPE : REFERS_COPY, shape);
}

static int64_t value_of(const struct merging *merging, uint32_t part, const struct field *field,
                        uint32_t row)
{
    const struct part *from = &merging->parts[part];
    int64_t value = value_at(field_of(from->profile, field), field->as, row);
    switch (field->to) {
    case REFERS_NOTHING:
        return value;
    case REFERS_TIME:
        return part_time(&from->clock, value);
    case REFERS_SHAPE:
        return shape_of(merging, part, row, value);
    default:
        return merged_row(merging, part, field->to, value);
    }
}

// ---- tables --------------------------------------------------------------------------------------

static uint32_t rows_of(const struct profile *profile, const struct table *table)
{
    return *(const uint32_t *)((const char *)profile + table->count);
}

struct taking { // of a field
    struct merging *merging;
    const struct table *table;
    const struct field *field;
    uint32_t count;        // rows of all parts
    const uint32_t *order; // NULL: as they stand
};

static void *plain_array(const struct taking *taking, size_t size, struct arena *arena)
{
    const struct merging *merging = taking->merging;
    char *values = arena_alloc(arena, (size_t)taking->count + 1, size);
    for (uint32_t p = 0; p < merging->count; p++) {
        const struct profile *part = merging->parts[p].profile;
        bool has = is_there(part, taking->field);
        uint32_t base = merged_row(merging, p, taking->table->rows, 0);
        for (uint32_t row = 0, end = rows_of(part, taking->table); row < end; row++) {
            int64_t value =
                has ? value_of(merging, p, taking->field, row) : taking->field->otherwise;
            char *at = values + size * ((size_t)base + row);
            if (size == 8)
                *(int64_t *)(void *)at = value;
            else if (size == 4)
                *(uint32_t *)(void *)at = (uint32_t)value;
            else
                *at = (char)value;
        }
    }
    return values;
}

static void *ordered(const struct taking *taking, const void *values, size_t size)
{
    struct arena *arena = taking->merging->merged->arena;
    char *out = arena_alloc(arena, (size_t)taking->count + 1, size);
    for (size_t i = 0; i < taking->count; i++)
        memcpy(out + i * size, (const char *)values + (taking->order ? taking->order[i] : i) * size,
               size);
    return out;
}

static void field_take(void *context, struct arena *scratch)
{
    static const size_t sizes[] = {
        [COLUMN32] = 4, [COLUMN64] = 8, [ARRAY8] = 1, [ARRAY32] = 4, [ARRAY64] = 8};
    const struct taking *taking = context;
    struct profile *merged = taking->merging->merged;
    enum kept_as as = taking->field->as;
    void *values = plain_array(taking, sizes[as], scratch);
    void *to = (char *)merged + taking->field->at;
    if (as == COLUMN32)
        *(struct column32 *)to =
            column32_pack(merged->arena, merged->workers, values, taking->order, taking->count);
    else if (as == COLUMN64)
        *(struct column64 *)to =
            column64_pack(merged->arena, merged->workers, values, taking->order, taking->count);
    else
        *(void **)to = ordered(taking, values, sizes[as]);
}

struct table_taking {
    struct merging *merging;
    const struct table *table;
};

static void table_take(void *context, struct arena *scratch)
{
    const struct table_taking *all = context;
    struct merging *merging = all->merging;
    const struct table *table = all->table;
    uint32_t count = rows_of(merging->merged, table);
    const uint32_t *order = table->order ? table->order(merging, table, count, scratch) : NULL;
    for (size_t f = 0; f < table->field_count; f++) {
        bool has = false;
        for (uint32_t p = 0; p < merging->count; p++)
            has |= is_there(merging->parts[p].profile, &table->fields[f]);
        if (has)
            scratch_run(merging->merged->arena, field_take,
                        &(struct taking){merging, table, &table->fields[f], count, order});
    }
}

// ---- orders --------------------------------------------------------------------------------------

static const int64_t *times_of(struct merging *merging, const struct table *table, size_t field,
                               uint32_t count, struct arena *scratch)
{
    return plain_array(
        &(struct taking){
            .merging = merging, .table = table, .count = count, .field = &table->fields[field]},
        sizeof(int64_t), scratch);
}

static uint32_t *order_by_first_field(struct merging *merging, const struct table *table,
                                      uint32_t count, struct arena *scratch)
{
    return sort_by_time(scratch, times_of(merging, table, 0, count, scratch), NULL, count);
}

// Of one GPU, part by part. Returns how many of them have some.
static uint32_t gather_work(const struct merging *merging, uint32_t device, uint32_t *order,
                            uint32_t *at)
{
    uint32_t users = 0;
    for (uint32_t p = 0; p < merging->count; p++) {
        const struct profile *part = merging->parts[p].profile;
        uint32_t base = merged_row(merging, p, REFERS_WORK, 0);
        for (uint32_t own = 0; own < part->device_count; own++) {
            const struct device *from = &part->devices[own];
            if (merged_row(merging, p, REFERS_DEVICE, own) != device)
                continue;
            users += from->end_work > from->first_work;
            for (uint32_t row = from->first_work; row < from->end_work; row++)
                order[(*at)++] = base + row;
        }
    }
    return users;
}

// By GPU, each part's in order of time; of one that several parts ran work on by time again.
static uint32_t *order_of_work(struct merging *merging, const struct table *table, uint32_t count,
                               struct arena *scratch)
{
    struct profile *merged = merging->merged;
    uint32_t *order = ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1), at = 0;
    const int64_t *start = NULL, *end = NULL;
    for (uint32_t d = 0; d < merged->device_count; d++) {
        struct device *device = &merged->devices[d];
        device->first_work = at;
        uint32_t users = gather_work(merging, d, order, &at);
        device->end_work = at;
        if (users < 2)
            continue;
        start = start ? start : times_of(merging, table, 0, count, scratch);
        end = end ? end : times_of(merging, table, 1, count, scratch);
        sort_ids_by_time(order + device->first_work, at - device->first_work, start, end, scratch);
    }
    return order;
}

// By thread; what is of none comes last.
static uint32_t *order_of_overheads(struct merging *merging, const struct table *table,
                                    uint32_t count, struct arena *scratch)
{
    (void)table;
    uint32_t *order = ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1), at = 0;
    for (int is_unowned = 0; is_unowned < 2; is_unowned++) {
        for (uint32_t p = 0; p < merging->count; p++) {
            const struct overheads *part = &merging->parts[p].profile->overheads;
            uint32_t base = merged_row(merging, p, REFERS_OVERHEAD, 0);
            uint32_t end = is_unowned ? part->count : part->first_unowned;
            for (uint32_t row = is_unowned ? part->first_unowned : 0; row < end; row++)
                order[at++] = base + row;
        }
        if (!is_unowned)
            merging->merged->overheads.first_unowned = at;
    }
    return order;
}

// ---- all -----------------------------------------------------------------------------------------

#define TABLE(member, rows, fields, order)                                                       \
    {                                                                                            \
        offsetof(struct profile, member.count), rows, fields, sizeof(fields) / sizeof *(fields), \
            order                                                                                \
    }

static const struct table tables[] = {
    TABLE(work, REFERS_WORK, work_fields, order_of_work),
    TABLE(api, REFERS_CALL, api_fields, NULL),
    TABLE(ranges, REFERS_RANGE, range_fields, NULL),
    TABLE(syncs, REFERS_SYNC, sync_fields, NULL),
    TABLE(osrt, REFERS_OS_CALL, osrt_fields, NULL),
    TABLE(overheads, REFERS_OVERHEAD, overhead_fields, order_of_overheads),
    TABLE(graph_nodes, REFERS_NODE, node_fields, order_by_first_field),
    TABLE(frames, REFERS_FRAME, frame_fields, NULL),
    TABLE(memory, REFERS_EVENT, memory_fields, order_by_first_field),
};
enum { TABLES = sizeof tables / sizeof *tables };

static bool fits(uint64_t rows, struct error *error)
{
    return rows < ROW_NONE ||
           error_set(error, ERROR_DATA,
                     "the files hold more rows of one kind together than this program can number "
                     "(%u): open fewer of them",
                     ROW_NONE);
}

// Where each part's rows will stand. False: they are more than a row number can tell.
static bool find_places(struct merging *merging, struct error *error)
{
    uint64_t samples = 0;
    for (size_t t = 0; t < TABLES; t++) {
        uint64_t rows = 0;
        for (uint32_t p = 0; p < merging->count; p++) {
            uint32_t own = rows_of(merging->parts[p].profile, &tables[t]);
            merging->places[p].of[tables[t].rows] =
                (struct merged_rows){.base = (uint32_t)rows, .count = own};
            rows += own;
        }
        if (!fits(rows, error))
            return false;
        *(uint32_t *)((char *)merging->merged + tables[t].count) = (uint32_t)rows;
    }
    for (uint32_t p = 0; p < merging->count; p++)
        samples += merging->parts[p].profile->metrics.count;
    return fits(samples, error);
}

bool profile_merge(struct profile *merged, const struct part *parts, uint32_t count,
                   struct error *error)
{
    struct merging merging = {
        .merged = merged,
        .parts = parts,
        .count = count,
        .places = ARENA_ARRAY(merged->arena, struct merged_places, count),
    };
    if (!find_places(&merging, error))
        return false;
    merge_small(&merging);
    for (size_t t = 0; t < TABLES; t++)
        scratch_run(merged->arena, table_take, &(struct table_taking){&merging, &tables[t]});
    merge_rest(&merging);
    return true;
}
