// SPDX-License-Identifier: Apache-2.0
// Sums GPU work by stream, from partial sums or from the rows.
#include "analysis/sums/stream_work.h"

#include "analysis/report/memo.h"
#include "analysis/report/partial_sums.h"
#include "analysis/report/stats.h"
#include "base/scratch.h"

enum { SUM_KERNELS, SUM_COPIES, SUM_GRAPHS, SUM_NS, SUM_COLUMNS = SUM_NS + CLASS_COUNT };

struct stream_sums_build {
    const struct profile *profile;
    const struct selection *selection;
    struct partial_sums *partial;
    struct arena *arena;
};

// Returns the column that counts work of a function.
static uint32_t count_column(const struct function *function)
{
    return function->kind == WORK_KERNEL  ? SUM_KERNELS
           : function->kind == WORK_GRAPH ? SUM_GRAPHS
                                          : SUM_COPIES;
}

static void add_work(struct partial_sums_builder *partial, const void *context, uint32_t work)
{
    const struct profile *profile = context;
    const struct function *function = &profile->functions[AT(profile->work.function, work)];
    partial_sums_add(partial, AT(profile->work.stream, work), count_column(function), 1);
    partial_sums_add(partial, AT(profile->work.stream, work), SUM_NS + function->class,
                     work_duration(profile, work));
}

static void build_stream_sums(void *context, struct arena *scratch)
{
    const struct stream_sums_build *build = context;
    *build->partial = (struct partial_sums){
        .groups = build->profile->stream_count, .columns = SUM_COLUMNS, .sums = SUM_COLUMNS};
    partial_sums_of_work(build->partial, build->profile, build->selection, add_work, build->profile,
                         build->arena, scratch);
}

static void *make_stream_sums(const struct profile *profile, const struct selection *selection,
                              struct arena *arena)
{
    struct stream_sums_build build = {profile, selection, ARENA_NEW(arena, struct partial_sums),
                                      arena};
    scratch_run(arena, build_stream_sums, &build);
    return build.partial;
}

// Sums the rows of the selected work.
static void sum_rows(const struct profile *profile, const struct selection *selection,
                     int64_t *sums)
{
    for (uint32_t w = 0; w < profile->work.count; w++) {
        if (!selection_has_work(profile, selection, w))
            continue;
        const struct function *function = &profile->functions[AT(profile->work.function, w)];
        int64_t *row = &sums[(size_t)AT(profile->work.stream, w) * SUM_COLUMNS];
        row[count_column(function)]++;
        sum_add(&row[SUM_NS + function->class], work_duration(profile, w));
    }
}

struct stream_work *stream_work_of(const struct profile *profile, const struct selection *selection,
                                   struct arena *arena)
{
    static const struct memo_kind kind = {.fields = MEMO_PROCESS | MEMO_DEVICE,
                                          .make = make_stream_sums};
    uint32_t count = profile->stream_count;
    int64_t *sums = ARENA_ARRAY(arena, int64_t, (size_t)count * SUM_COLUMNS + 1);
    struct stream_work *streams = ARENA_ARRAY(arena, struct stream_work, (size_t)count + 1);
    const struct partial_sums *partial =
        selection_is_unfiltered(selection) ? memo_get(&kind, profile, selection, arena) : NULL;
    if (partial)
        partial_sums_total(partial, selection, sums, arena);
    else
        sum_rows(profile, selection, sums);
    for (uint32_t s = 0; s < count; s++) {
        const int64_t *row = &sums[(size_t)s * SUM_COLUMNS];
        streams[s] = (struct stream_work){
            .kernels = row[SUM_KERNELS], .copies = row[SUM_COPIES], .graphs = row[SUM_GRAPHS]};
        for (int c = 0; c < CLASS_COUNT; c++)
            streams[s].ns[c] = row[SUM_NS + c];
    }
    return streams;
}
