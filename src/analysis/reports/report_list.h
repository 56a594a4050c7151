// SPDX-License-Identifier: Apache-2.0
// Every report, in the order of --list=reports; each is one file, report_x.c. To add one: a line.
#ifndef ANALYSIS_REPORT_LIST_H
#define ANALYSIS_REPORT_LIST_H

#include "analysis/report/report.h"

extern const struct report *const reports[];
extern const size_t report_count;
const struct report *report_find(const char *name); // NULL: none

// clang-format off
#define REPORT_LIST(X) \
    /* DLProf's eight come first, in DLProf's order */ \
    X(summary) \
    X(detail) \
    X(iteration) \
    X(kernel) \
    X(tensor) \
    X(op_type) \
    X(group_node) \
    X(expert_systems) \
    X(ops) \
    X(outline) \
    X(layers) \
    X(costs) \
    X(kernels) \
    X(shapes) \
    X(kernel_ops) \
    X(operators) \
    X(operator_shapes) \
    X(operator_stacks) \
    X(operator_kernels) \
    X(modules) \
    X(launches) \
    X(launch_times) \
    X(queue_lengths) \
    X(kernel_sequences) \
    X(pyprof) \
    X(roofline) \
    X(roofline_kernels) \
    X(roofline_ops) \
    X(roofline_types) \
    X(mfu) \
    X(ranges) \
    X(iterations) \
    X(candidates) \
    X(difference) \
    X(breakdown) \
    X(overview) \
    X(gpu_summary) \
    X(work_kinds) \
    X(source) \
    X(tensor_cores) \
    X(idle) \
    X(idle_gaps) \
    X(memory) \
    X(allocations) \
    X(gpu_memory) \
    X(allocation_events) \
    X(op_memory) \
    X(memory_peaks) \
    X(memory_curve) \
    X(memory_events) \
    X(api) \
    X(api_threads) \
    X(calls) \
    X(devices) \
    X(streams) \
    X(distributed) \
    X(collective_ops) \
    X(ranks) \
    X(rank_times) \
    X(expert) \
    X(trust) \
    X(page)
// clang-format on

#define REPORT_DECLARE(name) extern const struct report report_##name;
REPORT_LIST(REPORT_DECLARE)

// Of comparisons only, instead of others (report.stand_in).
#define STAND_IN_LIST(X) \
    X(range_names)       \
    X(set_steps)         \
    X(overview_steps)    \
    X(memory_kinds)
STAND_IN_LIST(REPORT_DECLARE)

#endif
