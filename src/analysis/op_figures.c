// SPDX-License-Identifier: Apache-2.0
#include "analysis/op_figures.h"

#include "analysis/memo.h"
#include "model/markers.h"

struct asking {
    const struct profile *profile;
    const struct op_calls *calls;
    struct op_figures *figures;
    struct formula_desk *desk;
    uint32_t *functions; // of one run, with room for the longest
};

static uint32_t most_kernels(const struct op_calls *calls)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < calls->count; i++)
        if (calls->items[i].work_count > most)
            most = calls->items[i].work_count;
    return most;
}

static void ask(struct asking *asking, uint32_t row)
{
    const struct profile *profile = asking->profile;
    const struct op_calls *calls = asking->calls;
    const struct op_call *call = &calls->items[row];
    for (uint32_t i = 0; i < call->work_count; i++) {
        uint32_t work = calls->work[call->first_work + i];
        asking->functions[i] = AT(profile->work.function, work);
        asking->figures->place[work] = i;
    }
    const struct marker *op = range_marker(profile, call->op);
    // A run in a database of DLProf is a backward by its own marker, with the shapes of the forward.
    bool is_told = op->dialect == DIALECT_DLPROF && op->is_backward;
    bool is_backward =
        is_told || (call->op != call->range && call->phase == PHASE_BPROP && call->is_inherited);
    const char *dtype = NULL;
    if (is_backward && call->forward != ROW_NONE && asking->figures->answers[call->forward])
        dtype = asking->figures->answers[call->forward]->dtype;
    struct formula_question question = {
        .module = profile_text(profile, op->module),
        .op = profile_text(profile, op->title),
        .marker = op,
        .is_backward = is_backward,
        .functions = asking->functions,
        .kernel_count = call->work_count,
        .dtype = dtype && *dtype ? dtype : NULL,
    };
    asking->figures->answers[row] = formula_ask(asking->desk, &question);
}

static void *make(const struct profile *profile, const struct selection *selection,
                  struct arena *arena)
{
    const struct op_calls *calls = op_calls_find(profile, selection, arena);
    struct op_figures *figures = ARENA_NEW(arena, struct op_figures);
    *figures = (struct op_figures){
        .answers = ARENA_ARRAY(arena, const struct formula_answer *, calls->count + 1),
        .place = ARENA_ARRAY(arena, uint32_t, profile->work.count + 1)};
    struct asking asking = {profile, calls, figures, formula_open(profile, arena),
                            ARENA_ARRAY(arena, uint32_t, most_kernels(calls) + 1)};
    // A backward is asked after its forward, of which it has the data type.
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t row = 0; row < calls->count; row++)
            if ((calls->items[row].forward != ROW_NONE) == (pass == 1))
                ask(&asking, row);
    return figures;
}

const struct op_figures *op_figures_find(const struct profile *profile,
                                         const struct selection *selection, struct arena *arena)
{
    static const struct memo_kind kind = {.make = make};
    return memo_make(&kind, profile, selection, arena);
}
