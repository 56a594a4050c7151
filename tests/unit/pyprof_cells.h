// SPDX-License-Identifier: Apache-2.0
// Conformance with PyProf, cell by cell: why a cell of its table differs here.
//
// test_pyprof.c pairs the rows of both tables and passes each difference to correction_find(). That
// function finds the reason with one predicate, and with another checks that the value here is
// right. The check does not use the program's own rules, but the truth file next to the profile,
// figures computed from the shapes (pyprof_figures.c), or the ranges.
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
    EXPLAINED, // columns from here on come straight from the file: a difference is an error
    COLUMNS = 22
};

struct compared { // one row of both tables
    const void *row;
    char ours[COLUMNS][TEXT_SIZE];
    const char *theirs[COLUMNS];
    const char *truth[TRUTHS]; // idx, phase, number, layer, FLOPs; NULL if unknown
    unsigned left_out;         // earlier kernels that PyProf leaves out
    bool is_lost;              // PyProf has lost the ranges that enclose it
};

struct comparison {
    const struct profile *profile;
    const struct op_calls *calls;
    const struct op_figures *figures;
    const struct report *report;
    const char **first_sub;  // by run: PyProf's number of its first kernel
    const bool *runs_nodes;  // by thread: PyProf itself finds backward nodes on it
    const char *const *seqs; // numbers of kernels that are backward for PyProf
    size_t seq_count;
};

struct cell {
    const struct comparison *comparison;
    const struct compared *at;
    int column;
    uint32_t work, run_row; // ROW_NONE if the run is unknown
    struct op_call run;
    const struct marker *marker; // marker of its op; NULL if there is none
    const struct formula_result *answer;
    const struct formula_share *share; // share of the kernel; NULL if it has none
    uint32_t kernel_index;             // index of the kernel within the run
};

struct correction {
    // Number of the rule in the description of PyProf (shared/reference/pyprof.md). Section 5 lists
    // its mistakes, rule 2.8 says which cells it fills arbitrarily, and the other sections describe
    // its behaviour.
    const char *rule;
    const char *reason; // difference from PyProf; NULL: as in the previous row of that rule
    unsigned columns;   // bit set
    bool (*applies)(const struct cell *cell);
    bool (*is_right)(const struct cell *cell);
};

// Returns the reason for the difference if the value here is right; NULL if there is no known
// reason.
const struct correction *correction_find(const struct comparison *comparison,
                                         const struct compared *at, int column);
// Returns the table of all corrections in order.
const struct correction *correction_list(size_t *count);

bool equal(const char *a, const char *b);
bool contains(const char *text, const char *part);
double argument_dim(const struct marker *marker, uint32_t argument, int at);
double argument_elements(const struct marker *marker, uint32_t argument);
double argument_size(const struct comparison *comparison, const struct marker *marker,
                     uint32_t argument); // bytes per element
bool is_rule(const struct cell *cell, const char *name);
bool is_convolution(const struct cell *cell);
bool is_product_name(const char *name);
bool is_recurrent_cell(const struct cell *cell);
// Returns which product of a recurrent cell a kernel computes: 0 of the input, 1 of the state; -1
// if it computes none or this is unknown. A backward kernel belongs to the product that has the
// sequence number of its node.
int recurrent_product(const struct cell *cell);
// Returns true if FLOPs and bytes of the kernel follow from the shapes of its op: a main kernel has
// the whole cost, a helper kernel has none, and there are no more main kernels than products.
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

// Predicates of both tables of reasons: for ranges and names, and for the cost of ops
// (pyprof_costs.c).
bool is_hidden_backward(const struct cell *cell);
bool is_op_right(const struct cell *cell);
bool is_late_name(const struct cell *cell);
bool is_bytes_mistake(const struct cell *cell);
bool is_counted_per_kernel(const struct cell *cell);
bool is_moved_per_kernel(const struct cell *cell);
bool is_tried(const struct cell *cell);
bool is_one_of_groups(const struct cell *cell);
bool is_unknown_convolution(const struct cell *cell);
bool is_taken_for_second(const struct cell *cell);
bool is_of_first_kernel(const struct cell *cell);
bool stops_at_argument(const struct cell *cell);
bool is_of_recurrent_cell(const struct cell *cell);
bool is_recurrent_right(const struct cell *cell);
bool is_hidden_figure(const struct cell *cell);
bool is_unsupported_op(const struct cell *cell);
bool is_adam(const struct cell *cell);
bool is_cost_right(const struct cell *cell);
bool is_unknown(const struct cell *cell);
bool is_unknown_class(const struct cell *cell);
bool is_unrecorded(const struct cell *cell);

#endif
