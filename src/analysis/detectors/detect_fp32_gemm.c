// SPDX-License-Identifier: Apache-2.0
// Detects matrix products in FP32 that could use Tensor Cores.
#include "analysis/breakdown/tensor_cores.h"
#include "analysis/detect/detect_tools.h"
#include "analysis/detect/finding.h"
#include "analysis/detect/step.h"
#include "model/profile/vendor.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(fp32_gemm);

enum { SUM_GEMMS = SUM_OWN }; // ns of such products

// Returns how many times as fast as FP32 the card's Tensor Cores are in 16 bits: by the card's
// peaks, or if these are unknown the largest ratio of data center cards.
static double speedup_of_16_bits(const struct gpu_peaks *gpu)
{
    return gpu->fp32 > 0 && gpu->fp16 > 0 ? gpu->fp16 / gpu->fp32
                                          : expert_threshold("fp32_gemm.ratio");
}

static void fp32_gemm_scan(struct scan *scan)
{
    const struct step_line *line = scan->line;
    const struct profile *profile = line->profile;
    struct gpu_peaks gpu = device_peaks(profile, line->device);
    double ratio = speedup_of_16_bits(&gpu);
    const struct tensor_judge judge = tensor_judge_init(profile, line->scratch);
    if (judge.device_has[line->device] != STATE_YES || ratio <= 1)
        return;
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        if (interval->work != ROW_NONE && tensor_use_of(&judge, interval->work) == TENSOR_POSSIBLE)
            scan_slow(scan, SUM_GEMMS, interval, 1 / ratio);
    }
}

static const char *why(const struct step *step, const struct leader *leader)
{
    struct gpu_peaks gpu = device_peaks(step->profile, step->device);
    double ratio = speedup_of_16_bits(&gpu);
    const char *source =
        gpu.fp32 > 0 && gpu.fp16 > 0
            ? arena_format(step->arena,
                           "the card's peaks are %.4g TFLOP/s in FP32 and %.4g in 16 bit", gpu.fp32,
                           gpu.fp16)
            : "the peak of 16-bit Tensor Cores is 8 (V100) to 16 times (A100) that of FP32, and "
              "this card's are not known";
    return arena_format(step->arena,
                        "Most of it: %s. The bound leaves 1/%.3g of their time, since they cannot "
                        "become faster than that: %s",
                        leader_name(step, leader), ratio, source);
}

// Chooses the types that the card's Tensor Cores support: Volta's and Turing's only float16; TF32
// is NVIDIA's.
static const char *remedy(const struct step *step)
{
    struct gpu_peaks gpu = device_peaks(step->profile, step->device);
    if (!gpu.name || gpu.tf32 > 0)
        return "Run them in bfloat16 or float16 (autocast), or at least let FP32 use TF32 on "
               "Ampere and later: torch.set_float32_matmul_precision(\"high\"); TF32 is at most "
               "half as fast as 16 bit";
    return profile_vendor(step->profile) == VENDOR_AMD
               ? "Run them in bfloat16 or float16 (autocast)"
               : "Run them in float16 (autocast with a GradScaler): the Tensor Cores of this card "
                 "take neither bfloat16 nor TF32";
}

static void fp32_gemm(struct step *step, const struct scan *scan, struct finding_list *findings)
{
    const struct profile *profile = step->profile;
    int64_t gemm_ns = step_sum(step, scan, SUM_GEMMS);
    struct leader leader = step_leader(step, scan);
    int64_t gain = grants_measure(&step->grants);
    bool is_reported =
        step_share(step, gemm_ns) > expert_threshold("fp32_gemm.share") ||
        (double)gemm_ns > expert_threshold("fp32_gemm.kernels") * (double)step->compute_ns;
    bool is_card_known = profile->devices[step->device].compute_major >= 0 &&
                         device_peaks(profile, step->device).name;
    struct finding *finding =
        step_take_finding(step, findings, &detect_fp32_gemm, is_reported, gain,
                          is_card_known ? CERTAINTY_CERTAIN : CERTAINTY_LIKELY);
    if (!finding)
        return;
    finding->place = step_node_text(step, step_place(step, scan));
    finding->problem =
        arena_format(step->arena,
                     "Matrix products run in FP32 without Tensor Cores: %s %s, %.0f%% of the "
                     "compute time",
                     step_duration(step, gemm_ns), step_unit(step),
                     step->compute_ns > 0 ? 100.0 * (double)gemm_ns / (double)step->compute_ns : 0);
    finding->recommendation = remedy(step);
    finding->why = why(step, &leader);
    // Forward and backward are at different nodes of the tree, so the evidence is all rows of this
    // kind.
    finding->opens = "kernels";
    finding->filter = "gemm|conv(?!ert)|winograd|ffma|simt|[dw]grad tc:no class:compute";
}

const struct detector detect_fp32_gemm = {
    .id = "fp32_gemm",
    .title = "FP32 matrix products without Tensor Cores",
    .doc =
        "GEMMs and convolutions known by name to run in FP32 without Tensor Cores, on a GPU "
        "that has them, take more than fp32_gemm.share of the step or fp32_gemm.kernels of the "
        "compute time. Kernels whose name does not tell count for nothing. Bound: their "
        "exclusive time less what it would be at the ratio of the card's peaks by gpus.yaml, of a "
        "card that it does not know at fp32_gemm.ratio. Products that wait for memory are not "
        "meant: matrix times vector, and where one block of at most 32 covers one of the sizes.",
    .needs_no_times = true,
    .scan = fp32_gemm_scan,
    .judge = fp32_gemm,
};
