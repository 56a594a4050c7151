// SPDX-License-Identifier: Apache-2.0
// PyProf's wording, see pyprof_words.h. The lists of names are PyProf's.
#include "analysis/op_runs/pyprof_words.h"

#include <string.h>
#include <strings.h>

#include "analysis/report/names.h"

// ---- names and stacks -----------------------------------------------------------------------

// Returns the length of the prefix at `at` that PyProf leaves out of a name; 0 if there is none.
static size_t dropped_length(const char *at)
{
    static const char *const dropped[] = {
        "<unnamed>::", "(anonymous namespace)::", "void ", "at::", "cuda::", "native::"};
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
        if (strncmp(at, dropped[i], strlen(dropped[i])) == 0)
            return strlen(dropped[i]);
    return 0;
}

const char *pyprof_kernel_name(const char *full, struct demangler *demangler, struct arena *arena)
{
    struct demangled kernels_without_tc;
    if (strncmp(full, "_Z", 2) == 0 && demangle(demangler, full, strlen(full), &kernels_without_tc))
        full = kernels_without_tc.full;
    char *name = ARENA_ARRAY(arena, char, strlen(full) + 1), *to = name;
    while (*full) {
        size_t dropped = dropped_length(full);
        full += dropped;
        if (dropped)
            continue;
        if (*full == '<' || *full == '(')
            break;
        *to++ = *full == ' ' ? '_' : *full;
        full++;
    }
    return name;
}

static bool is_library_line(const char *line, size_t length)
{
    static const char *const parts[] = {
        "/torch/nn/modules/",          "/torch/nn/functional.py", "/torch/tensor.py",
        "/torch/autograd/__init__.py", "/torch/_jit_internal.py", "/pyprof/nvtx/nvmarker.py",
        "/apex/optimizers/",           "/torch/_utils.py",        "/torch/optim/"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (memmem(line, length, parts[i], strlen(parts[i])))
            return true;
    return false;
}

const char *pyprof_trace(const char *stack, struct arena *arena)
{
    char *trace = ARENA_ARRAY(arena, char, strlen(stack) + 1), *to = trace;
    while (*stack) {
        size_t length = strcspn(stack, "\n");
        if (length && !is_library_line(stack, length)) {
            if (to > trace)
                *to++ = ',';
            memcpy(to, stack, length);
            to += length;
        }
        stack += length + (stack[length] == '\n');
    }
    return trace;
}

// ---- Tensor Cores ---------------------------------------------------------------------------

bool pyprof_is_bias(const char *kernel)
{
    static const char *const products[] = {
        "gemm",    "gemv", "dot_kernel", "splitKreduce_kernel", "reduce_1Block_kernel",
        "cutlass", NULL};
    static const char *const biases[] = {"kernelReduceContigDim",
                                         "kernelReduceNoncontigDim_shared",
                                         "elementwise_kernel",
                                         "reduce_kernel",
                                         "kernelPointwiseApply2",
                                         "2d_grouped_direct_kernel",
                                         NULL};
    return !text_has_any(kernel, products) && text_has_any(kernel, biases);
}

// True if the short name of a kernel has a part that PyProf takes as a sign of Tensor Cores.
static bool uses_tc_by_list(const char *kernel)
{
    static const char *const listed[] = {"h884",
                                         "s884",
                                         "h1688",
                                         "s1688",
                                         "hmma",
                                         "i8816",
                                         "16816",
                                         "dgrad_1x1_stride_2x2",
                                         "first_layer_wgrad_kernel",
                                         "conv1x1",
                                         "conv2d_c1_k1",
                                         "direct_group",
                                         "xmma_implicit_gemm",
                                         "xmma_sparse_conv",
                                         "xmma_warp_specialized_implicit_gemm",
                                         "xmma_gemm",
                                         "xmma_sparse_gemm",
                                         "c1688",
                                         NULL};
    return text_has_any(kernel, listed);
}

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

// True for the matrix products that PyProf knows by module and op.
static bool is_pyprof_product(const char *module, const char *op)
{
    static const char *const ops_of_torch[] = {"mm", "addmm", "addmm_", "bmm", "matmul", NULL};
    static const char *const ops_of_tensor[] = {"addmm", "addmm_", "__matmul__", NULL};
    return (strcmp(module, "torch") == 0 && is_one_of(op, ops_of_torch)) ||
           (strcmp(module, "Tensor") == 0 && is_one_of(op, ops_of_tensor));
}

const char *pyprof_tensor_core(const struct profile *profile, const struct marker *marker,
                               const char *kernel)
{
    static const char *const kernels_without_tc[] = {
        "kernelPointwiseApply2", "reduce_1Block_kernel", "elementwise_kernel", "dot_kernel", NULL};
    static const char *const convolutions[] = {"conv1d", "conv2d", NULL};
    static const char *const cells[] = {"LSTMCell", "GRUCell", NULL};
    if (!marker)
        return "na";
    const char *module = profile_text(profile, marker->module);
    const char *op = profile_text(profile, marker->type),
               *word = uses_tc_by_list(kernel) ? "1" : "0";
    bool is_matmul = strcmp(op, "matmul") == 0 || strcmp(op, "__matmul__") == 0;
    if (is_pyprof_product(module, op))
        return is_matmul && is_one_of(kernel, kernels_without_tc) ? "-" : word;
    if (strcmp(module, "torch.nn.functional") == 0 && strcmp(op, "linear") == 0)
        return pyprof_is_bias(kernel) ? "-" : word;
    if (strcmp(module, "torch.nn.functional") == 0 && is_one_of(op, convolutions))
        return uses_tc_by_list(kernel) ? "1" : "-";
    if (is_one_of(module, cells) && strcmp(op, "forward") == 0)
        return strstr(kernel, "gemm") ? word : "-";
    return "-";
}

const char *tensor_core_word(const struct function *function, bool is_product)
{
    if (function->tensor_core == STATE_YES)
        return "1";
    if (function->tensor_core == STATE_UNKNOWN)
        return "?";
    return is_product ? "0" : "-";
}
