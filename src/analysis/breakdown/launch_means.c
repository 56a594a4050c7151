// SPDX-License-Identifier: Apache-2.0
// Weighted sums of launch figures, see launch_means.h.
#include "analysis/breakdown/launch_means.h"

#include <math.h>

#include "analysis/breakdown/occupancy.h"
#include "analysis/report/stats.h"

enum { PERCENT = 100 };

void launch_means_add(struct launch_means *means, const struct profile *profile, uint32_t device,
                      uint32_t shape, int64_t ns)
{
    if (shape >= profile->shape_count)
        return;
    const struct launch_shape *launch = &profile->shapes[shape];
    const struct device *gpu = &profile->devices[device];
    struct launch_figures figures = launch_figures_of(profile, gpu, launch);
    int64_t blocks = figures.micro_blocks;
    int64_t occupancy = figures.occupancy >= 0 ? llround(figures.occupancy * PERCENT * MICRO) : -1;
    if (blocks != UNKNOWN && ns > 0) {
        means->micro_blocks_ns += (unsigned __int128)blocks * (unsigned __int128)ns;
        sum_add(&means->blocks_known_ns, ns);
    }
    if (occupancy >= 0 && ns > 0) {
        means->micro_occupancy_ns += (unsigned __int128)occupancy * (unsigned __int128)ns;
        sum_add(&means->occupancy_known_ns, ns);
    }
}

// Returns the mean figure, given the sum of figure x time in units of 1 / unit.
static struct value mean(unsigned __int128 sum, int64_t ns, double unit)
{
    return ns > 0 ? value_real((double)sum / (double)ns / unit) : value_none();
}

struct value launch_means_blocks(const struct launch_means *means)
{
    return mean(means->micro_blocks_ns, means->blocks_known_ns, MICRO);
}

struct value launch_means_occupancy(const struct launch_means *means)
{
    return mean(means->micro_occupancy_ns, means->occupancy_known_ns, (double)MICRO * PERCENT);
}
