// SPDX-License-Identifier: Apache-2.0
// Detects files whose work other files of the same tool hold as well, so that it would count twice:
// a copy under another name, a trace merged of ranks beside those of the ranks, windows of one
// process that overlap. (same_work.h compares files of two tools.)
#ifndef MODEL_OPEN_REPEATED_WORK_H
#define MODEL_OPEN_REPEATED_WORK_H

#include "model/profile/profile.h"

// Sets is_left_out[i] for parts to be left out, with a note in `merged` for each. Each part has one
// source, whose rank is the one that the file states, and is classified. Scratch memory is freed.
void repeated_work_find(const struct profile *const *parts, uint32_t count, bool *is_left_out,
                        struct profile *merged);

#endif
