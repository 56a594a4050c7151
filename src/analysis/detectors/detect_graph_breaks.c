// SPDX-License-Identifier: Apache-2.0
// Detects steps made of many CUDA graphs, with host work between them that keeps the GPU waiting.
#include <math.h>
#include <string.h>

#include "analysis/detect/cause_time.h"
#include "analysis/detect/finding.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(graph_breaks);

enum {
    SUM_GRAPHS = SUM_OWN, // number of graph launches
    SUM_HOST              // ns that the host spends before them
};

struct graph_break_scan {
    struct host_slack slack;
    bool *is_graph; // by string id: an API call that launches a graph
    string_id name; // name of the latest such call
};

// Adds the host time before each graph launch of a step, since the previous launch of any kind in
// that step.
static void scan_thread(struct graph_break_scan *breaks, uint32_t thread_row)
{
    struct scan *scan = breaks->slack.scan;
    const struct step_line *line = scan->line;
    const struct profile *profile = line->profile;
    const struct api_calls *api = &profile->api;
    const struct thread *thread = &profile->threads[thread_row];
    uint32_t previous_call = ROW_NONE, previous_window = ROW_NONE;
    for (uint32_t call = thread->first_api; call < thread->end_api; call++) {
        if (AT(api->first_work, call) == AT(api->first_work, call + 1))
            continue;
        uint32_t work = AT(api->work_rows, AT(api->first_work, call));
        uint32_t window = line_window_of(line, work);
        if (breaks->is_graph[AT(api->name, call)] && window != ROW_NONE) {
            int64_t ns = 0;
            if (previous_window == window)
                ns = slack_add_unclassified(&breaks->slack, thread_row, AT(api->end, previous_call),
                                            AT(api->start, call), 0);
            scan_node(scan, window, work, ns);
            scan_add(scan, SUM_HOST, window, ns);
            scan_add(scan, SUM_GRAPHS, window, 1);
            breaks->name = AT(api->name, call);
        }
        previous_call = call;
        previous_window = window;
    }
}

static void graph_breaks_scan(struct scan *scan)
{
    const struct profile *profile = scan->line->profile;
    string_id *name = scan->own = ARENA_NEW(scan->arena, string_id);
    struct graph_break_scan breaks = {.slack = {.scan = scan}};
    size_t names = strings_count(profile->strings);
    if (scan->line->has_untraced_work)
        return;
    breaks.is_graph = ARENA_ARRAY(scan->line->scratch, bool, names + 1);
    for (string_id id = 0; id < names; id++)
        breaks.is_graph[id] = strstr(profile_text(profile, id), "GraphLaunch") != NULL;
    for (uint32_t t = 0; t < profile->thread_count; t++)
        if (driving_line(scan->line, t))
            scan_thread(&breaks, t);
    *name = breaks.name;
    slack_request(&breaks.slack);
}

static void graph_breaks(struct step *step, const struct scan *scan, struct finding_list *findings)
{
    if (step->has_untraced_work)
        return;
    double graphs = (double)step_sum(step, scan, SUM_GRAPHS);
    bool are_many = graphs >= expert_threshold("graph_breaks.graphs");
    if (report_missing_step_starts(
            step, findings, &detect_graph_breaks, are_many ? step_host_idle_ns(step) : 0,
            expert_threshold("graph_breaks.share"),
            "CUDA graphs are launched and the GPU waits for the host; without steps "
            "it is not told how many graphs a step is"))
        return;
    int64_t gain = grants_measure(&step->grants);
    uint32_t hit = step_windows_hit(step);
    bool is_reported = graphs >= expert_threshold("graph_breaks.graphs") * step->window_count &&
                       hit > expert_threshold("graph_breaks.steps") * step->window_count &&
                       step_share(step, gain) > expert_threshold("graph_breaks.share");
    struct finding *finding = step_take_finding(step, findings, &detect_graph_breaks, is_reported,
                                                gain, step_host_certainty(step));
    if (!finding)
        return;
    finding->problem = arena_format(
        step->arena,
        "The step is %.0f CUDA graphs with the host at work between them: the GPU waits %s %s",
        floor(graphs / step->window_count), step_duration(step, gain), step_unit(step));
    finding->recommendation =
        "Make them one graph: find what breaks it (TORCH_LOGS=graph_breaks; reads on the host, "
        "prints, branches on values of tensors, unsupported calls) and move it out of the step; "
        "with torch.compile fullgraph=True shows the first";
    finding->why = arena_format(
        step->arena,
        "Before each graph launch, since the launch before it in the same step, the host "
        "spends %s %s. The bound is the idle time that this makes, %s",
        step_duration(step, step_sum(step, scan, SUM_HOST)), step_unit(step),
        step_hits_text(step, hit));
    uint32_t node = step_place(step, scan);
    finding->place = step_node_text(step, node);
    finding->opens = "api";
    finding->evidence.api_name = *(const string_id *)scan->own;
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
    .needs_all_work = true,
    .scan = graph_breaks_scan,
    .judge = graph_breaks,
};
