// SPDX-License-Identifier: Apache-2.0
// Inside of merging: where each part's rows stand in the merged profile, and its small tables.
#ifndef MODEL_MERGE_SMALL_H
#define MODEL_MERGE_SMALL_H

#include "model/open/merge.h"
#include "model/profile/tables.h"

// Of a part: [base, base + count), or map[row] where there is one; of chains map has the ids, in order.
struct merged_rows {
    uint32_t base, count;
    const uint32_t *map;
};

struct merged_places {
    struct merged_rows of[REFERS_COUNT];
};

struct merging {
    struct profile *merged;
    const struct part *parts;
    uint32_t count;
    struct merged_places *places; // by part
    uint32_t *later;              // by part: what is added to correlation ids of calls and work
};

// The first part of the process that a part is of.
static inline uint32_t part_first(const struct merging *merging, uint32_t part)
{
    uint32_t continues = merging->parts[part].continues;
    return continues ? continues - 1 : part;
}

// Whether two parts are of one process.
static inline bool parts_are_one(const struct merging *merging, uint32_t a, uint32_t b)
{
    return part_first(merging, a) == part_first(merging, b);
}

uint32_t merged_chain(const struct merged_rows *rows, int64_t id); // 0: the part has no such chain

// The merged profile's row of a part's; ROW_NONE stays, as what is no row of the part becomes it.
static inline uint32_t merged_row(const struct merging *merging, uint32_t part,
                                  enum reference reference, int64_t row)
{
    const struct merged_rows *rows = &merging->places[part].of[reference];
    if (reference == REFERS_CHAIN)
        return merged_chain(rows, row);
    if (rows->map)
        return row >= 0 && row < rows->count ? rows->map[row] : ROW_NONE;
    return row >= 0 && row <= rows->count ? rows->base + (uint32_t)row : ROW_NONE;
}

void merge_small(struct merging *merging); // all that the long tables refer to
void merge_told(struct merging *merging);  // of it the ops that files tell: once all else is there
void merge_rest(struct merging *merging);  // what depends on them, and what the files say

#endif
