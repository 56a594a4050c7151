// SPDX-License-Identifier: Apache-2.0
// The step is made of many CUDA graphs, and the host between them keeps the GPU waiting.
#include <string.h>

#include "analysis/cause_time.h"
#include "analysis/detect_list.h"

struct breaks {
    struct lead lead;
    bool *is_graph; // by name of a call
    uint32_t graphs;
    int64_t host_ns;
    string_id name;
    int64_t *node_ns;
};

// Between two graph launches of one step with no other launch between them.
static void add_thread(struct breaks *breaks, uint32_t row)
{
    struct step *step = breaks->lead.step;
    const struct profile *profile = step->profile;
    const struct api_calls *api = &profile->api;
    const struct thread *thread = &profile->threads[row];
    uint32_t last = ROW_NONE;
    for (uint32_t call = thread->first_api; call < thread->end_api; call++) {
        if (api->first_work[call] == api->first_work[call + 1])
            continue;
        uint32_t work = api->work_rows[api->first_work[call]];
        bool is_graph = breaks->is_graph[api->name[call]] && step_has_work(step, work);
        uint32_t before = last != ROW_NONE ? api->work_rows[api->first_work[last]] : ROW_NONE;
        const uint32_t *of_work = step->selection->split->of_work;
        if (is_graph && last != ROW_NONE && of_work[before] == of_work[work]) {
            int64_t ns = lead_spend_plain(&breaks->lead, row, api->end[last], api->start[call], 0);
            uint32_t node = selection_work_node(profile, step->selection, work);
            breaks->node_ns[node] += ns;
            breaks->host_ns += ns;
            breaks->name = api->name[call];
        }
        breaks->graphs += is_graph;
        last = is_graph ? call : ROW_NONE;
    }
}

static void graph_breaks(struct step *step, struct finding_list *findings)
{
    const struct profile *profile = step->profile;
    if (step->hides_work)
        return;
    struct breaks breaks = {.lead = {.step = step}, .node_ns = step_node_sums(step)};
    size_t names = strings_count(profile->strings);
    breaks.is_graph = ARENA_ARRAY(step->scratch, bool, names + 1);
    for (string_id id = 0; id < names; id++)
        breaks.is_graph[id] = strstr(profile_text(profile, id), "GraphLaunch") != NULL;
    for (uint32_t t = 0; t < profile->thread_count; t++)
        if (lead_line(step, t))
            add_thread(&breaks, t);
    if (!step->has_steps) {
        if (breaks.graphs >= expert_threshold("graph_breaks.graphs") &&
            step_share(step, cause_time(step, IDLE_HOST).idle_ns +
                                 cause_time(step, IDLE_UNKNOWN).idle_ns) >
                expert_threshold("graph_breaks.share"))
            cause_lacks_steps(findings, &detect_graph_breaks,
                              "CUDA graphs are launched and the GPU waits for the host; without "
                              "steps it is not told how many graphs a step is");
        return;
    }
    lead_want(&breaks.lead);
    int64_t gain = claims_measure(&step->claims);
    uint32_t hit = step_windows_hit(step);
    bool speaks = breaks.graphs >= expert_threshold("graph_breaks.graphs") * step->window_count &&
                  hit > expert_threshold("graph_breaks.steps") * step->window_count &&
                  step_share(step, gain) > expert_threshold("graph_breaks.share");
    struct finding *finding =
        step_claim(step, findings, &detect_graph_breaks, speaks, gain, step_host_certainty(step));
    if (!finding)
        return;
    finding->problem = arena_format(
        step->arena,
        "The step is %u CUDA graphs with the host at work between them: the GPU waits %s %s",
        breaks.graphs / step->window_count, step_duration(step, gain), step_unit(step));
    finding->recommendation =
        "Make them one graph: find what breaks it (TORCH_LOGS=graph_breaks; reads on the host, "
        "prints, branches on values of tensors, unsupported calls) and move it out of the step; "
        "with torch.compile fullgraph=True shows the first";
    finding->why = arena_format(
        step->arena,
        "From the end of one graph launch to the next, with no other launch between, the host "
        "spends %s %s. The bound is the idle time that this makes, in %u of %u steps",
        step_duration(step, breaks.host_ns), step_unit(step), hit, step->window_count);
    uint32_t node = step_place(step, breaks.node_ns);
    finding->place = step_node_text(step, node);
    finding->opens = "api";
    finding->evidence.api_name = breaks.name;
    if (finding->place)
        finding->evidence.node = node;
}

const struct detector detect_graph_breaks = {
    .id = "graph_breaks",
    .title = "many CUDA graphs with gaps between them",
    .doc = "At least graph_breaks.graphs CUDA graphs are launched a step, the host spends time "
           "between two of them (not waiting, loading or compiling), and the GPU is idle for it in "
           "more than graph_breaks.steps of the steps and for more than graph_breaks.share of the "
           "step. Bound: the idle time that goes away when the host launches earlier by that time.",
    .claim = graph_breaks,
};
