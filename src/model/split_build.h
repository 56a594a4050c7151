// SPDX-License-Identifier: Apache-2.0
// Between iterations.c, split_family.c (which ranges mark iterations) and split_ranges.c (windows).
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

struct family { // of ranges that may mark iterations
    const struct profile *profile;
    struct arena *scratch;
    bool *is_member; // of each marker
    int64_t *number; // of each marker, UNKNOWN
    uint32_t *rows;  // its ranges, by (process, start), none inside another
    size_t count;
    uint32_t *in_thread; // how many ranges of the family each thread has
    uint32_t *best;      // of each process: the thread with most, or ROW_NONE
};

// Fills the rows of a family whose members are known: of each process those of the thread that has
// most of them, without those inside another one.
void family_collect(struct family *family);
// The split by a collected family; `key` is what it is called, `sure` how sure it is. NULL when it
// has no range, or, told in *excess, more of them than can be split by.
struct split *split_by_family(const struct family *family, const char *key, const char *sure,
                              struct arena *arena, size_t *excess);

#endif
