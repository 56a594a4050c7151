// SPDX-License-Identifier: Apache-2.0
// What could cut a run into steps, ranked by evidence.
//
// The file's own numbered steps come first, then DLProf's default key, then every op and range
// whose instances are regular, the loop around the others before what is inside it. Runs without
// steps (servers, windows of time) can be cut into replays of a graph, recurring kernel sequences,
// bursts and slices of time, which are called what they are and never chosen without being asked
// for. Everything costs at most n log n in the rows of the profile.
#ifndef MODEL_STEP_CANDIDATES_H
#define MODEL_STEP_CANDIDATES_H

#include "model/steps/iterations.h"

enum candidate_source {
    CANDIDATE_STEPS,    // a family of numbered step markers, matched as whole texts
    CANDIDATE_DLPROF,   // DLProf's default key: global_step, the backward op
    CANDIDATE_TOLD,     // an aggregation that a DLProf database holds
    CANDIDATE_LOOP,     // ranges that follow each other in every turn of a loop
    CANDIDATE_RANGE,    // the extents of a range or of a numbered family of ranges
    CANDIDATE_OP,       // an op, by DLProf's rule
    CANDIDATE_REPLAYS,  // replays of one CUDA graph
    CANDIDATE_SEQUENCE, // a sequence of kernels that comes again and again
    CANDIDATE_BURSTS,   // work between idle times of all GPUs
    CANDIDATE_SLICES,   // equal slices of time
    CANDIDATE_SOURCES
};
extern const char *const candidate_source_names[CANDIDATE_SOURCES]; // "steps", "dlprof", ...

enum { CANDIDATES_MOST = 64, CANDIDATE_BARS = 64 };

struct step_candidate {
    enum candidate_source source;
    enum confidence confidence;
    const char *key;  // by which split_by_name() finds it: "step N", "loop:optimizer.step"
    const char *text; // for people: "range \"step N\"", "loop of forward .. optimizer.step"
    const char *unit; // as of a split
    const char *why;  // one line of evidence
    uint32_t count;   // windows
    uint32_t inner;   // micro-steps in each, 0: none known
    bool is_equal;    // every process that has any has as many
    // By the GPU's clock, from the first work of one to that of the next; where they run nothing,
    // by the host's. Median over all processes, UNKNOWN for fewer than two.
    int64_t period_ns;
    double jitter;           // MAD over median of the periods, 0..; NaN: unknown
    double coverage;         // share 0..1 of the exclusive GPU time that is launched inside of
                             // them; NaN: no GPU work
    int64_t first_offset_ns; // from the first host time of the profile to the start of the first
    // Their lengths in order, at most CANDIDATE_BARS: the longest of each bucket where they are
    // more. Of the first process that has any.
    uint32_t bar_count;
    int64_t bars[CANDIDATE_BARS];
};

struct step_candidates {
    size_t count; // at most CANDIDATES_MOST
    struct step_candidate *items;
    size_t chosen; // the one that split_find() takes, or `count`: none, one iteration
};

// All of it lives in `arena`.
struct step_candidates candidates_find(const struct profile *profile, struct arena *arena);

// As split_by_name() of its key, with the candidate's confidence.
struct split *split_by_candidate(const struct profile *profile,
                                 const struct step_candidate *candidate, struct arena *arena);

#endif
