// SPDX-License-Identifier: Apache-2.0
// Sums of figures per group (a kernel, a place, an op) and iteration, so that any set of iterations
// adds up without looking at rows again.
//
//      iteration 0   groups 3 7 9 ...   count  2 1 1 ...   ns  410 12 77 ...
//      iteration 1   the same groups,   count  2 1 1 ...   ns  408 13 77 ...   so kept once
//
// Steps of a program do the same things: lines with the same groups share their list, figures take
// 32 bits, and adding lines up is adding arrays. What a column repeats, of the same line (where each
// runs once, its least and its most are its sum) or of the line before (how often), is kept once: sets
// of a large profile wait for memory. What does not fit (negative, over 4 s) is kept beside. Made line
// by line: cells_begin(); for each iteration cells_add() and cells_line().
#ifndef ANALYSIS_CELLS_H
#define ANALYSIS_CELLS_H

#include <stdbool.h>

#include "analysis/report/selection.h"
#include "base/id_map.h"

struct cells_list { // groups of one or more lines, ascending
    uint32_t count;
    uint32_t *groups;
    uint32_t lines; // that have it: rows of `order` from here
    uint32_t line_count;
    uint32_t last_line; // while they are made; of those so far
};

struct cells_odd { // a figure that 32 bits do not hold; in its place stands what changes nothing
    uint32_t group, column;
    int64_t value;
};

struct cells_line {
    uint32_t list;
    uint32_t first_odd, end_odd;
    const uint32_t **values; // [column][place in the list]
};

struct cells {
    uint32_t groups, columns; // columns: those that add up, then
    uint32_t sums, leasts;    // those of which the least counts, then the most
    unsigned threads;         // at most, that add up; 0: one
    uint32_t line_count;      // iterations, and one of what lies in none
    struct cells_line *lines;
    size_t list_count, list_capacity;
    struct cells_list *lists;
    uint32_t *order; // lines by list
    size_t odd_count, odd_capacity;
    struct cells_odd *odd;
};

// Whether a line counts: its iteration is in the set; what lies in none counts with everything.
static inline bool cells_has_line(const struct selection *selection, uint32_t line)
{
    return !selection->iterations ||
           (line < selection->split->count && selection->iterations[line]);
}

// The line of a row whose iteration is this, or ROW_NONE.
static inline uint32_t cells_line_of(const struct split *split, uint32_t iteration)
{
    return iteration < split->count ? iteration : split->count;
}

// Adds the selected lines up: sums[group * columns + column]. Where a group has nothing the least
// is INT64_MAX and the most INT64_MIN.
void cells_sum(const struct cells *cells, const struct selection *selection, int64_t *sums,
               struct arena *scratch);

// Adds what a line has in one of the columns that add up: figures[group].
void cells_line_add(const struct cells *cells, uint32_t line, uint32_t column, int64_t *figures);

struct cells_builder {
    struct cells *cells;
    struct arena *arena, *scratch;
    int64_t *figures; // of the present line
    uint32_t *touched, touched_count;
    uint32_t *column; // of the present line
    bool *is_touched;
    struct id_map lists; // by their hash
};

// `cells`, of which the number of columns of each kind, groups and lines are set, is made in
// `arena`; `scratch` is needed until cells_end().
struct cells_builder cells_begin(struct cells *cells, struct arena *arena, struct arena *scratch);
void cells_add(struct cells_builder *builder, uint32_t group, uint32_t column, int64_t value);
void cells_line(struct cells_builder *builder, uint32_t line); // what was added since the last
void cells_end(struct cells_builder *builder);

// Rows by line: rows[first[line] .. first[line + 1]) in their order. `of[row]`: its line; ROW_NONE:
// the row does not count.
struct line_rows {
    uint32_t *first, *rows;
};
struct line_rows line_rows_make(const uint32_t *of, uint32_t count, uint32_t line_count,
                                struct arena *arena);

// By work: the line of the iteration that it was launched in; ROW_NONE: it is not selected.
uint32_t *cells_work_lines(const struct profile *profile, const struct selection *selection,
                           struct arena *arena);

// Makes cells of the selected work: `add` adds what a piece of it is worth. Of `cells` groups and
// the number of columns of each kind are set.
void cells_make_of_work(struct cells *cells, const struct profile *profile,
                        const struct selection *selection,
                        void (*add)(struct cells_builder *cells, const void *context,
                                    uint32_t work),
                        const void *context, struct arena *arena, struct arena *scratch);

#endif
