// SPDX-License-Identifier: Apache-2.0
// The steps that detectors judge: the chosen windows of one GPU's line.
//
// Only one GPU is judged: the one that the others wait for. Results of a scan (scan.h) are summed
// over the chosen windows. A detector may claim those parts of its requested intervals that no
// earlier detector has claimed (interval_grants.h), so that bounds do not overlap. Everything is
// valid during one expert_run().
#ifndef ANALYSIS_DETECT_STEP_H
#define ANALYSIS_DETECT_STEP_H

#include "analysis/detect/finding.h"
#include "analysis/detect/interval_grants.h"
#include "analysis/detect/scan.h"

struct step {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *scratch; // freed after expert_run()
    struct arena *arena;   // owns the findings
    uint32_t device;       // ROW_NONE: no GPU ran work, so judging is impossible
    const struct step_line *line;
    bool has_steps;          // false: one window, the whole capture
    bool has_untraced_work;  // as in step_line
    uint32_t window_count;   // number of chosen windows
    const uint32_t *windows; // rows of line->windows
    int64_t window_ns;       // total of the chosen windows; the next three are parts of it
    int64_t compute_ns;      // intervals of compute kernels
    int64_t opaque_ns;       // CUDA graphs traced as a whole
    int64_t overhead_ns;     // idle while the profiler worked
    struct interval_grants grants;
};

void step_make(struct step *step, const struct profile *profile, const struct selection *selection,
               struct arena *scratch, struct arena *arena);

// Returns the number of selected steps that are not judged because the capture cuts them. (Steps
// that are selected explicitly are always judged.)
uint32_t step_cut_count(const struct step *step);

// ---- results of scans, over the chosen windows

int64_t step_sum(const struct step *step, const struct scan *scan, unsigned sum);
enum { MIN_REPORTED_NS = 50000 }; // per step; less is not reported
// step_hits() counts the windows in which a sum of ns reaches MIN_REPORTED_NS; step_is_hit() tests
// one.
uint32_t step_hits(const struct step *step, const struct scan *scan, unsigned sum);
bool step_is_hit(const struct scan *scan, unsigned sum, uint32_t window);
// Returns list->ids + 1 sums, by id.
int64_t *step_list(const struct step *step, const struct scan_list *list);

// Returns the innermost node of selection_tree() that has at least four fifths of the time in
// scan->places, or ROW_NONE.
uint32_t step_place(const struct step *step, const struct scan *scan);
uint32_t step_place_of(const struct step *step,
                       int64_t *self_ns); // the same for sums by node, which it adds up in place
int64_t *step_node_sums(const struct step *step); // zeroed table for step_place_of()
const char *step_node_text(const struct step *step, uint32_t node); // NULL for no node or the root

// Returns the source line with more than half of the time in scan->lines, or NULL.
const char *step_source(const struct step *step, const struct scan *scan);

// The function with the most time in scan->names.
struct leader {
    uint32_t best;  // ROW_NONE: there is none
    uint32_t count; // number of functions with any time
};
struct leader step_leader(const struct step *step, const struct scan *scan);
const char *leader_name(const struct step *step, const struct leader *leader);

// ---- judging

// Adds a finding worth `total_ns` over all chosen windows, or returns NULL if that is below the
// limits for reporting: finding.share of the step, and either finding.ms per step, or finding.much
// together with finding.total_ms in total. Its evidence starts as the selection on the step's GPU.
struct finding *step_finding(struct step *step, struct finding_list *findings,
                             const struct detector *detector, int64_t total_ns,
                             enum certainty certainty);

// Adds a note without a bound, with the same evidence.
struct finding *step_note(struct step *step, struct finding_list *findings,
                          const struct detector *detector);

// Restricts the evidence to a node as counted by scan_layer(), including its backward kernels. Does
// nothing if the finding has no place.
void finding_set_layer_evidence(struct finding *finding, uint32_t node);

// If `is_reported` is true and `total_ns` is worth reporting, claims all current requests and
// returns a finding. Otherwise returns NULL without a claim.
struct finding *step_take_finding(struct step *step, struct finding_list *findings,
                                  const struct detector *detector, bool is_reported,
                                  int64_t total_ns, enum certainty certainty);

// Measures the current requests and shortens them to `room` ns of free time. Returns the free time.
int64_t step_limit(struct step *step, int64_t room);

// Returns how many windows have at least MIN_REPORTED_NS of free requested time, as last measured.
uint32_t step_windows_hit(const struct step *step);

const char *step_unit(const struct step *step); // as expert_unit()
// Returns total_ns divided by the number of chosen windows.
int64_t step_mean_ns(const struct step *step, int64_t total_ns);
const char *step_duration(const struct step *step, int64_t total_ns); // the mean per step, as text
// "in 5 of 8 steps", "in the one step", or "in the capture" without steps.
const char *step_hits_text(const struct step *step, uint32_t hit);
double step_share(const struct step *step, int64_t total_ns);

// Certain, unless the profiler itself takes so much host time that it may be the cause.
enum certainty step_host_certainty(const struct step *step);

#endif
