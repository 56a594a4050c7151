// SPDX-License-Identifier: Apache-2.0
// FLOPs and bytes of the kernels of each op run, by the formulas of its op. Every run is evaluated
// once; equal queries have one result (formula_result), so runs are alike if op, phase and result
// are equal. A figure is one kernel of alike runs.
#include "analysis/op_runs/op_figures.h"

#include "analysis/report/memo.h"
#include "base/id_map.h"
#include "base/scratch.h"
#include "model/markers/markers.h"
#include "model/rules/rules_formulas.h"

enum { MAX_FORWARD_KERNELS = 64 }; // kernels of a forward that are searched for the product

struct figure_search {
    const struct profile *profile;
    const struct selection *selection;
    struct op_figures *figures;
    struct arena *result_arena;
    const struct op_calls *calls;
    struct formula_evaluator *formulas;    // owns the results
    const struct formula_result **results; // [run]
    uint32_t *sized_of_run;                // [run]: range with sizes in its backward; ROW_NONE
    uint32_t *functions;                   // scratch for one run, sized for the longest
    double *durations;                     // scratch: mean duration of each kernel of the run
    struct id_map kind_rows;               // (function, op, pass) -> row of kinds + 1
    struct kernel_kind {
        double total_ns;
        uint32_t count;
    } * kinds;
    size_t kind_count, kind_capacity;
    struct id_map alike_rows; // (answer, op, pass) of runs -> row of alike + 1
    struct alike_runs {
        uint32_t *rows; // [kernel index * PHASES + its phase]: row of items + 1; 0: not yet added
    } * alike;
    size_t alike_count, alike_capacity;
    struct op_figure *items;
    size_t count, capacity;
};

static uint32_t max_kernel_count(const struct op_calls *calls)
{
    uint32_t max_count = 0;
    for (uint32_t i = 0; i < calls->count; i++) {
        uint32_t count = op_call_at(calls, i).work_count;
        max_count = count > max_count ? count : max_count;
    }
    return max_count;
}

static bool is_backward_call(const struct op_call *call, const struct marker *op)
{
    // In a database of DLProf the backward has its own marker, with the shapes of the forward.
    bool is_own_backward = op->dialect == DIALECT_DLPROF && op->is_backward;
    return is_own_backward ||
           (call->op != call->range && call->phase == PHASE_BPROP && call->is_inherited);
}

static struct kernel_kind *kind_of(struct figure_search *search, const struct op_call *call,
                                   uint32_t work, struct arena *scratch)
{
    const struct marker *op = range_marker(search->profile, call->op);
    struct id_key key = {op->title, AT(search->profile->work.function, work),
                         is_backward_call(call, op)};
    uint32_t *slot = id_map_slot(&search->kind_rows, key);
    if (!*slot) {
        ARENA_PUSH(scratch, search->kinds, search->kind_count, search->kind_capacity) =
            (struct kernel_kind){0};
        *slot = (uint32_t)search->kind_count;
    }
    return &search->kinds[*slot - 1];
}

// Measures the mean duration of each kind of kernel within an op, for runs of several kernels. The
// longest kernel of a run does the op's main work; with means the choice is the same in all runs.
static void measure_kernel_kinds(struct figure_search *search, struct arena *scratch)
{
    const struct op_calls *calls = search->calls;
    for (uint32_t row = 0; row < calls->count; row++) {
        struct op_call call = op_call_at(calls, row);
        for (uint32_t i = 0; call.work_count > 1 && i < call.work_count; i++) {
            uint32_t work = AT(calls->work, call.first_work + i);
            struct kernel_kind *kind = kind_of(search, &call, work, scratch);
            kind->total_ns += (double)work_duration(search->profile, work);
            kind->count++;
        }
    }
}

static const struct marker *marker_of(const struct figure_search *search, uint32_t range)
{
    return range == ROW_NONE ? NULL : range_marker(search->profile, range);
}

static bool is_better_known(const struct formula_result *answer, const struct formula_result *than)
{
    return (answer->flops >= 0) + (answer->bytes >= 0) > (than->flops >= 0) + (than->bytes >= 0);
}

// Evaluates a query by the op and sizes of the forward; if FLOPs or bytes stay unknown, also by the
// op that the backward runs. Returns the result in which more is known.
static const struct formula_result *evaluate(const struct figure_search *search,
                                             struct formula_query *query,
                                             const struct op_call *call)
{
    const struct formula_result *answer = formula_eval_run(search->formulas, query);
    const struct marker *sized_of_run = marker_of(search, call->sized_range);
    if (!sized_of_run || (answer->flops >= 0 && answer->bytes >= 0))
        return answer;
    query->module = profile_text(search->profile, sized_of_run->module);
    query->op = profile_text(search->profile, sized_of_run->title);
    // `backward` stays set, so that the query differs from one about this op itself.
    query->marker = sized_of_run;
    query->is_backward = false;
    query->forward_part = 0;
    const struct formula_result *own_parts = formula_eval_run(search->formulas, query);
    return is_better_known(own_parts, answer) ? own_parts : answer;
}

static bool has_several_parts(const struct formula_row *row)
{
    size_t own_parts = 0;
    for (size_t p = 0; p < row->part_count[PHASE_FORWARD]; p++)
        own_parts += !row->parts[PHASE_FORWARD][p].is_side_work;
    return own_parts > 1;
}

// Returns the matrix product of its forward that a backward belongs to, found by the sequence
// number: a recurrent cell has one product for the input and one for the state. 0 if unknown.
static uint32_t forward_product(const struct figure_search *search, const struct op_call *call)
{
    const struct op_calls *calls = search->calls;
    const struct formula_result *answer =
        call->forward == ROW_NONE ? NULL : search->results[call->forward];
    if (!answer || !answer->row || !has_several_parts(answer->row))
        return 0;
    struct op_call forward = op_call_at(calls, call->forward);
    int64_t seq = op_launch_seq(search->profile, calls, AT(calls->work, call->first_work));
    if (seq == SEQ_NONE || is_backward_call(&forward, range_marker(search->profile, forward.op)))
        return 0;
    for (uint32_t i = 0; i < forward.work_count && i < MAX_FORWARD_KERNELS; i++) {
        uint32_t work = AT(calls->work, forward.first_work + i);
        if (answer->shares[i].is_main && op_launch_seq(search->profile, calls, work) == seq)
            return answer->shares[i].part;
    }
    return 0;
}

// Evaluates the formula of a run and stores its result.
static void evaluate_run(struct figure_search *search, uint32_t row, const struct op_call *call,
                         struct arena *scratch)
{
    const struct profile *profile = search->profile;
    for (uint32_t i = 0; i < call->work_count; i++) {
        uint32_t work = AT(search->calls->work, call->first_work + i);
        search->functions[i] = AT(profile->work.function, work);
        if (call->work_count > 1) {
            const struct kernel_kind *kind = kind_of(search, call, work, scratch);
            search->durations[i] = kind->total_ns / kind->count;
        }
    }
    const struct marker *op = range_marker(profile, call->op);
    bool is_backward = is_backward_call(call, op);
    const char *dtype = NULL;
    if (is_backward && call->forward != ROW_NONE && search->results[call->forward])
        dtype = search->results[call->forward]->dtype;
    struct formula_query query = {
        .module = profile_text(profile, op->module),
        .op = profile_text(profile, op->title),
        .marker = op,
        .backward = marker_of(search, search->sized_of_run[row]),
        .is_backward = is_backward,
        .forward_part = is_backward ? forward_product(search, call) : 0,
        .functions = search->functions,
        .kernel_count = call->work_count,
        .durations = call->work_count > 1 ? search->durations : NULL,
        .dtype = dtype && *dtype ? dtype : NULL,
    };
    search->results[row] = evaluate(search, &query, call);
}

// Fills sized_of_run. A backward has it because its gradients have the sizes of the forward's
// result, which the forward does not record; the forward gets the range of its first backward.
static void find_backward_ranges(struct figure_search *search, struct arena *scratch)
{
    const struct op_calls *calls = search->calls;
    search->sized_of_run = ARENA_ARRAY(scratch, uint32_t, calls->count + 1);
    for (uint32_t row = 0; row < calls->count; row++)
        search->sized_of_run[row] = ROW_NONE;
    for (uint32_t row = 0; row < calls->count; row++) {
        struct op_call call = op_call_at(calls, row);
        if (call.sized_range == ROW_NONE)
            continue;
        search->sized_of_run[row] = call.sized_range;
        if (call.forward != ROW_NONE && search->sized_of_run[call.forward] == ROW_NONE)
            search->sized_of_run[call.forward] = call.sized_range;
    }
}

// Returns the entry for a run and those alike. Runs with the same result have the same number of
// kernels.
static struct alike_runs *alike_runs_of(struct figure_search *search, uint32_t row,
                                        const struct op_call *call, struct arena *scratch)
{
    string_id op = range_marker(search->profile, call->op)->title;
    struct id_key key = {(uint64_t)(uintptr_t)search->results[row], op, call->phase};
    uint32_t *slot = id_map_slot(&search->alike_rows, key);
    if (!*slot) {
        struct alike_runs added = {
            ARENA_ARRAY(scratch, uint32_t, (size_t)call->work_count * PHASES)};
        ARENA_PUSH(scratch, search->alike, search->alike_count, search->alike_capacity) = added;
        *slot = (uint32_t)search->alike_count;
    }
    return &search->alike[*slot - 1];
}

// Assigns a figure to each kernel of a run; alike runs share figures.
static void number_figures(struct figure_search *search, uint32_t row, uint32_t *of_work,
                           struct arena *scratch)
{
    struct op_call call = op_call_at(search->calls, row);
    const struct alike_runs *alike = alike_runs_of(search, row, &call, scratch);
    const struct formula_result *answer = search->results[row];
    for (uint32_t i = 0; i < call.work_count; i++) {
        uint32_t work = AT(search->calls->work, call.first_work + i);
        enum phase phase = op_launch_at(search->calls, work).phase;
        uint32_t *figure = &alike->rows[i * PHASES + phase];
        if (!*figure) {
            string_id op = range_marker(search->profile, call.op)->title;
            ARENA_PUSH(search->result_arena, search->items, search->count, search->capacity) =
                (struct op_figure){answer, &answer->shares[i], op, call.phase, phase};
            *figure = (uint32_t)search->count;
        }
        of_work[work] = *figure - 1;
    }
}

static void find_figures(void *context, struct arena *scratch)
{
    struct figure_search *search = context;
    const struct profile *profile = search->profile;
    const struct op_calls *calls = op_calls_find(profile, search->selection, scratch);
    search->calls = calls;
    search->alike_rows.arena = scratch;
    search->results = ARENA_ARRAY(scratch, const struct formula_result *, calls->count + 1);
    search->functions = ARENA_ARRAY(scratch, uint32_t, max_kernel_count(calls) + 1);
    search->durations = ARENA_ARRAY(scratch, double, max_kernel_count(calls) + 1);
    search->kind_rows.arena = scratch;
    measure_kernel_kinds(search, scratch);
    find_backward_ranges(search, scratch);
    // Backwards are evaluated in a second pass: they need data type and part of their forward.
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t row = 0; row < calls->count; row++) {
            struct op_call call = op_call_at(calls, row);
            if ((call.forward != ROW_NONE) == (pass == 1))
                evaluate_run(search, row, &call, scratch);
        }
    uint32_t *of_work = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->work.count + 1);
    for (uint32_t work = 0; work < profile->work.count; work++)
        of_work[work] = ROW_NONE;
    for (uint32_t row = 0; row < calls->count; row++)
        number_figures(search, row, of_work, scratch);
    *search->figures = (struct op_figures){
        .count = (uint32_t)search->count,
        .items = search->items,
        .of_work = column32_pack(search->result_arena, profile->workers, of_work, NULL,
                                 profile->work.count),
    };
}

static void *make_op_figures(const struct profile *profile, const struct selection *selection,
                             struct arena *arena)
{
    struct figure_search search = {.profile = profile,
                                   .selection = selection,
                                   .figures = ARENA_NEW(arena, struct op_figures),
                                   .result_arena = arena,
                                   .formulas = formula_evaluator_new(profile, arena)};
    scratch_run(arena, find_figures, &search);
    return search.figures;
}

const struct op_figures *op_figures_find(const struct profile *profile,
                                         const struct selection *selection, struct arena *arena)
{
    static const struct memo_kind kind = {.make = make_op_figures};
    return memo_require(&kind, profile, selection, arena);
}

const char *op_figure_text(const struct op_figure *figure, struct arena *arena)
{
    const struct formula_result *answer = figure->answer;
    const struct formula_share *share = figure->share;
    if (!answer->row)
        return "No row of formulas.yaml is for this op with what its range tells: FLOPs and bytes "
               "are unknown.";
    const char *part =
        share->flops < 0 || share->bytes < 0
            ? " What is unknown rests on what its range does not tell."
        : share->is_unsure ? " Nothing tells which of the products it is: what they share is known."
        : share->is_main || share->flops > 0 || share->bytes > 0 ? ""
        : answer->is_autotuned ? " It is of an algorithm that was tried, or only helps: 0."
                               : " It only helps in its run: 0.";
    const char *tried =
        answer->is_autotuned ? " Algorithms were tried: the last of them has the figures." : "";
    const char *half =
        op_figure_is_causal(answer) ? " Below the causal mask half of the FLOPs are run." : "";
    const char *guess =
        answer->is_guess ? " A guess: the file does not tell all of it, mostly the data type." : "";
    return arena_format(arena, "%s: %s%s%s%s%s", answer->rule, formula_row_doc(answer->row, arena),
                        part, tried, half, guess);
}
