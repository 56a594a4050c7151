// SPDX-License-Identifier: Apache-2.0
// Reads and checks the rows of a digest's tables.
#include "base/scratch.h"
#include "model/digest/digest_read.h"
#include "model/profile/copy_kinds.h"
#include "model/profile/roles.h"
#include "model/profile/time_limits.h"

// ---- the small tables --------------------------------------------------------------------------

static bool is_member_value(const struct digest_reader *reader, const struct member *member,
                            int64_t value)
{
    if (value == COLUMN_NONE64)
        return member->kind == MEMBER_I64 ||
               (member->kind == MEMBER_U32 && member->to == REFERS_NOTHING);
    if (member->kind == MEMBER_WORD)
        return value >= 1 && value <= reader->word_count;
    if (member->to != REFERS_NOTHING)
        return value >= 0 && value < reference_rows(reader->profile, member->to);
    return value >= member->min && value <= member->max;
}

static void put_member(const struct digest_reader *reader, const struct member *member, char *row,
                       int64_t value)
{
    void *at = row + member->at;
    switch (member->kind) {
    case MEMBER_U8:
        *(uint8_t *)at = (uint8_t)value;
        break;
    case MEMBER_BOOL:
        *(bool *)at = value != 0;
        break;
    case MEMBER_I32:
        *(int32_t *)at = (int32_t)value;
        break;
    case MEMBER_U32:
        *(uint32_t *)at = value == COLUMN_NONE64 ? ROW_NONE : (uint32_t)value;
        break;
    case MEMBER_I64:
        *(int64_t *)at = value;
        break;
    case MEMBER_WORD:
        *(const char **)at = reader->words[value - 1];
        break;
    }
}

// Allocates the rows. The row of the table `facts` is the profile itself and exists already.
static void make_rows(struct profile *profile, const struct small_table *table, uint32_t count)
{
    char *at = (char *)profile;
    if (table->rows == IN_PROFILE_ITSELF)
        return;
    *(void **)(void *)(at + table->rows) =
        arena_alloc(profile->arena, (size_t)count + 1, table->row_size);
    if (table->count_is_size)
        *(size_t *)(void *)(at + table->count) = count;
    else
        *(uint32_t *)(void *)(at + table->count) = count;
}

bool digest_read_small(struct digest_reader *reader, const struct small_table *table)
{
    uint32_t count, columns;
    if (!digest_read_table(reader, table->name, &count, &columns))
        return false;
    if (columns != table->member_count || (table->rows == IN_PROFILE_ITSELF && count != 1))
        return digest_fail_damaged(reader, "not the columns", table->name);
    if (count > table->max)
        return digest_fail_damaged(reader, "too many rows", table->name);
    make_rows(reader->profile, table, count);
    int64_t *values = ARENA_ARRAY(reader->scratch, int64_t, (size_t)count + 1);
    for (size_t m = 0; m < table->member_count; m++) {
        const struct member *member = &table->members[m];
        struct digest_column column;
        if (!digest_read_column(reader, member->name, &column))
            return false;
        if (!column.is_there ||
            !coded_read(&column.coded, column.bytes, NULL, count, values, reader->scratch))
            return digest_fail_damaged(reader, "the bytes do not fit", member->name);
        for (uint32_t i = 0; i < count; i++) {
            if (!is_member_value(reader, member, values[i]))
                return digest_fail_damaged(reader, "a value that cannot be", member->name);
            put_member(reader, member, small_table_row(reader->profile, table, i), values[i]);
        }
    }
    return true;
}

// ---- the long tables ---------------------------------------------------------------------------

struct decoded_column {
    const struct profile_field *field;
    struct digest_column file;
    int64_t *values;   // later an array of field_size() bytes per value
    const char *wrong; // NULL: valid
    int64_t earliest, latest;
};

enum { MAX_COLUMNS = 16 };

struct decoded_table {
    struct digest_reader *reader;
    const struct profile_table *table;
    uint32_t count;
    struct decoded_column columns[MAX_COLUMNS]; // per field
    size_t left;                                // number of columns to read, without the lengths
    struct decoded_column *read[MAX_COLUMNS];
};

static const struct {
    size_t at;
    int64_t min, max;
} bounds[] = {
    {offsetof(struct profile, work.bytes), 0, (INT64_C(1) << 56) - 1},
    {offsetof(struct profile, work.rate), 0, (INT64_C(1) << 56) - 1},
    {offsetof(struct profile, syncs.type), 0, 4},
    {offsetof(struct profile, memory.is_free), 0, 1},
    {offsetof(struct profile, memory.kind), 0, MEMORY_KIND_COUNT},
    {offsetof(struct profile, allocations.bytes), -ALLOCATION_LIMIT, ALLOCATION_LIMIT},
    {offsetof(struct profile, allocations.allocated), 0, ALLOCATED_LIMIT},
    {offsetof(struct profile, allocations.reserved), 0, ALLOCATED_LIMIT},
};

static void bounds_of(const struct decoded_table *rows, const struct profile_field *field,
                      int64_t *min, int64_t *max)
{
    size_t size = field_size(field);
    *min = size == 8 ? INT64_MIN : 0;
    *max = size == 8 ? INT64_MAX : size == 4 ? ROW_NONE - 1 : UINT8_MAX;
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        if (bounds[i].at == field->at) {
            *min = bounds[i].min;
            *max = bounds[i].max;
        }
    if (field->to == REFERS_TIME) {
        *min = -TIME_LIMIT;
        *max = TIME_LIMIT;
    } else if (field->to != REFERS_NOTHING && field->at != offsetof(struct profile, work.capture)) {
        // (Calls follow the work that they captured: digest_check_whole() checks it.)
        *max = (int64_t)reference_rows(rows->reader->profile, field->to) - 1;
    }
}

// Returns whether a value may be "none". References and times may if "none" is also the default for
// a missing column.
static bool may_be_none(const struct profile_field *field)
{
    if (field->to == REFERS_TIME)
        return field->otherwise == UNKNOWN;
    return field->to == REFERS_NOTHING ? field_size(field) >= 4 : field->otherwise == ROW_NONE;
}

static void check_values(const struct decoded_table *rows, struct decoded_column *column)
{
    const struct profile_field *field = column->field;
    bool may_none = may_be_none(field), is_wrong = false;
    int64_t min, max;
    bounds_of(rows, field, &min, &max);
    column->earliest = INT64_MAX;
    column->latest = INT64_MIN;
    for (uint32_t i = 0; i < rows->count; i++) {
        int64_t value = column->values[i];
        if (value == COLUMN_NONE64) {
            is_wrong |= !may_none;
            continue;
        }
        column->earliest = value < column->earliest ? value : column->earliest;
        column->latest = value > column->latest ? value : column->latest;
    }
    if (is_wrong ||
        (column->earliest <= column->latest && (column->earliest < min || column->latest > max)))
        column->wrong = "a value that cannot be";
}

// Converts the values in place to the size that they have before packing. No value overwrites a
// later one, since the sizes are at most 8 bytes.
static void make_plain(struct decoded_column *column, uint32_t count)
{
    size_t size = field_size(column->field);
    char *to = (char *)column->values;
    for (uint32_t i = 0; size < 8 && i < count; i++) {
        int64_t value = column->values[i];
        uint32_t row = value == COLUMN_NONE64 ? ROW_NONE : (uint32_t)value;
        uint8_t byte = (uint8_t)value;
        memcpy(to + i * size, size == 4 ? (const void *)&row : &byte, size);
    }
}

static void read_values(struct decoded_table *rows, struct decoded_column *column,
                        const int64_t *lengths, struct arena *scratch)
{
    if (!coded_read(&column->file.coded, column->file.bytes, lengths, rows->count, column->values,
                    scratch))
        column->wrong = "the bytes do not fit";
}

static void column_job(void *context, size_t i, struct arena *scratch)
{
    struct decoded_table *rows = context;
    struct decoded_column *column = rows->read[i];
    const struct decoded_column *ends = &rows->columns[1];
    bool has_lengths = table_has_spans(rows->table) && column == &rows->columns[0];
    read_values(rows, column, has_lengths ? ends->values : NULL, scratch);
    if (column->wrong)
        return;
    check_values(rows, column);
    if (!column->wrong)
        make_plain(column, rows->count);
}

static bool take_columns(struct decoded_table *rows, uint32_t columns)
{
    struct digest_reader *reader = rows->reader;
    for (size_t f = 0; f < rows->table->field_count; f++) {
        struct decoded_column *column = &rows->columns[f];
        column->field = &rows->table->fields[f];
        if (!digest_read_column(reader, column->field->name, &column->file))
            return false;
        columns -= column->file.is_there;
        if (!column->file.is_there && rows->count && !column->field->is_optional_field)
            return digest_fail_damaged(reader, "there is no column", column->field->name);
        if (!column->file.is_there)
            continue;
        column->values = ARENA_ARRAY(reader->scratch, int64_t, (size_t)rows->count + 1);
        if (f != 1 || !table_has_spans(rows->table))
            rows->read[rows->left++] = column;
    }
    bool has_spans = rows->columns[0].file.is_there == rows->columns[1].file.is_there ||
                     !table_has_spans(rows->table);
    return (columns == 0 && has_spans) ||
           digest_fail_damaged(reader, "not the columns", rows->table->name);
}

// Reads the lengths of the spans first, since starts may be encoded relative to them; ends are
// computed last.
static void read_columns(struct decoded_table *rows)
{
    struct digest_reader *reader = rows->reader;
    struct decoded_column *starts = &rows->columns[0], *ends = &rows->columns[1];
    bool has_spans = table_has_spans(rows->table) && ends->file.is_there;
    if (has_spans)
        read_values(rows, ends, NULL, reader->scratch);
    for (uint32_t i = 0; has_spans && i < rows->count; i++)
        if (ends->values[i] < 0 || ends->values[i] > 2 * SPAN_LIMIT)
            ends->wrong = "a length that cannot be";
    if (has_spans && ends->wrong)
        return;
    scratch_jobs(reader->scratch, reader->profile->workers, rows->left, column_job, rows);
    ends->latest = has_spans ? INT64_MIN : ends->latest;
    for (uint32_t i = 0; has_spans && !starts->wrong && i < rows->count; i++) {
        ends->values[i] += starts->values[i];
        ends->latest = ends->values[i] > ends->latest ? ends->values[i] : ends->latest;
    }
}

static bool note_columns(struct decoded_table *rows)
{
    struct digest_reader *reader = rows->reader;
    for (size_t f = 0; f < rows->table->field_count; f++) {
        const struct decoded_column *column = &rows->columns[f];
        if (column->wrong)
            return digest_fail_damaged(reader, column->wrong, column->field->name);
        bool is_end = f == 1 && table_has_spans(rows->table);
        if (!column->file.is_there || column->field->to != REFERS_TIME || !rows->count)
            continue;
        if (!is_end && column->earliest < reader->earliest)
            reader->earliest = column->earliest;
        if (column->latest > reader->latest)
            reader->latest = column->latest;
    }
    return true;
}

// ---- orders ------------------------------------------------------------------------------------

struct row_order {            // the order of a table's rows: by group, then by start
    size_t refers;            // the field that is the group, or an index of group_of
    const uint32_t *group_of; // NULL: the field is the group itself
    uint32_t groups;
    int ends; // for equal starts: 1 ends ascend, -1 they descend, 0 any order
};

// Fills first[0..groups]. Returns false when the rows are not in order.
static bool find_groups(const struct decoded_table *rows, const struct row_order *order,
                        uint32_t *first)
{
    const int64_t *start = rows->columns[0].values, *end = rows->columns[1].values;
    const uint32_t *refers = (const uint32_t *)(const void *)rows->columns[order->refers].values;
    uint32_t group = 0;
    for (uint32_t i = 0; i < rows->count; i++) {
        uint32_t own = order->group_of ? order->group_of[refers[i]] : refers[i];
        if (own < group)
            return false;
        bool is_first = i == 0 || own > group;
        while (group < own)
            first[++group] = i;
        if (is_first)
            continue;
        if (start[i] < start[i - 1] ||
            (start[i] == start[i - 1] && ((order->ends > 0 && end[i] < end[i - 1]) ||
                                          (order->ends < 0 && end[i] > end[i - 1]))))
            return false;
    }
    while (group < order->groups)
        first[++group] = rows->count;
    return true;
}

static bool is_ascending(const int64_t *values, uint32_t from, uint32_t end)
{
    for (uint32_t i = from + 1; i < end; i++)
        if (values[i] < values[i - 1])
            return false;
    return true;
}

static const uint32_t *devices_of_streams(const struct digest_reader *reader)
{
    const struct profile *profile = reader->profile;
    uint32_t *device = ARENA_ARRAY(reader->scratch, uint32_t, (size_t)profile->stream_count + 1);
    for (uint32_t i = 0; i < profile->stream_count; i++)
        device[i] = profile->streams[i].device;
    return device;
}

static const uint32_t *threads_of_labels(const struct digest_reader *reader)
{
    const struct ranges *ranges = &reader->profile->ranges;
    uint32_t *thread = ARENA_ARRAY(reader->scratch, uint32_t, (size_t)ranges->label_count + 1);
    for (uint32_t i = 0; i < ranges->label_count; i++)
        thread[i] = ranges->labels[i].thread;
    return thread;
}

static bool order_work(struct decoded_table *rows)
{
    struct profile *profile = rows->reader->profile;
    struct row_order order = {.refers = 3,
                              .group_of = devices_of_streams(rows->reader),
                              .groups = profile->device_count,
                              .ends = 1};
    uint32_t *first =
        ARENA_ARRAY(rows->reader->scratch, uint32_t, (size_t)profile->device_count + 1);
    const uint32_t *function = (const uint32_t *)(const void *)rows->columns[2].values;
    if (!find_groups(rows, &order, first))
        return false;
    for (uint32_t d = 0; d < profile->device_count; d++) {
        struct device *device = &profile->devices[d];
        device->first_work = first[d];
        device->end_work = first[d + 1];
        device->has_work = first[d] < first[d + 1];
        for (uint32_t i = first[d]; i < first[d + 1] && !device->has_kernels; i++)
            device->has_kernels = profile->functions[function[i]].kind == WORK_KERNEL;
    }
    return true;
}

// Checks a table by threads and sets the members of struct thread that delimit its rows.
static bool order_threads(struct decoded_table *rows, const struct row_order *order,
                          size_t first_at, size_t end_at)
{
    struct profile *profile = rows->reader->profile;
    uint32_t *first =
        ARENA_ARRAY(rows->reader->scratch, uint32_t, (size_t)profile->thread_count + 1);
    if (!find_groups(rows, order, first))
        return false;
    for (uint32_t t = 0; t < profile->thread_count; t++) {
        char *thread = (char *)&profile->threads[t];
        *(uint32_t *)(void *)(thread + first_at) = first[t];
        *(uint32_t *)(void *)(thread + end_at) = first[t + 1];
    }
    return true;
}

static bool order_calls(struct decoded_table *rows)
{
    struct row_order order = {.refers = 3, .groups = rows->reader->profile->thread_count};
    return order_threads(rows, &order, offsetof(struct thread, first_api),
                         offsetof(struct thread, end_api));
}

static bool order_ranges(struct decoded_table *rows)
{
    struct row_order order = {.refers = 2,
                              .group_of = threads_of_labels(rows->reader),
                              .groups = rows->reader->profile->thread_count,
                              .ends = -1};
    return order_threads(rows, &order, offsetof(struct thread, first_range),
                         offsetof(struct thread, end_range));
}

static bool order_os_calls(struct decoded_table *rows)
{
    struct row_order order = {.refers = 3, .groups = rows->reader->profile->thread_count};
    return order_threads(rows, &order, offsetof(struct thread, first_osrt),
                         offsetof(struct thread, end_osrt));
}

// Checks that the rows are in order of the threads, whose members delimit them; rows without a
// thread follow.
static bool order_overheads(struct decoded_table *rows)
{
    struct profile *profile = rows->reader->profile;
    const int64_t *start = rows->columns[0].values;
    uint32_t at = 0;
    for (uint32_t t = 0; t < profile->thread_count; t++) {
        const struct thread *thread = &profile->threads[t];
        if (thread->first_overhead != at || thread->end_overhead < at ||
            thread->end_overhead > rows->count || !is_ascending(start, at, thread->end_overhead))
            return false;
        at = thread->end_overhead;
    }
    profile->overheads.first_without_thread = at;
    return is_ascending(start, at, rows->count);
}

static bool order_by_first(struct decoded_table *rows)
{
    return is_ascending(rows->columns[0].values, 0, rows->count);
}

static bool order_frames(struct decoded_table *rows)
{
    const uint32_t *chain = (const uint32_t *)(const void *)rows->columns[0].values;
    for (uint32_t i = 0; i < rows->count; i++)
        if (chain[i] == 0 || (i && chain[i] < chain[i - 1]))
            return false;
    return true;
}

static bool (*const orders[REFERS_COUNT])(struct decoded_table *rows) = {
    [REFERS_WORK] = order_work,           [REFERS_CALL] = order_calls,
    [REFERS_RANGE] = order_ranges,        [REFERS_OS_CALL] = order_os_calls,
    [REFERS_OVERHEAD] = order_overheads,  [REFERS_NODE] = order_by_first,
    [REFERS_FRAME] = order_frames,        [REFERS_EVENT] = order_by_first,
    [REFERS_ALLOCATION] = order_by_first,
};

bool digest_read_long(struct digest_reader *reader, const struct profile_table *table)
{
    struct profile *profile = reader->profile;
    struct decoded_table rows = {.reader = reader, .table = table};
    uint32_t columns;
    if (!digest_read_table(reader, table->name, &rows.count, &columns) ||
        !take_columns(&rows, columns))
        return false;
    read_columns(&rows);
    if (!note_columns(&rows))
        return false;
    if (table_has_spans(table) && rows.count)
        times_limit_total(profile, reader->request->part_of, rows.columns[0].values,
                          rows.columns[1].values, rows.count, table->name);
    if (orders[table->rows] && !orders[table->rows](&rows))
        return digest_fail_damaged(reader, "no order in the rows", table->name);
    *(uint32_t *)(void *)((char *)profile + table->count) = rows.count;
    for (size_t f = 0; f < table->field_count; f++) {
        struct decoded_column *column = &rows.columns[f];
        if (!column->file.is_there)
            continue;
        field_set(profile, column->field, column->values, NULL, rows.count);
        ARENA_RELEASE(reader->scratch, column->values, (size_t)rows.count + 1);
    }
    return true;
}

// ---- samples of GPU metrics --------------------------------------------------------------------

static bool read_plain(struct digest_reader *reader, const char *name, uint32_t count,
                       int64_t **values)
{
    struct digest_column column;
    if (!digest_read_column(reader, name, &column))
        return false;
    *values = ARENA_ARRAY(reader->scratch, int64_t, (size_t)count + 1);
    return (column.is_there &&
            coded_read(&column.coded, column.bytes, NULL, count, *values, reader->scratch)) ||
           digest_fail_damaged(reader, "the bytes do not fit", name);
}

static bool add_samples(struct digest_reader *reader, const int64_t *time, const int64_t *bits,
                        uint32_t first, uint32_t end)
{
    struct gpu_metrics *metrics = &reader->profile->metrics;
    double sum = 0;
    for (uint32_t i = first; i < end; i++) {
        float value;
        uint32_t low = (uint32_t)bits[i];
        memcpy(&value, &low, sizeof value);
        if (bits[i] < 0 || bits[i] > UINT32_MAX || !(value >= 0 && value <= 1e9F) ||
            time[i] < -TIME_LIMIT || time[i] > TIME_LIMIT || (i > first && time[i] < time[i - 1]))
            return false;
        reader->earliest = time[i] < reader->earliest ? time[i] : reader->earliest;
        reader->latest = time[i] > reader->latest ? time[i] : reader->latest;
        metrics->time[i] = time[i];
        metrics->sum[i] = sum += (double)value;
    }
    return true;
}

bool digest_read_metrics(struct digest_reader *reader)
{
    struct profile *profile = reader->profile;
    struct gpu_metrics *metrics = &profile->metrics;
    uint32_t count, groups, columns;
    int64_t *time, *bits, *first;
    if (!digest_read_table(reader, "metrics", &count, &columns) ||
        !read_plain(reader, "time", count, &time) || !read_plain(reader, "value", count, &bits) ||
        !digest_read_table(reader, "metrics.first", &groups, &columns) ||
        !read_plain(reader, "row", groups, &first))
        return false;
    if (groups != (uint64_t)profile->device_count * METRIC_COUNT && (groups || count))
        return digest_fail_damaged(reader, "not the series", "metrics");
    if (!groups)
        return true;
    metrics->count = count;
    metrics->time = ARENA_ARRAY(profile->arena, int64_t, (size_t)count + 1);
    metrics->sum = ARENA_ARRAY(profile->arena, double, (size_t)count + 1);
    metrics->first = ARENA_ARRAY(profile->arena, uint32_t, (size_t)groups + 1);
    for (uint32_t g = 0; g < groups; g++) {
        int64_t end = g + 1 < groups ? first[g + 1] : count;
        if (first[0] != 0 || end < first[g] || end > count ||
            !add_samples(reader, time, bits, (uint32_t)first[g], (uint32_t)end))
            return digest_fail_damaged(reader, "a value that cannot be", "metrics");
        metrics->first[g + 1] = (uint32_t)end;
    }
    return true;
}

// ---- checks of the whole -----------------------------------------------------------------------

static void widen(struct profile *profile, const struct column64 *start, const struct column64 *end,
                  uint32_t count, bool *has_any)
{
    if (!count)
        return;
    int64_t from = column64_min(start, count), to = column64_max(end, count);
    profile->first_ns = !*has_any || from < profile->first_ns ? from : profile->first_ns;
    profile->last_ns = !*has_any || to > profile->last_ns ? to : profile->last_ns;
    *has_any = true;
}

// Returns whether all references of a column are rows of a table. Used if that table follows in the
// file, so that its size was unknown when the column was read.
static bool refers_to_rows(const struct column32 *column, uint32_t count, uint32_t rows)
{
    for (uint32_t i = 0; HAS(*column) && i < count; i++)
        if (AT(*column, i) != ROW_NONE && AT(*column, i) >= rows)
            return false;
    return true;
}

bool digest_check_whole(struct digest_reader *reader)
{
    struct profile *profile = reader->profile;
    const struct ranges *ranges = &profile->ranges;
    bool has_any = false;
    profile->note_capacity = profile->note_count; // more notes may be added
    if (profile->source_count != 1)
        return digest_fail_damaged(reader, "not one source", "");
    if (!roles_is_word(profile->sources[0].roles.word))
        return digest_fail_damaged(reader, "a value that cannot be", "roles.word");
    if (reader->earliest <= reader->latest && reader->latest - reader->earliest > 2 * SPAN_LIMIT)
        return digest_fail_damaged(reader, "its times lie years apart", "");
    for (uint32_t i = 0; i < ranges->label_count; i++)
        if ((ranges->labels[i].has_seq && !HAS(ranges->seq)) ||
            (ranges->labels[i].has_op_id && !HAS(ranges->op_id)))
            return digest_fail_damaged(reader, "labels without numbers", "ranges");
    uint32_t collectives = profile->told_collectives.count;
    if (!refers_to_rows(&profile->work.range, profile->work.count, ranges->count) ||
        !refers_to_rows(&profile->work.capture, profile->work.count, profile->api.count) ||
        !refers_to_rows(&profile->work.collective, profile->work.count, collectives) ||
        !refers_to_rows(&ranges->collective, ranges->count, collectives))
        return digest_fail_damaged(reader, "a row of a table that it does not have", "");
    widen(profile, &profile->work.start, &profile->work.end, profile->work.count, &has_any);
    widen(profile, &profile->api.start, &profile->api.end, profile->api.count, &has_any);
    widen(profile, &ranges->start, &ranges->end, ranges->count, &has_any);
    return true;
}
