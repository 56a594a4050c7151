// SPDX-License-Identifier: Apache-2.0
// Sums the collectives of each worker by name and process group: calls, bytes, latency and transfer
// time.
#include "analysis/plugin/distributed.h"
#include "analysis/report/report.h"
#include "base/sums.h"
#include "base/tuples.h"

struct collective_row {
    const char *worker, *name, *group;
    const char *known_as; // name that matches the worker in another profile
    uint32_t worker_index, group_size;
    int64_t calls, bytes; // UNKNOWN if no collective of the row has a size
    struct comm_time time;
    bool is_paired;
};

static const struct collective_row *row_of(const void *row)
{
    return row;
}

static struct value get_worker(const void *row)
{
    return value_text(row_of(row)->worker);
}

static struct value get_name(const void *row)
{
    return value_text(row_of(row)->name);
}

static struct value get_group(const void *row)
{
    return value_text(row_of(row)->group);
}

static struct value get_group_size(const void *row)
{
    return row_of(row)->group_size ? value_integer(row_of(row)->group_size) : value_none();
}

static struct value get_calls(const void *row)
{
    return value_integer(row_of(row)->calls);
}

static struct value get_bytes(const void *row)
{
    return value_integer(row_of(row)->bytes);
}

static struct value mean_per_call(const void *row, int64_t sum)
{
    return sum == UNKNOWN ? value_none() : value_real((double)sum / (double)row_of(row)->calls);
}

static struct value get_bytes_each(const void *row)
{
    return mean_per_call(row, row_of(row)->bytes);
}

static struct value get_latency(const void *row)
{
    return value_integer(row_of(row)->time.total_ns);
}

static struct value get_latency_each(const void *row)
{
    return mean_per_call(row, row_of(row)->time.total_ns);
}

static int64_t transfer_of(const void *row)
{
    return row_of(row)->is_paired ? row_of(row)->time.transfer_ns : UNKNOWN;
}

static struct value get_transfer(const void *row)
{
    return value_integer(transfer_of(row));
}

static struct value get_transfer_each(const void *row)
{
    return mean_per_call(row, transfer_of(row));
}

static struct value get_rate(const void *row)
{
    int64_t ns = transfer_of(row), bytes = row_of(row)->bytes;
    return ns > 0 && bytes != UNKNOWN ? value_real((double)bytes * 1e9 / (double)ns) : value_none();
}

static const struct column columns[] = {
    {"worker", "Worker", "worker", UNIT_TEXT, get_worker, "Rank, or the name of the file.",
     COLUMN_IDENTIFIES},
    {"op", "Operation", "operation", UNIT_TEXT, get_name,
     "Op of torch.distributed, else what its kernels say that they are.", COLUMN_NAME},
    {"group", "Process Group", "group", UNIT_TEXT, get_group,
     "Name and description of the process group, where the file tells.",
     COLUMN_IDENTIFIES | COLUMN_WIDE},
    {"group_size", "Group Size", "ranks", UNIT_COUNT, get_group_size, "Ranks in it.", COLUMN_WIDE},
    {"calls", "Calls", "calls", UNIT_COUNT, get_calls, "Number of collectives.", 0},
    {"bytes", "Total Size (B)", "size", UNIT_BYTES, get_bytes,
     "Bytes that the worker gives: by the elements and the data type that the file tells, else by "
     "the "
     "shapes of the op's tensors.",
     0},
    {"bytes_avg", "Avg Size (B)", "avg size", UNIT_BYTES, get_bytes_each, "Mean size of one.",
     COLUMN_WIDE},
    {"latency", "Total Latency (ns)", "latency", UNIT_NS, get_latency,
     "Union of the ops on the host and their kernels.", COLUMN_BAR},
    {"latency_avg", "Avg Latency (ns)", "avg", UNIT_NS, get_latency_each, "That over the calls.",
     0},
    {"transfer", "Data Transfer Time (ns)", "transfer", UNIT_NS, get_transfer,
     "What remains without waiting for other workers; see `distributed`.", 0},
    {"transfer_avg", "Avg Data Transfer Time (ns)", "avg transfer", UNIT_NS, get_transfer_each,
     "That over the calls.", COLUMN_WIDE},
    {"rate", "Size over Transfer (B/s)", "rate", UNIT_RATE, get_rate,
     "Bytes over transfer time: what the algorithm moves of this, not what the links carry.",
     COLUMN_WIDE},
};

static bool call_counts(const struct distributed *distributed, const struct selection *selection,
                        const struct comm_call *call)
{
    if (!selection->iterations)
        return true;
    const struct plugin_worker *worker = &distributed->steps->workers[call->worker];
    return call->step != ROW_NONE && plugin_step_is_selected(selection, &worker->steps[call->step]);
}

static const char *group_text(const struct profile *profile, uint32_t recorded, struct arena *arena)
{
    const struct told_collectives *all = &profile->told_collectives;
    if (recorded == ROW_NONE || all->group[recorded] == STRING_NONE)
        return NULL;
    const char *name = profile_text(profile, all->group[recorded]);
    return all->description[recorded] == STRING_NONE
               ? name
               : arena_format(arena, "%s %s", name,
                              profile_text(profile, all->description[recorded]));
}

static struct collective_row row_new(const struct profile *profile,
                                     const struct distributed *distributed,
                                     const struct comm_call *call, struct arena *arena)
{
    const struct told_collectives *recorded = &profile->told_collectives;
    int64_t size = call->told == ROW_NONE ? UNKNOWN : recorded->group_size[call->told];
    return (struct collective_row){
        .worker = worker_text(profile, &distributed->steps->workers[call->worker], arena),
        .known_as = worker_compare_name(profile, distributed, call->worker, arena),
        .name = profile_text(profile, call->name),
        .group = group_text(profile, call->told, arena),
        .worker_index = call->worker,
        .group_size = size > 0 && size < UINT32_MAX ? (uint32_t)size : 0,
        .bytes = UNKNOWN};
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    if (profile->stage < STAGE_READY)
        return (struct rows){.empty = "The profile is being read."};
    const struct distributed *distributed = distributed_of(profile, selection, arena);
    size_t count = distributed->call_count, row_count = 0, capacity = 0;
    struct collective_row *rows = NULL;
    uint32_t *row_of_call = ARENA_ARRAY(arena, uint32_t, count + 1);
    struct tuples keys; // (worker, name, group)
    tuples_open(&keys, arena, 3);
    for (size_t c = 0; c < count; c++) {
        const struct comm_call *call = &distributed->calls[c];
        row_of_call[c] = ROW_NONE;
        if (!call_counts(distributed, selection, call))
            continue;
        int64_t group = call->told == ROW_NONE ? (int64_t)STRING_NONE
                                               : profile->told_collectives.group[call->told];
        uint32_t row = row_of_call[c] =
            tuples_put(&keys, (int64_t[3]){call->worker, call->name, group});
        if (row == row_count)
            ARENA_PUSH(arena, rows, row_count, capacity) =
                row_new(profile, distributed, call, arena);
        if (!rows)
            continue; // unreachable: the first row is always new, so that `rows` is set
        rows[row].calls++;
        rows[row].is_paired |= call->is_paired;
        if (call->bytes != UNKNOWN)
            rows[row].bytes = rows[row].bytes == UNKNOWN
                                  ? call->bytes
                                  : add_saturating(rows[row].bytes, call->bytes);
    }
    const struct comm_time *times =
        comm_times_of(distributed, row_of_call, (uint32_t)row_count, arena);
    for (size_t r = 0; r < row_count; r++)
        rows[r].time = times[r];
    return (struct rows){.items = rows,
                         .count = row_count,
                         .empty = "Nothing communicates with other GPUs in what is selected."};
}

static uint64_t row_id(const void *row)
{
    const struct collective_row *r = row;
    return text_id(text_id(r->worker_index + 1, r->name), r->group);
}

static struct row_match row_match(const void *row)
{
    const struct collective_row *r = row;
    return (struct row_match){{r->known_as, r->name, r->group ? r->group : ""}};
}

const struct report report_collective_ops = {
    .name = "collective_ops",
    .title = "Collectives by name",
    .doc = "Communication of each worker by operation and process group: calls, sizes, latency and "
           "what "
           "of it is transfer.",
    .row_size = sizeof(struct collective_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = build,
    .sort = "-latency",
    .id = row_id,
    .match = row_match,
    .is_timed = true,
};
