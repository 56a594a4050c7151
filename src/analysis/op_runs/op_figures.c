// SPDX-License-Identifier: Apache-2.0
#include "analysis/op_runs/op_figures.h"

#include "analysis/report/memo.h"
#include "base/id_map.h"
#include "base/scratch.h"
#include "model/markers/markers.h"
#include "model/rules/rules_formulas.h"

enum { FORWARD_KERNELS_MOST = 64 }; // of a forward of which the parts are looked for

struct asking {
    const struct profile *profile;
    const struct selection *selection;
    struct op_figures *figures;
    struct arena *keep;
    const struct op_calls *calls;
    struct formula_desk *desk;             // keeps the answers
    const struct formula_answer **answers; // by run
    uint32_t *told;                        // by run: what its backward runs, a range; ROW_NONE
    uint32_t *functions;                   // of one run, with room for the longest
    double *durations;                     // of its kernels, on the average
    struct id_map of_kind;                 // function, op and pass: row of kinds + 1
    struct kind {
        double total_ns;
        uint32_t count;
    } * kinds;
    size_t kind_count, kind_capacity;
    struct id_map of_alike; // answer, op and pass of runs: row of alike + 1
    struct alike {
        uint32_t *rows; // [place of the kernel * PHASES + its phase]: row of items + 1; 0: none yet
    } * alike;
    size_t alike_count, alike_capacity;
    struct op_figure *items;
    size_t count, capacity;
};

static uint32_t most_kernels(const struct op_calls *calls)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < calls->count; i++) {
        uint32_t count = op_call_at(calls, i).work_count;
        most = count > most ? count : most;
    }
    return most;
}

static bool is_backward_of(const struct op_call *call, const struct marker *op)
{
    // A run in a database of DLProf is a backward by its own marker, with the shapes of the forward.
    bool is_told = op->dialect == DIALECT_DLPROF && op->is_backward;
    return is_told || (call->op != call->range && call->phase == PHASE_BPROP && call->is_inherited);
}

static struct kind *kind_of(struct asking *asking, const struct op_call *call, uint32_t work,
                            struct arena *scratch)
{
    const struct marker *op = range_marker(asking->profile, call->op);
    struct id_key key = {op->title, AT(asking->profile->work.function, work),
                         is_backward_of(call, op)};
    uint32_t *slot = id_map_slot(&asking->of_kind, key);
    if (!*slot) {
        ARENA_PUSH(scratch, asking->kinds, asking->kind_count, asking->kind_capacity) =
            (struct kind){0};
        *slot = (uint32_t)asking->kind_count;
    }
    return &asking->kinds[*slot - 1];
}

// How long kernels take in runs of an op: where several are in a run, the longest does its work. On the
// average, so that which one it is does not change from run to run.
static void measure(struct asking *asking, struct arena *scratch)
{
    const struct op_calls *calls = asking->calls;
    for (uint32_t row = 0; row < calls->count; row++) {
        struct op_call call = op_call_at(calls, row);
        for (uint32_t i = 0; call.work_count > 1 && i < call.work_count; i++) {
            uint32_t work = AT(calls->work, call.first_work + i);
            struct kind *kind = kind_of(asking, &call, work, scratch);
            kind->total_ns += (double)work_duration(asking->profile, work);
            kind->count++;
        }
    }
}

static const struct marker *marker_of(const struct asking *asking, uint32_t range)
{
    return range == ROW_NONE ? NULL : range_marker(asking->profile, range);
}

static bool knows_more(const struct formula_answer *answer, const struct formula_answer *than)
{
    return (answer->flops >= 0) + (answer->bytes >= 0) > (than->flops >= 0) + (than->bytes >= 0);
}

// By the op and the sizes of the forward; where these do not tell enough, by what the backward runs.
static const struct formula_answer *answer_of(const struct asking *asking,
                                              struct formula_question *question,
                                              const struct op_call *call)
{
    const struct formula_answer *answer = formula_ask(asking->desk, question);
    const struct marker *told = marker_of(asking, call->told);
    if (!told || (answer->flops >= 0 && answer->bytes >= 0))
        return answer;
    question->module = profile_text(asking->profile, told->module);
    question->op = profile_text(asking->profile, told->title);
    question->marker =
        told; // and as `backward`: by it this is not the question of a run of that op itself
    question->is_backward = false;
    question->forward_part = 0;
    const struct formula_answer *own = formula_ask(asking->desk, question);
    return knows_more(own, answer) ? own : answer;
}

static bool has_several_parts(const struct formula_row *row)
{
    size_t own = 0;
    for (size_t p = 0; p < row->part_count[PHASE_FORWARD]; p++)
        own += !row->parts[PHASE_FORWARD][p].is_beside;
    return own > 1;
}

// Autograd's number tells of which of its forward's products a backward is: of a recurrent cell that of the
// input or that of the state.
static uint32_t forward_part(const struct asking *asking, const struct op_call *call)
{
    const struct op_calls *calls = asking->calls;
    const struct formula_answer *answer =
        call->forward == ROW_NONE ? NULL : asking->answers[call->forward];
    if (!answer || !answer->row || !has_several_parts(answer->row))
        return 0;
    struct op_call forward = op_call_at(calls, call->forward);
    int64_t seq = op_launch_seq(asking->profile, calls, AT(calls->work, call->first_work));
    if (seq == SEQ_NONE || is_backward_of(&forward, range_marker(asking->profile, forward.op)))
        return 0;
    for (uint32_t i = 0; i < forward.work_count && i < FORWARD_KERNELS_MOST; i++) {
        uint32_t work = AT(calls->work, forward.first_work + i);
        if (answer->shares[i].is_main && op_launch_seq(asking->profile, calls, work) == seq)
            return answer->shares[i].part;
    }
    return 0;
}

static void ask(struct asking *asking, uint32_t row, const struct op_call *call,
                struct arena *scratch)
{
    const struct profile *profile = asking->profile;
    for (uint32_t i = 0; i < call->work_count; i++) {
        uint32_t work = AT(asking->calls->work, call->first_work + i);
        asking->functions[i] = AT(profile->work.function, work);
        if (call->work_count > 1) {
            const struct kind *kind = kind_of(asking, call, work, scratch);
            asking->durations[i] = kind->total_ns / kind->count;
        }
    }
    const struct marker *op = range_marker(profile, call->op);
    bool is_backward = is_backward_of(call, op);
    const char *dtype = NULL;
    if (is_backward && call->forward != ROW_NONE && asking->answers[call->forward])
        dtype = asking->answers[call->forward]->dtype;
    struct formula_question question = {
        .module = profile_text(profile, op->module),
        .op = profile_text(profile, op->title),
        .marker = op,
        .backward = marker_of(asking, asking->told[row]),
        .is_backward = is_backward,
        .forward_part = is_backward ? forward_part(asking, call) : 0,
        .functions = asking->functions,
        .kernel_count = call->work_count,
        .durations = call->work_count > 1 ? asking->durations : NULL,
        .dtype = dtype && *dtype ? dtype : NULL,
    };
    asking->answers[row] = answer_of(asking, &question, call);
}

// The gradients that a backward takes have the sizes of what its forward gives, which that does not tell.
static void find_told(struct asking *asking, struct arena *scratch)
{
    const struct op_calls *calls = asking->calls;
    asking->told = ARENA_ARRAY(scratch, uint32_t, calls->count + 1);
    for (uint32_t row = 0; row < calls->count; row++)
        asking->told[row] = ROW_NONE;
    for (uint32_t row = 0; row < calls->count; row++) {
        struct op_call call = op_call_at(calls, row);
        if (call.told == ROW_NONE)
            continue;
        asking->told[row] = call.told;
        if (call.forward != ROW_NONE && asking->told[call.forward] == ROW_NONE)
            asking->told[call.forward] = call.told;
    }
}

// Runs with one answer have as many kernels.
static struct alike *alike_of(struct asking *asking, uint32_t row, const struct op_call *call,
                              struct arena *scratch)
{
    string_id op = range_marker(asking->profile, call->op)->title;
    struct id_key key = {(uint64_t)(uintptr_t)asking->answers[row], op, call->phase};
    uint32_t *slot = id_map_slot(&asking->of_alike, key);
    if (!*slot) {
        struct alike added = {ARENA_ARRAY(scratch, uint32_t, (size_t)call->work_count * PHASES)};
        ARENA_PUSH(scratch, asking->alike, asking->alike_count, asking->alike_capacity) = added;
        *slot = (uint32_t)asking->alike_count;
    }
    return &asking->alike[*slot - 1];
}

static void number_kernels(struct asking *asking, uint32_t row, uint32_t *of_work,
                           struct arena *scratch)
{
    struct op_call call = op_call_at(asking->calls, row);
    const struct alike *alike = alike_of(asking, row, &call, scratch);
    const struct formula_answer *answer = asking->answers[row];
    for (uint32_t i = 0; i < call.work_count; i++) {
        uint32_t work = AT(asking->calls->work, call.first_work + i);
        enum phase phase = op_launch_at(asking->calls, work).phase;
        uint32_t *figure = &alike->rows[i * PHASES + phase];
        if (!*figure) {
            string_id op = range_marker(asking->profile, call.op)->title;
            ARENA_PUSH(asking->keep, asking->items, asking->count, asking->capacity) =
                (struct op_figure){answer, &answer->shares[i], op, call.phase, phase};
            *figure = (uint32_t)asking->count;
        }
        of_work[work] = *figure - 1;
    }
}

static void find(void *context, struct arena *scratch)
{
    struct asking *asking = context;
    const struct profile *profile = asking->profile;
    const struct op_calls *calls = op_calls_find(profile, asking->selection, scratch);
    asking->calls = calls;
    asking->of_alike.arena = scratch;
    asking->answers = ARENA_ARRAY(scratch, const struct formula_answer *, calls->count + 1);
    asking->functions = ARENA_ARRAY(scratch, uint32_t, most_kernels(calls) + 1);
    asking->durations = ARENA_ARRAY(scratch, double, most_kernels(calls) + 1);
    asking->of_kind.arena = scratch;
    measure(asking, scratch);
    find_told(asking, scratch);
    // A backward is asked after its forward, of which it has the data type and a part.
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t row = 0; row < calls->count; row++) {
            struct op_call call = op_call_at(calls, row);
            if ((call.forward != ROW_NONE) == (pass == 1))
                ask(asking, row, &call, scratch);
        }
    uint32_t *of_work = ARENA_ARRAY(scratch, uint32_t, (size_t)profile->work.count + 1);
    for (uint32_t work = 0; work < profile->work.count; work++)
        of_work[work] = ROW_NONE;
    for (uint32_t row = 0; row < calls->count; row++)
        number_kernels(asking, row, of_work, scratch);
    *asking->figures = (struct op_figures){
        .count = (uint32_t)asking->count,
        .items = asking->items,
        .of_work =
            column32_pack(asking->keep, profile->workers, of_work, NULL, profile->work.count),
    };
}

static void *make(const struct profile *profile, const struct selection *selection,
                  struct arena *arena)
{
    struct asking asking = {.profile = profile,
                            .selection = selection,
                            .figures = ARENA_NEW(arena, struct op_figures),
                            .keep = arena,
                            .desk = formula_open(profile, arena)};
    scratch_run(arena, find, &asking);
    return asking.figures;
}

const struct op_figures *op_figures_find(const struct profile *profile,
                                         const struct selection *selection, struct arena *arena)
{
    static const struct memo_kind kind = {.make = make};
    return memo_make(&kind, profile, selection, arena);
}

const char *op_figure_text(const struct op_figure *figure, struct arena *arena)
{
    const struct formula_answer *answer = figure->answer;
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
