// SPDX-License-Identifier: Apache-2.0
// Concatenates the long tables of several parts (tables.h). merge_small.c merges the small ones.
#include "model/open/merge.h"

#include <string.h>

#include "base/scratch.h"
#include "base/sort.h"
#include "model/open/merge_small.h"
#include "model/profile/tables.h"

int64_t part_time(const struct part_clock *clock, int64_t time)
{
    if (time == UNKNOWN)
        return time;
    return time + clock->offset + (int64_t)((double)(time - clock->at) * clock->drift);
}

// ---- values ------------------------------------------------------------------------------------

// Maps the `shape` of a piece of work: for a kernel a row of shapes, for a copy a row of copies.
static int64_t shape_of(const struct profile_merger *merger, uint32_t part, uint32_t row,
                        int64_t shape)
{
    const struct profile *profile = merger->parts[part].profile;
    enum work_kind kind = profile->functions[AT(profile->work.function, row)].kind;
    return merged_row(merger, part, kind == WORK_KERNEL ? REFERS_SHAPE : REFERS_COPY, shape);
}

static bool is_correlation(const struct profile_field *field)
{
    return field->at == offsetof(struct profile, work.correlation) ||
           field->at == offsetof(struct profile, api.correlation);
}

static int64_t value_of(const struct profile_merger *merger, uint32_t part,
                        const struct profile_field *field, uint32_t row)
{
    const struct part *from = &merger->parts[part];
    int64_t value = field_value(from->profile, field, row);
    switch (field->to) {
    case REFERS_NOTHING:
        return value && is_correlation(field) ? value + merger->correlation_shift[part] : value;
    case REFERS_TIME:
        return part_time(&from->clock, value);
    case REFERS_SHAPE:
        return shape_of(merger, part, row, value);
    default:
        return merged_row(merger, part, field->to, value);
    }
}

// ---- tables ------------------------------------------------------------------------------------

struct field_job { // one field of one table
    struct profile_merger *merger;
    const struct profile_table *table;
    const struct profile_field *field;
    uint32_t count;        // rows of all parts
    const uint32_t *order; // NULL: unchanged
};

static void *plain_array(const struct field_job *job, size_t size, struct arena *arena)
{
    const struct profile_merger *merger = job->merger;
    char *values = arena_alloc(arena, (size_t)job->count + 1, size);
    for (uint32_t p = 0; p < merger->count; p++) {
        const struct profile *part = merger->parts[p].profile;
        bool exists = field_exists(part, job->field);
        const struct merged_rows *places = &merger->places[p].of[job->table->rows];
        for (uint32_t row = 0, end = table_rows(part, job->table); row < end; row++) {
            int64_t value = exists ? value_of(merger, p, job->field, row) : job->field->otherwise;
            size_t place = places->map ? places->map[row] : (size_t)places->base + row;
            char *cell = values + size * place;
            if (size == 8)
                *(int64_t *)(void *)cell = value;
            else if (size == 4)
                *(uint32_t *)(void *)cell = (uint32_t)value;
            else
                *cell = (char)value;
        }
    }
    return values;
}

static void merge_field(void *context, struct arena *scratch)
{
    const struct field_job *job = context;
    void *values = plain_array(job, field_size(job->field), scratch);
    field_set(job->merger->merged, job->field, values, job->order, job->count);
}

// ---- orders ------------------------------------------------------------------------------------

static const int64_t *times_of(struct profile_merger *merger, const struct profile_table *table,
                               size_t field, uint32_t count, struct arena *scratch)
{
    return plain_array(
        &(struct field_job){
            .merger = merger, .table = table, .count = count, .field = &table->fields[field]},
        sizeof(int64_t), scratch);
}

static uint32_t *order_by_first_field(struct profile_merger *merger,
                                      const struct profile_table *table, uint32_t count,
                                      struct arena *scratch)
{
    return sort_by_time(scratch, times_of(merger, table, 0, count, scratch), NULL, count);
}

// Appends the work of one GPU, part by part. Returns the number of parts that have some.
static uint32_t gather_work(const struct profile_merger *merger, uint32_t device, uint32_t *order,
                            uint32_t *next_row)
{
    uint32_t users = 0;
    for (uint32_t p = 0; p < merger->count; p++) {
        const struct profile *part = merger->parts[p].profile;
        uint32_t base = merged_row(merger, p, REFERS_WORK, 0);
        for (uint32_t part_device = 0; part_device < part->device_count; part_device++) {
            const struct device *from = &part->devices[part_device];
            if (merged_row(merger, p, REFERS_DEVICE, part_device) != device)
                continue;
            users += from->end_work > from->first_work;
            for (uint32_t row = from->first_work; row < from->end_work; row++)
                order[(*next_row)++] = base + row;
        }
    }
    return users;
}

// Returns the order of work by GPU, then by time. If the work of a GPU is from one part, it is in
// order of time already.
static uint32_t *order_of_work(struct profile_merger *merger, const struct profile_table *table,
                               uint32_t count, struct arena *scratch)
{
    struct profile *merged = merger->merged;
    uint32_t *order = ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1), next_row = 0;
    const int64_t *start = NULL, *end = NULL;
    for (uint32_t d = 0; d < merged->device_count; d++) {
        struct device *device = &merged->devices[d];
        device->first_work = next_row;
        uint32_t users = gather_work(merger, d, order, &next_row);
        device->end_work = next_row;
        if (users < 2)
            continue;
        start = start ? start : times_of(merger, table, 0, count, scratch);
        end = end ? end : times_of(merger, table, 1, count, scratch);
        sort_ids_by_time(order + device->first_work, next_row - device->first_work, start, end,
                         scratch);
    }
    return order;
}

// Returns the order of overheads by thread; rows without a thread are last, by part.
static uint32_t *order_of_overheads(struct profile_merger *merger,
                                    const struct profile_table *table, uint32_t count,
                                    struct arena *scratch)
{
    (void)table;
    uint32_t *order = ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1), next_row = 0;
    for (int is_without_thread = 0; is_without_thread < 2; is_without_thread++) {
        for (uint32_t p = 0; p < merger->count; p++) {
            const struct overheads *part = &merger->parts[p].profile->overheads;
            uint32_t base = merged_row(merger, p, REFERS_OVERHEAD, 0);
            uint32_t end = is_without_thread ? part->count : part->first_without_thread;
            for (uint32_t row = is_without_thread ? part->first_without_thread : 0; row < end;
                 row++)
                order[next_row++] = base + row;
            merger->merged->sources[p].end_without_thread = next_row;
        }
        if (!is_without_thread)
            merger->merged->overheads.first_without_thread = next_row;
    }
    return order;
}

// ---- all tables --------------------------------------------------------------------------------

// Returns the order of a merged table's rows, which are numbered part by part. Tables without such
// a function keep that order.
typedef uint32_t *find_order(struct profile_merger *merger, const struct profile_table *table,
                             uint32_t count, struct arena *scratch);
static find_order *const orders[REFERS_COUNT] = {
    [REFERS_WORK] = order_of_work,
    [REFERS_OVERHEAD] = order_of_overheads,
    [REFERS_NODE] = order_by_first_field,
    [REFERS_EVENT] = order_by_first_field,
    [REFERS_ALLOCATION] = order_by_first_field,
};

struct table_job {
    struct profile_merger *merger;
    const struct profile_table *table;
};

static void merge_table(void *context, struct arena *scratch)
{
    const struct table_job *all = context;
    struct profile_merger *merger = all->merger;
    const struct profile_table *table = all->table;
    uint32_t count = table_rows(merger->merged, table);
    find_order *find = orders[table->rows];
    const uint32_t *order = find ? find(merger, table, count, scratch) : NULL;
    for (size_t f = 0; f < table->field_count; f++) {
        bool exists = false;
        for (uint32_t p = 0; p < merger->count; p++)
            exists |= field_exists(merger->parts[p].profile, &table->fields[f]);
        if (exists)
            scratch_run(merger->merged->arena, merge_field,
                        &(struct field_job){merger, table, &table->fields[f], count, order});
    }
}

static bool fits(uint64_t rows, struct error *error)
{
    return rows < ROW_NONE ||
           error_set(error, ERROR_DATA,
                     "the files hold more rows of one kind together than this program can number "
                     "(%u): open fewer of them",
                     ROW_NONE);
}

// Sets the row numbers of each part in the merged tables. Returns false when they exceed the range
// of a row number.
static bool find_places(struct profile_merger *merger, struct error *error)
{
    uint64_t samples = 0;
    for (size_t t = 0; t < PROFILE_TABLES; t++) {
        uint64_t rows = 0;
        for (uint32_t p = 0; p < merger->count; p++) {
            uint32_t count = table_rows(merger->parts[p].profile, &profile_tables[t]);
            merger->places[p].of[profile_tables[t].rows] =
                (struct merged_rows){.base = (uint32_t)rows, .count = count};
            rows += count;
        }
        if (!fits(rows, error))
            return false;
        *(uint32_t *)((char *)merger->merged + profile_tables[t].count) = (uint32_t)rows;
    }
    for (uint32_t p = 0; p < merger->count; p++)
        samples += merger->parts[p].profile->metrics.count;
    return fits(samples, error);
}

bool profile_merge(struct profile *merged, const struct part *parts, uint32_t count,
                   struct error *error)
{
    struct profile_merger merger = {
        .merged = merged,
        .parts = parts,
        .count = count,
        .places = ARENA_ARRAY(merged->arena, struct merged_places, count),
    };
    if (!find_places(&merger, error))
        return false;
    merge_small(&merger);
    for (size_t t = 0; t < PROFILE_TABLES; t++)
        scratch_run(merged->arena, merge_table, &(struct table_job){&merger, &profile_tables[t]});
    merge_rest(&merger);
    return true;
}
