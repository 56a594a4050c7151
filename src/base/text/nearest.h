// SPDX-License-Identifier: Apache-2.0
// "Did you mean": finds the known word that is most similar to a typed one.
#ifndef BASE_TEXT_NEAREST_H
#define BASE_TEXT_NEAREST_H

#include <stddef.h>

// Returns the word among word(0) .. word(count - 1) with the smallest edit distance to `typed`, or
// NULL if even that one is too different from it.
const char *nearest_word(const char *typed, const char *(*word)(size_t i), size_t count);

#endif
