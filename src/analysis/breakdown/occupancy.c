// SPDX-License-Identifier: Apache-2.0
// NVIDIA's rules for resident blocks, as in its CUDA Occupancy Calculator. The limits per
// architecture are from the CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability". The allocation rules are from the Tuning Guides of the architectures and the Best
// Practices Guide: registers are allocated per warp in units of 256, separately in each of the four
// parts of a multiprocessor; shared memory is allocated per block in units of 256 bytes, from 8.0
// on in units of 128 bytes, where the system reserves 1 KB per block. test_plugin_steps.c checks the
// results against traces.
#include "analysis/breakdown/occupancy.h"

#include <string.h>
#include <strings.h>

#include "model/profile/vendor.h"

enum {
    WARP = 32,
    KILOBYTE = 1024,
    PARTS = 4,                // per multiprocessor
    REGISTERS = 65536,        // per multiprocessor, on all architectures below
    REGISTER_UNIT = 256,      // a warp's registers are a multiple of this
    MAX_BLOCK_THREADS = 1024, // per block
    BLOCK_RESERVE = 1024, // bytes of shared memory per block that the system reserves from 8.0 on
};

static const struct architecture {
    int major, minor; // minor -1: any
    int threads, blocks, shared_kilobytes;
} architectures[] = {
    {5, 0, 2048, 32, 64},    {5, 2, 2048, 32, 96},    {5, 3, 2048, 32, 64},
    {6, 0, 2048, 32, 64},    {6, 1, 2048, 32, 96},    {6, 2, 2048, 32, 64},
    {7, 0, 2048, 32, 96},    {7, 2, 2048, 32, 96},    {7, 5, 1024, 16, 64},
    {8, 0, 2048, 32, 164},   {8, 6, 1536, 16, 100},   {8, 7, 1536, 16, 164},
    {8, 9, 1536, 24, 100},   {9, 0, 2048, 32, 228},   {10, -1, 2048, 32, 228},
    {11, -1, 1536, 24, 228}, {12, -1, 1536, 24, 100},
};

static const struct architecture *architecture_of(const struct device *device)
{
    for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        const struct architecture *a = &architectures[i];
        if (a->major == device->compute_major &&
            (a->minor < 0 || a->minor == device->compute_minor))
            return a;
    }
    return NULL;
}

// Returns UNKNOWN if a side is unknown or the product overflows.
static int64_t product_of(const int32_t sides[3])
{
    int64_t product = 1;
    for (int axis = 0; axis < 3; axis++)
        if (sides[axis] < 1 || __builtin_mul_overflow(product, sides[axis], &product))
            return UNKNOWN;
    return product;
}

int64_t micro_blocks_per_sm(const struct device *device, const struct launch_shape *shape)
{
    int64_t blocks = product_of(shape->grid);
    if (shape->micro_blocks_per_sm >= 0)
        return shape->micro_blocks_per_sm;
    if (blocks == UNKNOWN || device->sm_count == UNKNOWN || device->sm_count < 1 ||
        __builtin_mul_overflow(blocks, MICRO, &blocks))
        return UNKNOWN;
    return blocks / device->sm_count;
}

static int64_t round_up(int64_t value, int64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t resident_blocks(const struct device *device, const struct launch_shape *shape)
{
    const struct architecture *limits = architecture_of(device);
    int64_t threads = product_of(shape->block);
    bool has_shared = shape->static_shared >= 0 || shape->dynamic_shared >= 0;
    if (!limits || threads == UNKNOWN || shape->registers < 0 || !has_shared)
        return UNKNOWN;
    if (threads > MAX_BLOCK_THREADS)
        return 0;
    int64_t warps = (threads + WARP - 1) / WARP;
    int64_t blocks = least(limits->blocks, limits->threads / WARP / warps);
    int64_t warp_registers = round_up((int64_t)shape->registers * WARP, REGISTER_UNIT);
    if (warp_registers > 0)
        blocks = least(blocks, REGISTERS / PARTS / warp_registers * PARTS / warps);
    bool has_reserve = device->compute_major >= 8;
    int64_t shared = (shape->static_shared > 0 ? shape->static_shared : 0) +
                     (int64_t)(shape->dynamic_shared > 0 ? shape->dynamic_shared : 0);
    shared = round_up(shared + (has_reserve ? BLOCK_RESERVE : 0), has_reserve ? 128 : 256);
    if (shared > 0)
        blocks = least(blocks, (int64_t)limits->shared_kilobytes * KILOBYTE / shared);
    return blocks;
}

double estimated_occupancy(const struct device *device, const struct launch_shape *shape)
{
    int64_t resident = resident_blocks(device, shape),
            launched = micro_blocks_per_sm(device, shape);
    if (resident == UNKNOWN || launched == UNKNOWN)
        return -1;
    double blocks = (double)launched / MICRO;
    blocks = blocks < (double)resident ? blocks : (double)resident;
    return blocks * (double)product_of(shape->block) / architecture_of(device)->threads;
}

int64_t launch_blocks_per_sm(const struct profile *profile, const struct device *device,
                             const struct launch_shape *shape)
{
    return shape->micro_blocks_per_sm >= 0 || device_vendor(profile, device) == VENDOR_NVIDIA
               ? micro_blocks_per_sm(device, shape)
               : UNKNOWN;
}

// The profiler records whole percents, and 0 for every kernel on cards that its calculator does not
// know. A recorded 0 is therefore ignored if the estimate is 1 % or more.
struct launch_figures launch_figures_of(const struct profile *profile, const struct device *device,
                                        const struct launch_shape *shape)
{
    struct launch_figures figures = {.is_made = true,
                                     .micro_blocks = launch_blocks_per_sm(profile, device, shape),
                                     .occupancy = -1,
                                     .told = -1};
    double estimate =
        device_vendor(profile, device) == VENDOR_NVIDIA ? estimated_occupancy(device, shape) : -1;
    figures.is_computed = shape->micro_blocks_per_sm < 0 && figures.micro_blocks != UNKNOWN;
    if (shape->micro_occupancy >= 0) {
        figures.told = (double)shape->micro_occupancy / MICRO / 100;
        figures.told = figures.told > 1 ? 1 : figures.told;
    }
    figures.occupancy = figures.told;
    if (figures.told < 0 || (shape->micro_occupancy == 0 && estimate >= 0.01)) {
        figures.occupancy = estimate > 1 ? 1 : estimate;
        figures.is_computed |= estimate >= 0;
    }
    return figures;
}
