// SPDX-License-Identifier: Apache-2.0
// Which rank of the job each file is, and which of them ran on one machine.
#ifndef MODEL_RANKS_H
#define MODEL_RANKS_H

#include "model/profile/profile.h"

// Of the files' names, where the files themselves tell nothing: the number behind "rank", or the one in
// which the names differ, where these count from 0 on. `rank` of all, UNKNOWN where nothing tells;
// one that two files have is none, unless they are spans of one worker (span_name.h).
void ranks_of_files(const char *const *paths, uint32_t count, int64_t *rank);

// The processes of each machine and of each role, where there are others (profile.groups).
void groups_make(struct profile *profile);
uint32_t profile_find_group(const struct profile *profile,
                            const char *label); // process_count + row
// Whether those chosen (process_is_chosen()) ran anything on a GPU, and how many there are of these.
bool processes_run_on(const struct profile *profile, uint32_t chosen, uint32_t device);
uint32_t processes_gpus(const struct profile *profile, uint32_t chosen);
// The process or the group that process_label() calls so.
uint32_t profile_find_label(const struct profile *profile, const char *label);
// By device: the role of all processes with streams on it, NULL: not told, or several.
const char **roles_of_devices(const struct profile *profile, struct arena *arena);

// A number for each machine among the sources, in order of first appearance (source.host_row).
void hosts_number(struct profile *profile);

// The environment's variables that tell a process its rank: "RANK", "SLURM_PROCID", ... `text` is
// "NAME=value". False: it is none of them, or one that is believed less than *best, the place of the one
// found so far; at first that is RANK_VARIABLES.
enum { RANK_VARIABLES = 6 };
bool rank_of_variable(const char *text, unsigned *best, int64_t *rank);

// A number that tells a machine from others, never 0.
uint64_t host_of_name(const char *name);

// The machine that a GPU is in, counted from 1 on; UNKNOWN.
int64_t device_host(const struct profile *profile, uint32_t device);

// "GPU 12"; of several files with who runs on it and where, as far as told: "GPU 12 (rank 9, host 2)".
const char *device_place_text(const struct profile *profile, uint32_t device, struct arena *arena);

// What some GPUs are called beside each other, [count]: by the ranks of their processes where each has
// one of its own (true), else by their numbers.
bool numbers_of_devices(const struct profile *profile, const uint32_t *devices, uint32_t count,
                        int64_t *numbers, struct arena *scratch);

// What the profile was opened as: "rank0.sqlite", "rank0.sqlite and 63 more", "run.sqlite, part: steps
// 3-7"; `path` is that of the first.
const char *files_text(const struct profile *profile, const char *path, struct arena *arena);

// What process_label() and process_rank() tell processes apart by, once it is known what ran on which GPU:
// names are asked for by the thousand.
void processes_tell_apart(struct profile *profile, struct arena *scratch);
// What a process is called: "rank 3" where its file is of one rank, and no other of it used a GPU; else
// "process 4711", of several of one number, as machines may have, "process 4711.2".
// One of a group (struct process_group) by its label.
enum { PROCESS_LABEL_SIZE = 48 };
const char *process_label(const struct profile *profile, uint32_t process,
                          char text[PROCESS_LABEL_SIZE]);
// The rank of a process by that rule, UNKNOWN; and the process of a rank, ROW_NONE.
int64_t process_rank(const struct profile *profile, uint32_t process);
uint32_t profile_find_rank(const struct profile *profile, int64_t rank);
// By device, [device_count]: the rank of all processes with streams on it; UNKNOWN: of none, or of several.
void ranks_of_devices(const struct profile *profile, int64_t *rank);

#endif
