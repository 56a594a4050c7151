// SPDX-License-Identifier: Apache-2.0
#include "analysis/cells.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"

// ---- making ------------------------------------------------------------------------------------

struct cells_builder cells_begin(struct cells *cells, uint32_t groups, uint32_t columns,
                                 uint32_t line_count, struct arena *arena, struct arena *scratch)
{
    *cells = (struct cells){.groups = groups, .columns = columns, .line_count = line_count};
    cells->lines = ARENA_ARRAY(arena, struct cells_line, (size_t)line_count + 1);
    return (struct cells_builder){
        .cells = cells,
        .arena = arena,
        .scratch = scratch,
        .sums = ARENA_ARRAY(scratch, int64_t, (size_t)groups * columns + 1),
        .touched = ARENA_ARRAY(scratch, uint32_t, (size_t)groups + 1),
        .is_touched = ARENA_ARRAY(scratch, bool, (size_t)groups + 1),
        .lists = {.arena = scratch},
    };
}

void cells_add(struct cells_builder *builder, uint32_t group, uint32_t column, int64_t value)
{
    if (!builder->is_touched[group]) {
        builder->is_touched[group] = true;
        builder->touched[builder->touched_count++] = group;
    }
    int64_t *sum = &builder->sums[(size_t)group * builder->cells->columns + column];
    if (__builtin_add_overflow(*sum, value, sum))
        *sum = value < 0 ? INT64_MIN + 1 : INT64_MAX;
}

static int compare_groups(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// The list of the groups touched, an earlier one if there is one.
static uint32_t list_find(struct cells_builder *builder)
{
    struct cells *cells = builder->cells;
    const uint32_t *groups = builder->touched;
    uint32_t count = builder->touched_count;
    uint64_t hash = 14695981039346656037u; // FNV-1a over words
    for (uint32_t i = 0; i < count; i++)
        hash = (hash ^ groups[i]) * 1099511628211u;
    for (uint32_t tries = 0;; tries++) {
        uint32_t *slot = id_map_slot(&builder->lists, (struct id_key){hash, count, tries});
        if (*slot) {
            if (memcmp(cells->lists[*slot - 1].groups, groups, count * sizeof *groups) == 0)
                return *slot - 1;
            continue;
        }
        struct cells_list list = {.count = count,
                                  .groups = ARENA_ARRAY(builder->arena, uint32_t, count + 1)};
        memcpy(list.groups, groups, count * sizeof *groups);
        *slot = (uint32_t)cells->list_count + 1;
        ARENA_PUSH(builder->arena, cells->lists, cells->list_count, cells->list_capacity) = list;
        return *slot - 1;
    }
}

void cells_line(struct cells_builder *builder, uint32_t line)
{
    struct cells *cells = builder->cells;
    uint32_t count = builder->touched_count, columns = cells->columns;
    for (uint32_t i = 1; i < count; i++)
        if (builder->touched[i - 1] > builder->touched[i]) {
            qsort(builder->touched, count, sizeof *builder->touched, compare_groups);
            break;
        }
    struct cells_line *made = &cells->lines[line];
    *made = (struct cells_line){
        .list = list_find(builder),
        .first_odd = (uint32_t)cells->odd_count,
        .values = ARENA_ARRAY(builder->arena, uint32_t, (size_t)count * columns + 1),
    };
    for (uint32_t i = 0; i < count; i++) {
        uint32_t group = builder->touched[i];
        int64_t *sums = &builder->sums[(size_t)group * columns];
        for (uint32_t c = 0; c < columns; c++) {
            if (sums[c] >= 0 && sums[c] <= UINT32_MAX)
                made->values[(size_t)c * count + i] = (uint32_t)sums[c];
            else
                ARENA_PUSH(builder->arena, cells->odd, cells->odd_count, cells->odd_capacity) =
                    (struct cells_odd){group, c, sums[c]};
            sums[c] = 0;
        }
        builder->is_touched[group] = false;
    }
    made->end_odd = (uint32_t)cells->odd_count;
    builder->touched_count = 0;
    cells->lists[made->list].line_count++;
}

void cells_end(struct cells_builder *builder)
{
    struct cells *cells = builder->cells;
    cells->order = ARENA_ARRAY(builder->arena, uint32_t, (size_t)cells->line_count + 1);
    uint32_t at = 0;
    for (size_t l = 0; l < cells->list_count; l++) {
        cells->lists[l].lines = at;
        at += cells->lists[l].line_count;
        cells->lists[l].line_count = 0;
    }
    for (uint32_t i = 0; i < cells->line_count; i++) {
        struct cells_list *list = &cells->lists[cells->lines[i].list];
        cells->order[list->lines + list->line_count++] = i;
    }
}

struct line_rows line_rows_make(const uint32_t *of, uint32_t count, uint32_t line_count,
                                struct arena *arena)
{
    struct line_rows made = {ARENA_ARRAY(arena, uint32_t, (size_t)line_count + 2),
                             ARENA_ARRAY(arena, uint32_t, (size_t)count + 1)};
    uint32_t *next = made.first + 1; // ends as the first of the line after
    for (uint32_t i = 0; i < count; i++)
        if (of[i] != ROW_NONE)
            next[of[i]]++;
    for (uint32_t l = 0; l < line_count; l++)
        next[l] += made.first[l];
    for (uint32_t l = line_count; l-- > 0;)
        next[l] = made.first[l];
    for (uint32_t i = 0; i < count; i++)
        if (of[i] != ROW_NONE)
            made.rows[next[of[i]]++] = i;
    return made;
}

// ---- adding up ---------------------------------------------------------------------------------

static void list_sum(const struct cells *cells, const struct cells_list *list,
                     const struct selection *selection, uint64_t *restrict sums)
{
    size_t count = (size_t)list->count * cells->columns;
    memset(sums, 0, count * sizeof *sums);
    for (uint32_t i = 0; i < list->line_count; i++) {
        uint32_t line = cells->order[list->lines + i];
        if (!cells_has_line(selection, line))
            continue;
        const uint32_t *restrict values = cells->lines[line].values;
        for (size_t k = 0; k < count; k++)
            sums[k] += values[k];
    }
}

void cells_sum(const struct cells *cells, const struct selection *selection, int64_t *sums,
               struct arena *scratch)
{
    uint32_t columns = cells->columns, longest = 0;
    for (size_t l = 0; l < cells->list_count; l++)
        longest = cells->lists[l].count > longest ? cells->lists[l].count : longest;
    uint64_t *part = ARENA_ARRAY(scratch, uint64_t, (size_t)longest * columns + 1);
    for (size_t l = 0; l < cells->list_count; l++) {
        const struct cells_list *list = &cells->lists[l];
        list_sum(cells, list, selection, part);
        for (uint32_t c = 0; c < columns; c++)
            for (uint32_t i = 0; i < list->count; i++)
                sum_add(&sums[(size_t)list->groups[i] * columns + c],
                        (int64_t)part[(size_t)c * list->count + i]);
    }
    for (uint32_t line = 0; line < cells->line_count; line++) {
        if (!cells_has_line(selection, line))
            continue;
        for (uint32_t o = cells->lines[line].first_odd; o < cells->lines[line].end_odd; o++)
            sum_add(&sums[(size_t)cells->odd[o].group * columns + cells->odd[o].column],
                    cells->odd[o].value);
    }
}
