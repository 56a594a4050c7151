// SPDX-License-Identifier: Apache-2.0
// Views that are only the table or tree of a report, with a digit or a face of their own.
#include "ui/views/view_tables.h"

#include "model/profile/recorder.h"
#include "ui/actions/table_view.h"
#include "ui/state/view.h"

const struct view_class view_tree = {
    .name = "tree",
    .title = "Op tree",
    .tab = "Tree",
    .digit = '2',
    .report = "ops",
    TREE_VIEW,
    .doc = "layers, ranges and ops, what each costs",
    .flip = "detail",
    .flip_label = "Flat",
};
const struct view_class view_flat_ops = {
    .name = "detail",
    .title = "Ops",
    .report = "detail",
    TABLE_VIEW,
    .doc = "every op with its kernels' time, as DLProf lists them",
    .flip = "tree",
    .flip_label = "Tree",
    .begins_split = true,
};
const struct view_class view_kernels = {
    .name = "kernels",
    .title = "Kernels",
    .tab = "Kern",
    .digit = '3',
    .report = "kernels",
    TABLE_VIEW,
    .stage = STAGE_WORK,
    .doc = "GPU work by name",
    .flip = "kernel",
    .flip_label = "By op",
};
const struct view_class view_kernels_by_op = {
    .name = "kernel",
    .title = "Kernels by op",
    .report = "kernel",
    TABLE_VIEW,
    .doc = "DLProf's kernel rows: one per op and kernel",
    .flip = "shapes",
    .flip_label = "By shape",
};
const struct view_class view_shapes = {
    .name = "shapes",
    .title = "Kernels by shape",
    .report = "shapes",
    TABLE_VIEW,
    .stage = STAGE_WORK,
    .doc = "kernels by name, grid and block",
    .flip = "operator_kernels",
    .flip_label = "Operators",
};
const struct view_class view_devices = {
    .name = "devices",
    .title = "GPUs",
    .tab = "GPUs",
    .digit = '7',
    .report = "devices",
    TABLE_VIEW,
    .stage = STAGE_WORK,
    .doc = "what each GPU did",
    .flip = "streams",
    .flip_label = "Streams",
};
const struct view_class view_pyprof = {
    .name = "pyprof",
    .title = "Kernels with ops",
    .report = "pyprof",
    TABLE_VIEW,
    .doc = "PyProf's table: each kernel with its op and numbers",
    .flip = "kernels",
    .flip_label = "By name",
};
const struct view_class view_roofline = {
    .name = "roofline",
    .title = "Time above ideal",
    .report = "roofline",
    TABLE_VIEW,
    .doc = "what to optimise: layers by time above ideal",
    .flip = "roofline_kernels",
    .flip_label = "Kernels",
};
const struct view_class view_roofline_kernels = {
    .name = "roofline_kernels",
    .title = "Kernels above ideal",
    .report = "roofline_kernels",
    TABLE_VIEW,
    .doc = "the same by kernel name",
    .flip = "roofline_ops",
    .flip_label = "Ops",
};
const struct view_class view_roofline_ops = {
    .name = "roofline_ops",
    .title = "Ops above ideal",
    .report = "roofline_ops",
    TABLE_VIEW,
    .doc = "the same by op",
    .flip = "roofline_types",
    .flip_label = "Op types",
};
const struct view_class view_roofline_types = {
    .name = "roofline_types",
    .title = "Op types above ideal",
    .report = "roofline_types",
    TABLE_VIEW,
    .doc = "the same by type of op",
    .flip = "roofline_plot",
    .flip_label = "Plot",
};
const struct view_class view_mfu = {
    .name = "mfu",
    .title = "MFU",
    .report = "mfu",
    TABLE_VIEW,
    .doc = "steps by what share of the peak the model needs",
    .flip = "iterations",
    .flip_label = "Bars",
};
const struct view_class view_gpu_summary = {
    .name = "gpu_summary",
    .title = "GPU summary",
    .report = "gpu_summary",
    TABLE_VIEW,
    .doc = "how well each GPU is used in the steps",
    .flip = "overview",
    .flip_label = "Steps",
};
const struct view_class view_distributed = {
    .name = "distributed",
    .title = "Workers",
    .report = "distributed",
    TABLE_VIEW,
    .doc = "what workers compute, and wait for each other",
    .flip = "collective_ops",
    .flip_label = "By operation",
};
const struct view_class view_collective_ops = {
    .name = "collective_ops",
    .title = "Collectives",
    .report = "collective_ops",
    TABLE_VIEW,
    .doc = "collectives by operation and process group",
    .flip = "distributed",
    .flip_label = "Workers",
};
const struct view_class view_streams = {
    .name = "streams",
    .title = "Streams",
    .report = "streams",
    TABLE_VIEW,
    .stage = STAGE_WORK,
    .doc = "what each stream did",
    .flip = "gpu_summary",
    .flip_label = "Use",
};
static bool has_source(const struct profile *profile, bool is_trace)
{
    for (uint32_t s = 0; profile && s < profile->source_count; s++)
        if (source_is_trace(&profile->sources[s]) == is_trace)
            return true;
    return false;
}

// True also for a format that could record allocations: then the view says why there are none.
bool can_have_allocations(const struct profile *profile)
{
    return profile && (profile->has_allocations || has_source(profile, true));
}

static bool records_driver(const struct profile *profile)
{
    return !profile || profile->has_memory_events || has_source(profile, false);
}

static const char *memory_face(const struct profile *profile)
{
    return profile->has_allocations ? "op_memory" : NULL;
}

const struct view_class view_memory = {
    .name = "memory",
    .title = "Memory",
    .tab = "Mem",
    .digit = '8',
    .report = "memory",
    TABLE_VIEW,
    .min_name_percent = 38,
    .stage = STAGE_WORK,
    .doc = "copies and memsets",
    .flip = "op_memory",
    .flip_label = "Ops",
    .face = memory_face,
};
const struct view_class view_op_memory = {
    .name = "op_memory",
    .title = "Memory by op",
    .report = "op_memory",
    TABLE_VIEW,
    .doc = "memory of the framework's allocator, by operator",
    .flip = "memory_plot",
    .flip_label = "Curve",
    .has = can_have_allocations,
};
const struct view_class view_memory_events = {
    .name = "memory_events",
    .title = "Tensors",
    .report = "memory_events",
    TABLE_VIEW,
    .min_name_percent = 38,
    .doc = "allocations of the framework one by one, with what ends them",
    .flip = "allocations",
    .flip_label = "Allocs",
    .has = can_have_allocations,
};
const struct view_class view_allocations = {
    .name = "allocations",
    .title = "Allocations",
    .report = "allocations",
    TABLE_VIEW,
    .doc = "memory that is allocated through the driver, by place",
    .flip = "gpu_memory",
    .flip_label = "Peaks",
    .has = records_driver,
};
const struct view_class view_gpu_memory = {
    .name = "gpu_memory",
    .title = "GPU memory",
    .report = "gpu_memory",
    TABLE_VIEW,
    .doc = "the most memory that is live on each GPU",
    .flip = "memory",
    .flip_label = "Copies",
    .has = records_driver,
};
const struct view_class view_api = {
    .name = "api",
    .title = "CUDA API",
    .tab = "API",
    .digit = '9',
    .report = "api",
    TABLE_VIEW,
    .stage = STAGE_CALLS,
    .doc = "calls of the CUDA API",
    .flip = "ranges",
    .flip_label = "Ranges",
};
const struct view_class view_ranges = {
    .name = "ranges",
    .title = "NVTX ranges",
    .report = "ranges",
    TABLE_VIEW,
    .doc = "ranges by name, projected onto the GPU as nsys does",
    .flip = "api",
    .flip_label = "API",
};
const struct view_class view_operators = {
    .name = "operators",
    .title = "Operators",
    .report = "operators",
    TABLE_VIEW,
    .doc = "operators: time on host and GPU, self and total",
    .flip = "operator_shapes",
    .flip_label = "By shape",
};
const struct view_class view_operator_shapes = {
    .name = "operator_shapes",
    .title = "Operators by shape",
    .report = "operator_shapes",
    TABLE_VIEW,
    .doc = "operators by the sizes of their inputs",
    .flip = "operator_stacks",
    .flip_label = "By stack",
};
const struct view_class view_operator_stacks = {
    .name = "operator_stacks",
    .title = "Operators by stack",
    .report = "operator_stacks",
    TABLE_VIEW,
    .doc = "operators by the call stack that led to them",
    .flip = "operators",
    .flip_label = "By name",
};
const struct view_class view_operator_kernels = {
    .name = "operator_kernels",
    .title = "Kernels by operator",
    .report = "operator_kernels",
    TABLE_VIEW,
    .doc = "kernels by operator, grid and block",
    .flip = "kernels",
    .flip_label = "By name",
};
const struct view_class view_modules = {
    .name = "modules",
    .title = "Modules",
    .report = "modules",
    TREE_VIEW,
    .doc = "modules of the model, as they lie in each other",
    .flip = "operators",
    .flip_label = "Operators",
};
