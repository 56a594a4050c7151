// SPDX-License-Identifier: Apache-2.0
// Divides bars and boxes into whole terminal cells.
#ifndef BASE_TEXT_CELLS_H
#define BASE_TEXT_CELLS_H

#include <stddef.h>
#include <stdint.h>

struct cell_share {
    int64_t ns;         // in: part of the whole, >= 0
    unsigned cells;     // out: number of cells
    uint64_t remainder; // out: fraction of a cell, in units of 1 / total_ns
};

// Distributes `width` cells over shares[0..count) by largest remainder; ties go to the first. The
// ns of the shares add up to total_ns. If total_ns is 0 the last share gets all cells.
void cells_distribute(struct cell_share *shares, size_t count, int64_t total_ns, unsigned width);

#endif
