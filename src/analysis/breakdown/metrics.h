// SPDX-License-Identifier: Apache-2.0
// Means of sampled GPU metrics over windows of a GPU's time.
#ifndef ANALYSIS_BREAKDOWN_METRICS_H
#define ANALYSIS_BREAKDOWN_METRICS_H

#include "analysis/report/selection.h"
#include "analysis/report/value.h"

enum { MIN_METRIC_SAMPLES = 5 }; // fewer samples give no mean

// The figures that reports show; FIGURE_DRAM is reads plus writes.
enum metric_figure { FIGURE_SM, FIGURE_TENSOR, FIGURE_DRAM, FIGURE_CLOCK, FIGURE_COUNT };

struct metric_sums { // all zero: no samples
    double sum[METRIC_COUNT];
    uint64_t samples[METRIC_COUNT];
};

// Adds the samples of a device in [from, to).
void metric_sums_add(struct metric_sums *sums, const struct profile *profile, uint32_t device,
                     int64_t from, int64_t to);
// Adds the samples of an iteration on the GPU's clock; ROW_NONE: of all selected iterations.
void metric_sums_iteration(struct metric_sums *sums, const struct profile *profile,
                           const struct selection *selection, uint32_t device, uint32_t iteration);

// Returns the mean: percentages as shares 0..1, the clock in MHz. No value if there are fewer than
// MIN_METRIC_SAMPLES samples.
struct value metric_figure(const struct metric_sums *sums, enum metric_figure figure);

// The four columns of a report whose rows have such sums. Their accessors get_sm_active,
// get_tensor_active, get_dram_active and get_gpu_clock are defined by METRIC_GETTERS().
#define METRIC_COLUMNS                                                                            \
    {.key = "sm_active",                                                                          \
     .title = "SMs Active (%)",                                                                   \
     .head = "SM act",                                                                            \
     .unit = UNIT_PERCENT,                                                                        \
     .get = get_sm_active,                                                                        \
     .flags = COLUMN_DETAIL,                                                                      \
     .doc = "Sampled GPU metric: multiprocessors with work. No value: not captured, or fewer "    \
            "than five samples."},                                                                \
        {.key = "tensor_active",                                                                  \
         .title = "Tensor Pipe Active (%)",                                                       \
         .head = "tensor",                                                                        \
         .unit = UNIT_PERCENT,                                                                    \
         .get = get_tensor_active,                                                                \
         .flags = COLUMN_DETAIL,                                                                  \
         .doc = "Sampled GPU metric: the Tensor pipe at work, all multiprocessors together."},    \
        {.key = "dram_active",                                                                    \
         .title = "DRAM Bandwidth (%)",                                                           \
         .head = "DRAM",                                                                          \
         .unit = UNIT_PERCENT,                                                                    \
         .get = get_dram_active,                                                                  \
         .flags = COLUMN_DETAIL,                                                                  \
         .doc = "Sampled GPU metric: reading and writing of the GPU's memory against its peak."}, \
    {                                                                                             \
        .key = "gpu_clock", .title = "GPU Clock (MHz)", .head = "GPU MHz", .unit = UNIT_REAL,     \
        .get = get_gpu_clock, .flags = COLUMN_DETAIL,                                             \
        .doc = "Sampled GPU metric: clock of the graphics processing clusters."                   \
    }

#define METRIC_GETTERS(sums_of)                            \
    static struct value get_sm_active(const void *row)     \
    {                                                      \
        return metric_figure(sums_of(row), FIGURE_SM);     \
    }                                                      \
    static struct value get_tensor_active(const void *row) \
    {                                                      \
        return metric_figure(sums_of(row), FIGURE_TENSOR); \
    }                                                      \
    static struct value get_dram_active(const void *row)   \
    {                                                      \
        return metric_figure(sums_of(row), FIGURE_DRAM);   \
    }                                                      \
    static struct value get_gpu_clock(const void *row)     \
    {                                                      \
        return metric_figure(sums_of(row), FIGURE_CLOCK);  \
    }

#endif
