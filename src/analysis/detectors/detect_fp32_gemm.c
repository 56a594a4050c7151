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

// How many times as fast as FP32 the card's Tensor Cores are in 16 bits, at most.
struct speedup {
    double ratio;
    bool is_of_peaks; // by the card's peaks, which are known
    bool is_of_kind;  // by the most that cards of its kind have
};

// What neither tells is the largest ratio of any card.
static struct speedup speedup_of_16_bits(const struct profile *profile, uint32_t device)
{
    struct gpu_peaks gpu = device_peaks(profile, device);
    struct gpu_abilities abilities = device_abilities(profile, device);
    if (gpu.fp32 > 0 && gpu.fp16 > 0)
        return (struct speedup){gpu.fp16 / gpu.fp32, true, false};
    if (abilities.ratio > 0)
        return (struct speedup){abilities.ratio, false, true};
    return (struct speedup){expert_threshold("fp32_gemm.ratio"), false, false};
}

static void fp32_gemm_scan(struct scan *scan)
{
    const struct step_line *line = scan->line;
    const struct profile *profile = line->profile;
    double ratio = speedup_of_16_bits(profile, line->device).ratio;
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
    struct speedup speedup = speedup_of_16_bits(step->profile, step->device);
    const char *source =
        speedup.is_of_peaks
            ? arena_format(step->arena,
                           "the card's peaks are %.4g TFLOP/s in FP32 and %.4g in 16 bit", gpu.fp32,
                           gpu.fp16)
        : speedup.is_of_kind
            ? "no card of this kind has more than that between 16 bit and FP32; the peaks of this "
              "one are not known"
            : "the peak of 16-bit Tensor Cores is 2 (RTX 3090) to 32 times (B200) that of FP32, "
              "and this card's are not known";
    return arena_format(step->arena,
                        "Most of it: %s. The bound leaves 1/%.3g of their time, since they cannot "
                        "become faster than that: %s",
                        leader_name(step, leader), speedup.ratio, source);
}

// Chooses among the types that the card's Tensor Cores take.
static const char *remedy(const struct step *step)
{
    struct gpu_abilities abilities = device_abilities(step->profile, step->device);
    if (!abilities.is_known)
        return "Run them in 16 bit (autocast): bfloat16 or float16 where the card takes both, as "
               "NVIDIA's do from Ampere on, and TF32 with them; else float16 with a GradScaler";
    if (!(abilities.types & TAKES_BF16))
        return "Run them in float16 (autocast with a GradScaler): the Tensor Cores of this card "
               "take neither bfloat16 nor TF32";
    // PyTorch has TF32 on AMD's cards behind a setting of their libraries only.
    return abilities.types & TAKES_TF32 && profile_vendor(step->profile) == VENDOR_NVIDIA
               ? "Run them in bfloat16 or float16 (autocast), or at least let FP32 use TF32 on "
                 "Ampere and later: torch.set_float32_matmul_precision(\"high\"); TF32 is at most "
                 "half as fast as 16 bit"
               : "Run them in bfloat16 or float16 (autocast)";
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
    struct speedup speedup = speedup_of_16_bits(profile, step->device);
    struct finding *finding = step_take_finding(
        step, findings, &detect_fp32_gemm, is_reported, gain,
        speedup.is_of_peaks || speedup.is_of_kind ? CERTAINTY_CERTAIN : CERTAINTY_LIKELY);
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
    .doc = "GEMMs and convolutions known by name to run in FP32 without Tensor Cores, on a GPU "
           "that has them, take more than fp32_gemm.share of the step or fp32_gemm.kernels of the "
           "compute time. Kernels whose name does not tell count for nothing. Bound: their "
           "exclusive time less what it would be at the ratio of the card's peaks by gpus.yaml; "
           "else at "
           "the most that cards of its compute capability have, of a card that gpus.yaml does not "
           "know at fp32_gemm.ratio, and then it is likely only. Products that wait for memory are "
           "not "
           "meant: matrix times vector, and where one block of at most 32 covers one of the sizes.",
    .needs_no_times = true,
    .scan = fp32_gemm_scan,
    .judge = fp32_gemm,
};
