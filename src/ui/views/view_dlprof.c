// SPDX-License-Identifier: Apache-2.0
// The pages of the DLProf Viewer that have no view of their own here.
#include "ui/actions/table_view.h"
#include "ui/host.h"
#include "ui/state/scope.h"
#include "ui/state/view.h"

const struct view_class view_op_types = {
    .name = "op_type",
    .title = "Op types",
    .report = "op_type",
    TABLE_VIEW,
    .doc = "DLProf's Op Type Summary: ops of each type together",
    .begins_split = true,
};
const struct view_class view_groups = {
    .name = "group_node",
    .title = "Groups of ops",
    .report = "group_node",
    TREE_VIEW,
    .doc = "DLProf's Group Ops: the tree by the names of ops",
    .flip = "detail",
    .flip_label = "Ops",
};

static uint32_t step_of(const struct view *view, const void *row)
{
    uint64_t id = view->report->id(row);
    return id < host_scope(view->app)->split->count ? (uint32_t)id : ROW_NONE;
}

static void narrow_to_step(struct view *view, const void *row, struct selection *selection)
{
    uint32_t count = host_scope(view->app)->split->count, step = step_of(view, row);
    bool *members = ARENA_ARRAY(host_canvas(view->app)->frame, bool, (size_t)count + 1);
    if (step != ROW_NONE)
        members[step] = true;
    // Lives until the next frame, which is long enough to open a view.
    selection->iterations = members;
}

static const char *opens_launches(struct view *view, const void *row, struct selection *selection)
{
    narrow_to_step(view, row, selection);
    return "launches";
}

static const char *opens_ops(struct view *view, const void *row, struct selection *selection)
{
    narrow_to_step(view, row, selection);
    return "detail";
}

const struct view_class view_step_kernels = {
    .name = "step_kernels",
    .title = "Kernels by iteration",
    .report = "iterations",
    TABLE_VIEW,
    .doc = "DLProf's Kernels by Iteration: the launches of each",
    .opens = opens_launches,
    .begins_split = true,
    .flip = "step_ops",
    .flip_label = "By op",
};
const struct view_class view_step_ops = {
    .name = "step_ops",
    .title = "Ops by iteration",
    .report = "iterations",
    TABLE_VIEW,
    .doc = "DLProf's Kernels by Op: the ops of each iteration, and their kernels",
    .opens = opens_ops,
    .begins_split = true,
    .flip = "step_kernels",
    .flip_label = "Kernels",
};

const struct view_class view_tensor = {
    .name = "tensor",
    .title = "Tensor Cores",
    .report = "tensor_cores",
    TABLE_VIEW,
    .doc = "which ops could use Tensor Cores and do not, what they cost, and why",
    .flip = "tensor_ops",
    .flip_label = "DLProf's",
};
const struct view_class view_tensor_ops = {
    .name = "tensor_ops",
    .title = "Tensor Core ops",
    .report = "tensor",
    TABLE_VIEW,
    .doc = "DLProf's Tensor Core report: ops that could use them, by short kernel names",
    .flip = "tensor",
    .flip_label = "Why",
};
