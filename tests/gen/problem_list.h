// SPDX-License-Identifier: Apache-2.0
//
// The list of all problems; each is implemented in a problem_x.c. A new problem is a new line
// here.
#ifndef DLPROF_GEN_PROBLEM_LIST_H
#define DLPROF_GEN_PROBLEM_LIST_H

// clang-format off
#define PROBLEM_LIST(X) \
    X(loader) \
    X(item) \
    X(fp32head) \
    X(allreduce) \
    X(straggler) \
    X(optimizer) \
    X(warmup) \
    X(latebatch) \
    X(smallkernels) \
    X(layersync) \
    X(lateworker) \
    X(steplog) \
    X(allocator) \
    X(recompile) \
    X(graphbreaks) \
    X(overhead) \
    X(pageable) \
    X(upload) \
    X(offload) \
    X(latehost) \
    X(pipeline) \
    X(noautocast) \
    X(oddshape) \
    X(layout) \
    X(tinygrid) \
    X(slowloss) \
    X(tilewaste)
// clang-format on

#define PROBLEM_ID(name) PROBLEM_##name,
typedef enum { PROBLEM_LIST(PROBLEM_ID) PROBLEM_COUNT } ProblemId;
#define PLANT(name) (1ULL << PROBLEM_##name) // bit in Scenario.plants

// State of a problem in a run.
typedef enum {
    PLANTED_NOT,
    PLANTED,       // --problem=NAME
    PLANTED_TWIN,  // --problem=NAME:twin, a healthy program that looks alike
    PLANTED_IDEAL, // --problem=NAME:ideal, the same work at the speed that the hardware allows
    PLANTED_COUNT
} Planted;

#endif
