// SPDX-License-Identifier: Apache-2.0
// One title for ranges of the user whose texts differ in their numbers only: `turn 5 of job 17` is
// `turn N of job N`, as a numbered step is `step N`. Ops and the op tree follow from titles.
#ifndef MODEL_MARKERS_NUMBERED_TITLES_H
#define MODEL_MARKERS_NUMBERED_TITLES_H

#include "model/profile/profile.h"

// Sets the titles of plain markers from `first` on. Must be called when the ranges are sorted and
// have markers.
//
// Texts that are alike up to their numbers are a family. It has one title if it has many texts;
// how many depends on what the numbers do on the thread with most of its ranges (step_trend_of()).
// A number that counts is that of a step: 8 are
// enough, and 3 where other numbers vary, too. Numbers that are part of a name
// (`conv1`, `gemm_128x64`) make a family only where there are very many and hardly any text
// repeats; those of paths (`layer.0.mlp`), and of layers, blocks, ranks ... never.
void numbered_titles_find(struct profile *profile, uint32_t first, struct arena *scratch);

#endif
