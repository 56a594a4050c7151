// SPDX-License-Identifier: Apache-2.0
// What detectors say of a profile made by hand, of steps numbered from 0.
#ifndef TESTS_DETECT_LOOK_H
#define TESTS_DETECT_LOOK_H

#include "analysis/detect/expert.h"
#include "analysis/report/report.h"
#include "profile_builder.h"

enum { MS = 1000000, STEPS = 6, COMPUTE = 7, COMM = 8 }; // ns; how many; streams

struct look {
    struct profile_builder *builder;
    struct arena *arena;
    struct finding_list list;
};

// Builds and judges; that proofs are there and bounds no more than all is asserted. Of all steps, or
// of those from `first` on.
struct look look_at(struct profile_builder *builder);
struct look look_from(struct profile_builder *builder, uint32_t first);
void look_end(struct look *look); // releases the builder too

const struct finding *look_find(const struct look *look, const char *id, enum severity severity);

// The rows that a finding opens, and a figure of one of them by the column's key.
struct rows look_proof(const struct look *look, const struct finding *finding);
struct value look_value(const struct finding *finding, const struct rows *rows, size_t row,
                        const char *key);

// A kernel on GPU `gpu`, launched by its thread (one process each) well before.
void look_kernel(struct profile_builder *builder, uint32_t gpu, uint32_t stream, int64_t from,
                 int64_t to, const char *name);
// The range of a step on that thread.
void look_step(struct profile_builder *builder, uint32_t gpu, int64_t from, int64_t to, int number);

#endif
