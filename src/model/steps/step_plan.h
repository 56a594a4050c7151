// SPDX-License-Identifier: Apache-2.0
// Between the files that find ways of splitting, rank them, list them (step_candidates.c) and split
// by them (step_split.c): a plan is the windows, what they are called, and the figures that speak
// for them.
#ifndef MODEL_STEP_PLAN_H
#define MODEL_STEP_PLAN_H

#include "model/steps/split_build.h"
#include "model/steps/step_candidates.h"
#include "model/steps/step_families.h"

struct step_figures {
    uint32_t turns;    // windows of the process with most
    bool is_equal;     // every process that has any has as many
    int64_t period_ns; // median from the first work of one to that of the next, UNKNOWN
    double jitter;     // MAD over median, NaN
    int64_t launches;  // of the median period, UNKNOWN
    double alike;      // share of the periods that launch as much as that one does; NaN
    double coverage;   // share of all exclusive GPU time launched inside the windows; NaN
    int64_t first_ns;  // start of the first window
    uint32_t bar_count;
    int64_t bars[CANDIDATE_BARS];
};

struct step_plan {
    enum candidate_source source;
    enum confidence confidence;
    enum step_role role; // of the family that it was found by
    const char *key, *text, *unit, *why;
    uint32_t inner;         // micro-steps in each, 0: none
    const char *inner_text; // what these are: "forward"
    bool is_numbered;       // names of its ranges say the number of a step
    bool is_other;          // turns of something else than training: of a warm-up, a validation
    bool is_op; // its turns hold little but the op that cuts: runs of that, and no steps
    struct split_marks marks;
    struct step_figures figures;
};

enum { WINDOWS_MOST = 100000 }; // of a plan, but of numbered steps

struct step_finder {
    const struct profile *profile;
    struct arena *arena; // gone when the candidates are made
    struct launch_index launches;
    struct step_families families;
    size_t count, capacity;
    struct step_plan *plans;
};

void step_finder_open(struct step_finder *finder, const struct profile *profile,
                      struct arena *scratch);

// Fills the plans (`with_gpu`: also those that are no steps of a program); returns the one that
// split_find() takes. NULL: none. Replays and what else is no step is never taken unasked.
const struct step_plan *step_plans_find(struct step_finder *finder, bool with_gpu);

// ---- which comes first (step_rank.c) -------------------------------------------------------------

// `best_steps`: the family of numbered steps that is the best, NULL: there is none.
const struct step_plan *step_plan_choose(const struct step_finder *finder, const char *best_steps);
uint32_t *step_plans_order(const struct step_finder *finder, const struct step_plan *chosen,
                           struct arena *arena);

// ---- windows and their figures -------------------------------------------------------------------

// Micro-steps in explicit steps, as gradients accumulate over them: what calls itself one, or a
// forward with a backward after each. *text: what they are called. 0: none known, also where not
// nearly all windows have as many. Windows of one process, in order; empty ones do not count.
uint32_t step_inner_find(const struct step_families *families, uint32_t process,
                         const int64_t *start, const int64_t *stop, uint32_t count,
                         const char **text, struct arena *scratch);

// Figures of a plan's windows: O(n log n) in them.
void step_figures_fill(struct step_finder *finder, struct step_plan *plan);

// The turns of a family as windows: the extents of its ranges.
struct split_marks family_marks(struct step_finder *finder, const struct step_family *family);

// ---- sources, each adds its plans with figures ---------------------------------------------------

void step_marked_add(struct step_finder *finder);

// The loop whose turns a family's ranges are part of; false: they are not.
bool step_loop_plan(struct step_finder *finder, const struct step_family *anchor,
                    struct step_plan *plan);

// What lies between two stops of a key op, each process by its own. False: there is none.
bool step_each_plan(struct step_finder *finder, const char *key, struct step_plan *plan);

void step_replays_add(struct step_finder *finder);
void step_sequences_add(struct step_finder *finder);
void step_bursts_add(struct step_finder *finder);
// `slice_ns` 0: a round length that gives some dozens.
void step_slices_add(struct step_finder *finder, int64_t slice_ns);

struct step_plan *step_plan_add(struct step_finder *finder);

#endif
