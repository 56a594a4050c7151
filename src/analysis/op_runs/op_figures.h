// SPDX-License-Identifier: Apache-2.0
// The FLOPs and bytes of op runs, by the rules of model/rules/formula.h, divided among their
// kernels.
//
//      kernel --of_work--> op_figure: the kernel's share, and the result for its run (the answer)
//
// Kernels number in the millions while their figures are a few hundred distinct rows, so equal ones
// share a row. Queries and runs (op_calls.h) are far more numerous and are not stored.
#ifndef ANALYSIS_OP_RUNS_OP_FIGURES_H
#define ANALYSIS_OP_RUNS_OP_FIGURES_H

#include "analysis/op_runs/op_calls.h"
#include "analysis/report/report.h"
#include "model/rules/formula.h"

struct op_figure {                       // shared by equal kernels
    const struct formula_result *answer; // for their runs
    const struct formula_share *share;   // the kernel's part of the answer
    string_id op;                        // title of the marker that names the op
    enum phase run_phase, phase;         // of the run; of the kernel
};

struct op_figures {
    uint32_t count;
    const struct op_figure *items; // in order of the first run that has each
    struct column32 of_work;       // [row of GPU work]: row of items; ROW_NONE: the op is unknown
};

// Finds the figures of all runs of a profile. The result is stored in the memo of the selection.
const struct op_figures *op_figures_find(const struct profile *profile,
                                         const struct selection *selection, struct arena *arena);

// Returns the figures of a kernel, or NULL if its op is unknown.
static inline const struct op_figure *op_figure_of(const struct op_figures *figures, uint32_t work)
{
    uint32_t row = AT(figures->of_work, work);
    return row == ROW_NONE ? NULL : &figures->items[row];
}

// True if only part of a run's FLOPs is executed: half for an attention with a causal mask, or with
// one that may be causal. op_figure_executed_flops() returns the executed FLOPs of a kernel.
static inline bool op_figure_is_causal(const struct formula_result *answer)
{
    return answer->causal_flops >= 0 && answer->causal_flops < answer->flops;
}

static inline double op_figure_executed_flops(const struct op_figure *figure)
{
    const struct formula_result *answer = figure->answer;
    double flops = figure->share->flops;
    return flops > 0 && op_figure_is_causal(answer) ? flops / answer->flops * answer->causal_flops
                                                    : flops;
}

// Explains in words which formula gives a kernel its FLOPs and bytes, and with what reservations.
const char *op_figure_text(const struct op_figure *figure, struct arena *arena);

// "tried", "tried, guess, over"; NULL for none.
static inline const char *op_figure_note(bool is_tried, bool is_guess, bool is_over)
{
    static const char *const notes[2][2][2] = {
        {{NULL, "over"}, {"guess", "guess, over"}},
        {{"tried", "tried, over"}, {"tried, guess", "tried, guess, over"}},
    };
    return notes[is_tried][is_guess][is_over];
}

// FLOPs or bytes as a value; none if unknown or too large for an integer.
static inline struct value op_figure_value(double figure)
{
    return figure >= 0 && figure < 9e18 ? value_integer((int64_t)figure) : value_none();
}

#endif
