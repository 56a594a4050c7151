// SPDX-License-Identifier: Apache-2.0
// Roofline: the ideal time of a kernel is the larger one of FLOPs / peak and bytes / bandwidth. The
// limit is the one that determines the ideal time.
#include "analysis/op_runs/roofline.h"

#include <stddef.h>
#include <string.h>

#include "model/rules/rules.h"

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

// Data type and peak of each limit except LIMIT_MEMORY.
static const struct {
    const char *dtype;
    unsigned on_tensor_cores; // limit of kernels that use them; with FP32 data that is TF32
    size_t peak;              // offset in struct gpu_peaks
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
    struct gpu_peaks *peaks = ARENA_ARRAY(arena, struct gpu_peaks, profile->device_count + 1);
    for (uint32_t d = 0; d < profile->device_count; d++)
        peaks[d] = device_peaks(profile, d);
    return (struct rooflines){profile, op_figures_find(profile, selection, arena), peaks};
}

static double bandwidth_of(const struct profile *profile, uint32_t device,
                           const struct gpu_peaks *peaks) // B/s; 0: unknown
{
    int64_t recorded = profile->devices[device].memory_bandwidth;
    return recorded != UNKNOWN && recorded > 0 ? (double)recorded : peaks->bandwidth * 1e9;
}

// Data types whose peak is assumed to be that of another type, which they are computed in or not
// faster than.
static const struct {
    const char *dtype, *as;
} type_aliases[] = {
    {"complex32", "fp16"}, {"complex64", "fp32"}, {"complex128", "fp64"}, {"int64", "fp32"},
    {"int32", "fp32"},     {"int16", "fp32"},     {"uint8", "fp32"},      {"uint16", "fp32"},
    {"uint32", "fp32"},    {"uint64", "fp32"},    {"bool", "fp32"},
};

// If several limits have the data type, the first one in `limits` is without Tensor Cores.
unsigned roofline_compute_limit(const char *dtype, enum tristate tensor_core)
{
    for (size_t i = 0; i < sizeof type_aliases / sizeof *type_aliases; i++)
        if (strcmp(type_aliases[i].dtype, dtype) == 0)
            dtype = type_aliases[i].as;
    for (unsigned l = LIMIT_MEMORY + 1; l < LIMITS; l++)
        if (strcmp(limits[l].dtype, dtype) == 0)
            return tensor_core == STATE_YES ? limits[l].on_tensor_cores : l;
    return LIMIT_NONE;
}

static double peak_of(const struct gpu_peaks *gpu, unsigned limit) // FLOP/s; 0: unknown
{
    double peak = 0;
    if (limit > LIMIT_MEMORY && limit < LIMITS)
        memcpy(&peak, (const char *)gpu + limits[limit].peak, sizeof peak);
    return peak * 1e12;
}

double roofline_roof(const struct profile *profile, uint32_t device, unsigned limit)
{
    struct gpu_peaks peaks = device_peaks(profile, device);
    return limit == LIMIT_MEMORY ? bandwidth_of(profile, device, &peaks) : peak_of(&peaks, limit);
}

struct ideal {
    // with the data type of the kernel; with 16 bits for products in FP32 or TF32
    double ns, lower_ns;
    unsigned limit; // the one that determines `ns`
};

static double max_double(double a, double b)
{
    return a > b ? a : b;
}

// Finds the ideal of a kernel whose FLOPs and bytes are known. Returns false if the peak of its GPU
// is unknown. A helper kernel has an ideal if its run has one.
static bool ideal_find(const struct rooflines *lines, uint32_t work, const struct op_figure *figure,
                       struct ideal *ideal)
{
    const struct formula_result *answer = figure->answer;
    const struct formula_share *share = figure->share;
    const struct profile *profile = lines->profile;
    uint32_t device = work_device(profile, work);
    const struct function *function = &profile->functions[AT(profile->work.function, work)];
    double bandwidth = bandwidth_of(profile, device, &lines->peaks[device]);
    // The bytes of communication are transferred over links, not memory.
    if (bandwidth <= 0 || function->class == CLASS_COMM)
        return false;
    double flops = op_figure_executed_flops(figure), memory_ns = share->bytes / bandwidth * 1e9;
    *ideal = (struct ideal){memory_ns, memory_ns, LIMIT_MEMORY};
    if (flops <= 0)
        return answer->flops <= 0 ||
               peak_of(&lines->peaks[device], roofline_compute_limit(answer->dtype, STATE_NO)) > 0;
    unsigned type = roofline_compute_limit(answer->dtype, function->tensor_core);
    double peak = peak_of(&lines->peaks[device], type);
    if (peak <= 0)
        return false;
    double compute_ns = flops / peak * 1e9;
    double lower_peak = peak_of(&lines->peaks[device], LIMIT_FP16);
    if (compute_ns > memory_ns)
        *ideal = (struct ideal){compute_ns, compute_ns, type};
    bool is_single_precision =
        strcmp(answer->dtype, "fp32") == 0 || strcmp(answer->dtype, "tf32") == 0;
    if (answer->is_of_model && share->is_main && is_single_precision && lower_peak > peak)
        ideal->lower_ns = max_double(flops / lower_peak * 1e9, memory_ns / 2);
    return true;
}

// A helper kernel, with 0 FLOPs and bytes, is known if its run is.
static bool share_is_known(const struct formula_result *answer, const struct formula_share *share)
{
    bool is_helper = share->flops == 0 && share->bytes == 0;
    return share->flops >= 0 && share->bytes >= 0 &&
           (!is_helper || (answer->flops >= 0 && answer->bytes >= 0));
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
    const struct formula_result *answer = figure->answer;
    sums->flops += share->flops > 0 ? share->flops : 0;
    sums->bytes += share->bytes > 0 ? share->bytes : 0;
    sums->told += share->flops >= 0 || share->bytes >= 0;
    struct ideal ideal;
    if (!share_is_known(answer, share) || !ideal_find(lines, work, figure, &ideal))
        return;
    bool exceeds_duration = ideal.ns > (double)duration;
    double ideal_ns = exceeds_duration ? (double)duration : ideal.ns;
    double lower_ns = ideal.lower_ns < ideal_ns ? ideal.lower_ns : ideal_ns;
    sums->known_ns += duration;
    sums->known_flops += op_figure_executed_flops(figure);
    sums->known_bytes += share->bytes;
    sums->ideal_ns += (int64_t)(ideal_ns + 0.5);
    sums->lower_ns += (int64_t)(lower_ns + 0.5);
    sums->by_limit[ideal.limit] += ideal_ns;
    sums->is_guess |= answer->is_guess;
    sums->is_tried |= answer->is_autotuned;
    sums->over_ns += exceeds_duration ? duration : 0;
}

void roofline_join(struct roofline *sums, const struct roofline *more)
{
    sums->exclusive_ns += more->exclusive_ns;
    sums->sum_ns += more->sum_ns;
    sums->kernels += more->kernels;
    sums->told += more->told;
    sums->is_guess |= more->is_guess;
    sums->is_tried |= more->is_tried;
    sums->over_ns += more->over_ns;
    sums->flops += more->flops;
    sums->bytes += more->bytes;
    sums->known_ns += more->known_ns;
    sums->known_flops += more->known_flops;
    sums->known_bytes += more->known_bytes;
    sums->ideal_ns += more->ideal_ns;
    sums->lower_ns += more->lower_ns;
    for (unsigned l = 0; l < LIMITS; l++)
        sums->by_limit[l] += more->by_limit[l];
}

unsigned roofline_largest_limit(const double by_limit[LIMITS])
{
    unsigned largest = 0;
    for (unsigned l = 1; l < LIMITS; l++)
        if (by_limit[l] > by_limit[largest])
            largest = l;
    return by_limit[largest] > 0 ? largest : (unsigned)LIMIT_NONE;
}
