// SPDX-License-Identifier: Apache-2.0
// "Did you mean": the word that is nearest to what was typed.
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

// Of word(0) to word(count - 1) the one that takes the fewest edits of single letters, NULL: none
// takes few enough to be meant.
const char *nearest_word(const char *typed, const char *(*word)(size_t i), size_t count);

#endif
