// SPDX-License-Identifier: Apache-2.0
// Builds partial sums, and adds up those of a set of steps on several threads.
#include "analysis/report/cells.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/report/stats.h"
#include "base/hash.h"
#include "base/parallel.h"

// ---- building -----------------------------------------------------------------------------------

struct cells_builder cells_begin(struct cells *cells, struct arena *arena, struct arena *scratch)
{
    cells->lines = ARENA_ARRAY(arena, struct cells_line, (size_t)cells->line_count + 1);
    return (struct cells_builder){
        .cells = cells,
        .arena = arena,
        .scratch = scratch,
        .figures = ARENA_ARRAY(scratch, int64_t, (size_t)cells->groups * cells->columns + 1),
        .touched = ARENA_ARRAY(scratch, uint32_t, (size_t)cells->groups + 1),
        .column = ARENA_ARRAY(scratch, uint32_t, (size_t)cells->groups + 1),
        .is_touched = ARENA_ARRAY(scratch, bool, (size_t)cells->groups + 1),
        .lists = {.arena = scratch},
    };
}

// Returns the value of a column without figures.
static int64_t neutral_value(const struct cells *cells, uint32_t column)
{
    return column < cells->sums ? 0 : column < cells->sums + cells->leasts ? INT64_MAX : INT64_MIN;
}

static void figure_add(const struct cells *cells, uint32_t column, int64_t *figure, int64_t value)
{
    if (column < cells->sums)
        sum_add(figure, value);
    else if (column < cells->sums + cells->leasts)
        *figure = value < *figure ? value : *figure;
    else
        *figure = value > *figure ? value : *figure;
}

void cells_add(struct cells_builder *builder, uint32_t group, uint32_t column, int64_t value)
{
    const struct cells *cells = builder->cells;
    int64_t *figures = &builder->figures[(size_t)group * cells->columns];
    if (!builder->is_touched[group]) {
        builder->is_touched[group] = true;
        builder->touched[builder->touched_count++] = group;
        for (uint32_t c = 0; c < cells->columns; c++)
            figures[c] = neutral_value(cells, c);
    }
    figure_add(cells, column, &figures[column], value);
}

static int compare_groups(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Returns the list of the touched groups; an equal list is reused.
static uint32_t list_find(struct cells_builder *builder)
{
    struct cells *cells = builder->cells;
    const uint32_t *groups = builder->touched;
    uint32_t count = builder->touched_count;
    uint64_t hash = HASH_SEED;
    for (uint32_t i = 0; i < count; i++)
        hash = hash_number(hash, groups[i]);
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

static void touched_sort(struct cells_builder *builder)
{
    uint32_t count = builder->touched_count;
    for (uint32_t i = 1; i < count; i++)
        if (builder->touched[i - 1] > builder->touched[i]) {
            qsort(builder->touched, count, sizeof *builder->touched, compare_groups);
            return;
        }
}

// Converts the figures of a column to 32 bits. Figures that do not fit are stored in `odd`.
static void column_take(struct cells_builder *builder, uint32_t c)
{
    struct cells *cells = builder->cells;
    bool is_least = c >= cells->sums && c < cells->sums + cells->leasts;
    for (uint32_t i = 0; i < builder->touched_count; i++) {
        uint32_t group = builder->touched[i];
        int64_t figure = builder->figures[(size_t)group * cells->columns + c];
        bool fits = figure >= 0 && figure < UINT32_MAX;
        builder->column[i] = fits ? (uint32_t)figure : is_least ? UINT32_MAX : 0;
        if (!fits)
            ARENA_PUSH(builder->arena, cells->odd, cells->odd_count, cells->odd_capacity) =
                (struct cells_odd){group, c, figure};
    }
}

// Returns the storage of the current column: that of an equal column, or a copy.
static const uint32_t *column_keep(struct cells_builder *builder, const struct cells_line *built,
                                   const struct cells_line *before, uint32_t c)
{
    size_t bytes = builder->touched_count * sizeof *builder->column;
    if (before && memcmp(before->values[c], builder->column, bytes) == 0)
        return before->values[c];
    for (uint32_t other = 0; other < c; other++)
        if (memcmp(built->values[other], builder->column, bytes) == 0)
            return built->values[other];
    uint32_t *copy = ARENA_ARRAY(builder->arena, uint32_t, (size_t)builder->touched_count + 1);
    memcpy(copy, builder->column, bytes);
    return copy;
}

void cells_line(struct cells_builder *builder, uint32_t step)
{
    struct cells *cells = builder->cells;
    uint32_t columns = cells->columns;
    touched_sort(builder);
    struct cells_line *built = &cells->lines[step];
    *built = (struct cells_line){
        .list = list_find(builder),
        .first_odd = (uint32_t)cells->odd_count,
        .values = ARENA_ARRAY(builder->arena, const uint32_t *, columns),
    };
    struct cells_list *list = &cells->lists[built->list];
    const struct cells_line *before = list->line_count ? &cells->lines[list->last_line] : NULL;
    for (uint32_t c = 0; c < columns; c++) {
        column_take(builder, c);
        built->values[c] = column_keep(builder, built, before, c);
    }
    for (uint32_t i = 0; i < builder->touched_count; i++)
        builder->is_touched[builder->touched[i]] = false;
    built->end_odd = (uint32_t)cells->odd_count;
    builder->touched_count = 0;
    list->line_count++;
    list->last_line = step;
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
    struct line_rows built = {ARENA_ARRAY(arena, uint32_t, (size_t)line_count + 2),
                              ARENA_ARRAY(arena, uint32_t, (size_t)count + 1)};
    uint32_t *next = built.first + 1; // in the end, next[l] is the first row of step l + 1
    for (uint32_t i = 0; i < count; i++)
        if (of[i] != ROW_NONE)
            next[of[i]]++;
    for (uint32_t l = 0; l < line_count; l++)
        next[l] += built.first[l];
    for (uint32_t l = line_count; l-- > 0;)
        next[l] = built.first[l];
    for (uint32_t i = 0; i < count; i++)
        if (of[i] != ROW_NONE)
            built.rows[next[of[i]]++] = i;
    return built;
}

uint32_t *cells_work_lines(const struct profile *profile, const struct selection *selection,
                           struct arena *arena)
{
    uint32_t *step = ARENA_ARRAY(arena, uint32_t, (size_t)profile->work.count + 1);
    for (uint32_t w = 0; w < profile->work.count; w++)
        step[w] = selection_has_work(profile, selection, w)
                      ? cells_line_of(selection->split, selection->split->of_work[w])
                      : ROW_NONE;
    return step;
}

void cells_make_of_work(struct cells *cells, const struct profile *profile,
                        const struct selection *selection,
                        void (*add)(struct cells_builder *cells, const void *context,
                                    uint32_t work),
                        const void *context, struct arena *arena, struct arena *scratch)
{
    uint32_t lines = cells->line_count = selection->split->count + 1;
    cells->threads = profile->workers;
    struct line_rows rows = line_rows_make(cells_work_lines(profile, selection, scratch),
                                           profile->work.count, lines, scratch);
    struct cells_builder builder = cells_begin(cells, arena, scratch);
    for (uint32_t l = 0; l < lines; l++) {
        for (uint32_t i = rows.first[l]; i < rows.first[l + 1]; i++)
            add(&builder, context, rows.rows[i]);
        cells_line(&builder, l);
    }
    cells_end(&builder);
}

// ---- adding up ----------------------------------------------------------------------------------

// State of adding up. Each job adds up a contiguous part of the selected steps, in memory order.
struct cells_summing {
    const struct cells *cells;
    uint32_t *lines, chosen; // the selected steps, grouped by list
    // first[list]: index in `lines` of the list's first step; one more entry at the end
    uint32_t *first;
    uint32_t longest; // number of groups in the longest list
    uint32_t jobs;
    struct column_run *runs; // [job * columns + column]
    uint64_t *parts;         // [(job * columns + column) * longest + index in the list]
    int64_t *sums;           // [(job * groups + group) * columns + column]
};

// Number of consecutive steps that share the same values, which are added at once.
struct column_run {
    const uint32_t *values;
    uint64_t lines;
};

static void run_add(const struct cells *cells, uint32_t c, const struct column_run *run,
                    uint64_t *restrict part, uint32_t count)
{
    const uint32_t *restrict values = run->values;
    if (!values)
        return;
    if (c < cells->sums)
        for (uint32_t i = 0; i < count; i++)
            part[i] += values[i] * run->lines;
    else if (c < cells->sums + cells->leasts)
        for (uint32_t i = 0; i < count; i++)
            part[i] = values[i] < part[i] ? values[i] : part[i];
    else
        for (uint32_t i = 0; i < count; i++)
            part[i] = values[i] > part[i] ? values[i] : part[i];
}

// Adds up the selected steps [from, to), which share one list. `runs` and `parts` hold one entry
// per column.
static void list_sum(const struct cells_summing *summing, const struct cells_list *list,
                     uint32_t from, uint32_t to, struct column_run *runs, uint64_t *parts)
{
    const struct cells *cells = summing->cells;
    for (uint32_t c = 0; c < cells->columns; c++) {
        bool is_least = c >= cells->sums && c < cells->sums + cells->leasts;
        runs[c] = (struct column_run){0};
        for (uint32_t i = 0; i < list->count; i++)
            parts[(size_t)c * list->count + i] = is_least ? UINT32_MAX : 0;
    }
    for (uint32_t i = from; i < to; i++)
        for (uint32_t c = 0; c < cells->columns; c++) {
            const uint32_t *values = cells->lines[summing->lines[i]].values[c];
            if (values != runs[c].values) {
                run_add(cells, c, &runs[c], &parts[(size_t)c * list->count], list->count);
                runs[c] = (struct column_run){values, 0};
            }
            runs[c].lines++;
        }
    for (uint32_t c = 0; c < cells->columns; c++)
        run_add(cells, c, &runs[c], &parts[(size_t)c * list->count], list->count);
}

static void list_add(const struct cells *cells, const struct cells_list *list,
                     const uint64_t *parts, int64_t *sums)
{
    for (uint32_t c = 0; c < cells->columns; c++) {
        bool is_least = c >= cells->sums && c < cells->sums + cells->leasts;
        for (uint32_t i = 0; i < list->count; i++) {
            uint64_t value = parts[(size_t)c * list->count + i];
            if (!is_least || value != UINT32_MAX)
                figure_add(cells, c, &sums[(size_t)list->groups[i] * cells->columns + c],
                           (int64_t)value);
        }
    }
}

static void sum_job(void *context, size_t job)
{
    const struct cells_summing *summing = context;
    const struct cells *cells = summing->cells;
    uint32_t columns = cells->columns;
    uint32_t first = (uint32_t)parallel_first(summing->chosen, job, summing->jobs);
    uint32_t end = (uint32_t)parallel_first(summing->chosen, job + 1, summing->jobs);
    int64_t *sums = &summing->sums[job * cells->groups * columns];
    uint64_t *parts = &summing->parts[job * columns * summing->longest];
    for (size_t g = 0; g < cells->groups; g++)
        for (uint32_t c = 0; c < columns; c++)
            sums[g * columns + c] = neutral_value(cells, c);
    for (size_t l = 0; l < cells->list_count; l++) {
        uint32_t from = summing->first[l] > first ? summing->first[l] : first;
        uint32_t to = summing->first[l + 1] < end ? summing->first[l + 1] : end;
        if (from >= to)
            continue;
        list_sum(summing, &cells->lists[l], from, to, &summing->runs[job * columns], parts);
        list_add(cells, &cells->lists[l], parts, sums);
    }
}

static void overflow_add(const struct cells *cells, uint32_t step, int64_t *sums)
{
    for (uint32_t o = cells->lines[step].first_odd; o < cells->lines[step].end_odd; o++) {
        const struct cells_odd *odd = &cells->odd[o];
        figure_add(cells, odd->column, &sums[(size_t)odd->group * cells->columns + odd->column],
                   odd->value);
    }
}

// Returns the number of jobs: each needs enough figures to pay for a thread and for sums of its
// own.
static uint32_t jobs_for(const struct cells *cells, uint32_t chosen, size_t figures)
{
    enum { MIN_FIGURES = 1 << 16, MAX_JOBS = 16, TIMES = 4 };
    size_t thread_sums = (size_t)cells->groups * cells->columns * TIMES, most = cells->threads;
    most = most < MAX_JOBS ? most : MAX_JOBS;
    most = most < chosen ? most : chosen;
    size_t jobs = figures / (thread_sums > MIN_FIGURES ? thread_sums : MIN_FIGURES);
    jobs = jobs < most ? jobs : most;
    return jobs > 0 ? (uint32_t)jobs : 1;
}

void cells_sum(const struct cells *cells, const struct selection *selection, int64_t *sums,
               struct arena *scratch)
{
    size_t columns = cells->columns, figures = 0;
    struct cells_summing summing = {
        .cells = cells,
        .lines = ARENA_ARRAY(scratch, uint32_t, (size_t)cells->line_count + 1),
        .first = ARENA_ARRAY(scratch, uint32_t, cells->list_count + 1),
        .sums = sums,
    };
    for (size_t l = 0; l < cells->list_count; l++) {
        const struct cells_list *list = &cells->lists[l];
        summing.longest = list->count > summing.longest ? list->count : summing.longest;
        summing.first[l] = summing.chosen;
        for (uint32_t i = 0; i < list->line_count; i++) {
            uint32_t step = cells->order[list->lines + i];
            if (cells_has_line(selection, step))
                summing.lines[summing.chosen++] = step;
        }
        figures += (size_t)(summing.chosen - summing.first[l]) * list->count * columns;
    }
    summing.first[cells->list_count] = summing.chosen;
    size_t size = cells->groups * columns;
    summing.jobs = jobs_for(cells, summing.chosen, figures);
    summing.runs = ARENA_ARRAY(scratch, struct column_run, summing.jobs * columns);
    summing.parts = ARENA_ARRAY(scratch, uint64_t, summing.jobs * columns * summing.longest + 1);
    if (summing.jobs > 1)
        summing.sums = ARENA_ARRAY(scratch, int64_t, summing.jobs * size);
    parallel_run(summing.jobs, summing.jobs, sum_job, &summing);
    for (uint32_t job = 0; job < summing.jobs && summing.jobs > 1; job++)
        for (size_t i = 0; i < size; i++) {
            int64_t figure = summing.sums[job * size + i];
            if (job == 0)
                sums[i] = figure;
            else
                figure_add(cells, (uint32_t)(i % columns), &sums[i], figure);
        }
    for (uint32_t i = 0; i < summing.chosen; i++)
        overflow_add(cells, summing.lines[i], sums);
    if (summing.jobs > 1)
        ARENA_RELEASE(scratch, summing.sums, summing.jobs * size);
    ARENA_RELEASE(scratch, summing.parts, summing.jobs * columns * summing.longest + 1);
}

void cells_line_add(const struct cells *cells, uint32_t step, uint32_t column, int64_t *figures)
{
    const struct cells_line *figures_of_step = &cells->lines[step];
    const struct cells_list *list = &cells->lists[figures_of_step->list];
    for (uint32_t i = 0; i < list->count; i++)
        sum_add(&figures[list->groups[i]], figures_of_step->values[column][i]);
    for (uint32_t o = figures_of_step->first_odd; o < figures_of_step->end_odd; o++)
        if (cells->odd[o].column == column)
            sum_add(&figures[cells->odd[o].group], cells->odd[o].value);
}
