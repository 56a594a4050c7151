// SPDX-License-Identifier: Apache-2.0
// The numbers in the names of ranges, by which these are members of a family.
#ifndef MODEL_STEP_NUMBERS_H
#define MODEL_STEP_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NAME_LIMIT = 1000 }; // bytes of a text that may name a family

// The last number that directly follows a step word, whatever else is said: of "Epoch 0 step 3/100"
// the 3, of "train/step_3" and "Step[3]" as well. `timestep 3` has none. `*` stands for a number.
bool step_number_in(const char *text, size_t length, size_t *from, size_t *to);

// The name of the family: the number of the step replaced by `*`, with it the epoch before it and
// figures after it ("Epoch * step */100", "step * loss=*"); where no step word has a number, the
// last one of the name. *number: its value, UNKNOWN for `*`. False: it has none.
bool step_number_of(const char *text, size_t length, char pattern[NAME_LIMIT + 1], int64_t *number);

#endif
