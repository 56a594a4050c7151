// SPDX-License-Identifier: Apache-2.0
// Converts an array of structs, one per row, into columns of a profile, for formats that are read
// row by row instead of table by table.
#ifndef MODEL_PROFILE_RECORDS_H
#define MODEL_PROFILE_RECORDS_H

#include "model/profile/profile.h"

struct records {
    struct profile *profile;
    struct arena *scratch; // an arena_temp(), so that temporary arrays are freed at once
    const void *rows;
    size_t row_size;
    uint32_t count;
    const uint32_t *order; // NULL: file order
};

// Packs a 32-bit or 64-bit member, given by its offset in the row, into the arena of the profile.
struct column32 records_column32(const struct records *records, size_t member);
struct column64 records_column64(const struct records *records, size_t member);
#define RECORDS32(records, type, member) records_column32(records, offsetof(type, member))
#define RECORDS64(records, type, member) records_column64(records, offsetof(type, member))

// Sorts row numbers by group, stably; the rows of group g are [first[g], first[g + 1]) of the
// result, and `first` has groups + 1 entries. The result is in `arena`.
uint32_t *records_group(struct arena *arena, const uint32_t *group, uint32_t count, uint32_t groups,
                        uint32_t *first);

#endif
