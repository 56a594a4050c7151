// SPDX-License-Identifier: Apache-2.0
// Detects a sampled GPU clock that is far below the card's maximum.
#include "analysis/breakdown/metrics.h"
#include "analysis/detect/finding.h"
#include "analysis/detect/step.h"
#include "model/rules/thresholds.h"

DETECTOR_DECLARE(low_clock);

static void low_clock(struct step *step, const struct scan *scan, struct finding_list *findings)
{
    (void)scan;
    const struct profile *profile = step->profile;
    const struct device *device = &profile->devices[step->device];
    if (!profile->has_gpu_metrics) {
        struct finding *finding = finding_add(findings, &detect_low_clock, SEVERITY_NOT_JUDGED);
        finding->problem = "Clocks, the Tensor pipe and the memory's bandwidth were not sampled";
        finding->recommendation = "Sample GPU metrics; it needs permission for GPU counters";
        finding->flag = "--gpu-metrics-devices=cuda-visible";
        return;
    }
    struct metric_sums sums = {0};
    metric_sums_iteration(&sums, profile, step->selection, step->device, ROW_NONE);
    struct value clock = metric_figure(&sums, FIGURE_CLOCK);
    double peak = device->clock_hz == UNKNOWN ? 0 : (double)device->clock_hz / 1e6;
    if (clock.kind != VALUE_REAL || peak <= 0 ||
        clock.real >= expert_threshold("low_clock.ratio") * peak)
        return;
    struct finding *finding = finding_add(findings, &detect_low_clock, SEVERITY_NOTE);
    finding->problem = arena_format(
        step->arena, "The GPU runs at %.0f MHz on average, its peak is %.0f MHz", clock.real, peak);
    finding->recommendation = "Look at limits of power and temperature: nvidia-smi -q -d "
                              "PERFORMANCE,CLOCK; an idle GPU clocks down too";
    finding->why = arena_format(step->arena, "%llu samples of the clock in the steps",
                                (unsigned long long)sums.samples[METRIC_CLOCK]);
    finding->opens = "devices";
}

const struct detector detect_low_clock = {
    .id = "low_clock",
    .title = "clocks, Tensor pipe, memory bandwidth",
    .doc = "The sampled clock of the GPU is on average below low_clock.ratio of its peak. A note: "
           "what it costs is not known. Not judged without samples of GPU metrics.",
    .judge = low_clock,
};
