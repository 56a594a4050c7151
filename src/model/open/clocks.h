// SPDX-License-Identifier: Apache-2.0
// Aligns the clocks of files that were captured on several machines.
//
// Wall clocks of machines differ by milliseconds and their oscillators by some ppm. A collective
// ends on all its members within microseconds: a distance between ends that recurs is the offset of
// two clocks, and its growth is their drift. Without such ends the wall clocks are used, and the
// result says so.
#ifndef MODEL_OPEN_CLOCKS_H
#define MODEL_OPEN_CLOCKS_H

#include "model/open/merge.h"

// Fills clock[p], which converts each part's times to the first part's clock, and results[p], the
// result to report. continues[p] is the earlier part whose process p continues, + 1; p then uses
// its clock; 0: none. Parts must be classified. All memory is in `scratch`.
void clocks_align(const struct profile *const *parts, const uint32_t *continues, uint32_t count,
                  struct part_clock *clock, struct clock *results, struct arena *scratch);

#endif
