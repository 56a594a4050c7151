// SPDX-License-Identifier: Apache-2.0
// Partial sums: figures per group (a kernel, a node, an op) and step. The sums of any set of steps
// are computed from them without another pass over the rows.
//
//     step 0   groups 3 7 9 ...   count  2 1 1 ...   ns  410 12 77 ...
//     step 1   same groups,       count  2 1 1 ...   ns  408 13 77 ...   so the list is stored once
//
// Steps of a program do the same things, so steps with the same groups share one list of groups,
// figures take 32 bits, and adding steps up is adding arrays. A column that equals another column
// of the same step (if each group runs once, minimum and maximum equal the sum) or of the previous
// step with that list (counts) is stored once, since for large profiles adding up is bound by
// memory. Figures that do not fit into 32 bits (negative, over 4 s) are stored separately.
//
// In this file a step is an index: of a step of the split, or split->count for all rows outside of
// steps. Steps are built in order: partial_sums_begin(), then partial_sums_add() and
// partial_sums_step() for each step, then partial_sums_end().
#ifndef ANALYSIS_REPORT_PARTIAL_SUMS_H
#define ANALYSIS_REPORT_PARTIAL_SUMS_H

#include <stdbool.h>

#include "analysis/report/selection.h"
#include "base/id_map.h"

struct partial_sums_groups { // groups of one or more steps, ascending
    uint32_t count;
    uint32_t *groups;
    uint32_t steps; // steps with these groups: `step_count` entries of `order` from here
    uint32_t step_count;
    uint32_t latest_step; // while building: the latest step with these groups
};

// a figure that does not fit into 32 bits; the column holds a neutral value instead
struct partial_sums_overflow {
    uint32_t group, column;
    int64_t value;
};

struct partial_sums_step {
    uint32_t list;
    uint32_t first_overflow, end_overflow;
    const uint32_t **values; // [column][index in the list]
};

struct partial_sums {
    uint32_t groups, columns;     // columns: sums first, then minima, then maxima
    uint32_t sums, minimum_count; // number of columns that are sums, and that are minima
    unsigned threads;             // limit of threads that add up; 0: one
    uint32_t step_count;          // number of steps, plus one for the rows outside of steps
    struct partial_sums_step *steps;
    size_t list_count, list_capacity;
    struct partial_sums_groups *lists;
    uint32_t *order; // steps, grouped by list
    size_t overflow_count, overflow_capacity;
    struct partial_sums_overflow *odd;
};

// Returns true if a step is selected. Rows outside of steps count only if all steps are selected.
static inline bool partial_sums_has_step(const struct selection *selection, uint32_t step)
{
    return !selection->iterations ||
           (step < selection->split->count && selection->iterations[step]);
}

// Returns the step of a row in iteration `iteration`, which may be ROW_NONE.
static inline uint32_t partial_sums_step_of(const struct split *split, uint32_t iteration)
{
    return iteration < split->count ? iteration : split->count;
}

// Adds the selected steps up: sums[group * columns + column]. For a group without figures the
// minimum is INT64_MAX and the maximum INT64_MIN.
void partial_sums_total(const struct partial_sums *partial, const struct selection *selection,
                        int64_t *sums, struct arena *scratch);

// Adds the figures of a step in a column of sums: figures[group].
void partial_sums_add_step(const struct partial_sums *partial, uint32_t step, uint32_t column,
                           int64_t *figures);

struct partial_sums_builder {
    struct partial_sums *partial;
    struct arena *arena, *scratch;
    int64_t *figures; // of the current step
    uint32_t *touched, touched_count;
    uint32_t *column; // of the current step
    bool *is_touched;
    struct id_map lists; // index of lists by their hash
};

// Starts building `partial` in `arena`. The caller has set `groups`, `columns`, `sums`,
// `minimum_count` and `step_count`. `scratch` is used until partial_sums_end().
struct partial_sums_builder partial_sums_begin(struct partial_sums *partial, struct arena *arena,
                                               struct arena *scratch);
void partial_sums_add(struct partial_sums_builder *builder, uint32_t group, uint32_t column,
                      int64_t value);
// Stores what was added since the previous call as the figures of `step`.
void partial_sums_step(struct partial_sums_builder *builder, uint32_t step);
void partial_sums_end(struct partial_sums_builder *builder);

// Rows by step: rows[first[step]] to rows[first[step + 1] - 1], in ascending order. of[row] is the
// step of a row, or ROW_NONE if the row does not count.
struct grouped_rows {
    uint32_t *first, *rows;
};
struct grouped_rows grouped_rows_build(const uint32_t *of, uint32_t count, uint32_t step_count,
                                       struct arena *arena);

// Returns the step of each piece of work, by the iteration it was launched in; ROW_NONE if it is
// not selected.
uint32_t *partial_sums_work_steps(const struct profile *profile, const struct selection *selection,
                                  struct arena *arena);

// Builds the partial sums of the selected work. `add` is called for each piece of work and adds its
// figures. The caller has set `groups` and the numbers of columns.
void partial_sums_of_work(struct partial_sums *partial, const struct profile *profile,
                          const struct selection *selection,
                          void (*add)(struct partial_sums_builder *partial, const void *context,
                                      uint32_t work),
                          const void *context, struct arena *arena, struct arena *scratch);

#endif
