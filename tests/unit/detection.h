// SPDX-License-Identifier: Apache-2.0
// Runs the detectors on a hand-made profile whose steps are numbered from 0.
#ifndef TESTS_DETECTION_H
#define TESTS_DETECTION_H

#include "analysis/detectors/expert.h"
#include "analysis/report/report.h"
#include "profile_builder.h"

enum { MS = 1000000, STEPS = 6, COMPUTE = 7, COMM = 8 }; // ns; number of steps; streams

struct detection {
    struct profile_builder *builder;
    struct arena *arena;
    struct finding_list list;
};

// Builds the profile and runs the detectors: detect_all() over all steps, detect_from() over the
// steps from `first` on. Asserts that the rows of each finding's evidence exist and that the bounds
// together do not exceed the whole.
struct detection detect_all(struct profile_builder *builder);
struct detection detect_from(struct profile_builder *builder, uint32_t first);
void detection_free(struct detection *detection); // frees the builder as well

const struct finding *detection_find(const struct detection *detection, const char *id,
                                     enum severity severity);

// Return the rows that a finding opens, and one cell of such a row by the key of its column.
struct rows detection_evidence(const struct detection *detection, const struct finding *finding);
struct value evidence_value(const struct finding *finding, const struct rows *rows, size_t row,
                            const char *key);

// Adds a kernel on GPU `gpu`, launched well before it starts by that GPU's thread (one process per
// GPU).
void builder_kernel_on(struct profile_builder *builder, uint32_t gpu, uint32_t stream, int64_t from,
                       int64_t to, const char *name);
// Adds the range of a step on that thread.
void builder_step_on(struct profile_builder *builder, uint32_t gpu, int64_t from, int64_t to,
                     int number);

#endif
