// SPDX-License-Identifier: Apache-2.0
// The capture command that records what a profile lacks, with the price of each of its options.
#include <string.h>

#include "analysis/detectors/expert.h"
#include "model/profile/recorder.h"
#include "model/profile/vendor.h"

static bool has_note_flag(const struct profile *profile, const char *flag)
{
    for (size_t i = 0; i < profile->note_count; i++)
        if (profile->notes[i].flag && strncmp(profile->notes[i].flag, flag, strlen(flag)) == 0)
            return true;
    return false;
}

static bool lacks_gpu_metrics(const struct profile *profile)
{
    return !profile->has_gpu_metrics;
}

static bool lacks_memory(const struct profile *profile)
{
    return !profile->has_memory_events;
}

static bool lacks_allocations(const struct profile *profile)
{
    return !profile->has_allocations;
}

static bool lacks_frames(const struct profile *profile)
{
    return profile->frames.count == 0;
}

static bool lacks_ranges(const struct profile *profile)
{
    return profile->ranges.count == 0 || has_note_flag(profile, "--pytorch");
}

// PyTorch calls HIP CUDA.
static bool is_other_vendor(const struct profile *profile)
{
    return profile_vendor(profile) == VENDOR_OTHER;
}

static bool is_cuda_api(const struct profile *profile)
{
    return !is_other_vendor(profile);
}

struct capture_flag {
    const char *text, *price;
    bool (*is_wanted)(const struct profile *profile); // NULL: always
};

static const struct capture_flag nsys_flags[] = {
    {"-t cuda,nvtx,osrt",
     "API calls and ranges: microseconds each; OS calls cost more when there are "
     "very many",
     NULL},
    {"--sample=none --cpuctxsw=none", "nothing: leaves out what is not used here", NULL},
    {"--cuda-graph-trace=node",
     "graph replays run slower, every node is recorded; without it "
     "a replay is one opaque block",
     NULL},
    {"--cuda-event-trace=false", "nothing: event tracing adds false dependencies", NULL},
    {"--capture-range=cudaProfilerApi --capture-range-end=stop",
     "cudaProfilerStart() and cudaProfilerStop() around some steps in the script; leave it out "
     "to record the whole run",
     NULL},
    {"--gpu-metrics-devices=cuda-visible",
     "needs permission for GPU counters; 10,000 samples a second and GPU in the file",
     lacks_gpu_metrics},
    {"--cuda-memory-usage=true", "a little per allocation", lacks_memory},
    {"--python-backtrace=cuda --cudabacktrace=sync,memory",
     "a stack per synchronising call and copy: 10 us and more each", lacks_frames},
    {"--pytorch=autograd-shapes-nvtx",
     "a range per op: 20 to 60 % of the host's time; for attribution, not for timing the host",
     lacks_ranges},
    {"--export=sqlite", "the file that this program opens, written after the run", NULL},
};

// Arguments of torch.profiler.profile().
static const struct capture_flag pytorch_flags[] = {
    {"activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]",
     "microseconds for each op and call", is_cuda_api},
    {"activities=supported_activities()", "microseconds for each op and call", is_other_vendor},
    {"schedule=schedule(wait=1, warmup=2, active=3)",
     "three steps and not the whole run; prof.step() at the end of each", NULL},
    {"record_shapes=True", "little; operators by shape, FLOPs", NULL},
    {"profile_memory=True", "an event for each allocation and free", lacks_allocations},
    {"with_stack=True",
     "an event for each call of Python: the host takes twice as long and more; lines of the "
     "program, modules",
     lacks_frames},
    {"on_trace_ready=tensorboard_trace_handler(\"traces\", use_gzip=True)",
     "a file of each rank, written after the steps", NULL},
};

static const struct {
    const char *begins, *parts, *ends; // text before, between and after the flags
    const struct capture_flag *flags;
    size_t count;
} capture_lines[RECORDER_COUNT] = {
    [RECORDER_NSYS] = {"nsys profile ", " ", " -o profile PROGRAM", nsys_flags,
                       sizeof nsys_flags / sizeof *nsys_flags},
    [RECORDER_PYTORCH] = {"with torch.profiler.profile(", ", ", ") as prof:", pytorch_flags,
                          sizeof pytorch_flags / sizeof *pytorch_flags},
};

const char *expert_capture_line(const struct profile *profile, struct arena *arena)
{
    enum recorder recorder = recorder_of(profile);
    const char *line = capture_lines[recorder].begins, *prices = "", *parts = "";
    for (size_t i = 0; i < capture_lines[recorder].count; i++) {
        const struct capture_flag *flag = &capture_lines[recorder].flags[i];
        if (flag->is_wanted && !flag->is_wanted(profile))
            continue;
        line = arena_format(arena, "%s%s%s", line, parts, flag->text);
        parts = capture_lines[recorder].parts;
        prices = arena_format(arena, "%s\n%s\n    %s", prices, flag->text, flag->price);
    }
    return arena_format(arena, "%s%s\n%s", line, capture_lines[recorder].ends, prices);
}
