// SPDX-License-Identifier: Apache-2.0
// Detects matrix products on Tensor Cores that are all in TF32, although 16 bits would halve their
// time.

#include "analysis/detect/detect_tools.h"
#include "analysis/detect/finding.h"
#include "analysis/detect/step.h"
#include "analysis/report/names.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(no_autocast);

// The type that a matrix product computes in, by the kernel's name.
enum product_type { PRODUCT_NONE, PRODUCT_TF32, PRODUCT_FP32, PRODUCT_OTHER };

static enum product_type product_of(const struct profile *profile, const struct function *function)
{
    static const char *const tf32[] = {"tf32", "s1688gemm", "f32_aligned", "nvjet_sss", NULL};
    if (function->kind != WORK_KERNEL || function->class != CLASS_COMPUTE)
        return PRODUCT_NONE;
    const char *name = profile_text(profile, function->full);
    if (function->tensor_core != STATE_NO && text_has_any(name, tf32))
        return PRODUCT_TF32;
    // A name without a type counts as 16 bits: no advice without evidence.
    if (function->tensor_core != STATE_NO)
        return PRODUCT_OTHER;
    return function_fp32_product(profile, function) == 1 ? PRODUCT_FP32 : PRODUCT_NONE;
}

enum {
    SUM_TF32 = SUM_OWN, // ns of products in TF32
    SUM_PRODUCTS,       // ns of products of any type
    SUM_OTHER,          // number of intervals in another type
};

// Returns the time of a product in 16 bits as a share of its time in TF32, by the card's peaks; 1
// if they are unknown.
static double time_share_in_16_bits(const struct gpu_peaks *gpu)
{
    return gpu->tf32 > 0 && gpu->fp16 > gpu->tf32 ? gpu->tf32 / gpu->fp16 : 1;
}

static void no_autocast_scan(struct scan *scan)
{
    const struct step_line *line = scan->line;
    const struct profile *profile = line->profile;
    enum product_type *products =
        ARENA_ARRAY(line->scratch, enum product_type, (size_t)profile->function_count + 1);
    bool has_tf32 = false;
    for (uint32_t f = 0; f < profile->function_count; f++) {
        products[f] = product_of(profile, &profile->functions[f]);
        has_tf32 |= products[f] == PRODUCT_TF32;
    }
    struct gpu_peaks gpu = device_peaks(profile, line->device);
    double time_share = time_share_in_16_bits(&gpu);
    for (size_t s = 0; has_tf32 && s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        if (interval->work == ROW_NONE)
            continue;
        enum product_type product = products[AT(profile->work.function, interval->work)];
        if (product != PRODUCT_NONE)
            scan_add(scan, SUM_PRODUCTS, interval->window, interval->to - interval->from);
        scan_add(scan, SUM_OTHER, interval->window, product == PRODUCT_OTHER);
        if (product == PRODUCT_TF32)
            scan_slow(scan, SUM_TF32, interval, time_share);
    }
}

static void no_autocast(struct step *step, const struct scan *scan, struct finding_list *findings)
{
    struct gpu_peaks gpu = device_peaks(step->profile, step->device);
    int64_t tf32_ns = step_sum(step, scan, SUM_TF32);
    int64_t all_ns = step_sum(step, scan, SUM_PRODUCTS);
    if (tf32_ns == 0)
        return;
    struct leader leader = step_leader(step, scan);
    int64_t gain = grants_measure(&step->grants);
    bool is_all = step_sum(step, scan, SUM_OTHER) == 0 &&
                  (double)tf32_ns > expert_threshold("no_autocast.products") * (double)all_ns;
    if (is_all && !(gpu.tf32 > 0 && gpu.fp16 > 0)) {
        detect_card_unknown(findings, &detect_no_autocast, step);
        return;
    }
    struct finding *finding =
        step_take_finding(step, findings, &detect_no_autocast, is_all, gain, CERTAINTY_LIKELY);
    if (!finding)
        return;
    finding->place = step_node_text(step, step_place(step, scan));
    finding->problem = arena_format(
        step->arena,
        "Matrix products run in TF32, none in 16 bit: %s %s, %.0f%% of the compute time",
        step_duration(step, tf32_ns), step_unit(step),
        step->compute_ns > 0 ? 100.0 * (double)tf32_ns / (double)step->compute_ns : 0);
    finding->recommendation = "Run forward and loss under torch.autocast(\"cuda\", "
                              "dtype=torch.bfloat16); keep the weights in FP32";
    finding->why = arena_format(
        step->arena,
        "Most of it: %s. The bound is what the peaks of the card differ by, %.0f TFLOP/s in TF32 "
        "and %.0f in 16 bit. Not counted: elementwise work between, which moves half the bytes",
        leader_name(step, &leader), gpu.tf32, gpu.fp16);
    finding->opens = "kernels";
    finding->filter = "tf32|s1688gemm|f32_aligned|nvjet_sss class:compute";
}

const struct detector detect_no_autocast = {
    .id = "no_autocast",
    .title = "matrix products in TF32 only",
    .doc = "More than no_autocast.products of the time of matrix products and attention is in "
           "kernels that are TF32 by name, and no kernel on Tensor Cores is, or may be, in another "
           "type. Not judged on a card that gpus.yaml does not know. Bound: their exclusive time "
           "less what it would be at the ratio of the card's peaks.",
    .needs_no_times = true,
    .scan = no_autocast_scan,
    .judge = no_autocast,
};
