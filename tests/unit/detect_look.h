// SPDX-License-Identifier: Apache-2.0
// Runs the detectors on a hand-made profile whose steps are numbered from 0.
#ifndef TESTS_DETECT_LOOK_H
#define TESTS_DETECT_LOOK_H

#include "analysis/detectors/expert.h"
#include "analysis/report/report.h"
#include "profile_builder.h"

enum { MS = 1000000, STEPS = 6, COMPUTE = 7, COMM = 8 }; // ns; number of steps; streams

struct look {
    struct profile_builder *builder;
    struct arena *arena;
    struct finding_list list;
};

// Builds the profile and runs the detectors. Asserts that the evidence of each finding exists and
// that the bounds together do not exceed the whole. look_at() takes all steps, look_from() those
// from `first` on.
struct look look_at(struct profile_builder *builder);
struct look look_from(struct profile_builder *builder, uint32_t first);
void look_end(struct look *look); // frees the builder as well

const struct finding *look_find(const struct look *look, const char *id, enum severity severity);

// Return the rows that a finding opens, and one cell of such a row by the key of its column.
struct rows look_evidence(const struct look *look, const struct finding *finding);
struct value look_value(const struct finding *finding, const struct rows *rows, size_t row,
                        const char *key);

// Adds a kernel on GPU `gpu`, launched well before it starts by that GPU's thread (one process per
// GPU).
void look_kernel(struct profile_builder *builder, uint32_t gpu, uint32_t stream, int64_t from,
                 int64_t to, const char *name);
// Adds the range of a step on that thread.
void look_step(struct profile_builder *builder, uint32_t gpu, int64_t from, int64_t to, int number);

#endif
