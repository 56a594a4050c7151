// SPDX-License-Identifier: Apache-2.0
// The list of reports; each is defined in report_x.c. To add one: a line here.
#include "analysis/reports/report_list.h"

#include <string.h>

// clang-format off
#define REPORT_LIST(X) \
    /* DLProf's eight, in DLProf's order */ \
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

#define REPORT_LINE(name) REPORT_DECLARE(name);
REPORT_LIST(REPORT_LINE)
#define REPORT_ENTRY(name) &report_##name,
const struct report *const reports[] = {REPORT_LIST(REPORT_ENTRY)};
const size_t report_count = sizeof reports / sizeof *reports;

const struct report *report_find(const char *name)
{
    for (size_t i = 0; i < report_count; i++)
        if (strcmp(reports[i]->name, name) == 0)
            return reports[i];
    return NULL;
}
