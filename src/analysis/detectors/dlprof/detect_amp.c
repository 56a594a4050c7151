// SPDX-License-Identifier: Apache-2.0
// DLProf's mixed precision detector. Its rule and texts are known verbatim.
#include "analysis/detect/detect_tools.h"
#include "analysis/detect/finding.h"
#include "analysis/report/names.h"
#include "analysis/sums/op_metrics.h"
#include "model/profile/recorder.h"

DETECTOR_DECLARE(amp);

// True if any run of the op is selected. Cheaper than adding up the op's cost.
static bool is_run(const struct op_scope *scope, const struct op *op)
{
    for (uint32_t i = 0; i < op->instance_count; i++)
        if (op_scope_has_instance(scope, AT(scope->profile->ops->by_op, op->first_instance + i)))
            return true;
    return false;
}

static void amp(const struct profile *profile, const struct selection *selection,
                struct finding_list *findings)
{
    struct op_scope scope = op_scope_open(profile, selection, findings->arena);
    int64_t eligible = 0, typed = 0;
    for (uint32_t o = 0; profile->ops && o < profile->ops->count; o++) {
        const struct op *op = &profile->ops->items[o];
        if (op->tensor_core_eligible != STATE_YES || !is_run(&scope, op))
            continue;
        const char *type = profile_text(profile, op->data_type);
        if (type_is_reduced(type))
            return;
        eligible++;
        typed += *type != '\0';
    }
    if (eligible == 0)
        return;
    if (typed == 0) {
        struct finding *finding = finding_add(findings, &detect_amp, SEVERITY_NOT_JUDGED);
        finding->problem = "The data types of the ops that could use Tensor Cores are not told";
        finding->recommendation = recorder_advice_text(profile, ADVISE_TYPES);
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
    finding->why = "No tensor of the ops that could use Tensor Cores has a 16-bit or 8-bit "
                   "floating-point type";
    finding->opens = "tensor";
}

const struct detector detect_amp = {
    .id = "amp_detector",
    .title = "no mixed precision",
    .doc = "Some op could use Tensor Cores and none has a float16 (here also: bfloat16 or float8) "
           "data type.",
    .needs_no_times = true,
    .is_dlprof = true,
    .detect = amp,
};
