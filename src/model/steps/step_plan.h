// SPDX-License-Identifier: Apache-2.0
// Plans: the interface between the files that find splits, rank them (step_rank.c), list them
// (step_candidates.c) and split by them (step_split.c). A plan consists of windows, their names,
// and the figures that support them.
#ifndef MODEL_STEPS_STEP_PLAN_H
#define MODEL_STEPS_STEP_PLAN_H

#include "model/steps/split_build.h"
#include "model/steps/step_candidates.h"
#include "model/steps/step_families.h"

struct step_figures {
    uint32_t turns;    // windows of the process that has most
    bool is_equal;     // all processes with windows have the same number of them
    int64_t period_ns; // median time between the first work of two successive windows, or UNKNOWN
    double jitter;     // MAD divided by median, or NaN
    int64_t launches;  // in the median period, or UNKNOWN
    // Share of the periods with about as many launches as the median; NaN: unknown.
    double alike;
    // Share of the exclusive GPU time launched inside the windows; NaN: no GPU work.
    double coverage;
    int64_t first_ns; // start of the first window
    uint32_t bar_count;
    int64_t bars[CANDIDATE_BARS];
};

struct step_plan {
    enum candidate_source source;
    enum confidence confidence;
    enum step_role role; // of the family by which it was found
    const char *key, *text, *unit, *why;
    uint32_t inner;         // micro-steps per window; 0: none
    const char *inner_text; // their name: "forward"
    bool is_numbered;       // texts of its ranges contain the number of a step
    bool is_other;          // turns of something other than training: warm-up, validation
    bool is_op; // its turns contain little but the op that cuts: repeated runs of that op, no steps
    struct split_marks marks;
    struct step_figures figures;
};

enum { MAX_PLAN_WINDOWS = 100000 }; // of a plan, except for numbered steps

struct step_finder {
    const struct profile *profile;
    struct arena *arena; // temporary, until the candidates are made
    struct launch_index launches;
    const uint32_t *launch_calls_before; // step_idle.h
    struct step_families families;
    size_t count, capacity;
    struct step_plan *plans;
};

void step_finder_open(struct step_finder *finder, const struct profile *profile,
                      struct arena *scratch);

// Fills the plans, with `with_gpu` also plans by GPU work (replays, sequences, bursts, slices),
// which are no steps of a program. Returns the plan that split_find() uses, or NULL. Plans by GPU
// work are never chosen.
const struct step_plan *step_plans_find(struct step_finder *finder, bool with_gpu);

// ---- ranking (step_rank.c) ---------------------------------------------------------------------

// Returns the plan to use by default. `best_steps` is the name of the best family of numbered
// steps, NULL when there is none.
const struct step_plan *step_plan_choose(const struct step_finder *finder, const char *best_steps);
uint32_t *step_plans_order(const struct step_finder *finder, const struct step_plan *chosen,
                           struct arena *arena);

// ---- windows and their figures -----------------------------------------------------------------

// Returns the number of micro-steps in each window of a process, over which gradients accumulate:
// ranges named so, or forwards that are each followed by a backward. *text is set to their name.
// Returns 0 if it is unknown or differs between windows. The windows must be sorted; empty ones are
// ignored.
uint32_t step_inner_find(const struct step_families *families, uint32_t process,
                         const int64_t *start, const int64_t *stop, uint32_t count,
                         const char **text, struct arena *scratch);

// Computes the figures of a plan's windows in O(n log n).
void step_figures_fill(struct step_finder *finder, struct step_plan *plan);

// Returns the turns of a family as windows: the extents of its ranges, of which those that launch
// nothing are left out if they are most. *launches: by the own threads of at least 80% of them.
struct split_marks family_marks(struct step_finder *finder, const struct step_family *family,
                                bool *launches);

// ---- sources; each adds its plans with their figures -------------------------------------------

void step_marked_add(struct step_finder *finder);
void step_host_add(struct step_finder *finder); // of a file without GPU work

// Finds the loop with a turn for each range of the family; false when there is none.
bool step_loop_plan(struct step_finder *finder, const struct step_family *anchor,
                    struct step_plan *plan);

// Finds the windows between two stops of a key op, per process; false when there are none.
bool step_each_plan(struct step_finder *finder, const char *key, struct step_plan *plan);

void step_replays_add(struct step_finder *finder);
void step_sequences_add(struct step_finder *finder);
void step_bursts_add(struct step_finder *finder);
// `slice_ns` 0 chooses a round length that gives some dozens of slices.
void step_slices_add(struct step_finder *finder, int64_t slice_ns);

struct step_plan *step_plan_add(struct step_finder *finder);

#endif
