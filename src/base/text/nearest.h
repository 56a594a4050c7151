// SPDX-License-Identifier: Apache-2.0
// "Did you mean": finds the known word that is nearest to what was typed.
#ifndef BASE_TEXT_NEAREST_H
#define BASE_TEXT_NEAREST_H

#include <stddef.h>

// Returns the word among word(0) .. word(count - 1) with the smallest edit distance to `typed`, or
// NULL if even that is too far to be what the user meant.
const char *nearest_word(const char *typed, const char *(*word)(size_t i), size_t count);

#endif
