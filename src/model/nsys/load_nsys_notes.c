// SPDX-License-Identifier: Apache-2.0
// Notes about what the file lacks.
#include "model/nsys/nsys_tables.h"

static void note_missing(struct nsys *nsys)
{
    struct profile *profile = nsys->profile;
    // Missing rows in a window do not show that the capture lacked them, so no capture option is
    // advised.
    bool is_part = profile->file_window;
    const char *where = is_part ? "this part of the file" : "the file";
    if (!profile->work.count)
        profile_note(profile, NOTE_WARNING, "no_gpu_work", 0, is_part ? NULL : "-t cuda",
                     "%s holds no GPU work: no kernel, copy, memset or graph", where);
    if (!profile->api.count)
        profile_note(profile, NOTE_WARNING, "no_api", 0, is_part ? NULL : "-t cuda",
                     "no CUDA calls in %s: GPU work has no launches", where);
    if (!profile->ranges.count)
        profile_note(profile, NOTE_WARNING, "no_ranges", 0, is_part ? NULL : "-t nvtx",
                     "no NVTX ranges in %s: layers, ops, steps not marked", where);
    if (!profile->has_osrt)
        profile_note(profile, NOTE_INFO, "no_osrt", 0, "-t osrt",
                     "OS calls were not captured: waiting for I/O cannot be told");
    if (!profile->has_syncs && profile->api.count)
        profile_note(profile, NOTE_INFO, "no_syncs", 0, NULL, "the file holds no synchronisations");
    if (!profile->has_gpu_metrics)
        profile_note(profile, NOTE_INFO, "no_gpu_metrics", 0, "--gpu-metrics-devices=cuda-visible",
                     "GPU metrics were not captured: clocks and pipe activity are not known");
}

static void note_graphs(struct nsys *nsys)
{
    struct profile *profile = nsys->profile;
    int64_t whole = 0, nodes = 0;
    for (uint32_t i = 0; i < profile->work.count; i++) {
        whole += profile->functions[AT(profile->work.function, i)].kind == WORK_GRAPH;
        nodes += (AT(profile->work.flags, i) & WORK_IN_GRAPH) != 0;
    }
    if (!*profile->capture.graph_mode && whole)
        profile->capture.graph_mode = "graph";
    else if (!*profile->capture.graph_mode && nodes)
        profile->capture.graph_mode = "node";
    if (whole)
        profile_note(profile, NOTE_WARNING, "graphs_opaque", whole, "--cuda-graph-trace=node",
                     "%lld replays of CUDA graphs were traced whole: the kernels inside are not "
                     "in the file",
                     (long long)whole);
    if (nodes)
        profile_note(profile, NOTE_INFO, "graph_nodes", nodes, NULL,
                     "%lld rows of GPU work are nodes of replayed CUDA graphs%s", (long long)nodes,
                     profile->graph_nodes.count ? ""
                                                : "; where they were captured is not in the file");
}

static void note_negative(struct nsys *nsys)
{
    struct profile *profile = nsys->profile;
    int64_t negative = 0;
    for (uint32_t i = 0; i < profile->work.count; i++)
        negative += AT(profile->work.start, i) < 0;
    for (uint32_t i = 0; i < profile->api.count; i++)
        negative += AT(profile->api.start, i) < 0;
    if (negative)
        profile_note(profile, NOTE_INFO, "times_negative", negative, NULL,
                     "%lld rows of GPU work and CUDA calls begin before the capture did",
                     (long long)negative);
}

void nsys_note_lacks(struct nsys *nsys)
{
    note_missing(nsys);
    note_graphs(nsys);
    note_negative(nsys);
}
