// SPDX-License-Identifier: Apache-2.0
// Sums copies and memsets by direction, and below each direction by the kinds of memory at both
// ends, with the figures of nsys's cuda_gpu_mem_time_sum and cuda_gpu_mem_size_sum.
#include <string.h>

#include "analysis/report/copy_ends.h"
#include "analysis/report/report.h"
#include "analysis/report/stats_getters.h"
#include "analysis/sums/work_text.h"
#include "base/sort.h"
#include "model/profile/recorder.h"

struct memory_row {
    const char *operation, *memory; // memory: "pinned to device", or "all"
    bool is_part;
    uint32_t key;
    struct stats time;
    struct stats bytes; // of copies whose bytes are recorded
    int64_t sized_ns;   // time of these copies
    struct stats rate;  // bytes per second of each copy; copies without a duration are left out
    int64_t exclusive_ns, all_ns;
};

static const struct memory_row *row_of(const void *row)
{
    return row;
}

static struct value get_operation(const void *row)
{
    return value_text(row_of(row)->operation);
}

static struct value get_memory(const void *row)
{
    return value_text(row_of(row)->memory);
}

static struct value get_share(const void *row)
{
    const struct memory_row *r = row;
    return value_share(r->time.total, r->all_ns);
}

static struct value get_calls(const void *row)
{
    return value_integer((int64_t)row_of(row)->time.count);
}

STATS_GETTERS(gpu, memory_row, time)

static struct value get_exclusive(const void *row)
{
    return value_integer(row_of(row)->exclusive_ns);
}

STATS_GETTERS(bytes, memory_row, bytes)

static struct value get_rate(const void *row)
{
    const struct memory_row *r = row;
    return r->sized_ns > 0 ? value_real((double)r->bytes.total * 1e9 / (double)r->sized_ns)
                           : value_none();
}

static struct value rate_value(const void *row, double rate)
{
    return row_of(row)->rate.count ? value_real(rate) : value_none();
}

static struct value get_rate_avg(const void *row)
{
    return rate_value(row, row_of(row)->rate.mean);
}

static struct value get_rate_med(const void *row)
{
    return rate_value(row, row_of(row)->rate.median);
}

static struct value get_rate_min(const void *row)
{
    return rate_value(row, (double)row_of(row)->rate.min);
}

static struct value get_rate_max(const void *row)
{
    return rate_value(row, (double)row_of(row)->rate.max);
}

static struct value get_rate_std(const void *row)
{
    return rate_value(row, row_of(row)->rate.deviation);
}

static const struct column columns[] = {
    {"operation", "Operation", "operation", UNIT_TEXT, get_operation,
     "Direction of the copy, or memset.", COLUMN_NAME},
    {"memory", "Memory", "memory", UNIT_TEXT, get_memory,
     "Kinds of memory from and to. \"all\" is the sum of the rows below it; they are shown where "
     "there is more than one kind, and in comparisons.",
     COLUMN_IDENTIFIES},
    {"time", "Share of Copy Time (%)", "%copy", UNIT_PERCENT, get_share,
     "Total time of the row over that of all copies and memsets.", COLUMN_SHARE},
    {"gpu_total", "Total GPU Time (ns)", "GPU", UNIT_NS, get_gpu_total, "Sum of the durations.",
     COLUMN_BAR | COLUMN_SUM},
    {"exclusive", "Exclusive GPU Time (ns)", "exclusive", UNIT_NS, get_exclusive,
     "Time in which these alone keep their GPU from being idle: copies that nothing hides.",
     COLUMN_SUM | COLUMN_WIDE | COLUMN_TIMED},
    {"calls", "Calls", "calls", UNIT_COUNT, get_calls, "Number of copies.", COLUMN_SUM},
    {"bytes", "Total Bytes", "bytes", UNIT_BYTES, get_bytes_total,
     "Bytes moved, as far as the file tells: those of which it does not are in no figure of bytes.",
     COLUMN_SUM},
    {"rate", "Throughput (B/s)", "rate", UNIT_RATE, get_rate,
     "Total bytes over the GPU time of the copies whose bytes are known.", 0},
    {"gpu_avg", "Avg GPU Time (ns)", "avg", UNIT_NS, get_gpu_avg, "Mean duration.", COLUMN_WIDE},
    {"gpu_med", "Med GPU Time (ns)", "median", UNIT_NS, get_gpu_med, "Median duration.",
     COLUMN_WIDE},
    {"gpu_min", "Min GPU Time (ns)", "min", UNIT_NS, get_gpu_min, "The shortest.", COLUMN_DETAIL},
    {"gpu_max", "Max GPU Time (ns)", "max", UNIT_NS, get_gpu_max, "The longest.", COLUMN_WIDE},
    {"gpu_std", "StdDev GPU Time (ns)", "stddev", UNIT_NS, get_gpu_std,
     "Standard deviation of a sample (n - 1).", COLUMN_DETAIL},
    {"rate_avg", "Avg Throughput (B/s)", "avg rate", UNIT_RATE, get_rate_avg,
     "Mean of each one's bytes over its time, as the file tells it where it does. One by one over "
     "time: `launches` of these.",
     COLUMN_DETAIL},
    {"rate_med", "Med Throughput (B/s)", "med rate", UNIT_RATE, get_rate_med, "Median of these.",
     COLUMN_DETAIL},
    {"rate_min", "Min Throughput (B/s)", "min rate", UNIT_RATE, get_rate_min, "The least of these.",
     COLUMN_DETAIL},
    {"rate_max", "Max Throughput (B/s)", "max rate", UNIT_RATE, get_rate_max, "The most of these.",
     COLUMN_DETAIL},
    {"rate_std", "StdDev Throughput (B/s)", "std rate", UNIT_RATE, get_rate_std,
     "Standard deviation of a sample (n - 1).", COLUMN_DETAIL},
    {"bytes_avg", "Avg Bytes", "avg bytes", UNIT_BYTES, get_bytes_avg, "Mean size of one.",
     COLUMN_WIDE},
    {"bytes_med", "Med Bytes", "med bytes", UNIT_BYTES, get_bytes_med, "Median size.",
     COLUMN_DETAIL},
    {"bytes_min", "Min Bytes", "min bytes", UNIT_BYTES, get_bytes_min, "The smallest.",
     COLUMN_DETAIL},
    {"bytes_max", "Max Bytes", "max bytes", UNIT_BYTES, get_bytes_max, "The largest.",
     COLUMN_DETAIL},
    {"bytes_std", "StdDev Bytes", "std bytes", UNIT_BYTES, get_bytes_std,
     "Standard deviation of a sample (n - 1).", COLUMN_DETAIL},
};

// ---- rows ---------------------------------------------------------------------------------------

struct copy_parts {
    const struct gpu_work *work;
    uint32_t *of_work; // COPY_PARTS if not selected
    uint32_t *counts;  // number of copies, by part
    uint32_t *sized;   // number of copies with known bytes, by part
    uint32_t *timed;   // number of copies with a rate, by part
    struct figure_groups times, bytes, rates;
    struct memory_row *rows; // by part
    int64_t all_ns;
};

// Assigns the selected work to parts and counts it. Returns false if none is selected.
static bool parts_count(struct copy_parts *parts, const struct profile *profile,
                        const struct selection *selection, struct arena *arena)
{
    const struct gpu_work *work = parts->work = &profile->work;
    bool has_copies = false;
    parts->counts = ARENA_ARRAY(arena, uint32_t, COPY_PARTS);
    parts->sized = ARENA_ARRAY(arena, uint32_t, COPY_PARTS);
    parts->timed = ARENA_ARRAY(arena, uint32_t, COPY_PARTS);
    parts->of_work = ARENA_ARRAY(arena, uint32_t, work->count + 1);
    for (uint32_t w = 0; w < work->count; w++) {
        uint32_t part = copy_part_of(profile, w);
        if (part < COPY_PARTS && !selection_has_work(profile, selection, w))
            part = COPY_PARTS;
        parts->of_work[w] = part;
        if (part == COPY_PARTS)
            continue;
        parts->counts[part]++;
        parts->sized[part] += work_bytes(profile, w) != UNKNOWN;
        parts->timed[part] += work_rate(profile, w) != UNKNOWN;
        has_copies = true;
    }
    return has_copies;
}

static void row_fill(struct memory_row *row, const struct copy_parts *parts, size_t first,
                     size_t count)
{
    size_t from = parts->times.first[first], to = parts->times.first[first + count];
    row->time = stats_of(parts->times.values + from, to - from);
    from = parts->bytes.first[first];
    row->bytes = stats_of(parts->bytes.values + from, parts->bytes.first[first + count] - from);
    from = parts->rates.first[first];
    row->rate = stats_of(parts->rates.values + from, parts->rates.first[first + count] - from);
}

static void parts_measure(struct copy_parts *parts, const struct profile *profile,
                          struct arena *arena)
{
    const struct gpu_work *work = parts->work;
    parts->rows = ARENA_ARRAY(arena, struct memory_row, COPY_PARTS);
    parts->times = groups_begin(parts->counts, COPY_PARTS, arena);
    parts->bytes = groups_begin(parts->sized, COPY_PARTS, arena);
    parts->rates = groups_begin(parts->timed, COPY_PARTS, arena);
    for (uint32_t w = 0; w < work->count; w++) {
        uint32_t part = parts->of_work[w];
        if (part == COPY_PARTS)
            continue;
        int64_t ns = AT(work->end, w) - AT(work->start, w);
        groups_add(&parts->times, part, ns);
        if (work_bytes(profile, w) != UNKNOWN) {
            groups_add(&parts->bytes, part, work_bytes(profile, w));
            sum_add(&parts->rows[part].sized_ns, ns);
        }
        if (work_rate(profile, w) != UNKNOWN)
            groups_add(&parts->rates, part, work_rate(profile, w));
        sum_add(&parts->all_ns, ns);
        parts->rows[part].exclusive_ns += HAS(work->exclusive) ? AT(work->exclusive, w) : 0;
    }
    ARENA_RELEASE(arena, parts->of_work, work->count + 1);
    for (uint32_t p = 0; p < COPY_PARTS; p++)
        if (parts->counts[p])
            row_fill(&parts->rows[p], parts, p, 1);
}

// Adds the row of an operation, followed by its parts if there are at least `min_parts`. Returns
// the number of rows.
static size_t rows_add(struct memory_row *rows, const struct memory_row *total, uint32_t operation,
                       const struct copy_parts *parts, size_t min_parts, struct arena *arena)
{
    uint32_t first = operation * COPY_PARTS_PER_OPERATION;
    size_t count = 1;
    rows[0] = *total;
    rows[0].operation = copy_operation_name(operation);
    rows[0].memory = "all";
    rows[0].key = COPY_PARTS + operation;
    for (uint32_t p = first; p < first + COPY_PARTS_PER_OPERATION; p++) {
        if (parts->counts[p] == 0)
            continue;
        struct memory_row *row = &rows[count++];
        *row = parts->rows[p];
        row->operation = rows[0].operation;
        row->memory = copy_memory_text(p, arena);
        row->is_part = true;
        row->key = p;
        rows[0].exclusive_ns += row->exclusive_ns;
        sum_add(&rows[0].sized_ns, row->sized_ns);
    }
    if (count > min_parts)
        return count;
    rows[0].memory = rows[1].memory; // the only kind of memory names the row of the operation
    return 1;
}

static int compare_operations(const void *context, uint32_t a, uint32_t b)
{
    const struct memory_row *totals = context;
    return (totals[a].time.total < totals[b].time.total) -
           (totals[a].time.total > totals[b].time.total);
}

static const char *empty_text(const struct profile *profile)
{
    const struct gpu_work *work = &profile->work;
    for (uint32_t w = 0; w < work->count; w++)
        if (copy_part_of(profile, w) < COPY_PARTS)
            return "No copy or memset is in what is selected.";
    return recorder_lack_text(profile, LACKS_COPIES);
}

static struct rows build_rows(const struct profile *profile, const struct selection *selection,
                              size_t min_parts, struct arena *arena)
{
    struct copy_parts parts = {0};
    if (!parts_count(&parts, profile, selection, arena))
        return (struct rows){.empty = empty_text(profile)};
    // The parts are measured before their whole, since the whole's median reorders the values of
    // its parts.
    parts_measure(&parts, profile, arena);
    struct memory_row totals[COPY_OPERATIONS] = {0};
    uint32_t order[COPY_OPERATIONS];
    for (uint32_t o = 0; o < COPY_OPERATIONS; o++) {
        row_fill(&totals[o], &parts, (size_t)o * COPY_PARTS_PER_OPERATION,
                 COPY_PARTS_PER_OPERATION);
        order[o] = o;
    }
    sort_ids(order, COPY_OPERATIONS, compare_operations, totals, arena);
    struct memory_row *rows = ARENA_ARRAY(arena, struct memory_row, COPY_PARTS + COPY_OPERATIONS);
    size_t count = 0;
    for (uint32_t i = 0; i < COPY_OPERATIONS; i++)
        if (totals[order[i]].time.count)
            count += rows_add(&rows[count], &totals[order[i]], order[i], &parts, min_parts, arena);
    for (size_t i = 0; i < count; i++) {
        rows[i].all_ns = parts.all_ns;
        if (!HAS(profile->work.exclusive))
            rows[i].exclusive_ns = UNKNOWN;
    }
    return (struct rows){
        .items = rows,
        .count = count,
        .caption = profile->has_memory_events || recorder_of(profile) != RECORDER_NSYS
                       ? "Copies and memsets (allocations: report allocations)"
                       : "Copies and memsets (allocations: nsys --cuda-memory-usage=true)",
    };
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    return build_rows(profile, selection, 2, arena);
}

// Comparisons show even a single part, since the other side may have more parts.
static struct rows build_kinds(const struct profile *profile, const struct selection *selection,
                               struct arena *arena)
{
    return build_rows(profile, selection, 1, arena);
}

static struct row_match row_match(const void *row)
{
    return (struct row_match){
        {row_of(row)->operation, row_of(row)->is_part ? row_of(row)->memory : NULL}};
}

static uint64_t row_id(const void *row)
{
    return row_of(row)->key;
}

static unsigned row_depth(const void *row)
{
    return row_of(row)->is_part;
}

static bool row_has_children(const void *row)
{
    return !row_of(row)->is_part && strcmp(row_of(row)->memory, "all") == 0;
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    selection->copies = row_of(row)->key;
    return "launches";
}

#define MEMORY_REPORT                                                                             \
    .name = "memory", .title = "Copies and memsets",                                              \
    .doc = "Copies and memsets by direction and kind of memory, as nsys's cuda_gpu_mem_time_sum " \
           "and cuda_gpu_mem_size_sum.",                                                          \
    .row_size = sizeof(struct memory_row), .column_count = sizeof columns / sizeof *columns,      \
    .columns = columns, .is_aggregate = true, .id = row_id, .match = row_match,                   \
    .depth = row_depth, .has_children = row_has_children, .narrow = row_narrow, .is_work = true,  \
    .is_timed = true

// Comparisons use this report instead of `memory`.
const struct report report_memory_kinds = {MEMORY_REPORT, .build = build_kinds};
const struct report report_memory = {MEMORY_REPORT, .build = build,
                                     .comparison_report = &report_memory_kinds};
