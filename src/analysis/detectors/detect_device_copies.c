// SPDX-License-Identifier: Apache-2.0
// Detects large numbers of copies within the GPU's memory.
#include "analysis/detect/finding.h"
#include "analysis/detect/step.h"
#include "model/profile/copy_kinds.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(device_copies);

enum { SUM_TIME = SUM_OWN, SUM_COPIES };

static void device_copies_scan(struct scan *scan)
{
    const struct step_line *line = scan->line;
    uint32_t previous_work = ROW_NONE;
    for (size_t s = 0; s < line->count; s++) {
        const struct line_interval *interval = &line->intervals[s];
        const struct copy *copy =
            interval->class == CLASS_COPY ? work_copy(line->profile, interval->work) : NULL;
        if (!copy || copy->copy_kind != COPY_DTOD)
            continue;
        int64_t length = interval->to - interval->from;
        scan_add(scan, SUM_TIME, interval->window, length);
        scan_add(scan, SUM_COPIES, interval->window, interval->work != previous_work);
        scan_layer(scan, interval->window, interval->work, length);
        previous_work = interval->work;
    }
}

static void device_copies(struct step *step, const struct scan *scan, struct finding_list *findings)
{
    int64_t ns = step_sum(step, scan, SUM_TIME), copies = step_sum(step, scan, SUM_COPIES);
    // The limit is a number of copies per step, so steps must be known.
    if (!step->has_steps ||
        (double)copies <= expert_threshold("device_copies.copies") * step->window_count ||
        step_share(step, ns) <= expert_threshold("device_copies.share"))
        return;
    struct finding *finding = step_note(step, findings, &detect_device_copies);
    uint32_t node = step_place(step, scan);
    finding->place = step_node_text(step, node);
    finding->problem = arena_format(
        step->arena,
        "Many copies within the GPU's memory: %lld %s, with nothing beside them for %s",
        (long long)step_mean_ns(step, copies), step_unit(step), step_duration(step, ns));
    finding->recommendation =
        "Look for clone(), copy_() into buffers and cat in the layers: write to the buffer at once "
        "(out=), keep views, or let torch.compile fuse them";
    finding->why = "Each copy is a launch of its own, and reads and writes all of its bytes";
    finding->opens = "memory";
    finding->filter = "DtoD";
    finding_set_layer_evidence(finding, node);
}

const struct detector detect_device_copies = {
    .id = "device_copies",
    .title = "storms of copies within the GPU",
    .doc = "More than device_copies.copies copies from device to device in a step, with nothing "
           "beside them for more than device_copies.share of it. Needs steps. A note: which of "
           "them are needed is not known.",
    .scan = device_copies_scan,
    .judge = device_copies,
};
