// SPDX-License-Identifier: Apache-2.0
// Recognises types and kernels by parts of their names.
#include "analysis/report/names.h"

#include <string.h>

bool text_has_nocase(const char *text, const char *word)
{
    return strcasestr(text, word) != NULL;
}

bool text_has_any(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strstr(text, *words))
            return true;
    return false;
}

bool type_is_16_bit(const char *type)
{
    // "float16" also matches bfloat16
    static const char *const names[] = {"half", "float16", "fp16", "bf16"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_has_nocase(type, names[i]))
            return true;
    return false;
}

bool type_is_reduced(const char *type)
{
    return type_is_16_bit(type) || text_has_nocase(type, "float8") ||
           text_has_nocase(type, "fp8") || text_has_nocase(type, "int8");
}

int function_fp32_product(const struct profile *profile, const struct function *function)
{
    static const char *const certain[] = {"sgemm", "ffma", "simt", "scudnn", "_f32f32_f32f32_f32_",
                                          NULL};
    static const char *const by_op[] = {"gemm", "conv", "winograd", "fft2d", NULL};
    // Backward convolutions of cuDNN. Their data type is the first template argument.
    static const char *const backward[] = {"dgrad_alg",   "wgrad_alg",    "dgrad2d_alg",
                                           "wgrad2d_alg", "dgrad_engine", "wgrad_engine",
                                           NULL};
    // Products of a matrix and a vector are bound by memory; double precision and kernels that only
    // prepare data do not count.
    static const char *const never[] = {"gemv",    "gemmSN", "splitK",  "split_k", "dgemm",
                                        "f64",     "hgemm",  "hcudnn",  "f16_f16", "nchw",
                                        "Offsets", "s8_",    "convert", NULL};
    if (function->kind != WORK_KERNEL || function->class != CLASS_COMPUTE ||
        function->tensor_core != STATE_NO)
        return 0;
    const char *name = profile_text(profile, function->full);
    // tested before "splitK" in `never`: the kernels that add up the parts have other names
    if (strstr(name, "_scudnn_"))
        return 1;
    if (text_has_any(name, never))
        return 0;
    if (text_has_any(name, certain))
        return 1;
    bool is_backward = text_has_any(name, backward) && strstr(name, "<float");
    return is_backward || text_has_any(name, by_op) ? 2 : 0;
}
