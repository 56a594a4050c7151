// SPDX-License-Identifier: Apache-2.0
// From what a loader has read, one struct a row, to columns of a profile: for formats whose rows come one
// by one, and not a table at a time.
#ifndef MODEL_RECORDS_H
#define MODEL_RECORDS_H

#include "model/profile/profile.h"

struct records {
    struct profile *profile;
    struct arena *scratch; // an arena_brief(): what a column needs on its way is given back
    const void *rows;
    size_t row_size;
    uint32_t count;
    const uint32_t *order; // NULL: as they are
};

// The column of a member, by its offset in the row; of 32 bits or of 64. In the arena of the profile.
struct column32 records_column32(const struct records *records, size_t member);
struct column64 records_column64(const struct records *records, size_t member);
#define RECORDS32(records, type, member) records_column32(records, offsetof(type, member))
#define RECORDS64(records, type, member) records_column64(records, offsetof(type, member))

// Row numbers by group, those of each as they are; `first` has groups + 1: [first[g], first[g + 1]) are
// of group g. In `arena`.
uint32_t *records_group(struct arena *arena, const uint32_t *group, uint32_t count, uint32_t groups,
                        uint32_t *first);

#endif
