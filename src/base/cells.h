// SPDX-License-Identifier: Apache-2.0
// Bars and boxes of whole cells.
#ifndef BASE_CELLS_H
#define BASE_CELLS_H

#include <stddef.h>
#include <stdint.h>

struct cell_share {
    int64_t ns;         // given: its part of the whole, 0 at least
    unsigned cells;     // what it gets
    uint64_t remainder; // of a cell, in parts of the whole
};

// By largest remainder, of equal ones the first: the cells of shares[0..count) add up to `width`.
// Their ns add up to total_ns; a whole of nothing is the last one's.
void cells_share(struct cell_share *shares, size_t count, int64_t total_ns, unsigned width);

#endif
