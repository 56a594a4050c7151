// SPDX-License-Identifier: Apache-2.0
// Splits by marks: intervals of time, each of which is a window or one process's part of it.
#include "model/steps/split_build.h"

// A missing window of a process is empty and placed at the start of its next one, so that windows
// stay sorted.
void split_fill_gaps(struct split *split, uint32_t process_count)
{
    for (uint32_t p = 0; p < process_count; p++) {
        int64_t *start = split->process_start + (size_t)p * split->count;
        int64_t *stop = split->process_stop + (size_t)p * split->count;
        int64_t next = INT64_MAX;
        for (uint32_t i = split->count; i-- > 0;) {
            if (start[i] == UNKNOWN)
                start[i] = stop[i] = next;
            next = start[i];
        }
    }
}

// Windows on the GPU's clock are the same for every GPU with work, unless processes have their own.
static void use_gpu_clock(const struct profile *profile, struct split *split, struct arena *arena)
{
    bool is_common = !split->process_start;
    for (uint32_t i = 0; i < profile->work.count; i++)
        split->of_work[i] = split_at(split, is_common ? ROW_NONE : work_process(profile, i),
                                     AT(profile->work.start, i));
    split_fill_outside(profile, split);
    if (!is_common) {
        split_fill_gpu(profile, split, true, arena);
        return;
    }
    size_t cells = (size_t)profile->device_count * split->count;
    split->gpu_start = ARENA_ARRAY(arena, int64_t, cells);
    split->gpu_stop = ARENA_ARRAY(arena, int64_t, cells);
    for (uint32_t d = 0; d < profile->device_count; d++)
        for (uint32_t i = 0; i < split->count; i++) {
            size_t cell = (size_t)d * split->count + i;
            bool works = profile->devices[d].has_work;
            split->gpu_start[cell] = works ? split->start[i] : UNKNOWN;
            split->gpu_stop[cell] = works ? split->stop[i] : UNKNOWN;
        }
}

struct split *split_by_marks(const struct profile *profile, const struct split_marks *marks,
                             struct arena *arena, size_t *excess)
{
    uint32_t count = marks->slot_count;
    *excess = 0;
    if (!marks->count)
        return NULL;
    if (split_exceeds(profile, count)) {
        *excess = count;
        return NULL;
    }
    struct split *split = split_new_by_ranges(arena, count);
    bool is_common = marks->items[0].process == ROW_NONE;
    size_t cells = is_common ? 0 : (size_t)profile->process_count * count;
    split->process_start = is_common ? NULL : ARENA_ARRAY(arena, int64_t, cells);
    split->process_stop = is_common ? NULL : ARENA_ARRAY(arena, int64_t, cells);
    for (size_t i = 0; i < cells; i++)
        split->process_start[i] = split->process_stop[i] = UNKNOWN;
    for (uint32_t i = 0; i < count; i++) {
        split->start[i] = INT64_MAX;
        split->stop[i] = INT64_MIN;
    }
    for (size_t i = 0; i < marks->count; i++) {
        const struct split_mark *mark = &marks->items[i];
        uint32_t slot = mark->slot;
        if (!is_common) {
            split->process_start[(size_t)mark->process * count + slot] = mark->start;
            split->process_stop[(size_t)mark->process * count + slot] = mark->stop;
        }
        split->start[slot] = mark->start < split->start[slot] ? mark->start : split->start[slot];
        split->stop[slot] = mark->stop > split->stop[slot] ? mark->stop : split->stop[slot];
        split->is_cut[slot] |= mark->is_cut;
    }
    if (!is_common)
        split_fill_gaps(split, profile->process_count);
    if (profile->process_count == 1)
        split->process_start = split->process_stop = NULL;
    split->key_found = true;
    split_fill_rows(profile, split, arena);
    if (marks->by_gpu)
        use_gpu_clock(profile, split, arena);
    else
        split_settle(profile, split, marks->has_own_ends, arena);
    return split;
}
