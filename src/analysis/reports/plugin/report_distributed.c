// SPDX-License-Identifier: Apache-2.0
// Shows workers and their steps: computing, the communication it hides, exposed communication, and
// the time spent waiting in it.
#include <inttypes.h>

#include "analysis/plugin/distributed.h"
#include "analysis/report/report.h"
#include "base/text/format.h"

struct distributed_row {
    const struct plugin_worker *worker;
    const char *name, *step; // step: NULL for the row with the mean
    // name that matches the worker in another profile; a lone worker matches any name
    const char *known_as;
    int64_t rank, host;
    uint32_t worker_index, step_index;
    bool has_steps; // true if rows of steps follow
    int64_t steps;  // number of steps in `sum`
    struct distributed_step sum;
};

static const struct distributed_row *row_of(const void *row)
{
    return row;
}

static struct value get_worker(const void *row)
{
    return value_text(row_of(row)->step ? row_of(row)->step : row_of(row)->name);
}

static struct value get_rank(const void *row)
{
    return value_integer(row_of(row)->rank);
}

static struct value get_host(const void *row)
{
    return value_integer(row_of(row)->host);
}

static struct value mean(const void *row, int64_t sum)
{
    return row_of(row)->steps == 1 ? value_integer(sum)
                                   : value_real((double)sum / (double)row_of(row)->steps);
}

#define MEAN_GETTER(function, member)                   \
    static struct value function(const void *row)       \
    {                                                   \
        return mean(row, row_of(row)->sum.member##_ns); \
    }

MEAN_GETTER(get_total, total)
MEAN_GETTER(get_computing, computing)
MEAN_GETTER(get_overlap, overlap)
MEAN_GETTER(get_communication, communication)
MEAN_GETTER(get_other, other)

static struct value get_hidden(const void *row)
{
    const struct distributed_step *sum = &row_of(row)->sum;
    return value_share(sum->overlap_ns, sum->overlap_ns + sum->communication_ns);
}

static struct value get_synchronizing(const void *row)
{
    return row_of(row)->sum.is_paired ? mean(row, row_of(row)->sum.synchronizing_ns) : value_none();
}

static struct value get_transfer(const void *row)
{
    return row_of(row)->sum.is_paired ? mean(row, row_of(row)->sum.transfer_ns) : value_none();
}

static const struct column columns[] = {
    {"worker", "Worker", "worker", UNIT_TEXT, get_worker,
     "Rank, or the name of the file; of its row the figures are the mean of the steps that are "
     "selected, "
     "which stand below it.",
     COLUMN_NAME},
    {"rank", "Rank", "rank", UNIT_ID, get_rank, "Rank in the job, where the file tells.",
     COLUMN_MARK | COLUMN_DETAIL},
    {"host", "Host", "host", UNIT_ID, get_host, "Machine it ran on; see `devices`.",
     COLUMN_MARK | COLUMN_DETAIL},
    {"total", "Step (ns)", "step", UNIT_NS, get_total,
     "The step with the GPU work that it launches, as in `overview`; the next four add up to it.",
     COLUMN_ONE_STEP},
    {"computing", "Computation (ns)", "computation", UNIT_NS, get_computing,
     "Kernels that compute and nothing communicates beside; of a worker without kernels its ops.",
     COLUMN_ONE_STEP | COLUMN_BAR},
    {"overlap", "Overlapping (ns)", "overlapping", UNIT_NS, get_overlap,
     "Both at once: communication that computing hides.", COLUMN_ONE_STEP},
    {"communication", "Communication (ns)", "communication", UNIT_NS, get_communication,
     "Communication that nothing hides: kernels of collectives, and their ops on the host.",
     COLUMN_ONE_STEP},
    {"other", "Other (ns)", "other", UNIT_NS, get_other, "Neither of these.", COLUMN_ONE_STEP},
    {"hidden", "Communication Hidden (%)", "%hidden", UNIT_PERCENT, get_hidden,
     "Overlapping over all communication.", 0},
    {"synchronizing", "Synchronizing (ns)", "synchronizing", UNIT_NS, get_synchronizing,
     "Of the collectives that begin in the step, as long as they take: until the worker that comes "
     "last "
     "is there. Of one collective the shortest of all workers is the transfer, the rest this. "
     "Those of "
     "several workers are one by process group and sequence number, where these are told, else the "
     "n-th "
     "of a name in each. Not known of one worker alone.",
     COLUMN_ONE_STEP},
    {"transfer", "Data Transfer (ns)", "transfer", UNIT_NS, get_transfer, "That transfer.",
     COLUMN_ONE_STEP},
};

static void sum_add_step(struct distributed_step *sum, const struct distributed_step *step)
{
    sum->total_ns += step->total_ns;
    sum->computing_ns += step->computing_ns;
    sum->overlap_ns += step->overlap_ns;
    sum->communication_ns += step->communication_ns;
    sum->other_ns += step->other_ns;
    sum->transfer_ns += step->transfer_ns;
    sum->synchronizing_ns += step->synchronizing_ns;
    sum->is_paired |= step->is_paired;
}

struct distributed_rows {
    struct distributed_row *rows;
    size_t count, capacity;
};

static void worker_add(struct distributed_rows *list, const struct profile *profile,
                       const struct selection *selection, const struct distributed *distributed,
                       uint32_t w, struct arena *arena)
{
    const struct plugin_worker *worker = &distributed->steps->workers[w];
    const struct process *process = &profile->processes[worker->process];
    const struct source *source = &profile->sources[process->source];
    struct distributed_row row = {.worker = worker,
                                  .name = worker_text(profile, worker, arena),
                                  .known_as = worker_compare_name(profile, distributed, w, arena),
                                  .rank = process->has_gpu_sibling ? UNKNOWN : source->rank,
                                  .host = source->host_row == ROW_NONE ? UNKNOWN : source->host_row,
                                  .worker_index = w,
                                  .step_index = ROW_NONE};
    size_t at = list->count;
    ARENA_PUSH(arena, list->rows, list->count, list->capacity) = row;
    for (uint32_t s = 0; s < worker->count; s++) {
        if (!plugin_step_is_selected(selection, &worker->steps[s]))
            continue;
        row.step = arena_format(arena, "step %" PRId64, worker->steps[s].number);
        row.step_index = s;
        row.steps = 1;
        row.sum = distributed->parts_of[w][s];
        ARENA_PUSH(arena, list->rows, list->count, list->capacity) = row;
        sum_add_step(&list->rows[at].sum, &row.sum);
        list->rows[at].steps++;
    }
    list->rows[at].has_steps = list->rows[at].steps > 0;
    if (!list->rows[at].steps)
        list->count = at;
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    if (profile->stage < STAGE_READY)
        return (struct rows){.empty = "The profile is being read."};
    const struct distributed *distributed = distributed_of(profile, selection, arena);
    struct distributed_rows list = {0};
    char calls[FORMAT_SIZE], workers[FORMAT_SIZE];
    for (uint32_t w = 0; w < distributed->steps->count; w++)
        worker_add(&list, profile, selection, distributed, w, arena);
    return (struct rows){
        .items = list.rows,
        .count = list.count,
        .caption = arena_format(arena, "%s, %s",
                                format_counted(workers, distributed->steps->count, "worker"),
                                format_counted(calls, distributed->call_count, "collective")),
        .empty = "No step is selected."};
}

static uint64_t row_id(const void *row)
{
    return (uint64_t)row_of(row)->worker_index << 32 | (uint32_t)(row_of(row)->step_index + 1);
}

static unsigned row_depth(const void *row)
{
    return row_of(row)->step_index != ROW_NONE;
}

static bool row_has_children(const void *row)
{
    return row_of(row)->step_index == ROW_NONE && row_of(row)->has_steps;
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    selection->process = row_of(row)->worker->process;
    return "collective_ops";
}

static struct row_match row_match(const void *row)
{
    return (struct row_match){{row_of(row)->known_as, row_of(row)->step ? row_of(row)->step : ""}};
}

const struct report report_distributed = {
    .name = "distributed",
    .title = "Computing and communicating, by worker",
    .doc = "Of each worker and step what it computes, what communication that hides, what nothing "
           "hides, "
           "and what of communication is waiting: the distributed view of PyTorch's TensorBoard "
           "plugin.",
    .row_size = sizeof(struct distributed_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = build,
    .id = row_id,
    .depth = row_depth,
    .has_children = row_has_children,
    .narrow = row_narrow,
    .match = row_match,
    .is_timed = true,
};
