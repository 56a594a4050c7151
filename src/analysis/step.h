// SPDX-License-Identifier: Apache-2.0
// The step that detectors of today look at: the time line of one GPU, cut into stretches.
//
// One GPU stands for all: the one that the others wait for. Its selected steps by its own clock
// (no steps found: everything from its first work to its last) are cut into stretches, each with
// the work that keeps the GPU busy in it or idle. Detectors claim parts of them, so that bounds do
// not overlap. All of it lives for one expert_run().
#ifndef ANALYSIS_STEP_H
#define ANALYSIS_STEP_H

#include "analysis/claims.h"
#include "analysis/expert.h"
#include "analysis/idle.h"

struct stretch {
    int64_t from, to;
    uint32_t work; // that alone keeps the GPU busy; ROW_NONE: the GPU is idle
    uint32_t next; // idle: the work that ends it
    uint32_t window;
    uint32_t first_part, end_part; // idle: its parts by cause, rows of step.idle->parts; the first
                                   // and the last may reach beyond the stretch
    uint8_t class;                 // enum work_class of `work`; CLASS_COUNT: idle
};

struct step {
    const struct profile *profile;
    const struct selection *selection;
    struct arena *scratch; // gone after expert_run()
    struct arena *arena;   // of the findings
    uint32_t device;       // ROW_NONE: no GPU ran anything, nothing can be judged
    bool has_steps;        // false: one window, the whole capture
    uint32_t window_count;
    int64_t window_ns;   // all windows together
    int64_t compute_ns;  // of them, stretches of compute kernels
    int64_t opaque_ns;   // of them, CUDA graphs traced as a whole
    int64_t overhead_ns; // of them, idle while the profiler was busy with itself
    bool hides_work;     // graphs are launched and nothing of them is in the file: idle may be not
    size_t count;
    struct stretch *stretches; // in order; within a window without holes
    const struct idle *idle;   // of this GPU: why nothing runs
    bool *launches;            // of each thread: it sends work to this GPU
    struct claims claims;
    struct lead_host **lead_host; // lead.c's own
    struct meetings **meetings;   // meetings.c's own
};

void step_make(struct step *step, const struct profile *profile, const struct selection *selection,
               struct arena *scratch, struct arena *arena);

// Steps that are selected but cut by the capture and left out, unless they are named.
uint32_t step_cut_count(const struct step *step);

// The part of step.idle->parts[row] that lies in an idle stretch; false: nothing of it does.
static inline bool stretch_part(const struct step *step, const struct stretch *stretch, size_t row,
                                int64_t *from, int64_t *to)
{
    const struct idle_part *part = &step->idle->parts[row];
    *from = part->from > stretch->from ? part->from : stretch->from;
    *to = part->to < stretch->to ? part->to : stretch->to;
    return *to > *from;
}

// Whether work counts: its step and its process are selected.
bool step_has_work(const struct step *step, uint32_t work);

// A finding worth `total_ns` of all windows together, or NULL when that is below what is worth
// saying: finding.share of the step and finding.ms.
struct finding *step_finding(struct step *step, struct finding_list *findings,
                             const struct detector *detector, int64_t total_ns,
                             enum certainty certainty);

// Of all that is wanted, worth `total_ns`: where the detector `speaks` and it is worth saying, a
// finding that has it from now on. NULL: others may have it.
struct finding *step_claim(struct step *step, struct finding_list *findings,
                           const struct detector *detector, bool speaks, int64_t total_ns,
                           enum certainty certainty);

const char *step_unit(const struct step *step); // as expert_unit()
// A time of all windows as one of a step.
int64_t step_each(const struct step *step, int64_t total_ns);
const char *step_duration(const struct step *step, int64_t total_ns); // per step, as text
double step_share(const struct step *step, int64_t total_ns);

// How many windows hold a free part of what is wanted that is worth speaking of.
uint32_t step_windows_hit(const struct step *step);

// Certain, unless the profiler itself takes so much of the host's time that it may be the cause.
enum certainty step_host_certainty(const struct step *step);

// The innermost node that holds most (four fifths) of `self_ns`, one figure per node of
// selection_tree(); summed up in place. ROW_NONE: nothing is there.
uint32_t step_place(const struct step *step, int64_t *self_ns);
int64_t *step_node_sums(const struct step *step);                   // zeroes for it
const char *step_node_text(const struct step *step, uint32_t node); // NULL for no node or the root

#endif
