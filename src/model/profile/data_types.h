// SPDX-License-Identifier: Apache-2.0
// Data types as markers name them ("float16", "bfloat16"), as PyProf prints them, and as recognised
// in kernel names.
#ifndef MODEL_PROFILE_DATA_TYPES_H
#define MODEL_PROFILE_DATA_TYPES_H

#include <stddef.h>

enum { DATA_TYPE_WORDS = 5 };

struct data_type {
    const char *name; // as PyProf prints it: "fp16"; types unknown to PyProf: "bf16", "complex64"
    double bytes;     // bytes per element
    int numbers;      // numbers per element
    const char *words[DATA_TYPE_WORDS]; // PyTorch's names, NULL after the last
};

const struct data_type *data_type_find(const char *word); // by `name` or one of `words`; NULL if
                                                          // unknown
// Returns the data type that a kernel works on, by its full name, or NULL if the name does not show
// it.
const struct data_type *data_type_of_kernel(const char *name);

#endif
