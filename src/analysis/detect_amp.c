// SPDX-License-Identifier: Apache-2.0
// DLProf's detector, whose rule and texts are known word for word: mixed precision.
#include "analysis/detect_list.h"
#include "analysis/detect_tools.h"

// bfloat16 and the 8-bit types silence the advice as well: they are what AMP would give.
static bool is_reduced(const char *type)
{
    return detect_type_is_16_bit(type) || detect_text_has(type, "float8") ||
           detect_text_has(type, "fp8");
}

static void amp(const struct profile *profile, const struct selection *selection,
                struct finding_list *findings)
{
    const struct op_metrics_list *list = detect_ops(profile, selection, findings);
    int64_t eligible = 0, typed = 0, reduced = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct op *op = &profile->ops->items[list->items[i].op];
        if (op->tensor_core_eligible != STATE_YES)
            continue;
        const char *type = profile_text(profile, op->data_type);
        eligible++;
        typed += *type != '\0';
        reduced += is_reduced(type);
    }
    if (eligible == 0 || reduced)
        return;
    if (typed == 0) {
        struct finding *finding = finding_add(findings, &detect_amp, SEVERITY_NOT_JUDGED);
        finding->problem = "The data types of the ops that could use Tensor Cores are not told";
        finding->recommendation = "Capture with markers that tell data types, such as those of "
                                  "nvidia_dlprof_pytorch_nvtx; --gpu-metrics-devices shows the "
                                  "use of the Tensor pipe instead";
        finding->flag = "--gpu-metrics-devices=cuda-visible";
        return;
    }
    struct finding *finding = finding_add(findings, &detect_amp, SEVERITY_WARNING);
    finding->problem =
        eligible == 1
            ? "1 op was eligible to use tensor cores but none are using FP16"
            : arena_format(findings->arena,
                           "%lld ops were eligible to use tensor cores but none are using FP16",
                           (long long)eligible);
    finding->recommendation = "Try enabling AMP (Automatic Mixed Precision). For more "
                              "information: https://developer.nvidia.com/automatic-mixed-precision";
    finding->why = arena_format(findings->arena,
                                "Of %u ops %lld could use Tensor Cores; no tensor of theirs has a "
                                "16-bit or 8-bit floating-point type",
                                list->count, (long long)eligible);
    finding->opens = "tensor";
}

const struct detector detect_amp = {
    .id = "amp_detector",
    .title = "no mixed precision",
    .doc = "Some op could use Tensor Cores and none has a float16 (here also: bfloat16 or float8) "
           "data type.",
    .is_dlprof = true,
    .detect = amp,
};
