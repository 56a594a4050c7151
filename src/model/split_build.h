// SPDX-License-Identifier: Apache-2.0
// Between iterations.c and split_ranges.c.
#ifndef MODEL_SPLIT_BUILD_H
#define MODEL_SPLIT_BUILD_H

#include "model/iterations.h"

// A split by ranges with room for `count` windows, numbered from 0.
struct split *split_windows(struct arena *arena, uint32_t count);
// The split where nothing marks iterations.
struct split *split_without(const struct profile *profile, struct arena *arena);
// Whether windows of every process and device would be more than memory is for: a file made to do
// harm, as 16 million are 1,000 processes with 16,000 steps each.
bool split_exceeds(const struct profile *profile, size_t count);
// Says so in the split that is shown instead.
void split_tell_excess(struct split *split, size_t count, struct arena *arena);
// Fills what follows from the windows: the iterations of rows, then the windows by the GPU's clock.
void split_fill_rows(const struct profile *profile, struct split *split, struct arena *arena);
void split_fill_gpu(const struct profile *profile, struct split *split, struct arena *arena);

#endif
