// SPDX-License-Identifier: Apache-2.0
//
// A problem that can be planted into a program: the detector that must find it, a healthy twin
// that looks alike, and hooks for the moments of a run. Unused hooks are NULL. Hooks receive the
// variant planted, never PLANTED_NOT.
//
// A hook that spends host time or launches work must first call rank_seed() with a purpose of its
// own (PURPOSE_PROBLEM), so that the rest of the program has the same times with and without the
// problem.
#ifndef DLPROF_GEN_PROBLEMS_H
#define DLPROF_GEN_PROBLEMS_H

#include "recipe.h"

#include <stddef.h>

// Purposes of rank_seed() and rng_seeded(); each is used once.
enum { PURPOSE_LOADER = 1, PURPOSE_OP, PURPOSE_OPTIMIZER, PURPOSE_HOST, PURPOSE_READ };
#define PURPOSE_PROBLEM(name) (1000 + PROBLEM_##name)

typedef struct { // arrival of the batch of the next step
    int64_t wait_ns;
    int64_t late_ns; // part of wait_ns or beyond it: one slow read
} BatchWait;

typedef struct {
    const char *name;
    const char *description;
    const char *detector; // id of the detector that must find it; NULL: a variation, no problem
    const char *loose;    // another detector that may find it where no steps are found; NULL: none
    const char *twin;     // description of the twin; NULL: none
    const char *base;     // options for the run without it, too: "--processes=4"; NULL: none
    // Requirements on bound and conditions.
    bool has_ideal;    // compared with a roofline: the bound may reach the gain of :ideal
    bool against_twin; // its cost is measured against the twin, not the healthy program
    bool no_graph;     // cannot be inside of a captured graph

    // Setup.
    void (*configure)(Scenario *scenario, Options *options, Planted how);
    void (*recipe)(World *world, Planted how); // changes world->recipe
    void (*rank)(Rank *rank, Planted how);     // changes a rank before it runs
    void (*start)(Rank *rank, Planted how);    // before the first step

    // Moments of a step, on the main thread unless noted.
    void (*step_begin)(Rank *rank, Planted how);    // before the batch is copied
    void (*forward_begin)(Rank *rank, Planted how); // after the batch is copied
    // Before the launches of an op, forward and backward.
    void (*op)(Rank *rank, Thread *thread, int op, Planted how);
    void (*op_end)(Rank *rank, Thread *thread, int op, Planted how);
    void (*backward_end)(Rank *rank, Planted how);
    void (*optimizer_end)(Rank *rank, Planted how);
    void (*batch)(Rank *rank, BatchWait *wait, Planted how); // batch of the next step
    void (*step_end)(Rank *rank, Planted how);               // at the end of the step's range
    void (*between)(Rank *rank, Planted how);                // outside of all steps

    // Replacements of program parts; return false to run the program's own.
    bool (*batch_copy)(Rank *rank, Planted how);
    bool (*pass)(Rank *rank, Planted how); // forward and backward
    bool (*optimizer)(Rank *rank, Planted how);
} Problem;

extern const Problem *const problems[PROBLEM_COUNT];

// Parses "item" or "item:twin"; returns false for an unknown problem or variant.
bool problem_parse(const char *text, ProblemId *problem, Planted *how);
extern const char *const planted_names[PLANTED_COUNT]; // "", "", ":twin", ":ideal"

// Calls a hook of all planted problems: PROBLEMS_CALL(rank->world, step_begin, rank).
#define PROBLEMS_CALL(world, hook, ...)                                                         \
    do {                                                                                        \
        for (int problem_ = 0; problem_ < PROBLEM_COUNT; problem_++)                            \
            if ((world)->options.problems[problem_] != PLANTED_NOT && problems[problem_]->hook) \
                problems[problem_]->hook(__VA_ARGS__, (world)->options.problems[problem_]);     \
    } while (0)

// Calls hooks that return whether they replaced a program part.
#define PROBLEMS_REPLACE(is_done, world, hook, ...)                                             \
    do {                                                                                        \
        for (int problem_ = 0; problem_ < PROBLEM_COUNT && !(is_done); problem_++)              \
            if ((world)->options.problems[problem_] != PLANTED_NOT && problems[problem_]->hook) \
                (is_done) =                                                                     \
                    problems[problem_]->hook(__VA_ARGS__, (world)->options.problems[problem_]); \
    } while (0)

#endif
