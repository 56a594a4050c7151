// SPDX-License-Identifier: Apache-2.0
// Detects conversions of tensors between NCHW and NHWC around convolutions.

#include "analysis/detect/detect_tools.h"
#include "analysis/detect/finding.h"
#include "analysis/detect/step.h"
#include "analysis/report/names.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(layout_conversion);

static bool is_conversion(const struct profile *profile, const struct function *function)
{
    static const char *const words[] = {"nchwToNhwc", "nhwcToNchw", "convertTensor_kernel",
                                        "nchwAddPadding", NULL};
    return function->kind == WORK_KERNEL && function->class == CLASS_COMPUTE &&
           text_has_any(profile_text(profile, function->full), words);
}

enum { SUM_TIME = SUM_OWN, SUM_KERNELS };

static void layout_conversion_scan(struct scan *scan)
{
    const struct step_line *line = scan->line;
    const struct profile *profile = line->profile;
    const bool *is_conversion_function = detect_functions(line, is_conversion);
    uint32_t previous_work = ROW_NONE;
    for (size_t s = 0; is_conversion_function && s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        if (interval->work == ROW_NONE ||
            !is_conversion_function[AT(profile->work.function, interval->work)])
            continue;
        scan_add(scan, SUM_KERNELS, interval->window, interval->work != previous_work);
        previous_work = interval->work;
        scan_slow(scan, SUM_TIME, interval, 0);
    }
}

static void layout_conversion(struct step *step, const struct scan *scan,
                              struct finding_list *findings)
{
    int64_t kernels = step_sum(step, scan, SUM_KERNELS);
    int64_t gain = grants_measure(&step->grants);
    // A single conversion at the input is expected.
    bool recurs =
        !step->has_steps ||
        (double)kernels >= expert_threshold("layout_conversion.calls") * step->window_count;
    bool is_reported =
        recurs && step_share(step, gain) > expert_threshold("layout_conversion.share");
    struct finding *finding = step_take_finding(step, findings, &detect_layout_conversion,
                                                is_reported, gain, CERTAINTY_CERTAIN);
    if (!finding)
        return;
    finding->place = step_node_text(step, step_place(step, scan));
    finding->problem = arena_format(
        step->arena, "Tensors are turned between NCHW and NHWC: %lld kernels, %s %s",
        (long long)step_mean_ns(step, kernels), step_duration(step, gain), step_unit(step));
    finding->recommendation =
        "Keep the model and its input in channels_last (model.to(memory_format="
        "torch.channels_last)), and look for ops in between that have no such kernel";
    finding->why = "Tensor Cores want NHWC: cuDNN turns what comes in NCHW, and its results back. "
                   "The bound is their time in which nothing else keeps the GPU busy";
    finding->opens = "kernels";
    finding->filter = "nchwToNhwc|nhwcToNchw|convertTensor|nchwAddPadding";
}

const struct detector detect_layout_conversion = {
    .id = "layout_conversion",
    .title = "layout conversions",
    .doc = "Kernels that turn tensors between NCHW and NHWC, at least layout_conversion.calls of a "
           "step, take more than layout_conversion.share of it. Bound: their exclusive time.",
    .needs_no_times = true,
    .scan = layout_conversion_scan,
    .judge = layout_conversion,
};
