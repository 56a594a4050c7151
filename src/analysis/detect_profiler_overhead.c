// SPDX-License-Identifier: Apache-2.0
// The profiler itself holds the program up: no gain for the program, but a better capture.
#include "analysis/cause_time.h"
#include "analysis/detect_list.h"

// Idle that the profiler made belongs to nobody else: no change of the program wins it back.
static void block_idle(struct step *step)
{
    for (size_t s = 0; s < step->count; s++) {
        const struct stretch *stretch = &step->stretches[s];
        for (size_t i = stretch->first_part; i < stretch->end_part; i++) {
            int64_t from, to;
            if (step->idle->parts[i].cause == IDLE_PROFILER &&
                stretch_part(step, stretch, i, &from, &to))
                claims_want(&step->claims, from, to, 0, stretch->window);
        }
    }
    claims_take(&step->claims, NULL);
}

static void profiler_overhead(struct step *step, struct finding_list *findings)
{
    int64_t *names =
        ARENA_ARRAY(step->scratch, int64_t, (size_t)strings_count(step->profile->strings) + 1);
    const struct overheads *rows = &step->profile->overheads;
    struct lead lead = {.step = step};
    lead_spend_activity(&lead, HOST_PROFILER, 0);
    lead_want(&lead);
    int64_t gain = claims_measure(&step->claims);
    bool is_much = step_share(step, gain) > expert_threshold("profiler_overhead.share");
    if (is_much && !step->has_steps)
        cause_lacks_steps(findings, &detect_profiler_overhead,
                          "The profiler itself keeps the GPU waiting; without steps it is not told "
                          "whether only at the beginning");
    bool speaks =
        is_much && step->has_steps &&
        step_windows_hit(step) > expert_threshold("profiler_overhead.steps") * step->window_count;
    struct finding *finding =
        step_claim(step, findings, &detect_profiler_overhead, speaks, gain, CERTAINTY_CERTAIN);
    block_idle(step);
    if (!finding)
        return;
    for (uint32_t i = 0; i < rows->count; i++)
        if (overhead_activity(profile_text(step->profile, rows->name[i])) == HOST_PROFILER)
            names[rows->name[i]] += rows->end[i] - rows->start[i];
    const char *name = cause_name(step, names);
    finding->problem = arena_format(
        step->arena,
        "The profiler itself keeps the GPU waiting: %s %s. This is no gain: capture differently",
        step_duration(step, gain), step_unit(step));
    finding->recommendation =
        "Capture again with less: fewer steps (--capture-range), no --cuda-memory-usage, no "
        "backtraces, fewer ranges; until then take what is said of the host with care";
    finding->why = arena_format(
        step->arena,
        "The profiler's own rows%s on threads that launch. The bound is the idle time that they "
        "make: the program without a profiler is faster by about that",
        name ? arena_format(step->arena, ", most of them \"%s\",", name) : "");
    finding->opens = "trust";
}

const struct detector detect_profiler_overhead = {
    .id = "profiler_overhead",
    .title = "the profiler holds the program up",
    .doc = "The profiler says that it was busy with itself on threads that launch, and the GPU is "
           "idle for it in more than profiler_overhead.steps of the steps and for more than "
           "profiler_overhead.share of the step. A full queue, compiling and loading do not count. "
           "Bound: that idle time, which is no gain for the program.",
    .claim = profiler_overhead,
};
