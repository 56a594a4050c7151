// SPDX-License-Identifier: Apache-2.0
// Replaces values in the tables of a seed and encodes the result as a digest. Each replacement is
// chosen by eight bytes of the input.
#include "profile_damage.h"

#include <stdlib.h>

#include "model/open/open.h"
#include "profile_poke.h"
#include "profile_seed.h"

enum { CHOICE_BYTES = 8 }; // bytes of input per replaced value

// Returns a value near a valid one or far from it.
static int64_t damaged_value(const unsigned char *choice, int64_t original, uint32_t rows)
{
    int64_t number = choice[5] | choice[6] << 8 | choice[7] << 16;
    switch (choice[4] % 8) {
    case 0:
        return (int64_t)((uint64_t)original + (uint64_t)number - (1 << 23));
    case 1:
        return rows ? number % rows : number;
    case 2:
        return (int64_t)rows + number % 3 - 1;
    case 3:
        return UNKNOWN;
    case 4:
        return ROW_NONE;
    case 5:
        return (int64_t)1 << number % 62;
    case 6:
        return -((int64_t)1 << number % 62);
    default:
        return number % 8;
    }
}

static void damage_small(struct profile *part, const unsigned char *choice)
{
    const struct small_table *table = &digest_tables[choice[0] % SMALL_TABLES];
    const struct member *member = &table->members[choice[1] % table->member_count];
    uint32_t rows = small_table_rows(part, table);
    if (rows)
        poke_member(part, table, member, (uint32_t)(choice[2] | choice[3] << 8) % rows,
                    damaged_value(choice, 0, reference_rows(part, member->to)));
}

// Times may be as far apart as an int64 can hold; loaders refuse others earlier.
static void damage_long(struct profile *part, const unsigned char *choice)
{
    const struct profile_table *table = &profile_tables[choice[0] % PROFILE_TABLES];
    const struct profile_field *field = &table->fields[choice[1] % table->field_count];
    uint32_t rows = table_rows(part, table);
    if (!rows || !field_exists(part, field))
        return;
    uint32_t row = (uint32_t)(choice[2] | choice[3] << 8) % rows;
    int64_t value =
        damaged_value(choice, field_value(part, field, row), reference_rows(part, field->to));
    if (field->to != REFERS_TIME || value != UNKNOWN)
        poke_field(part, table, field, row, value);
}

void damaged_digest(unsigned seed, const unsigned char *data, size_t size, struct bytes *digest,
                    struct arena *arena)
{
    size_t length;
    const unsigned char *bytes = seed_bytes(seed % SEED_COUNT, &length);
    seed_write(bytes, length);
    struct load_request request = {
        .path = seed_path(), .ignore_journal = true, .part_of = 1, .threads = 1};
    struct profile *part = profile_load(&request, NULL);
    if (!part)
        abort();
    for (; size >= CHOICE_BYTES; data += CHOICE_BYTES, size -= CHOICE_BYTES) {
        if (data[0] & 0x80)
            damage_small(part, data);
        else
            damage_long(part, data);
    }
    digest_encode(part, 1, digest, arena);
    profile_free(part);
}
