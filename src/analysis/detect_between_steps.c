// SPDX-License-Identifier: Apache-2.0
// The GPU is idle between the last launch of a step and the first of the next.
#include "analysis/cause_time.h"
#include "analysis/detect_list.h"

struct between {
    struct lead lead;
    int64_t host_ns, *os_ns; // between chosen steps; of it by name of a call to the system
};

static void add_os_calls(struct between *between, uint32_t row, int64_t from, int64_t to)
{
    const struct profile *profile = between->lead.step->profile;
    const struct os_calls *osrt = &profile->osrt;
    uint32_t low = profile->threads[row].first_osrt, high = profile->threads[row].end_osrt;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (osrt->start[middle] < from)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < profile->threads[row].end_osrt && osrt->start[low] < to; low++) {
        int64_t end = osrt->end[low] < to ? osrt->end[low] : to;
        between->os_ns[osrt->name[low]] += end - osrt->start[low];
    }
}

struct launches {       // of one step
    int64_t end, start; // of the last one, of the first one
    uint32_t thread;    // of the first one
    bool is_chosen;     // the step is: what follows its last launch lies in its window
};

// The time between the last launch of a step and the first of the next, whoever launches.
static void add_steps(struct between *between)
{
    struct step *step = between->lead.step;
    const struct profile *profile = step->profile;
    const struct api_calls *api = &profile->api;
    uint32_t count = step->selection->split->count;
    struct launches *launches = ARENA_ARRAY(step->scratch, struct launches, (size_t)count + 1);
    for (uint32_t i = 0; i < count; i++)
        launches[i] = (struct launches){INT64_MIN, INT64_MAX, ROW_NONE, false};
    for (uint32_t t = 0; t < profile->thread_count; t++) {
        const struct thread *thread = &profile->threads[t];
        for (uint32_t call = thread->first_api; lead_line(step, t) && call < thread->end_api;
             call++) {
            if (api->first_work[call] == api->first_work[call + 1])
                continue;
            uint32_t work = api->work_rows[api->first_work[call]];
            uint32_t iteration = step->selection->split->of_work[work];
            if (iteration >= count || work_device(profile, work) != step->device)
                continue;
            struct launches *of = &launches[iteration];
            of->is_chosen = of->is_chosen || step_has_work(step, work);
            of->end = api->end[call] > of->end ? api->end[call] : of->end;
            if (api->start[call] < of->start) {
                of->start = api->start[call];
                of->thread = t;
            }
        }
    }
    for (uint32_t i = 1; i < count; i++) {
        if (launches[i].thread == ROW_NONE || !launches[i - 1].is_chosen)
            continue;
        int64_t from = launches[i - 1].end, to = launches[i].start;
        between->host_ns += lead_spend_plain(&between->lead, launches[i].thread, from, to, 0);
        add_os_calls(between, launches[i].thread, from, to);
    }
}

static void between_steps(struct step *step, struct finding_list *findings)
{
    const struct profile *profile = step->profile;
    if (step->hides_work)
        return;
    if (!step->has_steps) {
        int64_t idle_ns =
            cause_time(step, IDLE_HOST).idle_ns + cause_time(step, IDLE_UNKNOWN).idle_ns;
        if (step_share(step, idle_ns) > expert_threshold("between_steps.share"))
            cause_lacks_steps(findings, &detect_between_steps,
                              "The GPU waits for the host; without steps it is not told whether "
                              "between them");
        return;
    }
    struct between between = {.lead = {.step = step}};
    between.os_ns =
        ARENA_ARRAY(step->scratch, int64_t, (size_t)strings_count(profile->strings) + 1);
    add_steps(&between);
    lead_want(&between.lead);
    int64_t gain = claims_measure(&step->claims);
    uint32_t hit = step_windows_hit(step);
    bool speaks = hit >= expert_threshold("between_steps.steps") &&
                  step_share(step, gain) > expert_threshold("between_steps.share");
    struct finding *finding =
        step_claim(step, findings, &detect_between_steps, speaks, gain, step_host_certainty(step));
    if (!finding)
        return;
    const char *name = cause_name(step, between.os_ns);
    finding->problem =
        arena_format(step->arena, "The GPU is idle between steps%s: %s %s",
                     name ? arena_format(step->arena, ", where the host is in %s", name) : "",
                     step_duration(step, gain), step_unit(step));
    finding->recommendation =
        "Do what lies between steps less often or in a thread beside: logging, writing and "
        "flushing files, checkpoints (copy to pinned memory and save from there), switching "
        "between training and evaluation; queue the next step's work before it";
    finding->why = arena_format(
        step->arena,
        "From the last launch of a step to the first of the next the host spends %s %s, not "
        "counting data loaders and waits. The bound is the idle time that this makes, in %u of %u "
        "steps",
        step_duration(step, between.host_ns), step_unit(step), hit, step->window_count);
    finding->opens = "iterations";
}

const struct detector detect_between_steps = {
    .id = "between_steps",
    .title = "the GPU is idle between steps",
    .doc = "The host spends time between the last launch of a step and the first of the next, in "
           "no data loader, synchronising call, compiler or allocator, and the GPU is idle for it "
           "in at least between_steps.steps steps and for more than between_steps.share of the "
           "step. Bound: the idle time that goes away when the host launches earlier by that time.",
    .claim = between_steps,
};
