// SPDX-License-Identifier: Apache-2.0
// The suite of planted problems: what each costs by the simulator, and what the expert says of it.
//
// A problem is planted into the generator's healthy training (tests/gen/problems.h). What it costs
// is the step with it less the step of the same seed without it. The expert must name it first,
// with a bound that holds this cost, and be silent about its twin.
#ifndef TEST_PLANTS_H
#define TEST_PLANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLANTS_MAX = 64, PLANT_ARGUMENTS = 400 };

struct plant { // as dlprof-gen --problems lists it
    char name[32], detector[48];
    char loose[48]; // what may be said instead where no steps are found
    char twin[80];  // what it is, "": none
    char base[80];  // options of the generator for all of its runs
    bool has_ideal, against_twin, no_graph;
    char description[120];
};

// How the same problem is captured.
enum plant_condition {
    PLANT_AS_IS,
    PLANT_NO_RANGES, // no NVTX
    PLANT_GRAPHS,    // forward and backward in a CUDA graph, traced node by node
    PLANT_RANKS,     // four processes with a GPU each
    PLANT_CONDITIONS
};
extern const char *const plant_conditions[PLANT_CONDITIONS];

enum plant_verdict {
    PLANT_FOUND,      // first, with a bound that holds
    PLANT_NOT_JUDGED, // its detector says what it lacks
    PLANT_HARMLESS,   // it costs less here than a finding is worth, and none is made
    PLANT_IMPOSSIBLE, // cannot be captured so
    PLANT_WRONG
};
extern const char *const plant_verdicts[];

struct plant_result {
    enum plant_verdict verdict;
    double step_ms, cost_ms, bound_ms; // of a step with the problem; bound: 0 when none
    double late_ms;                    // what it costs of a step of the second half
    uint32_t rank;                     // whose: the one that the findings look at
    char wrong[600];                   // why, and what the expert said
};

// All with a detector; 0: no generator is at hand (DLPROF_GEN).
size_t plants_list(struct plant *plants);
struct plant_result plant_judge(const struct plant *plant, enum plant_condition condition,
                                unsigned seed);
// Whether nothing is said above a note; else `said`. `arguments`: scenario and options.
bool plant_is_silent(const char *arguments, char *said, size_t size);
bool plant_twin_is_silent(const struct plant *plant, unsigned seed, char *said, size_t size);

// Three problems at once, "a b c": whether they are found in the order of what each costs.
bool plant_mixture(const struct plant *plants, size_t count, const char *names, unsigned seed,
                   char *said, size_t size);
extern const char *const plant_mixtures[];
extern const size_t plant_mixture_count;
extern const char *const plant_healthy[];
extern const size_t plant_healthy_count;

#endif
