// SPDX-License-Identifier: Apache-2.0
#include "analysis/expert.h"

#include <string.h>

#include "analysis/detect_list.h"

const struct detector *const detectors[] = {
    &detect_no_fusion,  &detect_amp,           &detect_underutilized_gpu, &detect_imbalanced_gpu,
    &detect_dataloader, &detect_no_iterations, &detect_bad_iterations,    &detect_cudnn_benchmark,
    &detect_batch_size, &detect_emit_nvtx,     &detect_slow_api,          &detect_tensor_shape,
};
const size_t detector_count = sizeof detectors / sizeof *detectors;

struct finding_list expert_run(const struct profile *profile, const struct selection *selection,
                               struct arena *arena)
{
    struct finding_list findings = {.arena = arena};
    for (size_t i = 0; i < detector_count; i++) {
        size_t first = findings.count;
        detectors[i]->detect(profile, selection, &findings);
        // Unless a detector says more, the proof is in what is selected.
        for (size_t f = first; f < findings.count; f++)
            if (!findings.items[f].evidence.split)
                findings.items[f].evidence = *selection;
    }
    return findings;
}

struct finding *finding_add(struct finding_list *findings, const struct detector *detector,
                            enum severity severity)
{
    struct finding *finding =
        &ARENA_PUSH(findings->arena, findings->items, findings->count, findings->capacity);
    *finding = (struct finding){
        .id = detector->id, .severity = severity, .problem = "", .recommendation = ""};
    return finding;
}

// ---- the capture line --------------------------------------------------------------------------

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

static bool lacks_frames(const struct profile *profile)
{
    return profile->frames.count == 0;
}

static bool lacks_ranges(const struct profile *profile)
{
    return profile->ranges.count == 0 || has_note_flag(profile, "--pytorch");
}

struct capture_flag {
    const char *text, *price;
    bool (*is_wanted)(const struct profile *profile); // NULL: always
};

static const struct capture_flag capture_flags[] = {
    {"-t cuda,nvtx,osrt",
     "API calls and ranges: some us each; OS calls cost more when there are "
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

const char *expert_capture_line(const struct profile *profile, struct arena *arena)
{
    const char *line = "nsys profile", *prices = "";
    for (size_t i = 0; i < sizeof capture_flags / sizeof *capture_flags; i++) {
        const struct capture_flag *flag = &capture_flags[i];
        if (flag->is_wanted && !flag->is_wanted(profile))
            continue;
        line = arena_format(arena, "%s %s", line, flag->text);
        prices = arena_format(arena, "%s\n%s\n    %s", prices, flag->text, flag->price);
    }
    return arena_format(arena, "%s -o profile PROGRAM\n%s", line, prices);
}
