// SPDX-License-Identifier: Apache-2.0
// Detects matrix products whose sizes prevent vector reads.
#include <string.h>

#include "analysis/detect/detect_tools.h"
#include "analysis/detect/finding.h"
#include "analysis/detect/step.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(odd_shape);

// CUTLASS appends the alignment of its operands, in elements, to the name.
static bool is_unaligned(const struct profile *profile, const struct function *function)
{
    if (function->kind != WORK_KERNEL || function->class != CLASS_COMPUTE)
        return false;
    const char *name = profile_text(profile, function->full);
    const char *at = strstr(name, "align");
    bool is_product = strstr(name, "gemm") || strstr(name, "fprop") || strstr(name, "dgrad") ||
                      strstr(name, "wgrad");
    // One FP32 element is as wide as two 16-bit elements.
    bool is_16_bit = strstr(name, "bf16") || strstr(name, "f16") || strstr(name, "16816") ||
                     strstr(name, "161616") || strstr(name, "_h");
    return at && is_product && is_16_bit && (at[5] == '1' || at[5] == '2') &&
           (at[6] < '0' || at[6] > '9');
}

enum { SUM_ODD = SUM_OWN }; // ns of unaligned products

static void odd_shape_scan(struct scan *scan)
{
    const struct step_line *line = scan->line;
    const struct profile *profile = line->profile;
    double speedup = expert_threshold("odd_shape.speedup");
    const bool *is_odd = detect_functions(line, is_unaligned);
    for (size_t s = 0; is_odd && speedup > 1 && s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        if (interval->work != ROW_NONE && is_odd[AT(profile->work.function, interval->work)])
            scan_slow(scan, SUM_ODD, interval, 1 / speedup);
    }
}

static void odd_shape(struct step *step, const struct scan *scan, struct finding_list *findings)
{
    int64_t odd_ns = step_sum(step, scan, SUM_ODD);
    struct leader leader = step_leader(step, scan);
    int64_t gain = grants_measure(&step->grants);
    bool is_reported = step_share(step, odd_ns) > expert_threshold("odd_shape.share");
    struct finding *finding =
        step_take_finding(step, findings, &detect_odd_shape, is_reported, gain, CERTAINTY_LIKELY);
    if (!finding)
        return;
    finding->place = step_node_text(step, step_place(step, scan));
    finding->problem = arena_format(
        step->arena,
        "Matrix products of odd sizes: %s %s in kernels that read one or two elements at a time",
        step_duration(step, odd_ns), step_unit(step));
    finding->recommendation =
        "Pad the size that is no multiple of 8 (better 64): a vocabulary of 50257 to 50304, the "
        "hidden size, the number of classes, within attention the length of the sequence; the size "
        "of the batch does not matter";
    finding->why = arena_format(
        step->arena,
        "Most of it: %s; align1 and align2 in a name say how many elements one access reads, 8 are "
        "possible. The bound takes kernels of whole vectors to be %g times as fast",
        leader_name(step, &leader), expert_threshold("odd_shape.speedup"));
    finding->opens = "kernels";
    finding->filter = "align[12](?!\\d) class:compute";
}

const struct detector detect_odd_shape = {
    .id = "odd_shape",
    .title = "sizes that are no multiple of 8",
    .doc = "16-bit matrix products in kernels whose names say that operands are aligned to one or "
           "two elements take more than odd_shape.share of the step. Bound: their exclusive time "
           "less 1/odd_shape.speedup of it, which is experience and no law.",
    .needs_no_times = true,
    .scan = odd_shape_scan,
    .judge = odd_shape,
};
