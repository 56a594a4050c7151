// SPDX-License-Identifier: Apache-2.0
// What runs of ops compute and move, by the rules of model/formula.h, and which kernel has which part.
#ifndef ANALYSIS_OP_FIGURES_H
#define ANALYSIS_OP_FIGURES_H

#include "analysis/op_calls.h"
#include "analysis/report.h"
#include "model/formula.h"

struct op_figures {
    const struct formula_answer **answers; // by run
    uint32_t *place;                       // by row of GPU work: which kernel of its run it is
};

// Of all runs of a profile; kept in the memo of the selection.
const struct op_figures *op_figures_find(const struct profile *profile,
                                         const struct selection *selection, struct arena *arena);

// The part of a kernel; NULL: no op of it is known.
static inline const struct formula_share *op_figures_share(const struct op_figures *figures,
                                                           const struct op_calls *calls,
                                                           uint32_t work)
{
    uint32_t call = calls->launches[work].call;
    return call == ROW_NONE ? NULL : &figures->answers[call]->shares[figures->place[work]];
}

// FLOPs or bytes in a cell; unknown, and more than a cell holds: none.
static inline struct value op_figure_value(double figure)
{
    return figure >= 0 && figure < 9e18 ? value_integer((int64_t)figure) : value_none();
}

#endif
