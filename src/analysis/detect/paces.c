// SPDX-License-Identifier: Apache-2.0
#include "analysis/detect/paces.h"

#include <stdlib.h>

#include "analysis/report/stats.h"

struct pace_cell { // of one kind on one device
    uint32_t device;
    uint32_t next; // cell + 1 of the same kind on another device; 0: none
    int64_t ns[PACE_PARTS];
    int64_t launches[PACE_PARTS];
};

struct paces paces_begin(uint32_t device, uint32_t devices, size_t kinds, struct arena *arena)
{
    return (struct paces){.arena = arena,
                          .device = device,
                          .kinds = kinds,
                          .first = ARENA_ARRAY(arena, uint32_t, kinds + 1),
                          .means = ARENA_ARRAY(arena, double, (size_t)devices + 1)};
}

void paces_add(struct paces *paces, uint32_t kind, uint32_t device, int part, int64_t launches,
               int64_t ns)
{
    uint32_t *first = &paces->first[kind];
    if (!*first || paces->cells[*first - 1].device != device) {
        ARENA_PUSH(paces->arena, paces->cells, paces->count, paces->capacity) =
            (struct pace_cell){.device = device, .next = *first};
        *first = (uint32_t)paces->count;
    }
    struct pace_cell *cell = &paces->cells[*first - 1];
    sum_add(&cell->ns[part], ns);
    cell->launches[part] += launches;
}

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

// Returns 0 if there are too few launches.
static double cell_mean(const struct pace_cell *cell, int part)
{
    double ns = 0, launches = 0;
    for (int p = 0; p < PACE_PARTS; p++)
        if (part == PACE_ALL || part == p) {
            ns += (double)cell->ns[p];
            launches += (double)cell->launches[p];
        }
    return launches >= PACE_LAUNCHES ? ns / launches : 0;
}

struct pace pace_of(const struct paces *paces, uint32_t kind, int part)
{
    struct pace pace = {0};
    double *others = paces->means;
    size_t count = 0;
    for (uint32_t c = paces->first[kind]; c; c = paces->cells[c - 1].next) {
        const struct pace_cell *cell = &paces->cells[c - 1];
        double mean = cell_mean(cell, part);
        if (cell->device == paces->device) {
            pace.own = mean;
            pace.total_ns = (double)cell->ns[0] + (double)cell->ns[1];
        } else if (mean > 0) {
            others[count++] = mean;
        }
    }
    if (pace.own <= 0 || count == 0)
        return pace;
    qsort(others, count, sizeof *others, compare_doubles);
    pace.others = count % 2 ? others[count / 2] : (others[count / 2 - 1] + others[count / 2]) / 2;
    pace.ratio = pace.own / pace.others;
    return pace;
}
