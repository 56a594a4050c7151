// SPDX-License-Identifier: Apache-2.0
// Matrix products in FP32 that Tensor Cores could do.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "analysis/detect_list.h"
#include "analysis/detect_tools.h"
#include "analysis/step.h"
#include "model/ops.h"

// Cards of the Turing family without Tensor Cores, although of compute capability 7.5.
static bool lacks_tensor_cores(const char *name)
{
    static const char *const cards[] = {"GTX 16", "T1000", "T1200", "T2000", "T400", "T500",
                                        "T550",   "T600",  "MX450", "MX550", NULL};
    return detect_has_any(name, cards);
}

// "sm80_xmma_gemm...", "ampere_sgemm...": libraries name the architecture they chose the code for.
static bool names_tensor_core_device(const char *name)
{
    const char *at = strstr(name, "sm");
    if (at && isdigit((unsigned char)at[2]) && isdigit((unsigned char)at[3]))
        return at[2] >= '7' || isdigit((unsigned char)at[4]);
    return strstr(name, "ampere_") || strstr(name, "volta_") || strstr(name, "hopper_");
}

// Whether the GPU has Tensor Cores; unknown capability: what kernels of the profile tell.
static enum tristate has_tensor_cores(const struct step_line *line)
{
    const struct profile *profile = line->profile;
    const struct device *device = &profile->devices[line->device];
    if (lacks_tensor_cores(profile_text(profile, device->name)))
        return STATE_NO;
    if (device->compute_major >= 0)
        return device->compute_major >= 7 ? STATE_YES : STATE_NO;
    for (uint32_t f = 0; f < profile->function_count; f++) {
        const struct function *function = &profile->functions[f];
        if (function->kind == WORK_KERNEL &&
            (function->tensor_core == STATE_YES ||
             names_tensor_core_device(profile_text(profile, function->full))))
            return STATE_YES;
    }
    return STATE_UNKNOWN;
}

static bool op_is_eligible(const struct profile *profile, uint32_t work)
{
    const struct ops *ops = profile->ops;
    return ops && profile->work.instance && ops->instance_count > 0 &&
           ops->items[ops->op[profile->work.instance[work]]].tensor_core_eligible == STATE_YES;
}

enum { SUM_GEMMS = SUM_OWN };

// Whether one size of a product is so small that it waits for memory, where Tensor Cores speed up
// nothing: one block covers that size, and its tile, as "ampere_sgemm_128x32_sliced1x4_tn" says it,
// is at most NARROW. An FP32 product of a size n makes n / 2 operations per byte of its matrix; the
// peaks of cards are at 10 (V100) to 100 per byte.
static bool is_narrow(const struct profile *profile, uint32_t work)
{
    enum { NARROW = 32 };
    const struct launch_shape *shape = work_launch_shape(profile, work);
    const char *name = profile_text(profile, profile->functions[profile->work.function[work]].full);
    const char *at = strstr(name, "sgemm_");
    unsigned tile[2];
    if (!shape || !at || sscanf(at, "sgemm_%4ux%4u_", &tile[0], &tile[1]) != 2)
        return false;
    return (shape->grid[0] == 1 && tile[0] <= NARROW) || (shape->grid[1] == 1 && tile[1] <= NARROW);
}

// How many times as fast the Tensor Cores of the card are at 16 bit: by its peaks, else what cards
// of data centers reach at most.
static double ratio_of(const struct gpu_peaks *gpu)
{
    return gpu && gpu->fp32 > 0 && gpu->fp16 > 0 ? gpu->fp16 / gpu->fp32
                                                 : expert_threshold("fp32_gemm.ratio");
}

static void fp32_gemm_scan(struct scan *scan)
{
    const struct step_line *line = scan->line;
    const struct profile *profile = line->profile;
    double ratio = ratio_of(device_peaks(profile, line->device));
    if (has_tensor_cores(line) != STATE_YES || ratio <= 1)
        return;
    int *kinds = ARENA_ARRAY(line->scratch, int, (size_t)profile->function_count + 1);
    for (uint32_t f = 0; f < profile->function_count; f++)
        kinds[f] = detect_fp32_product(profile, &profile->functions[f]);
    for (size_t s = 0; s < line->count; s++) {
        const struct stretch *stretch = &line->stretches[s];
        int kind = stretch->work == ROW_NONE ? 0 : kinds[profile->work.function[stretch->work]];
        if (kind == 0 || (kind == 2 && !op_is_eligible(profile, stretch->work)) ||
            is_narrow(profile, stretch->work))
            continue;
        scan_slow(scan, SUM_GEMMS, stretch, 1 / ratio);
    }
}

static const char *why(const struct step *step, const struct leader *leader)
{
    const struct gpu_peaks *gpu = device_peaks(step->profile, step->device);
    double ratio = ratio_of(gpu);
    const char *source =
        gpu && gpu->fp32 > 0 && gpu->fp16 > 0
            ? arena_format(step->arena, "the card's peaks are %g TFLOP/s in FP32 and %g in 16 bit",
                           gpu->fp32, gpu->fp16)
            : "the peak of 16-bit Tensor Cores is 8 (V100) to 16 times (A100) that of FP32, and "
              "this card's are not known";
    return arena_format(step->arena,
                        "Most of it: %s. The bound leaves 1/%.3g of their time, since they cannot "
                        "become faster than that: %s",
                        leader_name(step, leader), ratio, source);
}

static void fp32_gemm(struct step *step, const struct scan *scan, struct finding_list *findings)
{
    const struct profile *profile = step->profile;
    int64_t gemm_ns = step_sum(step, scan, SUM_GEMMS);
    struct leader leader = step_leader(step, scan);
    int64_t gain = claims_measure(&step->claims);
    bool speaks =
        step_share(step, gemm_ns) > expert_threshold("fp32_gemm.share") ||
        (double)gemm_ns > expert_threshold("fp32_gemm.kernels") * (double)step->compute_ns;
    bool is_told =
        profile->devices[step->device].compute_major >= 0 && device_peaks(profile, step->device);
    struct finding *finding = step_claim(step, findings, &detect_fp32_gemm, speaks, gain,
                                         is_told ? CERTAINTY_CERTAIN : CERTAINTY_LIKELY);
    if (!finding)
        return;
    finding->place = step_node_text(step, step_place(step, scan));
    finding->problem =
        arena_format(step->arena,
                     "Matrix products run in FP32 without Tensor Cores: %s %s, %.0f%% of the "
                     "compute time",
                     step_duration(step, gemm_ns), step_unit(step),
                     step->compute_ns > 0 ? 100.0 * (double)gemm_ns / (double)step->compute_ns : 0);
    finding->recommendation =
        "Run them in bfloat16 or float16 (autocast), or at least let FP32 use TF32 on Ampere and "
        "later: torch.set_float32_matmul_precision(\"high\"); TF32 is at most half as fast as 16 "
        "bit";
    finding->why = why(step, &leader);
    // Forward and backward lie at several places of the tree: all rows of the kind prove it.
    finding->opens = "kernels";
    finding->filter = "gemm|conv(?!ert)|ffma|simt tc:no class:compute";
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
    .scan = fp32_gemm_scan,
    .judge = fp32_gemm,
};
