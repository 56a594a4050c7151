// SPDX-License-Identifier: Apache-2.0
// Copies between host and GPU that nothing hides.
#include "analysis/detect_list.h"
#include "analysis/detect_tools.h"
#include "analysis/step.h"
#include "base/format.h"
#include "model/copy_kinds.h"

static bool is_host_copy(const struct step *step, uint32_t work)
{
    const struct copy *copy = work_copy(step->profile, work);
    if (!copy)
        return false;
    // Without steps copies from pageable memory may be the loading of the model, once.
    bool is_pageable = copy->src_kind == MEMORY_PAGEABLE || copy->dst_kind == MEMORY_PAGEABLE;
    return (copy->copy_kind == COPY_HTOD || copy->copy_kind == COPY_DTOH) &&
           (step->has_steps || !is_pageable);
}

// Time of kernels with such copies beside them already: nothing else can be hidden there.
static int64_t hidden_copies(const struct step *step)
{
    const struct profile *profile = step->profile;
    const struct gpu_work *work = &profile->work;
    const struct device *device = &profile->devices[step->device];
    int64_t hidden = 0;
    for (uint32_t w = device->first_work; w < device->end_work; w++)
        if (is_host_copy(step, w) && step_has_work(step, w))
            hidden += work->end[w] - work->start[w] - work->exclusive[w];
    return hidden;
}

static void exposed_copies(struct step *step, struct finding_list *findings)
{
    const struct profile *profile = step->profile;
    const struct gpu_work *work = &profile->work;
    struct leader leader = leader_new(step);
    int64_t on_compute = 0, exposed = 0, bytes = 0, *per_node = step_node_sums(step);
    uint32_t last = ROW_NONE, copies = 0;
    for (size_t s = 0; s < step->count; s++) {
        const struct stretch *stretch = &step->stretches[s];
        if (stretch->class != CLASS_COPY || !is_host_copy(step, stretch->work))
            continue;
        int64_t length = stretch->to - stretch->from;
        exposed += length;
        if (profile->streams[work->stream[stretch->work]].role == ROLE_COMPUTE)
            on_compute += length;
        if (stretch->work != last &&
            !__builtin_add_overflow(bytes, work->bytes ? work->bytes[stretch->work] : 0, &bytes))
            copies++;
        last = stretch->work;
        leader_add(&leader, work->function[stretch->work], length);
        per_node[selection_layer_node(profile, step->selection, stretch->work)] += length;
    }
    detect_want_copies(step, is_host_copy);
    int64_t gain = detect_limit(step, step->compute_ns + step->opaque_ns - hidden_copies(step));
    bool speaks = step_share(step, gain) > expert_threshold("exposed_copies.share");
    struct finding *finding =
        step_claim(step, findings, &detect_exposed_copies, speaks, gain, CERTAINTY_LIKELY);
    if (!finding)
        return;
    bool is_own = 2 * on_compute > exposed;
    char size[FORMAT_SIZE];
    finding->place = step_node_text(step, step_place(step, per_node));
    finding->problem = arena_format(
        step->arena, "Copies between host and GPU are not hidden%s: %s %s with nothing beside them",
        is_own ? ", they are on a compute stream" : "", step_duration(step, gain), step_unit(step));
    finding->recommendation =
        is_own
            ? "Copy on a stream of its own from pinned memory, one batch or layer ahead, so that "
              "kernels run meanwhile; keep on the GPU what is copied again in every step"
            : "Start the copies earlier, one batch ahead (pin_memory=True, non_blocking=True), "
              "and copy less: smaller types, what is used again kept on the GPU";
    finding->why = arena_format(
        step->arena,
        "%u copies, %s in all, most of it %s; %s %s with nothing beside them. The bound "
        "is at most the computing that is there to hide it",
        copies, format_bytes(size, bytes), leader_name(step, &leader), step_duration(step, exposed),
        step_unit(step));
    finding->opens = leader.count == 1 ? "launches" : "memory";
    if (leader.count == 1)
        finding->evidence.function = leader.best;
}

const struct detector detect_exposed_copies = {
    .id = "exposed_copies",
    .title = "copies are not hidden",
    .doc = "Copies between host and GPU with no kernel beside them take more than "
           "exposed_copies.share of the step. Where no steps are found only those from and to "
           "pinned memory count. Bound: that time, at most the computing that could hide it.",
    .claim = exposed_copies,
};
