// SPDX-License-Identifier: Apache-2.0
// What timeline.c, which makes lanes, and lane_cells.c, which looks at them, share.
#ifndef ANALYSIS_TIMELINE_LANES_H
#define ANALYSIS_TIMELINE_LANES_H

#include "analysis/timeline.h"

enum { LANE_BLOCK = 16 }; // items from sum to sum

// Where an item is seen: [from, to), nothing where to <= from.
int64_t lane_seen_from(const struct lane *lane, uint32_t item);
int64_t lane_seen_to(const struct lane *lane, uint32_t item);

#endif
