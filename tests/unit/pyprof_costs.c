// SPDX-License-Identifier: Apache-2.0
// Predicates for params, FLOPs and bytes: which cells PyProf has wrong, and whether the values here
// are right.
#include "pyprof_cells.h"

#include <stdlib.h>
#include <string.h>

// For a linear layer PyProf multiplies only the last of three matrices by the size of the type; for
// a matmul it leaves out the batch. This computes the wrong figure: a cell that equals it is that
// mistake.
bool is_bytes_mistake(const struct cell *cell)
{
    double other = their_figure(cell);
    if (!cell->share || cell->share->bytes <= 0)
        return false;
    const struct marker *marker = cell->marker;
    double s = argument_size(cell->comparison, marker, 0);
    if (is_rule(cell, "linear") && !cell->share->op) {
        double m = argument_dim(marker, 1, 0), k = argument_dim(marker, 1, 1),
               n = argument_elements(marker, 0) / k;
        return other == m * n + m * k + n * k * s || // forward
               other == k * n + k * m + n * m * s || // dgrad
               other == k * m + k * n + m * n * s;   // wgrad
    }
    if (!is_rule(cell, "matmul"))
        return false;
    double m = marker->arguments[0].rank == 1 ? 1 : argument_dim(marker, 0, -2),
           n = marker->arguments[1].rank == 1 ? 1 : argument_dim(marker, 1, -1),
           k = argument_dim(marker, 0, -1);
    return other == s * (m * n + m * k + n * k);
}

static bool is_repeated_kernel(const struct cell *cell)
{
    return cell->share && figure(cell) == 0 && their_figure(cell) > 0 && !cell->share->is_main &&
           cell->run.work_count > 1;
}

bool is_counted_per_kernel(const struct cell *cell)
{
    bool covers_all_steps =
        is_rule(cell, "sum") || is_rule(cell, "batch_norm") || is_rule(cell, "mse_loss");
    bool is_split = is_rule(cell, "linear") && contains(cell->at->theirs[KERNEL], "splitKreduce");
    return is_repeated_kernel(cell) && (is_split || (covers_all_steps && cell->column == FLOPS));
}

bool is_moved_per_kernel(const struct cell *cell)
{
    return is_repeated_kernel(cell) && is_rule(cell, "mse_loss");
}

bool is_tried(const struct cell *cell)
{
    return is_repeated_kernel(cell) && is_convolution(cell) && cell->answer->is_autotuned;
}

// PyProf gives each kernel the share of one group; here one kernel does all groups.
bool is_one_of_groups(const struct cell *cell)
{
    if (!is_convolution(cell) || cell->run.work_count != 1)
        return false;
    double groups = argument_dim(cell->marker, 0, 1) / argument_dim(cell->marker, 1, 1);
    return groups > 1 && figure(cell) == their_figure(cell) * groups;
}

bool is_unknown_convolution(const struct cell *cell)
{
    return is_convolution(cell) && !is_late_name(cell) && their_figure(cell) == 0 &&
           figure(cell) > 0 && cell->share->is_main;
}

bool is_taken_for_second(const struct cell *cell)
{
    return (is_rule(cell, "norm") || is_rule(cell, "sum")) && their_figure(cell) == 0 &&
           figure(cell) > 0 && !equal(cell->at->theirs[SUB], "0");
}

// PyProf gives the first kernel the cost of another kernel of the run.
bool is_of_first_kernel(const struct cell *cell)
{
    if (!cell->share || cell->run.work_count < 2)
        return false;
    bool is_first = equal(cell->at->theirs[SUB], "0") && is_repeated_kernel(cell);
    return is_first || (!equal(cell->at->theirs[SUB], "0") && cell->share->is_main &&
                        their_figure(cell) == 0 && figure(cell) > 0);
}

// PyProf prints this for an op that has no class or no marker.
static bool is_no_class(const struct cell *cell)
{
    const char *params = cell->at->theirs[PARAMS];
    return equal(params, "na=na,") || (strncmp(params, "T=[", 3) == 0 && contains(params, "],["));
}

// Ops for which PyProf has a class: it prints as if there were none if the class failed at an
// argument.
bool stops_at_argument(const struct cell *cell)
{
    static const char *const classes[] = {
        "add_scaled",     "add",           "mul",       "binary",
        "compare",        "pow",           "lerp",      "unary",
        "softmax",        "mse_loss",      "linear",    "mm",
        "addmm",          "bmm",           "matmul",    "conv1d",
        "conv2d",         "copy",          "cat",       "log_softmax",
        "dropout",        "norm",          "sum",       "mean",
        "embedding",      "activation",    "convert",   "convert_1",
        "convert_2",      "convert_4",     "convert_8", "masked_select",
        "masked_scatter", "unary_special", NULL};
    bool is_class = false;
    for (size_t i = 0; classes[i]; i++)
        is_class |= is_rule(cell, classes[i]);
    return is_class && is_no_class(cell) && !equal(cell->at->theirs[PARAMS], "na=na,") &&
           equal(cell->at->ours[OP], cell->at->theirs[OP]);
}

// If input and state have the same width, PyProf calls each product of a backward "recur". It does
// not know the kernel names since Turing, and in a cell that is not fused it regards every third
// kernel as the first. RNNCell has no class at all.
bool is_of_recurrent_cell(const struct cell *cell)
{
    if (!is_recurrent_cell(cell))
        return false;
    if (is_rule(cell, "RNNCell"))
        return cell->column == TC ? equal(theirs(cell), "-") : is_no_class(cell);
    if (cell->column == TC)
        return equal(theirs(cell), "-") && !contains(cell->at->theirs[KERNEL], "gemm");
    if (cell->run.phase == PHASE_BPROP)
        return cell->column == PARAMS || their_figure(cell) == 0 || figure(cell) < 0;
    return cell->run.work_count != 3 ||
           (uint32_t)atoi(cell->at->theirs[SUB]) % 3 != cell->kernel_index;
}

// The figures must follow from the shapes, and the params must name the right product.
bool is_recurrent_right(const struct cell *cell)
{
    static const char *const begins[] = {"gemm=na,", "gemm=layer,", "gemm=recur,"};
    const struct profile *profile = cell->comparison->profile;
    const char *name =
        profile_text(profile, profile->functions[AT(profile->work.function, cell->work)].full);
    const char *begin = is_product_name(name) ? begins[recurrent_product(cell) + 1] : "cell=";
    return is_cost_right(cell) &&
           (cell->column != PARAMS || strncmp(ours(cell), begin, strlen(begin)) == 0);
}

bool is_hidden_figure(const struct cell *cell)
{
    return is_hidden_backward(cell) && is_no_class(cell);
}

// Ops that rule 5.15 names.
bool is_unsupported_op(const struct cell *cell)
{
    static const char *const named[] = {"conv_transpose",
                                        "conv3d",
                                        "baddbmm",
                                        "einsum",
                                        "layer_norm",
                                        "gelu",
                                        "max_pool2d",
                                        "avg_pool2d",
                                        "adaptive_avg_pool2d",
                                        "nll_loss",
                                        "cross_entropy",
                                        "where",
                                        "topk",
                                        "all_reduce",
                                        "broadcast",
                                        NULL};
    bool is_named = false;
    for (size_t i = 0; named[i]; i++)
        is_named |= is_rule(cell, named[i]);
    return is_named && (cell->column == TC ? equal(theirs(cell), "-")
                                           : is_no_class(cell) && their_figure(cell) == 0);
}

bool is_adam(const struct cell *cell)
{
    return is_rule(cell, "fused_adam_cuda") && their_figure(cell) == 0;
}

// Params are right if the figures of the op are right, or if its name alone identifies it.
bool is_cost_right(const struct cell *cell)
{
    if (cell->column == PARAMS && !is_op_right(cell))
        return false;
    return is_figure_right(cell) || (cell->column == PARAMS && cell->marker &&
                                     cell->marker->argument_count > 0 && !cell->answer->row);
}

// PyProf prints 0 for an unknown figure and "fprop" for an unknown pass: the shapes are not
// recorded, or there is no formula for them.
bool is_unknown(const struct cell *cell)
{
    return equal(ours(cell), "-") && equal(theirs(cell), cell->column == DIRECTION ? "fprop" : "0");
}

// PyProf prints the tensors of any op that has a marker.
bool is_unknown_class(const struct cell *cell)
{
    return is_unknown(cell) && strncmp(cell->at->theirs[PARAMS], "T=[", 3) == 0;
}

bool is_unrecorded(const struct cell *cell)
{
    if (cell->run_row == ROW_NONE)
        return true;
    if (cell->column == DIRECTION)
        return !cell->at->truth[0];
    return cell->marker->argument_count == 0 || !cell->answer->row ||
           is_rule(cell, "multi_tensor") || is_rule(cell, "pool_unknown");
}
