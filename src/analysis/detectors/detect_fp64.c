// SPDX-License-Identifier: Apache-2.0
// Detects kernels that compute in double precision, which is rarely intended in deep learning.
#include "analysis/detect/detect_tools.h"
#include "analysis/detect/finding.h"
#include "analysis/detect/step.h"
#include "analysis/report/names.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(fp64);

// Goes by the operand type. A double among the arguments proves nothing: fused optimizers pass
// their rates as double, and copies move two floats as one.
static bool is_fp64(const struct profile *profile, const struct function *function)
{
    static const char *const words[] = {
        "dgemm",           "d884gemm",       "f64f64",
        "{lambda(double",  "Functor<double", "CUDAFunctor_add<double",
        "ReduceOp<double", "dgemv",          NULL};
    return function->kind == WORK_KERNEL && function->class == CLASS_COMPUTE &&
           text_has_any(profile_text(profile, function->full), words);
}

enum { SUM_FP64 = SUM_OWN };

static void fp64_scan(struct scan *scan)
{
    const struct step_line *line = scan->line;
    const struct profile *profile = line->profile;
    const bool *is_one = detect_functions(line, is_fp64);
    for (size_t s = 0; is_one && s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        if (interval->work == ROW_NONE || !is_one[AT(profile->work.function, interval->work)])
            continue;
        int64_t length = interval->to - interval->from;
        scan_add(scan, SUM_FP64, interval->window, length);
        scan_function(scan, interval->window, interval->work, length);
        scan_layer(scan, interval->window, interval->work, length);
    }
}

static void fp64(struct step *step, const struct scan *scan, struct finding_list *findings)
{
    int64_t ns = step_sum(step, scan, SUM_FP64);
    if (step_share(step, ns) <= expert_threshold("fp64.share"))
        return;
    struct gpu_peaks gpu = device_peaks(step->profile, step->device);
    struct leader leader = step_leader(step, scan);
    struct finding *finding = step_note(step, findings, &detect_fp64);
    uint32_t node = step_place(step, scan);
    finding->place = step_node_text(step, node);
    finding->problem =
        arena_format(step->arena, "Kernels compute in double precision (FP64): %s %s, %.1f%%",
                     step_duration(step, ns), step_unit(step), 100 * step_share(step, ns));
    finding->recommendation =
        "Where FP64 is not meant, look for tensors made from NumPy arrays or Python floats without "
        "dtype=torch.float32, and for torch.set_default_dtype";
    const char *peaks =
        gpu.fp64 > 0 && gpu.fp32 > 0
            ? arena_format(step->arena, "; the card's peaks are %.4g TFLOP/s in FP64, %.4g in FP32",
                           gpu.fp64, gpu.fp32)
            : "";
    finding->why = arena_format(step->arena, "Most of it: %s%s", leader_name(step, &leader), peaks);
    finding->opens = "kernels";
    if (leader.count == 1)
        finding->evidence.function = leader.best;
    else
        finding_set_layer_evidence(finding, node);
    finding->filter = "double|dgem|d884gemm|f64f64 class:compute";
}

const struct detector detect_fp64 = {
    .id = "fp64",
    .title = "kernels in double precision",
    .doc = "Kernels that are FP64 by the type of their operands in the name take more than "
           "fp64.share of the step. A double among the arguments says nothing. A note: whether it "
           "is meant, and what another type would gain, is not known.",
    .needs_no_times = true,
    .scan = fp64_scan,
    .judge = fp64,
};
