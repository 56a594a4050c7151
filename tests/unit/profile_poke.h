// SPDX-License-Identifier: Apache-2.0
// Replaces single values of a profile, regardless of their meaning, to write digests that no loader
// would produce.
#ifndef TESTS_PROFILE_POKE_H
#define TESTS_PROFILE_POKE_H

#include "model/digest/digest.h"

// Sets a value of a field of a long table; the field must exist.
static inline void poke_field(struct profile *profile, const struct profile_table *table,
                              const struct profile_field *field, uint32_t row, int64_t value)
{
    uint32_t count = table_rows(profile, table);
    size_t size = field_size(field);
    char *values = arena_alloc(profile->arena, (size_t)count + 1, 8);
    for (uint32_t i = 0; i < count; i++) {
        int64_t row_value = i == row ? value : field_value(profile, field, i);
        uint32_t narrow = (uint32_t)row_value;
        uint8_t byte = (uint8_t)row_value;
        memcpy(values + i * size,
               size == 8   ? (const void *)&row_value
               : size == 4 ? (const void *)&narrow
                           : &byte,
               size);
    }
    field_set(profile, field, values, NULL, count);
}

// Sets a value of a member of a small table; texts are not changed.
static inline void poke_member(struct profile *profile, const struct small_table *table,
                               const struct member *member, uint32_t row, int64_t value)
{
    static const size_t sizes[] = {
        [MEMBER_U8] = 1, [MEMBER_BOOL] = 1, [MEMBER_I32] = 4, [MEMBER_U32] = 4, [MEMBER_I64] = 8};
    char *at = small_table_row(profile, table, row) + member->at;
    uint32_t narrow = (uint32_t)value;
    uint8_t byte = member->kind == MEMBER_BOOL ? value & 1 : (uint8_t)value;
    if (member->kind != MEMBER_WORD)
        memcpy(at,
               sizes[member->kind] == 8   ? (const void *)&value
               : sizes[member->kind] == 4 ? (const void *)&narrow
                                          : &byte,
               sizes[member->kind]);
}

#endif
