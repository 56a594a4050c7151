// SPDX-License-Identifier: Apache-2.0
// Builds partial sums, and adds up those of a set of steps on several threads. A list is a list of
// groups that several steps share, see partial_sums.h.
#include "analysis/report/partial_sums.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/report/stats.h"
#include "base/hash.h"
#include "base/parallel.h"

// ---- building -----------------------------------------------------------------------------------

struct partial_sums_builder partial_sums_begin(struct partial_sums *partial, struct arena *arena,
                                               struct arena *scratch)
{
    partial->steps = ARENA_ARRAY(arena, struct partial_sums_step, (size_t)partial->step_count + 1);
    return (struct partial_sums_builder){
        .partial = partial,
        .arena = arena,
        .scratch = scratch,
        .figures = ARENA_ARRAY(scratch, int64_t, (size_t)partial->groups * partial->columns + 1),
        .touched = ARENA_ARRAY(scratch, uint32_t, (size_t)partial->groups + 1),
        .column = ARENA_ARRAY(scratch, uint32_t, (size_t)partial->groups + 1),
        .is_touched = ARENA_ARRAY(scratch, bool, (size_t)partial->groups + 1),
        .lists = {.arena = scratch},
    };
}

// Returns the value of a column without figures.
static int64_t neutral_value(const struct partial_sums *partial, uint32_t column)
{
    return column < partial->sums                            ? 0
           : column < partial->sums + partial->minimum_count ? INT64_MAX
                                                             : INT64_MIN;
}

static void figure_add(const struct partial_sums *partial, uint32_t column, int64_t *figure,
                       int64_t value)
{
    if (column < partial->sums)
        sum_add(figure, value);
    else if (column < partial->sums + partial->minimum_count)
        *figure = value < *figure ? value : *figure;
    else
        *figure = value > *figure ? value : *figure;
}

void partial_sums_add(struct partial_sums_builder *builder, uint32_t group, uint32_t column,
                      int64_t value)
{
    const struct partial_sums *partial = builder->partial;
    int64_t *figures = &builder->figures[(size_t)group * partial->columns];
    if (!builder->is_touched[group]) {
        builder->is_touched[group] = true;
        builder->touched[builder->touched_count++] = group;
        for (uint32_t c = 0; c < partial->columns; c++)
            figures[c] = neutral_value(partial, c);
    }
    figure_add(partial, column, &figures[column], value);
}

static int compare_groups(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

// Returns the list of the touched groups; an equal list is reused.
static uint32_t find_or_add_list(struct partial_sums_builder *builder)
{
    struct partial_sums *partial = builder->partial;
    const uint32_t *groups = builder->touched;
    uint32_t count = builder->touched_count;
    uint64_t hash = HASH_SEED;
    for (uint32_t i = 0; i < count; i++)
        hash = hash_number(hash, groups[i]);
    for (uint32_t tries = 0;; tries++) {
        uint32_t *slot = id_map_slot(&builder->lists, (struct id_key){hash, count, tries});
        if (*slot) {
            if (memcmp(partial->lists[*slot - 1].groups, groups, count * sizeof *groups) == 0)
                return *slot - 1;
            continue;
        }
        struct partial_sums_groups list = {
            .count = count, .groups = ARENA_ARRAY(builder->arena, uint32_t, count + 1)};
        memcpy(list.groups, groups, count * sizeof *groups);
        *slot = (uint32_t)partial->list_count + 1;
        ARENA_PUSH(builder->arena, partial->lists, partial->list_count, partial->list_capacity) =
            list;
        return *slot - 1;
    }
}

static void sort_touched(struct partial_sums_builder *builder)
{
    uint32_t count = builder->touched_count;
    for (uint32_t i = 1; i < count; i++)
        if (builder->touched[i - 1] > builder->touched[i]) {
            qsort(builder->touched, count, sizeof *builder->touched, compare_groups);
            return;
        }
}

// Converts the figures of a column to 32 bits. Figures that do not fit are stored in `odd`.
static void convert_column(struct partial_sums_builder *builder, uint32_t c)
{
    struct partial_sums *partial = builder->partial;
    bool is_minimum = c >= partial->sums && c < partial->sums + partial->minimum_count;
    for (uint32_t i = 0; i < builder->touched_count; i++) {
        uint32_t group = builder->touched[i];
        int64_t figure = builder->figures[(size_t)group * partial->columns + c];
        bool fits = figure >= 0 && figure < UINT32_MAX;
        builder->column[i] = fits ? (uint32_t)figure : is_minimum ? UINT32_MAX : 0;
        if (!fits)
            ARENA_PUSH(builder->arena, partial->odd, partial->overflow_count,
                       partial->overflow_capacity) =
                (struct partial_sums_overflow){group, c, figure};
    }
}

// Returns the storage of the current column: that of an equal column, or a copy.
static const uint32_t *store_column(struct partial_sums_builder *builder,
                                    const struct partial_sums_step *built,
                                    const struct partial_sums_step *previous, uint32_t c)
{
    size_t bytes = builder->touched_count * sizeof *builder->column;
    if (previous && memcmp(previous->values[c], builder->column, bytes) == 0)
        return previous->values[c];
    for (uint32_t other = 0; other < c; other++)
        if (memcmp(built->values[other], builder->column, bytes) == 0)
            return built->values[other];
    uint32_t *copy = ARENA_ARRAY(builder->arena, uint32_t, (size_t)builder->touched_count + 1);
    memcpy(copy, builder->column, bytes);
    return copy;
}

void partial_sums_step(struct partial_sums_builder *builder, uint32_t step)
{
    struct partial_sums *partial = builder->partial;
    uint32_t columns = partial->columns;
    sort_touched(builder);
    struct partial_sums_step *built = &partial->steps[step];
    *built = (struct partial_sums_step){
        .list = find_or_add_list(builder),
        .first_overflow = (uint32_t)partial->overflow_count,
        .values = ARENA_ARRAY(builder->arena, const uint32_t *, columns),
    };
    struct partial_sums_groups *list = &partial->lists[built->list];
    const struct partial_sums_step *previous =
        list->step_count ? &partial->steps[list->latest_step] : NULL;
    for (uint32_t c = 0; c < columns; c++) {
        convert_column(builder, c);
        built->values[c] = store_column(builder, built, previous, c);
    }
    for (uint32_t i = 0; i < builder->touched_count; i++)
        builder->is_touched[builder->touched[i]] = false;
    built->end_overflow = (uint32_t)partial->overflow_count;
    builder->touched_count = 0;
    list->step_count++;
    list->latest_step = step;
}

void partial_sums_end(struct partial_sums_builder *builder)
{
    struct partial_sums *partial = builder->partial;
    partial->order = ARENA_ARRAY(builder->arena, uint32_t, (size_t)partial->step_count + 1);
    uint32_t at = 0;
    for (size_t l = 0; l < partial->list_count; l++) {
        partial->lists[l].steps = at;
        at += partial->lists[l].step_count;
        partial->lists[l].step_count = 0;
    }
    for (uint32_t i = 0; i < partial->step_count; i++) {
        struct partial_sums_groups *list = &partial->lists[partial->steps[i].list];
        partial->order[list->steps + list->step_count++] = i;
    }
}

struct grouped_rows grouped_rows_build(const uint32_t *of, uint32_t count, uint32_t step_count,
                                       struct arena *arena)
{
    struct grouped_rows built = {ARENA_ARRAY(arena, uint32_t, (size_t)step_count + 2),
                                 ARENA_ARRAY(arena, uint32_t, (size_t)count + 1)};
    uint32_t *next = built.first + 1; // in the end, next[l] is the first row of step l + 1
    for (uint32_t i = 0; i < count; i++)
        if (of[i] != ROW_NONE)
            next[of[i]]++;
    for (uint32_t l = 0; l < step_count; l++)
        next[l] += built.first[l];
    for (uint32_t l = step_count; l-- > 0;)
        next[l] = built.first[l];
    for (uint32_t i = 0; i < count; i++)
        if (of[i] != ROW_NONE)
            built.rows[next[of[i]]++] = i;
    return built;
}

uint32_t *partial_sums_work_steps(const struct profile *profile, const struct selection *selection,
                                  struct arena *arena)
{
    uint32_t *step = ARENA_ARRAY(arena, uint32_t, (size_t)profile->work.count + 1);
    for (uint32_t w = 0; w < profile->work.count; w++)
        step[w] = selection_has_work(profile, selection, w)
                      ? partial_sums_step_of(selection->split, selection->split->of_work[w])
                      : ROW_NONE;
    return step;
}

void partial_sums_of_work(struct partial_sums *partial, const struct profile *profile,
                          const struct selection *selection,
                          void (*add)(struct partial_sums_builder *partial, const void *context,
                                      uint32_t work),
                          const void *context, struct arena *arena, struct arena *scratch)
{
    uint32_t steps = partial->step_count = selection->split->count + 1;
    partial->threads = profile->workers;
    struct grouped_rows rows = grouped_rows_build(
        partial_sums_work_steps(profile, selection, scratch), profile->work.count, steps, scratch);
    struct partial_sums_builder builder = partial_sums_begin(partial, arena, scratch);
    for (uint32_t l = 0; l < steps; l++) {
        for (uint32_t i = rows.first[l]; i < rows.first[l + 1]; i++)
            add(&builder, context, rows.rows[i]);
        partial_sums_step(&builder, l);
    }
    partial_sums_end(&builder);
}

// ---- adding up ----------------------------------------------------------------------------------

// State of adding up. Each job adds up a contiguous part of the selected steps, in memory order.
struct step_summing {
    const struct partial_sums *partial;
    uint32_t *steps, selected_count; // the selected steps, grouped by list
    // first[list]: index in `steps` of the list's first step; one more entry at the end
    uint32_t *first;
    uint32_t max_groups; // number of groups in the longest list
    uint32_t jobs;
    struct column_run *runs; // [job * columns + column]
    uint64_t *parts;         // [(job * columns + column) * longest + index in the list]
    int64_t *sums;           // [(job * groups + group) * columns + column]
};

// Consecutive steps that share the same values of a column, which are added at once.
struct column_run {
    const uint32_t *values;
    uint64_t steps; // number of steps
};

// Adds the values of a run to the sums, minima or maxima of column `c`.
static void add_run(const struct partial_sums *partial, uint32_t c, const struct column_run *run,
                    uint64_t *restrict part, uint32_t count)
{
    const uint32_t *restrict values = run->values;
    if (!values)
        return;
    if (c < partial->sums)
        for (uint32_t i = 0; i < count; i++)
            part[i] += values[i] * run->steps;
    else if (c < partial->sums + partial->minimum_count)
        for (uint32_t i = 0; i < count; i++)
            part[i] = values[i] < part[i] ? values[i] : part[i];
    else
        for (uint32_t i = 0; i < count; i++)
            part[i] = values[i] > part[i] ? values[i] : part[i];
}

// Adds up the selected steps [from, to), which share one list. `runs` and `parts` have an entry per
// column.
static void sum_steps_of_list(const struct step_summing *summing,
                              const struct partial_sums_groups *list, uint32_t from, uint32_t to,
                              struct column_run *runs, uint64_t *parts)
{
    const struct partial_sums *partial = summing->partial;
    for (uint32_t c = 0; c < partial->columns; c++) {
        bool is_minimum = c >= partial->sums && c < partial->sums + partial->minimum_count;
        runs[c] = (struct column_run){0};
        for (uint32_t i = 0; i < list->count; i++)
            parts[(size_t)c * list->count + i] = is_minimum ? UINT32_MAX : 0;
    }
    for (uint32_t i = from; i < to; i++)
        for (uint32_t c = 0; c < partial->columns; c++) {
            const uint32_t *values = partial->steps[summing->steps[i]].values[c];
            if (values != runs[c].values) {
                add_run(partial, c, &runs[c], &parts[(size_t)c * list->count], list->count);
                runs[c] = (struct column_run){values, 0};
            }
            runs[c].steps++;
        }
    for (uint32_t c = 0; c < partial->columns; c++)
        add_run(partial, c, &runs[c], &parts[(size_t)c * list->count], list->count);
}

// Adds the sums of a list's groups to the sums of all groups.
static void add_list_to_sums(const struct partial_sums *partial,
                             const struct partial_sums_groups *list, const uint64_t *parts,
                             int64_t *sums)
{
    for (uint32_t c = 0; c < partial->columns; c++) {
        bool is_minimum = c >= partial->sums && c < partial->sums + partial->minimum_count;
        for (uint32_t i = 0; i < list->count; i++) {
            uint64_t value = parts[(size_t)c * list->count + i];
            if (!is_minimum || value != UINT32_MAX)
                figure_add(partial, c, &sums[(size_t)list->groups[i] * partial->columns + c],
                           (int64_t)value);
        }
    }
}

// Adds up the part of the selected steps that belongs to a job.
static void sum_job(void *context, size_t job)
{
    const struct step_summing *summing = context;
    const struct partial_sums *partial = summing->partial;
    uint32_t columns = partial->columns;
    uint32_t first = (uint32_t)parallel_first(summing->selected_count, job, summing->jobs);
    uint32_t end = (uint32_t)parallel_first(summing->selected_count, job + 1, summing->jobs);
    int64_t *sums = &summing->sums[job * partial->groups * columns];
    uint64_t *parts = &summing->parts[job * columns * summing->max_groups];
    for (size_t g = 0; g < partial->groups; g++)
        for (uint32_t c = 0; c < columns; c++)
            sums[g * columns + c] = neutral_value(partial, c);
    for (size_t l = 0; l < partial->list_count; l++) {
        uint32_t from = summing->first[l] > first ? summing->first[l] : first;
        uint32_t to = summing->first[l + 1] < end ? summing->first[l + 1] : end;
        if (from >= to)
            continue;
        sum_steps_of_list(summing, &partial->lists[l], from, to, &summing->runs[job * columns],
                          parts);
        add_list_to_sums(partial, &partial->lists[l], parts, sums);
    }
}

static void overflow_add(const struct partial_sums *partial, uint32_t step, int64_t *sums)
{
    for (uint32_t o = partial->steps[step].first_overflow; o < partial->steps[step].end_overflow;
         o++) {
        const struct partial_sums_overflow *odd = &partial->odd[o];
        figure_add(partial, odd->column, &sums[(size_t)odd->group * partial->columns + odd->column],
                   odd->value);
    }
}

// Returns the number of jobs: each needs enough figures to pay for a thread and for sums of its
// own.
static uint32_t jobs_for(const struct partial_sums *partial, uint32_t selected_count,
                         size_t figures)
{
    enum { MIN_FIGURES = 1 << 16, MAX_JOBS = 16, TIMES = 4 };
    size_t thread_sums = (size_t)partial->groups * partial->columns * TIMES,
           most = partial->threads;
    most = most < MAX_JOBS ? most : MAX_JOBS;
    most = most < selected_count ? most : selected_count;
    size_t jobs = figures / (thread_sums > MIN_FIGURES ? thread_sums : MIN_FIGURES);
    jobs = jobs < most ? jobs : most;
    return jobs > 0 ? (uint32_t)jobs : 1;
}

void partial_sums_total(const struct partial_sums *partial, const struct selection *selection,
                        int64_t *sums, struct arena *scratch)
{
    size_t columns = partial->columns, figures = 0;
    struct step_summing summing = {
        .partial = partial,
        .steps = ARENA_ARRAY(scratch, uint32_t, (size_t)partial->step_count + 1),
        .first = ARENA_ARRAY(scratch, uint32_t, partial->list_count + 1),
        .sums = sums,
    };
    for (size_t l = 0; l < partial->list_count; l++) {
        const struct partial_sums_groups *list = &partial->lists[l];
        summing.max_groups = list->count > summing.max_groups ? list->count : summing.max_groups;
        summing.first[l] = summing.selected_count;
        for (uint32_t i = 0; i < list->step_count; i++) {
            uint32_t step = partial->order[list->steps + i];
            if (partial_sums_has_step(selection, step))
                summing.steps[summing.selected_count++] = step;
        }
        figures += (size_t)(summing.selected_count - summing.first[l]) * list->count * columns;
    }
    summing.first[partial->list_count] = summing.selected_count;
    size_t size = partial->groups * columns;
    summing.jobs = jobs_for(partial, summing.selected_count, figures);
    summing.runs = ARENA_ARRAY(scratch, struct column_run, summing.jobs * columns);
    summing.parts = ARENA_ARRAY(scratch, uint64_t, summing.jobs * columns * summing.max_groups + 1);
    if (summing.jobs > 1)
        summing.sums = ARENA_ARRAY(scratch, int64_t, summing.jobs * size);
    parallel_run(summing.jobs, summing.jobs, sum_job, &summing);
    for (uint32_t job = 0; job < summing.jobs && summing.jobs > 1; job++)
        for (size_t i = 0; i < size; i++) {
            int64_t figure = summing.sums[job * size + i];
            if (job == 0)
                sums[i] = figure;
            else
                figure_add(partial, (uint32_t)(i % columns), &sums[i], figure);
        }
    for (uint32_t i = 0; i < summing.selected_count; i++)
        overflow_add(partial, summing.steps[i], sums);
    if (summing.jobs > 1)
        ARENA_RELEASE(scratch, summing.sums, summing.jobs * size);
    ARENA_RELEASE(scratch, summing.parts, summing.jobs * columns * summing.max_groups + 1);
}

void partial_sums_add_step(const struct partial_sums *partial, uint32_t step, uint32_t column,
                           int64_t *figures)
{
    const struct partial_sums_step *figures_of_step = &partial->steps[step];
    const struct partial_sums_groups *list = &partial->lists[figures_of_step->list];
    for (uint32_t i = 0; i < list->count; i++)
        sum_add(&figures[list->groups[i]], figures_of_step->values[column][i]);
    for (uint32_t o = figures_of_step->first_overflow; o < figures_of_step->end_overflow; o++)
        if (partial->odd[o].column == column)
            sum_add(&figures[partial->odd[o].group], partial->odd[o].value);
}
