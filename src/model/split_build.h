// SPDX-License-Identifier: Apache-2.0
// Between iterations.c and split_ranges.c.
#ifndef MODEL_SPLIT_BUILD_H
#define MODEL_SPLIT_BUILD_H

#include "model/iterations.h"

// A split by ranges with room for `count` windows, numbered from 0.
struct split *split_windows(struct arena *arena, uint32_t count);
// The split where nothing marks iterations.
struct split *split_without(const struct profile *profile, struct arena *arena);
// Fills what follows from the windows: the iterations of rows, then the windows by the GPU's clock.
void split_fill_rows(const struct profile *profile, struct split *split, struct arena *arena);
void split_fill_gpu(const struct profile *profile, struct split *split, struct arena *arena);

#endif
