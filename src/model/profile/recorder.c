// SPDX-License-Identifier: Apache-2.0
// Texts and options that depend on the profiler: one column per recorder, one row per text.
#include "model/profile/recorder.h"

#include <string.h>

#include "model/profile/vendor.h"

bool source_is_trace(const struct source *source)
{
    return strcmp(source->format, "kineto") == 0;
}

bool profile_is_trace(const struct profile *profile)
{
    return profile->source_count > 0 && source_is_trace(&profile->sources[0]);
}

enum recorder recorder_of(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->source_count; i++)
        if (!source_is_trace(&profile->sources[i]))
            return RECORDER_NSYS;
    return profile->source_count ? RECORDER_PYTORCH : RECORDER_NSYS;
}

const char *recorder_ranges(const struct profile *profile)
{
    return recorder_of(profile) == RECORDER_NSYS ? "NVTX" : "ops";
}

// Arguments that record any device.
#define CUDA_ACTIVITIES "activities=[CPU, CUDA]"
#define EVERY_ACTIVITY  "activities=supported_activities()"

// The first option of nsys that is a prefix wins.
static const struct {
    const char *nsys, *pytorch; // NULL: the PyTorch Profiler records nothing like it
} option_names[] = {
    {"-t osrt", NULL},
    {"-t cuda", CUDA_ACTIVITIES},
    {"-t nvtx", CUDA_ACTIVITIES},
    {"--cuda-memory-usage", "profile_memory=True"},
    {"--cudabacktrace", "with_stack=True"},
    {"--python-backtrace", "with_stack=True"},
    {"--pytorch", "record_shapes=True"},
    {"--gpu-metrics-devices", NULL},
    {"--cuda-graph-trace", NULL},
    {"--cuda-event-trace", NULL},
};

// True for a trace of a device that is driven by neither CUDA nor HIP.
static bool is_other_device(const struct profile *profile)
{
    return recorder_of(profile) == RECORDER_PYTORCH && profile_vendor(profile) == VENDOR_OTHER;
}

const char *recorder_option(const struct profile *profile, const char *option)
{
    if (!option || recorder_of(profile) == RECORDER_NSYS)
        return option;
    for (size_t i = 0; i < sizeof option_names / sizeof *option_names; i++)
        if (strncmp(option, option_names[i].nsys, strlen(option_names[i].nsys)) == 0)
            return is_other_device(profile) && option_names[i].pytorch &&
                           strcmp(option_names[i].pytorch, CUDA_ACTIVITIES) == 0
                       ? EVERY_ACTIVITY
                       : option_names[i].pytorch;
    return option;
}

// The last text is for traces of such a device; NULL: the same text as for other traces.
static const char *const lack_texts[LACK_COUNT][RECORDER_COUNT + 1] = {
    [LACKS_WORK] =
        {"The profile holds no GPU work: it lacks table CUPTI_ACTIVITY_KIND_KERNEL, which "
         "nsys profile --trace=cuda records where a GPU runs anything.",
         "The profile holds no GPU work: no event is a kernel, a copy or a memset, which "
         "profile(activities=[CPU, CUDA]) records where a GPU runs anything.",
         "The profile holds no GPU work: no event is a kernel, a copy or a memset. Others of the "
         "device are not read."},
    [LACKS_CALLS] = {"The profile holds no CUDA API calls: it lacks table "
                     "CUPTI_ACTIVITY_KIND_RUNTIME, which nsys profile --trace=cuda records.",
                     "The profile holds no CUDA API calls: no event is of cuda_runtime or "
                     "cuda_driver, which profile(activities=[CPU, CUDA]) records.",
                     "The profile holds no calls of the device's runtime, which "
                     "profile(" EVERY_ACTIVITY ") records."},
    [LACKS_COPIES] =
        {"The profile holds no copies and no memsets: tables CUPTI_ACTIVITY_KIND_MEMCPY "
         "and CUPTI_ACTIVITY_KIND_MEMSET, which nsys profile --trace=cuda records.",
         "The profile holds no copies and no memsets: no event is of gpu_memcpy or "
         "gpu_memset, which profile(activities=[CPU, CUDA]) records.",
         "The profile holds no copies and no memsets: no event is of gpu_memcpy or gpu_memset."},
    [LACKS_RANGES] = {"NVTX was not captured: nsys profile --trace=cuda,nvtx records it.",
                      "The trace has no ops and no annotations: profile(activities=[CPU, CUDA]) "
                      "records them.",
                      "The trace has no ops and no annotations: profile(" EVERY_ACTIVITY
                      ") records them."},
    [LACKS_OPERATORS] =
        {"No operator is known. Steps run under torch.autograd.profiler.emit_nvtx() "
         "have a range for each.",
         "No operator is known: profile(activities=[CPU, CUDA]) records them.",
         "No operator is known: profile(" EVERY_ACTIVITY ") records them."},
    [LACKS_MODULES] = {"No module is known. A range around each layer tells them: "
                       "torch.cuda.nvtx.range(\"layer:NAME\").",
                       "No module is known: profile(with_stack=True, with_modules=True) records "
                       "them."},
    [LACKS_ALLOCATIONS] = {"The profile holds no allocations: table CUDA_GPU_MEMORY_USAGE_EVENTS, "
                           "which nsys profile --cuda-memory-usage=true records.",
                           "The profile holds no allocations through the driver, which the PyTorch "
                           "Profiler does not record; what its allocator hands out "
                           "profile(profile_memory=True) does."},
    [LACKS_LINES] = {"No line of the program is known: the file has no call chains (table "
                     "CUDA_CALLCHAINS; nsys profile --cudabacktrace=all --python-backtrace=cuda "
                     "records them) and no markers with call stacks (traceMarker of DLProf's and "
                     "PyProf's plugins).",
                     "No line of the program is known: the trace has no frames of Python, which "
                     "profile(with_stack=True) records."},
    [LACKS_SHAPES] = {"no shapes: record emit_nvtx(record_shapes=True)",
                      "no shapes: profile(record_shapes=True) records them"},
    [LACKS_SHAPES_LONG] =
        {"Capture with --pytorch=autograd-shapes-nvtx, or under "
         "torch.autograd.profiler.emit_nvtx(record_shapes=True): each range then tells its "
         "sizes; kernels in CUDA graphs have no range of their own",
         "Record with profile(record_shapes=True): each op then tells its sizes; kernels in CUDA "
         "graphs have no op of their own"},
    [LACKS_ALL] = {"Nothing is judged: no CUDA rows; nsys profile -t cuda,nvtx records them",
                   "Nothing is judged: no GPU work; profile(activities=[CPU, CUDA]) records it",
                   "Nothing is judged: the trace has no kernels, copies or memsets of its device"},
    [LACKS_WORK_LONG] = {"Capture again, with the program running on the GPU in the time that is "
                         "recorded",
                         "Record again, with the program running on the GPU in the time that is "
                         "recorded",
                         "Nothing to do: what this device records is no kernel, copy or memset, "
                         "and is not read"},
};

const char *recorder_lack_text(const struct profile *profile, enum recorder_lack lack)
{
    const char *other = lack_texts[lack][RECORDER_COUNT];
    return other && is_other_device(profile) ? other : lack_texts[lack][recorder_of(profile)];
}

static const char *const advice_texts[ADVICE_COUNT][RECORDER_COUNT] = {
    [ADVISE_STEPS] = {"Surest are NVTX ranges around steps (\"step 1\", ...)",
                      "Surest is prof.step() at the end of each step"},
    [ADVISE_MICRO_BATCHES] =
        {"Ranges around steps and micro-batches (nvtx.range_push(f\"microbatch {i}\")) tell it",
         "record_function(f\"microbatch {i}\") around micro-batches, and prof.step(), tell it"},
    [ADVISE_TYPES] = {"Capture with markers that tell data types, such as those of "
                      "nvidia_dlprof_pytorch_nvtx; --gpu-metrics-devices shows the use of the "
                      "Tensor pipe instead",
                      "Record with profile(record_shapes=True): each op then tells the types of "
                      "its inputs"},
    [ADVISE_LOST] = {"Capture less: fewer kinds of events (-t), a shorter time, "
                     "--cuda-flush-interval; what is missing looks like idle time and like ops "
                     "that did not run",
                     "Record less: fewer steps, no with_stack; what is missing looks like idle "
                     "time and like ops that did not run"},
    [ADVISE_EVENTS] =
        {"Capture again with --cuda-event-trace=false before doing anything about overlap",
         "Record again without CUDA's events before doing anything about overlap"},
    [ADVISE_OPS_COST] =
        {"A range around every op was recorded (emit_nvtx, --pytorch=autograd-nvtx): the host is "
         "slower than without, so that gaps between kernels are longer than they are",
         NULL},
    [ADVISE_OPS] = {"Judge what the host costs by a capture without these ranges; they are for "
                    "finding out which op launched what",
                    NULL},
    [ADVISE_LATE] = {"Leave the loading out of what is captured and judged "
                     "(--capture-range=cudaProfilerApi); it happens once",
                     "Leave the loading out of what is recorded and judged "
                     "(schedule(skip_first=10, ...)); it happens once"},
    [ADVISE_LESS] =
        {"Capture again with less: fewer steps (--capture-range), no --cuda-memory-usage, no "
         "backtraces, fewer ranges; until then take what is said of the host with care",
         "Record again with less: fewer steps (schedule(active=3)), no profile_memory, no "
         "with_stack; until then take what is said of the host with care"},
    [ADVISE_CLOCKS] = {"Capture all processes of a machine in one run of nsys (nsys profile "
                       "torchrun ...), or keep the clocks of machines together (chrony, PTP)",
                       "Keep the clocks of machines together (chrony, PTP), and record the same "
                       "steps in all ranks"},
};

const char *recorder_advice_text(const struct profile *profile, enum recorder_advice advice)
{
    return advice_texts[advice][recorder_of(profile)];
}
