// SPDX-License-Identifier: Apache-2.0
// Internals of the merge: the row numbers of each part in the merged profile, and the small tables.
#ifndef MODEL_OPEN_MERGE_SMALL_H
#define MODEL_OPEN_MERGE_SMALL_H

#include "model/open/merge.h"
#include "model/profile/tables.h"

// Rows of a part in the merged table: [base, base + count), or map[row] if there is a map. For
// chains the map has the ids, sorted.
struct merged_rows {
    uint32_t base, count;
    const uint32_t *map;
};

struct merged_places {
    struct merged_rows of[REFERS_COUNT];
};

struct profile_merger {
    struct profile *merged;
    const struct part *parts;
    uint32_t count;
    struct merged_places *places; // per part
    uint32_t *correlation_shift;  // per part: added to the correlation ids of calls and work
};

// Returns the first part of a part's process.
static inline uint32_t part_first(const struct profile_merger *merger, uint32_t part)
{
    uint32_t continues = merger->parts[part].continues;
    return continues ? continues - 1 : part;
}

// Returns whether two parts are of one process.
static inline bool parts_share_process(const struct profile_merger *merger, uint32_t a, uint32_t b)
{
    return part_first(merger, a) == part_first(merger, b);
}

uint32_t merged_chain(const struct merged_rows *rows, int64_t id); // 0: the part has no such chain

// Returns the merged row of a part's row; ROW_NONE for ROW_NONE and for numbers that are no rows of
// the part.
static inline uint32_t merged_row(const struct profile_merger *merger, uint32_t part,
                                  enum reference reference, int64_t row)
{
    const struct merged_rows *rows = &merger->places[part].of[reference];
    if (reference == REFERS_CHAIN)
        return merged_chain(rows, row);
    if (rows->map)
        return row >= 0 && row < rows->count ? rows->map[row] : ROW_NONE;
    return row >= 0 && row <= rows->count ? rows->base + (uint32_t)row : ROW_NONE;
}

void merge_small(struct profile_merger *merger); // everything that the long tables refer to
void merge_recorded_ops(
    struct profile_merger *merger); // recorded ops; requires all other small tables
// What depends on the long tables, and the captures' descriptions.
void merge_rest(struct profile_merger *merger);

#endif
