// SPDX-License-Identifier: Apache-2.0
// A small hash map from three numbers to one, for what the model numbers while it derives.
#ifndef MODEL_ID_MAP_H
#define MODEL_ID_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/tuples.h"

struct id_key {
    uint64_t a;
    uint32_t b, c;
};

struct id_map { // all but the arena zero: empty
    struct arena *arena;
    struct tuples keys;
    size_t capacity;
    uint32_t *values; // by row of keys; value + 1, 0: not set
};

// The value of a key, UINT32_MAX when it has none.
uint32_t id_map_get(const struct id_map *map, struct id_key key);

// Where the value of a key is kept, plus 1; 0 in it means that the key is new and its value is to
// be set before the next call.
uint32_t *id_map_slot(struct id_map *map, struct id_key key);

#endif
