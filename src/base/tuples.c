// SPDX-License-Identifier: Apache-2.0
// A hash table with open addressing, at most half full. Slots have index + 1 of a key, keys are
// stored by index.
#include "base/tuples.h"

#include <stdbool.h>
#include <string.h>

__extension__ typedef unsigned __int128 product;

// Hashes two numbers with one multiplication. Both are added as well, because the product is 0 if
// one factor is.
static uint64_t hash_pair(uint64_t hash, uint64_t a, uint64_t b)
{
    a ^= hash ^ 0x9E3779B97F4A7C15u;
    b ^= 0xBF58476D1CE4E5B9u;
    product both = (product)a * b;
    return ((uint64_t)both ^ (uint64_t)(both >> 64)) + a + (b << 32 | b >> 32);
}

static uint64_t key_hash(const int64_t *key, uint32_t width)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i + 1 < width; i += 2)
        hash = hash_pair(hash, (uint64_t)key[i], (uint64_t)key[i + 1]);
    return width % 2 ? hash_pair(hash, (uint64_t)key[width - 1], 0) : hash;
}

// Not memcmp(): most keys are one or two numbers, for which a call costs too much.
static bool key_equals(const int64_t *a, const int64_t *b, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

void tuples_open(struct tuples *tuples, struct arena *arena, uint32_t width)
{
    *tuples = (struct tuples){.arena = arena, .width = width, .slot_count = 64};
    tuples->slots = ARENA_ARRAY(arena, uint32_t, tuples->slot_count);
}

static uint32_t slot_of(const struct tuples *tuples, const int64_t *key)
{
    uint32_t mask = tuples->slot_count - 1;
    uint32_t slot = (uint32_t)key_hash(key, tuples->width) & mask;
    for (; tuples->slots[slot]; slot = (slot + 1) & mask)
        if (key_equals(tuples_key(tuples, tuples->slots[slot] - 1), key, tuples->width))
            break;
    return slot;
}

static void slots_double(struct tuples *tuples)
{
    uint32_t *old_slots = tuples->slots;
    if (tuples->slot_count > UINT32_MAX / 2)
        arena_alloc(tuples->arena, SIZE_MAX, 1); // too many keys for 32-bit slots: fail like out
                                                 // of memory
    tuples->slots = ARENA_ARRAY(tuples->arena, uint32_t, (size_t)tuples->slot_count * 2);
    ARENA_RELEASE(tuples->arena, old_slots, tuples->slot_count);
    tuples->slot_count *= 2;
    uint32_t mask = tuples->slot_count - 1;
    for (uint32_t i = 0; i < tuples->count; i++) {
        uint32_t slot = (uint32_t)key_hash(tuples_key(tuples, i), tuples->width) & mask;
        while (tuples->slots[slot])
            slot = (slot + 1) & mask;
        tuples->slots[slot] = i + 1;
    }
}

uint32_t tuples_put(struct tuples *tuples, const int64_t *key)
{
    // Rows of a file often repeat the thread or stream of the row before.
    if (tuples->count && key_equals(tuples_key(tuples, tuples->last), key, tuples->width))
        return tuples->last;
    uint32_t slot = slot_of(tuples, key);
    if (tuples->slots[slot])
        return tuples->last = tuples->slots[slot] - 1;
    size_t bytes = tuples->width * sizeof *key;
    tuples->keys = arena_grow(tuples->arena, tuples->keys, tuples->count, &tuples->capacity, bytes);
    memcpy(tuples->keys + (size_t)tuples->count * tuples->width, key, bytes);
    tuples->slots[slot] = ++tuples->count;
    uint32_t index = tuples->count - 1;
    if (tuples->count > tuples->slot_count / 2)
        slots_double(tuples);
    return tuples->last = index;
}

uint32_t tuples_find(const struct tuples *tuples, const int64_t *key)
{
    return tuples->slots[slot_of(tuples, key)] - 1;
}
