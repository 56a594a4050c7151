// SPDX-License-Identifier: Apache-2.0
// Data types as markers name them ("float16", "bfloat16"), as PyProf prints them, and as the names of
// kernels give them away.
#ifndef MODEL_DATA_TYPES_H
#define MODEL_DATA_TYPES_H

#include <stddef.h>

enum { DATA_TYPE_WORDS = 5 };

struct data_type {
    const char *name; // as PyProf prints it: "fp16"; of those it does not know "bf16", "complex64"
    double bytes;     // of an element
    int numbers;      // in an element
    const char *words[DATA_TYPE_WORDS]; // as PyTorch names it, NULL behind the last
};

const struct data_type *data_type_find(const char *word); // by either; NULL: none is called so
// What a kernel works on, by its full name; NULL: the name does not tell.
const struct data_type *data_type_of_kernel(const char *name);

#endif
