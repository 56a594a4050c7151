// SPDX-License-Identifier: Apache-2.0
// Which rank of the job each file belongs to, and which files come from the same host.
#ifndef MODEL_PROFILE_RANKS_H
#define MODEL_PROFILE_RANKS_H

#include "model/profile/profile.h"

// Derives ranks from file names, for files that do not contain their rank: the number after "rank",
// or else the first number in which all names differ and which is less than the number of files.
// Sets rank[i] for all files, UNKNOWN if it cannot be derived. A number that two files share is not
// a rank, unless they are spans of one worker (span_name.h).
void ranks_of_files(const char *const *paths, uint32_t count, int64_t *rank);

// Sets profile.groups: the processes of each host and of each role, unless these are all processes.
void process_groups_build(struct profile *profile);
uint32_t profile_find_group(const struct profile *profile,
                            const char *label); // process_count + row
// Whether the selected processes (process_is_selected()) ran work on a GPU, and on how many GPUs
// they did.
bool processes_run_on(const struct profile *profile, uint32_t chosen, uint32_t device);
uint32_t processes_gpu_count(const struct profile *profile, uint32_t chosen);
// Finds a process or group by its process_label().
uint32_t profile_find_label(const struct profile *profile, const char *label);
// Returns by device the role of all processes with streams on it; NULL if unknown or if roles
// differ.
const char **device_roles(const struct profile *profile, struct arena *arena);

// Sets source.host_row: an index of each host in order of first appearance.
void hosts_assign_rows(struct profile *profile);

// Reads an environment variable that holds the rank of a process: "RANK", "SLURM_PROCID" ... `text`
// is "NAME=value". *best is the priority of the variable found so far, initially RANK_VARIABLES;
// lower is better. Returns false for other variables and for those of no better priority.
enum { RANK_VARIABLES = 6 };
bool rank_of_variable(const char *text, unsigned *best, int64_t *rank);
// The same for the number of ranks: "WORLD_SIZE", "SLURM_NTASKS" ...
bool world_of_variable(const char *text, unsigned *best, int64_t *world);

// Returns a hash of a host name, never 0.
uint64_t host_of_name(const char *name);

// Returns the 1-based number of the host of a GPU; UNKNOWN.
int64_t device_host(const struct profile *profile, uint32_t device);

// Returns "GPU 12"; with several files also its rank and host as far as known: "GPU 12 (rank 9,
// host 2)".
const char *device_place_text(const struct profile *profile, uint32_t device, struct arena *arena);

// Sets the numbers by which some GPUs are displayed, [count]: the ranks of their processes if each
// has a rank of its own (returns true), otherwise their device numbers.
bool device_display_numbers(const struct profile *profile, const uint32_t *devices, uint32_t count,
                            int64_t *numbers, struct arena *scratch);

// Returns a name for the opened files: "rank0.sqlite", "rank0.sqlite and 63 more", "run.sqlite,
// part: steps 3-7"; `path` is the path of the first.
const char *profile_files_text(const struct profile *profile, const char *path,
                               struct arena *arena);

// Precomputes what process_label() and process_rank() need, once it is known what ran on which GPU:
// labels are requested by the thousand.
void processes_prepare_labels(struct profile *profile, struct arena *scratch);
// Returns the label of a process: "rank 3" if its file belongs to one rank and no other process of
// the file used a GPU; otherwise "process 4711". The second process with the same pid (on another
// host) is "process 4711.2". For a group, returns its label.
enum { PROCESS_LABEL_SIZE = 48 };
const char *process_label(const struct profile *profile, uint32_t process,
                          char text[PROCESS_LABEL_SIZE]);
// Returns the rank of a process if its label is one, otherwise UNKNOWN; and the process of a rank,
// or ROW_NONE.
int64_t process_rank(const struct profile *profile, uint32_t process);
uint32_t profile_find_rank(const struct profile *profile, int64_t rank);
// Sets by device, [device_count], the rank of all processes with streams on it; UNKNOWN if there is
// none or if ranks differ.
void device_ranks(const struct profile *profile, int64_t *rank);

#endif
