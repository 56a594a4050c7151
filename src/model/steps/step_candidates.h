// SPDX-License-Identifier: Apache-2.0
// Candidates: the ways to split a run into steps, ranked by evidence.
//
// Explicit numbered steps come first, then DLProf's default key, then every op and range with
// regular instances, outer loops before inner ones. Runs without steps (servers, windows of time)
// can be split into replays of a graph, recurring kernel sequences, bursts and slices of time,
// which have units of their own and are never chosen automatically. The cost is O(n log n) in the
// rows of the profile.
#ifndef MODEL_STEPS_STEP_CANDIDATES_H
#define MODEL_STEPS_STEP_CANDIDATES_H

#include "model/steps/split.h"

enum candidate_source {
    CANDIDATE_STEPS,       // a family of numbered step markers
    CANDIDATE_DLPROF,      // DLProf's default key: global_step, the backward op
    CANDIDATE_AGGREGATION, // an aggregation of a DLProf database
    CANDIDATE_LOOP,        // ranges that follow each other in every turn of a loop
    CANDIDATE_RANGE,       // the extents of a range or of a numbered family of ranges
    CANDIDATE_OP,          // an op, by DLProf's rule
    CANDIDATE_REPLAYS,     // replays of one CUDA graph
    CANDIDATE_SEQUENCE,    // a recurring sequence of kernels
    CANDIDATE_BURSTS,      // work between idle intervals of all GPUs
    CANDIDATE_SLICES,      // equal slices of time
    CANDIDATE_SOURCES
};
extern const char *const candidate_source_names[CANDIDATE_SOURCES]; // "steps", "dlprof", ...

enum { MAX_STEP_CANDIDATES = 64, CANDIDATE_BARS = 64 };

struct step_candidate {
    enum candidate_source source;
    enum confidence confidence;
    const char *key;  // name for split_by_name(): "step N", "loop:optimizer.step"
    const char *text; // description: "range \"step N\"", "loop of forward .. optimizer.step"
    const char *unit; // as split.unit
    const char *why;  // one line of evidence
    uint32_t count;   // windows
    uint32_t inner;   // micro-steps per window; 0: unknown
    bool is_equal;    // all processes with windows have the same number of them
    // From the first work of one window to that of the next on the GPU's clock; on the host's clock
    // if the windows run no work. Median over all processes; UNKNOWN for fewer than two windows.
    int64_t period_ns;
    double jitter; // MAD divided by median of the periods; NaN: unknown
    // Share 0 to 1 of the exclusive GPU time that is launched inside the windows; NaN: no GPU work.
    double coverage;
    // From the first host time of the profile to the start of the first window.
    int64_t first_offset_ns;
    // Lengths of the windows of the first process that has any, in order. When there are more than
    // CANDIDATE_BARS each is the longest of a bucket.
    uint32_t bar_count;
    int64_t bars[CANDIDATE_BARS];
};

struct step_candidates {
    size_t count; // at most MAX_STEP_CANDIDATES
    struct step_candidate *items;
    size_t chosen; // the candidate that split_find() uses; `count`: none
};

// Finds all candidates. All memory is in `arena`.
struct step_candidates candidates_find(const struct profile *profile, struct arena *arena);

// As split_by_name() with the candidate's key, and with the candidate's confidence.
struct split *split_by_candidate(const struct profile *profile,
                                 const struct step_candidate *candidate, struct arena *arena);

#endif
