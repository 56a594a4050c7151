// SPDX-License-Identifier: Apache-2.0
#include "base/narrow.h"

struct narrow_far {
    uint32_t row;
    int64_t value;
};

void narrow_open(struct narrow *narrow, struct arena *arena, size_t count, int64_t middle)
{
    *narrow = (struct narrow){.base = (int64_t)((uint64_t)middle - (UINT64_C(1) << 31)),
                              .cells = ARENA_ARRAY(arena, uint32_t, count),
                              .arena = arena};
}

void narrow_set(struct narrow *narrow, uint32_t row, int64_t value)
{
    uint64_t distance = (uint64_t)value - (uint64_t)narrow->base;
    if (distance < (uint32_t)NARROW_FAR) {
        narrow->cells[row] = (uint32_t)distance;
        return;
    }
    narrow->cells[row] = (uint32_t)NARROW_FAR;
    ARENA_PUSH(narrow->arena, narrow->far, narrow->far_count, narrow->far_capacity) =
        (struct narrow_far){row, value};
}

int64_t narrow_far(const struct narrow *narrow, uint32_t row)
{
    size_t low = 0, high = narrow->far_count;
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (narrow->far[middle].row <= row)
            low = middle;
        else
            high = middle;
    }
    return narrow->far[low].value;
}
