// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch_means.h"

#include "analysis/occupancy.h"
#include "analysis/stats.h"

enum { MICRO = 1000000, PERCENT = 100 };

void launch_means_add(struct launch_means *means, const struct profile *profile, uint32_t device,
                      uint32_t shape, int64_t ns)
{
    if (shape >= profile->shape_count)
        return;
    const struct launch_shape *launch = &profile->shapes[shape];
    int64_t blocks = micro_blocks_per_sm(&profile->devices[device], launch);
    double occupancy = launch->micro_occupancy >= 0
                           ? (double)launch->micro_occupancy / MICRO / PERCENT
                           : estimated_occupancy(&profile->devices[device], launch);
    if (blocks != UNKNOWN) {
        means->blocks_ns += (double)blocks / MICRO * (double)ns;
        sum_add(&means->blocks_known_ns, ns);
    }
    if (occupancy >= 0) {
        means->occupancy_ns += occupancy * (double)ns;
        sum_add(&means->occupancy_known_ns, ns);
    }
}

static struct value mean(double sum, int64_t ns)
{
    return ns > 0 ? value_real(sum / (double)ns) : value_none();
}

struct value launch_means_blocks(const struct launch_means *means)
{
    return mean(means->blocks_ns, means->blocks_known_ns);
}

struct value launch_means_occupancy(const struct launch_means *means)
{
    return mean(means->occupancy_ns, means->occupancy_known_ns);
}
