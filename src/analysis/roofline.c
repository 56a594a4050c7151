// SPDX-License-Identifier: Apache-2.0
#include "analysis/roofline.h"

#include <stddef.h>
#include <string.h>

#include "model/rules.h"

const char *const roofline_limit_texts[LIMITS] = {
    [LIMIT_MEMORY] = "memory",
    [LIMIT_FP64] = "compute, fp64",
    [LIMIT_FP64_TC] = "compute, fp64 tc",
    [LIMIT_FP32] = "compute, fp32",
    [LIMIT_TF32] = "compute, tf32",
    [LIMIT_FP16] = "compute, fp16",
    [LIMIT_BF16] = "compute, bf16",
    [LIMIT_FP8] = "compute, fp8",
    [LIMIT_INT8] = "compute, int8",
    [LIMIT_FP4] = "compute, fp4",
};

// What limits are of, but for the memory's.
static const struct {
    const char *dtype;
    unsigned on_tensor_cores; // the limit of kernels that use them: the name of a kernel that has
                              // FP32 in memory may tell TF32 alone
    size_t peak;              // in struct gpu_peaks
} limits[LIMITS] = {
    [LIMIT_FP64] = {"fp64", LIMIT_FP64_TC, offsetof(struct gpu_peaks, fp64)},
    [LIMIT_FP64_TC] = {"fp64", LIMIT_FP64_TC, offsetof(struct gpu_peaks, fp64_tc)},
    [LIMIT_FP32] = {"fp32", LIMIT_TF32, offsetof(struct gpu_peaks, fp32)},
    [LIMIT_TF32] = {"tf32", LIMIT_TF32, offsetof(struct gpu_peaks, tf32)},
    [LIMIT_FP16] = {"fp16", LIMIT_FP16, offsetof(struct gpu_peaks, fp16)},
    [LIMIT_BF16] = {"bf16", LIMIT_BF16, offsetof(struct gpu_peaks, fp16)},
    [LIMIT_FP8] = {"fp8", LIMIT_FP8, offsetof(struct gpu_peaks, fp8)},
    [LIMIT_INT8] = {"int8", LIMIT_INT8, offsetof(struct gpu_peaks, int8)},
    [LIMIT_FP4] = {"fp4", LIMIT_FP4, offsetof(struct gpu_peaks, fp4)},
};

const char *roofline_type(unsigned limit)
{
    return limits[limit].dtype;
}

struct rooflines rooflines_open(const struct profile *profile, const struct selection *selection,
                                struct arena *arena)
{
    struct rooflines lines = {
        profile, op_figures_find(profile, selection, arena),
        ARENA_ARRAY(arena, const struct gpu_peaks *, profile->device_count + 1)};
    for (uint32_t d = 0; d < profile->device_count; d++)
        lines.peaks[d] = rules_gpu(rules_get(), profile_text(profile, profile->devices[d].name));
    return lines;
}

static double bandwidth_of(const struct profile *profile, uint32_t device,
                           const struct gpu_peaks *peaks) // B/s; 0: not known
{
    int64_t told = profile->devices[device].memory_bandwidth;
    return told != UNKNOWN && told > 0 ? (double)told : peaks ? peaks->bandwidth * 1e9 : 0;
}

// The first of those that are of it.
unsigned roofline_compute_limit(const char *dtype, enum tristate tensor_core)
{
    for (unsigned l = LIMIT_MEMORY + 1; l < LIMITS; l++)
        if (strcmp(limits[l].dtype, dtype) == 0)
            return tensor_core == STATE_YES ? limits[l].on_tensor_cores : l;
    return LIMIT_NONE;
}

static double peak_of(const struct gpu_peaks *gpu, unsigned limit) // FLOP/s; 0: not known
{
    double peak = 0;
    if (gpu && limit > LIMIT_MEMORY && limit < LIMITS)
        memcpy(&peak, (const char *)gpu + limits[limit].peak, sizeof peak);
    return peak * 1e12;
}

double roofline_roof(const struct profile *profile, uint32_t device, unsigned limit)
{
    const struct gpu_peaks *peaks =
        rules_gpu(rules_get(), profile_text(profile, profile->devices[device].name));
    return limit == LIMIT_MEMORY ? bandwidth_of(profile, device, peaks) : peak_of(peaks, limit);
}

// Of a kernel whose FLOPs and bytes are known; false: not what its GPU can do at most. What only helps
// in a run has an ideal where the run has one.
static bool ideal_find(const struct rooflines *lines, uint32_t work,
                       const struct formula_share *share, const struct formula_answer *answer,
                       double *ns, unsigned *limit)
{
    const struct profile *profile = lines->profile;
    uint32_t device = work_device(profile, work);
    const struct function *function = &profile->functions[AT(profile->work.function, work)];
    double bandwidth = bandwidth_of(profile, device, lines->peaks[device]);
    if (bandwidth <= 0 || function->class == CLASS_COMM) // its bytes go over links
        return false;
    *ns = share->bytes / bandwidth * 1e9;
    *limit = LIMIT_MEMORY;
    if (share->flops <= 0)
        return answer->flops <= 0 ||
               peak_of(lines->peaks[device], roofline_compute_limit(answer->dtype, STATE_NO)) > 0;
    unsigned type = roofline_compute_limit(answer->dtype, function->tensor_core);
    double peak = peak_of(lines->peaks[device], type);
    if (peak <= 0)
        return false;
    double compute_ns = share->flops / peak * 1e9;
    if (compute_ns > *ns) {
        *ns = compute_ns;
        *limit = type;
    }
    return true;
}

// A kernel that only helps, at 0 FLOPs and bytes, is as well known as its run.
static bool share_is_known(const struct formula_answer *answer, const struct formula_share *share)
{
    bool helps = share->flops == 0 && share->bytes == 0;
    return share->flops >= 0 && share->bytes >= 0 &&
           (!helps || (answer->flops >= 0 && answer->bytes >= 0));
}

void roofline_add(const struct rooflines *lines, struct roofline *sums, uint32_t work)
{
    const struct profile *profile = lines->profile;
    int64_t duration = work_duration(profile, work);
    sums->kernels++;
    sums->exclusive_ns += AT(profile->work.exclusive, work);
    sums->sum_ns += duration;
    const struct op_figure *figure = op_figure_of(lines->figures, work);
    if (!figure)
        return;
    const struct formula_share *share = figure->share;
    const struct formula_answer *answer = figure->answer;
    sums->flops += share->flops > 0 ? share->flops : 0;
    sums->bytes += share->bytes > 0 ? share->bytes : 0;
    sums->told += share->flops >= 0 || share->bytes >= 0;
    double ideal_ns;
    unsigned limit;
    if (!share_is_known(answer, share) ||
        !ideal_find(lines, work, share, answer, &ideal_ns, &limit))
        return;
    ideal_ns = ideal_ns < (double)duration ? ideal_ns : (double)duration;
    sums->known_ns += duration;
    sums->known_flops += share->flops;
    sums->known_bytes += share->bytes;
    sums->ideal_ns += (int64_t)(ideal_ns + 0.5);
    sums->by_limit[limit] += ideal_ns;
    sums->is_guess |= answer->is_guess;
}

void roofline_join(struct roofline *sums, const struct roofline *more)
{
    sums->exclusive_ns += more->exclusive_ns;
    sums->sum_ns += more->sum_ns;
    sums->kernels += more->kernels;
    sums->told += more->told;
    sums->is_guess |= more->is_guess;
    sums->flops += more->flops;
    sums->bytes += more->bytes;
    sums->known_ns += more->known_ns;
    sums->known_flops += more->known_flops;
    sums->known_bytes += more->known_bytes;
    sums->ideal_ns += more->ideal_ns;
    for (unsigned l = 0; l < LIMITS; l++)
        sums->by_limit[l] += more->by_limit[l];
}

unsigned roofline_most(const double by_limit[LIMITS])
{
    unsigned most = 0;
    for (unsigned l = 1; l < LIMITS; l++)
        if (by_limit[l] > by_limit[most])
            most = l;
    return by_limit[most] > 0 ? most : (unsigned)LIMIT_NONE;
}
