// SPDX-License-Identifier: Apache-2.0
// Groups rows by a number, and packs members of their structs to columns.
#include "model/profile/records.h"

#include <string.h>

static void *gather(const struct records *records, size_t member, size_t size)
{
    char *values = arena_alloc(records->scratch, (size_t)records->count + 1, size);
    const char *rows = records->rows;
    for (size_t i = 0; i < records->count; i++)
        memcpy(values + i * size, rows + i * records->row_size + member, size);
    return values;
}

struct column32 records_column32(const struct records *records, size_t member)
{
    uint32_t *values = gather(records, member, sizeof *values);
    struct column32 column = column32_pack(records->profile->arena, records->profile->workers,
                                           values, records->order, records->count);
    ARENA_RELEASE(records->scratch, values, records->count + 1);
    return column;
}

struct column64 records_column64(const struct records *records, size_t member)
{
    int64_t *values = gather(records, member, sizeof *values);
    struct column64 column = column64_pack(records->profile->arena, records->profile->workers,
                                           values, records->order, records->count);
    ARENA_RELEASE(records->scratch, values, records->count + 1);
    return column;
}

uint32_t *records_group(struct arena *arena, const uint32_t *group, uint32_t count, uint32_t groups,
                        uint32_t *first)
{
    uint32_t *order = ARENA_ARRAY(arena, uint32_t, (size_t)count + 1);
    uint32_t *next = ARENA_ARRAY(arena, uint32_t, (size_t)groups + 1);
    memset(first, 0, ((size_t)groups + 1) * sizeof *first);
    for (uint32_t i = 0; i < count; i++)
        first[group[i] + 1]++;
    for (uint32_t g = 0; g < groups; g++) {
        next[g] = first[g];
        first[g + 1] += first[g];
    }
    for (uint32_t i = 0; i < count; i++)
        order[next[group[i]]++] = i;
    ARENA_RELEASE(arena, next, groups + 1);
    return order;
}
