// SPDX-License-Identifier: Apache-2.0
// The steps that detectors judge: the chosen windows of the time line of one GPU.
//
// One GPU stands for all: the one that the others wait for. What a detector found in each of its
// windows (scan.h) is added up over those chosen; of the instants that it wants it may claim what
// nobody before it has, so that bounds do not overlap. All of it lives for one expert_run().
#ifndef ANALYSIS_STEP_H
#define ANALYSIS_STEP_H

#include "analysis/detect/claims.h"
#include "analysis/detect/expert.h"
#include "analysis/detect/scan.h"

struct step {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *scratch; // gone after expert_run()
    struct arena *arena;   // of the findings
    uint32_t device;       // ROW_NONE: no GPU ran anything, nothing can be judged
    const struct step_line *line;
    bool has_steps;          // false: one window, the whole capture
    bool hides_work;         // as of the line
    uint32_t window_count;   // chosen
    const uint32_t *windows; // their rows in line->windows
    int64_t window_ns;       // all chosen windows together, as these:
    int64_t compute_ns;      // stretches of compute kernels
    int64_t opaque_ns;       // of CUDA graphs traced as a whole
    int64_t overhead_ns;     // idle while the profiler was busy with itself
    struct claims claims;
};

void step_make(struct step *step, const struct profile *profile, const struct selection *selection,
               struct arena *scratch, struct arena *arena);

// Steps that are selected but cut by the capture and left out, unless they are named.
uint32_t step_cut_count(const struct step *step);

// ---- what was found, of the windows chosen

int64_t step_sum(const struct step *step, const struct scan *scan, unsigned sum);
enum { STEP_WORTH_NS = 50000 }; // of one step: less is not worth speaking of
// Windows with so much in a sum of ns; whether one is.
uint32_t step_hits(const struct step *step, const struct scan *scan, unsigned sum);
bool step_is_hit(const struct scan *scan, unsigned sum, uint32_t window);
// Sums by id, list->ids of them and one more.
int64_t *step_list(const struct step *step, const struct scan_list *list);

// The innermost place that holds most (four fifths) of what the scan has of places, as node of
// selection_tree(). ROW_NONE: nothing is there.
uint32_t step_place(const struct step *step, const struct scan *scan);
uint32_t step_place_of(const struct step *step,
                       int64_t *self_ns);         // of sums by node, added up in place
int64_t *step_node_sums(const struct step *step); // zeroes for it
const char *step_node_text(const struct step *step, uint32_t node); // NULL for no node or the root

// The line of the program with more than half of the time among the lines of the scan; NULL: none.
const char *step_source(const struct step *step, const struct scan *scan);

// The function with the most time among the names of the scan.
struct leader {
    uint32_t best;  // ROW_NONE: there is none
    uint32_t count; // functions with any time
};
struct leader step_leader(const struct step *step, const struct scan *scan);
const char *leader_name(const struct step *step, const struct leader *leader);

// ---- judging

// A finding worth `total_ns` of all windows together, or NULL when that is below what is worth
// saying: finding.share of the step, and finding.ms of it or, in sum, finding.much and
// finding.total_ms.
// Its proof begins as what is selected, of the step's GPU.
struct finding *step_finding(struct step *step, struct finding_list *findings,
                             const struct detector *detector, int64_t total_ns,
                             enum certainty certainty);

// A note, without a bound; its proof begins so too.
struct finding *step_note(struct step *step, struct finding_list *findings,
                          const struct detector *detector);

// The proof is what counts to a node by scan_layer(), with the kernels of its backward. Nothing
// where the finding names no place.
void finding_prove_layer(struct finding *finding, uint32_t node);

// Of all that is wanted, worth `total_ns`: where the detector `speaks` and it is worth saying, a
// finding that has it from now on. NULL: others may have it.
struct finding *step_claim(struct step *step, struct finding_list *findings,
                           const struct detector *detector, bool speaks, int64_t total_ns,
                           enum certainty certainty);

// Measures what is wanted and shortens it to `room` in all. Returns what is left of it and free.
int64_t step_limit(struct step *step, int64_t room);

// How many windows hold a free part of what was measured that is worth speaking of.
uint32_t step_windows_hit(const struct step *step);

const char *step_unit(const struct step *step); // as expert_unit()
// A time of all windows as one of a step.
int64_t step_each(const struct step *step, int64_t total_ns);
const char *step_duration(const struct step *step, int64_t total_ns); // per step, as text
// "in 5 of 8 steps", "in the one step", "in the capture" where no steps are found.
const char *step_in(const struct step *step, uint32_t hit);
double step_share(const struct step *step, int64_t total_ns);

// Certain, unless the profiler itself takes so much of the host's time that it may be the cause.
enum certainty step_host_certainty(const struct step *step);

#endif
