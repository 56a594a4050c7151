// SPDX-License-Identifier: Apache-2.0
// Numbers in the texts of ranges, by which ranges of different steps belong to one family.
#ifndef MODEL_MARKERS_STEP_NUMBERS_H
#define MODEL_MARKERS_STEP_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NAME_LIMIT = 1000 }; // bytes of a text that can name a family

// Finds the last number that directly follows a step word, whatever else the text contains: 3 in
// "Epoch 0 step 3/100", "train/step_3" and "Step[3]". `timestep 3` has none. `*` counts as a
// number.
bool step_number_in(const char *text, size_t length, size_t *from, size_t *to);

// Writes the name of the family: the number of the step becomes `*`, and so do the epoch before it
// and figures after it ("Epoch * step */100", "step * loss=*"). When no step word has a number, the
// last number of the name is used. *number is its value, UNKNOWN for `*`. Returns false when there
// is no number.
bool step_number_of(const char *text, size_t length, char pattern[NAME_LIMIT + 1], int64_t *number);

// Replaces every number by `*` ("tick * batch * load *") and returns how many there are; 0: none,
// or more than MAX_STEP_NUMBERS. values[i] is UNKNOWN for a number that is not whole.
enum { MAX_STEP_NUMBERS = 16 };
uint32_t step_numbers_of(const char *text, size_t length, char pattern[NAME_LIMIT + 1],
                         int64_t values[MAX_STEP_NUMBERS]);

// Returns the end of the digits at `at`, and of a decimal number such as 3, 0.25 or 1e-05.
size_t step_digits_end(const char *text, size_t length, size_t at);
size_t step_figure_end(const char *text, size_t length, size_t at);

// Returns whether the numbers of successive ranges tell to which step each belongs: they grow, or
// several ranges in a row have the number of one step, and the next step has the next number.
bool step_numbers_identify(const int64_t *number, uint32_t count);

// What a number in the texts of a family does from range to range.
enum step_trend {
    TREND_NONE,    // no number, or always the same
    TREND_COUNTER, // grows by one, nearly every time: the number of the step
    TREND_VALUE,   // varies: a size, a loss
    TREND_CYCLE,   // counts up again and again: the parts of something larger, such as layers
    TREND_ID,      // an identifier or a time
};
enum step_trend step_trend_of(int64_t *number, uint32_t count); // sorts the numbers

// The first ranges of a family are judged; TREND_ROOM is room for all their numbers.
enum { TREND_RANGES = 4096, TREND_ROOM = TREND_RANGES * MAX_STEP_NUMBERS };

#endif
