// SPDX-License-Identifier: Apache-2.0
#include "analysis/sums/selected_work.h"

#include <string.h>

#include "base/parallel.h"

enum { PART_ROWS = 1 << 16 };

struct looking {
    const struct profile *profile;
    const struct selection *selection;
    uint32_t *rows;   // of each part from its first row on
    uint32_t *counts; // of each part
};

static void look(void *context, size_t part)
{
    const struct looking *looking = context;
    uint32_t first = (uint32_t)part * PART_ROWS, left = looking->profile->work.count - first;
    uint32_t count = 0, *rows = looking->rows + first;
    for (uint32_t w = first; w < first + (left < PART_ROWS ? left : PART_ROWS); w++)
        if (selection_has_work(looking->profile, looking->selection, w))
            rows[count++] = w;
    looking->counts[part] = count;
}

struct work_list selected_work(const struct profile *profile, const struct selection *selection,
                               struct arena *arena)
{
    size_t parts = ((size_t)profile->work.count + PART_ROWS - 1) / PART_ROWS;
    struct looking looking = {.profile = profile,
                              .selection = selection,
                              .rows = ARENA_ARRAY(arena, uint32_t, (size_t)profile->work.count + 1),
                              .counts = ARENA_ARRAY(arena, uint32_t, parts)};
    parallel_run(profile->workers, parts, look, &looking);
    struct work_list list = {looking.rows, 0};
    for (size_t part = 0; part < parts; part++) {
        memmove(list.rows + list.count, list.rows + part * PART_ROWS,
                looking.counts[part] * sizeof *list.rows);
        list.count += looking.counts[part];
    }
    return list;
}
