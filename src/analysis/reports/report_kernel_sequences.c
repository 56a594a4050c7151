// SPDX-License-Identifier: Apache-2.0
// Counts the sequences of kernels that runs of an op launch: HTA's frequent kernel sequences. A
// sequence that many runs repeat could become one kernel or one graph replay.
//
// Sequences are the nodes of a trie: each is the previous sequence plus one kernel name. A run is a
// series of launches within one outermost op, its owner.
#include "analysis/report/operators.h"
#include "analysis/report/report.h"
#include "analysis/report/stats.h"
#include "analysis/sums/work_text.h"
#include "base/text/bytes.h"
#include "base/tuples.h"

enum { MIN_SEQUENCE = 2, MAX_SEQUENCE_SHOWN = 64 }; // in kernels; longer texts are cut

struct sequence_row {
    const char *op, *kernels;
    uint32_t length;
    int64_t runs, gpu_ns, work_ns;
    int64_t call_ns; // duration of the launching calls
};

static const struct sequence_row *row_of(const void *row)
{
    return row;
}

static struct value get_kernels(const void *row)
{
    return value_text(row_of(row)->kernels);
}

static struct value get_op(const void *row)
{
    return value_text(row_of(row)->op);
}

static struct value get_length(const void *row)
{
    return value_integer(row_of(row)->length);
}

static struct value get_runs(const void *row)
{
    return value_integer(row_of(row)->runs);
}

static struct value get_total(const void *row)
{
    return value_integer(row_of(row)->gpu_ns);
}

static struct value get_share(const void *row)
{
    return value_share(row_of(row)->gpu_ns, row_of(row)->work_ns);
}

static struct value get_each(const void *row)
{
    return value_real((double)row_of(row)->gpu_ns / (double)row_of(row)->runs /
                      (double)row_of(row)->length);
}

static struct value get_calls(const void *row)
{
    return value_integer(row_of(row)->call_ns);
}

static const struct column columns[] = {
    {"op", "Op", "op", UNIT_TEXT, get_op,
     "The outermost op around the launches, of a part of the tree the outermost one in it; in a "
     "file "
     "without ops the innermost range.",
     COLUMN_IDENTIFIES},
    {"gpu_total", "Total GPU Time (ns)", "GPU", UNIT_NS, get_total, "Sum of the durations.",
     COLUMN_BAR | COLUMN_SUM},
    {"work", "Share of Kernel Time (%)", "%kernels", UNIT_PERCENT, get_share,
     "Of the time of all kernels that are selected.", COLUMN_SHARE},
    {"runs", "Runs", "runs", UNIT_COUNT, get_runs, "How often the op launched just these.",
     COLUMN_SUM},
    {"length", "Kernels per Run", "kernels", UNIT_COUNT, get_length, "How many it launches.", 0},
    {"gpu_avg", "Avg GPU Time per Kernel (ns)", "avg", UNIT_NS, get_each,
     "Mean duration of one kernel: where it is a few microseconds, launching is what costs.", 0},
    {"call", "Launching (ns)", "launching", UNIT_NS, get_calls,
     "What the calls took that launched them.", COLUMN_WIDE | COLUMN_SUM | COLUMN_HOST},
    {"sequence", "Kernels", "one after the other", UNIT_TEXT, get_kernels,
     "Their names in the order in which they were launched; of more than 64 the first ones.",
     COLUMN_NAME},
};

// ---- owners of launches -------------------------------------------------------------------------

static bool is_op(const struct profile *profile, uint32_t range)
{
    return operator_role(profile, range_label(&profile->ranges, range)) == RANGE_ROLE_OPERATOR;
}

// Returns, by range, the owner of its launches: the outermost selected op that contains it, or
// ROW_NONE. In a file without ops, each selected range is its own owner.
static uint32_t *outermost_ops(const struct profile *profile, const struct selection *selection,
                               struct arena *arena)
{
    const struct ranges *ranges = &profile->ranges;
    uint32_t *outermost = ARENA_ARRAY(arena, uint32_t, (size_t)ranges->count + 1);
    bool has_ops = false;
    for (uint32_t r = 0; r < ranges->count; r++) { // parents precede their children
        uint32_t parent = AT(ranges->parent, r);
        outermost[r] = parent < r ? outermost[parent] : ROW_NONE;
        has_ops |= is_op(profile, r);
        if (outermost[r] == ROW_NONE && is_op(profile, r) &&
            selection_has_range(profile, selection, r))
            outermost[r] = r;
    }
    for (uint32_t r = 0; !has_ops && r < ranges->count; r++)
        outermost[r] = selection_has_range(profile, selection, r) ? r : ROW_NONE;
    return outermost;
}

// ---- sequences ----------------------------------------------------------------------------------

struct sequence_search {
    const struct profile *profile;
    const struct selection *selection;
    // the trie: (number of the previous sequence or 0, kernel name); a sequence's number is index +
    // 1
    struct tuples steps;
    struct tuples groups;      // (op name, sequence) -> row
    struct sequence_row *rows; // by group
    size_t row_count, row_capacity;
    struct arena *arena;
    // State of the current run.
    uint32_t owner, sequence, length;
    int64_t gpu_ns, call_ns;
};

static void run_end(struct sequence_search *search)
{
    if (search->owner != ROW_NONE && search->length >= MIN_SEQUENCE) {
        string_id op = range_name(&search->profile->ranges, search->owner);
        uint32_t group = tuples_put(&search->groups, (int64_t[2]){(int64_t)op, search->sequence});
        if (group == search->row_count)
            ARENA_PUSH(search->arena, search->rows, search->row_count, search->row_capacity) =
                (struct sequence_row){.length = search->length};
        struct sequence_row *row = &search->rows[group];
        row->runs++;
        sum_add(&row->gpu_ns, search->gpu_ns);
        sum_add(&row->call_ns, search->call_ns);
    }
    search->sequence = search->length = 0;
    search->gpu_ns = search->call_ns = 0;
}

static void call_add(struct sequence_search *search, uint32_t call, int64_t *work_ns)
{
    const struct profile *profile = search->profile;
    const struct gpu_work *work = &profile->work;
    struct row_span span = api_work(&profile->api, call);
    bool has_kernel = false;
    for (uint32_t i = span.first; i < span.end; i++) {
        uint32_t w = AT(profile->api.work_rows, i), function = AT(work->function, w);
        if (profile->functions[function].kind != WORK_KERNEL ||
            !selection_has_work(profile, search->selection, w))
            continue;
        string_id name = selection_name(profile, search->selection, function);
        search->sequence =
            tuples_put(&search->steps, (int64_t[2]){search->sequence, (int64_t)name}) + 1;
        search->length++;
        sum_add(&search->gpu_ns, work_duration(profile, w));
        sum_add(work_ns, work_duration(profile, w));
        has_kernel = true;
    }
    if (has_kernel)
        sum_add(&search->call_ns, AT(profile->api.end, call) - AT(profile->api.start, call));
}

static const char *sequence_text(const struct sequence_search *search, uint32_t sequence,
                                 uint32_t length)
{
    string_id names[MAX_SEQUENCE_SHOWN] = {0};
    struct bytes text = {.arena = search->arena};
    for (uint32_t position = length; sequence; position--) {
        const int64_t *step = tuples_key(&search->steps, sequence - 1);
        if (position <= MAX_SEQUENCE_SHOWN)
            names[position - 1] = (string_id)step[1];
        sequence = (uint32_t)step[0];
    }
    for (uint32_t i = 0; i < length && i < MAX_SEQUENCE_SHOWN; i++)
        bytes_format(&text, "%s%s", i ? " > " : "", profile_text(search->profile, names[i]));
    if (length > MAX_SEQUENCE_SHOWN)
        bytes_format(&text, " > %u more", length - MAX_SEQUENCE_SHOWN);
    return arena_copy(search->arena, text.items, text.count);
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    if (!profile->tree)
        return (struct rows){.empty = "The op tree is not there yet: ranges are being read."};
    struct sequence_search search = {
        .profile = profile, .selection = selection, .arena = arena, .owner = ROW_NONE};
    const uint32_t *outermost = outermost_ops(profile, selection, arena);
    int64_t work_ns = 0;
    tuples_open(&search.steps, arena, 2);
    tuples_open(&search.groups, arena, 2);
    // calls are sorted by thread and time
    for (uint32_t call = 0; call < profile->api.count; call++) {
        uint32_t range = AT(profile->api.range, call);
        uint32_t owner = range == ROW_NONE ? ROW_NONE : outermost[range];
        if (owner != search.owner)
            run_end(&search);
        search.owner = owner;
        call_add(&search, call, &work_ns);
    }
    run_end(&search);
    for (size_t i = 0; i < search.row_count; i++) {
        const int64_t *group = tuples_key(&search.groups, (uint32_t)i);
        struct sequence_row *row = &search.rows[i];
        row->op = profile_text(profile, (string_id)group[0]);
        row->kernels = sequence_text(&search, (uint32_t)group[1], row->length);
        row->work_ns = work_ns;
    }
    return (struct rows){.items = search.rows,
                         .count = search.row_count,
                         .empty = "No op or range that is selected launches several kernels."};
}

static uint64_t row_id(const void *row)
{
    return text_id(text_id(0, row_of(row)->op), row_of(row)->kernels);
}

static struct row_match row_match(const void *row)
{
    return (struct row_match){{row_of(row)->op, row_of(row)->kernels}};
}

const struct report report_kernel_sequences = {
    .name = "kernel_sequences",
    .title = "Kernels that follow each other under an op",
    .doc = "Which kernels ops launch one after the other, and how often: what could be fused, or "
           "replayed "
           "as a graph. Of the part of the tree that is selected.",
    .row_size = sizeof(struct sequence_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = build,
    .sort = "-gpu_total",
    .id = row_id,
    .match = row_match,
    .is_aggregate = true,
    .is_work = true,
    .is_timed = true,
};
