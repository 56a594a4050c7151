// SPDX-License-Identifier: Apache-2.0
// Links GPU work without a call in the trace to the op that launched it, by External id. This is
// possible only if External ids are numbers of ops.
#include "base/text/format.h"
#include "base/tuples.h"
#include "model/derive/derive.h"
#include "model/kineto/load_kineto.h"

// PyTorch 1.11 to 2.1 write the correlation as External id, which is not the number of an op.
static bool ids_are_of_ops(const struct kineto *kineto)
{
    uint64_t same = 0, other = 0;
    for (size_t i = 0; i < kineto->work_count; i++) {
        const struct kineto_work *work = &kineto->work[i];
        if (work->external && work->correlation)
            *(work->external == work->correlation ? &same : &other) += 1;
        else
            other += work->external != 0;
    }
    return other > same;
}

void kineto_save_external_ids(struct kineto *kineto, const uint32_t *order)
{
    uint32_t count = (uint32_t)kineto->work_count;
    if (!ids_are_of_ops(kineto))
        return;
    kineto->work_ids = ARENA_ARRAY(kineto->scratch, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        kineto->work_ids[i] = kineto->work[order[i]].external;
}

// Sets the ids of work that has a call to 0. Returns the number of ids that remain.
static uint32_t keep_uncalled_ids(struct kineto *kineto)
{
    struct profile *profile = kineto->profile;
    uint32_t count = profile->work.count, left = 0;
    uint32_t *process = ARENA_ARRAY(kineto->scratch, uint32_t, (size_t)count + 1);
    uint32_t *call = ARENA_ARRAY(kineto->scratch, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        process[i] = work_process(profile, i);
    uint32_t *correlation = column32_unpack(kineto->scratch, profile->work.correlation, count);
    profile_join(profile, process, correlation, count, call);
    for (uint32_t i = 0; i < count; i++) {
        if (call[i] != ROW_NONE)
            kineto->work_ids[i] = 0;
        left += kineto->work_ids[i] != 0;
    }
    ARENA_RELEASE(kineto->scratch, correlation, count);
    ARENA_RELEASE(kineto->scratch, call, (size_t)count + 1);
    ARENA_RELEASE(kineto->scratch, process, (size_t)count + 1);
    return left;
}

// Returns the namespace of an id: the process if several make calls, else one for the file.
static int64_t id_space_of(const struct kineto *kineto, uint32_t process)
{
    return kineto->has_several_callers ? process : 0;
}

// Returns the first op of each requested (process, id), or ROW_NONE.
static uint32_t *find_ops(const struct kineto *kineto, const struct tuples *ids,
                          const uint32_t *range_order)
{
    const struct ranges *ranges = &kineto->profile->ranges;
    uint32_t *op = ARENA_ARRAY(kineto->scratch, uint32_t, (size_t)ids->count + 1);
    for (uint32_t i = 0; i < ids->count; i++)
        op[i] = ROW_NONE;
    for (uint32_t r = 0; r < ranges->count; r++) {
        int64_t external = kineto->ranges[range_order[r]].external;
        if (!external)
            continue;
        uint32_t thread = range_label(ranges, r)->thread;
        int64_t process = id_space_of(kineto, kineto->profile->threads[thread].process);
        uint32_t at = tuples_find(ids, (int64_t[2]){process, external});
        if (at != UINT32_MAX && op[at] == ROW_NONE && range_label(ranges, r)->said == SAID_OP)
            op[at] = r;
    }
    return op;
}

void kineto_link_work(struct kineto *kineto, const uint32_t *range_order)
{
    struct profile *profile = kineto->profile;
    struct arena *scratch = kineto->scratch;
    uint32_t count = profile->work.count, tied = 0;
    struct tuples ids;
    if (!kineto->work_ids || !keep_uncalled_ids(kineto))
        return;
    tuples_open(&ids, scratch, 2);
    for (uint32_t i = 0; i < count; i++)
        if (kineto->work_ids[i])
            tuples_put(&ids, (int64_t[2]){id_space_of(kineto, work_process(profile, i)),
                                          kineto->work_ids[i]});
    const uint32_t *op = find_ops(kineto, &ids, range_order);
    uint32_t *range = ARENA_ARRAY(scratch, uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++) {
        int64_t key[2] = {id_space_of(kineto, work_process(profile, i)), kineto->work_ids[i]};
        range[i] = key[1] ? op[tuples_find(&ids, key)] : ROW_NONE;
        tied += range[i] != ROW_NONE;
    }
    char number[FORMAT_SIZE];
    if (tied) {
        profile->work.range = profile_pack32(profile, range, count);
        profile_note(profile, NOTE_INFO, "work_tied_by_id", tied, NULL,
                     "%s rows of GPU work have no call in the trace: they belong to the op whose "
                     "External id they have",
                     format_count(number, tied));
    }
    ARENA_RELEASE(scratch, range, (size_t)count + 1);
}
