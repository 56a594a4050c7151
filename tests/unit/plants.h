// SPDX-License-Identifier: Apache-2.0
// The suite of planted problems: compares the cost of each in the simulator with the findings of
// the expert.
//
// A problem is planted into the generator's healthy training (tests/gen/problems.h). Its cost is
// the step with it minus the step of the same seed without it. The expert must name it first, with
// a bound that covers this cost, and report nothing for its harmless twin.
#ifndef TEST_PLANTS_H
#define TEST_PLANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLANTS_MAX = 64, PLANT_ARGUMENTS = 400 };

struct plant { // one line of `dlprof-gen --problems`
    char name[32], detector[48];
    char loose[48]; // another detector that may report it if no steps are found
    char twin[80];  // description of the twin; "" if there is none
    char base[80];  // generator options of all its runs
    bool has_ideal, against_twin, no_graph;
    char description[120];
};

// How the same problem is captured.
enum plant_condition {
    PLANT_AS_IS,
    PLANT_NO_RANGES, // without NVTX
    PLANT_GRAPHS,    // forward and backward in a CUDA graph, traced node by node
    PLANT_RANKS,     // four processes with one GPU each
    PLANT_CONDITIONS
};
extern const char *const plant_conditions[PLANT_CONDITIONS];

enum plant_verdict {
    PLANT_FOUND,      // reported first, with a correct bound
    PLANT_NOT_JUDGED, // its detector reports what data is missing
    PLANT_HARMLESS,   // costs less here than a finding requires, and is not reported
    PLANT_IMPOSSIBLE, // cannot be captured this way
    PLANT_WRONG
};
extern const char *const plant_verdicts[];

struct plant_result {
    enum plant_verdict verdict;
    double step_ms, cost_ms,
        bound_ms;    // of one step with the problem; bound_ms is 0 without a finding
    double late_ms;  // cost of one step in the second half
    uint32_t rank;   // rank of the GPU that the findings are about
    char wrong[600]; // reason and the expert's findings
};

// Lists all problems that have a detector; returns 0 without a generator (DLPROF_GEN).
size_t plants_list(struct plant *plants);
struct plant_result plant_judge(const struct plant *plant, enum plant_condition condition,
                                unsigned seed);
// Returns true if no finding is more than a note; otherwise fills `message`. `arguments` are
// scenario and options.
bool plant_is_silent(const char *arguments, char *message, size_t size);
bool plant_twin_is_silent(const struct plant *plant, unsigned seed, char *message, size_t size);

// Plants three problems "a b c" at once; returns true if they are found in the order of their
// costs.
bool plant_mixture(const struct plant *plants, size_t count, const char *names, unsigned seed,
                   char *message, size_t size);
extern const char *const plant_mixtures[];
extern const size_t plant_mixture_count;
extern const char *const plant_healthy[];
extern const size_t plant_healthy_count;

#endif
