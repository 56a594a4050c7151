// SPDX-License-Identifier: Apache-2.0
// The table of differences from PyProf: its mistakes, by their numbers in the list, and deliberate
// deviations, by the rules that describe them. Each row finds its cells with one predicate and
// proves with another that the value here is right.
#include "pyprof_cells.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

enum { NUMBERS = 20 };
#define BIT(column) (1U << (column))
#define FIGURES     (BIT(FLOPS) | BIT(BYTES))
#define WITH_PARAMS (FIGURES | BIT(PARAMS))
#define NAMES       (BIT(MODULE) | BIT(OP))
#define NUMBERED    (BIT(SEQ) | BIT(ALTSEQ))
#define OF_RANGES \
    (WITH_PARAMS | NAMES | NUMBERED | BIT(LAYER) | BIT(TRACE) | BIT(DIRECTION) | BIT(SUB) | BIT(TC))

static bool contains_any(const char *text, const char *const *parts)
{
    for (; *parts; parts++)
        if (contains(text, *parts))
            return true;
    return false;
}

// Returns true if the launch of a kernel is inside a range with this name, written as in the file
// or shortened.
static bool encloses_launch(const struct comparison *comparison, uint32_t work, const char *name)
{
    const struct profile *profile = comparison->profile;
    uint32_t range = AT(profile->api.range, AT(profile->work.launch, work));
    for (; range != ROW_NONE; range = AT(profile->ranges.parent, range))
        if (contains(profile_text(profile, range_name(&profile->ranges, range)), name))
            return true;
    return false;
}

// Returns true if the kernel or its forward was launched inside such a range.
static bool encloses_run(const struct cell *cell, const char *name)
{
    if (encloses_launch(cell->comparison, cell->work, name))
        return true;
    if (cell->run_row == ROW_NONE || cell->run.forward == ROW_NONE)
        return false;
    struct op_call forward = op_call_at(cell->comparison->calls, cell->run.forward);
    return encloses_launch(cell->comparison, AT(cell->comparison->calls->work, forward.first_work),
                           name);
}

// ---- pass and number ---------------------------------------------------------------------------

// PyProf regards work outside of numbered nodes, and nodes named ..Backward1, as forward.
bool is_hidden_backward(const struct cell *cell)
{
    return equal(cell->at->ours[DIRECTION], "bprop") && equal(cell->at->theirs[DIRECTION], "fprop");
}

static bool is_hidden_direction(const struct cell *cell)
{
    return is_hidden_backward(cell) || equal(ours(cell), "optim");
}

static uint32_t thread_of(const struct cell *cell)
{
    const struct profile *profile = cell->comparison->profile;
    uint32_t launch = AT(profile->work.launch, cell->work);
    return launch == ROW_NONE ? ROW_NONE : AT(profile->api.thread, launch);
}

// The truth decides. Without it the thread must run nodes of the backward graph, or the op must be
// an optimizer's.
static bool is_direction_right(const struct cell *cell)
{
    const struct compared *at = cell->at;
    if (at->truth[0]) {
        const char *phase = equal(at->truth[1], "optimizer") || equal(at->truth[1], "zero_grad")
                                ? "optim"
                                : at->truth[1];
        return equal(equal(ours(cell), "recompute") ? "bprop" : ours(cell), phase);
    }
    uint32_t thread = thread_of(cell);
    return equal(ours(cell), "optim") ? contains(at->ours[OP], "adam")
                                      : thread != ROW_NONE && cell->comparison->runs_nodes[thread];
}

static bool is_recomputed(const struct cell *cell)
{
    return equal(ours(cell), "recompute");
}

// Reads the numbers of two lists such as "2,4" in ascending order.
static size_t read_numbers(const char *first, const char *second, int64_t numbers[NUMBERS])
{
    const char *texts[] = {first, second};
    size_t count = 0;
    for (int i = 0; i < 2; i++)
        for (const char *text = texts[i]; *text && !equal(text, "-") && count < NUMBERS;
             text += *text == ',') {
            char *end;
            numbers[count++] = strtoll(text, &end, 10);
            if (end == text)
                return 0;
            text = end;
        }
    sort_values(numbers, count);
    return count;
}

// Returns true if seq and altseq together are the same numbers on both sides, in any order.
static bool has_same_numbers(const struct cell *cell)
{
    int64_t numbers[2][NUMBERS];
    const struct compared *at = cell->at;
    size_t count = read_numbers(at->ours[SEQ], at->ours[ALTSEQ], numbers[0]);
    return count == read_numbers(at->theirs[SEQ], at->theirs[ALTSEQ], numbers[1]) &&
           memcmp(numbers[0], numbers[1], count * sizeof *numbers[0]) == 0;
}

static bool is_of_several_processes(const struct cell *cell)
{
    return cell->comparison->profile->process_count > 1;
}

static bool is_number_of_all_processes(const struct cell *cell)
{
    return is_of_several_processes(cell) && has_same_numbers(cell);
}

// A forward kernel inside several numbered ranges: seq here is the innermost number, which is the
// one of autograd. PyProf may have it in altseq, among the other numbers.
static bool is_other_number(const struct cell *cell)
{
    return !is_of_several_processes(cell) && has_same_numbers(cell) &&
           equal(cell->at->ours[DIRECTION], cell->at->theirs[DIRECTION]);
}

static bool is_number_right(const struct cell *cell)
{
    const struct profile *profile = cell->comparison->profile;
    const char *number = cell->at->ours[SEQ];
    if (cell->at->truth[0] && *cell->at->truth[2])
        return equal(number, cell->at->truth[2]);
    for (size_t i = 0; i < cell->comparison->seq_count;
         i++) // PyProf finds the backward by this number
        if (equal(cell->comparison->seqs[i], number))
            return true;
    uint32_t node = op_launch_at(cell->comparison->calls, cell->work).node;
    if (node != ROW_NONE)
        return range_seq(&profile->ranges, node) == strtoll(number, NULL, 10);
    uint32_t range = AT(profile->api.range, AT(profile->work.launch, cell->work));
    while (range != ROW_NONE && range_seq(&profile->ranges, range) == SEQ_NONE)
        range = AT(profile->ranges.parent, range);
    // Ranges of the engine outside of nodes have no number; up to PyTorch 1.5 they have 0.
    if (equal(number, "-"))
        return range == ROW_NONE || range_seq(&profile->ranges, range) == 0;
    return range != ROW_NONE && range_seq(&profile->ranges, range) == strtoll(number, NULL, 10);
}

// ---- op ----------------------------------------------------------------------------------------

static bool is_in_attention(const struct cell *cell)
{
    return equal(cell->at->theirs[OP], "multi_head_attention_forward");
}

static bool is_in_checkpoint(const struct cell *cell)
{
    return equal(cell->at->theirs[OP], "apply");
}

static bool is_in_backward_call(const struct cell *cell)
{
    return equal(cell->at->theirs[OP], "backward") && equal(cell->at->theirs[MODULE], "Tensor");
}

// PyProf searches the forward among kernels, so it misses a forward that launched none.
static bool has_silent_forward(const struct cell *cell)
{
    return cell->run_row != ROW_NONE && cell->run.phase == PHASE_BPROP &&
           cell->run.forward == ROW_NONE && cell->run.op != cell->run.range &&
           equal(cell->at->theirs[MODULE], "na");
}

static bool has_number_in_pyprof(const struct cell *cell)
{
    return !equal(cell->at->theirs[SEQ], "-") || !equal(cell->at->theirs[ALTSEQ], "-");
}

// If several ranges without a number enclose the kernel, PyProf uses an arbitrary one.
static bool is_any_of_several(const struct cell *cell)
{
    return equal(cell->at->theirs[MODULE], "na") && !has_number_in_pyprof(cell) &&
           encloses_run(cell, cell->at->theirs[OP]);
}

// If several numbered ranges enclose the kernel, PyProf uses the first by name.
static bool is_first_by_name(const struct cell *cell)
{
    return equal(cell->at->theirs[MODULE], "na") && has_number_in_pyprof(cell) &&
           encloses_run(cell, cell->at->theirs[OP]);
}

// The op is right if its range encloses the launch. For a backward kernel the range with the same
// number must be inside the range of the forward op.
bool is_op_right(const struct cell *cell)
{
    const struct comparison *comparison = cell->comparison;
    if (!cell->marker)
        return false;
    const char *title = profile_text(comparison->profile, cell->marker->title);
    bool is_named = equal(cell->at->ours[OP], title) ||
                    (cell->share && cell->share->op && equal(cell->at->ours[OP], cell->share->op));
    if (cell->column == OP && !is_named)
        return false;
    if (encloses_run(cell, title))
        return true;
    // A forward without kernels: searches for the range with the number of the node.
    uint32_t node = op_launch_at(comparison->calls, cell->work).node;
    const struct ranges *ranges = &comparison->profile->ranges;
    for (uint32_t range = 0; node != ROW_NONE && range < ranges->count; range++) {
        if (range == node || range_seq(ranges, range) != range_seq(ranges, node))
            continue;
        uint32_t ancestor = range;
        while (ancestor != ROW_NONE && ancestor != cell->run.op)
            ancestor = AT(ranges->parent, ancestor);
        if (ancestor != ROW_NONE)
            return true;
    }
    return false;
}

// Layer and call stack are inherited from the forward; the truth decides if there is one.
static bool is_inherited_right(const struct cell *cell)
{
    if (cell->column == LAYER && cell->at->truth[0])
        return equal(ours(cell), cell->at->truth[3]);
    return equal(theirs(cell), "-") && is_op_right(cell);
}

static bool is_hidden_inherited(const struct cell *cell)
{
    return is_hidden_backward(cell) && equal(theirs(cell), "-");
}

static bool is_hidden_op(const struct cell *cell)
{
    return is_hidden_backward(cell) && equal(cell->at->theirs[MODULE], "na");
}

// ---- kernel within an op -----------------------------------------------------------------------

static bool continues_over_runs(const struct cell *cell)
{
    int here = atoi(ours(cell)), theirs_number = atoi(theirs(cell));
    return cell->run_row != ROW_NONE && here < theirs_number &&
           equal(cell->at->ours[OP], cell->at->theirs[OP]) &&
           theirs_number - here == atoi(cell->comparison->first_sub[cell->run_row]);
}

static bool restarts_at_run(const struct cell *cell)
{
    return cell->run_row != ROW_NONE && atoi(ours(cell)) > atoi(theirs(cell)) &&
           cell->run.work_count > 1 && !is_of_several_processes(cell);
}

static bool restarts_in_processes(const struct cell *cell)
{
    return cell->run_row != ROW_NONE && is_of_several_processes(cell) && cell->run.work_count > 1;
}

static bool is_index_right(const struct cell *cell)
{
    return (uint32_t)atoi(ours(cell)) == cell->kernel_index;
}

// ---- Tensor Cores ------------------------------------------------------------------------------

// Decides by the kernel name, with PyProf's own list and NVIDIA's naming.
static bool is_tensor_core_right(const struct cell *cell)
{
    static const char *const no[] = {"ffma",  "_simt_", "splitKreduce", "gemv", "nchwToNhwc",
                                     "cgemm", NULL};
    static const char *const yes[] = {"h884",
                                      "s884",
                                      "h1688",
                                      "s1688",
                                      "hmma",
                                      "16816",
                                      "tensorop",
                                      "tensor16x8x",
                                      "nvjet",
                                      "wgmma",
                                      "Sm90",
                                      "flash_fwd_kernel",
                                      "flash_bwd_dq_dk_dv",
                                      NULL};
    static const char *const product[] = {"gemm",       "cudnn",    "cutlass",  "grouped_direct",
                                          "dot_kernel", "epthwise", "winograd", "nvjet",
                                          "dgrad",      NULL};
    static const char *const helping[] = {"splitKreduce", "split_k_kernel", "dot_do_o",
                                          "convert_dq", NULL};
    const struct profile *profile = cell->comparison->profile;
    const char *name =
        profile_text(profile, profile->functions[AT(profile->work.function, cell->work)].full);
    bool uses = !contains_any(name, no) && contains_any(name, yes);
    if (equal(ours(cell), "1"))
        return uses;
    bool is_product = contains_any(name, product) && !contains_any(name, helping);
    return !uses && equal(ours(cell), is_product ? "0" : "-");
}

static bool is_split_k(const struct cell *cell)
{
    return contains(cell->at->theirs[KERNEL], "splitKreduce") && equal(theirs(cell), "0") &&
           equal(ours(cell), "-");
}

static bool is_false_tensor_core(const struct cell *cell)
{
    return (equal(theirs(cell), "0") && equal(ours(cell), "1")) ||
           (equal(theirs(cell), "1") && equal(ours(cell), "0"));
}

static bool lacks_arguments(const struct cell *cell)
{
    return equal(theirs(cell), "na") &&
           (equal(cell->at->theirs[MODULE], "na") || equal(cell->at->theirs[MODULE], ""));
}

bool is_late_name(const struct cell *cell)
{
    static const char *const names[] = {
        "xmma",   "s16816cudnn",       "cutlass",          "nonfused", "gemmSN",
        "_cgemm", "explicit_convolve", "conv_depthwise2d", "nvjet",    NULL};
    return contains_any(cell->at->theirs[KERNEL], names);
}

static bool is_late_convolution(const struct cell *cell)
{
    if (!is_convolution(cell) || !is_late_name(cell))
        return false;
    return cell->column == TC ? equal(theirs(cell), "-")
                              : their_figure(cell) == 0 && figure(cell) > 0 && cell->share->is_main;
}

static bool is_convolution_without(const struct cell *cell)
{
    return is_convolution(cell) && equal(theirs(cell), "-") && equal(ours(cell), "0");
}

static bool is_dot(const struct cell *cell)
{
    return is_rule(cell, "matmul") && contains(cell->at->theirs[KERNEL], "dot_kernel") &&
           equal(theirs(cell), "-");
}

// ---- the file ----------------------------------------------------------------------------------

static bool is_left_out(const struct cell *cell)
{
    return atol(ours(cell)) - atol(theirs(cell)) == (long)cell->at->left_out;
}

static bool is_cut(const struct cell *cell)
{
    return equal(theirs(cell), "");
}

static bool is_named(const struct cell *cell)
{
    const struct profile *profile = cell->comparison->profile;
    const char *full =
        profile_text(profile, profile->functions[AT(profile->work.function, cell->work)].full);
    return contains(full, "<unnamed>") && *ours(cell) && contains(full, ours(cell));
}

static bool is_lost(const struct cell *cell)
{
    return cell->at->is_lost;
}

static bool is_backward_of_several_processes(const struct cell *cell)
{
    return is_of_several_processes(cell) && equal(cell->at->ours[DIRECTION], "bprop");
}

// Rows with a truth: it is compared for all their kernels (phases, layers, FLOPs).
static bool is_covered_by_truth(const struct cell *cell)
{
    return cell->column != DIRECTION || is_direction_right(cell);
}

static bool is_counted(const struct cell *cell)
{
    return atol(ours(cell)) > 0;
}

static bool is_gather(const struct cell *cell)
{
    return is_rule(cell, "gather");
}

// ---- table -------------------------------------------------------------------------------------

static const struct correction corrections[] = {
    // Section 5: PyProf's mistakes. Those that no available profile shows are covered by
    // tests/golden: 5.8 by pyprof_processes, 5.9 by pyprof_streams, 5.16 by pyprof_cells.
    {"5.1", "bytes of linear layers and matmul", BIT(BYTES), is_bytes_mistake, is_figure_right},
    {"5.2", "once per kernel, and not per op", FIGURES, is_counted_per_kernel, is_figure_right},
    {"5.2", NULL, BIT(TC), is_split_k, is_tensor_core_right},
    {"5.3", "every algorithm that was tried", FIGURES, is_tried, is_figure_right},
    {"5.4", "convolutions since Ampere", FIGURES, is_late_convolution, is_figure_right},
    {"5.4", NULL, BIT(TC), is_late_convolution, is_tensor_core_right},
    {"5.5", "names of Tensor Core kernels", BIT(TC), is_false_tensor_core, is_tensor_core_right},
    {"5.6", "what is backward", BIT(DIRECTION), is_hidden_direction, is_direction_right},
    {"5.6", NULL, NUMBERED, is_hidden_backward, is_number_right},
    {"5.6", NULL, BIT(LAYER) | BIT(TRACE), is_hidden_inherited, is_inherited_right},
    {"5.6", NULL, NAMES, is_hidden_op, is_op_right},
    {"5.6", NULL, WITH_PARAMS, is_hidden_figure, is_cost_right},
    {"5.7", "numbers of kernels go on over runs", BIT(SUB), continues_over_runs, is_index_right},
    {"5.7", NULL, FIGURES, is_taken_for_second, is_figure_right},
    {"5.8", "one number for all processes", NUMBERED, is_number_of_all_processes, is_number_right},
    {"5.8", NULL, BIT(SUB), restarts_in_processes, is_index_right},
    {"5.10", "arguments at which it stops", WITH_PARAMS, stops_at_argument, is_cost_right},
    {"5.10", NULL, BIT(TC), stops_at_argument, is_tensor_core_right},
    {"5.12", "names of kernels cut at <unnamed>", BIT(KERNEL), is_cut, is_named},
    {"5.13", "kernels without a launch are left out", BIT(IDX), is_left_out, is_counted},
    {"5.15", "ops that it has no class for, and those within an attention", NAMES, is_in_attention,
     is_op_right},
    {"5.15", NULL, BIT(SUB), is_in_attention, is_index_right},
    {"5.15", NULL, BIT(TC), is_in_attention, is_tensor_core_right},
    {"5.15", NULL, WITH_PARAMS, is_in_attention, is_cost_right},
    {"5.15", NULL, FIGURES, is_unsupported_op, is_figure_right},
    {"5.15", NULL, BIT(TC), is_unsupported_op, is_tensor_core_right},
    {"5.16", "products of recurrent cells", WITH_PARAMS, is_of_recurrent_cell, is_recurrent_right},
    {"5.16", NULL, BIT(TC), is_of_recurrent_cell, is_tensor_core_right},
    {"5.17", "checkpoints", BIT(DIRECTION), is_recomputed, is_direction_right},
    {"5.6", NULL, BIT(SUB), is_hidden_op, is_index_right}, // another op there
    {"5.17", NULL, NAMES, is_in_checkpoint, is_op_right},
    {"5.17", NULL, BIT(SUB), is_in_checkpoint, is_index_right},
    {"5.17", NULL, BIT(TC), is_in_checkpoint, is_tensor_core_right},
    {"5.17", NULL, WITH_PARAMS, is_in_checkpoint, is_cost_right},
    // Arbitrary choices: the part of rule 2.8 by which PyProf uses "one arbitrary other marker".
    // Counted separately.
    {"2.8", "of ranges without a number it takes any", NAMES, is_any_of_several, is_op_right},
    // Rules of sections 2 to 4 are not mistakes that section 5 names: the program deliberately does
    // something else there, and the manual says why.
    {"2.7", "fprop where nothing tells a pass", BIT(DIRECTION), is_unknown, is_unrecorded},
    // Section 5.15 names ops within an attention, pools and amp_C; other ops without a class
    // (randn) behave the same.
    {"5.15", "0 of what no formula is for, which is unknown", FIGURES, is_unknown_class,
     is_unrecorded},
    {"3", "0 of what has no marker of arguments, which is unknown", FIGURES, is_unknown,
     is_unrecorded},
    {"2.9", "of numbers of the forward not autograd's, or several", NUMBERED, is_other_number,
     is_number_right},
    {"2.9", NULL, BIT(SUB), restarts_at_run, is_index_right},
    {"3", "a forward without kernels is not found, as it looks for it among kernels",
     BIT(LAYER) | BIT(TRACE), has_silent_forward, is_inherited_right},
    {"3", NULL, NAMES, has_silent_forward, is_op_right},
    {"3", NULL, BIT(PARAMS), has_silent_forward, is_cost_right},
    {"2.5", "of numbered ranges it takes the first by name", NAMES, is_first_by_name, is_op_right},
    {"5.15", "the call of backward hides what it runs, as the outermost marker wins", NAMES,
     is_in_backward_call, is_op_right},
    {"5.15", NULL, WITH_PARAMS, is_in_backward_call, is_cost_right},
    {"5.5", "na for want of arguments", BIT(TC), lacks_arguments, is_tensor_core_right},
    {"4", "a convolution is never 0", BIT(TC), is_convolution_without, is_tensor_core_right},
    {"4", "dot_kernel is a product of linear, and none of matmul", BIT(TC), is_dot,
     is_tensor_core_right},
    {"4", "a kernel has one group of a convolution, where it has all of them", FIGURES,
     is_one_of_groups, is_figure_right},
    {"4", "a gather moves what is asked for, and not all of the tensor", BIT(BYTES), is_gather,
     is_figure_right},
    {"5.4", "convolutions of cuDNN 8, whose names its list lacks as well", FIGURES,
     is_unknown_convolution, is_figure_right},
    {"5.2", "bytes of mse_loss, too", BIT(BYTES), is_moved_per_kernel, is_figure_right},
    // Section 5.15 names LAMB and amp_C; fused Adam, whose class reports 0, behaves the same.
    {"5.15", "a fused optimizer computes nothing", BIT(FLOPS), is_adam, is_figure_right},
    {"4", "the first kernel has what another one does (sub 0 only)", FIGURES, is_of_first_kernel,
     is_figure_right},
    // Remaining differences where ranges were lost or another process was meant.
    {"5.9", "ranges forgotten where streams overtake", OF_RANGES, is_lost, is_covered_by_truth},
    {"5.8", NULL, OF_RANGES, is_backward_of_several_processes, is_covered_by_truth},
};

const struct correction *correction_list(size_t *count)
{
    *count = sizeof corrections / sizeof *corrections;
    return corrections;
}

const struct correction *correction_find(const struct comparison *comparison,
                                         const struct compared *at, int column)
{
    struct cell cell = {.comparison = comparison,
                        .at = at,
                        .column = column,
                        .work = comparison->report->work(at->row)};
    cell.run_row = op_launch_at(comparison->calls, cell.work).call;
    if (cell.run_row != ROW_NONE) {
        cell.run = op_call_at(comparison->calls, cell.run_row);
        cell.marker = range_marker(comparison->profile, cell.run.op);
        const struct op_figure *known = op_figure_of(comparison->figures, cell.work);
        cell.answer = known->answer;
        cell.share = known->share;
        while (AT(comparison->calls->work, cell.run.first_work + cell.kernel_index) != cell.work)
            cell.kernel_index++;
    }
    for (size_t i = 0; i < sizeof corrections / sizeof *corrections; i++)
        if (corrections[i].columns >> column & 1 && corrections[i].applies(&cell) &&
            corrections[i].is_right(&cell))
            return &corrections[i];
    return NULL;
}
