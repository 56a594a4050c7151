// SPDX-License-Identifier: Apache-2.0
#include "base/text/cells.h"

void cells_distribute(struct cell_share *shares, size_t count, int64_t total_ns, unsigned width)
{
    unsigned used = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t total = total_ns > 0 ? (uint64_t)total_ns : 1;
        unsigned __int128 scaled = (unsigned __int128)(uint64_t)shares[i].ns * width;
        unsigned __int128 whole = total_ns > 0 ? scaled / total : 0;
        // Saturated sums may add up to more than their saturated total.
        shares[i].cells = whole < width - used ? (unsigned)whole : width - used;
        shares[i].remainder = total_ns > 0 ? (uint64_t)(scaled % total) : 0;
        used += shares[i].cells;
    }
    if (total_ns <= 0 && count > 0) {
        shares[count - 1].cells = width;
        return;
    }
    for (; used < width && count > 0; used++) {
        size_t largest = 0;
        for (size_t i = 1; i < count; i++)
            if (shares[i].remainder > shares[largest].remainder)
                largest = i;
        shares[largest].cells++;
        shares[largest].remainder = 0;
    }
}
