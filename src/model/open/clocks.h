// SPDX-License-Identifier: Apache-2.0
// One clock for files that were captured on several machines.
//
// Wall clocks of machines differ by milliseconds, and their oscillators by millionths. A collective ends
// on all its members within microseconds: so ends that come again and again at one distance tell how far
// two clocks are apart, and how that grows. Where there are none the wall clocks stand, and say so.
#ifndef MODEL_CLOCKS_H
#define MODEL_CLOCKS_H

#include "model/open/merge.h"

// Fills clock[p], which leads from each part's times to those of the first part, and told[p], what is to be
// said of it. continues[p] is the earlier part whose process p goes on with, + 1, which has its clock; 0: none.
// Parts are classified; memory is scratch's.
void clocks_align(const struct profile *const *parts, const uint32_t *continues, uint32_t count,
                  struct part_clock *clock, struct clock *told, struct arena *scratch);

#endif
