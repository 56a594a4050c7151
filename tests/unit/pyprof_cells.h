// SPDX-License-Identifier: Apache-2.0
// Conformance with PyProf, cell by cell: why a cell of its table is another one here.
//
// test_pyprof.c lays the rows side by side; what differs it shows to correction_find(), which finds the
// reason by a predicate and says whether the value here is right, by something else than the program's own
// rules: the truth beside the profile, figures worked out from the shapes (pyprof_figures.c), ranges.
#ifndef UNIT_PYPROF_CELLS_H
#define UNIT_PYPROF_CELLS_H

#include <stdlib.h>

#include "analysis/op_runs/op_figures.h"
#include "analysis/report/report.h"
#include "model/markers/markers.h"

enum { FIELDS = 20, TRUTHS = 5, TEXT_SIZE = 2000 };
enum {
    IDX,
    SEQ,
    ALTSEQ,
    LAYER,
    TRACE,
    DIRECTION,
    SUB,
    MODULE,
    OP,
    KERNEL,
    TC,
    PARAMS,
    FLOPS,
    BYTES,
    EXPLAINED, // what only the file tells is the same or wrong
    COLUMNS = 22
};

struct compared { // a row on both sides
    const void *row;
    char ours[COLUMNS][TEXT_SIZE];
    const char *theirs[COLUMNS];
    const char *truth[TRUTHS]; // idx, phase, number, layer, FLOPs; NULL: not told
    unsigned left_out;         // kernels before it that PyProf leaves out
    bool is_lost;              // PyProf has forgotten the ranges around it
};

struct comparison {
    const struct profile *profile;
    const struct op_calls *calls;
    const struct op_figures *figures;
    const struct report *report;
    const char **first_sub;  // by run: PyProf's number of its first kernel
    const bool *runs_nodes;  // by thread: PyProf itself finds backward nodes on it
    const char *const *seqs; // numbers of kernels that are backward to PyProf
    size_t seq_count;
};

struct cell {
    const struct comparison *comparison;
    const struct compared *at;
    int column;
    uint32_t work, run_row; // ROW_NONE: no run is known
    struct op_call run;
    const struct marker *marker; // of its op; NULL: none
    const struct formula_answer *answer;
    const struct formula_share *share; // of the kernel; NULL: of none
    uint32_t place;                    // of the kernel in the run
};

struct correction {
    // Of what is known of PyProf (shared/reference/pyprof.md) the rule: of section 5, which lists what it does
    // wrong; 2.8, by which it fills cells at random; else of the section that describes the way it has.
    const char *rule;
    const char *reason; // what is another there; NULL: as of the row of that rule before
    unsigned columns;   // bits
    bool (*is_so)(const struct cell *cell);
    bool (*is_right)(const struct cell *cell);
};

// Why it differs, and so that the value here is right; NULL: nobody knows.
const struct correction *correction_find(const struct comparison *comparison,
                                         const struct compared *at, int column);
// All of them, in order.
const struct correction *correction_list(size_t *count);

bool is(const char *a, const char *b);
bool has(const char *text, const char *part);
double argument_dim(const struct marker *marker, uint32_t argument, int at);
double argument_elements(const struct marker *marker, uint32_t argument);
double argument_size(const struct comparison *comparison, const struct marker *marker,
                     uint32_t argument); // bytes of an element
bool is_rule(const struct cell *cell, const char *name);
bool is_convolution(const struct cell *cell);
bool is_product_name(const char *name);
bool is_recurrent_cell(const struct cell *cell);
// Of a recurrent cell the product of the input is 0, that of the state 1; a backward is of that whose number
// its node has. -1: it is no product, or nothing tells.
int recurrent_product(const struct cell *cell);
// Whether FLOPs and bytes of the kernel are what the shapes of its op cost: all of it for a kernel that does the
// work, nothing for one that helps, and no more kernels that do it than the op has products.
bool is_figure_right(const struct cell *cell);

static inline const char *ours(const struct cell *cell)
{
    return cell->at->ours[cell->column];
}

static inline const char *theirs(const struct cell *cell)
{
    return cell->at->theirs[cell->column];
}

static inline double figure(const struct cell *cell)
{
    if (!cell->share)
        return FORMULA_UNKNOWN;
    return cell->column == FLOPS ? cell->share->flops : cell->share->bytes;
}

static inline double their_figure(const struct cell *cell)
{
    return strtod(theirs(cell), NULL);
}

// Predicates of both tables of reasons: of ranges and names, and (pyprof_costs.c) of what ops cost.
bool is_hidden_backward(const struct cell *cell);
bool is_op_right(const struct cell *cell);
bool is_late_name(const struct cell *cell);
bool is_bytes_mistake(const struct cell *cell);
bool is_counted_again(const struct cell *cell);
bool is_moved_again(const struct cell *cell);
bool is_tried(const struct cell *cell);
bool is_one_of_groups(const struct cell *cell);
bool is_convolution_unheard_of(const struct cell *cell);
bool is_taken_for_the_second(const struct cell *cell);
bool is_of_first_kernel(const struct cell *cell);
bool stops_there(const struct cell *cell);
bool is_of_recurrent_cell(const struct cell *cell);
bool is_recurrent_right(const struct cell *cell);
bool is_hidden_figure(const struct cell *cell);
bool is_left_out_there(const struct cell *cell);
bool is_adam(const struct cell *cell);
bool is_cost_right(const struct cell *cell);
bool is_unknown(const struct cell *cell);
bool is_unknown_class(const struct cell *cell);
bool is_not_told(const struct cell *cell);

#endif
