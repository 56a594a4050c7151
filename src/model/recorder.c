// SPDX-License-Identifier: Apache-2.0
#include "model/recorder.h"

#include <string.h>

enum recorder recorder_of(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->source_count; i++)
        if (strcmp(profile->sources[i].format, "kineto") != 0)
            return RECORDER_NSYS;
    return profile->source_count ? RECORDER_PYTORCH : RECORDER_NSYS;
}

// By how nsys's option begins; the first counts.
static const struct {
    const char *nsys, *pytorch; // NULL: it records nothing of the kind
} options[] = {
    {"-t osrt", NULL},
    {"-t cuda", "activities=[CPU, CUDA]"},
    {"-t nvtx", "activities=[CPU, CUDA]"},
    {"--cuda-memory-usage", "profile_memory=True"},
    {"--cudabacktrace", "with_stack=True"},
    {"--python-backtrace", "with_stack=True"},
    {"--pytorch", "record_shapes=True"},
    {"--gpu-metrics-devices", NULL},
    {"--cuda-graph-trace", NULL},
    {"--cuda-event-trace", NULL},
};

const char *recorder_option(const struct profile *profile, const char *option)
{
    if (!option || recorder_of(profile) == RECORDER_NSYS)
        return option;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strncmp(option, options[i].nsys, strlen(options[i].nsys)) == 0)
            return options[i].pytorch;
    return option;
}

static const char *const lacks[LACK_COUNT][RECORDER_COUNT] = {
    [LACKS_WORK] =
        {"The profile holds no GPU work: it lacks table CUPTI_ACTIVITY_KIND_KERNEL, which "
         "nsys profile --trace=cuda records where a GPU runs anything.",
         "The profile holds no GPU work: no event is a kernel, a copy or a memset, which "
         "profile(activities=[CPU, CUDA]) records where a GPU runs anything."},
    [LACKS_CALLS] = {"The profile holds no CUDA API calls: it lacks table "
                     "CUPTI_ACTIVITY_KIND_RUNTIME, which nsys profile --trace=cuda records.",
                     "The profile holds no CUDA API calls: no event is of cuda_runtime or "
                     "cuda_driver, which profile(activities=[CPU, CUDA]) records."},
    [LACKS_COPIES] =
        {"The profile holds no copies and no memsets: tables CUPTI_ACTIVITY_KIND_MEMCPY "
         "and CUPTI_ACTIVITY_KIND_MEMSET, which nsys profile --trace=cuda records.",
         "The profile holds no copies and no memsets: no event is of gpu_memcpy or "
         "gpu_memset, which profile(activities=[CPU, CUDA]) records."},
    [LACKS_RANGES] = {"NVTX was not captured: nsys profile --trace=cuda,nvtx records it.",
                      "The trace has no ops and no annotations: profile(activities=[CPU, CUDA]) "
                      "records them."},
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
                   "Nothing is judged: no GPU work; profile(activities=[CPU, CUDA]) records it"},
};

const char *recorder_lack_text(const struct profile *profile, enum recorder_lack lack)
{
    return lacks[lack][recorder_of(profile)];
}
