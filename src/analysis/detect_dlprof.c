// SPDX-License-Identifier: Apache-2.0
// DLProf's detectors whose rules and texts are known, word for word. See detect_dlprof_more.c for
// the others.
#include <string.h>
#include <strings.h>

#include "analysis/breakdown.h"
#include "analysis/detect_list.h"
#include "analysis/op_metrics.h"
#include "model/markers.h"
#include "model/rules.h"

#define DALI_ADVICE                                                                             \
    "Consider using NVIDIA DALI, a library that is a high performance alternative to built-in " \
    "data loaders and data iterators. Learn more here: https://developer.nvidia.com/DALI"

static double share(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

bool detect_text_has(const char *text, const char *word)
{
    return strcasestr(text, word) != NULL;
}

static bool any_op_has(const struct profile *profile, const char *word)
{
    for (uint32_t i = 0; profile->ops && i < profile->ops->count; i++) {
        const struct op *op = &profile->ops->items[i];
        if (detect_text_has(profile_text(profile, op->type), word) ||
            detect_text_has(profile_text(profile, op->name), word))
            return true;
    }
    return false;
}

static bool is_tensorflow(const struct profile *profile)
{
    return profile->mode == MODE_TENSORFLOW1 || profile->mode == MODE_TENSORFLOW2;
}

// ---- XLA ---------------------------------------------------------------------------------------

static void no_fusion(const struct profile *profile, const struct selection *selection,
                      struct finding_list *findings)
{
    (void)selection;
    if (!is_tensorflow(profile) || any_op_has(profile, "xla"))
        return;
    struct finding *finding = finding_add(findings, &detect_no_fusion, SEVERITY_NOTE);
    finding->problem = "XLA is not enabled: No XLA ops detected";
    finding->recommendation =
        "Try enabling XLA. See https://www.tensorflow.org/xla/#enable_xla_for_tensorflow_models "
        "for information on how to enable XLA.";
    finding->opens = "op_type";
}

const struct detector detect_no_fusion = {
    .id = "no_fusion_detector",
    .title = "XLA not used",
    .doc = "TensorFlow: no op of XLA ran.",
    .is_dlprof = true,
    .detect = no_fusion,
};

// ---- AMP ---------------------------------------------------------------------------------------

// bfloat16 and the 8-bit types silence the advice as well: they are what AMP would give.
static bool is_reduced_type(const char *type)
{
    static const char *const names[] = {"half", "float16", "bfloat16", "fp16",
                                        "bf16", "float8",  "fp8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (detect_text_has(type, names[i]))
            return true;
    return false;
}

static void amp(const struct profile *profile, const struct selection *selection,
                struct finding_list *findings)
{
    struct op_metrics_list list = op_metrics_build(profile, selection, findings->arena);
    int64_t eligible = 0, typed = 0, reduced = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        const struct op *op = &profile->ops->items[list.items[i].op];
        if (op->tensor_core_eligible != STATE_YES)
            continue;
        const char *type = profile_text(profile, op->data_type);
        eligible++;
        typed += *type != '\0';
        reduced += is_reduced_type(type);
    }
    if (eligible == 0 || reduced)
        return;
    if (typed == 0) {
        struct finding *finding = finding_add(findings, &detect_amp, SEVERITY_NOT_JUDGED);
        finding->problem = "The data types of the ops that could use Tensor Cores are not told";
        finding->recommendation = "Capture with markers that tell data types, such as those of "
                                  "nvidia_dlprof_pytorch_nvtx; --gpu-metrics-devices shows the "
                                  "use of the Tensor pipe instead";
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
    finding->why = arena_format(findings->arena,
                                "Of %u ops %lld could use Tensor Cores; no tensor of theirs has a "
                                "16-bit or 8-bit floating-point type",
                                list.count, (long long)eligible);
    finding->opens = "tensor";
}

const struct detector detect_amp = {
    .id = "amp_detector",
    .title = "no mixed precision",
    .doc = "Some op could use Tensor Cores and none has a float16 (here also: bfloat16 or float8) "
           "data type.",
    .is_dlprof = true,
    .detect = amp,
};

// ---- GPUs --------------------------------------------------------------------------------------

// GPUs that ran no kernel (copies do not count), "0 1 2"; "" when all did.
static const char *unused_devices(const struct profile *profile, struct arena *arena)
{
    const char *text = "";
    for (uint32_t d = 0; d < profile->device_count; d++) {
        const struct device *device = &profile->devices[d];
        bool used = false;
        for (uint32_t w = device->first_work; w < device->end_work && !used; w++)
            used = work_is_kernel(profile, w);
        if (!used)
            text = arena_format(arena, "%s%s%lld", text, *text ? " " : "",
                                (long long)device_number(profile, d));
    }
    return text;
}

static const struct usage {
    size_t category; // of breakdown_dlprof
    const char *name, *advice;
} usages[] = {
    {2, "Memory",
     "Consider overlapping memory copies with kernels, pinning host memory, and "
     "copying less"},
    {3, "Dataloader",
     "Investigate the dataloading pipeline as this often indicates too much time "
     "is being spent here"},
    {4, "I/O",
     "Investigate reading and writing of files as this often indicates that the GPU "
     "waits for the storage"},
    {5, "CPU", "Consider swapping ops that are running on the CPU for equivalent GPU ops"},
    {6, "\"Other\"",
     "Investigate the dataloading pipeline as this often indicates too much time "
     "is being spent here"},
};

static void underutilized(const struct profile *profile, const struct selection *selection,
                          struct finding_list *findings)
{
    struct arena *arena = findings->arena;
    if (profile->device_count == 0)
        return;
    const char *unused = unused_devices(profile, arena);
    if (*unused) {
        // Others may be using them: the file lists every GPU of the machine.
        struct finding *finding = finding_add(findings, &detect_underutilized_gpu, SEVERITY_NOTE);
        finding->problem =
            arena_format(arena, "The following GPU device IDs are not being used: %s", unused);
        finding->recommendation = "Make sure to pass the necessary options to docker, the "
                                  "framework, and the model to use all available GPUs";
        finding->opens = "devices";
        return;
    }
    struct breakdown breakdown = breakdown_total(profile, selection, &breakdown_dlprof, arena);
    double kernels = share(breakdown.ns[0] + breakdown.ns[1], breakdown.window_ns);
    double limit = rules_threshold(rules_get(), "underutilized_gpu.share", 0.5);
    if (breakdown.window_ns <= 0 || kernels >= limit)
        return;
    const struct usage *most = &usages[0];
    for (size_t i = 1; i < sizeof usages / sizeof *usages; i++)
        if (breakdown.ns[usages[i].category] > breakdown.ns[most->category])
            most = &usages[i];
    // DLProf counts kernels only, over all of the host's time, start-up included: what it says then
    // is a note on screen, beside the bar that says how busy the GPU is by its own clock.
    struct breakdown gpu = breakdown_total(profile, selection, &breakdown_gpu, arena);
    double idle = share(gpu.ns[breakdown_gpu.count - 1], gpu.window_ns);
    struct finding *finding =
        finding_add(findings, &detect_underutilized_gpu, SEVERITY_NOTE);
    finding->why =
        arena_format(arena,
                     "By the GPU's own clock, from its first work on, it is busy "
                     "%.1f %% of the time: kernels %.1f %%, communication alone %.1f "
                     "%%, copies alone %.1f %%, graphs %.1f %%",
                     100 * (1 - idle), 100 * share(gpu.ns[0] + gpu.ns[1], gpu.window_ns),
                     100 * share(gpu.ns[2], gpu.window_ns), 100 * share(gpu.ns[3], gpu.window_ns),
                     100 * share(gpu.ns[4], gpu.window_ns));
    finding->problem = arena_format(arena,
                                    "The GPU is underutilized: Only %.1f%% of the profiled time "
                                    "is spent on GPU kernel operations",
                                    100 * kernels);
    finding->recommendation =
        arena_format(arena, "%s has the highest (non-GPU) usage at %.1f%%. %s", most->name,
                     100 * share(breakdown.ns[most->category], breakdown.window_ns), most->advice);
    finding->opens = "breakdown";
}

const struct detector detect_underutilized_gpu = {
    .id = "underutilized_gpu_detector",
    .title = "GPU underutilized",
    .doc = "Some GPU ran no kernel; or kernels fill less than underutilized_gpu.share of the wall "
           "clock. Only a note where the GPU is busy by its own clock.",
    .is_dlprof = true,
    .detect = underutilized,
};

// ---- data loader -------------------------------------------------------------------------------

static bool has_dali(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->domain_count; i++)
        if (detect_text_has(profile_text(profile, profile->domains[i].name), "dali"))
            return true;
    return any_op_has(profile, "dali");
}

static void dataloader(const struct profile *profile, const struct selection *selection,
                       struct finding_list *findings)
{
    struct arena *arena = findings->arena;
    if (profile->mode != MODE_PYTORCH)
        return;
    struct breakdown breakdown = breakdown_total(profile, selection, &breakdown_dlprof, arena);
    double loading = share(breakdown.ns[3], breakdown.window_ns);
    bool dali = has_dali(profile);
    if (loading > rules_threshold(rules_get(), "dataloader.share", 0.1)) {
        struct finding *finding = finding_add(findings, &detect_dataloader, SEVERITY_WARNING);
        finding->problem = arena_format(arena,
                                        "%.1f%% of the aggregated run was spent in the dataloader "
                                        "while not simultaneously running on the GPU",
                                        100 * loading);
        finding->recommendation = arena_format(
            arena,
            "Focus on reducing time spent in the training data input process. This could be time "
            "spent in file reading, preprocessing and augmentation or file transfer.%s",
            dali ? "" : "\n" DALI_ADVICE);
        finding->opens = "breakdown";
    } else if (!dali) {
        struct finding *finding = finding_add(findings, &detect_dataloader, SEVERITY_NOTE);
        finding->problem = "No DALI ops detected";
        finding->recommendation = DALI_ADVICE;
        finding->why = "The data loader costs little here: DLProf says this of every PyTorch "
                       "profile without DALI";
        finding->opens = "op_type";
    }
}

const struct detector detect_dataloader = {
    .id = "dataloader_detector",
    .title = "data loading",
    .doc = "PyTorch: data loader ops while the GPU does nothing take more than dataloader.share of "
           "the wall clock; otherwise that no DALI op ran.",
    .is_dlprof = true,
    .detect = dataloader,
};

// ---- iterations --------------------------------------------------------------------------------

static void no_iterations(const struct profile *profile, const struct selection *selection,
                          struct finding_list *findings)
{
    (void)profile;
    const struct split *split = selection->split;
    if (split->key_found || split->method == SPLIT_RANGES)
        return;
    struct finding *finding = finding_add(findings, &detect_no_iterations, SEVERITY_NOTE);
    finding->problem = arena_format(
        findings->arena, "Unable to split profile into training iterations: key op %s not found",
        split->key ? split->key : "");
    finding->recommendation = "Specify key op by setting the --key_op argument";
    finding->opens = "ranges";
}

const struct detector detect_no_iterations = {
    .id = "no_iterations_detector",
    .title = "no iterations",
    .doc = "The key op was not found, so that the whole profile is one iteration.",
    .is_dlprof = true,
    .detect = no_iterations,
};

// ---- cuDNN -------------------------------------------------------------------------------------

static void cudnn_benchmark(const struct profile *profile, const struct selection *selection,
                            struct finding_list *findings)
{
    (void)selection;
    if (profile->mode != MODE_PYTORCH || profile->config.cudnn_benchmark_disabled != 1)
        return;
    bool has_convolution = false;
    for (uint32_t i = 0; profile->ops && i < profile->ops->count; i++)
        has_convolution =
            has_convolution ||
            strncasecmp(profile_text(profile, profile->ops->items[i].type), "conv", 4) == 0;
    if (!has_convolution)
        return;
    struct finding *finding = finding_add(findings, &detect_cudnn_benchmark, SEVERITY_WARNING);
    finding->problem = "Convolution operations were detected but torch.backends.cudnn.benchmark "
                       "was not enabled.";
    finding->recommendation = "Try setting torch.backends.cudnn.benchmark = True in your network. "
                              "For best performance, the input shapes should be relatively stable.";
    finding->opens = "op_type";
}

const struct detector detect_cudnn_benchmark = {
    .id = "cudnn_benchmark_detector",
    .title = "cuDNN benchmark off",
    .doc = "PyTorch: there are convolutions, and the model's configuration says that "
           "cudnn.benchmark is off.",
    .is_dlprof = true,
    .detect = cudnn_benchmark,
};

// ---- batch size --------------------------------------------------------------------------------

static void batch_size(const struct profile *profile, const struct selection *selection,
                       struct finding_list *findings)
{
    (void)selection;
    if (profile->device_count == 0)
        return;
    // Only a profiling run of DLProf measured the GPU's memory; no export of nsys tells it.
    struct finding *finding = finding_add(findings, &detect_batch_size, SEVERITY_NOT_JUDGED);
    finding->problem = "How much of the GPU's memory is used is not told";
    finding->recommendation = "With little of it used a larger batch may raise the throughput";
    finding->flag = "--cuda-memory-usage=true";
}

const struct detector detect_batch_size = {
    .id = "batch_size_detector",
    .title = "GPU memory underutilized",
    .doc = "Little of the busiest GPU's memory is used. Never judged: an nsys export does not tell "
           "the share of memory that is used.",
    .is_dlprof = true,
    .detect = batch_size,
};
