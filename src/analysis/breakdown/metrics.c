// SPDX-License-Identifier: Apache-2.0
// Sums of sampled GPU metrics, see metrics.h.
#include "analysis/breakdown/metrics.h"

#include "analysis/breakdown/breakdown_scheme.h"
#include "base/search.h"

void metric_sums_add(struct metric_sums *sums, const struct profile *profile, uint32_t device,
                     int64_t from, int64_t to)
{
    const struct gpu_metrics *metrics = &profile->metrics;
    for (int m = 0; metrics->first && m < METRIC_COUNT; m++) {
        const uint32_t *rows = &metrics->first[device * METRIC_COUNT + (uint32_t)m];
        uint32_t row = search_from(metrics->time, rows[0], rows[1], from);
        uint32_t end = search_from(metrics->time, row, rows[1], to);
        if (row < end)
            sums->sum[m] += metrics->sum[end - 1] - (row > rows[0] ? metrics->sum[row - 1] : 0);
        sums->samples[m] += end - row;
    }
}

void metric_sums_iteration(struct metric_sums *sums, const struct profile *profile,
                           const struct selection *selection, uint32_t device, uint32_t iteration)
{
    const struct split *split = selection->split;
    if (iteration != ROW_NONE || split->method == SPLIT_NONE) {
        struct window window = breakdown_gpu_rules.window(
            profile, selection, device, split->method == SPLIT_NONE ? ROW_NONE : iteration);
        if (window.to > window.from)
            metric_sums_add(sums, profile, device, window.from, window.to);
        return;
    }
    for (uint32_t i = 0; i < split->count; i++)
        if (selection_has_iteration(selection, i))
            metric_sums_iteration(sums, profile, selection, device, i);
}

static bool mean(const struct metric_sums *sums, enum gpu_metric metric, double *value)
{
    if (sums->samples[metric] < MIN_METRIC_SAMPLES)
        return false;
    *value = sums->sum[metric] / (double)sums->samples[metric];
    return true;
}

struct value metric_figure(const struct metric_sums *sums, enum metric_figure figure)
{
    static const enum gpu_metric metrics[FIGURE_COUNT] = {METRIC_SM_ACTIVE, METRIC_TENSOR_ACTIVE,
                                                          METRIC_DRAM_READ, METRIC_CLOCK};
    double value, written = 0;
    if (!mean(sums, metrics[figure], &value) ||
        (figure == FIGURE_DRAM && !mean(sums, METRIC_DRAM_WRITE, &written)))
        return value_none();
    // reads and writes are rounded separately, so the sum may exceed 1
    double share = (value + written) / 100;
    return value_real(figure == FIGURE_CLOCK ? value : share < 1 ? share : 1);
}
