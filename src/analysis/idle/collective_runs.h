// SPDX-License-Identifier: Apache-2.0
// Runs of communication kernels and their grouping, for collectives.c. Terms:
//   run        one execution of a communication kernel
//   sequence   all runs of one function on one GPU, or on one stream of it
//   group      sequences of different GPUs whose n-th runs are one collective
//   shift      difference of n, if the capture misses the first runs of one GPU
//   ambiguous  said of a group: from its ends it may also be part of a larger group
#ifndef ANALYSIS_IDLE_COLLECTIVE_RUNS_H
#define ANALYSIS_IDLE_COLLECTIVE_RUNS_H

#include "model/profile/profile.h"

enum { MAX_END_SKEW_NS = 20000 }; // between the ends of one collective on correct clocks

struct run_sequence { // runs of one function on one GPU, or on one of its streams
    uint32_t device, function;
    uint32_t count, first; // rows of sequences.runs
    uint32_t next;         // row + 1 of the next sequence of the same function; 0: none
    uint32_t group;        // row of groups; ROW_NONE: none fits
    int shift;             // offset of its first run within the runs of its group
};

struct collective_group {    // sequences that run the same collectives
    uint32_t first, members; // first: its first sequence
    uint32_t device; // GPU of the last sequence that joined; sequences of one GPU follow each other
    uint64_t devices;  // bit set of the GPUs, modulo 64
    bool is_ambiguous; // from its ends it may also be part of a larger group
    bool by_durations; // its ends agree only roughly, or at a distance that is kept
};

struct run_sequences {
    size_t count, capacity;
    struct run_sequence *items;
    uint32_t *of_function; // [function] row + 1 of its first sequence; 0: none
    uint32_t *runs;        // work rows, grouped by sequence
    size_t group_count, group_capacity;
    struct collective_group *groups;
};

struct group_search {
    const struct profile *profile;
    const bool *is_collective; // [work]
    struct arena *scratch;
    // ns of runs of functions that end together on all GPUs: of all, and of those in no group,
    // whose groups end at a constant distance, as if their clocks differed; or whose GPUs run them
    // equally often, but do not end together.
    int64_t all_ns, offset_ns, separate_ns;
    bool has_offset, has_separate; // of the function at hand
};

// Groups the sequences of a function. Sequences per GPU and per stream are tried; the grouping that
// explains more runs is returned. NULL: none explains any.
const struct run_sequences *runs_group(struct group_search *search,
                                       struct run_sequences by_gpu_stream[2], uint32_t function);

// Makes the sequences of all communication kernels, per GPU or per stream.
struct run_sequences runs_make(const struct group_search *search, bool by_stream);

// True if the runs of a group are collectives.
bool group_is_usable(const struct run_sequences *all, uint32_t group);

#endif
