// SPDX-License-Identifier: Apache-2.0
// What runs of ops compute and move, by the rules of model/formula.h, and which kernel has which part.
//
//      kernel --of_work--> op_figure: the share of it, the answer about its run
//
// Kernels are millions and what is known of them is a few hundred rows: those alike are one. Who was
// asked about which run (op_calls.h) is many times as much, and is not kept for this.
#ifndef ANALYSIS_OP_FIGURES_H
#define ANALYSIS_OP_FIGURES_H

#include "analysis/op_runs/op_calls.h"
#include "analysis/report/report.h"
#include "model/rules/formula.h"

struct op_figure {                       // of kernels alike
    const struct formula_answer *answer; // of their runs
    const struct formula_share *share;   // of these the kernel's
    string_id op;                        // title of the marker that names it
    enum phase run_phase, phase;         // of the run, of the kernel
};

struct op_figures {
    uint32_t count;
    const struct op_figure *items; // in order of the run that is the first
    struct column32 of_work;       // by row of GPU work: row; ROW_NONE: no op is known
};

// Of all runs of a profile; kept in the memo of the selection.
const struct op_figures *op_figures_find(const struct profile *profile,
                                         const struct selection *selection, struct arena *arena);

// What is known of a kernel; NULL: no op of it is.
static inline const struct op_figure *op_figure_of(const struct op_figures *figures, uint32_t work)
{
    uint32_t row = AT(figures->of_work, work);
    return row == ROW_NONE ? NULL : &figures->items[row];
}

// Whether only a part of a run's FLOPs is run: half of an attention below a causal mask, or below one that
// may be causal. And of a kernel's FLOPs those that are.
static inline bool op_figure_is_causal(const struct formula_answer *answer)
{
    return answer->causal_flops >= 0 && answer->causal_flops < answer->flops;
}

static inline double op_figure_run(const struct op_figure *figure)
{
    const struct formula_answer *answer = figure->answer;
    double flops = figure->share->flops;
    return flops > 0 && op_figure_is_causal(answer) ? flops / answer->flops * answer->causal_flops
                                                    : flops;
}

// By which formula a kernel has its FLOPs and bytes, in words, and what to know of them.
const char *op_figure_text(const struct op_figure *figure, struct arena *arena);

// "tried", "tried, guess, over"; NULL: nothing is to be said.
static inline const char *op_figure_note(bool is_tried, bool is_guess, bool is_over)
{
    static const char *const notes[2][2][2] = {
        {{NULL, "over"}, {"guess", "guess, over"}},
        {{"tried", "tried, over"}, {"tried, guess", "tried, guess, over"}},
    };
    return notes[is_tried][is_guess][is_over];
}

// FLOPs or bytes in a cell; unknown, and more than a cell holds: none.
static inline struct value op_figure_value(double figure)
{
    return figure >= 0 && figure < 9e18 ? value_integer((int64_t)figure) : value_none();
}

#endif
