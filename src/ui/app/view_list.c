// SPDX-License-Identifier: Apache-2.0
// The list of views. To add a view, add a line.
#include "analysis/reports/report_list.h"
#include "ui/actions/table_view.h"
#include "ui/app/lists.h"
#include "ui/state/view.h"
#include "ui/state/view_classes.h"
#include "ui/views/panel.h"

// In the order of Tab. Views after `trust` have no digit and open with `:view NAME`.
// clang-format off
#define VIEW_LIST(X) \
    X(summary) \
    X(tree) \
    X(kernels) \
    X(iterations) \
    X(expert) \
    X(timeline) \
    X(devices) \
    X(memory) \
    X(api) \
    X(trust) \
    X(flame) \
    X(flat_ops) \
    X(kernels_by_op) \
    X(shapes) \
    X(operator_kernels) \
    X(operators) \
    X(operator_shapes) \
    X(operator_stacks) \
    X(modules) \
    X(pyprof) \
    X(roofline) \
    X(roofline_kernels) \
    X(roofline_ops) \
    X(roofline_types) \
    X(roofline_plot) \
    X(mfu) \
    X(overview) \
    X(gpu_summary) \
    X(streams) \
    X(distributed) \
    X(collective_ops) \
    X(allocations) \
    X(gpu_memory) \
    X(op_memory) \
    X(memory_plot) \
    X(memory_events) \
    X(ranges) \
    X(steps) \
    X(source) \
    X(tensor) \
    X(tensor_ops) \
    X(op_types) \
    X(groups) \
    X(step_kernels) \
    X(step_ops) \
    X(findings) \
    X(help)
// clang-format on

#define VIEW_DECLARE(name) extern const struct view_class view_##name;
VIEW_LIST(VIEW_DECLARE)

#define VIEW_ENTRY(name) &view_##name,
static const struct view_class *const list[] = {VIEW_LIST(VIEW_ENTRY)};

bool view_list_use(struct error *error)
{
    static const struct view_class plain = {TABLE_VIEW};
    return view_classes_use(list, sizeof list / sizeof *list, &plain, reports, report_count, error);
}

bool lists_use(struct error *error)
{
    action_list_use();
    return view_list_use(error);
}
