// SPDX-License-Identifier: Apache-2.0
// Which rank of the job each file is, and which of them ran on one machine.
#ifndef MODEL_RANKS_H
#define MODEL_RANKS_H

#include "model/profile.h"

// Of the files' names, where the files themselves tell nothing: the number behind "rank", or the one in
// which the names differ, where these count from 0 on. `rank` of all, UNKNOWN where nothing tells;
// one that two files have is none.
void ranks_of_files(const char *const *paths, uint32_t count, int64_t *rank);

// A number for each machine among the sources, in order of first appearance (source.host_row).
void hosts_number(struct profile *profile);

// The environment's variables that tell a process its rank: "RANK", "SLURM_PROCID", ... `text` is
// "NAME=value". False: it is none of them.
bool rank_of_variable(const char *text, int64_t *rank);

// A number that tells a machine from others, never 0.
uint64_t host_of_name(const char *name);

// "r3"; "" where no rank is known.
const char *source_rank_text(const struct source *source, char text[24]);

#endif
