// SPDX-License-Identifier: Apache-2.0
// Speed of a GPU, see gpu_speed.h. A cell has the launches of one kind on one device; the cells of
// a kind are a linked list.
#include "analysis/detect/gpu_speed.h"

#include <stdlib.h>

#include "analysis/report/stats.h"

struct gpu_speed_cell { // of one kind on one device
    uint32_t device;
    uint32_t next; // cell + 1 of the same kind on another device; 0: none
    int64_t ns[GPU_SPEED_PARTS];
    int64_t launches[GPU_SPEED_PARTS];
};

struct gpu_speeds gpu_speed_begin(uint32_t device, uint32_t devices, size_t kinds,
                                  struct arena *arena)
{
    return (struct gpu_speeds){.arena = arena,
                               .device = device,
                               .kinds = kinds,
                               .first = ARENA_ARRAY(arena, uint32_t, kinds + 1),
                               .means = ARENA_ARRAY(arena, double, (size_t)devices + 1)};
}

void gpu_speed_add(struct gpu_speeds *speeds, uint32_t kind, uint32_t device, int part,
                   int64_t launches, int64_t ns)
{
    uint32_t *first = &speeds->first[kind];
    if (!*first || speeds->cells[*first - 1].device != device) {
        ARENA_PUSH(speeds->arena, speeds->cells, speeds->count, speeds->capacity) =
            (struct gpu_speed_cell){.device = device, .next = *first};
        *first = (uint32_t)speeds->count;
    }
    struct gpu_speed_cell *cell = &speeds->cells[*first - 1];
    sum_add(&cell->ns[part], ns);
    cell->launches[part] += launches;
}

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

// Returns the mean duration of a launch; 0 if there are too few launches.
static double cell_mean(const struct gpu_speed_cell *cell, int part)
{
    double ns = 0, launches = 0;
    for (int p = 0; p < GPU_SPEED_PARTS; p++)
        if (part == GPU_SPEED_ALL || part == p) {
            ns += (double)cell->ns[p];
            launches += (double)cell->launches[p];
        }
    return launches >= MIN_GPU_SPEED_LAUNCHES ? ns / launches : 0;
}

struct gpu_speed gpu_speed_of(const struct gpu_speeds *speeds, uint32_t kind, int part)
{
    struct gpu_speed speed = {0};
    double *others = speeds->means;
    size_t count = 0;
    for (uint32_t c = speeds->first[kind]; c; c = speeds->cells[c - 1].next) {
        const struct gpu_speed_cell *cell = &speeds->cells[c - 1];
        double mean = cell_mean(cell, part);
        if (cell->device == speeds->device) {
            speed.own = mean;
            speed.total_ns = (double)cell->ns[0] + (double)cell->ns[1];
        } else if (mean > 0) {
            others[count++] = mean;
        }
    }
    if (speed.own <= 0 || count == 0)
        return speed;
    qsort(others, count, sizeof *others, compare_doubles);
    speed.others = count % 2 ? others[count / 2] : (others[count / 2 - 1] + others[count / 2]) / 2;
    speed.ratio = speed.own / speed.others;
    return speed;
}
