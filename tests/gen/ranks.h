// SPDX-License-Identifier: Apache-2.0
//
// A job on several machines: splits an export with a process per GPU into one file per process,
// as if each had been captured alone.
#ifndef DLPROF_GEN_RANKS_H
#define DLPROF_GEN_RANKS_H

#include <stdint.h>

// Writes run.rank0.sqlite, run.rank1.sqlite, ... next to PATH ("run.sqlite"), as captured on
// `hosts` machines with equal numbers of ranks. Captures begin at different moments; wall clocks
// differ by up to 50 ms, and oscillators by a few millionths. Prints a line per rank: `clock`, the
// rank, and how many ns its wall clock is ahead of the wall clock of rank 0.
void ranks_split(const char *path, const int *pids, int rank_count, int hosts, uint64_t seed);

#endif
