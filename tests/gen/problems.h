// SPDX-License-Identifier: Apache-2.0
//
// A problem is what can be planted into a program: which detector must find it, a healthy twin
// that looks alike, and what it does at the moments of a run. A hook that a problem does not need
// stays NULL. Hooks take how the problem is planted, never PLANTED_NOT.
//
// Chance: a hook that spends host time or launches calls rank_seed() with a purpose of its own
// before (PURPOSE_PROBLEM), so that what is not planted here has the same times with and without.
#ifndef DLPROF_GEN_PROBLEMS_H
#define DLPROF_GEN_PROBLEMS_H

#include "recipe.h"

#include <stddef.h>

// Of rank_seed() and rng_seeded(); none is used twice.
enum { PURPOSE_LOADER = 1, PURPOSE_OP, PURPOSE_OPTIMIZER, PURPOSE_HOST, PURPOSE_READ };
#define PURPOSE_PROBLEM(name) (1000 + PROBLEM_##name)

typedef struct { // how the batch of the next step comes
    int64_t wait_ns;
    int64_t late_ns; // of it or beyond: one slow read
} BatchWait;

typedef struct {
    const char *name;
    const char *description;
    const char *detector; // the id that must find it, NULL: variety, no problem
    const char *loose;    // another that may do so where no steps are found, NULL: none
    const char *twin;     // what its twin is, NULL: it has none
    const char *base;     // options for the run without it too, "--processes=4"; NULL: none
    // What is asked of the bound and of the conditions.
    bool has_ideal;    // found against a roofline: its bound may reach what :ideal gains
    bool against_twin; // its cost is against the twin, not against the healthy program
    bool no_graph;     // cannot be inside of a captured graph

    // Before anything is made.
    void (*configure)(Scenario *scenario, Options *options, Planted how);
    void (*recipe)(World *world, Planted how); // changes world->recipe
    void (*rank)(Rank *rank, Planted how);     // changes the rank, before it runs
    void (*start)(Rank *rank, Planted how);    // before the first step

    // Moments of a step, on the main thread unless they say otherwise.
    void (*step_begin)(Rank *rank, Planted how);                 // before the batch is copied
    void (*forward_begin)(Rank *rank, Planted how);              // after it is
    void (*op)(Rank *rank, Thread *thread, int op, Planted how); // before its launches, both ways
    void (*op_end)(Rank *rank, Thread *thread, int op, Planted how);
    void (*backward_end)(Rank *rank, Planted how);
    void (*optimizer_end)(Rank *rank, Planted how);
    void (*batch)(Rank *rank, BatchWait *wait, Planted how); // of the next step
    void (*step_end)(Rank *rank, Planted how);               // the last inside of the step's range
    void (*between)(Rank *rank, Planted how);                // outside of all steps

    // In place of what the program does; false: it shall do it.
    bool (*batch_copy)(Rank *rank, Planted how);
    bool (*pass)(Rank *rank, Planted how); // forward and backward
    bool (*optimizer)(Rank *rank, Planted how);
} Problem;

extern const Problem *const problems[PROBLEM_COUNT];

// "item" or "item:twin"; false: there is none of that name, or it has none of that kind.
bool problem_parse(const char *text, ProblemId *problem, Planted *how);
extern const char *const planted_names[PLANTED_COUNT]; // "", "", ":twin", ":ideal"

// Calls a hook of all that is planted: PROBLEMS_CALL(rank->world, step_begin, rank).
#define PROBLEMS_CALL(world, hook, ...)                                                         \
    do {                                                                                        \
        for (int problem_ = 0; problem_ < PROBLEM_COUNT; problem_++)                            \
            if ((world)->options.problems[problem_] != PLANTED_NOT && problems[problem_]->hook) \
                problems[problem_]->hook(__VA_ARGS__, (world)->options.problems[problem_]);     \
    } while (0)

// The same for hooks that say whether they did what the program would have done.
#define PROBLEMS_REPLACE(is_done, world, hook, ...)                                             \
    do {                                                                                        \
        for (int problem_ = 0; problem_ < PROBLEM_COUNT && !(is_done); problem_++)              \
            if ((world)->options.problems[problem_] != PLANTED_NOT && problems[problem_]->hook) \
                (is_done) =                                                                     \
                    problems[problem_]->hook(__VA_ARGS__, (world)->options.problems[problem_]); \
    } while (0)

#endif
