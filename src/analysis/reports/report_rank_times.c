// SPDX-License-Identifier: Apache-2.0
// Shows one node of the op tree on every GPU: the details of a row of `ranks`.
#include <inttypes.h>

#include "analysis/report/report.h"
#include "analysis/report/stats.h"
#include "analysis/sums/rank_sums.h"
#include "base/scratch.h"
#include "model/profile/ranks.h"

struct time_row {
    const struct profile *profile;
    uint32_t device;
    const char *gpu;
    int64_t rank;     // or UNKNOWN
    const char *role; // or NULL
    int64_t own_ns, comm_ns, median_ns;
};

static const struct time_row *row_of(const void *row)
{
    return row;
}

static struct value get_gpu(const void *row)
{
    return value_text(row_of(row)->gpu);
}

static struct value get_rank(const void *row)
{
    return value_integer(row_of(row)->rank);
}

static struct value get_role(const void *row)
{
    return value_text(row_of(row)->role);
}

static struct value get_host(const void *row)
{
    return value_integer(device_host(row_of(row)->profile, row_of(row)->device));
}

static struct value get_own(const void *row)
{
    return value_integer(row_of(row)->own_ns);
}

static struct value get_above(const void *row)
{
    return value_integer(row_of(row)->own_ns - row_of(row)->median_ns);
}

static struct value get_comm(const void *row)
{
    return value_integer(row_of(row)->comm_ns);
}

static const struct column columns[] = {
    {"gpu", "GPU", "GPU", UNIT_TEXT, get_gpu, "Number of the GPU, as in `devices`.", COLUMN_NAME},
    {"rank", "Rank", "rank", UNIT_ID, get_rank,
     "Rank in the job of the process that ran work on it, where its file tells.", COLUMN_MARK},
    {"host", "Host", "host", UNIT_ID, get_host, "Machine it is in; see `devices`.", COLUMN_MARK},
    {"role", "Role", "role", UNIT_TEXT, get_role, "Its part in the job; see `devices`.",
     COLUMN_MARK},
    {"own", "GPU Time (ns)", "GPU time", UNIT_NS, get_own,
     "GPU time of a step but for communication, in this place.", COLUMN_BAR},
    {"above", "Above Median (ns)", "above median", UNIT_NS, get_above,
     "How much that is more than on the GPU in the middle.", COLUMN_SIGNED},
    {"comm", "Communication (ns)", "comm", UNIT_NS, get_comm,
     "Communication that nothing hides, of a step; waiting for others is in it.", COLUMN_TIMED},
};

struct rank_times_builder {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *arena;
    struct rank_sums sums;
    struct time_row *rows;
    const char *caption, *each;
};

static void make_rows(void *context, struct arena *scratch)
{
    struct rank_times_builder *builder = context;
    const struct profile *profile = builder->profile;
    struct rank_sums sums = rank_sums_make(profile, builder->selection, scratch);
    builder->sums = sums;
    if (!sums.ns || sums.count < 2)
        return;
    uint32_t node = builder->selection->node == ROW_NONE ? 0 : builder->selection->node;
    const int64_t *own = rank_sums_at(&sums, node, RANK_OWN);
    const int64_t *comm = rank_sums_at(&sums, node, RANK_COMM);
    int64_t *values = ARENA_ARRAY(scratch, int64_t, sums.count);
    for (uint32_t i = 0; i < sums.count; i++)
        values[i] = own[i] / sums.steps;
    int64_t median = (int64_t)stats_of(values, sums.count).median;
    int64_t *ranks = ARENA_ARRAY(scratch, int64_t, profile->device_count);
    device_ranks(profile, ranks);
    const char **roles = device_roles(profile, builder->arena);
    builder->rows = ARENA_ARRAY(builder->arena, struct time_row, sums.count);
    for (uint32_t i = 0; i < sums.count; i++)
        builder->rows[i] =
            (struct time_row){.profile = profile,
                              .device = sums.devices[i],
                              .gpu = arena_format(builder->arena, "GPU %" PRId64,
                                                  device_number(profile, sums.devices[i])),
                              .rank = ranks[sums.devices[i]],
                              .role = roles[sums.devices[i]],
                              .own_ns = own[i] / sums.steps,
                              .comm_ns = comm[i] / sums.steps,
                              .median_ns = median};
    builder->caption = rank_sums_caption(&sums, builder->selection, builder->arena);
    builder->each = rank_sums_each(&sums, builder->selection, builder->arena);
}

static struct rows build(const struct profile *profile, const struct selection *selection,
                         struct arena *arena)
{
    if (!profile->tree)
        return (struct rows){.empty = "The op tree is not there yet: ranges are being read."};
    struct rank_times_builder builder = {
        .profile = profile, .selection = selection, .arena = arena};
    scratch_run(arena, make_rows, &builder);
    if (builder.sums.count < 2)
        return (struct rows){.empty = RANKS_SINGLE_TEXT};
    if (!builder.rows)
        return (struct rows){.empty = RANKS_TOO_MANY_TEXT};
    return (struct rows){.items = builder.rows,
                         .count = builder.sums.count,
                         .caption = builder.caption,
                         .each = builder.each};
}

static uint64_t row_id(const void *row)
{
    return row_of(row)->device;
}

static const char *row_narrow(const struct profile *profile, const void *row,
                              struct selection *selection)
{
    (void)profile;
    selection->device = row_of(row)->device;
    return "kernels";
}

const struct report report_rank_times = {
    .name = "rank_times",
    .title = "One place on each GPU",
    .doc = "What a place of the op tree, or all of it, takes on each GPU, and how far that is from "
           "the GPU in the middle.",
    .row_size = sizeof(struct time_row),
    .column_count = sizeof columns / sizeof *columns,
    .columns = columns,
    .build = build,
    .id = row_id,
    .narrow = row_narrow,
};
