// SPDX-License-Identifier: Apache-2.0
// Work that need not take the GPU's time: FP32 GEMMs without Tensor Cores, copies that nothing
// hides, stretches of kernels too short for the host to keep up with.
#include <ctype.h>
#include <string.h>

#include "analysis/detect_list.h"
#include "analysis/step.h"
#include "base/format.h"
#include "model/ops.h"

// ---- FP32 GEMMs --------------------------------------------------------------------------------

static bool has_any(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strstr(text, *words))
            return true;
    return false;
}

// 0: no GEMM without Tensor Cores in FP32; 1: by name alone; 2: when its op could use them.
static int fp32_kind(const struct profile *profile, const struct function *function)
{
    static const char *const certain[] = {"sgemm", "ffma", "simt", "scudnn", "_f32f32_f32f32_f32_",
                                          NULL};
    static const char *const by_op[] = {"gemm", "conv", "winograd", "fft2d", NULL};
    // Matrix times vector is bound by memory; double precision is another matter, as are parts
    // that only prepare.
    static const char *const never[] = {"gemv",   "gemmSN",  "splitK", "dgemm",   "f64", "hgemm",
                                        "hcudnn", "f16_f16", "nchw",   "Offsets", "s8_", NULL};
    if (function->kind != WORK_KERNEL || function->class != CLASS_COMPUTE ||
        function->tensor_core != STATE_NO)
        return 0;
    const char *name = profile_text(profile, function->full);
    if (has_any(name, never))
        return 0;
    return has_any(name, certain) ? 1 : has_any(name, by_op) ? 2 : 0;
}

// Cards of the Turing family without Tensor Cores, although of compute capability 7.5.
static bool lacks_tensor_cores(const char *name)
{
    static const char *const cards[] = {"GTX 16", "T1000", "T1200", "T2000", "T400", "T500",
                                        "T550",   "T600",  "MX450", "MX550", NULL};
    return has_any(name, cards);
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
static enum tristate has_tensor_cores(const struct step *step)
{
    const struct profile *profile = step->profile;
    const struct device *device = &profile->devices[step->device];
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

// Keeps the function with the most time.
struct leader {
    int64_t *ns; // by function
    uint32_t best;
    uint32_t count; // with any time
};

static struct leader leader_new(const struct step *step)
{
    return (struct leader){
        .ns = ARENA_ARRAY(step->scratch, int64_t, (size_t)step->profile->function_count + 1),
        .best = ROW_NONE};
}

static void leader_add(struct leader *leader, uint32_t function, int64_t ns)
{
    leader->count += leader->ns[function] == 0;
    leader->ns[function] += ns;
    if (leader->best == ROW_NONE || leader->ns[function] > leader->ns[leader->best])
        leader->best = function;
}

static const char *leader_name(const struct step *step, const struct leader *leader)
{
    return profile_text(step->profile, step->profile->functions[leader->best].family);
}

static void fp32_gemm(struct step *step, struct finding_list *findings)
{
    const struct profile *profile = step->profile;
    const struct gpu_work *work = &profile->work;
    enum tristate can = has_tensor_cores(step);
    double ratio = step_threshold("fp32_gemm.ratio", 16);
    if (can != STATE_YES || ratio <= 1)
        return;
    int *kinds = ARENA_ARRAY(step->scratch, int, (size_t)profile->function_count + 1);
    for (uint32_t f = 0; f < profile->function_count; f++)
        kinds[f] = fp32_kind(profile, &profile->functions[f]);
    int64_t *per_node = step_node_sums(step), gemm_ns = 0;
    struct leader leader = leader_new(step);
    for (size_t s = 0; s < step->count; s++) {
        const struct stretch *stretch = &step->stretches[s];
        int kind = stretch->work == ROW_NONE ? 0 : kinds[work->function[stretch->work]];
        if (kind == 0 || (kind == 2 && !op_is_eligible(profile, stretch->work)))
            continue;
        int64_t length = stretch->to - stretch->from;
        gemm_ns += length;
        leader_add(&leader, work->function[stretch->work], length);
        per_node[step_work_node(step, stretch->work)] += length;
        claims_want(&step->claims, stretch->from, stretch->to - (int64_t)((double)length / ratio),
                    0, stretch->window);
    }
    int64_t gain = claims_measure(&step->claims);
    bool speaks =
        step_share(step, gemm_ns) > step_threshold("fp32_gemm.share", 0.03) ||
        (double)gemm_ns > step_threshold("fp32_gemm.kernels", 0.5) * (double)step->compute_ns;
    bool is_told = profile->devices[step->device].compute_major >= 0;
    struct finding *finding = NULL;
    if (speaks)
        finding = step_finding(step, findings, &detect_fp32_gemm, gain,
                               is_told ? CERTAINTY_CERTAIN : CERTAINTY_LIKELY);
    claims_take(&step->claims, &(bool){finding != NULL});
    if (!finding)
        return;
    uint32_t node = step_place(step, per_node);
    finding->place = step_node_text(step, node);
    finding->problem =
        arena_format(step->arena,
                     "Matrix products run in FP32 without Tensor Cores: %s %s, %.0f%% of the "
                     "compute time",
                     step_duration(step, gemm_ns), step_unit(step),
                     step->compute_ns > 0 ? 100.0 * (double)gemm_ns / (double)step->compute_ns : 0);
    finding->recommendation =
        "Run them in bfloat16 or float16 (autocast), or at least let FP32 use TF32 on Ampere and "
        "later: torch.set_float32_matmul_precision(\"high\"); TF32 gains up to half as much";
    finding->why = arena_format(
        step->arena,
        "Most of it: %s. The bound leaves 1/%.0f of their time: the peak of 16-bit Tensor Cores is "
        "8 (V100) to 16 times (A100, H100) that of FP32, and no faster than that can they become",
        leader_name(step, &leader), ratio);
    // Forward and backward lie at several places of the tree: all rows of the kind prove it.
    finding->opens = "kernels";
    finding->filter = "gemm|conv(?!ert)|ffma|simt tc:no class:compute";
}

const struct detector detect_fp32_gemm = {
    .id = "fp32_gemm",
    .title = "FP32 matrix products without Tensor Cores",
    .doc = "GEMMs and convolutions known by name to run in FP32 without Tensor Cores, on a GPU "
           "that has them, take more than fp32_gemm.share of the step or fp32_gemm.kernels of the "
           "compute time. Kernels whose name does not tell count for nothing. Bound: their "
           "exclusive time less 1/fp32_gemm.ratio of it.",
    .claim = fp32_gemm,
};

// ---- copies that nothing hides -----------------------------------------------------------------

enum { COPY_TO_DEVICE = 1, COPY_TO_HOST = 2, MEMORY_PAGEABLE = 0 };

static bool is_host_copy(const struct step *step, uint32_t work)
{
    const struct profile *profile = step->profile;
    uint32_t shape = profile->work.shape[work];
    if (profile->functions[profile->work.function[work]].kind != WORK_MEMCPY || shape == ROW_NONE)
        return false;
    const struct copy *copy = &profile->copies[shape];
    // Without steps copies from pageable memory may be the loading of the model, once.
    bool is_pageable = copy->src_kind == MEMORY_PAGEABLE || copy->dst_kind == MEMORY_PAGEABLE;
    return (copy->copy_kind == COPY_TO_DEVICE || copy->copy_kind == COPY_TO_HOST) &&
           (step->has_steps || !is_pageable);
}

static void exposed_copies(struct step *step, struct finding_list *findings)
{
    const struct profile *profile = step->profile;
    const struct gpu_work *work = &profile->work;
    struct leader leader = leader_new(step);
    int64_t on_compute = 0, bytes = 0, *per_node = step_node_sums(step);
    uint32_t last = ROW_NONE, copies = 0;
    for (size_t s = 0; s < step->count; s++) {
        const struct stretch *stretch = &step->stretches[s];
        if (stretch->work == ROW_NONE || !is_host_copy(step, stretch->work))
            continue;
        int64_t length = stretch->to - stretch->from;
        if (profile->streams[work->stream[stretch->work]].role == ROLE_COMPUTE)
            on_compute += length;
        if (stretch->work != last &&
            !__builtin_add_overflow(bytes, work->bytes ? work->bytes[stretch->work] : 0, &bytes))
            copies++;
        last = stretch->work;
        leader_add(&leader, work->function[stretch->work], length);
        per_node[step_work_node(step, stretch->work)] += length;
        claims_want(&step->claims, stretch->from, stretch->to, 0, stretch->window);
    }
    int64_t gain = claims_measure(&step->claims);
    struct finding *finding = NULL;
    if (step_share(step, gain) > step_threshold("exposed_copies.share", 0.03))
        finding = step_finding(step, findings, &detect_exposed_copies, gain, CERTAINTY_LIKELY);
    claims_take(&step->claims, &(bool){finding != NULL});
    if (!finding)
        return;
    bool is_own = 2 * on_compute > gain;
    char size[FORMAT_SIZE];
    finding->place = step_node_text(step, step_place(step, per_node));
    finding->problem = arena_format(
        step->arena, "Copies between host and GPU are not hidden%s: %s %s with nothing beside them",
        is_own ? ", they are on a compute stream" : "", step_duration(step, gain), step_unit(step));
    finding->recommendation =
        is_own
            ? "Copy on a stream of its own from pinned memory, one batch or layer ahead, so that "
              "kernels run meanwhile; keep on the GPU what is copied again in every step"
            : "Start the copies earlier, one batch ahead (pin_memory=True, non_blocking=True), "
              "and copy less: smaller types, what is used again kept on the GPU";
    finding->why =
        arena_format(step->arena,
                     "%u copies, %s in all, most of it %s. Where there is less to compute than to "
                     "copy, only copying less gains all of it",
                     copies, format_bytes(size, bytes), leader_name(step, &leader));
    finding->opens = leader.count == 1 ? "launches" : "memory";
    if (leader.count == 1)
        finding->evidence.function = leader.best;
}

const struct detector detect_exposed_copies = {
    .id = "exposed_copies",
    .title = "copies are not hidden",
    .doc = "Copies between host and GPU with no kernel beside them take more than "
           "exposed_copies.share of the step. Where no steps are found only those from and to "
           "pinned memory count. Bound: that time.",
    .claim = exposed_copies,
};
