// SPDX-License-Identifier: Apache-2.0
// Lists the data types with their sizes, and recognises them in the names of kernels.
#include "model/profile/data_types.h"

#include <string.h>

static const struct data_type types[] = {
    {"fp32", 4, 1, {"float32", "float"}},
    {"fp16", 2, 1, {"float16", "half"}},
    {"bf16", 2, 1, {"bfloat16"}},
    {"fp64", 8, 1, {"float64", "double"}},
    {"tf32", 4, 1, {NULL}}, // stored as fp32
    {"fp8",
     1,
     1,
     {"float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"}},
    {"fp4", 1, 2, {"float4_e2m1fn_x2"}}, // PyTorch's packed type: two numbers per byte
    {"fp4", 0.5, 1, {"float4_e2m1fn", "float4"}},
    {"int64", 8, 1, {"long"}},
    {"int32", 4, 1, {"int"}},
    {"int16", 2, 1, {"short"}},
    {"int8", 1, 1, {"char", "qint8"}},
    {"int4", 0.5, 1, {"uint4"}},
    {"uint8", 1, 1, {"byte", "quint8"}},
    {"uint16", 2, 1, {NULL}},
    {"uint32", 4, 1, {NULL}},
    {"uint64", 8, 1, {NULL}},
    {"bool", 1, 1, {NULL}},
    {"complex32", 4, 1, {"chalf"}},
    {"complex64", 8, 1, {"cfloat"}},
    {"complex128", 16, 1, {"cdouble"}},
};

const struct data_type *data_type_find(const char *word)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].name, word) == 0)
            return &types[i];
        for (size_t w = 0; w < DATA_TYPE_WORDS && types[i].words[w]; w++)
            if (strcmp(types[i].words[w], word) == 0)
                return &types[i];
    }
    return NULL;
}

// The first entry that occurs in the name wins. Narrow types come first, because names also contain
// the type of the accumulator.
static const struct {
    const char *holds, *type;
} hints[] = {
    {"e2m1", "fp4"},
    {"e4m3", "fp8"},
    {"e5m2", "fp8"},
    {"bf16", "bf16"},
    {"BFloat16", "bf16"},
    {"bfloat16", "bf16"},
    {"tf32", "tf32"},
    {"tensor16x8x8_", "tf32"},
    {"c10::Half", "fp16"},
    {"__half", "fp16"},
    {"half_t", "fp16"},
    {"fp16", "fp16"},
    {"float16", "fp16"},
    {"f16", "fp16"},
    {"h884", "fp16"},
    {"h1688", "fp16"},
    {"h16816", "fp16"},
    {"hgemm", "fp16"},
    {"s884", "fp16"},
    {"c10::complex<double>", "complex128"},
    {"c10::complex<float>", "complex64"},
    {"complex<double>", "complex128"},
    {"complex<float>", "complex64"},
    {"double", "fp64"},
    {"cgemm", "complex64"},
    {"c1688", "complex64"},
    {"zgemm", "complex128"},
    {"dgemm", "fp64"},
    {"d884", "fp64"},
    {"f64f64", "fp64"},
    {"i8816", "int8"},
    {"i16816", "int8"},
    {"i16832", "int8"},
    {"tensorop_s1688", "tf32"},
    {"_BBS_", "bf16"}, // Tensile kernels of AMD
    {"_HHS_", "fp16"},
    {"_HSS_", "fp16"},
    {"sgemm", "fp32"},
    {"f32f32", "fp32"},
    {"float", "fp32"},
    {"<long", "int64"}, // last, since in a name with another type it is the type of an index
};

// The data type of an nvjet kernel of cuBLAS by the letters after "nvjet_", or after the chip's
// name that may follow it.
static const struct {
    const char *letters, *type;
} nvjets[] = {{"qq", "fp8"}, {"tst", "bf16"}, {"tss", "bf16"}, {"hs", "fp16"}, {"sss", "fp32"}};

static const char *nvjet_type(const char *name) // NULL: not an nvjet kernel, or type unknown
{
    const char *at = strstr(name, "nvjet_");
    if (!at)
        return NULL;
    at += strlen("nvjet_");
    if (strncmp(at, "sm", 2) == 0 && at[2] >= '0' && at[2] <= '9') {
        at += 2 + strspn(at + 2, "0123456789");
        at += *at == '_';
    }
    for (size_t i = 0; i < sizeof nvjets / sizeof *nvjets; i++)
        if (strncmp(at, nvjets[i].letters, strlen(nvjets[i].letters)) == 0)
            return nvjets[i].type;
    return NULL;
}

const struct data_type *data_type_of_kernel(const char *name)
{
    const char *nvjet = nvjet_type(name);
    if (nvjet && !strstr(name, "tf32") && !strstr(name, "e2m1"))
        return data_type_find(nvjet);
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strstr(name, hints[i].holds))
            return data_type_find(hints[i].type);
    return NULL;
}
