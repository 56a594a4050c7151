// SPDX-License-Identifier: Apache-2.0
#include "base/id_map.h"

struct id_pair {
    int64_t numbers[2];
};

static struct id_pair pair_of(struct id_key key)
{
    return (struct id_pair){{(int64_t)key.a, (int64_t)((uint64_t)key.b << 32 | key.c)}};
}

uint32_t id_map_get(const struct id_map *map, struct id_key key)
{
    if (!map->keys.arena)
        return UINT32_MAX;
    uint32_t row = tuples_find(&map->keys, pair_of(key).numbers);
    return row == UINT32_MAX ? UINT32_MAX : map->values[row] - 1;
}

uint32_t *id_map_slot(struct id_map *map, struct id_key key)
{
    if (!map->keys.arena)
        tuples_open(&map->keys, map->arena, 2);
    size_t count = map->keys.count;
    uint32_t row = tuples_put(&map->keys, pair_of(key).numbers);
    if (row == count)
        ARENA_PUSH(map->arena, map->values, count, map->capacity) = 0;
    return &map->values[row];
}
