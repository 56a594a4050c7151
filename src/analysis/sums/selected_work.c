// SPDX-License-Identifier: Apache-2.0
// Collects the selected rows of GPU work in parallel.
#include "analysis/sums/selected_work.h"

#include <string.h>

#include "base/parallel.h"

enum { PART_ROWS = 1 << 16 };

struct work_scan {
    const struct profile *profile;
    const struct selection *selection;
    uint32_t *rows;   // the rows of a part begin at its first row
    uint32_t *counts; // by part
};

static void scan_part(void *context, size_t part)
{
    const struct work_scan *scan = context;
    uint32_t first = (uint32_t)part * PART_ROWS, remaining = scan->profile->work.count - first;
    uint32_t count = 0, *rows = scan->rows + first;
    for (uint32_t w = first; w < first + (remaining < PART_ROWS ? remaining : PART_ROWS); w++)
        if (selection_has_work(scan->profile, scan->selection, w))
            rows[count++] = w;
    scan->counts[part] = count;
}

struct work_list selected_work(const struct profile *profile, const struct selection *selection,
                               struct arena *arena)
{
    size_t parts = ((size_t)profile->work.count + PART_ROWS - 1) / PART_ROWS;
    struct work_scan scan = {.profile = profile,
                             .selection = selection,
                             .rows = ARENA_ARRAY(arena, uint32_t, (size_t)profile->work.count + 1),
                             .counts = ARENA_ARRAY(arena, uint32_t, parts)};
    parallel_run(profile->workers, parts, scan_part, &scan);
    struct work_list list = {scan.rows, 0};
    for (size_t part = 0; part < parts; part++) {
        memmove(list.rows + list.count, list.rows + part * PART_ROWS,
                scan.counts[part] * sizeof *list.rows);
        list.count += scan.counts[part];
    }
    return list;
}
