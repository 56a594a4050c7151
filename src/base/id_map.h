// SPDX-License-Identifier: Apache-2.0
// A hash map from three numbers to a 32-bit value. The model uses it for the ids that it assigns.
#ifndef BASE_ID_MAP_H
#define BASE_ID_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/tuples.h"

struct id_key {
    uint64_t a;
    uint32_t b, c;
};

struct id_map { // empty if all but the arena is zero
    struct arena *arena;
    struct tuples keys;
    size_t capacity;
    uint32_t *values; // by row of `keys`: value + 1; 0: not set
};

// Returns the value of a key, or UINT32_MAX if it has none.
uint32_t id_map_get(const struct id_map *map, struct id_key key);

// Returns a pointer to the value of a key plus 1. It points to 0 if the key is new; the caller must
// then set it before the next call.
uint32_t *id_map_slot(struct id_map *map, struct id_key key);

#endif
