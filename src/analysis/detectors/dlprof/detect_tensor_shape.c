// SPDX-License-Identifier: Apache-2.0
// DLProf's detector for shapes that keep ops off Tensor Cores. Only its purpose is known; rule and
// texts are ours.
#include "analysis/breakdown/tensor_cores.h"
#include "analysis/detect/detect_tools.h"
#include "analysis/detect/finding.h"
#include "analysis/report/memo.h"
#include "analysis/report/names.h"
#include "analysis/sums/op_metrics.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(tensor_shape);

// True for a 16-bit op with shapes that may keep it off the Tensor Cores that it could use.
static bool is_odd(const struct profile *profile, const struct op *op)
{
    if (op->tensor_core_eligible != STATE_YES || op->instance_count == 0)
        return false;
    uint32_t marker = AT(profile->ops->marker, AT(profile->ops->by_op, op->first_instance));
    return marker != ROW_NONE && type_is_16_bit(profile_text(profile, op->data_type)) &&
           tensor_has_odd_shape(profile, marker);
}

// Returns [op]: true if a kernel of it uses Tensor Cores or may. DLProf's own column goes by short
// names, which say so for few current kernels.
static void *find_tensor_core_ops(const struct profile *profile, const struct selection *selection,
                                  struct arena *arena)
{
    (void)selection;
    bool *may_use = ARENA_ARRAY(arena, bool, (size_t)profile->ops->count + 1);
    const struct tensor_judge judge = tensor_judge_init(profile, arena);
    for (uint32_t w = 0; w < profile->work.count; w++) {
        const struct op *op = tensor_op_of(profile, w);
        if (!op || profile->functions[AT(profile->work.function, w)].kind != WORK_KERNEL)
            continue;
        enum tensor_use use = tensor_use_of(&judge, w);
        may_use[op - profile->ops->items] |= use == TENSOR_USED || use == TENSOR_UNKNOWN;
    }
    return may_use;
}

static void tensor_shape(const struct profile *profile, const struct selection *selection,
                         struct finding_list *findings)
{
    bool has_odd = false; // checked first, since adding up the costs takes longer
    for (uint32_t o = 0; profile->ops && o < profile->ops->count && !has_odd; o++)
        has_odd = is_odd(profile, &profile->ops->items[o]);
    if (!has_odd)
        return;
    static const struct memo_kind users = {.make = find_tensor_core_ops};
    const bool *may_use = memo_require(&users, profile, selection, findings->arena);
    struct op_metrics_list list = op_metrics_build(profile, selection, findings->arena);
    int64_t count = 0, time = 0, total = 0;
    uint32_t worst = ROW_NONE;
    int64_t worst_ns = -1;
    for (uint32_t i = 0; i < list.count; i++) {
        const struct op_metrics *metrics = &list.items[i];
        total += metrics->kernel_ns;
        if (metrics->uses_tc || may_use[metrics->op] ||
            !is_odd(profile, &profile->ops->items[metrics->op]))
            continue;
        count++;
        time += metrics->kernel_ns;
        if (metrics->kernel_ns > worst_ns) {
            worst = metrics->op;
            worst_ns = metrics->kernel_ns;
        }
    }
    if (count == 0 || total <= 0 ||
        (double)time <= expert_threshold("tensor_shape.share") * (double)total)
        return;
    struct finding *finding = finding_add(findings, &detect_tensor_shape, SEVERITY_WARNING);
    finding->problem =
        count == 1 ? "1 op of 16-bit type does not use tensor cores: its shapes are no multiples "
                     "of 8"
                   : arena_format(findings->arena,
                                  "%lld ops of 16-bit type do not use tensor cores: their shapes "
                                  "are no multiples of 8",
                                  (long long)count);
    finding->recommendation = "Pad channels, features and vocabulary to multiples of 8";
    finding->why = arena_format(findings->arena, "They are %.1f %% of the kernel time",
                                100 * (double)time / (double)total);
    finding->opens = count == 1 ? "kernel" : "tensor";
    finding->evidence = *selection;
    if (count == 1)
        finding->evidence.op = worst;
}

const struct detector detect_tensor_shape = {
    .id = "tensor_shape_detector",
    .title = "shapes that miss Tensor Cores",
    .doc =
        "Ops of a 16-bit type that could use Tensor Cores do not, by full names of their kernels, "
        "have a width or channel count that is no multiple of 8, and take more than "
        "tensor_shape.share of the kernel time.",
    .needs_no_times = true,
    .is_dlprof = true,
    .detect = tensor_shape,
};
