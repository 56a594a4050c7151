// SPDX-License-Identifier: Apache-2.0
#include "model/id_map.h"

#include <stdbool.h>

static size_t hash(struct id_key key)
{
    uint64_t mixed = key.a * 0x9E3779B97F4A7C15u;
    mixed ^= mixed >> 32;
    mixed = (mixed ^ ((uint64_t)key.b << 32 | key.c)) * 0xFF51AFD7ED558CCDu;
    return (size_t)(mixed ^ mixed >> 32);
}

static bool equals(struct id_key x, struct id_key y)
{
    return x.a == y.a && x.b == y.b && x.c == y.c;
}

static size_t find(const struct id_map *map, struct id_key key)
{
    size_t at = hash(key) & (map->slot_count - 1);
    while (map->values[at] && !equals(map->keys[at], key))
        at = (at + 1) & (map->slot_count - 1);
    return at;
}

uint32_t id_map_get(const struct id_map *map, struct id_key key)
{
    if (!map->slot_count)
        return UINT32_MAX;
    uint32_t value = map->values[find(map, key)];
    return value ? value - 1 : UINT32_MAX;
}

static void grow(struct id_map *map)
{
    struct id_map old = *map;
    map->slot_count = old.slot_count ? old.slot_count * 2 : 256;
    map->keys = ARENA_ARRAY(map->arena, struct id_key, map->slot_count);
    map->values = ARENA_ARRAY(map->arena, uint32_t, map->slot_count);
    for (size_t i = 0; i < old.slot_count; i++) {
        if (!old.values[i])
            continue;
        size_t at = find(map, old.keys[i]);
        map->keys[at] = old.keys[i];
        map->values[at] = old.values[i];
    }
}

uint32_t *id_map_slot(struct id_map *map, struct id_key key)
{
    if (map->count * 2 >= map->slot_count)
        grow(map);
    size_t at = find(map, key);
    if (!map->values[at]) {
        map->keys[at] = key;
        map->count++;
    }
    return &map->values[at];
}
