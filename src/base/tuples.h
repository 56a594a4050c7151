// SPDX-License-Identifier: Apache-2.0
// A hash set of integer tuples; each has a dense index in order of first appearance.
//
// Loaders use it for things that a file identifies by several ids: streams, launch shapes, threads,
// (process, correlation). Memory belongs to the arena. One thread may call tuples_put(); several
// may call tuples_find() while none puts.
#ifndef BASE_TUPLES_H
#define BASE_TUPLES_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct tuples {
    struct arena *arena;
    uint32_t width, count; // numbers per key; number of keys
    size_t capacity;
    int64_t *keys;       // `width` numbers each, by index
    uint32_t *slots;     // open addressing: index + 1; 0 is free
    uint32_t slot_count; // a power of two
    uint32_t last;       // index that tuples_put() returned last
};

void tuples_open(struct tuples *tuples, struct arena *arena, uint32_t width);
uint32_t tuples_put(struct tuples *tuples, const int64_t *key);        // returns its index
uint32_t tuples_find(const struct tuples *tuples, const int64_t *key); // UINT32_MAX if not found

static inline const int64_t *tuples_key(const struct tuples *tuples, uint32_t index)
{
    return tuples->keys + (size_t)index * tuples->width;
}

#endif
